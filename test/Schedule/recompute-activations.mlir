// RUN: prec-opt %s --pass-pipeline="builtin.module(func.func(prec-recompute-activations))" | FileCheck %s --check-prefix=NONE
// RUN: prec-opt %s --pass-pipeline="builtin.module(func.func(prec-recompute-activations{count=1}))" | FileCheck %s
// RUN: prec-opt %s --pass-pipeline="builtin.module(func.func(prec-recompute-activations{count=9}))" | FileCheck %s --check-prefix=ALL

// The exponential is cheap; the product is not. What the exponential is
// computed from is kept, until it is recomputed, too: then from the argument,
// which is always there. The sum of rows is small.

// NONE-LABEL: func.func @step(
// NONE-NOT: recompute

// CHECK-LABEL: func.func @step(
// CHECK: %[[Y:.*]] = prec_train.matmul %arg0, %arg1
// CHECK: %[[H:.*]] = math.exp %[[Y]]
// CHECK: %[[S:.*]] = prec_train.reduce sum %[[H]]
// CHECK: %[[DY:.*]] = prec_train.broadcast %[[S]] {{.*}}backward
// CHECK: %[[R:.*]] = math.exp %[[Y]] {prec_train.phase = #prec_train.phase<recompute>}
// CHECK: arith.mulf %[[DY]], %[[R]]
// CHECK: arith.mulf %{{.*}}, %[[Y]]

// ALL-LABEL: func.func @step(
// ALL: %[[Y:.*]] = prec_train.matmul %arg0, %arg1
// ALL: %[[S:.*]] = prec_train.reduce sum
// ALL: %[[DY:.*]] = prec_train.broadcast %[[S]] {{.*}}backward
// ALL: %[[RY:.*]] = prec_train.matmul %arg0, %arg1 {{.*}}recompute
// ALL: %[[R:.*]] = math.exp %[[RY]] {{.*}}recompute
// ALL: arith.mulf %[[DY]], %[[R]]
// ALL-NOT: recompute
// ALL: arith.mulf %{{.*}}, %[[RY]]
func.func @step(%x: tensor<256x512xf32>, %w: tensor<512x512xf32>) -> (tensor<256xf32>, tensor<256x512xf32>) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
  %h = math.exp %y : tensor<256x512xf32>
  %s = prec_train.reduce sum %h dims [1] : (tensor<256x512xf32>) -> tensor<256xf32>
  %d = prec_train.broadcast %s dims [0] {prec_train.phase = #prec_train.phase<backward>} : (tensor<256xf32>) -> tensor<256x512xf32>
  %a = arith.mulf %d, %h {prec_train.phase = #prec_train.phase<backward>} : tensor<256x512xf32>
  %b = arith.mulf %a, %y {prec_train.phase = #prec_train.phase<backward>} : tensor<256x512xf32>
  return %s, %b : tensor<256xf32>, tensor<256x512xf32>
}

// Views are looked through: what is recomputed is what they show.
// CHECK-LABEL: func.func @views(
// CHECK: prec_train.phase<backward>
// CHECK: %[[R:.*]] = math.exp %arg0 {prec_train.phase = #prec_train.phase<recompute>}
// CHECK: %[[V:.*]] = tensor.collapse_shape %[[R]]
// CHECK: arith.mulf %{{.*}}, %[[V]]
func.func @views(%x: tensor<256x512xf32>) -> tensor<131072xf32> {
  %h = math.exp %x : tensor<256x512xf32>
  %v = tensor.collapse_shape %h [[0, 1]] : tensor<256x512xf32> into tensor<131072xf32>
  %n = arith.negf %v : tensor<131072xf32>
  %t = tensor.collapse_shape %x [[0, 1]] {prec_train.phase = #prec_train.phase<backward>} : tensor<256x512xf32> into tensor<131072xf32>
  %b = arith.negf %t {prec_train.phase = #prec_train.phase<backward>} : tensor<131072xf32>
  %a = arith.mulf %b, %v {prec_train.phase = #prec_train.phase<backward>} : tensor<131072xf32>
  return %a : tensor<131072xf32>
}

// Logits are read by the backward right after the forward: computing them twice
// would save nothing.

// ALL-LABEL: func.func @logits(
// ALL-NOT: recompute
// ALL: return
func.func @logits(%x: tensor<256x512xf32>, %w: tensor<512x512xf32>) -> (tensor<256xf32>, tensor<256x512xf32>) {
  %y = prec_train.matmul %x, %w : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
  %s = prec_train.reduce sum %y dims [1] : (tensor<256x512xf32>) -> tensor<256xf32>
  %b = math.exp %y {prec_train.phase = #prec_train.phase<backward>} : tensor<256x512xf32>
  return %s, %b : tensor<256xf32>, tensor<256x512xf32>
}
