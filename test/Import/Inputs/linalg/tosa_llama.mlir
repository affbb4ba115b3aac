// Made by generate_tosa.py.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (0, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map7 = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
#map8 = affine_map<(d0, d1, d2) -> (0, 0, 0)>
#map9 = affine_map<(d0, d1, d2) -> (0, 0, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9) -> (d1, d3, d5, d7, d9)>
#map13 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9) -> (d0, d1, d2, d3, d4, d5, d6, d7, d8, d9)>
#map14 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map15 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<128x64xf32>, %arg1: tensor<64x64xf32>, %arg2: tensor<32x64xf32>, %arg3: tensor<32x64xf32>, %arg4: tensor<64x64xf32>, %arg5: tensor<128x64xf32>, %arg6: tensor<128x64xf32>, %arg7: tensor<64x128xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64xf32>, %arg10: tensor<64x64xf32>, %arg11: tensor<32x64xf32>, %arg12: tensor<32x64xf32>, %arg13: tensor<64x64xf32>, %arg14: tensor<128x64xf32>, %arg15: tensor<128x64xf32>, %arg16: tensor<64x128xf32>, %arg17: tensor<64xf32>, %arg18: tensor<64xf32>, %arg19: tensor<64xf32>, %arg20: tensor<128x64xf32>, %arg21: tensor<8xf32>, %arg22: tensor<8xf32>, %arg23: tensor<2x32xi64>) -> tensor<2x32x128xf32> {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant -3.40282347E+38 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14], [15], [16], [17], [18], [19], [20], [21], [22], [23], [24], [25], [26], [27], [28], [29], [30], [31]]]> : tensor<1x32x1xi64>
    %c0 = arith.constant 0 : index
    %cst_3 = arith.constant dense<-1.000000e+09> : tensor<32x32xf32>
    %cst_4 = arith.constant dense<1> : tensor<1x1xi64>
    %cst_5 = arith.constant dense<0.000000e+00> : tensor<1x1xf32>
    %cst_6 = arith.constant dense<2.000000e+00> : tensor<1x1x1xf32>
    %cst_7 = arith.constant dense<1.562500e-02> : tensor<1x1x1xf32>
    %cst_8 = arith.constant dense<9.99999997E-7> : tensor<1x1x1xf32>
    %cst_9 = arith.constant dense<2.500000e-01> : tensor<1x1x1x1xf32>
    %cst_10 = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]]> : tensor<1x32xi64>
    %cst_11 = arith.constant dense<[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14], [15], [16], [17], [18], [19], [20], [21], [22], [23], [24], [25], [26], [27], [28], [29], [30], [31]]> : tensor<32x1xi64>
    %0 = tensor.empty() : tensor<32x1xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_11 : tensor<32x1xi64>) outs(%0 : tensor<32x1xi32>) {
    ^bb0(%in: i64, %out: i32):
      %273 = arith.trunci %in : i64 to i32
      linalg.yield %273 : i32
    } -> tensor<32x1xi32>
    %2 = tensor.empty() : tensor<1x32xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_10 : tensor<1x32xi64>) outs(%2 : tensor<1x32xi32>) {
    ^bb0(%in: i64, %out: i32):
      %273 = arith.trunci %in : i64 to i32
      linalg.yield %273 : i32
    } -> tensor<1x32xi32>
    %4 = tensor.empty() : tensor<32x32xi32>
    %5 = linalg.generic {indexing_maps = [#map1, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %1 : tensor<1x32xi32>, tensor<32x1xi32>) outs(%4 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %in_162: i32, %out: i32):
      %273 = arith.subi %in, %in_162 : i32
      linalg.yield %273 : i32
    } -> tensor<32x32xi32>
    %6 = tensor.empty() : tensor<32x32xi64>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<32x32xi32>) outs(%6 : tensor<32x32xi64>) {
    ^bb0(%in: i32, %out: i64):
      %273 = arith.extsi %in : i32 to i64
      linalg.yield %273 : i64
    } -> tensor<32x32xi64>
    %8 = tensor.empty() : tensor<32x32xi1>
    %9 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %cst_4 : tensor<32x32xi64>, tensor<1x1xi64>) outs(%8 : tensor<32x32xi1>) {
    ^bb0(%in: i64, %in_162: i64, %out: i1):
      %273 = arith.cmpi sge, %in, %in_162 : i64
      linalg.yield %273 : i1
    } -> tensor<32x32xi1>
    %10 = tensor.empty() : tensor<32x32xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map3, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %cst_3, %cst_5 : tensor<32x32xi1>, tensor<32x32xf32>, tensor<1x1xf32>) outs(%10 : tensor<32x32xf32>) {
    ^bb0(%in: i1, %in_162: f32, %in_163: f32, %out: f32):
      %273 = arith.select %in, %in_162, %in_163 : f32
      linalg.yield %273 : f32
    } -> tensor<32x32xf32>
    %expanded = tensor.expand_shape %11 [[0, 1, 2], [3]] output_shape [1, 1, 32, 32] : tensor<32x32xf32> into tensor<1x1x32x32xf32>
    %expanded_12 = tensor.expand_shape %arg0 [[0, 1], [2]] output_shape [1, 128, 64] : tensor<128x64xf32> into tensor<1x128x64xf32>
    %collapsed = tensor.collapse_shape %arg23 [[0, 1]] : tensor<2x32xi64> into tensor<64xi64>
    %expanded_13 = tensor.expand_shape %collapsed [[0, 1]] output_shape [1, 64] : tensor<64xi64> into tensor<1x64xi64>
    %12 = tensor.empty() : tensor<1x64xi32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_13 : tensor<1x64xi64>) outs(%12 : tensor<1x64xi32>) {
    ^bb0(%in: i64, %out: i32):
      %273 = arith.trunci %in : i64 to i32
      linalg.yield %273 : i32
    } -> tensor<1x64xi32>
    %14 = tensor.empty() : tensor<1x64x64xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<1x64xi32>) outs(%14 : tensor<1x64x64xf32>) {
    ^bb0(%in: i32, %out: f32):
      %273 = arith.index_cast %in : i32 to index
      %274 = linalg.index 2 : index
      %extracted = tensor.extract %expanded_12[%c0, %273, %274] : tensor<1x128x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x64x64xf32>
    %collapsed_14 = tensor.collapse_shape %15 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_15 = tensor.expand_shape %collapsed_14 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %16 = tensor.empty() : tensor<1x32x1xf32>
    %17 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<1x32x1xi64>) outs(%16 : tensor<1x32x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %273 = arith.sitofp %in : i64 to f32
      linalg.yield %273 : f32
    } -> tensor<1x32x1xf32>
    %expanded_16 = tensor.expand_shape %arg21 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xf32> into tensor<1x1x8xf32>
    %18 = tensor.empty() : tensor<1x32x8xf32>
    %19 = linalg.generic {indexing_maps = [#map6, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %expanded_16 : tensor<1x32x1xf32>, tensor<1x1x8xf32>) outs(%18 : tensor<1x32x8xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<1x32x8xf32>
    %20 = tensor.empty() : tensor<1x32x16xf32>
    %inserted_slice = tensor.insert_slice %19 into %20[0, 0, 0] [1, 32, 8] [1, 1, 1] : tensor<1x32x8xf32> into tensor<1x32x16xf32>
    %inserted_slice_17 = tensor.insert_slice %19 into %inserted_slice[0, 0, 8] [1, 32, 8] [1, 1, 1] : tensor<1x32x8xf32> into tensor<1x32x16xf32>
    %21 = tensor.empty() : tensor<1x32x16xf32>
    %22 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_17 : tensor<1x32x16xf32>) outs(%21 : tensor<1x32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = math.cos %in : f32
      linalg.yield %273 : f32
    } -> tensor<1x32x16xf32>
    %23 = tensor.empty() : tensor<1x32x16xf32>
    %24 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_17 : tensor<1x32x16xf32>) outs(%23 : tensor<1x32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = math.sin %in : f32
      linalg.yield %273 : f32
    } -> tensor<1x32x16xf32>
    %25 = tensor.empty() : tensor<2x32x64xf32>
    %26 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_15, %cst_6 : tensor<2x32x64xf32>, tensor<1x1x1xf32>) outs(%25 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = math.powf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %27 = tensor.empty() : tensor<2x32xf32>
    %28 = linalg.fill ins(%cst_1 : f32) outs(%27 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced = linalg.reduce ins(%26 : tensor<2x32x64xf32>) outs(%28 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %273 = arith.addf %in, %init : f32
        linalg.yield %273 : f32
      }
    %expanded_18 = tensor.expand_shape %reduced [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %29 = tensor.empty() : tensor<2x32x1xf32>
    %30 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_18, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%29 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %31 = tensor.empty() : tensor<2x32x1xf32>
    %32 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%31 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %33 = tensor.empty() : tensor<2x32x1xf32>
    %34 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32 : tensor<2x32x1xf32>) outs(%33 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = math.rsqrt %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %35 = tensor.empty() : tensor<2x32x64xf32>
    %36 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_15, %34 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%35 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %expanded_19 = tensor.expand_shape %arg8 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %37 = tensor.empty() : tensor<2x32x64xf32>
    %38 = linalg.generic {indexing_maps = [#map9, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_19, %36 : tensor<1x1x64xf32>, tensor<2x32x64xf32>) outs(%37 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %39 = tensor.empty() : tensor<64x64xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<64x64xf32>) outs(%39 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_20 = tensor.collapse_shape %38 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_21 = tensor.expand_shape %collapsed_20 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_22 = tensor.expand_shape %transposed [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %40 = tensor.empty() : tensor<1x64x64xf32>
    %41 = linalg.fill ins(%cst_1 : f32) outs(%40 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %42 = linalg.batch_matmul ins(%expanded_21, %expanded_22 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%41 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_23 = tensor.collapse_shape %42 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_24 = tensor.expand_shape %collapsed_23 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %43 = tensor.empty() : tensor<2x4x32x16xf32>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<2x32x4x16xf32>) outs(%43 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %44 = tensor.empty() : tensor<64x32xf32>
    %transposed_26 = linalg.transpose ins(%arg2 : tensor<32x64xf32>) outs(%44 : tensor<64x32xf32>) permutation = [1, 0] 
    %expanded_27 = tensor.expand_shape %transposed_26 [[0, 1], [2]] output_shape [1, 64, 32] : tensor<64x32xf32> into tensor<1x64x32xf32>
    %45 = tensor.empty() : tensor<1x64x32xf32>
    %46 = linalg.fill ins(%cst_1 : f32) outs(%45 : tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
    %47 = linalg.batch_matmul ins(%expanded_21, %expanded_27 : tensor<1x64x64xf32>, tensor<1x64x32xf32>) outs(%46 : tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
    %collapsed_28 = tensor.collapse_shape %47 [[0, 1], [2]] : tensor<1x64x32xf32> into tensor<64x32xf32>
    %expanded_29 = tensor.expand_shape %collapsed_28 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] : tensor<64x32xf32> into tensor<2x32x2x16xf32>
    %48 = tensor.empty() : tensor<2x2x32x16xf32>
    %transposed_30 = linalg.transpose ins(%expanded_29 : tensor<2x32x2x16xf32>) outs(%48 : tensor<2x2x32x16xf32>) permutation = [0, 2, 1, 3] 
    %49 = tensor.empty() : tensor<64x32xf32>
    %transposed_31 = linalg.transpose ins(%arg3 : tensor<32x64xf32>) outs(%49 : tensor<64x32xf32>) permutation = [1, 0] 
    %expanded_32 = tensor.expand_shape %transposed_31 [[0, 1], [2]] output_shape [1, 64, 32] : tensor<64x32xf32> into tensor<1x64x32xf32>
    %50 = tensor.empty() : tensor<1x64x32xf32>
    %51 = linalg.fill ins(%cst_1 : f32) outs(%50 : tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
    %52 = linalg.batch_matmul ins(%expanded_21, %expanded_32 : tensor<1x64x64xf32>, tensor<1x64x32xf32>) outs(%51 : tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
    %collapsed_33 = tensor.collapse_shape %52 [[0, 1], [2]] : tensor<1x64x32xf32> into tensor<64x32xf32>
    %expanded_34 = tensor.expand_shape %collapsed_33 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] : tensor<64x32xf32> into tensor<2x32x2x16xf32>
    %53 = tensor.empty() : tensor<2x2x32x16xf32>
    %transposed_35 = linalg.transpose ins(%expanded_34 : tensor<2x32x2x16xf32>) outs(%53 : tensor<2x2x32x16xf32>) permutation = [0, 2, 1, 3] 
    %expanded_36 = tensor.expand_shape %22 [[0, 1], [2], [3]] output_shape [1, 1, 32, 16] : tensor<1x32x16xf32> into tensor<1x1x32x16xf32>
    %expanded_37 = tensor.expand_shape %24 [[0, 1], [2], [3]] output_shape [1, 1, 32, 16] : tensor<1x32x16xf32> into tensor<1x1x32x16xf32>
    %54 = tensor.empty() : tensor<2x4x32x16xf32>
    %55 = linalg.generic {indexing_maps = [#map10, #map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_25, %expanded_36 : tensor<2x4x32x16xf32>, tensor<1x1x32x16xf32>) outs(%54 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x16xf32>
    %extracted_slice = tensor.extract_slice %transposed_25[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32>
    %extracted_slice_38 = tensor.extract_slice %transposed_25[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32>
    %56 = tensor.empty() : tensor<2x4x32x8xf32>
    %57 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_38 : tensor<2x4x32x8xf32>) outs(%56 : tensor<2x4x32x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = arith.negf %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x8xf32>
    %58 = tensor.empty() : tensor<2x4x32x16xf32>
    %inserted_slice_39 = tensor.insert_slice %57 into %58[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x8xf32> into tensor<2x4x32x16xf32>
    %inserted_slice_40 = tensor.insert_slice %extracted_slice into %inserted_slice_39[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x8xf32> into tensor<2x4x32x16xf32>
    %59 = tensor.empty() : tensor<2x4x32x16xf32>
    %60 = linalg.generic {indexing_maps = [#map10, #map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_40, %expanded_37 : tensor<2x4x32x16xf32>, tensor<1x1x32x16xf32>) outs(%59 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x16xf32>
    %61 = tensor.empty() : tensor<2x4x32x16xf32>
    %62 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %60 : tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>) outs(%61 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x16xf32>
    %63 = tensor.empty() : tensor<2x2x32x16xf32>
    %64 = linalg.generic {indexing_maps = [#map10, #map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_30, %expanded_36 : tensor<2x2x32x16xf32>, tensor<1x1x32x16xf32>) outs(%63 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x2x32x16xf32>
    %extracted_slice_41 = tensor.extract_slice %transposed_30[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32>
    %extracted_slice_42 = tensor.extract_slice %transposed_30[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32>
    %65 = tensor.empty() : tensor<2x2x32x8xf32>
    %66 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_42 : tensor<2x2x32x8xf32>) outs(%65 : tensor<2x2x32x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = arith.negf %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x2x32x8xf32>
    %67 = tensor.empty() : tensor<2x2x32x16xf32>
    %inserted_slice_43 = tensor.insert_slice %66 into %67[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x8xf32> into tensor<2x2x32x16xf32>
    %inserted_slice_44 = tensor.insert_slice %extracted_slice_41 into %inserted_slice_43[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x8xf32> into tensor<2x2x32x16xf32>
    %68 = tensor.empty() : tensor<2x2x32x16xf32>
    %69 = linalg.generic {indexing_maps = [#map10, #map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_44, %expanded_37 : tensor<2x2x32x16xf32>, tensor<1x1x32x16xf32>) outs(%68 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x2x32x16xf32>
    %70 = tensor.empty() : tensor<2x2x32x16xf32>
    %71 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64, %69 : tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) outs(%70 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x2x32x16xf32>
    %expanded_45 = tensor.expand_shape %71 [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 32, 16] : tensor<2x2x32x16xf32> into tensor<2x2x1x32x16xf32>
    %72 = tensor.empty() : tensor<1x2x1x2x2x1x1x32x1x16xf32>
    %73 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_45 : tensor<2x2x1x32x16xf32>) outs(%72 : tensor<1x2x1x2x2x1x1x32x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2x2x1x1x32x1x16xf32>
    %collapsed_46 = tensor.collapse_shape %73 [[0, 1, 2], [3, 4, 5, 6], [7, 8], [9]] : tensor<1x2x1x2x2x1x1x32x1x16xf32> into tensor<2x4x32x16xf32>
    %expanded_47 = tensor.expand_shape %transposed_35 [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 32, 16] : tensor<2x2x32x16xf32> into tensor<2x2x1x32x16xf32>
    %74 = tensor.empty() : tensor<1x2x1x2x2x1x1x32x1x16xf32>
    %75 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_47 : tensor<2x2x1x32x16xf32>) outs(%74 : tensor<1x2x1x2x2x1x1x32x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2x2x1x1x32x1x16xf32>
    %76 = tensor.empty() : tensor<2x4x16x32xf32>
    %transposed_48 = linalg.transpose ins(%collapsed_46 : tensor<2x4x32x16xf32>) outs(%76 : tensor<2x4x16x32xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_49 = tensor.collapse_shape %62 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %collapsed_50 = tensor.collapse_shape %transposed_48 [[0, 1], [2], [3]] : tensor<2x4x16x32xf32> into tensor<8x16x32xf32>
    %77 = tensor.empty() : tensor<8x32x32xf32>
    %78 = linalg.fill ins(%cst_1 : f32) outs(%77 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %79 = linalg.batch_matmul ins(%collapsed_49, %collapsed_50 : tensor<8x32x16xf32>, tensor<8x16x32xf32>) outs(%78 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_51 = tensor.expand_shape %79 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %80 = tensor.empty() : tensor<2x4x32x32xf32>
    %81 = linalg.generic {indexing_maps = [#map10, #map14, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_51, %cst_9 : tensor<2x4x32x32xf32>, tensor<1x1x1x1xf32>) outs(%80 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x32xf32>
    %82 = tensor.empty() : tensor<2x4x32x32xf32>
    %83 = linalg.generic {indexing_maps = [#map10, #map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%81, %expanded : tensor<2x4x32x32xf32>, tensor<1x1x32x32xf32>) outs(%82 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x32xf32>
    %84 = tensor.empty() : tensor<2x4x32xf32>
    %85 = linalg.fill ins(%cst_0 : f32) outs(%84 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %reduced_52 = linalg.reduce ins(%83 : tensor<2x4x32x32xf32>) outs(%85 : tensor<2x4x32xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %273 = arith.maximumf %in, %init : f32
        linalg.yield %273 : f32
      }
    %expanded_53 = tensor.expand_shape %reduced_52 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %86 = tensor.empty() : tensor<2x4x32x32xf32>
    %87 = linalg.generic {indexing_maps = [#map10, #map15, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%83, %expanded_53 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%86 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.subf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x32xf32>
    %88 = tensor.empty() : tensor<2x4x32x32xf32>
    %89 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%87 : tensor<2x4x32x32xf32>) outs(%88 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = math.exp %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x32xf32>
    %90 = tensor.empty() : tensor<2x4x32xf32>
    %91 = linalg.fill ins(%cst_1 : f32) outs(%90 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %reduced_54 = linalg.reduce ins(%89 : tensor<2x4x32x32xf32>) outs(%91 : tensor<2x4x32xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %273 = arith.addf %in, %init : f32
        linalg.yield %273 : f32
      }
    %expanded_55 = tensor.expand_shape %reduced_54 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %92 = tensor.empty() : tensor<2x4x32x1xf32>
    %93 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_55 : tensor<2x4x32x1xf32>) outs(%92 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = arith.divf %cst, %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x1xf32>
    %94 = tensor.empty() : tensor<2x4x32x32xf32>
    %95 = linalg.generic {indexing_maps = [#map10, #map15, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%89, %93 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%94 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_56 = tensor.collapse_shape %95 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_57 = tensor.collapse_shape %75 [[0, 1, 2, 3, 4, 5, 6], [7, 8], [9]] : tensor<1x2x1x2x2x1x1x32x1x16xf32> into tensor<8x32x16xf32>
    %96 = tensor.empty() : tensor<8x32x16xf32>
    %97 = linalg.fill ins(%cst_1 : f32) outs(%96 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %98 = linalg.batch_matmul ins(%collapsed_56, %collapsed_57 : tensor<8x32x32xf32>, tensor<8x32x16xf32>) outs(%97 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %expanded_58 = tensor.expand_shape %98 [[0, 1], [2], [3]] output_shape [2, 4, 32, 16] : tensor<8x32x16xf32> into tensor<2x4x32x16xf32>
    %99 = tensor.empty() : tensor<2x32x4x16xf32>
    %transposed_59 = linalg.transpose ins(%expanded_58 : tensor<2x4x32x16xf32>) outs(%99 : tensor<2x32x4x16xf32>) permutation = [0, 2, 1, 3] 
    %100 = tensor.empty() : tensor<64x64xf32>
    %transposed_60 = linalg.transpose ins(%arg4 : tensor<64x64xf32>) outs(%100 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_61 = tensor.collapse_shape %transposed_59 [[0, 1], [2, 3]] : tensor<2x32x4x16xf32> into tensor<64x64xf32>
    %expanded_62 = tensor.expand_shape %collapsed_61 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_63 = tensor.expand_shape %transposed_60 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %101 = tensor.empty() : tensor<1x64x64xf32>
    %102 = linalg.fill ins(%cst_1 : f32) outs(%101 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %103 = linalg.batch_matmul ins(%expanded_62, %expanded_63 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%102 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_64 = tensor.collapse_shape %103 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_65 = tensor.expand_shape %collapsed_64 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %104 = tensor.empty() : tensor<2x32x64xf32>
    %105 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_15, %expanded_65 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%104 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %106 = tensor.empty() : tensor<2x32x64xf32>
    %107 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105, %cst_6 : tensor<2x32x64xf32>, tensor<1x1x1xf32>) outs(%106 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = math.powf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %108 = tensor.empty() : tensor<2x32xf32>
    %109 = linalg.fill ins(%cst_1 : f32) outs(%108 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced_66 = linalg.reduce ins(%107 : tensor<2x32x64xf32>) outs(%109 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %273 = arith.addf %in, %init : f32
        linalg.yield %273 : f32
      }
    %expanded_67 = tensor.expand_shape %reduced_66 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %110 = tensor.empty() : tensor<2x32x1xf32>
    %111 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_67, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%110 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %112 = tensor.empty() : tensor<2x32x1xf32>
    %113 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%111, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%112 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %114 = tensor.empty() : tensor<2x32x1xf32>
    %115 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113 : tensor<2x32x1xf32>) outs(%114 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = math.rsqrt %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %116 = tensor.empty() : tensor<2x32x64xf32>
    %117 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105, %115 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%116 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %expanded_68 = tensor.expand_shape %arg9 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %118 = tensor.empty() : tensor<2x32x64xf32>
    %119 = linalg.generic {indexing_maps = [#map9, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_68, %117 : tensor<1x1x64xf32>, tensor<2x32x64xf32>) outs(%118 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %120 = tensor.empty() : tensor<64x128xf32>
    %transposed_69 = linalg.transpose ins(%arg5 : tensor<128x64xf32>) outs(%120 : tensor<64x128xf32>) permutation = [1, 0] 
    %collapsed_70 = tensor.collapse_shape %119 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_71 = tensor.expand_shape %collapsed_70 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_72 = tensor.expand_shape %transposed_69 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %121 = tensor.empty() : tensor<1x64x128xf32>
    %122 = linalg.fill ins(%cst_1 : f32) outs(%121 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %123 = linalg.batch_matmul ins(%expanded_71, %expanded_72 : tensor<1x64x64xf32>, tensor<1x64x128xf32>) outs(%122 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %collapsed_73 = tensor.collapse_shape %123 [[0, 1], [2]] : tensor<1x64x128xf32> into tensor<64x128xf32>
    %expanded_74 = tensor.expand_shape %collapsed_73 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %124 = tensor.empty() : tensor<2x32x128xf32>
    %125 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_74 : tensor<2x32x128xf32>) outs(%124 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = arith.negf %in : f32
      %274 = math.exp %273 : f32
      %275 = arith.addf %274, %cst : f32
      %276 = arith.divf %cst, %275 : f32
      linalg.yield %276 : f32
    } -> tensor<2x32x128xf32>
    %126 = tensor.empty() : tensor<2x32x128xf32>
    %127 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_74, %125 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%126 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x128xf32>
    %128 = tensor.empty() : tensor<64x128xf32>
    %transposed_75 = linalg.transpose ins(%arg6 : tensor<128x64xf32>) outs(%128 : tensor<64x128xf32>) permutation = [1, 0] 
    %expanded_76 = tensor.expand_shape %transposed_75 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %129 = tensor.empty() : tensor<1x64x128xf32>
    %130 = linalg.fill ins(%cst_1 : f32) outs(%129 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %131 = linalg.batch_matmul ins(%expanded_71, %expanded_76 : tensor<1x64x64xf32>, tensor<1x64x128xf32>) outs(%130 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %collapsed_77 = tensor.collapse_shape %131 [[0, 1], [2]] : tensor<1x64x128xf32> into tensor<64x128xf32>
    %expanded_78 = tensor.expand_shape %collapsed_77 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %132 = tensor.empty() : tensor<2x32x128xf32>
    %133 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %expanded_78 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%132 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x128xf32>
    %134 = tensor.empty() : tensor<128x64xf32>
    %transposed_79 = linalg.transpose ins(%arg7 : tensor<64x128xf32>) outs(%134 : tensor<128x64xf32>) permutation = [1, 0] 
    %collapsed_80 = tensor.collapse_shape %133 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %expanded_81 = tensor.expand_shape %collapsed_80 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %expanded_82 = tensor.expand_shape %transposed_79 [[0, 1], [2]] output_shape [1, 128, 64] : tensor<128x64xf32> into tensor<1x128x64xf32>
    %135 = tensor.empty() : tensor<1x64x64xf32>
    %136 = linalg.fill ins(%cst_1 : f32) outs(%135 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %137 = linalg.batch_matmul ins(%expanded_81, %expanded_82 : tensor<1x64x128xf32>, tensor<1x128x64xf32>) outs(%136 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_83 = tensor.collapse_shape %137 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_84 = tensor.expand_shape %collapsed_83 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %138 = tensor.empty() : tensor<2x32x64xf32>
    %139 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105, %expanded_84 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%138 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %140 = tensor.empty() : tensor<2x32x64xf32>
    %141 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139, %cst_6 : tensor<2x32x64xf32>, tensor<1x1x1xf32>) outs(%140 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = math.powf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %142 = tensor.empty() : tensor<2x32xf32>
    %143 = linalg.fill ins(%cst_1 : f32) outs(%142 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced_85 = linalg.reduce ins(%141 : tensor<2x32x64xf32>) outs(%143 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %273 = arith.addf %in, %init : f32
        linalg.yield %273 : f32
      }
    %expanded_86 = tensor.expand_shape %reduced_85 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %144 = tensor.empty() : tensor<2x32x1xf32>
    %145 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_86, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%144 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %146 = tensor.empty() : tensor<2x32x1xf32>
    %147 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%145, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%146 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %148 = tensor.empty() : tensor<2x32x1xf32>
    %149 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147 : tensor<2x32x1xf32>) outs(%148 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = math.rsqrt %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %150 = tensor.empty() : tensor<2x32x64xf32>
    %151 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139, %149 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%150 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %expanded_87 = tensor.expand_shape %arg17 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %152 = tensor.empty() : tensor<2x32x64xf32>
    %153 = linalg.generic {indexing_maps = [#map9, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_87, %151 : tensor<1x1x64xf32>, tensor<2x32x64xf32>) outs(%152 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %154 = tensor.empty() : tensor<64x64xf32>
    %transposed_88 = linalg.transpose ins(%arg10 : tensor<64x64xf32>) outs(%154 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_89 = tensor.collapse_shape %153 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_90 = tensor.expand_shape %collapsed_89 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_91 = tensor.expand_shape %transposed_88 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %155 = tensor.empty() : tensor<1x64x64xf32>
    %156 = linalg.fill ins(%cst_1 : f32) outs(%155 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %157 = linalg.batch_matmul ins(%expanded_90, %expanded_91 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%156 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_92 = tensor.collapse_shape %157 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_93 = tensor.expand_shape %collapsed_92 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %158 = tensor.empty() : tensor<2x4x32x16xf32>
    %transposed_94 = linalg.transpose ins(%expanded_93 : tensor<2x32x4x16xf32>) outs(%158 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %159 = tensor.empty() : tensor<64x32xf32>
    %transposed_95 = linalg.transpose ins(%arg11 : tensor<32x64xf32>) outs(%159 : tensor<64x32xf32>) permutation = [1, 0] 
    %expanded_96 = tensor.expand_shape %transposed_95 [[0, 1], [2]] output_shape [1, 64, 32] : tensor<64x32xf32> into tensor<1x64x32xf32>
    %160 = tensor.empty() : tensor<1x64x32xf32>
    %161 = linalg.fill ins(%cst_1 : f32) outs(%160 : tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
    %162 = linalg.batch_matmul ins(%expanded_90, %expanded_96 : tensor<1x64x64xf32>, tensor<1x64x32xf32>) outs(%161 : tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
    %collapsed_97 = tensor.collapse_shape %162 [[0, 1], [2]] : tensor<1x64x32xf32> into tensor<64x32xf32>
    %expanded_98 = tensor.expand_shape %collapsed_97 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] : tensor<64x32xf32> into tensor<2x32x2x16xf32>
    %163 = tensor.empty() : tensor<2x2x32x16xf32>
    %transposed_99 = linalg.transpose ins(%expanded_98 : tensor<2x32x2x16xf32>) outs(%163 : tensor<2x2x32x16xf32>) permutation = [0, 2, 1, 3] 
    %164 = tensor.empty() : tensor<64x32xf32>
    %transposed_100 = linalg.transpose ins(%arg12 : tensor<32x64xf32>) outs(%164 : tensor<64x32xf32>) permutation = [1, 0] 
    %expanded_101 = tensor.expand_shape %transposed_100 [[0, 1], [2]] output_shape [1, 64, 32] : tensor<64x32xf32> into tensor<1x64x32xf32>
    %165 = tensor.empty() : tensor<1x64x32xf32>
    %166 = linalg.fill ins(%cst_1 : f32) outs(%165 : tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
    %167 = linalg.batch_matmul ins(%expanded_90, %expanded_101 : tensor<1x64x64xf32>, tensor<1x64x32xf32>) outs(%166 : tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
    %collapsed_102 = tensor.collapse_shape %167 [[0, 1], [2]] : tensor<1x64x32xf32> into tensor<64x32xf32>
    %expanded_103 = tensor.expand_shape %collapsed_102 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] : tensor<64x32xf32> into tensor<2x32x2x16xf32>
    %168 = tensor.empty() : tensor<2x2x32x16xf32>
    %transposed_104 = linalg.transpose ins(%expanded_103 : tensor<2x32x2x16xf32>) outs(%168 : tensor<2x2x32x16xf32>) permutation = [0, 2, 1, 3] 
    %169 = tensor.empty() : tensor<2x4x32x16xf32>
    %170 = linalg.generic {indexing_maps = [#map10, #map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_94, %expanded_36 : tensor<2x4x32x16xf32>, tensor<1x1x32x16xf32>) outs(%169 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x16xf32>
    %extracted_slice_105 = tensor.extract_slice %transposed_94[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32>
    %extracted_slice_106 = tensor.extract_slice %transposed_94[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32>
    %171 = tensor.empty() : tensor<2x4x32x8xf32>
    %172 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_106 : tensor<2x4x32x8xf32>) outs(%171 : tensor<2x4x32x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = arith.negf %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x8xf32>
    %173 = tensor.empty() : tensor<2x4x32x16xf32>
    %inserted_slice_107 = tensor.insert_slice %172 into %173[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x8xf32> into tensor<2x4x32x16xf32>
    %inserted_slice_108 = tensor.insert_slice %extracted_slice_105 into %inserted_slice_107[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] : tensor<2x4x32x8xf32> into tensor<2x4x32x16xf32>
    %174 = tensor.empty() : tensor<2x4x32x16xf32>
    %175 = linalg.generic {indexing_maps = [#map10, #map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_108, %expanded_37 : tensor<2x4x32x16xf32>, tensor<1x1x32x16xf32>) outs(%174 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x16xf32>
    %176 = tensor.empty() : tensor<2x4x32x16xf32>
    %177 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%170, %175 : tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>) outs(%176 : tensor<2x4x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x16xf32>
    %178 = tensor.empty() : tensor<2x2x32x16xf32>
    %179 = linalg.generic {indexing_maps = [#map10, #map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_99, %expanded_36 : tensor<2x2x32x16xf32>, tensor<1x1x32x16xf32>) outs(%178 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x2x32x16xf32>
    %extracted_slice_109 = tensor.extract_slice %transposed_99[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32>
    %extracted_slice_110 = tensor.extract_slice %transposed_99[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32>
    %180 = tensor.empty() : tensor<2x2x32x8xf32>
    %181 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_110 : tensor<2x2x32x8xf32>) outs(%180 : tensor<2x2x32x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = arith.negf %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x2x32x8xf32>
    %182 = tensor.empty() : tensor<2x2x32x16xf32>
    %inserted_slice_111 = tensor.insert_slice %181 into %182[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x8xf32> into tensor<2x2x32x16xf32>
    %inserted_slice_112 = tensor.insert_slice %extracted_slice_109 into %inserted_slice_111[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] : tensor<2x2x32x8xf32> into tensor<2x2x32x16xf32>
    %183 = tensor.empty() : tensor<2x2x32x16xf32>
    %184 = linalg.generic {indexing_maps = [#map10, #map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_112, %expanded_37 : tensor<2x2x32x16xf32>, tensor<1x1x32x16xf32>) outs(%183 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x2x32x16xf32>
    %185 = tensor.empty() : tensor<2x2x32x16xf32>
    %186 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%179, %184 : tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) outs(%185 : tensor<2x2x32x16xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x2x32x16xf32>
    %expanded_113 = tensor.expand_shape %186 [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 32, 16] : tensor<2x2x32x16xf32> into tensor<2x2x1x32x16xf32>
    %187 = tensor.empty() : tensor<1x2x1x2x2x1x1x32x1x16xf32>
    %188 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_113 : tensor<2x2x1x32x16xf32>) outs(%187 : tensor<1x2x1x2x2x1x1x32x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2x2x1x1x32x1x16xf32>
    %collapsed_114 = tensor.collapse_shape %188 [[0, 1, 2], [3, 4, 5, 6], [7, 8], [9]] : tensor<1x2x1x2x2x1x1x32x1x16xf32> into tensor<2x4x32x16xf32>
    %expanded_115 = tensor.expand_shape %transposed_104 [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 32, 16] : tensor<2x2x32x16xf32> into tensor<2x2x1x32x16xf32>
    %189 = tensor.empty() : tensor<1x2x1x2x2x1x1x32x1x16xf32>
    %190 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_115 : tensor<2x2x1x32x16xf32>) outs(%189 : tensor<1x2x1x2x2x1x1x32x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2x2x1x1x32x1x16xf32>
    %191 = tensor.empty() : tensor<2x4x16x32xf32>
    %transposed_116 = linalg.transpose ins(%collapsed_114 : tensor<2x4x32x16xf32>) outs(%191 : tensor<2x4x16x32xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_117 = tensor.collapse_shape %177 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %collapsed_118 = tensor.collapse_shape %transposed_116 [[0, 1], [2], [3]] : tensor<2x4x16x32xf32> into tensor<8x16x32xf32>
    %192 = tensor.empty() : tensor<8x32x32xf32>
    %193 = linalg.fill ins(%cst_1 : f32) outs(%192 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %194 = linalg.batch_matmul ins(%collapsed_117, %collapsed_118 : tensor<8x32x16xf32>, tensor<8x16x32xf32>) outs(%193 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_119 = tensor.expand_shape %194 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %195 = tensor.empty() : tensor<2x4x32x32xf32>
    %196 = linalg.generic {indexing_maps = [#map10, #map14, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_119, %cst_9 : tensor<2x4x32x32xf32>, tensor<1x1x1x1xf32>) outs(%195 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x32xf32>
    %197 = tensor.empty() : tensor<2x4x32x32xf32>
    %198 = linalg.generic {indexing_maps = [#map10, #map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%196, %expanded : tensor<2x4x32x32xf32>, tensor<1x1x32x32xf32>) outs(%197 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x32xf32>
    %199 = tensor.empty() : tensor<2x4x32xf32>
    %200 = linalg.fill ins(%cst_0 : f32) outs(%199 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %reduced_120 = linalg.reduce ins(%198 : tensor<2x4x32x32xf32>) outs(%200 : tensor<2x4x32xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %273 = arith.maximumf %in, %init : f32
        linalg.yield %273 : f32
      }
    %expanded_121 = tensor.expand_shape %reduced_120 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %201 = tensor.empty() : tensor<2x4x32x32xf32>
    %202 = linalg.generic {indexing_maps = [#map10, #map15, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%198, %expanded_121 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%201 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.subf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x32xf32>
    %203 = tensor.empty() : tensor<2x4x32x32xf32>
    %204 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%202 : tensor<2x4x32x32xf32>) outs(%203 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = math.exp %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x32xf32>
    %205 = tensor.empty() : tensor<2x4x32xf32>
    %206 = linalg.fill ins(%cst_1 : f32) outs(%205 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %reduced_122 = linalg.reduce ins(%204 : tensor<2x4x32x32xf32>) outs(%206 : tensor<2x4x32xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %273 = arith.addf %in, %init : f32
        linalg.yield %273 : f32
      }
    %expanded_123 = tensor.expand_shape %reduced_122 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %207 = tensor.empty() : tensor<2x4x32x1xf32>
    %208 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_123 : tensor<2x4x32x1xf32>) outs(%207 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = arith.divf %cst, %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x1xf32>
    %209 = tensor.empty() : tensor<2x4x32x32xf32>
    %210 = linalg.generic {indexing_maps = [#map10, #map15, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%204, %208 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%209 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_124 = tensor.collapse_shape %210 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_125 = tensor.collapse_shape %190 [[0, 1, 2, 3, 4, 5, 6], [7, 8], [9]] : tensor<1x2x1x2x2x1x1x32x1x16xf32> into tensor<8x32x16xf32>
    %211 = tensor.empty() : tensor<8x32x16xf32>
    %212 = linalg.fill ins(%cst_1 : f32) outs(%211 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %213 = linalg.batch_matmul ins(%collapsed_124, %collapsed_125 : tensor<8x32x32xf32>, tensor<8x32x16xf32>) outs(%212 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %expanded_126 = tensor.expand_shape %213 [[0, 1], [2], [3]] output_shape [2, 4, 32, 16] : tensor<8x32x16xf32> into tensor<2x4x32x16xf32>
    %214 = tensor.empty() : tensor<2x32x4x16xf32>
    %transposed_127 = linalg.transpose ins(%expanded_126 : tensor<2x4x32x16xf32>) outs(%214 : tensor<2x32x4x16xf32>) permutation = [0, 2, 1, 3] 
    %215 = tensor.empty() : tensor<64x64xf32>
    %transposed_128 = linalg.transpose ins(%arg13 : tensor<64x64xf32>) outs(%215 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_129 = tensor.collapse_shape %transposed_127 [[0, 1], [2, 3]] : tensor<2x32x4x16xf32> into tensor<64x64xf32>
    %expanded_130 = tensor.expand_shape %collapsed_129 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_131 = tensor.expand_shape %transposed_128 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %216 = tensor.empty() : tensor<1x64x64xf32>
    %217 = linalg.fill ins(%cst_1 : f32) outs(%216 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %218 = linalg.batch_matmul ins(%expanded_130, %expanded_131 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%217 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_132 = tensor.collapse_shape %218 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_133 = tensor.expand_shape %collapsed_132 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %219 = tensor.empty() : tensor<2x32x64xf32>
    %220 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139, %expanded_133 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%219 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %221 = tensor.empty() : tensor<2x32x64xf32>
    %222 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%220, %cst_6 : tensor<2x32x64xf32>, tensor<1x1x1xf32>) outs(%221 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = math.powf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %223 = tensor.empty() : tensor<2x32xf32>
    %224 = linalg.fill ins(%cst_1 : f32) outs(%223 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced_134 = linalg.reduce ins(%222 : tensor<2x32x64xf32>) outs(%224 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %273 = arith.addf %in, %init : f32
        linalg.yield %273 : f32
      }
    %expanded_135 = tensor.expand_shape %reduced_134 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %225 = tensor.empty() : tensor<2x32x1xf32>
    %226 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_135, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%225 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %227 = tensor.empty() : tensor<2x32x1xf32>
    %228 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%226, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%227 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %229 = tensor.empty() : tensor<2x32x1xf32>
    %230 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%228 : tensor<2x32x1xf32>) outs(%229 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = math.rsqrt %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %231 = tensor.empty() : tensor<2x32x64xf32>
    %232 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%220, %230 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%231 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %expanded_136 = tensor.expand_shape %arg18 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %233 = tensor.empty() : tensor<2x32x64xf32>
    %234 = linalg.generic {indexing_maps = [#map9, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_136, %232 : tensor<1x1x64xf32>, tensor<2x32x64xf32>) outs(%233 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %235 = tensor.empty() : tensor<64x128xf32>
    %transposed_137 = linalg.transpose ins(%arg14 : tensor<128x64xf32>) outs(%235 : tensor<64x128xf32>) permutation = [1, 0] 
    %collapsed_138 = tensor.collapse_shape %234 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_139 = tensor.expand_shape %collapsed_138 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_140 = tensor.expand_shape %transposed_137 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %236 = tensor.empty() : tensor<1x64x128xf32>
    %237 = linalg.fill ins(%cst_1 : f32) outs(%236 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %238 = linalg.batch_matmul ins(%expanded_139, %expanded_140 : tensor<1x64x64xf32>, tensor<1x64x128xf32>) outs(%237 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %collapsed_141 = tensor.collapse_shape %238 [[0, 1], [2]] : tensor<1x64x128xf32> into tensor<64x128xf32>
    %expanded_142 = tensor.expand_shape %collapsed_141 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %239 = tensor.empty() : tensor<2x32x128xf32>
    %240 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_142 : tensor<2x32x128xf32>) outs(%239 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = arith.negf %in : f32
      %274 = math.exp %273 : f32
      %275 = arith.addf %274, %cst : f32
      %276 = arith.divf %cst, %275 : f32
      linalg.yield %276 : f32
    } -> tensor<2x32x128xf32>
    %241 = tensor.empty() : tensor<2x32x128xf32>
    %242 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_142, %240 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%241 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x128xf32>
    %243 = tensor.empty() : tensor<64x128xf32>
    %transposed_143 = linalg.transpose ins(%arg15 : tensor<128x64xf32>) outs(%243 : tensor<64x128xf32>) permutation = [1, 0] 
    %expanded_144 = tensor.expand_shape %transposed_143 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %244 = tensor.empty() : tensor<1x64x128xf32>
    %245 = linalg.fill ins(%cst_1 : f32) outs(%244 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %246 = linalg.batch_matmul ins(%expanded_139, %expanded_144 : tensor<1x64x64xf32>, tensor<1x64x128xf32>) outs(%245 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %collapsed_145 = tensor.collapse_shape %246 [[0, 1], [2]] : tensor<1x64x128xf32> into tensor<64x128xf32>
    %expanded_146 = tensor.expand_shape %collapsed_145 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %247 = tensor.empty() : tensor<2x32x128xf32>
    %248 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%242, %expanded_146 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%247 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x128xf32>
    %249 = tensor.empty() : tensor<128x64xf32>
    %transposed_147 = linalg.transpose ins(%arg16 : tensor<64x128xf32>) outs(%249 : tensor<128x64xf32>) permutation = [1, 0] 
    %collapsed_148 = tensor.collapse_shape %248 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %expanded_149 = tensor.expand_shape %collapsed_148 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %expanded_150 = tensor.expand_shape %transposed_147 [[0, 1], [2]] output_shape [1, 128, 64] : tensor<128x64xf32> into tensor<1x128x64xf32>
    %250 = tensor.empty() : tensor<1x64x64xf32>
    %251 = linalg.fill ins(%cst_1 : f32) outs(%250 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %252 = linalg.batch_matmul ins(%expanded_149, %expanded_150 : tensor<1x64x128xf32>, tensor<1x128x64xf32>) outs(%251 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_151 = tensor.collapse_shape %252 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_152 = tensor.expand_shape %collapsed_151 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %253 = tensor.empty() : tensor<2x32x64xf32>
    %254 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%220, %expanded_152 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%253 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %255 = tensor.empty() : tensor<2x32x64xf32>
    %256 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%254, %cst_6 : tensor<2x32x64xf32>, tensor<1x1x1xf32>) outs(%255 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = math.powf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %257 = tensor.empty() : tensor<2x32xf32>
    %258 = linalg.fill ins(%cst_1 : f32) outs(%257 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced_153 = linalg.reduce ins(%256 : tensor<2x32x64xf32>) outs(%258 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %273 = arith.addf %in, %init : f32
        linalg.yield %273 : f32
      }
    %expanded_154 = tensor.expand_shape %reduced_153 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %259 = tensor.empty() : tensor<2x32x1xf32>
    %260 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_154, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%259 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %261 = tensor.empty() : tensor<2x32x1xf32>
    %262 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%260, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%261 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.addf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %263 = tensor.empty() : tensor<2x32x1xf32>
    %264 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%262 : tensor<2x32x1xf32>) outs(%263 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %273 = math.rsqrt %in : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x1xf32>
    %265 = tensor.empty() : tensor<2x32x64xf32>
    %266 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%254, %264 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%265 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %expanded_155 = tensor.expand_shape %arg19 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %267 = tensor.empty() : tensor<2x32x64xf32>
    %268 = linalg.generic {indexing_maps = [#map9, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_155, %266 : tensor<1x1x64xf32>, tensor<2x32x64xf32>) outs(%267 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_162: f32, %out: f32):
      %273 = arith.mulf %in, %in_162 : f32
      linalg.yield %273 : f32
    } -> tensor<2x32x64xf32>
    %269 = tensor.empty() : tensor<64x128xf32>
    %transposed_156 = linalg.transpose ins(%arg20 : tensor<128x64xf32>) outs(%269 : tensor<64x128xf32>) permutation = [1, 0] 
    %collapsed_157 = tensor.collapse_shape %268 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_158 = tensor.expand_shape %collapsed_157 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_159 = tensor.expand_shape %transposed_156 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %270 = tensor.empty() : tensor<1x64x128xf32>
    %271 = linalg.fill ins(%cst_1 : f32) outs(%270 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %272 = linalg.batch_matmul ins(%expanded_158, %expanded_159 : tensor<1x64x64xf32>, tensor<1x64x128xf32>) outs(%271 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %collapsed_160 = tensor.collapse_shape %272 [[0, 1], [2]] : tensor<1x64x128xf32> into tensor<64x128xf32>
    %expanded_161 = tensor.expand_shape %collapsed_160 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    return %expanded_161 : tensor<2x32x128xf32>
  }
}

