// RUN: prec-opt %s --cse --canonicalize | FileCheck %s
// RUN: prec-opt %s --canonicalize --cse --remove-dead-values | FileCheck %s

// Equal operations that write one place stay apart where another writes it in
// between.
// CHECK-LABEL: func.func @two_fills
// CHECK-COUNT-2: prec_sched.fill
func.func @two_fills(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = prec_sched.fill {placements = [#prec_sched.placement<workspace, 0>]} : tensor<4xf32>
  %kept = prec_sched.copy %zero {placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  %other = prec_sched.copy %x {placements = [#prec_sched.placement<workspace, 0>]} : tensor<4xf32>
  %again = prec_sched.fill {placements = [#prec_sched.placement<workspace, 0>]} : tensor<4xf32>
  %last = prec_sched.copy %again {placements = [#prec_sched.placement<output, 256>]} : tensor<4xf32>
  return %kept, %last : tensor<4xf32>, tensor<4xf32>
}

// A result that nobody reads is written over an operand that others read.
// CHECK-LABEL: func.func @unused_in_place
// CHECK: prec_sched.dispatch
// CHECK: prec_sched.copy
func.func @unused_in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = prec_sched.copy %x {placements = [#prec_sched.placement<workspace, 0>]} : tensor<4xf32>
  %z = prec_sched.dispatch <elementwise> "negf"(%y) {inplace = array<i64: 0>, placements = [#prec_sched.placement<workspace, 0>]} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %n = arith.negf %a : tensor<4xf32>
    prec_sched.yield %n : tensor<4xf32>
  }
  %r = prec_sched.copy %y {placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Without placements they are values.
// CHECK-LABEL: func.func @values
// CHECK-COUNT-1: prec_sched.fill
// CHECK-NOT: prec_sched
func.func @values() -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = prec_sched.fill : tensor<4xf32>
  %again = prec_sched.fill : tensor<4xf32>
  %dead = prec_sched.copy %again : tensor<4xf32>
  return %zero, %again : tensor<4xf32>, tensor<4xf32>
}

// Exchanges may write until they are awaited, so an await is not dead, and stays between what writes and reads their places.
// CHECK-LABEL: func.func @awaited
// CHECK: prec_sched.exchange
// CHECK: prec_sched.await
// CHECK: prec_sched.copy
// CHECK-NEXT: return
func.func @awaited(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %g = prec_sched.exchange all_gather %x over "dp" {bucket = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : (tensor<4xf32>) -> tensor<2x4xf32>
  prec_sched.await 0(%x, %g) {placements = []} : tensor<4xf32>, tensor<2x4xf32>
  %r = prec_sched.copy %g {placements = [#prec_sched.placement<output, 0>]} : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// Also before memory is planned.
// CHECK-LABEL: func.func @awaited_value
// CHECK: prec_sched.await
func.func @awaited_value(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %g = prec_sched.exchange all_gather %x over "dp" {bucket = 0 : i64} : (tensor<4xf32>) -> tensor<2x4xf32>
  prec_sched.await 0(%x, %g) : tensor<4xf32>, tensor<2x4xf32>
  return %g : tensor<2x4xf32>
}
