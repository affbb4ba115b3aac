// RUN: not prec-opt %s --prec-merge-contractions 2>&1 | FileCheck %s
// RUN: not prec-opt %s --prec-narrow-masters 2>&1 | FileCheck %s
// RUN: not prec-opt %s --prec-split-weights 2>&1 | FileCheck %s
// RUN: not prec-opt %s --prec-insert-loss-scaling 2>&1 | FileCheck %s
// RUN: not prec-opt %s --prec-carry-amax 2>&1 | FileCheck %s
// RUN: not prec-opt %s --switch-precision 2>&1 | FileCheck %s
// RUN: not prec-opt %s --prec-check-indices 2>&1 | FileCheck %s
// RUN: not prec-opt %s --prec-guard-updates 2>&1 | FileCheck %s
// RUN: not prec-opt %s --prec-count-lost-updates 2>&1 | FileCheck %s
// RUN: not prec-opt %s --prec-collect-numerics 2>&1 | FileCheck %s
// RUN: not prec-opt %s --prec-split-accumulation 2>&1 | FileCheck %s
// RUN: not prec-opt %s --prec-verify-imported 2>&1 | FileCheck %s
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
