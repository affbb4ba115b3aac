// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// Made by test/Import/jax_forms.py: jaxprs of forward and gradient.

// CHECK-LABEL: func.func @rope_heads_first(
// CHECK: prec_train.rope %{{[^{]*}} : 
// CHECK: prec_train.rope %{{.*}} {inverse}
// CHECK: return
func.func @rope_heads_first(%dy: tensor<2x4x6x8xf32>, %x: tensor<2x4x6x8xf32>, %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>) {
  %0 = tensor.extract_slice %x[0, 0, 0, 0] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %1 = tensor.extract_slice %x[0, 0, 0, 4] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %2 = tensor.expand_shape %cos [[0, 1, 2], [3]] output_shape [1, 1, 6, 4] : tensor<6x4xf32> into tensor<1x1x6x4xf32>
  %3 = tensor.collapse_shape %2 [[0, 1, 2], [3]] : tensor<1x1x6x4xf32> into tensor<6x4xf32>
  %4 = prec_train.broadcast %3 dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %5 = arith.mulf %0, %4 : tensor<2x4x6x4xf32>
  %6 = tensor.expand_shape %sin [[0, 1, 2], [3]] output_shape [1, 1, 6, 4] : tensor<6x4xf32> into tensor<1x1x6x4xf32>
  %7 = tensor.collapse_shape %6 [[0, 1, 2], [3]] : tensor<1x1x6x4xf32> into tensor<6x4xf32>
  %8 = prec_train.broadcast %7 dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %9 = arith.mulf %1, %8 : tensor<2x4x6x4xf32>
  %10 = arith.subf %5, %9 : tensor<2x4x6x4xf32>
  %11 = tensor.expand_shape %cos [[0, 1, 2], [3]] output_shape [1, 1, 6, 4] : tensor<6x4xf32> into tensor<1x1x6x4xf32>
  %12 = tensor.collapse_shape %11 [[0, 1, 2], [3]] : tensor<1x1x6x4xf32> into tensor<6x4xf32>
  %13 = prec_train.broadcast %12 dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %14 = arith.mulf %1, %13 : tensor<2x4x6x4xf32>
  %15 = tensor.expand_shape %sin [[0, 1, 2], [3]] output_shape [1, 1, 6, 4] : tensor<6x4xf32> into tensor<1x1x6x4xf32>
  %16 = tensor.collapse_shape %15 [[0, 1, 2], [3]] : tensor<1x1x6x4xf32> into tensor<6x4xf32>
  %17 = prec_train.broadcast %16 dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %18 = arith.mulf %0, %17 : tensor<2x4x6x4xf32>
  %19 = arith.addf %14, %18 : tensor<2x4x6x4xf32>
  %20 = tensor.concat dim(3) %10, %19 : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  %21 = tensor.extract_slice %dy[0, 0, 0, 0] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %22 = tensor.extract_slice %dy[0, 0, 0, 4] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %23 = tensor.collapse_shape %15 [[0, 1, 2], [3]] : tensor<1x1x6x4xf32> into tensor<6x4xf32>
  %24 = prec_train.broadcast %23 dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %25 = arith.mulf %22, %24 : tensor<2x4x6x4xf32>
  %26 = tensor.collapse_shape %11 [[0, 1, 2], [3]] : tensor<1x1x6x4xf32> into tensor<6x4xf32>
  %27 = prec_train.broadcast %26 dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %28 = arith.mulf %22, %27 : tensor<2x4x6x4xf32>
  %29 = arith.negf %21 : tensor<2x4x6x4xf32>
  %30 = tensor.collapse_shape %6 [[0, 1, 2], [3]] : tensor<1x1x6x4xf32> into tensor<6x4xf32>
  %31 = prec_train.broadcast %30 dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %32 = arith.mulf %29, %31 : tensor<2x4x6x4xf32>
  %33 = arith.addf %28, %32 : tensor<2x4x6x4xf32>
  %34 = tensor.collapse_shape %2 [[0, 1, 2], [3]] : tensor<1x1x6x4xf32> into tensor<6x4xf32>
  %35 = prec_train.broadcast %34 dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %36 = arith.mulf %21, %35 : tensor<2x4x6x4xf32>
  %37 = arith.addf %25, %36 : tensor<2x4x6x4xf32>
  %38 = tensor.concat dim(3) %37, %33 : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  return %20, %38 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>
}

// -----

// CHECK-LABEL: func.func @rope_heads_last(
// CHECK: prec_train.rope %{{[^{]*}} : 
// CHECK: prec_train.rope %{{.*}} {inverse}
// CHECK: return
func.func @rope_heads_last(%dy: tensor<2x6x4x8xf32>, %x: tensor<2x6x4x8xf32>, %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> (tensor<2x6x4x8xf32>, tensor<2x6x4x8xf32>) {
  %0 = tensor.extract_slice %x[0, 0, 0, 0] [2, 6, 4, 4] [1, 1, 1, 1] : tensor<2x6x4x8xf32> to tensor<2x6x4x4xf32>
  %1 = tensor.extract_slice %x[0, 0, 0, 4] [2, 6, 4, 4] [1, 1, 1, 1] : tensor<2x6x4x8xf32> to tensor<2x6x4x4xf32>
  %2 = tensor.expand_shape %cos [[0], [1, 2]] output_shape [6, 1, 4] : tensor<6x4xf32> into tensor<6x1x4xf32>
  %3 = tensor.expand_shape %sin [[0], [1, 2]] output_shape [6, 1, 4] : tensor<6x4xf32> into tensor<6x1x4xf32>
  %4 = tensor.expand_shape %2 [[0, 1], [2], [3]] output_shape [1, 6, 1, 4] : tensor<6x1x4xf32> into tensor<1x6x1x4xf32>
  %5 = tensor.collapse_shape %4 [[0, 1], [2, 3]] : tensor<1x6x1x4xf32> into tensor<6x4xf32>
  %6 = prec_train.broadcast %5 dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x4x4xf32>
  %7 = arith.mulf %0, %6 : tensor<2x6x4x4xf32>
  %8 = tensor.expand_shape %3 [[0, 1], [2], [3]] output_shape [1, 6, 1, 4] : tensor<6x1x4xf32> into tensor<1x6x1x4xf32>
  %9 = tensor.collapse_shape %8 [[0, 1], [2, 3]] : tensor<1x6x1x4xf32> into tensor<6x4xf32>
  %10 = prec_train.broadcast %9 dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x4x4xf32>
  %11 = arith.mulf %1, %10 : tensor<2x6x4x4xf32>
  %12 = arith.subf %7, %11 : tensor<2x6x4x4xf32>
  %13 = tensor.expand_shape %2 [[0, 1], [2], [3]] output_shape [1, 6, 1, 4] : tensor<6x1x4xf32> into tensor<1x6x1x4xf32>
  %14 = tensor.collapse_shape %13 [[0, 1], [2, 3]] : tensor<1x6x1x4xf32> into tensor<6x4xf32>
  %15 = prec_train.broadcast %14 dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x4x4xf32>
  %16 = arith.mulf %1, %15 : tensor<2x6x4x4xf32>
  %17 = tensor.expand_shape %3 [[0, 1], [2], [3]] output_shape [1, 6, 1, 4] : tensor<6x1x4xf32> into tensor<1x6x1x4xf32>
  %18 = tensor.collapse_shape %17 [[0, 1], [2, 3]] : tensor<1x6x1x4xf32> into tensor<6x4xf32>
  %19 = prec_train.broadcast %18 dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x4x4xf32>
  %20 = arith.mulf %0, %19 : tensor<2x6x4x4xf32>
  %21 = arith.addf %16, %20 : tensor<2x6x4x4xf32>
  %22 = tensor.concat dim(3) %12, %21 : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x6x4x8xf32>
  %23 = tensor.extract_slice %dy[0, 0, 0, 0] [2, 6, 4, 4] [1, 1, 1, 1] : tensor<2x6x4x8xf32> to tensor<2x6x4x4xf32>
  %24 = tensor.extract_slice %dy[0, 0, 0, 4] [2, 6, 4, 4] [1, 1, 1, 1] : tensor<2x6x4x8xf32> to tensor<2x6x4x4xf32>
  %25 = tensor.collapse_shape %17 [[0, 1], [2, 3]] : tensor<1x6x1x4xf32> into tensor<6x4xf32>
  %26 = prec_train.broadcast %25 dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x4x4xf32>
  %27 = arith.mulf %24, %26 : tensor<2x6x4x4xf32>
  %28 = tensor.collapse_shape %13 [[0, 1], [2, 3]] : tensor<1x6x1x4xf32> into tensor<6x4xf32>
  %29 = prec_train.broadcast %28 dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x4x4xf32>
  %30 = arith.mulf %24, %29 : tensor<2x6x4x4xf32>
  %31 = arith.negf %23 : tensor<2x6x4x4xf32>
  %32 = tensor.collapse_shape %8 [[0, 1], [2, 3]] : tensor<1x6x1x4xf32> into tensor<6x4xf32>
  %33 = prec_train.broadcast %32 dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x4x4xf32>
  %34 = arith.mulf %31, %33 : tensor<2x6x4x4xf32>
  %35 = arith.addf %30, %34 : tensor<2x6x4x4xf32>
  %36 = tensor.collapse_shape %4 [[0, 1], [2, 3]] : tensor<1x6x1x4xf32> into tensor<6x4xf32>
  %37 = prec_train.broadcast %36 dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x4x4xf32>
  %38 = arith.mulf %23, %37 : tensor<2x6x4x4xf32>
  %39 = arith.addf %27, %38 : tensor<2x6x4x4xf32>
  %40 = tensor.concat dim(3) %39, %35 : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x6x4x8xf32>
  return %22, %40 : tensor<2x6x4x8xf32>, tensor<2x6x4x8xf32>
}

// -----

// CHECK-LABEL: func.func @rope_rotated_half(
// CHECK: prec_train.rope %{{[^{]*}} : 
// CHECK: prec_train.rope %{{.*}} {inverse}
// CHECK: return
func.func @rope_rotated_half(%dy: tensor<2x6x4x8xf32>, %x: tensor<2x6x4x8xf32>, %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> (tensor<2x6x4x8xf32>, tensor<2x6x4x8xf32>) {
  %0 = tensor.concat dim(1) %cos, %cos : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2, 3]] output_shape [1, 6, 1, 8] : tensor<6x8xf32> into tensor<1x6x1x8xf32>
  %2 = tensor.concat dim(1) %sin, %sin : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2, 3]] output_shape [1, 6, 1, 8] : tensor<6x8xf32> into tensor<1x6x1x8xf32>
  %4 = tensor.extract_slice %x[0, 0, 0, 0] [2, 6, 4, 4] [1, 1, 1, 1] : tensor<2x6x4x8xf32> to tensor<2x6x4x4xf32>
  %5 = tensor.extract_slice %x[0, 0, 0, 4] [2, 6, 4, 4] [1, 1, 1, 1] : tensor<2x6x4x8xf32> to tensor<2x6x4x4xf32>
  %6 = tensor.collapse_shape %1 [[0, 1], [2, 3]] : tensor<1x6x1x8xf32> into tensor<6x8xf32>
  %7 = prec_train.broadcast %6 dims [1, 3] : (tensor<6x8xf32>) -> tensor<2x6x4x8xf32>
  %8 = arith.mulf %x, %7 : tensor<2x6x4x8xf32>
  %9 = arith.negf %5 : tensor<2x6x4x4xf32>
  %10 = tensor.concat dim(3) %9, %4 : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x6x4x8xf32>
  %11 = tensor.collapse_shape %3 [[0, 1], [2, 3]] : tensor<1x6x1x8xf32> into tensor<6x8xf32>
  %12 = prec_train.broadcast %11 dims [1, 3] : (tensor<6x8xf32>) -> tensor<2x6x4x8xf32>
  %13 = arith.mulf %10, %12 : tensor<2x6x4x8xf32>
  %14 = arith.addf %8, %13 : tensor<2x6x4x8xf32>
  %15 = tensor.collapse_shape %3 [[0, 1], [2, 3]] : tensor<1x6x1x8xf32> into tensor<6x8xf32>
  %16 = prec_train.broadcast %15 dims [1, 3] : (tensor<6x8xf32>) -> tensor<2x6x4x8xf32>
  %17 = arith.mulf %dy, %16 : tensor<2x6x4x8xf32>
  %18 = tensor.extract_slice %17[0, 0, 0, 0] [2, 6, 4, 4] [1, 1, 1, 1] : tensor<2x6x4x8xf32> to tensor<2x6x4x4xf32>
  %19 = tensor.extract_slice %17[0, 0, 0, 4] [2, 6, 4, 4] [1, 1, 1, 1] : tensor<2x6x4x8xf32> to tensor<2x6x4x4xf32>
  %20 = arith.negf %18 : tensor<2x6x4x4xf32>
  %21 = tensor.collapse_shape %1 [[0, 1], [2, 3]] : tensor<1x6x1x8xf32> into tensor<6x8xf32>
  %22 = prec_train.broadcast %21 dims [1, 3] : (tensor<6x8xf32>) -> tensor<2x6x4x8xf32>
  %23 = arith.mulf %dy, %22 : tensor<2x6x4x8xf32>
  %25 = arith.constant dense<0.000000000e+00> : tensor<2x6x4x4xf32>
  %26 = tensor.concat dim(3) %25, %20 : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x6x4x8xf32>
  %27 = arith.addf %23, %26 : tensor<2x6x4x8xf32>
  %28 = tensor.concat dim(3) %19, %25 : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x6x4x8xf32>
  %29 = arith.addf %27, %28 : tensor<2x6x4x8xf32>
  return %14, %29 : tensor<2x6x4x8xf32>, tensor<2x6x4x8xf32>
}

// -----

// CHECK-LABEL: func.func @rope_rotated_half_first(
// CHECK: prec_train.rope %{{[^{]*}} : 
// CHECK: prec_train.rope %{{.*}} {inverse}
// CHECK: return
func.func @rope_rotated_half_first(%dy: tensor<2x4x6x8xf32>, %x: tensor<2x4x6x8xf32>, %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>) {
  %0 = tensor.concat dim(1) %cos, %cos : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  %1 = tensor.expand_shape %0 [[0, 1, 2], [3]] output_shape [1, 1, 6, 8] : tensor<6x8xf32> into tensor<1x1x6x8xf32>
  %2 = tensor.concat dim(1) %sin, %sin : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  %3 = tensor.expand_shape %2 [[0, 1, 2], [3]] output_shape [1, 1, 6, 8] : tensor<6x8xf32> into tensor<1x1x6x8xf32>
  %4 = tensor.extract_slice %x[0, 0, 0, 0] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %5 = tensor.extract_slice %x[0, 0, 0, 4] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %6 = tensor.collapse_shape %1 [[0, 1, 2], [3]] : tensor<1x1x6x8xf32> into tensor<6x8xf32>
  %7 = prec_train.broadcast %6 dims [2, 3] : (tensor<6x8xf32>) -> tensor<2x4x6x8xf32>
  %8 = arith.mulf %x, %7 : tensor<2x4x6x8xf32>
  %9 = arith.negf %5 : tensor<2x4x6x4xf32>
  %10 = tensor.concat dim(3) %9, %4 : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  %11 = tensor.collapse_shape %3 [[0, 1, 2], [3]] : tensor<1x1x6x8xf32> into tensor<6x8xf32>
  %12 = prec_train.broadcast %11 dims [2, 3] : (tensor<6x8xf32>) -> tensor<2x4x6x8xf32>
  %13 = arith.mulf %10, %12 : tensor<2x4x6x8xf32>
  %14 = arith.addf %8, %13 : tensor<2x4x6x8xf32>
  %15 = tensor.collapse_shape %3 [[0, 1, 2], [3]] : tensor<1x1x6x8xf32> into tensor<6x8xf32>
  %16 = prec_train.broadcast %15 dims [2, 3] : (tensor<6x8xf32>) -> tensor<2x4x6x8xf32>
  %17 = arith.mulf %dy, %16 : tensor<2x4x6x8xf32>
  %18 = tensor.extract_slice %17[0, 0, 0, 0] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %19 = tensor.extract_slice %17[0, 0, 0, 4] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %20 = arith.negf %18 : tensor<2x4x6x4xf32>
  %21 = tensor.collapse_shape %1 [[0, 1, 2], [3]] : tensor<1x1x6x8xf32> into tensor<6x8xf32>
  %22 = prec_train.broadcast %21 dims [2, 3] : (tensor<6x8xf32>) -> tensor<2x4x6x8xf32>
  %23 = arith.mulf %dy, %22 : tensor<2x4x6x8xf32>
  %25 = arith.constant dense<0.000000000e+00> : tensor<2x4x6x4xf32>
  %26 = tensor.concat dim(3) %25, %20 : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  %27 = arith.addf %23, %26 : tensor<2x4x6x8xf32>
  %28 = tensor.concat dim(3) %19, %25 : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  %29 = arith.addf %27, %28 : tensor<2x4x6x8xf32>
  return %14, %29 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>
}
