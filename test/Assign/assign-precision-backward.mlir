// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" --verify-precision | FileCheck %s

// A backward in a function of its own: gradients come in, and what depends on none of them is the forward that it computes again.

// CHECK-LABEL: @backward
// CHECK-SAME: %{{.*}}: tensor<64x48xf32> {prec.tag = #prec.tag<f32, rule = "input: stays as the caller gives it">, prec_train.gradient, prec_train.path = "dy"}
func.func @backward(%dy: tensor<64x48xf32> {prec_train.gradient, prec_train.path = "dy"},
    %x: tensor<64x32xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "saved.x"},
    %w: tensor<32x48xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %v: tensor<32x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "v"})
    -> (tensor<64x32xf32> {prec_train.gradient}, tensor<32x48xf32>, tensor<32x32xf32>) {
  // CHECK: prec_train.matmul {{.*}}"fp8-hybrid fprop: activation{{.*}}"fp8-hybrid fprop: weight
  %h = prec_train.matmul %x, %v : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %a = math.tanh %h : tensor<64x32xf32>
  // CHECK: prec_train.matmul {{.*}}#prec.tag<e5m2, {{.*}}"fp8-hybrid dgrad: gradient{{.*}}#prec.tag<e4m3, {{.*}}"fp8-hybrid dgrad: weight
  %da = prec_train.matmul %dy, %w {transpose_b} : (tensor<64x48xf32>, tensor<32x48xf32>) -> tensor<64x32xf32>
  // CHECK: prec_train.matmul {{.*}}#prec.tag<e4m3, {{.*}}"fp8-hybrid wgrad: activation{{.*}}#prec.tag<e5m2, {{.*}}"fp8-hybrid wgrad: gradient
  // CHECK-SAME: rule = "weight gradient: 
  %dw = prec_train.matmul %a, %dy {transpose_a} : (tensor<64x32xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
  %one = arith.constant dense<1.0> : tensor<64x32xf32>
  %s = arith.mulf %a, %a : tensor<64x32xf32>
  %d = arith.subf %one, %s : tensor<64x32xf32>
  %dh = arith.mulf %da, %d : tensor<64x32xf32>
  // CHECK: prec_train.matmul {{.*}}"fp8-hybrid wgrad: activation{{.*}}"fp8-hybrid wgrad: gradient
  // CHECK-SAME: rule = "weight gradient: 
  %dv = prec_train.matmul %x, %dh {transpose_a} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
  // The gradient of an input is none of a weight.
  // CHECK: prec_train.matmul {{.*}}"fp8-hybrid dgrad: gradient{{.*}}"fp8-hybrid dgrad: weight
  // CHECK-SAME: rule = "contraction
  %dx = prec_train.matmul %dh, %v {transpose_b} : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  return %dx, %dw, %dv : tensor<64x32xf32>, tensor<32x48xf32>, tensor<32x32xf32>
}
