// RUN: prec-opt %s --prec-codegen-cpu | FileCheck %s

// Elements in vectors of 16; the sum is rounded by integer arithmetic.
// CHECK-LABEL: func.func @elementwise
// CHECK: prec_sched.dispatch <elementwise> "axpy"({{.*}}) {kernel = @prec_axpy, launch = #prec_sched.launch<extent = 4>}
func.func @elementwise(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xbf16> {
  %r = prec_sched.dispatch <elementwise> "axpy" (%x, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xbf16> {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
    %s = arith.addf %a, %b : tensor<64xf32>
    %n = arith.truncf %s : tensor<64xf32> to tensor<64xbf16>
    prec_sched.yield %n : tensor<64xbf16>
  }
  return %r : tensor<64xbf16>
}

// A broadcast along rows: rows are called in pieces, columns looped over.
// CHECK-LABEL: func.func @broadcast
// CHECK: {kernel = @prec_bias_1_, launch = #prec_sched.launch<extent = 4>}
func.func @broadcast(%x: tensor<4x32xf32>, %b: tensor<32xf32>) -> tensor<4x32xf32> {
  %r = prec_sched.dispatch <elementwise> "bias(1)" (%x, %b) : (tensor<4x32xf32>, tensor<32xf32>) -> tensor<4x32xf32> {
  ^bb0(%a: tensor<4x32xf32>, %c: tensor<32xf32>):
    %w = prec_train.broadcast %c dims [1] : (tensor<32xf32>) -> tensor<4x32xf32>
    %s = arith.addf %a, %w : tensor<4x32xf32>
    prec_sched.yield %s : tensor<4x32xf32>
  }
  return %r : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @row
// CHECK: {kernel = @prec_norm, launch = #prec_sched.launch<extent = 4>}
func.func @row(%x: tensor<4x40xf32>) -> tensor<4xf32> {
  %r = prec_sched.dispatch <row> "norm" (%x) : (tensor<4x40xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x40xf32>):
    %q = arith.mulf %a, %a : tensor<4x40xf32>
    %s = prec_train.reduce sum %q dims [1] : (tensor<4x40xf32>) -> tensor<4xf32>
    %n = math.rsqrt %s : tensor<4xf32>
    prec_sched.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Columns of groups of rows: groups are called in pieces.
// CHECK-LABEL: func.func @grouped
// CHECK: {kernel = @prec_grouped, launch = #prec_sched.launch<extent = 2>}
func.func @grouped(%x: tensor<6x40xf32>) -> (tensor<6xf32>, tensor<2x40xf32>) {
  %r:2 = prec_sched.dispatch <row> "grouped" (%x) : (tensor<6x40xf32>) -> (tensor<6xf32>, tensor<2x40xf32>) {
  ^bb0(%a: tensor<6x40xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<6x40xf32>) -> tensor<6xf32>
    %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 3, 40] : tensor<6x40xf32> into tensor<2x3x40xf32>
    %c = prec_train.reduce sum %e dims [1] : (tensor<2x3x40xf32>) -> tensor<2x40xf32>
    prec_sched.yield %s, %c : tensor<6xf32>, tensor<2x40xf32>
  }
  return %r#0, %r#1 : tensor<6xf32>, tensor<2x40xf32>
}

// CHECK-LABEL: func.func @column
// CHECK: {kernel = @prec_sum, launch = #prec_sched.launch<extent = 2>}
func.func @column(%x: tensor<9x128xf32>) -> tensor<128xf32> {
  %r = prec_sched.dispatch <column> "sum" (%x) : (tensor<9x128xf32>) -> tensor<128xf32> {
  ^bb0(%a: tensor<9x128xf32>):
    %s = prec_train.reduce sum %a dims [0] : (tensor<9x128xf32>) -> tensor<128xf32>
    prec_sched.yield %s : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}

// Two matrices of 40 rows: two tiles of rows each.
// CHECK-LABEL: func.func @transpose
// CHECK: {kernel = @prec_swap, launch = #prec_sched.launch<extent = 4>}
func.func @transpose(%x: tensor<2x40x64xf32>) -> tensor<2x64x40xf32> {
  %r = prec_sched.dispatch <transpose> "swap" (%x) : (tensor<2x40x64xf32>) -> tensor<2x64x40xf32> {
  ^bb0(%a: tensor<2x40x64xf32>):
    %t = prec_train.transpose %a permutation [0, 2, 1] : (tensor<2x40x64xf32>) -> tensor<2x64x40xf32>
    prec_sched.yield %t : tensor<2x64x40xf32>
  }
  return %r : tensor<2x64x40xf32>
}

// A part for each position.
// CHECK-LABEL: func.func @scatter_add
// CHECK: {inplace = array<i64: 0>, kernel = @prec_embedding_grad, launch = #prec_sched.launch<extent = 6>}
func.func @scatter_add(%t: tensor<10x128xf32>, %i: tensor<6xi32>, %u: tensor<6x128xbf16>, %o: tensor<2x6xi32>) -> tensor<10x128xf32> {
  %r = prec_sched.dispatch <scatter_add> "embedding.grad" (%t, %i, %u, %o) {inplace = array<i64: 0>} : (tensor<10x128xf32>, tensor<6xi32>, tensor<6x128xbf16>, tensor<2x6xi32>) -> tensor<10x128xf32> {
  ^bb0(%a: tensor<10x128xf32>, %b: tensor<6xi32>, %c: tensor<6x128xbf16>, %d: tensor<2x6xi32>):
    %s = prec_train.scatter_add %a, %b, %c sorted %d : (tensor<10x128xf32>, tensor<6xi32>, tensor<6x128xbf16>, tensor<2x6xi32>) -> tensor<10x128xf32>
    prec_sched.yield %s : tensor<10x128xf32>
  }
  return %r : tensor<10x128xf32>
}

// CHECK-LABEL: func.func @narrow_table
// CHECK: {inplace = array<i64: 0>, kernel = @prec_tied_grad, launch = #prec_sched.launch<extent = 6>}
func.func @narrow_table(%t: tensor<10x128xbf16>, %i: tensor<6xi32>, %u: tensor<6x128xbf16>, %o: tensor<2x6xi32>) -> tensor<10x128xbf16> {
  %r = prec_sched.dispatch <scatter_add> "tied.grad" (%t, %i, %u, %o) {inplace = array<i64: 0>} : (tensor<10x128xbf16>, tensor<6xi32>, tensor<6x128xbf16>, tensor<2x6xi32>) -> tensor<10x128xbf16> {
  ^bb0(%a: tensor<10x128xbf16>, %b: tensor<6xi32>, %c: tensor<6x128xbf16>, %d: tensor<2x6xi32>):
    %s = prec_train.scatter_add %a, %b, %c sorted %d : (tensor<10x128xbf16>, tensor<6xi32>, tensor<6x128xbf16>, tensor<2x6xi32>) -> tensor<10x128xbf16>
    prec_sched.yield %s : tensor<10x128xbf16>
  }
  return %r : tensor<10x128xbf16>
}

// A part for each 4096 ids that there may be.
// CHECK-LABEL: func.func @sort
// CHECK: {kernel = @prec_sort, launch = #prec_sched.launch<extent = 3>}
func.func @sort(%i: tensor<6xi32>) -> tensor<2x6xi32> {
  %r = prec_sched.dispatch <sort> "sort" (%i) : (tensor<6xi32>) -> tensor<2x6xi32> {
  ^bb0(%a: tensor<6xi32>):
    %s = prec_train.sort_ids %a below 10000 : (tensor<6xi32>) -> tensor<2x6xi32>
    prec_sched.yield %s : tensor<2x6xi32>
  }
  return %r : tensor<2x6xi32>
}

// CHECK: module @kernels
// CHECK: llvm.func @prec_axpy(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: llvm.load %{{.*}} {alignment = 64 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: llvm.fadd %{{.*}} : vector<16xf32>
// CHECK: llvm.store %{{.*}} {alignment = 32 : i64} : vector<16xi16>, !llvm.ptr
// CHECK: llvm.func @prec_bias_1_
// 40 columns are two vectors, a tree and eight elements.
// CHECK: llvm.func @prec_norm
// CHECK: llvm.load %{{.*}} {alignment = 32 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-COUNT-2: llvm.shufflevector {{.*}} : vector<16xf32>
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK: llvm.intr.sqrt
// CHECK-NOT: llvm.call
