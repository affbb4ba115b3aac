// Made by generate_torch.py.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map6 = affine_map<(d0, d1, d2) -> (d2)>
#map7 = affine_map<(d0) -> (d0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> ()>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<128x64xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<2x64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<64x64xf32>, %arg6: tensor<64xf32>, %arg7: tensor<64x64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64x64xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64x64xf32>, %arg12: tensor<64xf32>, %arg13: tensor<64xf32>, %arg14: tensor<64xf32>, %arg15: tensor<128x64xf32>, %arg16: tensor<128xf32>, %arg17: tensor<64x128xf32>, %arg18: tensor<64xf32>, %arg19: tensor<64xf32>, %arg20: tensor<64xf32>, %arg21: tensor<64x64xf32>, %arg22: tensor<64xf32>, %arg23: tensor<64x64xf32>, %arg24: tensor<64xf32>, %arg25: tensor<64x64xf32>, %arg26: tensor<64xf32>, %arg27: tensor<64x64xf32>, %arg28: tensor<64xf32>, %arg29: tensor<64xf32>, %arg30: tensor<64xf32>, %arg31: tensor<128x64xf32>, %arg32: tensor<128xf32>, %arg33: tensor<64x128xf32>, %arg34: tensor<64xf32>, %arg35: tensor<64xf32>, %arg36: tensor<64xf32>, %arg37: tensor<128xf32>, %arg38: tensor<64x64xf32>, %arg39: tensor<64xf32>, %arg40: tensor<64xf32>, %arg41: tensor<64xf32>, %arg42: tensor<1x32xi64>, %arg43: tensor<1x32xi64>, %arg44: tensor<2x32xi64>) -> tensor<2x32x128xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c32 = arith.constant 32 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant dense<-3.40282347E+38> : tensor<f32>
    %cst_5 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_6 = arith.constant 9.9999999999999998E-13 : f64
    %c0 = arith.constant 0 : index
    %cst_7 = arith.constant 6.400000e+01 : f64
    %cst_8 = arith.constant 6.400000e+01 : f32
    %cst_9 = arith.constant 2.500000e-01 : f32
    %cst_10 = arith.constant 1.41421354 : f32
    %0 = tensor.empty() : tensor<1x32xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<1x32xi64>) -> tensor<1x32xi64>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg42 : tensor<1x32xi64>) outs(%1 : tensor<1x32xi64>) {
    ^bb0(%in: i64, %out: i64):
      %194 = arith.index_cast %in : i64 to index
      %195 = arith.cmpi slt, %194, %c32 : index
      cf.assert %195, "index must be smaller than dim size"
      %196 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %196, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg43[%c0, %194] : tensor<1x32xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x32xi64>
    %3 = tensor.empty() : tensor<2x32xi64>
    %collapsed = tensor.collapse_shape %2 [[0, 1]] : tensor<1x32xi64> into tensor<32xi64>
    %4 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<32xi64>) outs(%3 : tensor<2x32xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<2x32xi64>
    %5 = tensor.empty() : tensor<2x32x64xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg44 : tensor<2x32xi64>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: i64, %out: f32):
      %194 = arith.index_cast %in : i64 to index
      %195 = linalg.index 2 : index
      %196 = arith.cmpi slt, %194, %c128 : index
      cf.assert %196, "index must be smaller than dim size"
      %197 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %197, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg0[%194, %195] : tensor<128x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x32x64xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<2x32xi64>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: i64, %out: f32):
      %194 = arith.index_cast %in : i64 to index
      %195 = linalg.index 2 : index
      %196 = arith.cmpi slt, %194, %c2 : index
      cf.assert %196, "index must be smaller than dim size"
      %197 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %197, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg2[%194, %195] : tensor<2x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x32x64xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %7 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %9 = tensor.empty() : tensor<1x32x64xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg42 : tensor<1x32xi64>) outs(%9 : tensor<1x32x64xf32>) {
    ^bb0(%in: i64, %out: f32):
      %194 = arith.index_cast %in : i64 to index
      %195 = linalg.index 2 : index
      %196 = arith.cmpi slt, %194, %c32 : index
      cf.assert %196, "index must be smaller than dim size"
      %197 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %197, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%194, %195] : tensor<32x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x32x64xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %10 : tensor<2x32x64xf32>, tensor<1x32x64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %12 = tensor.empty() : tensor<2x32x64xf64>
    %13 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x32x64xf32>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %194 = arith.extf %in : f32 to f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %14 = tensor.empty() : tensor<2x32x1xf64>
    %15 = linalg.fill ins(%cst : f64) outs(%14 : tensor<2x32x1xf64>) -> tensor<2x32x1xf64>
    %16 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %18 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.subf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %19 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %18 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.mulf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %20 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%19 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %22 = tensor.empty() : tensor<2x32x1xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21 : tensor<2x32x1xf64>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %194 = arith.truncf %in : f64 to f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%22 : tensor<2x32x1xf32>) -> tensor<2x32x1xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<2x32x64xf32>) outs(%24 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.addf %in, %out : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.divf %in, %cst_8 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.truncf %cst_6 : f64 to f32
      %195 = arith.addf %in, %194 : f32
      linalg.yield %195 : f32
    } -> tensor<2x32x1xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = math.rsqrt %in : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %26 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.subf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29, %28 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %arg3 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %arg4 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %33 = tensor.empty() : tensor<32xi64>
    %34 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel"]} outs(%33 : tensor<32xi64>) {
    ^bb0(%out: i64):
      %194 = linalg.index 0 : index
      %195 = arith.index_cast %194 : index to i64
      linalg.yield %195 : i64
    } -> tensor<32xi64>
    %expanded = tensor.expand_shape %34 [[0, 1, 2, 3]] output_shape [1, 1, 32, 1] : tensor<32xi64> into tensor<1x1x32x1xi64>
    %35 = tensor.empty() : tensor<1x1x32x1xi1>
    %36 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x1x32x1xi64>) outs(%35 : tensor<1x1x32x1xi1>) {
    ^bb0(%in: i64, %out: i1):
      %194 = arith.cmpi sge, %in, %c0_i64 : i64
      linalg.yield %194 : i1
    } -> tensor<1x1x32x1xi1>
    %37 = tensor.empty() : tensor<2x1x32x32xi1>
    %collapsed_11 = tensor.collapse_shape %36 [[0, 1], [2, 3]] : tensor<1x1x32x1xi1> into tensor<1x32xi1>
    %38 = linalg.generic {indexing_maps = [#map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_11 : tensor<1x32xi1>) outs(%37 : tensor<2x1x32x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x32x32xi1>
    %39 = tensor.empty() : tensor<2x1x32x32xf32>
    %40 = linalg.generic {indexing_maps = [#map8, #map10, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38, %cst_5, %cst_4 : tensor<2x1x32x32xi1>, tensor<f32>, tensor<f32>) outs(%39 : tensor<2x1x32x32xf32>) {
    ^bb0(%in: i1, %in_71: f32, %in_72: f32, %out: f32):
      %194 = arith.select %in, %in_71, %in_72 : f32
      linalg.yield %194 : f32
    } -> tensor<2x1x32x32xf32>
    %collapsed_12 = tensor.collapse_shape %32 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %41 = tensor.empty() : tensor<64x64xf32>
    %transposed = linalg.transpose ins(%arg5 : tensor<64x64xf32>) outs(%41 : tensor<64x64xf32>) permutation = [1, 0] 
    %42 = linalg.fill ins(%cst_0 : f32) outs(%41 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %43 = linalg.matmul ins(%collapsed_12, %transposed : tensor<64x64xf32>, tensor<64x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %44 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%43, %arg6 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_13 = tensor.expand_shape %44 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %45 = tensor.empty() : tensor<2x4x32x16xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<2x32x4x16xf32>) outs(%45 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %transposed_15 = linalg.transpose ins(%arg7 : tensor<64x64xf32>) outs(%41 : tensor<64x64xf32>) permutation = [1, 0] 
    %46 = linalg.matmul ins(%collapsed_12, %transposed_15 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%46, %arg8 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_16 = tensor.expand_shape %47 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %transposed_17 = linalg.transpose ins(%arg9 : tensor<64x64xf32>) outs(%41 : tensor<64x64xf32>) permutation = [1, 0] 
    %48 = linalg.matmul ins(%collapsed_12, %transposed_17 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%48, %arg10 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_18 = tensor.expand_shape %49 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %transposed_19 = linalg.transpose ins(%expanded_18 : tensor<2x32x4x16xf32>) outs(%45 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %50 = tensor.empty() : tensor<2x4x16x32xf32>
    %transposed_20 = linalg.transpose ins(%expanded_16 : tensor<2x32x4x16xf32>) outs(%50 : tensor<2x4x16x32xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_21 = tensor.collapse_shape %transposed_14 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %collapsed_22 = tensor.collapse_shape %transposed_20 [[0, 1], [2], [3]] : tensor<2x4x16x32xf32> into tensor<8x16x32xf32>
    %51 = tensor.empty() : tensor<8x32x32xf32>
    %52 = linalg.fill ins(%cst_0 : f32) outs(%51 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %53 = linalg.batch_matmul ins(%collapsed_21, %collapsed_22 : tensor<8x32x16xf32>, tensor<8x16x32xf32>) outs(%52 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_23 = tensor.expand_shape %53 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %54 = tensor.empty() : tensor<2x4x32x32xf32>
    %55 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_23 : tensor<2x4x32x32xf32>) outs(%54 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.mulf %in, %cst_9 : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x32xf32>
    %56 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %40 : tensor<2x4x32x32xf32>, tensor<2x1x32x32xf32>) outs(%54 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x32xf32>
    %57 = tensor.empty() : tensor<2x4x32xi64>
    %58 = linalg.fill ins(%c0_i64 : i64) outs(%57 : tensor<2x4x32xi64>) -> tensor<2x4x32xi64>
    %59 = tensor.empty() : tensor<2x4x32xf32>
    %60 = linalg.fill ins(%cst_1 : f32) outs(%59 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %61:2 = linalg.generic {indexing_maps = [#map8, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%56 : tensor<2x4x32x32xf32>) outs(%60, %58 : tensor<2x4x32xf32>, tensor<2x4x32xi64>) {
    ^bb0(%in: f32, %out: f32, %out_71: i64):
      %194 = linalg.index 3 : index
      %195 = arith.index_cast %194 : index to i64
      %196 = arith.maximumf %in, %out : f32
      %197 = arith.cmpf ogt, %in, %out : f32
      %198 = arith.select %197, %195, %out_71 : i64
      linalg.yield %196, %198 : f32, i64
    } -> (tensor<2x4x32xf32>, tensor<2x4x32xi64>)
    %expanded_24 = tensor.expand_shape %61#0 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %62 = linalg.generic {indexing_maps = [#map8, #map13, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56, %expanded_24 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%54 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.subf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x32xf32>
    %63 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62 : tensor<2x4x32x32xf32>) outs(%54 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = math.exp %in : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x32xf32>
    %64 = tensor.empty() : tensor<2x4x32x1xf32>
    %65 = linalg.fill ins(%cst_0 : f32) outs(%64 : tensor<2x4x32x1xf32>) -> tensor<2x4x32x1xf32>
    %66 = linalg.generic {indexing_maps = [#map8, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%63 : tensor<2x4x32x32xf32>) outs(%65 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.addf %in, %out : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x1xf32>
    %67 = linalg.generic {indexing_maps = [#map8, #map13, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%63, %66 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%54 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.divf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_25 = tensor.collapse_shape %67 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_26 = tensor.collapse_shape %transposed_19 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %68 = tensor.empty() : tensor<8x32x16xf32>
    %69 = linalg.fill ins(%cst_0 : f32) outs(%68 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %70 = linalg.batch_matmul ins(%collapsed_25, %collapsed_26 : tensor<8x32x32xf32>, tensor<8x32x16xf32>) outs(%69 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %expanded_27 = tensor.expand_shape %70 [[0, 1], [2], [3]] output_shape [2, 4, 32, 16] : tensor<8x32x16xf32> into tensor<2x4x32x16xf32>
    %71 = tensor.empty() : tensor<2x32x4x16xf32>
    %transposed_28 = linalg.transpose ins(%expanded_27 : tensor<2x4x32x16xf32>) outs(%71 : tensor<2x32x4x16xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_29 = tensor.collapse_shape %transposed_28 [[0, 1], [2, 3]] : tensor<2x32x4x16xf32> into tensor<64x64xf32>
    %transposed_30 = linalg.transpose ins(%arg11 : tensor<64x64xf32>) outs(%41 : tensor<64x64xf32>) permutation = [1, 0] 
    %72 = linalg.matmul ins(%collapsed_29, %transposed_30 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %73 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%72, %arg12 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_31 = tensor.expand_shape %73 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %74 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_31, %32 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %75 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74 : tensor<2x32x64xf32>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %194 = arith.extf %in : f32 to f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %76 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%75 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %77 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %78 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %77 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.subf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %79 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78, %78 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.mulf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %80 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%79 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %81 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %82 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<2x32x1xf64>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %194 = arith.truncf %in : f64 to f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %83 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%74 : tensor<2x32x64xf32>) outs(%24 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.addf %in, %out : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %84 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.divf %in, %cst_8 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %85 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.truncf %cst_6 : f64 to f32
      %195 = arith.addf %in, %194 : f32
      linalg.yield %195 : f32
    } -> tensor<2x32x1xf32>
    %86 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = math.rsqrt %in : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %87 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %84 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.subf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %88 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %86 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %89 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %arg13 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %90 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %arg14 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %collapsed_32 = tensor.collapse_shape %90 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %91 = tensor.empty() : tensor<64x128xf32>
    %transposed_33 = linalg.transpose ins(%arg15 : tensor<128x64xf32>) outs(%91 : tensor<64x128xf32>) permutation = [1, 0] 
    %92 = linalg.fill ins(%cst_0 : f32) outs(%91 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %93 = linalg.matmul ins(%collapsed_32, %transposed_33 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%92 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %94 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%93, %arg16 : tensor<64x128xf32>, tensor<128xf32>) outs(%91 : tensor<64x128xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x128xf32>
    %expanded_34 = tensor.expand_shape %94 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %95 = tensor.empty() : tensor<2x32x128xf32>
    %96 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_34 : tensor<2x32x128xf32>) outs(%95 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.divf %in, %cst_10 : f32
      %195 = math.erf %194 : f32
      %196 = arith.addf %195, %cst_2 : f32
      %197 = arith.mulf %196, %cst_3 : f32
      %198 = arith.mulf %in, %197 : f32
      linalg.yield %198 : f32
    } -> tensor<2x32x128xf32>
    %collapsed_35 = tensor.collapse_shape %96 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %97 = tensor.empty() : tensor<128x64xf32>
    %transposed_36 = linalg.transpose ins(%arg17 : tensor<64x128xf32>) outs(%97 : tensor<128x64xf32>) permutation = [1, 0] 
    %98 = linalg.matmul ins(%collapsed_35, %transposed_36 : tensor<64x128xf32>, tensor<128x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %99 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%98, %arg18 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_37 = tensor.expand_shape %99 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %100 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_37, %90 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %101 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<2x32x64xf32>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %194 = arith.extf %in : f32 to f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %102 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%101 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %103 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %104 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %103 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.subf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %105 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104, %104 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.mulf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %106 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%105 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %107 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%106 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %108 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107 : tensor<2x32x1xf64>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %194 = arith.truncf %in : f64 to f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %109 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%100 : tensor<2x32x64xf32>) outs(%24 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.addf %in, %out : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %110 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.divf %in, %cst_8 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %111 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%108 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.truncf %cst_6 : f64 to f32
      %195 = arith.addf %in, %194 : f32
      linalg.yield %195 : f32
    } -> tensor<2x32x1xf32>
    %112 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%111 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = math.rsqrt %in : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %113 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100, %110 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.subf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %114 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113, %112 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %115 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114, %arg19 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %116 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115, %arg20 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %collapsed_38 = tensor.collapse_shape %116 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %transposed_39 = linalg.transpose ins(%arg21 : tensor<64x64xf32>) outs(%41 : tensor<64x64xf32>) permutation = [1, 0] 
    %117 = linalg.matmul ins(%collapsed_38, %transposed_39 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %118 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%117, %arg22 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_40 = tensor.expand_shape %118 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %transposed_41 = linalg.transpose ins(%expanded_40 : tensor<2x32x4x16xf32>) outs(%45 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %transposed_42 = linalg.transpose ins(%arg23 : tensor<64x64xf32>) outs(%41 : tensor<64x64xf32>) permutation = [1, 0] 
    %119 = linalg.matmul ins(%collapsed_38, %transposed_42 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %120 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%119, %arg24 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_43 = tensor.expand_shape %120 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %transposed_44 = linalg.transpose ins(%arg25 : tensor<64x64xf32>) outs(%41 : tensor<64x64xf32>) permutation = [1, 0] 
    %121 = linalg.matmul ins(%collapsed_38, %transposed_44 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %122 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%121, %arg26 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_45 = tensor.expand_shape %122 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %transposed_46 = linalg.transpose ins(%expanded_45 : tensor<2x32x4x16xf32>) outs(%45 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %transposed_47 = linalg.transpose ins(%expanded_43 : tensor<2x32x4x16xf32>) outs(%50 : tensor<2x4x16x32xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_48 = tensor.collapse_shape %transposed_41 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %collapsed_49 = tensor.collapse_shape %transposed_47 [[0, 1], [2], [3]] : tensor<2x4x16x32xf32> into tensor<8x16x32xf32>
    %123 = linalg.batch_matmul ins(%collapsed_48, %collapsed_49 : tensor<8x32x16xf32>, tensor<8x16x32xf32>) outs(%52 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_50 = tensor.expand_shape %123 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %124 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_50 : tensor<2x4x32x32xf32>) outs(%54 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.mulf %in, %cst_9 : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x32xf32>
    %125 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%124, %40 : tensor<2x4x32x32xf32>, tensor<2x1x32x32xf32>) outs(%54 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x32xf32>
    %126:2 = linalg.generic {indexing_maps = [#map8, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%125 : tensor<2x4x32x32xf32>) outs(%60, %58 : tensor<2x4x32xf32>, tensor<2x4x32xi64>) {
    ^bb0(%in: f32, %out: f32, %out_71: i64):
      %194 = linalg.index 3 : index
      %195 = arith.index_cast %194 : index to i64
      %196 = arith.maximumf %in, %out : f32
      %197 = arith.cmpf ogt, %in, %out : f32
      %198 = arith.select %197, %195, %out_71 : i64
      linalg.yield %196, %198 : f32, i64
    } -> (tensor<2x4x32xf32>, tensor<2x4x32xi64>)
    %expanded_51 = tensor.expand_shape %126#0 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %127 = linalg.generic {indexing_maps = [#map8, #map13, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%125, %expanded_51 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%54 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.subf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x32xf32>
    %128 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%127 : tensor<2x4x32x32xf32>) outs(%54 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = math.exp %in : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x32xf32>
    %129 = linalg.generic {indexing_maps = [#map8, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%128 : tensor<2x4x32x32xf32>) outs(%65 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.addf %in, %out : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x1xf32>
    %130 = linalg.generic {indexing_maps = [#map8, #map13, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%128, %129 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%54 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.divf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_52 = tensor.collapse_shape %130 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_53 = tensor.collapse_shape %transposed_46 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %131 = linalg.batch_matmul ins(%collapsed_52, %collapsed_53 : tensor<8x32x32xf32>, tensor<8x32x16xf32>) outs(%69 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %expanded_54 = tensor.expand_shape %131 [[0, 1], [2], [3]] output_shape [2, 4, 32, 16] : tensor<8x32x16xf32> into tensor<2x4x32x16xf32>
    %transposed_55 = linalg.transpose ins(%expanded_54 : tensor<2x4x32x16xf32>) outs(%71 : tensor<2x32x4x16xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_56 = tensor.collapse_shape %transposed_55 [[0, 1], [2, 3]] : tensor<2x32x4x16xf32> into tensor<64x64xf32>
    %transposed_57 = linalg.transpose ins(%arg27 : tensor<64x64xf32>) outs(%41 : tensor<64x64xf32>) permutation = [1, 0] 
    %132 = linalg.matmul ins(%collapsed_56, %transposed_57 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %133 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%132, %arg28 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_58 = tensor.expand_shape %133 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %134 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_58, %116 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %135 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134 : tensor<2x32x64xf32>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %194 = arith.extf %in : f32 to f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %136 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%135 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %137 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %138 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%135, %137 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.subf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %139 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138, %138 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.mulf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %140 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%139 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %141 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %142 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%141 : tensor<2x32x1xf64>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %194 = arith.truncf %in : f64 to f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %143 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%134 : tensor<2x32x64xf32>) outs(%24 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.addf %in, %out : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %144 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%143 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.divf %in, %cst_8 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %145 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%142 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.truncf %cst_6 : f64 to f32
      %195 = arith.addf %in, %194 : f32
      linalg.yield %195 : f32
    } -> tensor<2x32x1xf32>
    %146 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%145 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = math.rsqrt %in : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %147 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134, %144 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.subf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %148 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147, %146 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %149 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%148, %arg29 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %150 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%149, %arg30 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %collapsed_59 = tensor.collapse_shape %150 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %transposed_60 = linalg.transpose ins(%arg31 : tensor<128x64xf32>) outs(%91 : tensor<64x128xf32>) permutation = [1, 0] 
    %151 = linalg.matmul ins(%collapsed_59, %transposed_60 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%92 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %152 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%151, %arg32 : tensor<64x128xf32>, tensor<128xf32>) outs(%91 : tensor<64x128xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x128xf32>
    %expanded_61 = tensor.expand_shape %152 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %153 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_61 : tensor<2x32x128xf32>) outs(%95 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.divf %in, %cst_10 : f32
      %195 = math.erf %194 : f32
      %196 = arith.addf %195, %cst_2 : f32
      %197 = arith.mulf %196, %cst_3 : f32
      %198 = arith.mulf %in, %197 : f32
      linalg.yield %198 : f32
    } -> tensor<2x32x128xf32>
    %collapsed_62 = tensor.collapse_shape %153 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %transposed_63 = linalg.transpose ins(%arg33 : tensor<64x128xf32>) outs(%97 : tensor<128x64xf32>) permutation = [1, 0] 
    %154 = linalg.matmul ins(%collapsed_62, %transposed_63 : tensor<64x128xf32>, tensor<128x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %155 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%154, %arg34 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_64 = tensor.expand_shape %155 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %156 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_64, %150 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %157 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%156 : tensor<2x32x64xf32>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %194 = arith.extf %in : f32 to f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %158 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%157 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %159 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %160 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%157, %159 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.subf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %161 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%160, %160 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.mulf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %162 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%161 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %163 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%162 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %164 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%163 : tensor<2x32x1xf64>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %194 = arith.truncf %in : f64 to f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %165 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%156 : tensor<2x32x64xf32>) outs(%24 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.addf %in, %out : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %166 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%165 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.divf %in, %cst_8 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %167 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%164 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.truncf %cst_6 : f64 to f32
      %195 = arith.addf %in, %194 : f32
      linalg.yield %195 : f32
    } -> tensor<2x32x1xf32>
    %168 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%167 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = math.rsqrt %in : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %169 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%156, %166 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.subf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %170 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%169, %168 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %171 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%170, %arg35 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %172 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%171, %arg36 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %collapsed_65 = tensor.collapse_shape %172 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %transposed_66 = linalg.transpose ins(%arg38 : tensor<64x64xf32>) outs(%41 : tensor<64x64xf32>) permutation = [1, 0] 
    %173 = linalg.matmul ins(%collapsed_65, %transposed_66 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%42 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %174 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%173, %arg39 : tensor<64x64xf32>, tensor<64xf32>) outs(%41 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x64xf32>
    %expanded_67 = tensor.expand_shape %174 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %175 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_67 : tensor<2x32x64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.divf %in, %cst_10 : f32
      %195 = math.erf %194 : f32
      %196 = arith.addf %195, %cst_2 : f32
      %197 = arith.mulf %196, %cst_3 : f32
      %198 = arith.mulf %in, %197 : f32
      linalg.yield %198 : f32
    } -> tensor<2x32x64xf32>
    %176 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%175 : tensor<2x32x64xf32>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %194 = arith.extf %in : f32 to f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %177 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%176 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %178 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%177 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %179 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%176, %178 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.subf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %180 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%179, %179 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%12 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_71: f64, %out: f64):
      %194 = arith.mulf %in, %in_71 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x64xf64>
    %181 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%180 : tensor<2x32x64xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.addf %in, %out : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %182 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%181 : tensor<2x32x1xf64>) outs(%14 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %194 = arith.divf %in, %cst_7 : f64
      linalg.yield %194 : f64
    } -> tensor<2x32x1xf64>
    %183 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%182 : tensor<2x32x1xf64>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %194 = arith.truncf %in : f64 to f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %184 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%175 : tensor<2x32x64xf32>) outs(%24 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.addf %in, %out : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %185 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%184 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.divf %in, %cst_8 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %186 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%183 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = arith.truncf %cst_6 : f64 to f32
      %195 = arith.addf %in, %194 : f32
      linalg.yield %195 : f32
    } -> tensor<2x32x1xf32>
    %187 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%186 : tensor<2x32x1xf32>) outs(%22 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %194 = math.rsqrt %in : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x1xf32>
    %188 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%175, %185 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.subf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %189 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188, %187 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %190 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%189, %arg40 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.mulf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %191 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%190, %arg41 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%5 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<2x32x64xf32>
    %collapsed_68 = tensor.collapse_shape %191 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %transposed_69 = linalg.transpose ins(%arg0 : tensor<128x64xf32>) outs(%91 : tensor<64x128xf32>) permutation = [1, 0] 
    %192 = linalg.matmul ins(%collapsed_68, %transposed_69 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%92 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %193 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%192, %arg37 : tensor<64x128xf32>, tensor<128xf32>) outs(%91 : tensor<64x128xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %194 = arith.addf %in, %in_71 : f32
      linalg.yield %194 : f32
    } -> tensor<64x128xf32>
    %expanded_70 = tensor.expand_shape %193 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    return %expanded_70 : tensor<2x32x128xf32>
  }
}
