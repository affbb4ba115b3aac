// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// Made by test/Import/jax_forms.py: jaxprs of forward and gradient.

// CHECK-LABEL: func.func @rms_scaled(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[RSTD:.*]] = prec_train.rms_norm %arg1, %[[G:.*]] {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]] = prec_train.rms_norm_grad %arg0, %arg1, %[[G]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]]
func.func @rms_scaled(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>) {
  %0 = arith.mulf %x, %x : tensor<2x3x8xf32>
  %1 = prec_train.reduce sum %0 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %3 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %4 = prec_train.broadcast %3 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %5 = arith.divf %2, %4 : tensor<2x3x1xf32>
  %6 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %7 = prec_train.broadcast %6 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %8 = arith.addf %5, %7 : tensor<2x3x1xf32>
  %9 = math.rsqrt %8 : tensor<2x3x1xf32>
  %10 = arith.divf %9, %8 : tensor<2x3x1xf32>
  %11 = arith.constant dense<-5.000000000e-01> : tensor<f32>
  %12 = prec_train.broadcast %11 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %13 = arith.mulf %12, %10 : tensor<2x3x1xf32>
  %14 = tensor.collapse_shape %9 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %15 = prec_train.broadcast %14 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %16 = arith.mulf %x, %15 : tensor<2x3x8xf32>
  %17 = tensor.expand_shape %gamma [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %18 = tensor.collapse_shape %17 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %19 = prec_train.broadcast %18 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %20 = arith.mulf %16, %19 : tensor<2x3x8xf32>
  %21 = arith.mulf %16, %dy : tensor<2x3x8xf32>
  %22 = prec_train.reduce sum %21 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %23 = tensor.expand_shape %22 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %24 = tensor.collapse_shape %17 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %25 = prec_train.broadcast %24 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %26 = arith.mulf %dy, %25 : tensor<2x3x8xf32>
  %27 = prec_train.reduce sum %23 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %28 = arith.mulf %x, %26 : tensor<2x3x8xf32>
  %29 = prec_train.reduce sum %28 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %30 = tensor.expand_shape %29 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %31 = tensor.collapse_shape %9 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %32 = prec_train.broadcast %31 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %33 = arith.mulf %26, %32 : tensor<2x3x8xf32>
  %34 = arith.mulf %30, %13 : tensor<2x3x1xf32>
  %35 = prec_train.broadcast %3 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %36 = arith.divf %34, %35 : tensor<2x3x1xf32>
  %37 = prec_train.reduce sum %36 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %38 = prec_train.broadcast %37 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %39 = arith.mulf %x, %38 : tensor<2x3x8xf32>
  %40 = arith.addf %33, %39 : tensor<2x3x8xf32>
  %41 = arith.mulf %38, %x : tensor<2x3x8xf32>
  %42 = arith.addf %40, %41 : tensor<2x3x8xf32>
  return %20, %42, %27 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @rms_squared(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[RSTD:.*]] = prec_train.rms_norm %arg1, %[[G:.*]] {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]] = prec_train.rms_norm_grad %arg0, %arg1, %[[G]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]]
func.func @rms_squared(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>) {
  %0 = arith.mulf %x, %x : tensor<2x3x8xf32>
  %1 = arith.constant dense<2.000000000e+00> : tensor<f32>
  %2 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3x8xf32>
  %3 = arith.mulf %2, %x : tensor<2x3x8xf32>
  %4 = prec_train.reduce sum %0 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %5 = tensor.expand_shape %4 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %6 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %7 = prec_train.broadcast %6 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %8 = arith.divf %5, %7 : tensor<2x3x1xf32>
  %9 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %10 = prec_train.broadcast %9 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %11 = arith.addf %8, %10 : tensor<2x3x1xf32>
  %12 = math.sqrt %11 : tensor<2x3x1xf32>
  %13 = arith.constant dense<5.000000000e-01> : tensor<f32>
  %14 = prec_train.broadcast %13 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %15 = arith.divf %14, %12 : tensor<2x3x1xf32>
  %16 = tensor.collapse_shape %12 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %17 = prec_train.broadcast %16 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %18 = arith.divf %x, %17 : tensor<2x3x8xf32>
  %19 = arith.constant dense<-2.000000000e+00> : tensor<2x3x1xf32>
  %20 = math.powf %12, %19 : tensor<2x3x1xf32>
  %21 = tensor.expand_shape %gamma [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %22 = tensor.collapse_shape %21 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %23 = prec_train.broadcast %22 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %24 = arith.mulf %23, %18 : tensor<2x3x8xf32>
  %25 = tensor.collapse_shape %21 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %26 = prec_train.broadcast %25 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %27 = arith.mulf %26, %dy : tensor<2x3x8xf32>
  %28 = arith.mulf %dy, %18 : tensor<2x3x8xf32>
  %29 = prec_train.reduce sum %28 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %30 = tensor.expand_shape %29 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %31 = prec_train.reduce sum %30 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %32 = tensor.collapse_shape %20 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %33 = prec_train.broadcast %32 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %34 = arith.mulf %27, %33 : tensor<2x3x8xf32>
  %35 = arith.mulf %34, %x : tensor<2x3x8xf32>
  %36 = prec_train.reduce sum %35 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %37 = tensor.expand_shape %36 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %38 = arith.negf %37 : tensor<2x3x1xf32>
  %39 = tensor.collapse_shape %12 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %40 = prec_train.broadcast %39 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %41 = arith.divf %27, %40 : tensor<2x3x8xf32>
  %42 = arith.mulf %38, %15 : tensor<2x3x1xf32>
  %43 = prec_train.broadcast %6 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %44 = arith.divf %42, %43 : tensor<2x3x1xf32>
  %45 = prec_train.reduce sum %44 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %46 = prec_train.broadcast %45 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %47 = arith.mulf %46, %3 : tensor<2x3x8xf32>
  %48 = arith.addf %41, %47 : tensor<2x3x8xf32>
  return %24, %48, %31 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @rms_power(
// CHECK: %[[Y:.*]], %[[RSTD:.*]] = prec_train.rms_norm %arg1, %[[G:.*]] {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]] = prec_train.rms_norm_grad %arg0, %arg1, %[[G]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]]
func.func @rms_power(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>) {
  %0 = arith.constant dense<2.000000000e+00> : tensor<2x3x8xf32>
  %1 = math.powf %x, %0 : tensor<2x3x8xf32>
  %2 = arith.constant dense<2.000000000e+00> : tensor<f32>
  %3 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x8xf32>
  %4 = arith.mulf %3, %x : tensor<2x3x8xf32>
  %5 = prec_train.reduce sum %1 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %6 = tensor.expand_shape %5 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %7 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %8 = prec_train.broadcast %7 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %9 = arith.divf %6, %8 : tensor<2x3x1xf32>
  %10 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %11 = prec_train.broadcast %10 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %12 = arith.addf %9, %11 : tensor<2x3x1xf32>
  %13 = arith.constant dense<-5.000000000e-01> : tensor<f32>
  %14 = prec_train.broadcast %13 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %15 = math.powf %12, %14 : tensor<2x3x1xf32>
  %16 = arith.constant dense<-1.500000000e+00> : tensor<f32>
  %17 = prec_train.broadcast %16 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %18 = math.powf %12, %17 : tensor<2x3x1xf32>
  %19 = prec_train.broadcast %13 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %20 = arith.mulf %19, %18 : tensor<2x3x1xf32>
  %21 = tensor.collapse_shape %15 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %22 = prec_train.broadcast %21 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %23 = arith.mulf %x, %22 : tensor<2x3x8xf32>
  %24 = arith.constant dense<1.000000000e+00> : tensor<f32>
  %25 = prec_train.broadcast %24 dims [] : (tensor<f32>) -> tensor<8xf32>
  %26 = arith.addf %25, %gamma : tensor<8xf32>
  %27 = tensor.expand_shape %26 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %28 = tensor.collapse_shape %27 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %29 = prec_train.broadcast %28 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %30 = arith.mulf %23, %29 : tensor<2x3x8xf32>
  %31 = arith.mulf %23, %dy : tensor<2x3x8xf32>
  %32 = prec_train.reduce sum %31 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %33 = tensor.expand_shape %32 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %34 = tensor.collapse_shape %27 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %35 = prec_train.broadcast %34 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %36 = arith.mulf %dy, %35 : tensor<2x3x8xf32>
  %37 = prec_train.reduce sum %33 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %38 = arith.mulf %x, %36 : tensor<2x3x8xf32>
  %39 = prec_train.reduce sum %38 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %40 = tensor.expand_shape %39 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %41 = tensor.collapse_shape %15 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %42 = prec_train.broadcast %41 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %43 = arith.mulf %36, %42 : tensor<2x3x8xf32>
  %44 = arith.mulf %40, %20 : tensor<2x3x1xf32>
  %45 = prec_train.broadcast %7 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %46 = arith.divf %44, %45 : tensor<2x3x1xf32>
  %47 = prec_train.reduce sum %46 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %48 = prec_train.broadcast %47 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %49 = arith.mulf %48, %4 : tensor<2x3x8xf32>
  %50 = arith.addf %43, %49 : tensor<2x3x8xf32>
  return %30, %50, %37 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @rms_sum(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[RSTD:.*]] = prec_train.rms_norm %arg1, %[[G:.*]] {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]] = prec_train.rms_norm_grad %arg0, %arg1, %[[G]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]]
func.func @rms_sum(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>) {
  %0 = arith.mulf %x, %x : tensor<2x3x8xf32>
  %1 = prec_train.reduce sum %0 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %3 = arith.constant dense<1.250000000e-01> : tensor<f32>
  %4 = prec_train.broadcast %3 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %5 = arith.mulf %2, %4 : tensor<2x3x1xf32>
  %6 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %7 = prec_train.broadcast %6 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %8 = arith.addf %5, %7 : tensor<2x3x1xf32>
  %9 = math.rsqrt %8 : tensor<2x3x1xf32>
  %10 = arith.divf %9, %8 : tensor<2x3x1xf32>
  %11 = arith.constant dense<-5.000000000e-01> : tensor<f32>
  %12 = prec_train.broadcast %11 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %13 = arith.mulf %12, %10 : tensor<2x3x1xf32>
  %14 = tensor.collapse_shape %9 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %15 = prec_train.broadcast %14 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %16 = arith.mulf %x, %15 : tensor<2x3x8xf32>
  %17 = tensor.expand_shape %gamma [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %18 = tensor.collapse_shape %17 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %19 = prec_train.broadcast %18 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %20 = arith.mulf %16, %19 : tensor<2x3x8xf32>
  %21 = arith.mulf %16, %dy : tensor<2x3x8xf32>
  %22 = prec_train.reduce sum %21 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %23 = tensor.expand_shape %22 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %24 = tensor.collapse_shape %17 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %25 = prec_train.broadcast %24 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %26 = arith.mulf %dy, %25 : tensor<2x3x8xf32>
  %27 = prec_train.reduce sum %23 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %28 = arith.mulf %x, %26 : tensor<2x3x8xf32>
  %29 = prec_train.reduce sum %28 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %30 = tensor.expand_shape %29 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %31 = tensor.collapse_shape %9 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %32 = prec_train.broadcast %31 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %33 = arith.mulf %26, %32 : tensor<2x3x8xf32>
  %34 = arith.mulf %30, %13 : tensor<2x3x1xf32>
  %35 = prec_train.broadcast %3 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %36 = arith.mulf %34, %35 : tensor<2x3x1xf32>
  %37 = prec_train.reduce sum %36 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %38 = prec_train.broadcast %37 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %39 = arith.mulf %x, %38 : tensor<2x3x8xf32>
  %40 = arith.addf %33, %39 : tensor<2x3x8xf32>
  %41 = arith.mulf %38, %x : tensor<2x3x8xf32>
  %42 = arith.addf %40, %41 : tensor<2x3x8xf32>
  return %20, %42, %27 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @rms_flax(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[RSTD:.*]] = prec_train.rms_norm %arg1, %[[G:.*]] {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]] = prec_train.rms_norm_grad %arg0, %arg1, %[[G]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]]
func.func @rms_flax(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>) {
  %0 = arith.mulf %x, %x : tensor<2x3x8xf32>
  %1 = arith.constant dense<2.000000000e+00> : tensor<f32>
  %2 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3x8xf32>
  %3 = arith.mulf %2, %x : tensor<2x3x8xf32>
  %4 = prec_train.reduce sum %0 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %5 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %6 = prec_train.broadcast %5 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %7 = arith.divf %4, %6 : tensor<2x3xf32>
  %8 = tensor.expand_shape %7 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %9 = arith.constant dense<0.000000000e+00> : tensor<2x3x1xf32>
  %10 = tensor.collapse_shape %9 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %11 = prec_train.broadcast %10 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %12 = arith.subf %x, %11 : tensor<2x3x8xf32>
  %13 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %14 = prec_train.broadcast %13 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %15 = arith.addf %8, %14 : tensor<2x3x1xf32>
  %16 = math.rsqrt %15 : tensor<2x3x1xf32>
  %17 = arith.divf %16, %15 : tensor<2x3x1xf32>
  %18 = arith.constant dense<-5.000000000e-01> : tensor<f32>
  %19 = prec_train.broadcast %18 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %20 = arith.mulf %19, %17 : tensor<2x3x1xf32>
  %21 = tensor.expand_shape %gamma [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %22 = tensor.collapse_shape %16 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %23 = prec_train.broadcast %22 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %24 = tensor.collapse_shape %21 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %25 = prec_train.broadcast %24 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %26 = arith.mulf %23, %25 : tensor<2x3x8xf32>
  %27 = arith.mulf %12, %26 : tensor<2x3x8xf32>
  %28 = arith.mulf %12, %dy : tensor<2x3x8xf32>
  %29 = arith.mulf %dy, %26 : tensor<2x3x8xf32>
  %30 = tensor.collapse_shape %16 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %31 = prec_train.broadcast %30 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %32 = arith.mulf %31, %28 : tensor<2x3x8xf32>
  %33 = prec_train.reduce sum %32 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %34 = tensor.expand_shape %33 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %35 = tensor.collapse_shape %21 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %36 = prec_train.broadcast %35 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %37 = arith.mulf %28, %36 : tensor<2x3x8xf32>
  %38 = prec_train.reduce sum %37 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %39 = tensor.expand_shape %38 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %40 = tensor.collapse_shape %34 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %41 = arith.mulf %39, %20 : tensor<2x3x1xf32>
  %42 = prec_train.reduce sum %41 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %43 = prec_train.broadcast %5 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %44 = arith.divf %42, %43 : tensor<2x3xf32>
  %45 = prec_train.broadcast %44 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %46 = arith.mulf %45, %3 : tensor<2x3x8xf32>
  %47 = arith.addf %29, %46 : tensor<2x3x8xf32>
  return %27, %47, %40 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @rms_equinox(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[RSTD:.*]] = prec_train.rms_norm %arg1, %[[G:.*]] {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]] = prec_train.rms_norm_grad %arg0, %arg1, %[[G]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]]
func.func @rms_equinox(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>) {
  %0 = arith.constant dense<2.000000000e+00> : tensor<2x3x8xf32>
  %1 = math.powf %x, %0 : tensor<2x3x8xf32>
  %2 = arith.constant dense<2.000000000e+00> : tensor<f32>
  %3 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x8xf32>
  %4 = arith.mulf %3, %x : tensor<2x3x8xf32>
  %5 = prec_train.reduce sum %1 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %6 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %7 = prec_train.broadcast %6 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %8 = arith.divf %5, %7 : tensor<2x3xf32>
  %9 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %10 = prec_train.broadcast %9 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %11 = arith.addf %8, %10 : tensor<2x3xf32>
  %12 = math.rsqrt %11 : tensor<2x3xf32>
  %13 = arith.divf %12, %11 : tensor<2x3xf32>
  %14 = arith.constant dense<-5.000000000e-01> : tensor<f32>
  %15 = prec_train.broadcast %14 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %16 = arith.mulf %15, %13 : tensor<2x3xf32>
  %17 = tensor.expand_shape %12 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %18 = tensor.collapse_shape %17 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %19 = prec_train.broadcast %18 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %20 = arith.mulf %19, %x : tensor<2x3x8xf32>
  %21 = tensor.expand_shape %gamma [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %22 = tensor.expand_shape %21 [[0], [1, 2]] output_shape [1, 1, 8] : tensor<1x8xf32> into tensor<1x1x8xf32>
  %23 = tensor.collapse_shape %22 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %24 = prec_train.broadcast %23 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %25 = arith.mulf %24, %20 : tensor<2x3x8xf32>
  %26 = tensor.collapse_shape %22 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %27 = prec_train.broadcast %26 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %28 = arith.mulf %27, %dy : tensor<2x3x8xf32>
  %29 = arith.mulf %dy, %20 : tensor<2x3x8xf32>
  %30 = prec_train.reduce sum %29 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %31 = tensor.expand_shape %30 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %32 = prec_train.reduce sum %31 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %33 = tensor.expand_shape %32 [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %34 = prec_train.reduce sum %33 dims [0] : (tensor<1x8xf32>) -> tensor<8xf32>
  %35 = tensor.collapse_shape %17 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %36 = prec_train.broadcast %35 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %37 = arith.mulf %36, %28 : tensor<2x3x8xf32>
  %38 = arith.mulf %28, %x : tensor<2x3x8xf32>
  %39 = prec_train.reduce sum %38 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %40 = tensor.expand_shape %39 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %41 = prec_train.reduce sum %40 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %42 = arith.mulf %41, %16 : tensor<2x3xf32>
  %43 = prec_train.broadcast %6 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %44 = arith.divf %42, %43 : tensor<2x3xf32>
  %45 = prec_train.broadcast %44 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %46 = arith.mulf %45, %4 : tensor<2x3x8xf32>
  %47 = arith.addf %37, %46 : tensor<2x3x8xf32>
  return %25, %47, %34 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>
}
