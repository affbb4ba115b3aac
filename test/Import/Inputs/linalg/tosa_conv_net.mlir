// Made by generate_tosa.py.
#map = affine_map<(d0, d1, d2, d3) -> (d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0) -> (0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> (0, 0)>
#map7 = affine_map<(d0, d1) -> (0, d1)>
module {
  func.func @main(%arg0: tensor<32x3x3x3xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x1x3x3xf32>, %arg5: tensor<32xf32>, %arg6: tensor<64x32x1x1xf32>, %arg7: tensor<64xf32>, %arg8: tensor<16x64xf32>, %arg9: tensor<16xf32>, %arg10: tensor<32xf32>, %arg11: tensor<32xf32>, %arg12: tensor<i64>, %arg13: tensor<2x3x32x32xf32>) -> tensor<2x16xf32> {
    %cst = arith.constant 4.000000e+00 : f32
    %cst_0 = arith.constant -3.40282347E+38 : f32
    %cst_1 = arith.constant 3.40282347E+38 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 0.000000e+00 : f32
    %cst_4 = arith.constant dense<9.99999974E-6> : tensor<1xf32>
    %cst_5 = arith.constant dense<5.000000e-01> : tensor<1xf32>
    %cst_6 = arith.constant dense<6.250000e-02> : tensor<1x1xf32>
    %0 = tensor.empty() : tensor<2x32x32x3xf32>
    %transposed = linalg.transpose ins(%arg13 : tensor<2x3x32x32xf32>) outs(%0 : tensor<2x32x32x3xf32>) permutation = [0, 2, 3, 1] 
    %1 = tensor.empty() : tensor<32x3x3x3xf32>
    %transposed_7 = linalg.transpose ins(%arg0 : tensor<32x3x3x3xf32>) outs(%1 : tensor<32x3x3x3xf32>) permutation = [0, 2, 3, 1] 
    %padded = tensor.pad %transposed low[0, 1, 1, 0] high[0, 0, 0, 0] {
    ^bb0(%arg14: index, %arg15: index, %arg16: index, %arg17: index):
      tensor.yield %cst_3 : f32
    } : tensor<2x32x32x3xf32> to tensor<2x33x33x3xf32>
    %2 = tensor.empty() : tensor<2x16x16x32xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<32xf32>) outs(%2 : tensor<2x16x16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x16x32xf32>
    %4 = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %transposed_7 : tensor<2x33x33x3xf32>, tensor<32x3x3x3xf32>) outs(%3 : tensor<2x16x16x32xf32>) -> tensor<2x16x16x32xf32>
    %5 = tensor.empty() : tensor<32xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel"]} ins(%arg11, %cst_4 : tensor<32xf32>, tensor<1xf32>) outs(%5 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.addf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<32xf32>
    %7 = tensor.empty() : tensor<32xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel"]} ins(%6, %cst_5 : tensor<32xf32>, tensor<1xf32>) outs(%7 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = math.powf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<32xf32>
    %9 = tensor.empty() : tensor<32xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%8 : tensor<32xf32>) outs(%9 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.divf %cst_2, %in : f32
      linalg.yield %57 : f32
    } -> tensor<32xf32>
    %expanded = tensor.expand_shape %arg10 [[0, 1, 2, 3]] output_shape [1, 1, 1, 32] : tensor<32xf32> into tensor<1x1x1x32xf32>
    %11 = tensor.empty() : tensor<2x16x16x32xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %expanded : tensor<2x16x16x32xf32>, tensor<1x1x1x32xf32>) outs(%11 : tensor<2x16x16x32xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.subf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x16x16x32xf32>
    %expanded_8 = tensor.expand_shape %10 [[0, 1, 2, 3]] output_shape [1, 1, 1, 32] : tensor<32xf32> into tensor<1x1x1x32xf32>
    %13 = tensor.empty() : tensor<2x16x16x32xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %expanded_8 : tensor<2x16x16x32xf32>, tensor<1x1x1x32xf32>) outs(%13 : tensor<2x16x16x32xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.mulf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x16x16x32xf32>
    %expanded_9 = tensor.expand_shape %arg2 [[0, 1, 2, 3]] output_shape [1, 1, 1, 32] : tensor<32xf32> into tensor<1x1x1x32xf32>
    %15 = tensor.empty() : tensor<2x16x16x32xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %expanded_9 : tensor<2x16x16x32xf32>, tensor<1x1x1x32xf32>) outs(%15 : tensor<2x16x16x32xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.mulf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x16x16x32xf32>
    %expanded_10 = tensor.expand_shape %arg3 [[0, 1, 2, 3]] output_shape [1, 1, 1, 32] : tensor<32xf32> into tensor<1x1x1x32xf32>
    %17 = tensor.empty() : tensor<2x16x16x32xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %expanded_10 : tensor<2x16x16x32xf32>, tensor<1x1x1x32xf32>) outs(%17 : tensor<2x16x16x32xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.addf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x16x16x32xf32>
    %19 = tensor.empty() : tensor<2x16x16x32xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x16x16x32xf32>) outs(%19 : tensor<2x16x16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.minimumf %in, %cst_1 : f32
      %58 = arith.maximumf %57, %cst_3 : f32
      linalg.yield %58 : f32
    } -> tensor<2x16x16x32xf32>
    %padded_11 = tensor.pad %20 low[0, 1, 1, 0] high[0, 0, 0, 0] {
    ^bb0(%arg14: index, %arg15: index, %arg16: index, %arg17: index):
      tensor.yield %cst_0 : f32
    } : tensor<2x16x16x32xf32> to tensor<2x17x17x32xf32>
    %21 = tensor.empty() : tensor<2x8x8x32xf32>
    %22 = linalg.fill ins(%cst_0 : f32) outs(%21 : tensor<2x8x8x32xf32>) -> tensor<2x8x8x32xf32>
    %23 = tensor.empty() : tensor<3x3xf32>
    %24 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_11, %23 : tensor<2x17x17x32xf32>, tensor<3x3xf32>) outs(%22 : tensor<2x8x8x32xf32>) -> tensor<2x8x8x32xf32>
    %25 = tensor.empty() : tensor<3x3x32x1xf32>
    %transposed_12 = linalg.transpose ins(%arg4 : tensor<32x1x3x3xf32>) outs(%25 : tensor<3x3x32x1xf32>) permutation = [2, 3, 0, 1] 
    %padded_13 = tensor.pad %24 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg14: index, %arg15: index, %arg16: index, %arg17: index):
      tensor.yield %cst_3 : f32
    } : tensor<2x8x8x32xf32> to tensor<2x10x10x32xf32>
    %26 = tensor.empty() : tensor<2x8x8x32x1xf32>
    %27 = linalg.fill ins(%cst_3 : f32) outs(%26 : tensor<2x8x8x32x1xf32>) -> tensor<2x8x8x32x1xf32>
    %28 = tensor.empty() : tensor<2x8x8x32xf32>
    %29 = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded_13, %transposed_12 : tensor<2x10x10x32xf32>, tensor<3x3x32x1xf32>) outs(%27 : tensor<2x8x8x32x1xf32>) -> tensor<2x8x8x32x1xf32>
    %collapsed = tensor.collapse_shape %29 [[0], [1], [2], [3, 4]] : tensor<2x8x8x32x1xf32> into tensor<2x8x8x32xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg5, %collapsed : tensor<32xf32>, tensor<2x8x8x32xf32>) outs(%28 : tensor<2x8x8x32xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.addf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x8x8x32xf32>
    %collapsed_14 = tensor.collapse_shape %arg6 [[0], [1, 2, 3]] : tensor<64x32x1x1xf32> into tensor<64x32xf32>
    %expanded_15 = tensor.expand_shape %collapsed_14 [[0, 1, 2], [3]] output_shape [64, 1, 1, 32] : tensor<64x32xf32> into tensor<64x1x1x32xf32>
    %31 = tensor.empty() : tensor<2x8x8x64xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg7 : tensor<64xf32>) outs(%31 : tensor<2x8x8x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8x64xf32>
    %33 = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%30, %expanded_15 : tensor<2x8x8x32xf32>, tensor<64x1x1x32xf32>) outs(%32 : tensor<2x8x8x64xf32>) -> tensor<2x8x8x64xf32>
    %34 = tensor.empty() : tensor<2x8x8x64xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<2x8x8x64xf32>) outs(%34 : tensor<2x8x8x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.negf %in : f32
      %58 = math.exp %57 : f32
      %59 = arith.addf %58, %cst_2 : f32
      %60 = arith.divf %cst_2, %59 : f32
      linalg.yield %60 : f32
    } -> tensor<2x8x8x64xf32>
    %36 = tensor.empty() : tensor<2x8x8x64xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %35 : tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>) outs(%36 : tensor<2x8x8x64xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.mulf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x8x8x64xf32>
    %38 = tensor.empty() : tensor<2x4x4x64xf32>
    %39 = linalg.fill ins(%cst_3 : f32) outs(%38 : tensor<2x4x4x64xf32>) -> tensor<2x4x4x64xf32>
    %40 = tensor.empty() : tensor<2x2xf32>
    %41 = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%37, %40 : tensor<2x8x8x64xf32>, tensor<2x2xf32>) outs(%39 : tensor<2x4x4x64xf32>) -> tensor<2x4x4x64xf32>
    %42 = tensor.empty() : tensor<2x4x4x64xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<2x4x4x64xf32>) outs(%42 : tensor<2x4x4x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %57 = arith.divf %in, %cst : f32
      linalg.yield %57 : f32
    } -> tensor<2x4x4x64xf32>
    %44 = tensor.empty() : tensor<2x64x4x4xf32>
    %transposed_16 = linalg.transpose ins(%43 : tensor<2x4x4x64xf32>) outs(%44 : tensor<2x64x4x4xf32>) permutation = [0, 3, 1, 2] 
    %45 = tensor.empty() : tensor<2x64x4xf32>
    %46 = linalg.fill ins(%cst_3 : f32) outs(%45 : tensor<2x64x4xf32>) -> tensor<2x64x4xf32>
    %reduced = linalg.reduce ins(%transposed_16 : tensor<2x64x4x4xf32>) outs(%46 : tensor<2x64x4xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %57 = arith.addf %in, %init : f32
        linalg.yield %57 : f32
      }
    %expanded_17 = tensor.expand_shape %reduced [[0], [1], [2, 3]] output_shape [2, 64, 1, 4] : tensor<2x64x4xf32> into tensor<2x64x1x4xf32>
    %47 = tensor.empty() : tensor<2x64x1xf32>
    %48 = linalg.fill ins(%cst_3 : f32) outs(%47 : tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %reduced_18 = linalg.reduce ins(%expanded_17 : tensor<2x64x1x4xf32>) outs(%48 : tensor<2x64x1xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %57 = arith.addf %in, %init : f32
        linalg.yield %57 : f32
      }
    %collapsed_19 = tensor.collapse_shape %reduced_18 [[0], [1, 2]] : tensor<2x64x1xf32> into tensor<2x64xf32>
    %49 = tensor.empty() : tensor<2x64xf32>
    %50 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_19, %cst_6 : tensor<2x64xf32>, tensor<1x1xf32>) outs(%49 : tensor<2x64xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.mulf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x64xf32>
    %51 = tensor.empty() : tensor<64x16xf32>
    %transposed_20 = linalg.transpose ins(%arg8 : tensor<16x64xf32>) outs(%51 : tensor<64x16xf32>) permutation = [1, 0] 
    %expanded_21 = tensor.expand_shape %50 [[0, 1], [2]] output_shape [1, 2, 64] : tensor<2x64xf32> into tensor<1x2x64xf32>
    %expanded_22 = tensor.expand_shape %transposed_20 [[0, 1], [2]] output_shape [1, 64, 16] : tensor<64x16xf32> into tensor<1x64x16xf32>
    %52 = tensor.empty() : tensor<1x2x16xf32>
    %53 = linalg.fill ins(%cst_3 : f32) outs(%52 : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
    %54 = linalg.batch_matmul ins(%expanded_21, %expanded_22 : tensor<1x2x64xf32>, tensor<1x64x16xf32>) outs(%53 : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
    %collapsed_23 = tensor.collapse_shape %54 [[0, 1], [2]] : tensor<1x2x16xf32> into tensor<2x16xf32>
    %expanded_24 = tensor.expand_shape %arg9 [[0, 1]] output_shape [1, 16] : tensor<16xf32> into tensor<1x16xf32>
    %55 = tensor.empty() : tensor<2x16xf32>
    %56 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_23, %expanded_24 : tensor<2x16xf32>, tensor<1x16xf32>) outs(%55 : tensor<2x16xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %57 = arith.addf %in, %in_25 : f32
      linalg.yield %57 : f32
    } -> tensor<2x16xf32>
    return %56 : tensor<2x16xf32>
  }
}

