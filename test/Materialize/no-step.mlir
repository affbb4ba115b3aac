// RUN: not prec-opt %s --merge-contractions 2>&1 | FileCheck %s
// RUN: not prec-opt %s --narrow-masters 2>&1 | FileCheck %s
// RUN: not prec-opt %s --split-weights 2>&1 | FileCheck %s
// RUN: not prec-opt %s --insert-loss-scaling 2>&1 | FileCheck %s
// RUN: not prec-opt %s --carry-amax 2>&1 | FileCheck %s
// RUN: not prec-opt %s --switch-precision 2>&1 | FileCheck %s
// RUN: not prec-opt %s --check-indices 2>&1 | FileCheck %s
// RUN: not prec-opt %s --guard-updates 2>&1 | FileCheck %s
// RUN: not prec-opt %s --count-lost-updates 2>&1 | FileCheck %s
// RUN: not prec-opt %s --collect-numerics 2>&1 | FileCheck %s
// RUN: not prec-opt %s --split-accumulation 2>&1 | FileCheck %s
// RUN: not prec-opt %s --verify-imported 2>&1 | FileCheck %s
// RUN: not prec-compile %s --recipe=fp32 --target=cpu -o %t.so 2>&1 | FileCheck %s

// What rewrites a step says so where there is none; a name makes none.
// CHECK: no-step.mlir:[[#@LINE+1]]:1: error: the step must be a function with 'prec.entry' = "step", but got @step, @forward ("forward"), @external without it
module attributes {prec.loss_scaling = #prec.loss_scaling<dynamic, scale = 65536, interval = 2000, growth = 2.0, backoff = 0.5>} {
  func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "forward"} {
    return %x : tensor<4xf32>
  }
  func.func private @external(tensor<4xf32>) -> tensor<4xf32>
}
