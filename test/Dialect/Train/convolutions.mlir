// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s

// CHECK-LABEL: func.func @conv
func.func @conv(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32> {
  // CHECK: prec_train.conv %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i32, high = array<i64: 1, 1>, low = array<i64: 1, 1>, strides = array<i64: 1, 1>}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32} : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return %0 : tensor<2x8x8x6xf32>
}

// CHECK-LABEL: func.func @conv_grad_input
func.func @conv_grad_input(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32> {
  // CHECK: prec_train.conv_grad_input %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i32, high = array<i64: 1, 1>, low = array<i64: 1, 1>, strides = array<i64: 1, 1>}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32} : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return %0 : tensor<2x8x8x4xf32>
}

// CHECK-LABEL: func.func @conv_grad_weight
func.func @conv_grad_weight(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32> {
  // CHECK: prec_train.conv_grad_weight %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i32, high = array<i64: 1, 1>, low = array<i64: 1, 1>, strides = array<i64: 1, 1>}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32} : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return %0 : tensor<6x3x3x4xf32>
}
