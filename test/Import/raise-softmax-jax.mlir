// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// Made by test/Import/jax_forms.py: jaxprs of forward and gradient.

// CHECK-LABEL: func.func @softmax(
// CHECK: %[[Y:.*]] = prec_train.softmax %arg1
// CHECK: %[[DX:.*]] = prec_train.softmax_grad %arg0, %[[Y]]
// CHECK: return %[[Y]], %[[DX]]
func.func @softmax(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %0 = prec_train.reduce max %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %1 = arith.constant dense<0xFF800000> : tensor<f32>
  %2 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %3 = arith.maximumf %2, %0 : tensor<2x3xf32>
  %4 = tensor.expand_shape %3 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %5 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %6 = prec_train.broadcast %5 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %7 = arith.subf %x, %6 : tensor<2x3x8xf32>
  %8 = math.exp %7 : tensor<2x3x8xf32>
  %9 = prec_train.reduce sum %8 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %10 = tensor.expand_shape %9 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %11 = tensor.collapse_shape %10 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %12 = prec_train.broadcast %11 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %13 = arith.divf %8, %12 : tensor<2x3x8xf32>
  %14 = arith.constant dense<-2.000000000e+00> : tensor<2x3x1xf32>
  %15 = math.powf %10, %14 : tensor<2x3x1xf32>
  %16 = tensor.collapse_shape %15 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %17 = prec_train.broadcast %16 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %18 = arith.mulf %dy, %17 : tensor<2x3x8xf32>
  %19 = arith.mulf %18, %8 : tensor<2x3x8xf32>
  %20 = prec_train.reduce sum %19 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %21 = tensor.expand_shape %20 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %22 = arith.negf %21 : tensor<2x3x1xf32>
  %23 = tensor.collapse_shape %10 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %24 = prec_train.broadcast %23 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %25 = arith.divf %dy, %24 : tensor<2x3x8xf32>
  %26 = prec_train.reduce sum %22 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %27 = prec_train.broadcast %26 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %28 = arith.addf %25, %27 : tensor<2x3x8xf32>
  %29 = arith.mulf %28, %8 : tensor<2x3x8xf32>
  return %13, %29 : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @softmax_by_hand(
// CHECK: %[[Y:.*]] = prec_train.softmax %arg1
// CHECK: %[[DX:.*]] = prec_train.softmax_grad %arg0, %[[Y]]
// CHECK: return %[[Y]], %[[DX]]
func.func @softmax_by_hand(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %0 = prec_train.reduce max %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %2 = tensor.collapse_shape %1 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %3 = prec_train.broadcast %2 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %4 = arith.subf %x, %3 : tensor<2x3x8xf32>
  %5 = math.exp %4 : tensor<2x3x8xf32>
  %6 = prec_train.reduce sum %5 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %7 = tensor.expand_shape %6 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %8 = tensor.collapse_shape %7 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %9 = prec_train.broadcast %8 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %10 = arith.divf %5, %9 : tensor<2x3x8xf32>
  %11 = arith.constant dense<-2.000000000e+00> : tensor<2x3x1xf32>
  %12 = math.powf %7, %11 : tensor<2x3x1xf32>
  %13 = tensor.collapse_shape %12 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %14 = prec_train.broadcast %13 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %15 = arith.mulf %dy, %14 : tensor<2x3x8xf32>
  %16 = arith.mulf %15, %5 : tensor<2x3x8xf32>
  %17 = prec_train.reduce sum %16 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %18 = tensor.expand_shape %17 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %19 = arith.negf %18 : tensor<2x3x1xf32>
  %20 = tensor.collapse_shape %7 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %21 = prec_train.broadcast %20 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %22 = arith.divf %dy, %21 : tensor<2x3x8xf32>
  %23 = prec_train.reduce sum %19 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %24 = prec_train.broadcast %23 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %25 = arith.addf %22, %24 : tensor<2x3x8xf32>
  %26 = arith.mulf %25, %5 : tensor<2x3x8xf32>
  return %10, %26 : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @softmax_of_logarithm(
// CHECK: %[[Y:.*]] = prec_train.softmax %arg1
// CHECK: %[[DX:.*]] = prec_train.softmax_grad %arg0, %[[Y]]
// CHECK: return %[[Y]], %[[DX]]
func.func @softmax_of_logarithm(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %0 = prec_train.reduce max %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %1 = arith.constant dense<0xFF800000> : tensor<f32>
  %2 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %3 = arith.maximumf %2, %0 : tensor<2x3xf32>
  %4 = tensor.expand_shape %3 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %5 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %6 = prec_train.broadcast %5 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %7 = arith.subf %x, %6 : tensor<2x3x8xf32>
  %8 = math.exp %7 : tensor<2x3x8xf32>
  %9 = prec_train.reduce sum %8 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %10 = tensor.expand_shape %9 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %11 = math.log %10 : tensor<2x3x1xf32>
  %12 = tensor.collapse_shape %11 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %13 = prec_train.broadcast %12 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %14 = arith.subf %7, %13 : tensor<2x3x8xf32>
  %15 = math.exp %14 : tensor<2x3x8xf32>
  %16 = arith.mulf %dy, %15 : tensor<2x3x8xf32>
  %17 = arith.negf %16 : tensor<2x3x8xf32>
  %18 = prec_train.reduce sum %17 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %19 = tensor.expand_shape %18 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %20 = arith.divf %19, %10 : tensor<2x3x1xf32>
  %21 = prec_train.reduce sum %20 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %22 = prec_train.broadcast %21 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %23 = arith.mulf %22, %8 : tensor<2x3x8xf32>
  %24 = arith.addf %16, %23 : tensor<2x3x8xf32>
  return %15, %24 : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @softmax_of_logsumexp(
// CHECK: %[[Y:.*]] = prec_train.softmax %arg1
// CHECK: %[[DX:.*]] = prec_train.softmax_grad %arg0, %[[Y]]
// CHECK: return %[[Y]], %[[DX]]
func.func @softmax_of_logsumexp(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %0 = prec_train.reduce max %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %1 = arith.constant dense<0xFF800000> : tensor<f32>
  %2 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %3 = arith.maximumf %2, %0 : tensor<2x3xf32>
  %4 = tensor.expand_shape %3 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %5 = math.absf %4 : tensor<2x3x1xf32>
  %6 = arith.constant dense<0x7F800000> : tensor<2x3x1xf32>
  %7 = arith.cmpf olt, %5, %6 : tensor<2x3x1xf32>
  %8 = arith.constant dense<0.000000000e+00> : tensor<2x3x1xf32>
  %9 = arith.select %7, %4, %8 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %10 = tensor.collapse_shape %9 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %11 = prec_train.broadcast %10 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %12 = arith.subf %x, %11 : tensor<2x3x8xf32>
  %13 = math.exp %12 : tensor<2x3x8xf32>
  %14 = prec_train.reduce sum %13 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %15 = tensor.expand_shape %14 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %16 = math.absf %15 : tensor<2x3x1xf32>
  %17 = arith.constant dense<0.000000000e+00> : tensor<f32>
  %18 = prec_train.broadcast %17 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %19 = arith.cmpf oge, %15, %18 : tensor<2x3x1xf32>
  %20 = math.log %16 : tensor<2x3x1xf32>
  %21 = arith.addf %20, %9 : tensor<2x3x1xf32>
  %22 = tensor.collapse_shape %21 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %23 = prec_train.broadcast %22 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %24 = arith.subf %x, %23 : tensor<2x3x8xf32>
  %25 = math.exp %24 : tensor<2x3x8xf32>
  %26 = arith.mulf %dy, %25 : tensor<2x3x8xf32>
  %27 = arith.negf %26 : tensor<2x3x8xf32>
  %28 = prec_train.reduce sum %27 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %29 = tensor.expand_shape %28 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %30 = arith.divf %29, %16 : tensor<2x3x1xf32>
  %31 = arith.select %19, %8, %30 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %32 = arith.select %19, %30, %8 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %33 = arith.negf %31 : tensor<2x3x1xf32>
  %34 = arith.addf %32, %33 : tensor<2x3x1xf32>
  %35 = prec_train.reduce sum %34 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %36 = prec_train.broadcast %35 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %37 = arith.mulf %36, %13 : tensor<2x3x8xf32>
  %38 = arith.addf %26, %37 : tensor<2x3x8xf32>
  return %25, %38 : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}
