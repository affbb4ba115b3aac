// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// Made by test/Import/jax_forms.py: jaxprs of forward and gradient.

// CHECK-LABEL: func.func @loss_optax(
// CHECK: %[[LOSS:.*]], %[[MAX:.*]], %[[LOG:.*]] = prec_train.cross_entropy %[[X:.*]], %[[L:.*]] {ignore_index = [[IGNORED:.*]] : i32}
// CHECK: %[[D:.*]] = prec_train.cross_entropy_grad %{{.*}}, %[[X]], %[[L]], %[[MAX]], %[[LOG]] {ignore_index = [[IGNORED]] : i32}
// CHECK: %[[DX:.*]] = tensor.expand_shape %[[D]]
// CHECK: return %[[LOSS]], %[[DX]]
func.func @loss_optax(%x: tensor<2x3x8xf32>, %labels: tensor<2x3xi32>) -> (tensor<f32>, tensor<2x3x8xf32>) {
  %0 = tensor.expand_shape %labels [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xi32> into tensor<2x3x1xi32>
  %1 = arith.constant dense<0> : tensor<i32>
  %2 = prec_train.broadcast %1 dims [] : (tensor<i32>) -> tensor<2x3x1xi32>
  %3 = arith.cmpi slt, %0, %2 : tensor<2x3x1xi32>
  %4 = arith.constant dense<8> : tensor<i32>
  %5 = prec_train.broadcast %4 dims [] : (tensor<i32>) -> tensor<2x3x1xi32>
  %6 = arith.addi %0, %5 : tensor<2x3x1xi32>
  %7 = arith.select %3, %6, %0 : tensor<2x3x1xi1>, tensor<2x3x1xi32>
  %8 = tensor.expand_shape %7 [[0], [1], [2, 3]] output_shape [2, 3, 1, 1] : tensor<2x3x1xi32> into tensor<2x3x1x1xi32>
  %9 = tensor.collapse_shape %8 [[0], [1], [2, 3]] : tensor<2x3x1x1xi32> into tensor<2x3x1xi32>
  %10 = prec_train.iota dim 0 : tensor<8xi32>
  %11 = prec_train.broadcast %10 dims [2] : (tensor<8xi32>) -> tensor<2x3x8xi32>
  %12 = tensor.collapse_shape %9 [[0], [1, 2]] : tensor<2x3x1xi32> into tensor<2x3xi32>
  %13 = prec_train.broadcast %12 dims [0, 1] : (tensor<2x3xi32>) -> tensor<2x3x8xi32>
  %14 = arith.cmpi eq, %13, %11 : tensor<2x3x8xi32>
  %15 = arith.constant dense<0.000000000e+00> : tensor<2x3x8xf32>
  %16 = arith.select %14, %x, %15 : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %17 = prec_train.reduce sum %16 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %18 = tensor.expand_shape %17 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %20 = tensor.collapse_shape %18 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %21 = prec_train.reduce max %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %22 = arith.constant dense<0xFF800000> : tensor<f32>
  %23 = prec_train.broadcast %22 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %24 = arith.maximumf %23, %21 : tensor<2x3xf32>
  %25 = math.absf %24 : tensor<2x3xf32>
  %26 = arith.constant dense<0x7F800000> : tensor<2x3xf32>
  %27 = arith.cmpf olt, %25, %26 : tensor<2x3xf32>
  %28 = arith.constant dense<0.000000000e+00> : tensor<2x3xf32>
  %29 = arith.select %27, %24, %28 : tensor<2x3xi1>, tensor<2x3xf32>
  %30 = tensor.expand_shape %29 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %31 = tensor.collapse_shape %30 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %32 = prec_train.broadcast %31 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %33 = arith.subf %x, %32 : tensor<2x3x8xf32>
  %34 = math.exp %33 : tensor<2x3x8xf32>
  %35 = prec_train.reduce sum %34 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %36 = math.absf %35 : tensor<2x3xf32>
  %37 = arith.constant dense<0.000000000e+00> : tensor<f32>
  %38 = prec_train.broadcast %37 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %39 = arith.cmpf oge, %35, %38 : tensor<2x3xf32>
  %40 = math.log %36 : tensor<2x3xf32>
  %41 = arith.addf %40, %29 : tensor<2x3xf32>
  %42 = arith.subf %41, %20 : tensor<2x3xf32>
  %43 = prec_train.reduce sum %42 dims [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %44 = arith.constant dense<6.000000000e+00> : tensor<f32>
  %45 = arith.divf %43, %44 : tensor<f32>
  %46 = arith.constant dense<1.666666716e-01> : tensor<2x3xf32>
  %47 = arith.divf %46, %36 : tensor<2x3xf32>
  %48 = arith.select %39, %28, %47 : tensor<2x3xi1>, tensor<2x3xf32>
  %49 = arith.select %39, %47, %28 : tensor<2x3xi1>, tensor<2x3xf32>
  %50 = arith.negf %48 : tensor<2x3xf32>
  %51 = arith.addf %49, %50 : tensor<2x3xf32>
  %52 = prec_train.broadcast %51 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %53 = arith.mulf %52, %34 : tensor<2x3x8xf32>
  %54 = arith.constant dense<-1.666666716e-01> : tensor<2x3x1xf32>
  %55 = tensor.collapse_shape %8 [[0], [1], [2, 3]] : tensor<2x3x1x1xi32> into tensor<2x3x1xi32>
  %56 = prec_train.iota dim 0 : tensor<8xi32>
  %57 = prec_train.broadcast %56 dims [2] : (tensor<8xi32>) -> tensor<2x3x8xi32>
  %58 = tensor.collapse_shape %55 [[0], [1, 2]] : tensor<2x3x1xi32> into tensor<2x3xi32>
  %59 = prec_train.broadcast %58 dims [0, 1] : (tensor<2x3xi32>) -> tensor<2x3x8xi32>
  %60 = arith.cmpi eq, %59, %57 : tensor<2x3x8xi32>
  %61 = tensor.collapse_shape %54 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %62 = prec_train.broadcast %61 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %63 = arith.select %60, %62, %15 : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %64 = arith.addf %53, %63 : tensor<2x3x8xf32>
  return %45, %64 : tensor<f32>, tensor<2x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @loss_one_hot(
// CHECK: %[[LOSS:.*]], %[[MAX:.*]], %[[LOG:.*]] = prec_train.cross_entropy %[[X:.*]], %[[L:.*]] {ignore_index = [[IGNORED:.*]] : i32}
// CHECK: %[[D:.*]] = prec_train.cross_entropy_grad %{{.*}}, %[[X]], %[[L]], %[[MAX]], %[[LOG]] {ignore_index = [[IGNORED]] : i32}
// CHECK: %[[DX:.*]] = tensor.expand_shape %[[D]]
// CHECK: return %[[LOSS]], %[[DX]]
func.func @loss_one_hot(%x: tensor<2x3x8xf32>, %labels: tensor<2x3xi32>) -> (tensor<f32>, tensor<2x3x8xf32>) {
  %0 = tensor.expand_shape %labels [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xi32> into tensor<2x3x1xi32>
  %1 = prec_train.iota dim 2 : tensor<1x1x8xi32>
  %2 = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<2x3x1xi32> into tensor<2x3xi32>
  %3 = prec_train.broadcast %2 dims [0, 1] : (tensor<2x3xi32>) -> tensor<2x3x8xi32>
  %4 = tensor.collapse_shape %1 [[0, 1, 2]] : tensor<1x1x8xi32> into tensor<8xi32>
  %5 = prec_train.broadcast %4 dims [2] : (tensor<8xi32>) -> tensor<2x3x8xi32>
  %6 = arith.cmpi eq, %3, %5 : tensor<2x3x8xi32>
  %7 = arith.uitofp %6 : tensor<2x3x8xi1> to tensor<2x3x8xf32>
  %8 = prec_train.reduce max %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %9 = arith.constant dense<0xFF800000> : tensor<f32>
  %10 = prec_train.broadcast %9 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %11 = arith.maximumf %10, %8 : tensor<2x3xf32>
  %12 = tensor.expand_shape %11 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %13 = tensor.collapse_shape %12 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %14 = prec_train.broadcast %13 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %15 = arith.subf %x, %14 : tensor<2x3x8xf32>
  %16 = math.exp %15 : tensor<2x3x8xf32>
  %17 = prec_train.reduce sum %16 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %18 = tensor.expand_shape %17 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %19 = math.log %18 : tensor<2x3x1xf32>
  %20 = tensor.collapse_shape %19 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %21 = prec_train.broadcast %20 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %22 = arith.subf %15, %21 : tensor<2x3x8xf32>
  %23 = arith.mulf %7, %22 : tensor<2x3x8xf32>
  %24 = prec_train.reduce sum %23 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %25 = arith.negf %24 : tensor<2x3xf32>
  %26 = prec_train.reduce sum %25 dims [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %27 = arith.constant dense<6.000000000e+00> : tensor<f32>
  %28 = arith.divf %26, %27 : tensor<f32>
  %29 = arith.constant dense<-1.666666716e-01> : tensor<2x3x8xf32>
  %30 = arith.mulf %7, %29 : tensor<2x3x8xf32>
  %31 = arith.negf %30 : tensor<2x3x8xf32>
  %32 = prec_train.reduce sum %31 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %33 = tensor.expand_shape %32 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %34 = arith.divf %33, %18 : tensor<2x3x1xf32>
  %35 = prec_train.reduce sum %34 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %36 = prec_train.broadcast %35 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %37 = arith.mulf %36, %16 : tensor<2x3x8xf32>
  %38 = arith.addf %30, %37 : tensor<2x3x8xf32>
  return %28, %38 : tensor<f32>, tensor<2x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @loss_taken(
// CHECK: %[[LOSS:.*]], %[[MAX:.*]], %[[LOG:.*]] = prec_train.cross_entropy %[[X:.*]], %[[L:.*]] {ignore_index = [[IGNORED:.*]] : i32}
// CHECK: %[[D:.*]] = prec_train.cross_entropy_grad %{{.*}}, %[[X]], %[[L]], %[[MAX]], %[[LOG]] {ignore_index = [[IGNORED]] : i32}
// CHECK: %[[DX:.*]] = tensor.expand_shape %[[D]]
// CHECK: return %[[LOSS]], %[[DX]]
func.func @loss_taken(%x: tensor<2x3x8xf32>, %labels: tensor<2x3xi32>) -> (tensor<f32>, tensor<2x3x8xf32>) {
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
  %15 = tensor.expand_shape %labels [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xi32> into tensor<2x3x1xi32>
  %16 = arith.constant dense<0> : tensor<i32>
  %17 = prec_train.broadcast %16 dims [] : (tensor<i32>) -> tensor<2x3x1xi32>
  %18 = arith.cmpi slt, %15, %17 : tensor<2x3x1xi32>
  %19 = arith.constant dense<8> : tensor<i32>
  %20 = prec_train.broadcast %19 dims [] : (tensor<i32>) -> tensor<2x3x1xi32>
  %21 = arith.addi %15, %20 : tensor<2x3x1xi32>
  %22 = arith.select %18, %21, %15 : tensor<2x3x1xi1>, tensor<2x3x1xi32>
  %23 = tensor.expand_shape %22 [[0], [1], [2, 3]] output_shape [2, 3, 1, 1] : tensor<2x3x1xi32> into tensor<2x3x1x1xi32>
  %24 = tensor.collapse_shape %23 [[0], [1], [2, 3]] : tensor<2x3x1x1xi32> into tensor<2x3x1xi32>
  %25 = prec_train.iota dim 0 : tensor<8xi32>
  %26 = prec_train.broadcast %25 dims [2] : (tensor<8xi32>) -> tensor<2x3x8xi32>
  %27 = tensor.collapse_shape %24 [[0], [1, 2]] : tensor<2x3x1xi32> into tensor<2x3xi32>
  %28 = prec_train.broadcast %27 dims [0, 1] : (tensor<2x3xi32>) -> tensor<2x3x8xi32>
  %29 = arith.cmpi eq, %28, %26 : tensor<2x3x8xi32>
  %30 = arith.constant dense<0.000000000e+00> : tensor<2x3x8xf32>
  %31 = arith.select %29, %14, %30 : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %32 = prec_train.reduce sum %31 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %33 = tensor.expand_shape %32 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %34 = prec_train.reduce sum %33 dims [0, 1, 2] : (tensor<2x3x1xf32>) -> tensor<f32>
  %35 = arith.constant dense<6.000000000e+00> : tensor<f32>
  %36 = arith.divf %34, %35 : tensor<f32>
  %37 = arith.negf %36 : tensor<f32>
  %38 = arith.constant dense<-1.666666716e-01> : tensor<2x3x1xf32>
  %39 = tensor.collapse_shape %23 [[0], [1], [2, 3]] : tensor<2x3x1x1xi32> into tensor<2x3x1xi32>
  %40 = prec_train.iota dim 0 : tensor<8xi32>
  %41 = prec_train.broadcast %40 dims [2] : (tensor<8xi32>) -> tensor<2x3x8xi32>
  %42 = tensor.collapse_shape %39 [[0], [1, 2]] : tensor<2x3x1xi32> into tensor<2x3xi32>
  %43 = prec_train.broadcast %42 dims [0, 1] : (tensor<2x3xi32>) -> tensor<2x3x8xi32>
  %44 = arith.cmpi eq, %43, %41 : tensor<2x3x8xi32>
  %45 = tensor.collapse_shape %38 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %46 = prec_train.broadcast %45 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %47 = arith.select %44, %46, %30 : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %48 = arith.negf %47 : tensor<2x3x8xf32>
  %49 = prec_train.reduce sum %48 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %50 = tensor.expand_shape %49 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %51 = arith.divf %50, %10 : tensor<2x3x1xf32>
  %52 = prec_train.reduce sum %51 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %53 = prec_train.broadcast %52 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %54 = arith.mulf %53, %8 : tensor<2x3x8xf32>
  %55 = arith.addf %47, %54 : tensor<2x3x8xf32>
  return %37, %55 : tensor<f32>, tensor<2x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @loss_flat(
// CHECK: %[[LOSS:.*]], %[[MAX:.*]], %[[LOG:.*]] = prec_train.cross_entropy %[[X:.*]], %[[L:.*]] {ignore_index = [[IGNORED:.*]] : i32}
// CHECK: %[[D:.*]] = prec_train.cross_entropy_grad %{{.*}}, %[[X]], %[[L]], %[[MAX]], %[[LOG]] {ignore_index = [[IGNORED]] : i32}
// CHECK: %[[DX:.*]] = tensor.expand_shape %[[D]]
// CHECK: return %[[LOSS]], %[[DX]]
func.func @loss_flat(%x: tensor<2x3x8xf32>, %labels: tensor<2x3xi32>) -> (tensor<f32>, tensor<2x3x8xf32>) {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %1 = prec_train.reduce max %0 dims [1] : (tensor<6x8xf32>) -> tensor<6xf32>
  %2 = arith.constant dense<0xFF800000> : tensor<f32>
  %3 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<6xf32>
  %4 = arith.maximumf %3, %1 : tensor<6xf32>
  %5 = tensor.expand_shape %4 [[0, 1]] output_shape [6, 1] : tensor<6xf32> into tensor<6x1xf32>
  %6 = tensor.collapse_shape %5 [[0, 1]] : tensor<6x1xf32> into tensor<6xf32>
  %7 = prec_train.broadcast %6 dims [0] : (tensor<6xf32>) -> tensor<6x8xf32>
  %8 = arith.subf %0, %7 : tensor<6x8xf32>
  %9 = math.exp %8 : tensor<6x8xf32>
  %10 = prec_train.reduce sum %9 dims [1] : (tensor<6x8xf32>) -> tensor<6xf32>
  %11 = tensor.expand_shape %10 [[0, 1]] output_shape [6, 1] : tensor<6xf32> into tensor<6x1xf32>
  %12 = math.log %11 : tensor<6x1xf32>
  %13 = tensor.collapse_shape %12 [[0, 1]] : tensor<6x1xf32> into tensor<6xf32>
  %14 = prec_train.broadcast %13 dims [0] : (tensor<6xf32>) -> tensor<6x8xf32>
  %15 = arith.subf %8, %14 : tensor<6x8xf32>
  %16 = tensor.collapse_shape %labels [[0, 1]] : tensor<2x3xi32> into tensor<6xi32>
  %17 = tensor.expand_shape %16 [[0, 1]] output_shape [6, 1] : tensor<6xi32> into tensor<6x1xi32>
  %18 = prec_train.iota dim 1 : tensor<1x8xi32>
  %19 = tensor.collapse_shape %17 [[0, 1]] : tensor<6x1xi32> into tensor<6xi32>
  %20 = prec_train.broadcast %19 dims [0] : (tensor<6xi32>) -> tensor<6x8xi32>
  %21 = tensor.collapse_shape %18 [[0, 1]] : tensor<1x8xi32> into tensor<8xi32>
  %22 = prec_train.broadcast %21 dims [1] : (tensor<8xi32>) -> tensor<6x8xi32>
  %23 = arith.cmpi eq, %20, %22 : tensor<6x8xi32>
  %24 = arith.uitofp %23 : tensor<6x8xi1> to tensor<6x8xf32>
  %25 = arith.mulf %15, %24 : tensor<6x8xf32>
  %26 = prec_train.reduce sum %25 dims [0, 1] : (tensor<6x8xf32>) -> tensor<f32>
  %27 = arith.negf %26 : tensor<f32>
  %28 = arith.constant dense<6.000000000e+00> : tensor<f32>
  %29 = arith.divf %27, %28 : tensor<f32>
  %30 = arith.constant dense<-1.666666716e-01> : tensor<6x8xf32>
  %31 = arith.mulf %30, %24 : tensor<6x8xf32>
  %32 = arith.negf %31 : tensor<6x8xf32>
  %33 = prec_train.reduce sum %32 dims [1] : (tensor<6x8xf32>) -> tensor<6xf32>
  %34 = tensor.expand_shape %33 [[0, 1]] output_shape [6, 1] : tensor<6xf32> into tensor<6x1xf32>
  %35 = arith.divf %34, %11 : tensor<6x1xf32>
  %36 = prec_train.reduce sum %35 dims [1] : (tensor<6x1xf32>) -> tensor<6xf32>
  %37 = prec_train.broadcast %36 dims [0] : (tensor<6xf32>) -> tensor<6x8xf32>
  %38 = arith.mulf %37, %9 : tensor<6x8xf32>
  %39 = arith.addf %31, %38 : tensor<6x8xf32>
  %40 = tensor.expand_shape %39 [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  return %29, %40 : tensor<f32>, tensor<2x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @loss_masked(
// CHECK: %[[LOSS:.*]], %[[MAX:.*]], %[[LOG:.*]] = prec_train.cross_entropy %[[X:.*]], %[[L:.*]] {ignore_index = [[IGNORED:.*]] : i32}
// CHECK: %[[D:.*]] = prec_train.cross_entropy_grad %{{.*}}, %[[X]], %[[L]], %[[MAX]], %[[LOG]] {ignore_index = [[IGNORED]] : i32}
// CHECK: %[[DX:.*]] = tensor.expand_shape %[[D]]
// CHECK: return %[[LOSS]], %[[DX]]
func.func @loss_masked(%x: tensor<2x3x8xf32>, %labels: tensor<2x3xi32>) -> (tensor<f32>, tensor<2x3x8xf32>) {
  %0 = arith.constant dense<-100> : tensor<i32>
  %1 = prec_train.broadcast %0 dims [] : (tensor<i32>) -> tensor<2x3xi32>
  %2 = arith.cmpi ne, %labels, %1 : tensor<2x3xi32>
  %3 = arith.constant dense<0> : tensor<2x3xi32>
  %4 = arith.select %2, %labels, %3 : tensor<2x3xi1>, tensor<2x3xi32>
  %5 = tensor.expand_shape %4 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xi32> into tensor<2x3x1xi32>
  %6 = arith.constant dense<0> : tensor<i32>
  %7 = prec_train.broadcast %6 dims [] : (tensor<i32>) -> tensor<2x3x1xi32>
  %8 = arith.cmpi slt, %5, %7 : tensor<2x3x1xi32>
  %9 = arith.constant dense<8> : tensor<i32>
  %10 = prec_train.broadcast %9 dims [] : (tensor<i32>) -> tensor<2x3x1xi32>
  %11 = arith.addi %5, %10 : tensor<2x3x1xi32>
  %12 = arith.select %8, %11, %5 : tensor<2x3x1xi1>, tensor<2x3x1xi32>
  %13 = tensor.expand_shape %12 [[0], [1], [2, 3]] output_shape [2, 3, 1, 1] : tensor<2x3x1xi32> into tensor<2x3x1x1xi32>
  %14 = tensor.collapse_shape %13 [[0], [1], [2, 3]] : tensor<2x3x1x1xi32> into tensor<2x3x1xi32>
  %15 = prec_train.iota dim 0 : tensor<8xi32>
  %16 = prec_train.broadcast %15 dims [2] : (tensor<8xi32>) -> tensor<2x3x8xi32>
  %17 = tensor.collapse_shape %14 [[0], [1, 2]] : tensor<2x3x1xi32> into tensor<2x3xi32>
  %18 = prec_train.broadcast %17 dims [0, 1] : (tensor<2x3xi32>) -> tensor<2x3x8xi32>
  %19 = arith.cmpi eq, %18, %16 : tensor<2x3x8xi32>
  %20 = arith.constant dense<0.000000000e+00> : tensor<2x3x8xf32>
  %21 = arith.select %19, %x, %20 : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %22 = prec_train.reduce sum %21 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %23 = tensor.expand_shape %22 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %25 = tensor.collapse_shape %23 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %26 = prec_train.reduce max %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %27 = arith.constant dense<0xFF800000> : tensor<f32>
  %28 = prec_train.broadcast %27 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %29 = arith.maximumf %28, %26 : tensor<2x3xf32>
  %30 = math.absf %29 : tensor<2x3xf32>
  %31 = arith.constant dense<0x7F800000> : tensor<2x3xf32>
  %32 = arith.cmpf olt, %30, %31 : tensor<2x3xf32>
  %33 = arith.constant dense<0.000000000e+00> : tensor<2x3xf32>
  %34 = arith.select %32, %29, %33 : tensor<2x3xi1>, tensor<2x3xf32>
  %35 = tensor.expand_shape %34 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %36 = tensor.collapse_shape %35 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %37 = prec_train.broadcast %36 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %38 = arith.subf %x, %37 : tensor<2x3x8xf32>
  %39 = math.exp %38 : tensor<2x3x8xf32>
  %40 = prec_train.reduce sum %39 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %41 = math.absf %40 : tensor<2x3xf32>
  %42 = arith.constant dense<0.000000000e+00> : tensor<f32>
  %43 = prec_train.broadcast %42 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %44 = arith.cmpf oge, %40, %43 : tensor<2x3xf32>
  %45 = math.log %41 : tensor<2x3xf32>
  %46 = arith.addf %45, %34 : tensor<2x3xf32>
  %47 = arith.subf %46, %25 : tensor<2x3xf32>
  %48 = arith.select %2, %47, %33 : tensor<2x3xi1>, tensor<2x3xf32>
  %49 = prec_train.reduce sum %48 dims [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %50 = arith.extui %2 : tensor<2x3xi1> to tensor<2x3xi32>
  %51 = prec_train.reduce sum %50 dims [0, 1] : (tensor<2x3xi32>) -> tensor<i32>
  %52 = arith.constant dense<1> : tensor<i32>
  %53 = arith.maxsi %51, %52 : tensor<i32>
  %54 = arith.sitofp %53 : tensor<i32> to tensor<f32>
  %55 = arith.divf %49, %54 : tensor<f32>
  %56 = arith.constant dense<1.000000000e+00> : tensor<f32>
  %57 = arith.divf %56, %54 : tensor<f32>
  %58 = prec_train.broadcast %57 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %59 = arith.select %2, %58, %33 : tensor<2x3xi1>, tensor<2x3xf32>
  %60 = arith.negf %59 : tensor<2x3xf32>
  %61 = arith.divf %59, %41 : tensor<2x3xf32>
  %62 = arith.select %44, %33, %61 : tensor<2x3xi1>, tensor<2x3xf32>
  %63 = arith.select %44, %61, %33 : tensor<2x3xi1>, tensor<2x3xf32>
  %64 = arith.negf %62 : tensor<2x3xf32>
  %65 = arith.addf %63, %64 : tensor<2x3xf32>
  %66 = prec_train.broadcast %65 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %67 = arith.mulf %66, %39 : tensor<2x3x8xf32>
  %69 = tensor.expand_shape %60 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %70 = tensor.collapse_shape %13 [[0], [1], [2, 3]] : tensor<2x3x1x1xi32> into tensor<2x3x1xi32>
  %71 = prec_train.iota dim 0 : tensor<8xi32>
  %72 = prec_train.broadcast %71 dims [2] : (tensor<8xi32>) -> tensor<2x3x8xi32>
  %73 = tensor.collapse_shape %70 [[0], [1, 2]] : tensor<2x3x1xi32> into tensor<2x3xi32>
  %74 = prec_train.broadcast %73 dims [0, 1] : (tensor<2x3xi32>) -> tensor<2x3x8xi32>
  %75 = arith.cmpi eq, %74, %72 : tensor<2x3x8xi32>
  %76 = tensor.collapse_shape %69 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %77 = prec_train.broadcast %76 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %78 = arith.select %75, %77, %20 : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %79 = arith.addf %67, %78 : tensor<2x3x8xf32>
  return %55, %79 : tensor<f32>, tensor<2x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @loss_weighted(
// CHECK: %[[LOSS:.*]], %[[MAX:.*]], %[[LOG:.*]] = prec_train.cross_entropy %[[X:.*]], %[[L:.*]] {ignore_index = [[IGNORED:.*]] : i32}
// CHECK: %[[D:.*]] = prec_train.cross_entropy_grad %{{.*}}, %[[X]], %[[L]], %[[MAX]], %[[LOG]] {ignore_index = [[IGNORED]] : i32}
// CHECK: %[[DX:.*]] = tensor.expand_shape %[[D]]
// CHECK: return %[[LOSS]], %[[DX]]
func.func @loss_weighted(%x: tensor<2x3x8xf32>, %labels: tensor<2x3xi32>) -> (tensor<f32>, tensor<2x3x8xf32>) {
  %0 = arith.constant dense<-100> : tensor<i32>
  %1 = prec_train.broadcast %0 dims [] : (tensor<i32>) -> tensor<2x3xi32>
  %2 = arith.cmpi ne, %labels, %1 : tensor<2x3xi32>
  %3 = arith.uitofp %2 : tensor<2x3xi1> to tensor<2x3xf32>
  %4 = tensor.expand_shape %labels [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xi32> into tensor<2x3x1xi32>
  %5 = prec_train.iota dim 2 : tensor<1x1x8xi32>
  %6 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<2x3x1xi32> into tensor<2x3xi32>
  %7 = prec_train.broadcast %6 dims [0, 1] : (tensor<2x3xi32>) -> tensor<2x3x8xi32>
  %8 = tensor.collapse_shape %5 [[0, 1, 2]] : tensor<1x1x8xi32> into tensor<8xi32>
  %9 = prec_train.broadcast %8 dims [2] : (tensor<8xi32>) -> tensor<2x3x8xi32>
  %10 = arith.cmpi eq, %7, %9 : tensor<2x3x8xi32>
  %11 = arith.uitofp %10 : tensor<2x3x8xi1> to tensor<2x3x8xf32>
  %12 = prec_train.reduce max %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %13 = arith.constant dense<0xFF800000> : tensor<f32>
  %14 = prec_train.broadcast %13 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %15 = arith.maximumf %14, %12 : tensor<2x3xf32>
  %16 = tensor.expand_shape %15 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %17 = tensor.collapse_shape %16 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %18 = prec_train.broadcast %17 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %19 = arith.subf %x, %18 : tensor<2x3x8xf32>
  %20 = math.exp %19 : tensor<2x3x8xf32>
  %21 = prec_train.reduce sum %20 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %22 = tensor.expand_shape %21 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %23 = math.log %22 : tensor<2x3x1xf32>
  %24 = tensor.collapse_shape %23 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %25 = prec_train.broadcast %24 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %26 = arith.subf %19, %25 : tensor<2x3x8xf32>
  %27 = arith.mulf %11, %26 : tensor<2x3x8xf32>
  %28 = prec_train.reduce sum %27 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %29 = arith.negf %28 : tensor<2x3xf32>
  %30 = arith.mulf %29, %3 : tensor<2x3xf32>
  %31 = prec_train.reduce sum %30 dims [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %32 = prec_train.reduce sum %3 dims [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %33 = arith.constant dense<1.000000000e+00> : tensor<f32>
  %34 = arith.maximumf %32, %33 : tensor<f32>
  %35 = arith.divf %31, %34 : tensor<f32>
  %36 = arith.divf %33, %34 : tensor<f32>
  %37 = prec_train.broadcast %36 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %38 = arith.mulf %37, %3 : tensor<2x3xf32>
  %39 = arith.negf %38 : tensor<2x3xf32>
  %40 = prec_train.broadcast %39 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %41 = arith.mulf %11, %40 : tensor<2x3x8xf32>
  %42 = arith.negf %41 : tensor<2x3x8xf32>
  %43 = prec_train.reduce sum %42 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %44 = tensor.expand_shape %43 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %45 = arith.divf %44, %22 : tensor<2x3x1xf32>
  %46 = prec_train.reduce sum %45 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %47 = prec_train.broadcast %46 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %48 = arith.mulf %47, %20 : tensor<2x3x8xf32>
  %49 = arith.addf %41, %48 : tensor<2x3x8xf32>
  return %35, %49 : tensor<f32>, tensor<2x3x8xf32>
}
