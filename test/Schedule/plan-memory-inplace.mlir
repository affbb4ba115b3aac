// RUN: prec-opt %s --prec-plan-memory --prec-verify-schedule --split-input-file | FileCheck %s

// Zeros, then sums into them; a dying operand is overwritten where permitted.
// CHECK-LABEL: func @scatter
// CHECK: prec_sched.fill {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]}
// CHECK: <scatter_add> "sum"{{.*}} inplace = array<i64: 0>, placements = [#prec_sched.placement<workspace, 0>]
// CHECK: <elementwise> "exp"{{.*}} inplace = array<i64: 0>, placements = [#prec_sched.placement<workspace, 0>]
// CHECK: <elementwise> "last"{{.*}} inplace = array<i64: -1>, placements = [#prec_sched.placement<output, 0>]
func.func @scatter(%ids: tensor<4xi32>, %u: tensor<4x8xbf16>) -> tensor<16x8xf32> {
  %z = prec_sched.fill : tensor<16x8xf32>
  %s = prec_sched.dispatch <scatter_add> "sum"(%z, %ids, %u) {inplace = array<i64: 0>} : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xbf16>) -> tensor<16x8xf32> {
  ^bb0(%0: tensor<16x8xf32>, %1: tensor<4xi32>, %2: tensor<4x8xbf16>):
    %3 = prec_train.scatter_add %0, %1, %2 : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xbf16>) -> tensor<16x8xf32>
    prec_sched.yield %3 : tensor<16x8xf32>
  }
  %e = prec_sched.dispatch <elementwise> "exp"(%s) {inplace = array<i64: 0>} : (tensor<16x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%0: tensor<16x8xf32>):
    %1 = math.exp %0 : tensor<16x8xf32>
    prec_sched.yield %1 : tensor<16x8xf32>
  }
  %l = prec_sched.dispatch <elementwise> "last"(%e) {inplace = array<i64: 0>} : (tensor<16x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%0: tensor<16x8xf32>):
    %1 = math.exp %0 : tensor<16x8xf32>
    prec_sched.yield %1 : tensor<16x8xf32>
  }
  return %l : tensor<16x8xf32>
}

// -----

// A product is added to its dying init in place, and apart from one that lives.
// CHECK-LABEL: func @gemm
// CHECK: %[[G:.*]] = prec_sched.gemm %{{.*}}, %{{.*}} <full> {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]}
// CHECK: prec_sched.gemm %{{.*}}, %{{.*}} init %[[G]] <full> {id = 1 : i64, placements = [#prec_sched.placement<workspace, 1024>]}
// CHECK: prec_sched.gemm %{{.*}}, %{{.*}} init %[[G]] <full> {id = 2 : i64, placements = [#prec_sched.placement<workspace, 0>]}
func.func @gemm(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %a = prec_sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = prec_sched.gemm %x, %x init %a <full> : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = prec_sched.gemm %x, %b init %a <full> : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d = prec_sched.gemm %x, %c <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

// Not in place, although the dispatch would permit it: the input is read again
// under another name, or moved, or feeds two results, or lives on.
// CHECK-LABEL: func @refused
// CHECK: "a"{{.*}} placements = [#prec_sched.placement<workspace, 0>]
// CHECK: "moved"{{.*}} inplace = array<i64: -1>, placements = [#prec_sched.placement<workspace, 256>]
// CHECK: "twice"{{.*}} inplace = array<i64: -1>, placements = [#prec_sched.placement<workspace, 0>]
// CHECK: "two"{{.*}} inplace = array<i64: 0, -1>, placements = [#prec_sched.placement<workspace, 0>, #prec_sched.placement<workspace, 256>]
// CHECK: "lives"{{.*}} inplace = array<i64: -1>, placements = [#prec_sched.placement<workspace, 512>]
func.func @refused(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = prec_sched.dispatch <elementwise> "a"(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: tensor<8x8xf32>):
    %1 = math.exp %0 : tensor<8x8xf32>
    prec_sched.yield %1 : tensor<8x8xf32>
  }
  %b = prec_sched.dispatch <elementwise> "moved"(%a) {inplace = array<i64: 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: tensor<8x8xf32>):
    %1 = prec_train.transpose %0 permutation [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = arith.addf %0, %1 : tensor<8x8xf32>
    prec_sched.yield %2 : tensor<8x8xf32>
  }
  %v = tensor.collapse_shape %b [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  %c = prec_sched.dispatch <elementwise> "twice"(%b, %v) {inplace = array<i64: 0>} : (tensor<8x8xf32>, tensor<64xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: tensor<8x8xf32>, %1: tensor<64xf32>):
    %2 = tensor.expand_shape %1 [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
    %3 = prec_train.transpose %2 permutation [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = arith.addf %0, %3 : tensor<8x8xf32>
    prec_sched.yield %4 : tensor<8x8xf32>
  }
  %d, %e = prec_sched.dispatch <elementwise> "two"(%c) {inplace = array<i64: 0, 0>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  ^bb0(%0: tensor<8x8xf32>):
    %1 = math.exp %0 : tensor<8x8xf32>
    %2 = math.sin %0 : tensor<8x8xf32>
    prec_sched.yield %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  %f = prec_sched.dispatch <elementwise> "lives"(%d) {inplace = array<i64: 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: tensor<8x8xf32>):
    %1 = math.exp %0 : tensor<8x8xf32>
    prec_sched.yield %1 : tensor<8x8xf32>
  }
  %g = prec_sched.dispatch <elementwise> "end"(%d, %e, %f) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: tensor<8x8xf32>, %1: tensor<8x8xf32>, %2: tensor<8x8xf32>):
    %3 = arith.addf %0, %1 : tensor<8x8xf32>
    %4 = arith.addf %3, %2 : tensor<8x8xf32>
    prec_sched.yield %4 : tensor<8x8xf32>
  }
  return %g : tensor<8x8xf32>
}

// -----

// Found here: the sum overwrites its second operand, which dies and has its
// type; the first lives on. The broadcast row is not read element by element;
// what a kernel reduces its own rows of is.
// CHECK-LABEL: func @found
// CHECK: %[[A:.*]] = prec_sched.copy {{.*}} placements = [#prec_sched.placement<workspace, 0>]
// CHECK: %[[B:.*]] = prec_sched.copy {{.*}} placements = [#prec_sched.placement<workspace, 256>]
// CHECK: "sum"(%[[A]], %[[B]]) {id = 2 : i64, inplace = array<i64: 1>, placements = [#prec_sched.placement<workspace, 256>]}
// CHECK: "spread"{{.*}} inplace = array<i64: -1>, placements = [#prec_sched.placement<workspace, 512>]
// CHECK: "normalize"{{.*}} inplace = array<i64: 0>, placements = [#prec_sched.placement<workspace, 512>]
func.func @found(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %a = prec_sched.copy %x : tensor<8x8xf32>
  %b = prec_sched.copy %x : tensor<8x8xf32>
  %s = prec_sched.dispatch <elementwise> "sum"(%a, %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: tensor<8x8xf32>, %1: tensor<8x8xf32>):
    %2 = arith.addf %0, %1 : tensor<8x8xf32>
    prec_sched.yield %2 : tensor<8x8xf32>
  }
  %t = prec_sched.dispatch <elementwise> "spread"(%s) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: tensor<8x8xf32>):
    %1 = tensor.extract_slice %0[0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
    %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
    %3 = prec_train.broadcast %2 dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %4 = arith.addf %0, %3 : tensor<8x8xf32>
    prec_sched.yield %4 : tensor<8x8xf32>
  }
  %r = prec_sched.dispatch <row> "normalize"(%t) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: tensor<8x8xf32>):
    %1 = prec_train.reduce sum %0 dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    %2 = prec_train.broadcast %1 dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    %3 = arith.divf %0, %2 : tensor<8x8xf32>
    prec_sched.yield %3 : tensor<8x8xf32>
  }
  %u = prec_sched.copy %r : tensor<8x8xf32>
  %v = prec_sched.copy %a : tensor<8x8xf32>
  return %u, %v : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A kernel in tiles overwrites what it has read element by element, whatever
// else it collects of it; not what it reads at other places.
// CHECK-LABEL: func @tiles
// CHECK: "doubled"{{.*}} inplace = array<i64: 0, -1, -1>, placements = [#prec_sched.placement<workspace, 0>,
// CHECK: "moved"{{.*}} inplace = array<i64: -1, -1>, placements = [#prec_sched.placement<output, 0>,
func.func @tiles(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x2xf32>) {
  %a = prec_sched.copy %x : tensor<8x8xf32>
  %d:3 = prec_sched.dispatch <transpose> "doubled"(%a) {inplace = array<i64: 0, -1, -1>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x2xf32>) {
  ^bb0(%0: tensor<8x8xf32>):
    %1 = arith.addf %0, %0 : tensor<8x8xf32>
    %2 = prec_train.transpose %1 permutation [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = tensor.expand_shape %0 [[0, 1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<8x8xf32> into tensor<2x4x2x4xf32>
    %4 = prec_train.reduce max %3 dims [1, 3] : (tensor<2x4x2x4xf32>) -> tensor<2x2xf32>
    prec_sched.yield %1, %2, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x2xf32>
  }
  %m:2 = prec_sched.dispatch <transpose> "moved"(%d#0) {inplace = array<i64: 0, -1>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  ^bb0(%0: tensor<8x8xf32>):
    %1 = prec_train.transpose %0 permutation [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = arith.addf %0, %1 : tensor<8x8xf32>
    prec_sched.yield %2, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %m#0, %m#1, %d#1, %d#2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x2xf32>
}

// -----

// What rows are added to is computed where the sum is due.
// CHECK-LABEL: func @returned
// CHECK: prec_sched.gemm {{.*}} placements = [#prec_sched.placement<output, 0>]
// CHECK: <scatter_add> "sum"{{.*}} inplace = array<i64: 0>, placements = [#prec_sched.placement<output, 0>]
func.func @returned(%d: tensor<4x16xbf16>, %h: tensor<4x8xbf16>, %ids: tensor<4xi32>, %u: tensor<4x8xbf16>) -> tensor<16x8xbf16> {
  %w = prec_sched.gemm %d, %h <full> {transpose_a} : (tensor<4x16xbf16>, tensor<4x8xbf16>) -> tensor<16x8xbf16>
  %s = prec_sched.dispatch <scatter_add> "sum"(%w, %ids, %u) {inplace = array<i64: 0>} : (tensor<16x8xbf16>, tensor<4xi32>, tensor<4x8xbf16>) -> tensor<16x8xbf16> {
  ^bb0(%0: tensor<16x8xbf16>, %1: tensor<4xi32>, %2: tensor<4x8xbf16>):
    %3 = prec_train.scatter_add %0, %1, %2 : (tensor<16x8xbf16>, tensor<4xi32>, tensor<4x8xbf16>) -> tensor<16x8xbf16>
    prec_sched.yield %3 : tensor<16x8xbf16>
  }
  return %s : tensor<16x8xbf16>
}

// -----

// Or the sum is copied there, where something else is read there in between.
// CHECK-LABEL: func @occupied
// CHECK: %[[W:.*]] = prec_sched.fill {{.*}} placements = [#prec_sched.placement<workspace, 0>]
// CHECK: %[[S:.*]] = prec_sched.dispatch <scatter_add> "sum"(%[[W]], {{.*}} inplace = array<i64: 0>, placements = [#prec_sched.placement<workspace, 0>]
// CHECK: prec_sched.copy %[[S]] {{.*}} placements = [#prec_sched.placement<state, 0>]
func.func @occupied(%a: tensor<16x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"}, %ids: tensor<4xi32> {prec_train.role = #prec_train.role<batch>})
    -> (tensor<16x8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "a", prec_train.donated_to = 0 : i64}) {
  %w = prec_sched.fill : tensor<16x8xf32>
  %u = prec_sched.dispatch <elementwise> "u"(%a) : (tensor<16x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%0: tensor<16x8xf32>):
    %1 = tensor.extract_slice %0[0, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %2 = math.exp %1 : tensor<4x8xf32>
    prec_sched.yield %2 : tensor<4x8xf32>
  }
  %s = prec_sched.dispatch <scatter_add> "sum"(%w, %ids, %u) {inplace = array<i64: 0>} : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%0: tensor<16x8xf32>, %1: tensor<4xi32>, %2: tensor<4x8xf32>):
    %3 = prec_train.scatter_add %0, %1, %2 : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
    prec_sched.yield %3 : tensor<16x8xf32>
  }
  return %s : tensor<16x8xf32>
}

// -----

// A result may overwrite what a kernel reduces the columns of. Reduced columns
// overwrite nothing: other rows of their group are still read.
// CHECK-LABEL: func @columns
// CHECK: "grouped"{{.*}} inplace = array<i64: 0, -1, -1>
func.func @columns(%x: tensor<16x8x8xf32>, %m: tensor<16x8xf32>) -> (tensor<16x8x8xf32>, tensor<128xf32>, tensor<16x8xf32>) {
  %a = prec_sched.dispatch <elementwise> "a"(%x) : (tensor<16x8x8xf32>) -> tensor<16x8x8xf32> {
  ^bb0(%0: tensor<16x8x8xf32>):
    %1 = math.exp %0 : tensor<16x8x8xf32>
    prec_sched.yield %1 : tensor<16x8x8xf32>
  }
  %b = prec_sched.dispatch <elementwise> "b"(%m) : (tensor<16x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%0: tensor<16x8xf32>):
    %1 = math.exp %0 : tensor<16x8xf32>
    prec_sched.yield %1 : tensor<16x8xf32>
  }
  %r:3 = prec_sched.dispatch <row> "grouped"(%a, %b) {inplace = array<i64: 0, -1, 1>} : (tensor<16x8x8xf32>, tensor<16x8xf32>) -> (tensor<16x8x8xf32>, tensor<128xf32>, tensor<16x8xf32>) {
  ^bb0(%0: tensor<16x8x8xf32>, %1: tensor<16x8xf32>):
    %2 = prec_train.reduce sum %0 dims [2] : (tensor<16x8x8xf32>) -> tensor<16x8xf32>
    %3 = arith.addf %2, %1 : tensor<16x8xf32>
    %4 = tensor.collapse_shape %3 [[0, 1]] : tensor<16x8xf32> into tensor<128xf32>
    %5 = prec_train.reduce sum %0 dims [1] : (tensor<16x8x8xf32>) -> tensor<16x8xf32>
    %6 = math.exp %0 : tensor<16x8x8xf32>
    prec_sched.yield %6, %4, %5 : tensor<16x8x8xf32>, tensor<128xf32>, tensor<16x8xf32>
  }
  %y = prec_sched.dispatch <elementwise> "y"(%r#0) : (tensor<16x8x8xf32>) -> tensor<16x8x8xf32> {
  ^bb0(%0: tensor<16x8x8xf32>):
    %1 = math.exp %0 : tensor<16x8x8xf32>
    prec_sched.yield %1 : tensor<16x8x8xf32>
  }
  %z = prec_sched.dispatch <elementwise> "z"(%r#2) : (tensor<16x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%0: tensor<16x8xf32>):
    %1 = math.exp %0 : tensor<16x8xf32>
    prec_sched.yield %1 : tensor<16x8xf32>
  }
  return %y, %r#1, %z : tensor<16x8x8xf32>, tensor<128xf32>, tensor<16x8xf32>
}
