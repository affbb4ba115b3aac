// RUN: prec-opt %s --prec-plan-memory --prec-verify-schedule --split-input-file | FileCheck %s

// A chain needs two places, and the third value takes that of the first. The
// loss goes to `output`; ids count in program order.
// CHECK-LABEL: func @chain
// CHECK: prec_sched.copy %{{.*}} {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]}
// CHECK: prec_sched.copy %{{.*}} {id = 1 : i64, placements = [#prec_sched.placement<workspace, 256>]}
// CHECK: prec_sched.copy %{{.*}} {id = 2 : i64, placements = [#prec_sched.placement<workspace, 0>]}
// CHECK: prec_sched.dispatch <row> "sum"(%{{.*}}) {id = 3 : i64, inplace = array<i64: -1>, placements = [#prec_sched.placement<output, 0>]}
func.func @chain(%x: tensor<4x8xf32>) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"}) {
  %a = prec_sched.copy %x : tensor<4x8xf32>
  %b = prec_sched.copy %a : tensor<4x8xf32>
  %v = tensor.collapse_shape %b [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %c = prec_sched.copy %v : tensor<32xf32>
  %d = prec_sched.dispatch <row> "sum"(%c) : (tensor<32xf32>) -> tensor<f32> {
  ^bb0(%0: tensor<32xf32>):
    %1 = prec_train.reduce sum %0 dims [0] : (tensor<32xf32>) -> tensor<f32>
    prec_sched.yield %1 : tensor<f32>
  }
  return %d : tensor<f32>
}

// -----

// A value that is read again through a view keeps its bytes until then.
// CHECK-LABEL: func @view
// CHECK: prec_sched.copy {{.*}} placements = [#prec_sched.placement<workspace, 0>]
// CHECK: prec_sched.copy {{.*}} placements = [#prec_sched.placement<workspace, 256>]
// CHECK: prec_sched.copy {{.*}} placements = [#prec_sched.placement<workspace, 512>]
// CHECK: "end"({{.*}} placements = [#prec_sched.placement<output, 0>]
func.func @view(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %a = prec_sched.copy %x : tensor<4x8xf32>
  %v = tensor.collapse_shape %a [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %b = prec_sched.copy %a : tensor<4x8xf32>
  %c = prec_sched.copy %b : tensor<4x8xf32>
  %w = tensor.collapse_shape %c [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %d = prec_sched.dispatch <elementwise> "end"(%v, %w) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%0: tensor<32xf32>, %1: tensor<32xf32>):
    %2 = arith.addf %0, %1 : tensor<32xf32>
    prec_sched.yield %2 : tensor<32xf32>
  }
  return %d : tensor<32xf32>
}

// -----

// Arguments are in the order of the signature, batches and hyper parameters in
// `input`. The update overwrites parameter and moment in place; the second
// result is where the parameter's work weight is, which nobody reads any more.
// CHECK-LABEL: func @step
// CHECK: prec_sched.gemm %{{.*}} {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]}
// CHECK: prec_sched.dispatch <elementwise> "update"
// CHECK-SAME: id = 1 : i64, inplace = array<i64: 0, -1>
// CHECK-SAME: placements = [#prec_sched.placement<state, 0>, #prec_sched.placement<state, 1024>]
func.func @step(%p: tensor<16x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %lr: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"},
                %x: tensor<16x16xbf16> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<16x16xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "bf16"})
    -> (tensor<16x16xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64},
        tensor<16x16xbf16> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "bf16", prec_train.donated_to = 3 : i64}) attributes {prec.entry = "step"} {
  %g = prec_sched.gemm %x, %w <full> : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xf32>
  %q, %v = prec_sched.dispatch <elementwise> "update"(%p, %g, %lr) {inplace = array<i64: 0, -1>} : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<f32>) -> (tensor<16x16xf32>, tensor<16x16xbf16>) {
  ^bb0(%0: tensor<16x16xf32>, %1: tensor<16x16xf32>, %2: tensor<f32>):
    %3 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<16x16xf32>
    %4 = arith.mulf %1, %3 : tensor<16x16xf32>
    %5 = arith.subf %0, %4 : tensor<16x16xf32>
    %6 = arith.truncf %5 : tensor<16x16xf32> to tensor<16x16xbf16>
    prec_sched.yield %5, %6 : tensor<16x16xf32>, tensor<16x16xbf16>
  }
  return %q, %v : tensor<16x16xf32>, tensor<16x16xbf16>
}

// The master is the same bytes as in @step, and so is the work weight.
// CHECK-LABEL: func @init
// CHECK: "cast"(%{{.*}}) {id = 2 : i64, inplace = array<i64: -1>, placements = [#prec_sched.placement<state, 1024>]
func.func @init(%p: tensor<16x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"})
    -> (tensor<16x16xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "bf16"}) attributes {prec.entry = "init"} {
  %v = prec_sched.dispatch <elementwise> "cast"(%p) : (tensor<16x16xf32>) -> tensor<16x16xbf16> {
  ^bb0(%0: tensor<16x16xf32>):
    %1 = arith.truncf %0 : tensor<16x16xf32> to tensor<16x16xbf16>
    prec_sched.yield %1 : tensor<16x16xbf16>
  }
  return %v : tensor<16x16xbf16>
}

// -----

// The old value is read after the new one is computed, so the new one is copied
// as soon as the last reader is done, and its bytes serve again. Not permitted
// in place, the first update has its own bytes.
// CHECK-LABEL: func @late_reader
// CHECK: "new"{{.*}} inplace = array<i64: -1>, placements = [#prec_sched.placement<workspace, 0>]
// CHECK: "old"{{.*}} placements = [#prec_sched.placement<workspace, 256>]
// CHECK-NEXT: ^bb0
// CHECK: prec_sched.copy %{{.*}} placements = [#prec_sched.placement<state, 0>]
// CHECK: "after"{{.*}} placements = [#prec_sched.placement<output, 0>]
func.func @late_reader(%p: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "p"})
    -> (tensor<8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "p", prec_train.donated_to = 0 : i64},
        tensor<8xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "m"}) {
  %n = prec_sched.dispatch <elementwise> "new"(%p) {inplace = array<i64: 0>} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%0: tensor<8xf32>):
    %1 = math.exp %0 : tensor<8xf32>
    prec_sched.yield %1 : tensor<8xf32>
  }
  %o = prec_sched.dispatch <elementwise> "old"(%p) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%0: tensor<8xf32>):
    %1 = math.exp %0 : tensor<8xf32>
    prec_sched.yield %1 : tensor<8xf32>
  }
  %m = prec_sched.dispatch <elementwise> "after"(%o) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%0: tensor<8xf32>):
    %1 = math.exp %0 : tensor<8xf32>
    prec_sched.yield %1 : tensor<8xf32>
  }
  return %n, %m : tensor<8xf32>, tensor<8xf32>
}

// -----

// Two arguments exchange their values: both are saved first.
// CHECK-LABEL: func @exchange
// CHECK-SAME: (%[[A:[^:]*]]: {{.*}}, %[[B:[^:]*]]:
// CHECK: %[[SB:.*]] = prec_sched.copy %[[B]] {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]}
// CHECK: %[[SA:.*]] = prec_sched.copy %[[A]] {id = 1 : i64, placements = [#prec_sched.placement<workspace, 256>]}
// CHECK: prec_sched.copy %[[SB]] {id = 2 : i64, placements = [#prec_sched.placement<state, 0>]}
// CHECK: prec_sched.copy %[[SA]] {id = 3 : i64, placements = [#prec_sched.placement<state, 256>]}
func.func @exchange(%a: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"},
                    %b: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "b"})
    -> (tensor<8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "a", prec_train.donated_to = 0 : i64},
        tensor<8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "b", prec_train.donated_to = 1 : i64}) {
  return %b, %a : tensor<8xf32>, tensor<8xf32>
}

// -----

// One value for two results, one of them a view of an argument in its place.
// CHECK-LABEL: func @twice
// CHECK: "a"{{.*}} placements = [#prec_sched.placement<output, 0>]
// CHECK: prec_sched.copy %{{.*}} placements = [#prec_sched.placement<output, 256>]
func.func @twice(%x: tensor<8xf32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "x"})
    -> (tensor<8xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "a"},
        tensor<8xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "b"},
        tensor<8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "x", prec_train.donated_to = 0 : i64}) {
  %a = prec_sched.dispatch <elementwise> "a"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%0: tensor<8xf32>):
    %1 = math.exp %0 : tensor<8xf32>
    prec_sched.yield %1 : tensor<8xf32>
  }
  return %a, %a, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// One element, 16 bytes from the start, is read where it is; a slice that is
// returned is copied.
// CHECK-LABEL: func @slices
// CHECK: %[[V:.*]] = prec_sched.copy %{{.*}} {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<8xf32>
// CHECK: %[[E:.*]] = tensor.extract_slice %[[V]][4] [1] [1]
// CHECK: prec_sched.gemm {{.*}} scale(%{{.*}}, %{{.*}}) {{.*}}id = 1
// CHECK: prec_sched.copy %[[E]] {id = 2 : i64, placements = [#prec_sched.placement<output, {{.*}}>]} : tensor<1xf32>
func.func @slices(%s: tensor<8xf32>, %a: tensor<16x32xf8E4M3FN>) -> (tensor<16x16xbf16>, tensor<1xf32>) {
  %v = prec_sched.copy %s : tensor<8xf32>
  %e = tensor.extract_slice %v[4] [1] [1] : tensor<8xf32> to tensor<1xf32>
  %f = tensor.collapse_shape %e [] : tensor<1xf32> into tensor<f32>
  %y = prec_sched.gemm %a, %a scale(%f, %f) <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<16x16xbf16>
  return %y, %e : tensor<16x16xbf16>, tensor<1xf32>
}

// -----

// Pieces that are joined lie one behind the other, from the first to the last
// that reads the join.
// CHECK-LABEL: func @join
// CHECK: prec_sched.gemm {{.*}} placements = [#prec_sched.placement<workspace, 0>]
// CHECK: prec_sched.copy {{.*}} placements = [#prec_sched.placement<workspace, 2048>]
// CHECK: prec_sched.gemm {{.*}} placements = [#prec_sched.placement<workspace, 1024>]
// CHECK: "end"(%{{.*}}) {{.*}} placements = [#prec_sched.placement<output, 0>]
func.func @join(%x: tensor<16x16xf32>) -> tensor<32x16xf32> {
  %a = prec_sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = prec_sched.copy %x : tensor<16x16xf32>
  %b = prec_sched.gemm %c, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %j = tensor.concat dim(0) %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %d = prec_sched.dispatch <elementwise> "end"(%j) : (tensor<32x16xf32>) -> tensor<32x16xf32> {
  ^bb0(%0: tensor<32x16xf32>):
    %1 = arith.addf %0, %0 : tensor<32x16xf32>
    prec_sched.yield %1 : tensor<32x16xf32>
  }
  return %d : tensor<32x16xf32>
}

// -----

// The pieces of a join that is returned are computed there.
// CHECK-LABEL: func @joined
// CHECK: prec_sched.gemm {{.*}} placements = [#prec_sched.placement<output, 0>]
// CHECK: prec_sched.gemm {{.*}} placements = [#prec_sched.placement<output, 1024>]
// CHECK: tensor.concat
// CHECK-NOT: prec_sched.copy
func.func @joined(%x: tensor<16x16xf32>) -> tensor<32x16xf32> {
  %a = prec_sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = prec_sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %j = tensor.concat dim(0) %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  return %j : tensor<32x16xf32>
}

// -----

// Pieces wait until nobody reads what is there any more.
// CHECK-LABEL: func @donated
// CHECK: prec_sched.gemm {{.*}} placements = [#prec_sched.placement<workspace, 0>]
// CHECK: prec_sched.dispatch {{.*}} placements = [#prec_sched.placement<output, 0>]
// CHECK: prec_sched.gemm {{.*}} placements = [#prec_sched.placement<workspace, 1024>]
// CHECK: tensor.concat
// CHECK: prec_sched.copy {{.*}} placements = [#prec_sched.placement<state, 0>]
func.func @donated(%w: tensor<32x16xf32> {prec_train.role = #prec_train.role<parameter>}, %x: tensor<16x16xf32>)
    -> (tensor<32x16xf32> {prec_train.donated_to = 0 : i64}, tensor<32x16xf32>) {
  %a = prec_sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d = prec_sched.dispatch <elementwise> "read"(%w) : (tensor<32x16xf32>) -> tensor<32x16xf32> {
  ^bb0(%0: tensor<32x16xf32>):
    %1 = arith.addf %0, %0 : tensor<32x16xf32>
    prec_sched.yield %1 : tensor<32x16xf32>
  }
  %b = prec_sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %j = tensor.concat dim(0) %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  return %j, %d : tensor<32x16xf32>, tensor<32x16xf32>
}
