// Made by generate_torch.py.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<32x3x3x3xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x1x3x3xf32>, %arg5: tensor<32xf32>, %arg6: tensor<64x32x1x1xf32>, %arg7: tensor<64xf32>, %arg8: tensor<16x64xf32>, %arg9: tensor<16xf32>, %arg10: tensor<32xf32>, %arg11: tensor<32xf32>, %arg12: tensor<i64>, %arg13: tensor<2x3x32x32xf32>) -> tensor<2x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 1.000000e-05 : f64
    %cst_3 = arith.constant 4.000000e+00 : f32
    %cst_4 = arith.constant 1.600000e+01 : f32
    %padded = tensor.pad %arg13 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg14: index, %arg15: index, %arg16: index, %arg17: index):
      tensor.yield %cst : f32
    } : tensor<2x3x32x32xf32> to tensor<2x3x34x34xf32>
    %0 = tensor.empty() : tensor<2x32x16x16xf32>
    %broadcasted = linalg.broadcast ins(%arg1 : tensor<32xf32>) outs(%0 : tensor<2x32x16x16xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %arg0 : tensor<2x3x34x34xf32>, tensor<32x3x3x3xf32>) outs(%broadcasted : tensor<2x32x16x16xf32>) -> tensor<2x32x16x16xf32>
    %2 = tensor.empty() : tensor<32xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg11 : tensor<32xf32>) outs(%2 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.truncf %cst_2 : f64 to f32
      %35 = arith.addf %in, %34 : f32
      linalg.yield %35 : f32
    } -> tensor<32xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<32xf32>) outs(%2 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.sqrt %in : f32
      linalg.yield %34 : f32
    } -> tensor<32xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<32xf32>) outs(%2 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.cmpf one, %in, %cst : f32
      cf.assert %34, "unimplemented: tensor with zero element"
      %35 = arith.divf %cst_0, %in : f32
      linalg.yield %35 : f32
    } -> tensor<32xf32>
    %expanded = tensor.expand_shape %arg10 [[0, 1, 2]] output_shape [32, 1, 1] : tensor<32xf32> into tensor<32x1x1xf32>
    %expanded_5 = tensor.expand_shape %5 [[0, 1, 2]] output_shape [32, 1, 1] : tensor<32xf32> into tensor<32x1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %expanded : tensor<2x32x16x16xf32>, tensor<32x1x1xf32>) outs(%0 : tensor<2x32x16x16xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %34 = arith.subf %in, %in_12 : f32
      linalg.yield %34 : f32
    } -> tensor<2x32x16x16xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %expanded_5 : tensor<2x32x16x16xf32>, tensor<32x1x1xf32>) outs(%0 : tensor<2x32x16x16xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %34 = arith.mulf %in, %in_12 : f32
      linalg.yield %34 : f32
    } -> tensor<2x32x16x16xf32>
    %expanded_6 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [32, 1, 1] : tensor<32xf32> into tensor<32x1x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_6 : tensor<2x32x16x16xf32>, tensor<32x1x1xf32>) outs(%0 : tensor<2x32x16x16xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %34 = arith.mulf %in, %in_12 : f32
      linalg.yield %34 : f32
    } -> tensor<2x32x16x16xf32>
    %expanded_7 = tensor.expand_shape %arg3 [[0, 1, 2]] output_shape [32, 1, 1] : tensor<32xf32> into tensor<32x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_7 : tensor<2x32x16x16xf32>, tensor<32x1x1xf32>) outs(%0 : tensor<2x32x16x16xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %34 = arith.addf %in, %in_12 : f32
      linalg.yield %34 : f32
    } -> tensor<2x32x16x16xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x32x16x16xf32>) outs(%0 : tensor<2x32x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.cmpf ugt, %in, %cst : f32
      %35 = arith.select %34, %in, %cst : f32
      linalg.yield %35 : f32
    } -> tensor<2x32x16x16xf32>
    %padded_8 = tensor.pad %10 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg14: index, %arg15: index, %arg16: index, %arg17: index):
      tensor.yield %cst_1 : f32
    } : tensor<2x32x16x16xf32> to tensor<2x32x18x18xf32>
    %11 = tensor.empty() : tensor<2x32x8x8xf32>
    %12 = linalg.fill ins(%cst_1 : f32) outs(%11 : tensor<2x32x8x8xf32>) -> tensor<2x32x8x8xf32>
    %13 = tensor.empty() : tensor<3x3xf32>
    %14 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_8, %13 : tensor<2x32x18x18xf32>, tensor<3x3xf32>) outs(%12 : tensor<2x32x8x8xf32>) -> tensor<2x32x8x8xf32>
    %padded_9 = tensor.pad %14 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg14: index, %arg15: index, %arg16: index, %arg17: index):
      tensor.yield %cst : f32
    } : tensor<2x32x8x8xf32> to tensor<2x32x10x10xf32>
    %broadcasted_10 = linalg.broadcast ins(%arg5 : tensor<32xf32>) outs(%11 : tensor<2x32x8x8xf32>) dimensions = [0, 2, 3] 
    %collapsed = tensor.collapse_shape %arg4 [[0, 1], [2], [3]] : tensor<32x1x3x3xf32> into tensor<32x3x3xf32>
    %15 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_9, %collapsed : tensor<2x32x10x10xf32>, tensor<32x3x3xf32>) outs(%broadcasted_10 : tensor<2x32x8x8xf32>) -> tensor<2x32x8x8xf32>
    %16 = tensor.empty() : tensor<2x64x8x8xf32>
    %broadcasted_11 = linalg.broadcast ins(%arg7 : tensor<64xf32>) outs(%16 : tensor<2x64x8x8xf32>) dimensions = [0, 2, 3] 
    %17 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%15, %arg6 : tensor<2x32x8x8xf32>, tensor<64x32x1x1xf32>) outs(%broadcasted_11 : tensor<2x64x8x8xf32>) -> tensor<2x64x8x8xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x64x8x8xf32>) outs(%16 : tensor<2x64x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.negf %in : f32
      %35 = math.exp %34 : f32
      %36 = arith.addf %35, %cst_0 : f32
      %37 = arith.divf %cst_0, %36 : f32
      linalg.yield %37 : f32
    } -> tensor<2x64x8x8xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %18 : tensor<2x64x8x8xf32>, tensor<2x64x8x8xf32>) outs(%16 : tensor<2x64x8x8xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %34 = arith.mulf %in, %in_12 : f32
      linalg.yield %34 : f32
    } -> tensor<2x64x8x8xf32>
    %20 = tensor.empty() : tensor<2x64x4x4xf32>
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<2x64x4x4xf32>) -> tensor<2x64x4x4xf32>
    %22 = tensor.empty() : tensor<2x2xf32>
    %23 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%19, %22 : tensor<2x64x8x8xf32>, tensor<2x2xf32>) outs(%21 : tensor<2x64x4x4xf32>) -> tensor<2x64x4x4xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x64x4x4xf32>) outs(%20 : tensor<2x64x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.divf %in, %cst_3 : f32
      linalg.yield %34 : f32
    } -> tensor<2x64x4x4xf32>
    %25 = tensor.empty() : tensor<2x64xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<2x64xf32>) -> tensor<2x64xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%24 : tensor<2x64x4x4xf32>) outs(%26 : tensor<2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %in, %out : f32
      linalg.yield %34 : f32
    } -> tensor<2x64xf32>
    %28 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<2x64xf32>) outs(%25 : tensor<2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.divf %in, %cst_4 : f32
      linalg.yield %34 : f32
    } -> tensor<2x64xf32>
    %29 = tensor.empty() : tensor<64x16xf32>
    %transposed = linalg.transpose ins(%arg8 : tensor<16x64xf32>) outs(%29 : tensor<64x16xf32>) permutation = [1, 0] 
    %30 = tensor.empty() : tensor<2x16xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<2x16xf32>) -> tensor<2x16xf32>
    %32 = linalg.matmul ins(%28, %transposed : tensor<2x64xf32>, tensor<64x16xf32>) outs(%31 : tensor<2x16xf32>) -> tensor<2x16xf32>
    %33 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%32, %arg9 : tensor<2x16xf32>, tensor<16xf32>) outs(%30 : tensor<2x16xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %34 = arith.addf %in, %in_12 : f32
      linalg.yield %34 : f32
    } -> tensor<2x16xf32>
    return %33 : tensor<2x16xf32>
  }
}
