// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// Made by test/Import/jax_forms.py: jaxprs of forward and gradient.

// CHECK-LABEL: func.func @layer_plain(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = prec_train.layer_norm %arg1, %arg2, %arg3 {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]], %[[DB:.*]] = prec_train.layer_norm_grad %arg0, %arg1, %arg2, %[[MEAN]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]], %[[DB]]
func.func @layer_plain(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>, %beta: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = prec_train.reduce sum %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %2 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %3 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %4 = arith.divf %1, %3 : tensor<2x3x1xf32>
  %5 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %6 = prec_train.broadcast %5 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %7 = arith.subf %x, %6 : tensor<2x3x8xf32>
  %8 = prec_train.reduce sum %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %9 = tensor.expand_shape %8 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %10 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %11 = arith.divf %9, %10 : tensor<2x3x1xf32>
  %12 = tensor.collapse_shape %11 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %13 = prec_train.broadcast %12 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %14 = arith.subf %x, %13 : tensor<2x3x8xf32>
  %15 = arith.mulf %14, %14 : tensor<2x3x8xf32>
  %16 = arith.constant dense<2.000000000e+00> : tensor<f32>
  %17 = prec_train.broadcast %16 dims [] : (tensor<f32>) -> tensor<2x3x8xf32>
  %18 = arith.mulf %17, %14 : tensor<2x3x8xf32>
  %19 = prec_train.reduce sum %15 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %20 = tensor.expand_shape %19 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %21 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %22 = arith.divf %20, %21 : tensor<2x3x1xf32>
  %23 = arith.constant dense<true> : tensor<i1>
  %24 = arith.constant dense<0x7FC00000> : tensor<2x3x1xf32>
  %25 = prec_train.broadcast %23 dims [] : (tensor<i1>) -> tensor<2x3x1xi1>
  %26 = arith.select %25, %22, %24 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %27 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %28 = prec_train.broadcast %27 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %29 = arith.addf %26, %28 : tensor<2x3x1xf32>
  %30 = math.rsqrt %29 : tensor<2x3x1xf32>
  %31 = arith.divf %30, %29 : tensor<2x3x1xf32>
  %32 = arith.constant dense<-5.000000000e-01> : tensor<f32>
  %33 = prec_train.broadcast %32 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %34 = arith.mulf %33, %31 : tensor<2x3x1xf32>
  %35 = tensor.collapse_shape %30 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %36 = prec_train.broadcast %35 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %37 = arith.mulf %7, %36 : tensor<2x3x8xf32>
  %38 = tensor.expand_shape %gamma [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %39 = tensor.collapse_shape %38 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %40 = prec_train.broadcast %39 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %41 = arith.mulf %37, %40 : tensor<2x3x8xf32>
  %42 = tensor.expand_shape %beta [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %43 = tensor.collapse_shape %42 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %44 = prec_train.broadcast %43 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %45 = arith.addf %41, %44 : tensor<2x3x8xf32>
  %46 = prec_train.reduce sum %dy dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %47 = tensor.expand_shape %46 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %48 = prec_train.reduce sum %47 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %49 = arith.mulf %37, %dy : tensor<2x3x8xf32>
  %50 = prec_train.reduce sum %49 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %51 = tensor.expand_shape %50 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %52 = tensor.collapse_shape %38 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %53 = prec_train.broadcast %52 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %54 = arith.mulf %dy, %53 : tensor<2x3x8xf32>
  %55 = prec_train.reduce sum %51 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %56 = arith.mulf %7, %54 : tensor<2x3x8xf32>
  %57 = prec_train.reduce sum %56 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %58 = tensor.expand_shape %57 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %59 = tensor.collapse_shape %30 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %60 = prec_train.broadcast %59 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %61 = arith.mulf %54, %60 : tensor<2x3x8xf32>
  %62 = arith.mulf %58, %34 : tensor<2x3x1xf32>
  %63 = arith.constant dense<0.000000000e+00> : tensor<2x3x1xf32>
  %64 = prec_train.broadcast %23 dims [] : (tensor<i1>) -> tensor<2x3x1xi1>
  %65 = arith.select %64, %62, %63 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %66 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %67 = arith.divf %65, %66 : tensor<2x3x1xf32>
  %68 = prec_train.reduce sum %67 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %69 = prec_train.broadcast %68 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %70 = arith.mulf %69, %18 : tensor<2x3x8xf32>
  %71 = arith.negf %70 : tensor<2x3x8xf32>
  %72 = prec_train.reduce sum %71 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %73 = tensor.expand_shape %72 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %74 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %75 = arith.divf %73, %74 : tensor<2x3x1xf32>
  %76 = prec_train.reduce sum %75 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %77 = prec_train.broadcast %76 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %78 = arith.addf %70, %77 : tensor<2x3x8xf32>
  %79 = arith.negf %61 : tensor<2x3x8xf32>
  %80 = prec_train.reduce sum %79 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %81 = tensor.expand_shape %80 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %82 = arith.addf %78, %61 : tensor<2x3x8xf32>
  %83 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %84 = arith.divf %81, %83 : tensor<2x3x1xf32>
  %85 = prec_train.reduce sum %84 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %86 = prec_train.broadcast %85 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %87 = arith.addf %82, %86 : tensor<2x3x8xf32>
  return %45, %87, %55, %48 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @layer_standardized(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = prec_train.layer_norm %arg1, %arg2, %arg3 {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]], %[[DB:.*]] = prec_train.layer_norm_grad %arg0, %arg1, %arg2, %[[MEAN]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]], %[[DB]]
func.func @layer_standardized(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>, %beta: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = prec_train.reduce sum %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %2 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %3 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %4 = arith.divf %1, %3 : tensor<2x3x1xf32>
  %5 = arith.mulf %x, %x : tensor<2x3x8xf32>
  %6 = arith.constant dense<2.000000000e+00> : tensor<f32>
  %7 = prec_train.broadcast %6 dims [] : (tensor<f32>) -> tensor<2x3x8xf32>
  %8 = arith.mulf %7, %x : tensor<2x3x8xf32>
  %9 = prec_train.reduce sum %5 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %10 = tensor.expand_shape %9 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %11 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %12 = arith.divf %10, %11 : tensor<2x3x1xf32>
  %13 = arith.mulf %4, %4 : tensor<2x3x1xf32>
  %14 = prec_train.broadcast %6 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %15 = arith.mulf %14, %4 : tensor<2x3x1xf32>
  %16 = arith.subf %12, %13 : tensor<2x3x1xf32>
  %17 = arith.constant dense<0.000000000e+00> : tensor<f32>
  %18 = prec_train.broadcast %17 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %19 = arith.maximumf %18, %16 : tensor<2x3x1xf32>
  %20 = arith.cmpf oeq, %16, %19 : tensor<2x3x1xf32>
  %21 = arith.constant dense<0.000000000e+00> : tensor<2x3x1xf32>
  %22 = arith.constant dense<1.000000000e+00> : tensor<2x3x1xf32>
  %23 = arith.select %20, %22, %21 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %24 = prec_train.broadcast %17 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %25 = arith.cmpf oeq, %24, %19 : tensor<2x3x1xf32>
  %26 = arith.constant dense<2.000000000e+00> : tensor<2x3x1xf32>
  %27 = arith.select %25, %26, %22 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %28 = arith.divf %23, %27 : tensor<2x3x1xf32>
  %29 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %30 = prec_train.broadcast %29 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %31 = arith.subf %x, %30 : tensor<2x3x8xf32>
  %32 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %33 = prec_train.broadcast %32 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %34 = arith.addf %19, %33 : tensor<2x3x1xf32>
  %35 = math.rsqrt %34 : tensor<2x3x1xf32>
  %36 = arith.divf %35, %34 : tensor<2x3x1xf32>
  %37 = arith.constant dense<-5.000000000e-01> : tensor<f32>
  %38 = prec_train.broadcast %37 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %39 = arith.mulf %38, %36 : tensor<2x3x1xf32>
  %40 = tensor.collapse_shape %35 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %41 = prec_train.broadcast %40 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %42 = arith.mulf %31, %41 : tensor<2x3x8xf32>
  %43 = tensor.expand_shape %gamma [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %44 = tensor.collapse_shape %43 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %45 = prec_train.broadcast %44 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %46 = arith.mulf %42, %45 : tensor<2x3x8xf32>
  %47 = tensor.expand_shape %beta [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %48 = tensor.collapse_shape %47 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %49 = prec_train.broadcast %48 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %50 = arith.addf %46, %49 : tensor<2x3x8xf32>
  %51 = prec_train.reduce sum %dy dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %52 = tensor.expand_shape %51 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %53 = prec_train.reduce sum %52 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %54 = arith.mulf %42, %dy : tensor<2x3x8xf32>
  %55 = prec_train.reduce sum %54 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %56 = tensor.expand_shape %55 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %57 = tensor.collapse_shape %43 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %58 = prec_train.broadcast %57 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %59 = arith.mulf %dy, %58 : tensor<2x3x8xf32>
  %60 = prec_train.reduce sum %56 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %61 = arith.mulf %31, %59 : tensor<2x3x8xf32>
  %62 = prec_train.reduce sum %61 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %63 = tensor.expand_shape %62 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %64 = tensor.collapse_shape %35 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %65 = prec_train.broadcast %64 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %66 = arith.mulf %59, %65 : tensor<2x3x8xf32>
  %67 = arith.mulf %63, %39 : tensor<2x3x1xf32>
  %68 = arith.negf %66 : tensor<2x3x8xf32>
  %69 = prec_train.reduce sum %68 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %70 = tensor.expand_shape %69 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %71 = arith.mulf %67, %28 : tensor<2x3x1xf32>
  %72 = arith.negf %71 : tensor<2x3x1xf32>
  %73 = arith.mulf %72, %15 : tensor<2x3x1xf32>
  %74 = arith.addf %70, %73 : tensor<2x3x1xf32>
  %75 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %76 = arith.divf %71, %75 : tensor<2x3x1xf32>
  %77 = prec_train.reduce sum %76 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %78 = prec_train.broadcast %77 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %79 = arith.mulf %78, %8 : tensor<2x3x8xf32>
  %80 = arith.addf %66, %79 : tensor<2x3x8xf32>
  %81 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %82 = arith.divf %74, %81 : tensor<2x3x1xf32>
  %83 = prec_train.reduce sum %82 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %84 = prec_train.broadcast %83 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %85 = arith.addf %80, %84 : tensor<2x3x8xf32>
  return %50, %85, %60, %53 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @layer_divided(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = prec_train.layer_norm %arg1, %arg2, %arg3 {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]], %[[DB:.*]] = prec_train.layer_norm_grad %arg0, %arg1, %arg2, %[[MEAN]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]], %[[DB]]
func.func @layer_divided(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>, %beta: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = prec_train.reduce sum %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %2 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %3 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %4 = arith.divf %1, %3 : tensor<2x3x1xf32>
  %5 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %6 = prec_train.broadcast %5 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %7 = arith.subf %x, %6 : tensor<2x3x8xf32>
  %8 = arith.mulf %7, %7 : tensor<2x3x8xf32>
  %9 = prec_train.reduce sum %8 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %10 = tensor.expand_shape %9 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %11 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %12 = arith.divf %10, %11 : tensor<2x3x1xf32>
  %13 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %14 = prec_train.broadcast %13 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %15 = arith.addf %12, %14 : tensor<2x3x1xf32>
  %16 = math.sqrt %15 : tensor<2x3x1xf32>
  %17 = arith.constant dense<5.000000000e-01> : tensor<f32>
  %18 = prec_train.broadcast %17 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %19 = arith.divf %18, %16 : tensor<2x3x1xf32>
  %20 = tensor.collapse_shape %16 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %21 = prec_train.broadcast %20 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %22 = arith.divf %7, %21 : tensor<2x3x8xf32>
  %23 = arith.constant dense<-2.000000000e+00> : tensor<2x3x1xf32>
  %24 = math.powf %16, %23 : tensor<2x3x1xf32>
  %25 = tensor.expand_shape %gamma [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %26 = tensor.collapse_shape %25 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %27 = prec_train.broadcast %26 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %28 = arith.mulf %27, %22 : tensor<2x3x8xf32>
  %29 = tensor.expand_shape %beta [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %30 = tensor.collapse_shape %29 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %31 = prec_train.broadcast %30 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %32 = arith.addf %28, %31 : tensor<2x3x8xf32>
  %33 = prec_train.reduce sum %dy dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %34 = tensor.expand_shape %33 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %35 = prec_train.reduce sum %34 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %36 = tensor.collapse_shape %25 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %37 = prec_train.broadcast %36 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %38 = arith.mulf %37, %dy : tensor<2x3x8xf32>
  %39 = arith.mulf %dy, %22 : tensor<2x3x8xf32>
  %40 = prec_train.reduce sum %39 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %41 = tensor.expand_shape %40 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %42 = prec_train.reduce sum %41 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %43 = tensor.collapse_shape %24 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %44 = prec_train.broadcast %43 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %45 = arith.mulf %38, %44 : tensor<2x3x8xf32>
  %46 = arith.mulf %45, %7 : tensor<2x3x8xf32>
  %47 = prec_train.reduce sum %46 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %48 = tensor.expand_shape %47 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %49 = arith.negf %48 : tensor<2x3x1xf32>
  %50 = tensor.collapse_shape %16 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %51 = prec_train.broadcast %50 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %52 = arith.divf %38, %51 : tensor<2x3x8xf32>
  %53 = arith.mulf %49, %19 : tensor<2x3x1xf32>
  %54 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %55 = arith.divf %53, %54 : tensor<2x3x1xf32>
  %56 = prec_train.reduce sum %55 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %57 = prec_train.broadcast %56 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %58 = arith.mulf %7, %57 : tensor<2x3x8xf32>
  %59 = arith.addf %52, %58 : tensor<2x3x8xf32>
  %60 = arith.mulf %57, %7 : tensor<2x3x8xf32>
  %61 = arith.addf %59, %60 : tensor<2x3x8xf32>
  %62 = arith.negf %61 : tensor<2x3x8xf32>
  %63 = prec_train.reduce sum %62 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %64 = tensor.expand_shape %63 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %65 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %66 = arith.divf %64, %65 : tensor<2x3x1xf32>
  %67 = prec_train.reduce sum %66 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %68 = prec_train.broadcast %67 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %69 = arith.addf %61, %68 : tensor<2x3x8xf32>
  return %32, %69, %42, %35 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @layer_flax(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = prec_train.layer_norm %arg1, %arg2, %arg3 {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]], %[[DB:.*]] = prec_train.layer_norm_grad %arg0, %arg1, %arg2, %[[MEAN]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]], %[[DB]]
func.func @layer_flax(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>, %beta: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = arith.mulf %x, %x : tensor<2x3x8xf32>
  %1 = arith.constant dense<2.000000000e+00> : tensor<f32>
  %2 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3x8xf32>
  %3 = arith.mulf %2, %x : tensor<2x3x8xf32>
  %4 = prec_train.reduce sum %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %5 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %6 = prec_train.broadcast %5 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %7 = arith.divf %4, %6 : tensor<2x3xf32>
  %8 = prec_train.reduce sum %0 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %9 = prec_train.broadcast %5 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %10 = arith.divf %8, %9 : tensor<2x3xf32>
  %11 = arith.mulf %7, %7 : tensor<2x3xf32>
  %12 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %13 = arith.mulf %12, %7 : tensor<2x3xf32>
  %14 = arith.subf %10, %11 : tensor<2x3xf32>
  %15 = arith.constant dense<0.000000000e+00> : tensor<f32>
  %16 = prec_train.broadcast %15 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %17 = arith.maximumf %16, %14 : tensor<2x3xf32>
  %18 = arith.cmpf oeq, %14, %17 : tensor<2x3xf32>
  %19 = arith.constant dense<0.000000000e+00> : tensor<2x3xf32>
  %20 = arith.constant dense<1.000000000e+00> : tensor<2x3xf32>
  %21 = arith.select %18, %20, %19 : tensor<2x3xi1>, tensor<2x3xf32>
  %22 = prec_train.broadcast %15 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %23 = arith.cmpf oeq, %22, %17 : tensor<2x3xf32>
  %24 = arith.constant dense<2.000000000e+00> : tensor<2x3xf32>
  %25 = arith.select %23, %24, %20 : tensor<2x3xi1>, tensor<2x3xf32>
  %26 = arith.divf %21, %25 : tensor<2x3xf32>
  %27 = tensor.expand_shape %7 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %28 = tensor.expand_shape %17 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %29 = tensor.collapse_shape %27 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %30 = prec_train.broadcast %29 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %31 = arith.subf %x, %30 : tensor<2x3x8xf32>
  %32 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %33 = prec_train.broadcast %32 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %34 = arith.addf %28, %33 : tensor<2x3x1xf32>
  %35 = math.rsqrt %34 : tensor<2x3x1xf32>
  %36 = arith.divf %35, %34 : tensor<2x3x1xf32>
  %37 = arith.constant dense<-5.000000000e-01> : tensor<f32>
  %38 = prec_train.broadcast %37 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %39 = arith.mulf %38, %36 : tensor<2x3x1xf32>
  %40 = tensor.expand_shape %gamma [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %41 = tensor.collapse_shape %35 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %42 = prec_train.broadcast %41 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %43 = tensor.collapse_shape %40 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %44 = prec_train.broadcast %43 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %45 = arith.mulf %42, %44 : tensor<2x3x8xf32>
  %46 = arith.mulf %31, %45 : tensor<2x3x8xf32>
  %47 = tensor.expand_shape %beta [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %48 = tensor.collapse_shape %47 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %49 = prec_train.broadcast %48 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %50 = arith.addf %46, %49 : tensor<2x3x8xf32>
  %51 = prec_train.reduce sum %dy dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %52 = tensor.expand_shape %51 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %53 = tensor.collapse_shape %52 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %54 = arith.mulf %31, %dy : tensor<2x3x8xf32>
  %55 = arith.mulf %dy, %45 : tensor<2x3x8xf32>
  %56 = tensor.collapse_shape %35 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %57 = prec_train.broadcast %56 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %58 = arith.mulf %57, %54 : tensor<2x3x8xf32>
  %59 = prec_train.reduce sum %58 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %60 = tensor.expand_shape %59 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %61 = tensor.collapse_shape %40 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %62 = prec_train.broadcast %61 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %63 = arith.mulf %54, %62 : tensor<2x3x8xf32>
  %64 = prec_train.reduce sum %63 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %65 = tensor.expand_shape %64 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %66 = tensor.collapse_shape %60 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %67 = arith.mulf %65, %39 : tensor<2x3x1xf32>
  %68 = arith.negf %55 : tensor<2x3x8xf32>
  %69 = prec_train.reduce sum %68 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %70 = tensor.expand_shape %69 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %71 = prec_train.reduce sum %67 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %72 = prec_train.reduce sum %70 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %73 = arith.mulf %71, %26 : tensor<2x3xf32>
  %74 = arith.negf %73 : tensor<2x3xf32>
  %75 = arith.mulf %74, %13 : tensor<2x3xf32>
  %76 = arith.addf %72, %75 : tensor<2x3xf32>
  %77 = prec_train.broadcast %5 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %78 = arith.divf %73, %77 : tensor<2x3xf32>
  %79 = prec_train.broadcast %78 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %80 = prec_train.broadcast %5 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %81 = arith.divf %76, %80 : tensor<2x3xf32>
  %82 = prec_train.broadcast %81 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %83 = arith.addf %55, %82 : tensor<2x3x8xf32>
  %84 = arith.mulf %79, %3 : tensor<2x3x8xf32>
  %85 = arith.addf %83, %84 : tensor<2x3x8xf32>
  return %50, %85, %66, %53 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @layer_flax_two_pass(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = prec_train.layer_norm %arg1, %arg2, %arg3 {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]], %[[DB:.*]] = prec_train.layer_norm_grad %arg0, %arg1, %arg2, %[[MEAN]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]], %[[DB]]
func.func @layer_flax_two_pass(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>, %beta: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = prec_train.reduce sum %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %1 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %2 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %3 = arith.divf %0, %2 : tensor<2x3xf32>
  %4 = tensor.expand_shape %3 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %5 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %6 = prec_train.broadcast %5 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %7 = arith.subf %x, %6 : tensor<2x3x8xf32>
  %8 = arith.mulf %7, %7 : tensor<2x3x8xf32>
  %9 = arith.constant dense<2.000000000e+00> : tensor<f32>
  %10 = prec_train.broadcast %9 dims [] : (tensor<f32>) -> tensor<2x3x8xf32>
  %11 = arith.mulf %10, %7 : tensor<2x3x8xf32>
  %12 = prec_train.reduce sum %8 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %13 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %14 = arith.divf %12, %13 : tensor<2x3xf32>
  %15 = tensor.expand_shape %3 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %16 = tensor.expand_shape %14 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %17 = tensor.collapse_shape %15 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %18 = prec_train.broadcast %17 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %19 = arith.subf %x, %18 : tensor<2x3x8xf32>
  %20 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %21 = prec_train.broadcast %20 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %22 = arith.addf %16, %21 : tensor<2x3x1xf32>
  %23 = math.rsqrt %22 : tensor<2x3x1xf32>
  %24 = arith.divf %23, %22 : tensor<2x3x1xf32>
  %25 = arith.constant dense<-5.000000000e-01> : tensor<f32>
  %26 = prec_train.broadcast %25 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %27 = arith.mulf %26, %24 : tensor<2x3x1xf32>
  %28 = tensor.expand_shape %gamma [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %29 = tensor.collapse_shape %23 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %30 = prec_train.broadcast %29 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %31 = tensor.collapse_shape %28 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %32 = prec_train.broadcast %31 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %33 = arith.mulf %30, %32 : tensor<2x3x8xf32>
  %34 = arith.mulf %19, %33 : tensor<2x3x8xf32>
  %35 = tensor.expand_shape %beta [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %36 = tensor.collapse_shape %35 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %37 = prec_train.broadcast %36 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %38 = arith.addf %34, %37 : tensor<2x3x8xf32>
  %39 = prec_train.reduce sum %dy dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %40 = tensor.expand_shape %39 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %41 = tensor.collapse_shape %40 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %42 = arith.mulf %19, %dy : tensor<2x3x8xf32>
  %43 = arith.mulf %dy, %33 : tensor<2x3x8xf32>
  %44 = tensor.collapse_shape %23 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %45 = prec_train.broadcast %44 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %46 = arith.mulf %45, %42 : tensor<2x3x8xf32>
  %47 = prec_train.reduce sum %46 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %48 = tensor.expand_shape %47 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %49 = tensor.collapse_shape %28 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %50 = prec_train.broadcast %49 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %51 = arith.mulf %42, %50 : tensor<2x3x8xf32>
  %52 = prec_train.reduce sum %51 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %53 = tensor.expand_shape %52 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %54 = tensor.collapse_shape %48 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %55 = arith.mulf %53, %27 : tensor<2x3x1xf32>
  %56 = arith.negf %43 : tensor<2x3x8xf32>
  %57 = prec_train.reduce sum %56 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %58 = tensor.expand_shape %57 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %59 = prec_train.reduce sum %55 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %60 = prec_train.reduce sum %58 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %61 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %62 = arith.divf %59, %61 : tensor<2x3xf32>
  %63 = prec_train.broadcast %62 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %64 = arith.mulf %63, %11 : tensor<2x3x8xf32>
  %65 = arith.negf %64 : tensor<2x3x8xf32>
  %66 = prec_train.reduce sum %65 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %67 = tensor.expand_shape %66 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %68 = arith.addf %43, %64 : tensor<2x3x8xf32>
  %69 = prec_train.reduce sum %67 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %70 = arith.addf %60, %69 : tensor<2x3xf32>
  %71 = prec_train.broadcast %1 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %72 = arith.divf %70, %71 : tensor<2x3xf32>
  %73 = prec_train.broadcast %72 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %74 = arith.addf %68, %73 : tensor<2x3x8xf32>
  return %38, %74, %54, %41 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @layer_equinox(
// CHECK-NOT: {{arith|math}}
// CHECK: %[[Y:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = prec_train.layer_norm %arg1, %arg2, %arg3 {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]], %[[DB:.*]] = prec_train.layer_norm_grad %arg0, %arg1, %arg2, %[[MEAN]], %[[RSTD]]
// CHECK: return %[[Y]], %[[DX]], %[[DG]], %[[DB]]
func.func @layer_equinox(%dy: tensor<2x3x8xf32>, %x: tensor<2x3x8xf32>, %gamma: tensor<8xf32>, %beta: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = prec_train.reduce sum %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %2 = arith.constant dense<8.000000000e+00> : tensor<f32>
  %3 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %4 = arith.divf %1, %3 : tensor<2x3x1xf32>
  %5 = prec_train.reduce sum %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %6 = tensor.expand_shape %5 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %7 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %8 = arith.divf %6, %7 : tensor<2x3x1xf32>
  %9 = tensor.collapse_shape %8 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %10 = prec_train.broadcast %9 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %11 = arith.subf %x, %10 : tensor<2x3x8xf32>
  %12 = arith.mulf %11, %11 : tensor<2x3x8xf32>
  %13 = arith.constant dense<2.000000000e+00> : tensor<f32>
  %14 = prec_train.broadcast %13 dims [] : (tensor<f32>) -> tensor<2x3x8xf32>
  %15 = arith.mulf %14, %11 : tensor<2x3x8xf32>
  %16 = prec_train.reduce sum %12 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %17 = tensor.expand_shape %16 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %18 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %19 = arith.divf %17, %18 : tensor<2x3x1xf32>
  %20 = arith.constant dense<true> : tensor<i1>
  %21 = arith.constant dense<0x7FC00000> : tensor<2x3x1xf32>
  %22 = prec_train.broadcast %20 dims [] : (tensor<i1>) -> tensor<2x3x1xi1>
  %23 = arith.select %22, %19, %21 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %24 = arith.constant dense<0.000000000e+00> : tensor<f32>
  %25 = prec_train.broadcast %24 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %26 = arith.maximumf %25, %23 : tensor<2x3x1xf32>
  %27 = arith.cmpf oeq, %23, %26 : tensor<2x3x1xf32>
  %28 = arith.constant dense<0.000000000e+00> : tensor<2x3x1xf32>
  %29 = arith.constant dense<1.000000000e+00> : tensor<2x3x1xf32>
  %30 = arith.select %27, %29, %28 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %31 = prec_train.broadcast %24 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %32 = arith.cmpf oeq, %31, %26 : tensor<2x3x1xf32>
  %33 = arith.constant dense<2.000000000e+00> : tensor<2x3x1xf32>
  %34 = arith.select %32, %33, %29 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %35 = arith.divf %30, %34 : tensor<2x3x1xf32>
  %36 = arith.constant dense<9.999999747e-06> : tensor<f32>
  %37 = prec_train.broadcast %36 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %38 = arith.addf %26, %37 : tensor<2x3x1xf32>
  %39 = math.rsqrt %38 : tensor<2x3x1xf32>
  %40 = arith.divf %39, %38 : tensor<2x3x1xf32>
  %41 = arith.constant dense<-5.000000000e-01> : tensor<f32>
  %42 = prec_train.broadcast %41 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %43 = arith.mulf %42, %40 : tensor<2x3x1xf32>
  %44 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %45 = prec_train.broadcast %44 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %46 = arith.subf %x, %45 : tensor<2x3x8xf32>
  %47 = tensor.collapse_shape %39 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %48 = prec_train.broadcast %47 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %49 = arith.mulf %46, %48 : tensor<2x3x8xf32>
  %50 = tensor.expand_shape %gamma [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %51 = tensor.expand_shape %50 [[0], [1, 2]] output_shape [1, 1, 8] : tensor<1x8xf32> into tensor<1x1x8xf32>
  %52 = tensor.collapse_shape %51 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %53 = prec_train.broadcast %52 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %54 = arith.mulf %53, %49 : tensor<2x3x8xf32>
  %55 = tensor.expand_shape %beta [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %56 = tensor.expand_shape %55 [[0], [1, 2]] output_shape [1, 1, 8] : tensor<1x8xf32> into tensor<1x1x8xf32>
  %57 = tensor.collapse_shape %56 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %58 = prec_train.broadcast %57 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %59 = arith.addf %54, %58 : tensor<2x3x8xf32>
  %60 = prec_train.reduce sum %dy dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %61 = tensor.expand_shape %60 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %62 = prec_train.reduce sum %61 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %63 = tensor.expand_shape %62 [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %64 = prec_train.reduce sum %63 dims [0] : (tensor<1x8xf32>) -> tensor<8xf32>
  %65 = tensor.collapse_shape %51 [[0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
  %66 = prec_train.broadcast %65 dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %67 = arith.mulf %66, %dy : tensor<2x3x8xf32>
  %68 = arith.mulf %dy, %49 : tensor<2x3x8xf32>
  %69 = prec_train.reduce sum %68 dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
  %70 = tensor.expand_shape %69 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
  %71 = prec_train.reduce sum %70 dims [0, 1] : (tensor<1x1x8xf32>) -> tensor<8xf32>
  %72 = tensor.expand_shape %71 [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %73 = prec_train.reduce sum %72 dims [0] : (tensor<1x8xf32>) -> tensor<8xf32>
  %74 = arith.mulf %46, %67 : tensor<2x3x8xf32>
  %75 = prec_train.reduce sum %74 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %76 = tensor.expand_shape %75 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %77 = tensor.collapse_shape %39 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
  %78 = prec_train.broadcast %77 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %79 = arith.mulf %67, %78 : tensor<2x3x8xf32>
  %80 = arith.negf %79 : tensor<2x3x8xf32>
  %81 = prec_train.reduce sum %80 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %82 = tensor.expand_shape %81 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %83 = arith.mulf %76, %43 : tensor<2x3x1xf32>
  %84 = arith.mulf %83, %35 : tensor<2x3x1xf32>
  %85 = prec_train.broadcast %20 dims [] : (tensor<i1>) -> tensor<2x3x1xi1>
  %86 = arith.select %85, %84, %28 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
  %87 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %88 = arith.divf %86, %87 : tensor<2x3x1xf32>
  %89 = prec_train.reduce sum %88 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %90 = prec_train.broadcast %89 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %91 = arith.mulf %90, %15 : tensor<2x3x8xf32>
  %92 = arith.negf %91 : tensor<2x3x8xf32>
  %93 = prec_train.reduce sum %92 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %94 = tensor.expand_shape %93 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %95 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %96 = arith.divf %94, %95 : tensor<2x3x1xf32>
  %97 = prec_train.reduce sum %96 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %98 = prec_train.broadcast %97 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %99 = arith.addf %91, %98 : tensor<2x3x8xf32>
  %100 = arith.addf %79, %99 : tensor<2x3x8xf32>
  %101 = prec_train.broadcast %2 dims [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %102 = arith.divf %82, %101 : tensor<2x3x1xf32>
  %103 = prec_train.reduce sum %102 dims [2] : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %104 = prec_train.broadcast %103 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %105 = arith.addf %100, %104 : tensor<2x3x8xf32>
  return %59, %105, %73, %64 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
}
