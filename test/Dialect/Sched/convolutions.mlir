// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --prec-form-dispatches | FileCheck %s --check-prefix=CALL

// CALL-LABEL: func.func @conv
// CALL: prec_sched.conv <fprop> %arg0, %arg1
func.func @conv(%a: tensor<2x8x8x4xbf16>, %b: tensor<6x3x3x4xbf16>) -> tensor<2x8x8x6xbf16> attributes {prec.entry = "step"} {
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32} : (tensor<2x8x8x4xbf16>, tensor<6x3x3x4xbf16>) -> tensor<2x8x8x6xbf16>
  return %0 : tensor<2x8x8x6xbf16>
}

// CHECK-LABEL: func.func @call_conv
func.func @call_conv(%a: tensor<2x8x8x4xbf16>, %b: tensor<6x3x3x4xbf16>) -> tensor<2x8x8x6xbf16> {
  // CHECK: prec_sched.conv <fprop> %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i32
  %0 = prec_sched.conv <fprop> %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32} : (tensor<2x8x8x4xbf16>, tensor<6x3x3x4xbf16>) -> tensor<2x8x8x6xbf16>
  return %0 : tensor<2x8x8x6xbf16>
}

// CALL-LABEL: func.func @conv_grad_input
// CALL: prec_sched.conv <dgrad> %arg0, %arg1
func.func @conv_grad_input(%a: tensor<2x8x8x6xbf16>, %b: tensor<6x3x3x4xbf16>) -> tensor<2x8x8x4xbf16> attributes {prec.entry = "step"} {
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32} : (tensor<2x8x8x6xbf16>, tensor<6x3x3x4xbf16>) -> tensor<2x8x8x4xbf16>
  return %0 : tensor<2x8x8x4xbf16>
}

// CHECK-LABEL: func.func @call_conv_grad_input
func.func @call_conv_grad_input(%a: tensor<2x8x8x6xbf16>, %b: tensor<6x3x3x4xbf16>) -> tensor<2x8x8x4xbf16> {
  // CHECK: prec_sched.conv <dgrad> %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i32
  %0 = prec_sched.conv <dgrad> %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32} : (tensor<2x8x8x6xbf16>, tensor<6x3x3x4xbf16>) -> tensor<2x8x8x4xbf16>
  return %0 : tensor<2x8x8x4xbf16>
}

// CALL-LABEL: func.func @conv_grad_weight
// CALL: prec_sched.conv <wgrad> %arg0, %arg1
func.func @conv_grad_weight(%a: tensor<2x8x8x6xbf16>, %b: tensor<2x8x8x4xbf16>) -> tensor<6x3x3x4xbf16> attributes {prec.entry = "step"} {
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32} : (tensor<2x8x8x6xbf16>, tensor<2x8x8x4xbf16>) -> tensor<6x3x3x4xbf16>
  return %0 : tensor<6x3x3x4xbf16>
}

// CHECK-LABEL: func.func @call_conv_grad_weight
func.func @call_conv_grad_weight(%a: tensor<2x8x8x6xbf16>, %b: tensor<2x8x8x4xbf16>) -> tensor<6x3x3x4xbf16> {
  // CHECK: prec_sched.conv <wgrad> %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i32
  %0 = prec_sched.conv <wgrad> %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32} : (tensor<2x8x8x6xbf16>, tensor<2x8x8x4xbf16>) -> tensor<6x3x3x4xbf16>
  return %0 : tensor<6x3x3x4xbf16>
}
