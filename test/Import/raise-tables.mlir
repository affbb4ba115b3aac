// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

#back = #prec_train.phase<backward>

// Each layer computes its angles: one table is left. What another phase computes
// stays, as does what depends on an argument.

// CHECK-LABEL: func.func @tables
// CHECK: prec_train.iota
// CHECK-NOT: prec_train.iota
// CHECK: %[[A:.*]] = arith.mulf
// CHECK: %[[C:.*]] = math.cos %[[A]] : tensor<4xf32>
// CHECK: %[[R0:.*]] = arith.mulf %arg0, %[[C]]
// CHECK: %[[R1:.*]] = arith.mulf %arg1, %[[C]]
// CHECK: %[[B:.*]] = math.cos %[[A]] {prec_train.phase = #prec_train.phase<backward>}
// CHECK: %[[R2:.*]] = arith.mulf %arg0, %[[B]]
// CHECK: %[[E0:.*]] = math.exp %arg0
// CHECK: %[[E1:.*]] = math.exp %arg0
// CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[E0]], %[[E1]]
func.func @tables(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %i0 = prec_train.iota dim 0 : tensor<4xi32>
  %p0 = arith.sitofp %i0 : tensor<4xi32> to tensor<4xf32>
  %a0 = arith.mulf %p0, %two : tensor<4xf32>
  %c0 = math.cos %a0 : tensor<4xf32> loc("layers.0")
  %0 = arith.mulf %x, %c0 : tensor<4xf32>
  %again = arith.constant dense<2.0> : tensor<4xf32>
  %i1 = prec_train.iota dim 0 : tensor<4xi32>
  %p1 = arith.sitofp %i1 : tensor<4xi32> to tensor<4xf32>
  %a1 = arith.mulf %p1, %again : tensor<4xf32>
  %c1 = math.cos %a1 : tensor<4xf32> loc("layers.1")
  %1 = arith.mulf %y, %c1 : tensor<4xf32>
  %c2 = math.cos %a1 {prec_train.phase = #back} : tensor<4xf32>
  %2 = arith.mulf %x, %c2 : tensor<4xf32>
  %e0 = math.exp %x : tensor<4xf32>
  %e1 = math.exp %x : tensor<4xf32>
  return %0, %1, %2, %e0, %e1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
