// RUN: prec-opt %s --plan-memory --verify-schedule --split-input-file | FileCheck %s

// A chain needs two places, and the third value takes that of the first. The
// loss goes to `output`; ids count in program order.
// CHECK-LABEL: func @chain
// CHECK: sched.copy %{{.*}} {id = 0 : i64, placements = [#sched.placement<workspace, 0>]}
// CHECK: sched.copy %{{.*}} {id = 1 : i64, placements = [#sched.placement<workspace, 256>]}
// CHECK: sched.copy %{{.*}} {id = 2 : i64, placements = [#sched.placement<workspace, 0>]}
// CHECK: sched.dispatch <row> "sum"(%{{.*}}) {id = 3 : i64, inplace = array<i64: -1>, placements = [#sched.placement<output, 0>]}
func.func @chain(%x: tensor<4x8xf32>) -> (tensor<f32> {train.role = #train.role<loss>, train.path = "loss"}) {
  %a = sched.copy %x : tensor<4x8xf32>
  %b = sched.copy %a : tensor<4x8xf32>
  %v = tensor.collapse_shape %b [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %c = sched.copy %v : tensor<32xf32>
  %d = sched.dispatch <row> "sum"(%c) : (tensor<32xf32>) -> tensor<f32> {
  ^bb0(%0: tensor<32xf32>):
    %1 = train.reduce sum %0 dims [0] : (tensor<32xf32>) -> tensor<f32>
    sched.yield %1 : tensor<f32>
  }
  return %d : tensor<f32>
}

// -----

// A value that is read again through a view keeps its bytes until then.
// CHECK-LABEL: func @view
// CHECK: sched.copy {{.*}} placements = [#sched.placement<workspace, 0>]
// CHECK: sched.copy {{.*}} placements = [#sched.placement<workspace, 256>]
// CHECK: sched.copy {{.*}} placements = [#sched.placement<workspace, 512>]
// CHECK: "end"({{.*}} placements = [#sched.placement<output, 0>]
func.func @view(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %a = sched.copy %x : tensor<4x8xf32>
  %v = tensor.collapse_shape %a [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %b = sched.copy %a : tensor<4x8xf32>
  %c = sched.copy %b : tensor<4x8xf32>
  %w = tensor.collapse_shape %c [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %d = sched.dispatch <elementwise> "end"(%v, %w) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%0: tensor<32xf32>, %1: tensor<32xf32>):
    %2 = arith.addf %0, %1 : tensor<32xf32>
    sched.yield %2 : tensor<32xf32>
  }
  return %d : tensor<32xf32>
}

// -----

// Arguments are in the order of the signature, batches and hyper parameters in
// `input`. The update overwrites parameter and moment in place; the second
// result is where the parameter's work copy is, which nobody reads any more.
// CHECK-LABEL: func @step
// CHECK: sched.gemm %{{.*}} {id = 0 : i64, placements = [#sched.placement<workspace, 0>]}
// CHECK: sched.dispatch <elementwise> "update"
// CHECK-SAME: id = 1 : i64, inplace = array<i64: 0, -1>
// CHECK-SAME: placements = [#sched.placement<state, 0>, #sched.placement<state, 1024>]
func.func @step(%p: tensor<16x16xf32> {train.role = #train.role<parameter>, train.path = "w"},
                %lr: tensor<f32> {train.role = #train.role<hyper>, train.path = "lr"},
                %x: tensor<16x16xbf16> {train.role = #train.role<batch>, train.path = "x"},
                %w: tensor<16x16xbf16> {train.role = #train.role<work_weight>, train.path = "w", train.param_of = "w", train.slot = "bf16"})
    -> (tensor<16x16xf32> {train.role = #train.role<updated>, train.path = "w", train.donated_to = 0 : i64},
        tensor<16x16xbf16> {train.role = #train.role<updated>, train.path = "w", train.param_of = "w", train.slot = "bf16", train.donated_to = 3 : i64}) attributes {prec.entry = "step"} {
  %g = sched.gemm %x, %w <full> : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xf32>
  %q, %v = sched.dispatch <elementwise> "update"(%p, %g, %lr) {inplace = array<i64: 0, -1>} : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<f32>) -> (tensor<16x16xf32>, tensor<16x16xbf16>) {
  ^bb0(%0: tensor<16x16xf32>, %1: tensor<16x16xf32>, %2: tensor<f32>):
    %3 = train.broadcast %2 dims [] : (tensor<f32>) -> tensor<16x16xf32>
    %4 = arith.mulf %1, %3 : tensor<16x16xf32>
    %5 = arith.subf %0, %4 : tensor<16x16xf32>
    %6 = arith.truncf %5 : tensor<16x16xf32> to tensor<16x16xbf16>
    sched.yield %5, %6 : tensor<16x16xf32>, tensor<16x16xbf16>
  }
  return %q, %v : tensor<16x16xf32>, tensor<16x16xbf16>
}

// The master is the same bytes as in @step, and so is the work copy.
// CHECK-LABEL: func @init
// CHECK: "cast"(%{{.*}}) {id = 2 : i64, inplace = array<i64: -1>, placements = [#sched.placement<state, 1024>]
func.func @init(%p: tensor<16x16xf32> {train.role = #train.role<parameter>, train.path = "w"})
    -> (tensor<16x16xbf16> {train.role = #train.role<work_weight>, train.path = "w", train.param_of = "w", train.slot = "bf16"}) attributes {prec.entry = "init"} {
  %v = sched.dispatch <elementwise> "cast"(%p) : (tensor<16x16xf32>) -> tensor<16x16xbf16> {
  ^bb0(%0: tensor<16x16xf32>):
    %1 = arith.truncf %0 : tensor<16x16xf32> to tensor<16x16xbf16>
    sched.yield %1 : tensor<16x16xbf16>
  }
  return %v : tensor<16x16xbf16>
}

// -----

// The old value is read after the new one is computed, so the new one is copied
// as soon as the last reader is done, and its bytes serve again. Not permitted
// in place, the first update has its own bytes.
// CHECK-LABEL: func @late_reader
// CHECK: "new"{{.*}} inplace = array<i64: -1>, placements = [#sched.placement<workspace, 0>]
// CHECK: "old"{{.*}} placements = [#sched.placement<workspace, 256>]
// CHECK-NEXT: ^bb0
// CHECK: sched.copy %{{.*}} placements = [#sched.placement<state, 0>]
// CHECK: "after"{{.*}} placements = [#sched.placement<output, 0>]
func.func @late_reader(%p: tensor<8xf32> {train.role = #train.role<parameter>, train.path = "p"})
    -> (tensor<8xf32> {train.role = #train.role<updated>, train.path = "p", train.donated_to = 0 : i64},
        tensor<8xf32> {train.role = #train.role<metric>, train.path = "m"}) {
  %n = sched.dispatch <elementwise> "new"(%p) {inplace = array<i64: 0>} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%0: tensor<8xf32>):
    %1 = math.exp %0 : tensor<8xf32>
    sched.yield %1 : tensor<8xf32>
  }
  %o = sched.dispatch <elementwise> "old"(%p) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%0: tensor<8xf32>):
    %1 = math.exp %0 : tensor<8xf32>
    sched.yield %1 : tensor<8xf32>
  }
  %m = sched.dispatch <elementwise> "after"(%o) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%0: tensor<8xf32>):
    %1 = math.exp %0 : tensor<8xf32>
    sched.yield %1 : tensor<8xf32>
  }
  return %n, %m : tensor<8xf32>, tensor<8xf32>
}

// -----

// Two arguments exchange their values: both are saved first.
// CHECK-LABEL: func @exchange
// CHECK-SAME: (%[[A:[^:]*]]: {{.*}}, %[[B:[^:]*]]:
// CHECK: %[[SB:.*]] = sched.copy %[[B]] {id = 0 : i64, placements = [#sched.placement<workspace, 0>]}
// CHECK: %[[SA:.*]] = sched.copy %[[A]] {id = 1 : i64, placements = [#sched.placement<workspace, 256>]}
// CHECK: sched.copy %[[SB]] {id = 2 : i64, placements = [#sched.placement<state, 0>]}
// CHECK: sched.copy %[[SA]] {id = 3 : i64, placements = [#sched.placement<state, 256>]}
func.func @exchange(%a: tensor<8xf32> {train.role = #train.role<parameter>, train.path = "a"},
                    %b: tensor<8xf32> {train.role = #train.role<parameter>, train.path = "b"})
    -> (tensor<8xf32> {train.role = #train.role<updated>, train.path = "a", train.donated_to = 0 : i64},
        tensor<8xf32> {train.role = #train.role<updated>, train.path = "b", train.donated_to = 1 : i64}) {
  return %b, %a : tensor<8xf32>, tensor<8xf32>
}

// -----

// One value for two results, one of them a view of an argument in its place.
// CHECK-LABEL: func @twice
// CHECK: "a"{{.*}} placements = [#sched.placement<output, 0>]
// CHECK: sched.copy %{{.*}} placements = [#sched.placement<output, 256>]
func.func @twice(%x: tensor<8xf32> {train.role = #train.role<buffer>, train.path = "x"})
    -> (tensor<8xf32> {train.role = #train.role<metric>, train.path = "a"},
        tensor<8xf32> {train.role = #train.role<metric>, train.path = "b"},
        tensor<8xf32> {train.role = #train.role<updated>, train.path = "x", train.donated_to = 0 : i64}) {
  %a = sched.dispatch <elementwise> "a"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%0: tensor<8xf32>):
    %1 = math.exp %0 : tensor<8xf32>
    sched.yield %1 : tensor<8xf32>
  }
  return %a, %a, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// One element, 16 bytes from the start, is read where it is; a slice that is
// returned is copied.
// CHECK-LABEL: func @slices
// CHECK: %[[V:.*]] = sched.copy %{{.*}} {id = 0 : i64, placements = [#sched.placement<workspace, 0>]} : tensor<8xf32>
// CHECK: %[[E:.*]] = tensor.extract_slice %[[V]][4] [1] [1]
// CHECK: sched.gemm {{.*}} scale(%{{.*}}, %{{.*}}) {{.*}}id = 1
// CHECK: sched.copy %[[E]] {id = 2 : i64, placements = [#sched.placement<output, {{.*}}>]} : tensor<1xf32>
func.func @slices(%s: tensor<8xf32>, %a: tensor<16x32xf8E4M3FN>) -> (tensor<16x16xbf16>, tensor<1xf32>) {
  %v = sched.copy %s : tensor<8xf32>
  %e = tensor.extract_slice %v[4] [1] [1] : tensor<8xf32> to tensor<1xf32>
  %f = tensor.collapse_shape %e [] : tensor<1xf32> into tensor<f32>
  %y = sched.gemm %a, %a scale(%f, %f) <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<16x16xbf16>
  return %y, %e : tensor<16x16xbf16>, tensor<1xf32>
}

// -----

// Pieces that are joined lie one behind the other, from the first to the last
// that reads the join.
// CHECK-LABEL: func @join
// CHECK: sched.gemm {{.*}} placements = [#sched.placement<workspace, 0>]
// CHECK: sched.copy {{.*}} placements = [#sched.placement<workspace, 2048>]
// CHECK: sched.gemm {{.*}} placements = [#sched.placement<workspace, 1024>]
// CHECK: "end"(%{{.*}}) {{.*}} placements = [#sched.placement<output, 0>]
func.func @join(%x: tensor<16x16xf32>) -> tensor<32x16xf32> {
  %a = sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = sched.copy %x : tensor<16x16xf32>
  %b = sched.gemm %c, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %j = tensor.concat dim(0) %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %d = sched.dispatch <elementwise> "end"(%j) : (tensor<32x16xf32>) -> tensor<32x16xf32> {
  ^bb0(%0: tensor<32x16xf32>):
    %1 = arith.addf %0, %0 : tensor<32x16xf32>
    sched.yield %1 : tensor<32x16xf32>
  }
  return %d : tensor<32x16xf32>
}

// -----

// The pieces of a join that is returned are computed there.
// CHECK-LABEL: func @joined
// CHECK: sched.gemm {{.*}} placements = [#sched.placement<output, 0>]
// CHECK: sched.gemm {{.*}} placements = [#sched.placement<output, 1024>]
// CHECK: tensor.concat
// CHECK-NOT: sched.copy
func.func @joined(%x: tensor<16x16xf32>) -> tensor<32x16xf32> {
  %a = sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %j = tensor.concat dim(0) %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  return %j : tensor<32x16xf32>
}

// -----

// Pieces wait until nobody reads what is there any more.
// CHECK-LABEL: func @donated
// CHECK: sched.gemm {{.*}} placements = [#sched.placement<workspace, 0>]
// CHECK: sched.dispatch {{.*}} placements = [#sched.placement<output, 0>]
// CHECK: sched.gemm {{.*}} placements = [#sched.placement<workspace, 1024>]
// CHECK: tensor.concat
// CHECK: sched.copy {{.*}} placements = [#sched.placement<state, 0>]
func.func @donated(%w: tensor<32x16xf32> {train.role = #train.role<parameter>}, %x: tensor<16x16xf32>)
    -> (tensor<32x16xf32> {train.donated_to = 0 : i64}, tensor<32x16xf32>) {
  %a = sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d = sched.dispatch <elementwise> "read"(%w) : (tensor<32x16xf32>) -> tensor<32x16xf32> {
  ^bb0(%0: tensor<32x16xf32>):
    %1 = arith.addf %0, %0 : tensor<32x16xf32>
    sched.yield %1 : tensor<32x16xf32>
  }
  %b = sched.gemm %x, %x <full> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %j = tensor.concat dim(0) %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  return %j, %d : tensor<32x16xf32>, tensor<32x16xf32>
}
