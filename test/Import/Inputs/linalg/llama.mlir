// Made by generate_torch.py.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map8 = affine_map<(d0, d1, d2) -> (d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<128x64xf32>, %arg1: tensor<64x64xf32>, %arg2: tensor<32x64xf32>, %arg3: tensor<32x64xf32>, %arg4: tensor<64x64xf32>, %arg5: tensor<128x64xf32>, %arg6: tensor<128x64xf32>, %arg7: tensor<64x128xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64xf32>, %arg10: tensor<64x64xf32>, %arg11: tensor<32x64xf32>, %arg12: tensor<32x64xf32>, %arg13: tensor<64x64xf32>, %arg14: tensor<128x64xf32>, %arg15: tensor<128x64xf32>, %arg16: tensor<64x128xf32>, %arg17: tensor<64xf32>, %arg18: tensor<64xf32>, %arg19: tensor<64xf32>, %arg20: tensor<128x64xf32>, %arg21: tensor<8xf32>, %arg22: tensor<8xf32>, %arg23: tensor<2x32xi64>) -> tensor<2x32x128xf32> {
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c128 = arith.constant 128 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<-1.000000e+09> : tensor<32x32xf32>
    %cst_4 = arith.constant 9.9999999999999995E-7 : f64
    %cst_5 = arith.constant 6.400000e+01 : f32
    %cst_6 = arith.constant 2.500000e-01 : f32
    %0 = tensor.empty() : tensor<32xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<32xi64>) {
    ^bb0(%out: i64):
      %143 = linalg.index 0 : index
      %144 = arith.index_cast %143 : index to i64
      linalg.yield %144 : i64
    } -> tensor<32xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 32] : tensor<32xi64> into tensor<1x32xi64>
    %expanded_7 = tensor.expand_shape %1 [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64>
    %2 = tensor.empty() : tensor<32x32xi64>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_7 : tensor<1x32xi64>, tensor<32x1xi64>) outs(%2 : tensor<32x32xi64>) {
    ^bb0(%in: i64, %in_86: i64, %out: i64):
      %143 = arith.subi %in, %in_86 : i64
      linalg.yield %143 : i64
    } -> tensor<32x32xi64>
    %4 = tensor.empty() : tensor<32x32xi1>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x32xi64>) outs(%4 : tensor<32x32xi1>) {
    ^bb0(%in: i64, %out: i1):
      %143 = arith.cmpi sge, %in, %c1_i64 : i64
      linalg.yield %143 : i1
    } -> tensor<32x32xi1>
    %6 = tensor.empty() : tensor<32x32xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%5, %cst_3, %cst_2 : tensor<32x32xi1>, tensor<32x32xf32>, tensor<f32>) outs(%6 : tensor<32x32xf32>) {
    ^bb0(%in: i1, %in_86: f32, %in_87: f32, %out: f32):
      %143 = arith.select %in, %in_86, %in_87 : f32
      linalg.yield %143 : f32
    } -> tensor<32x32xf32>
    %expanded_8 = tensor.expand_shape %7 [[0, 1, 2], [3]] output_shape [1, 1, 32, 32] : tensor<32x32xf32> into tensor<1x1x32x32xf32>
    %8 = tensor.empty() : tensor<2x32x64xf32>
    %9 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg23 : tensor<2x32xi64>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: i64, %out: f32):
      %143 = arith.index_cast %in : i64 to index
      %144 = linalg.index 2 : index
      %145 = arith.cmpi slt, %143, %c128 : index
      cf.assert %145, "index must be smaller than dim size"
      %146 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %146, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg0[%143, %144] : tensor<128x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x32x64xf32>
    %expanded_9 = tensor.expand_shape %1 [[0, 1, 2]] output_shape [1, 32, 1] : tensor<32xi64> into tensor<1x32x1xi64>
    %10 = tensor.empty() : tensor<1x32x1xf32>
    %11 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_9 : tensor<1x32x1xi64>) outs(%10 : tensor<1x32x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %143 = arith.sitofp %in : i64 to f32
      linalg.yield %143 : f32
    } -> tensor<1x32x1xf32>
    %12 = tensor.empty() : tensor<1x32x8xf32>
    %13 = linalg.generic {indexing_maps = [#map7, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %arg21 : tensor<1x32x1xf32>, tensor<8xf32>) outs(%12 : tensor<1x32x8xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<1x32x8xf32>
    %concat = tensor.concat dim(2) %13, %13 : (tensor<1x32x8xf32>, tensor<1x32x8xf32>) -> tensor<1x32x16xf32>
    %14 = tensor.empty() : tensor<1x32x16xf32>
    %15 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat : tensor<1x32x16xf32>) outs(%14 : tensor<1x32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.cos %in : f32
      linalg.yield %143 : f32
    } -> tensor<1x32x16xf32>
    %16 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat : tensor<1x32x16xf32>) outs(%14 : tensor<1x32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.sin %in : f32
      linalg.yield %143 : f32
    } -> tensor<1x32x16xf32>
    %17 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %18 = tensor.empty() : tensor<2x32x1xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<2x32x1xf32>) -> tensor<2x32x1xf32>
    %20 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%17 : tensor<2x32x64xf32>) outs(%19 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.addf %in, %out : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %21 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.divf %in, %cst_5 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %22 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.truncf %cst_4 : f64 to f32
      %144 = arith.addf %in, %143 : f32
      linalg.yield %144 : f32
    } -> tensor<2x32x1xf32>
    %23 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.rsqrt %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %24 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %23 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %25 = linalg.generic {indexing_maps = [#map8, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8, %24 : tensor<64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %26 = tensor.empty() : tensor<64x64xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<64x64xf32>) outs(%26 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %25 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %28 = linalg.matmul ins(%collapsed, %transposed : tensor<64x64xf32>, tensor<64x64xf32>) outs(%27 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %expanded_10 = tensor.expand_shape %28 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %29 = tensor.empty() : tensor<2x4x32x16xf32>
    %transposed_11 = linalg.transpose ins(%expanded_10 : tensor<2x32x4x16xf32>) outs(%29 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %30 = tensor.empty() : tensor<64x32xf32>
    %transposed_12 = linalg.transpose ins(%arg2 : tensor<32x64xf32>) outs(%30 : tensor<64x32xf32>) permutation = [1, 0] 
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<64x32xf32>) -> tensor<64x32xf32>
    %32 = linalg.matmul ins(%collapsed, %transposed_12 : tensor<64x64xf32>, tensor<64x32xf32>) outs(%31 : tensor<64x32xf32>) -> tensor<64x32xf32>
    %expanded_13 = tensor.expand_shape %32 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] : tensor<64x32xf32> into tensor<2x32x2x16xf32>
    %33 = tensor.empty() : tensor<2x2x32x16xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<2x32x2x16xf32>) outs(%33 : tensor<2x2x32x16xf32>) permutation = [0, 2, 1, 3] 
    %transposed_15 = linalg.transpose ins(%arg3 : tensor<32x64xf32>) outs(%30 : tensor<64x32xf32>) permutation = [1, 0] 
    %34 = linalg.matmul ins(%collapsed, %transposed_15 : tensor<64x64xf32>, tensor<64x32xf32>) outs(%31 : tensor<64x32xf32>) -> tensor<64x32xf32>
    %expanded_16 = tensor.expand_shape %34 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] : tensor<64x32xf32> into tensor<2x32x2x16xf32>
    %transposed_17 = linalg.transpose ins(%expanded_16 : tensor<2x32x2x16xf32>) outs(%33 : tensor<2x2x32x16xf32>) permutation = [0, 2, 1, 3] 
    %expanded_18 = tensor.expand_shape %15 [[0], [1, 2], [3]] output_shape [1, 1, 32, 16] : tensor<1x32x16xf32> into tensor<1x1x32x16xf32>
    %expanded_19 = tensor.expand_shape %16 [[0], [1, 2], [3]] output_shape [1, 1, 32, 16] : tensor<1x32x16xf32> into tensor<1x1x32x16xf32>
    %35 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_11, %expanded_18 : tensor<2x4x32x16xf32>, tensor<1x1x32x16xf32>) outs(%29 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x16xf32>
    %extracted_slice = tensor.extract_slice %transposed_11[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32>
    %extracted_slice_20 = tensor.extract_slice %transposed_11[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32>
    %36 = tensor.empty() : tensor<2x4x32x8xf32>
    %37 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_20 : tensor<2x4x32x8xf32>) outs(%36 : tensor<2x4x32x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.negf %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x8xf32>
    %concat_21 = tensor.concat dim(3) %37, %extracted_slice : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32>
    %38 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_21, %expanded_19 : tensor<2x4x32x16xf32>, tensor<1x1x32x16xf32>) outs(%29 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x16xf32>
    %39 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35, %38 : tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>) outs(%29 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.addf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x16xf32>
    %40 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_14, %expanded_18 : tensor<2x2x32x16xf32>, tensor<1x1x32x16xf32>) outs(%33 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x2x32x16xf32>
    %extracted_slice_22 = tensor.extract_slice %transposed_14[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32>
    %extracted_slice_23 = tensor.extract_slice %transposed_14[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32>
    %41 = tensor.empty() : tensor<2x2x32x8xf32>
    %42 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_23 : tensor<2x2x32x8xf32>) outs(%41 : tensor<2x2x32x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.negf %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x2x32x8xf32>
    %concat_24 = tensor.concat dim(3) %42, %extracted_slice_22 : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32>
    %43 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_24, %expanded_19 : tensor<2x2x32x16xf32>, tensor<1x1x32x16xf32>) outs(%33 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x2x32x16xf32>
    %44 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %43 : tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) outs(%33 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.addf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x2x32x16xf32>
    %45 = tensor.empty() : tensor<2x2x2x32x16xf32>
    %46 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<2x2x32x16xf32>) outs(%45 : tensor<2x2x2x32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x32x16xf32>
    %collapsed_25 = tensor.collapse_shape %46 [[0], [1, 2], [3], [4]] : tensor<2x2x2x32x16xf32> into tensor<2x4x32x16xf32>
    %47 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_17 : tensor<2x2x32x16xf32>) outs(%45 : tensor<2x2x2x32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x32x16xf32>
    %48 = tensor.empty() : tensor<2x4x16x32xf32>
    %transposed_26 = linalg.transpose ins(%collapsed_25 : tensor<2x4x32x16xf32>) outs(%48 : tensor<2x4x16x32xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_27 = tensor.collapse_shape %39 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %collapsed_28 = tensor.collapse_shape %transposed_26 [[0, 1], [2], [3]] : tensor<2x4x16x32xf32> into tensor<8x16x32xf32>
    %49 = tensor.empty() : tensor<8x32x32xf32>
    %50 = linalg.fill ins(%cst : f32) outs(%49 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %51 = linalg.batch_matmul ins(%collapsed_27, %collapsed_28 : tensor<8x32x16xf32>, tensor<8x16x32xf32>) outs(%50 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_29 = tensor.expand_shape %51 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %52 = tensor.empty() : tensor<2x4x32x32xf32>
    %53 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_29 : tensor<2x4x32x32xf32>) outs(%52 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.mulf %in, %cst_6 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x32xf32>
    %54 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53, %expanded_8 : tensor<2x4x32x32xf32>, tensor<1x1x32x32xf32>) outs(%52 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.addf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x32xf32>
    %55 = tensor.empty() : tensor<2x4x32xi64>
    %56 = linalg.fill ins(%c0_i64 : i64) outs(%55 : tensor<2x4x32xi64>) -> tensor<2x4x32xi64>
    %57 = tensor.empty() : tensor<2x4x32xf32>
    %58 = linalg.fill ins(%cst_0 : f32) outs(%57 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %59:2 = linalg.generic {indexing_maps = [#map9, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%54 : tensor<2x4x32x32xf32>) outs(%58, %56 : tensor<2x4x32xf32>, tensor<2x4x32xi64>) {
    ^bb0(%in: f32, %out: f32, %out_86: i64):
      %143 = linalg.index 3 : index
      %144 = arith.index_cast %143 : index to i64
      %145 = arith.maximumf %in, %out : f32
      %146 = arith.cmpf ogt, %in, %out : f32
      %147 = arith.select %146, %144, %out_86 : i64
      linalg.yield %145, %147 : f32, i64
    } -> (tensor<2x4x32xf32>, tensor<2x4x32xi64>)
    %expanded_30 = tensor.expand_shape %59#0 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %60 = linalg.generic {indexing_maps = [#map9, #map14, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54, %expanded_30 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%52 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.subf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x32xf32>
    %61 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<2x4x32x32xf32>) outs(%52 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.exp %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x32xf32>
    %62 = tensor.empty() : tensor<2x4x32x1xf32>
    %63 = linalg.fill ins(%cst : f32) outs(%62 : tensor<2x4x32x1xf32>) -> tensor<2x4x32x1xf32>
    %64 = linalg.generic {indexing_maps = [#map9, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%61 : tensor<2x4x32x32xf32>) outs(%63 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.addf %in, %out : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x1xf32>
    %65 = linalg.generic {indexing_maps = [#map9, #map14, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61, %64 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%52 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.divf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_31 = tensor.collapse_shape %65 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_32 = tensor.collapse_shape %47 [[0, 1, 2], [3], [4]] : tensor<2x2x2x32x16xf32> into tensor<8x32x16xf32>
    %66 = tensor.empty() : tensor<8x32x16xf32>
    %67 = linalg.fill ins(%cst : f32) outs(%66 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %68 = linalg.batch_matmul ins(%collapsed_31, %collapsed_32 : tensor<8x32x32xf32>, tensor<8x32x16xf32>) outs(%67 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %expanded_33 = tensor.expand_shape %68 [[0, 1], [2], [3]] output_shape [2, 4, 32, 16] : tensor<8x32x16xf32> into tensor<2x4x32x16xf32>
    %69 = tensor.empty() : tensor<2x32x4x16xf32>
    %transposed_34 = linalg.transpose ins(%expanded_33 : tensor<2x4x32x16xf32>) outs(%69 : tensor<2x32x4x16xf32>) permutation = [0, 2, 1, 3] 
    %transposed_35 = linalg.transpose ins(%arg4 : tensor<64x64xf32>) outs(%26 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_36 = tensor.collapse_shape %transposed_34 [[0, 1], [2, 3]] : tensor<2x32x4x16xf32> into tensor<64x64xf32>
    %70 = linalg.matmul ins(%collapsed_36, %transposed_35 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%27 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %expanded_37 = tensor.expand_shape %70 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %71 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %expanded_37 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.addf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %72 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71 : tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %73 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%72 : tensor<2x32x64xf32>) outs(%19 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.addf %in, %out : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %74 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.divf %in, %cst_5 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %75 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.truncf %cst_4 : f64 to f32
      %144 = arith.addf %in, %143 : f32
      linalg.yield %144 : f32
    } -> tensor<2x32x1xf32>
    %76 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.rsqrt %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %77 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71, %76 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %78 = linalg.generic {indexing_maps = [#map8, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %77 : tensor<64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %79 = tensor.empty() : tensor<64x128xf32>
    %transposed_38 = linalg.transpose ins(%arg5 : tensor<128x64xf32>) outs(%79 : tensor<64x128xf32>) permutation = [1, 0] 
    %collapsed_39 = tensor.collapse_shape %78 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %80 = linalg.fill ins(%cst : f32) outs(%79 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %81 = linalg.matmul ins(%collapsed_39, %transposed_38 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%80 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_40 = tensor.expand_shape %81 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %82 = tensor.empty() : tensor<2x32x128xf32>
    %83 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_40 : tensor<2x32x128xf32>) outs(%82 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.negf %in : f32
      %144 = math.exp %143 : f32
      %145 = arith.addf %144, %cst_1 : f32
      %146 = arith.divf %cst_1, %145 : f32
      linalg.yield %146 : f32
    } -> tensor<2x32x128xf32>
    %84 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_40, %83 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%82 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x128xf32>
    %transposed_41 = linalg.transpose ins(%arg6 : tensor<128x64xf32>) outs(%79 : tensor<64x128xf32>) permutation = [1, 0] 
    %85 = linalg.matmul ins(%collapsed_39, %transposed_41 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%80 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_42 = tensor.expand_shape %85 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %86 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84, %expanded_42 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%82 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x128xf32>
    %87 = tensor.empty() : tensor<128x64xf32>
    %transposed_43 = linalg.transpose ins(%arg7 : tensor<64x128xf32>) outs(%87 : tensor<128x64xf32>) permutation = [1, 0] 
    %collapsed_44 = tensor.collapse_shape %86 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %88 = linalg.matmul ins(%collapsed_44, %transposed_43 : tensor<64x128xf32>, tensor<128x64xf32>) outs(%27 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %expanded_45 = tensor.expand_shape %88 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %89 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71, %expanded_45 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.addf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %90 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %91 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%90 : tensor<2x32x64xf32>) outs(%19 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.addf %in, %out : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %92 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.divf %in, %cst_5 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %93 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.truncf %cst_4 : f64 to f32
      %144 = arith.addf %in, %143 : f32
      linalg.yield %144 : f32
    } -> tensor<2x32x1xf32>
    %94 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.rsqrt %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %95 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %94 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %96 = linalg.generic {indexing_maps = [#map8, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg17, %95 : tensor<64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %transposed_46 = linalg.transpose ins(%arg10 : tensor<64x64xf32>) outs(%26 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_47 = tensor.collapse_shape %96 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %97 = linalg.matmul ins(%collapsed_47, %transposed_46 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%27 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %expanded_48 = tensor.expand_shape %97 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %transposed_49 = linalg.transpose ins(%expanded_48 : tensor<2x32x4x16xf32>) outs(%29 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %transposed_50 = linalg.transpose ins(%arg11 : tensor<32x64xf32>) outs(%30 : tensor<64x32xf32>) permutation = [1, 0] 
    %98 = linalg.matmul ins(%collapsed_47, %transposed_50 : tensor<64x64xf32>, tensor<64x32xf32>) outs(%31 : tensor<64x32xf32>) -> tensor<64x32xf32>
    %expanded_51 = tensor.expand_shape %98 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] : tensor<64x32xf32> into tensor<2x32x2x16xf32>
    %transposed_52 = linalg.transpose ins(%expanded_51 : tensor<2x32x2x16xf32>) outs(%33 : tensor<2x2x32x16xf32>) permutation = [0, 2, 1, 3] 
    %transposed_53 = linalg.transpose ins(%arg12 : tensor<32x64xf32>) outs(%30 : tensor<64x32xf32>) permutation = [1, 0] 
    %99 = linalg.matmul ins(%collapsed_47, %transposed_53 : tensor<64x64xf32>, tensor<64x32xf32>) outs(%31 : tensor<64x32xf32>) -> tensor<64x32xf32>
    %expanded_54 = tensor.expand_shape %99 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] : tensor<64x32xf32> into tensor<2x32x2x16xf32>
    %transposed_55 = linalg.transpose ins(%expanded_54 : tensor<2x32x2x16xf32>) outs(%33 : tensor<2x2x32x16xf32>) permutation = [0, 2, 1, 3] 
    %100 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_49, %expanded_18 : tensor<2x4x32x16xf32>, tensor<1x1x32x16xf32>) outs(%29 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x16xf32>
    %extracted_slice_56 = tensor.extract_slice %transposed_49[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32>
    %extracted_slice_57 = tensor.extract_slice %transposed_49[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32>
    %101 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_57 : tensor<2x4x32x8xf32>) outs(%36 : tensor<2x4x32x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.negf %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x8xf32>
    %concat_58 = tensor.concat dim(3) %101, %extracted_slice_56 : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32>
    %102 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_58, %expanded_19 : tensor<2x4x32x16xf32>, tensor<1x1x32x16xf32>) outs(%29 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x16xf32>
    %103 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%100, %102 : tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>) outs(%29 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.addf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x16xf32>
    %104 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_52, %expanded_18 : tensor<2x2x32x16xf32>, tensor<1x1x32x16xf32>) outs(%33 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x2x32x16xf32>
    %extracted_slice_59 = tensor.extract_slice %transposed_52[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32>
    %extracted_slice_60 = tensor.extract_slice %transposed_52[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32>
    %105 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_60 : tensor<2x2x32x8xf32>) outs(%41 : tensor<2x2x32x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.negf %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x2x32x8xf32>
    %concat_61 = tensor.concat dim(3) %105, %extracted_slice_59 : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32>
    %106 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_61, %expanded_19 : tensor<2x2x32x16xf32>, tensor<1x1x32x16xf32>) outs(%33 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x2x32x16xf32>
    %107 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%104, %106 : tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) outs(%33 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.addf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x2x32x16xf32>
    %108 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%107 : tensor<2x2x32x16xf32>) outs(%45 : tensor<2x2x2x32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x32x16xf32>
    %collapsed_62 = tensor.collapse_shape %108 [[0], [1, 2], [3], [4]] : tensor<2x2x2x32x16xf32> into tensor<2x4x32x16xf32>
    %109 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_55 : tensor<2x2x32x16xf32>) outs(%45 : tensor<2x2x2x32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x32x16xf32>
    %transposed_63 = linalg.transpose ins(%collapsed_62 : tensor<2x4x32x16xf32>) outs(%48 : tensor<2x4x16x32xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_64 = tensor.collapse_shape %103 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %collapsed_65 = tensor.collapse_shape %transposed_63 [[0, 1], [2], [3]] : tensor<2x4x16x32xf32> into tensor<8x16x32xf32>
    %110 = linalg.batch_matmul ins(%collapsed_64, %collapsed_65 : tensor<8x32x16xf32>, tensor<8x16x32xf32>) outs(%50 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_66 = tensor.expand_shape %110 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %111 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_66 : tensor<2x4x32x32xf32>) outs(%52 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.mulf %in, %cst_6 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x32xf32>
    %112 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%111, %expanded_8 : tensor<2x4x32x32xf32>, tensor<1x1x32x32xf32>) outs(%52 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.addf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x32xf32>
    %113:2 = linalg.generic {indexing_maps = [#map9, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%112 : tensor<2x4x32x32xf32>) outs(%58, %56 : tensor<2x4x32xf32>, tensor<2x4x32xi64>) {
    ^bb0(%in: f32, %out: f32, %out_86: i64):
      %143 = linalg.index 3 : index
      %144 = arith.index_cast %143 : index to i64
      %145 = arith.maximumf %in, %out : f32
      %146 = arith.cmpf ogt, %in, %out : f32
      %147 = arith.select %146, %144, %out_86 : i64
      linalg.yield %145, %147 : f32, i64
    } -> (tensor<2x4x32xf32>, tensor<2x4x32xi64>)
    %expanded_67 = tensor.expand_shape %113#0 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %114 = linalg.generic {indexing_maps = [#map9, #map14, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%112, %expanded_67 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%52 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.subf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x32xf32>
    %115 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%114 : tensor<2x4x32x32xf32>) outs(%52 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.exp %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x32xf32>
    %116 = linalg.generic {indexing_maps = [#map9, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%115 : tensor<2x4x32x32xf32>) outs(%63 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.addf %in, %out : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x1xf32>
    %117 = linalg.generic {indexing_maps = [#map9, #map14, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%115, %116 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%52 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.divf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_68 = tensor.collapse_shape %117 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_69 = tensor.collapse_shape %109 [[0, 1, 2], [3], [4]] : tensor<2x2x2x32x16xf32> into tensor<8x32x16xf32>
    %118 = linalg.batch_matmul ins(%collapsed_68, %collapsed_69 : tensor<8x32x32xf32>, tensor<8x32x16xf32>) outs(%67 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %expanded_70 = tensor.expand_shape %118 [[0, 1], [2], [3]] output_shape [2, 4, 32, 16] : tensor<8x32x16xf32> into tensor<2x4x32x16xf32>
    %transposed_71 = linalg.transpose ins(%expanded_70 : tensor<2x4x32x16xf32>) outs(%69 : tensor<2x32x4x16xf32>) permutation = [0, 2, 1, 3] 
    %transposed_72 = linalg.transpose ins(%arg13 : tensor<64x64xf32>) outs(%26 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_73 = tensor.collapse_shape %transposed_71 [[0, 1], [2, 3]] : tensor<2x32x4x16xf32> into tensor<64x64xf32>
    %119 = linalg.matmul ins(%collapsed_73, %transposed_72 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%27 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %expanded_74 = tensor.expand_shape %119 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %120 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %expanded_74 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.addf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %121 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120 : tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %122 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%121 : tensor<2x32x64xf32>) outs(%19 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.addf %in, %out : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %123 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%122 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.divf %in, %cst_5 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %124 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%123 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.truncf %cst_4 : f64 to f32
      %144 = arith.addf %in, %143 : f32
      linalg.yield %144 : f32
    } -> tensor<2x32x1xf32>
    %125 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%124 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.rsqrt %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %126 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120, %125 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %127 = linalg.generic {indexing_maps = [#map8, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg18, %126 : tensor<64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %transposed_75 = linalg.transpose ins(%arg14 : tensor<128x64xf32>) outs(%79 : tensor<64x128xf32>) permutation = [1, 0] 
    %collapsed_76 = tensor.collapse_shape %127 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %128 = linalg.matmul ins(%collapsed_76, %transposed_75 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%80 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_77 = tensor.expand_shape %128 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %129 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_77 : tensor<2x32x128xf32>) outs(%82 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.negf %in : f32
      %144 = math.exp %143 : f32
      %145 = arith.addf %144, %cst_1 : f32
      %146 = arith.divf %cst_1, %145 : f32
      linalg.yield %146 : f32
    } -> tensor<2x32x128xf32>
    %130 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_77, %129 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%82 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x128xf32>
    %transposed_78 = linalg.transpose ins(%arg15 : tensor<128x64xf32>) outs(%79 : tensor<64x128xf32>) permutation = [1, 0] 
    %131 = linalg.matmul ins(%collapsed_76, %transposed_78 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%80 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_79 = tensor.expand_shape %131 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %132 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%130, %expanded_79 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%82 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x128xf32>
    %transposed_80 = linalg.transpose ins(%arg16 : tensor<64x128xf32>) outs(%87 : tensor<128x64xf32>) permutation = [1, 0] 
    %collapsed_81 = tensor.collapse_shape %132 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %133 = linalg.matmul ins(%collapsed_81, %transposed_80 : tensor<64x128xf32>, tensor<128x64xf32>) outs(%27 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %expanded_82 = tensor.expand_shape %133 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %134 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120, %expanded_82 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.addf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %135 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134 : tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %136 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%135 : tensor<2x32x64xf32>) outs(%19 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.addf %in, %out : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %137 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.divf %in, %cst_5 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %138 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = arith.truncf %cst_4 : f64 to f32
      %144 = arith.addf %in, %143 : f32
      linalg.yield %144 : f32
    } -> tensor<2x32x1xf32>
    %139 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138 : tensor<2x32x1xf32>) outs(%18 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %143 = math.rsqrt %in : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x1xf32>
    %140 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134, %139 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %141 = linalg.generic {indexing_maps = [#map8, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg19, %140 : tensor<64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_86: f32, %out: f32):
      %143 = arith.mulf %in, %in_86 : f32
      linalg.yield %143 : f32
    } -> tensor<2x32x64xf32>
    %transposed_83 = linalg.transpose ins(%arg20 : tensor<128x64xf32>) outs(%79 : tensor<64x128xf32>) permutation = [1, 0] 
    %collapsed_84 = tensor.collapse_shape %141 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %142 = linalg.matmul ins(%collapsed_84, %transposed_83 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%80 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_85 = tensor.expand_shape %142 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    return %expanded_85 : tensor<2x32x128xf32>
  }
}
