// RUN: prec-opt %s --split-input-file --verify-diagnostics | prec-opt | FileCheck %s

// What code generation sets can be read back.
// CHECK: launch = #sched.launch<extent = 128>
// CHECK: launch = #sched.launch<grid = [64, 1, 1], block = [256, 2, 1], shared = 1024>
func.func @step(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = sched.dispatch <elementwise> "a" (%x) {kernel = @k, launch = #sched.launch<extent = 128>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    sched.yield %p : tensor<4xf32>
  }
  %b = sched.dispatch <elementwise> "b" (%a) {kernel = @k, launch = #sched.launch<grid = [64, 1, 1], block = [256, 2, 1], shared = 1024>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    sched.yield %p : tensor<4xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{a launch has extent, grid, block and shared, but got 'blocks'}}
  %a = sched.dispatch <elementwise> "a" (%x) {launch = #sched.launch<blocks = 3>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    sched.yield %p : tensor<4xf32>
  }
  return %a : tensor<4xf32>
}
