// Made by generate_torch.py.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map9 = affine_map<(d0, d1, d2) -> (d2)>
#map10 = affine_map<(d0, d1) -> (d1)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<128x64xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64x192xf32>, %arg5: tensor<192xf32>, %arg6: tensor<64x64xf32>, %arg7: tensor<64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64xf32>, %arg10: tensor<64x256xf32>, %arg11: tensor<256xf32>, %arg12: tensor<256x64xf32>, %arg13: tensor<64xf32>, %arg14: tensor<64xf32>, %arg15: tensor<64xf32>, %arg16: tensor<64x192xf32>, %arg17: tensor<192xf32>, %arg18: tensor<64x64xf32>, %arg19: tensor<64xf32>, %arg20: tensor<64xf32>, %arg21: tensor<64xf32>, %arg22: tensor<64x256xf32>, %arg23: tensor<256xf32>, %arg24: tensor<256x64xf32>, %arg25: tensor<64xf32>, %arg26: tensor<64xf32>, %arg27: tensor<64xf32>, %arg28: tensor<2x32xi64>) -> tensor<2x32x128xf32> {
    %c3_i64 = arith.constant 3 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<-1.000000e+09> : tensor<32x32xf32>
    %cst_4 = arith.constant 0.79788456080286541 : f64
    %cst_5 = arith.constant 4.471500e-02 : f64
    %cst_6 = arith.constant 1.000000e-05 : f64
    %cst_7 = arith.constant 6.400000e+01 : f64
    %cst_8 = arith.constant 6.400000e+01 : f32
    %cst_9 = arith.constant 2.500000e-01 : f32
    %cst_10 = arith.constant 5.000000e-01 : f32
    %cst_11 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<32xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<32xi64>) {
    ^bb0(%out: i64):
      %176 = linalg.index 0 : index
      %177 = arith.index_cast %176 : index to i64
      linalg.yield %177 : i64
    } -> tensor<32xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 32] : tensor<32xi64> into tensor<1x32xi64>
    %expanded_12 = tensor.expand_shape %1 [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64>
    %2 = tensor.empty() : tensor<32x32xi64>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_12 : tensor<1x32xi64>, tensor<32x1xi64>) outs(%2 : tensor<32x32xi64>) {
    ^bb0(%in: i64, %in_64: i64, %out: i64):
      %176 = arith.subi %in, %in_64 : i64
      linalg.yield %176 : i64
    } -> tensor<32x32xi64>
    %4 = tensor.empty() : tensor<32x32xi1>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x32xi64>) outs(%4 : tensor<32x32xi1>) {
    ^bb0(%in: i64, %out: i1):
      %176 = arith.cmpi sge, %in, %c1_i64 : i64
      linalg.yield %176 : i1
    } -> tensor<32x32xi1>
    %6 = tensor.empty() : tensor<32x32xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%5, %cst_3, %cst_2 : tensor<32x32xi1>, tensor<32x32xf32>, tensor<f32>) outs(%6 : tensor<32x32xf32>) {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %176 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %176 : f32
    } -> tensor<32x32xf32>
    %expanded_13 = tensor.expand_shape %7 [[0, 1, 2], [3]] output_shape [1, 1, 32, 32] : tensor<32x32xf32> into tensor<1x1x32x32xf32>
    %8 = tensor.empty() : tensor<2x32x64xf32>
    %9 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg28 : tensor<2x32xi64>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: i64, %out: f32):
      %176 = arith.index_cast %in : i64 to index
      %177 = linalg.index 2 : index
      %178 = arith.cmpi slt, %176, %c128 : index
      cf.assert %178, "index must be smaller than dim size"
      %179 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %179, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg0[%176, %177] : tensor<128x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x32x64xf32>
    %10 = tensor.empty() : tensor<1x32x64xf32>
    %11 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x32xi64>) outs(%10 : tensor<1x32x64xf32>) {
    ^bb0(%in: i64, %out: f32):
      %176 = arith.index_cast %in : i64 to index
      %177 = linalg.index 2 : index
      %178 = arith.cmpi slt, %176, %c32 : index
      cf.assert %178, "index must be smaller than dim size"
      %179 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %179, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%176, %177] : tensor<32x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x32x64xf32>
    %12 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %11 : tensor<2x32x64xf32>, tensor<1x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %13 = tensor.empty() : tensor<2x32x64xf64>
    %14 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<2x32x64xf32>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %176 = arith.extf %in : f32 to f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %15 = tensor.empty() : tensor<2x32x1xf64>
    %16 = linalg.fill ins(%cst : f64) outs(%15 : tensor<2x32x1xf64>) -> tensor<2x32x1xf64>
    %17 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<2x32x64xf64>) outs(%16 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.addf %in, %out : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %18 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<2x32x1xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.divf %in, %cst_7 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %19 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %18 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_64: f64, %out: f64):
      %176 = arith.subf %in, %in_64 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %20 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %19 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_64: f64, %out: f64):
      %176 = arith.mulf %in, %in_64 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %21 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%20 : tensor<2x32x64xf64>) outs(%16 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.addf %in, %out : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %22 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21 : tensor<2x32x1xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.divf %in, %cst_7 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %23 = tensor.empty() : tensor<2x32x1xf32>
    %24 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<2x32x1xf64>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %176 = arith.truncf %in : f64 to f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %25 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<2x32x1xf32>) -> tensor<2x32x1xf32>
    %26 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%12 : tensor<2x32x64xf32>) outs(%25 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.addf %in, %out : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %27 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.divf %in, %cst_8 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %28 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.truncf %cst_6 : f64 to f32
      %177 = arith.addf %in, %176 : f32
      linalg.yield %177 : f32
    } -> tensor<2x32x1xf32>
    %29 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.rsqrt %in : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %30 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %27 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.subf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %31 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %29 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %32 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %arg2 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %33 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32, %arg3 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %collapsed = tensor.collapse_shape %33 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %34 = tensor.empty() : tensor<64x192xf32>
    %35 = linalg.fill ins(%cst_0 : f32) outs(%34 : tensor<64x192xf32>) -> tensor<64x192xf32>
    %36 = linalg.matmul ins(%collapsed, %arg4 : tensor<64x64xf32>, tensor<64x192xf32>) outs(%35 : tensor<64x192xf32>) -> tensor<64x192xf32>
    %37 = linalg.generic {indexing_maps = [#map3, #map10, #map3], iterator_types = ["parallel", "parallel"]} ins(%36, %arg5 : tensor<64x192xf32>, tensor<192xf32>) outs(%34 : tensor<64x192xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<64x192xf32>
    %expanded_14 = tensor.expand_shape %37 [[0, 1], [2]] output_shape [2, 32, 192] : tensor<64x192xf32> into tensor<2x32x192xf32>
    %extracted_slice = tensor.extract_slice %expanded_14[0, 0, 0] [2, 32, 64] [1, 1, 1] : tensor<2x32x192xf32> to tensor<2x32x64xf32>
    %extracted_slice_15 = tensor.extract_slice %expanded_14[0, 0, 64] [2, 32, 64] [1, 1, 1] : tensor<2x32x192xf32> to tensor<2x32x64xf32>
    %extracted_slice_16 = tensor.extract_slice %expanded_14[0, 0, 128] [2, 32, 64] [1, 1, 1] : tensor<2x32x192xf32> to tensor<2x32x64xf32>
    %expanded_17 = tensor.expand_shape %extracted_slice_15 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<2x32x64xf32> into tensor<2x32x4x16xf32>
    %expanded_18 = tensor.expand_shape %extracted_slice_16 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<2x32x64xf32> into tensor<2x32x4x16xf32>
    %38 = tensor.empty() : tensor<2x4x32x16xf32>
    %transposed = linalg.transpose ins(%expanded_18 : tensor<2x32x4x16xf32>) outs(%38 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %expanded_19 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<2x32x64xf32> into tensor<2x32x4x16xf32>
    %transposed_20 = linalg.transpose ins(%expanded_19 : tensor<2x32x4x16xf32>) outs(%38 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %39 = tensor.empty() : tensor<2x4x16x32xf32>
    %transposed_21 = linalg.transpose ins(%expanded_17 : tensor<2x32x4x16xf32>) outs(%39 : tensor<2x4x16x32xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_22 = tensor.collapse_shape %transposed_20 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %collapsed_23 = tensor.collapse_shape %transposed_21 [[0, 1], [2], [3]] : tensor<2x4x16x32xf32> into tensor<8x16x32xf32>
    %40 = tensor.empty() : tensor<8x32x32xf32>
    %41 = linalg.fill ins(%cst_0 : f32) outs(%40 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %42 = linalg.batch_matmul ins(%collapsed_22, %collapsed_23 : tensor<8x32x16xf32>, tensor<8x16x32xf32>) outs(%41 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_24 = tensor.expand_shape %42 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %43 = tensor.empty() : tensor<2x4x32x32xf32>
    %44 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_24 : tensor<2x4x32x32xf32>) outs(%43 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.mulf %in, %cst_9 : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x32xf32>
    %45 = linalg.generic {indexing_maps = [#map11, #map12, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %expanded_13 : tensor<2x4x32x32xf32>, tensor<1x1x32x32xf32>) outs(%43 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x32xf32>
    %46 = tensor.empty() : tensor<2x4x32xi64>
    %47 = linalg.fill ins(%c0_i64 : i64) outs(%46 : tensor<2x4x32xi64>) -> tensor<2x4x32xi64>
    %48 = tensor.empty() : tensor<2x4x32xf32>
    %49 = linalg.fill ins(%cst_1 : f32) outs(%48 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %50:2 = linalg.generic {indexing_maps = [#map11, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%45 : tensor<2x4x32x32xf32>) outs(%49, %47 : tensor<2x4x32xf32>, tensor<2x4x32xi64>) {
    ^bb0(%in: f32, %out: f32, %out_64: i64):
      %176 = linalg.index 3 : index
      %177 = arith.index_cast %176 : index to i64
      %178 = arith.maximumf %in, %out : f32
      %179 = arith.cmpf ogt, %in, %out : f32
      %180 = arith.select %179, %177, %out_64 : i64
      linalg.yield %178, %180 : f32, i64
    } -> (tensor<2x4x32xf32>, tensor<2x4x32xi64>)
    %expanded_25 = tensor.expand_shape %50#0 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %51 = linalg.generic {indexing_maps = [#map11, #map14, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45, %expanded_25 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%43 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.subf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x32xf32>
    %52 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<2x4x32x32xf32>) outs(%43 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.exp %in : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x32xf32>
    %53 = tensor.empty() : tensor<2x4x32x1xf32>
    %54 = linalg.fill ins(%cst_0 : f32) outs(%53 : tensor<2x4x32x1xf32>) -> tensor<2x4x32x1xf32>
    %55 = linalg.generic {indexing_maps = [#map11, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%52 : tensor<2x4x32x32xf32>) outs(%54 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.addf %in, %out : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x1xf32>
    %56 = linalg.generic {indexing_maps = [#map11, #map14, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52, %55 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%43 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.divf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_26 = tensor.collapse_shape %56 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_27 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %57 = tensor.empty() : tensor<8x32x16xf32>
    %58 = linalg.fill ins(%cst_0 : f32) outs(%57 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %59 = linalg.batch_matmul ins(%collapsed_26, %collapsed_27 : tensor<8x32x32xf32>, tensor<8x32x16xf32>) outs(%58 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %expanded_28 = tensor.expand_shape %59 [[0, 1], [2], [3]] output_shape [2, 4, 32, 16] : tensor<8x32x16xf32> into tensor<2x4x32x16xf32>
    %60 = tensor.empty() : tensor<2x32x4x16xf32>
    %transposed_29 = linalg.transpose ins(%expanded_28 : tensor<2x4x32x16xf32>) outs(%60 : tensor<2x32x4x16xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_30 = tensor.collapse_shape %transposed_29 [[0, 1], [2, 3]] : tensor<2x32x4x16xf32> into tensor<64x64xf32>
    %61 = tensor.empty() : tensor<64x64xf32>
    %62 = linalg.fill ins(%cst_0 : f32) outs(%61 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %63 = linalg.matmul ins(%collapsed_30, %arg6 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%62 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %64 = linalg.generic {indexing_maps = [#map3, #map10, #map3], iterator_types = ["parallel", "parallel"]} ins(%63, %arg7 : tensor<64x64xf32>, tensor<64xf32>) outs(%61 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<64x64xf32>
    %expanded_31 = tensor.expand_shape %64 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %65 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_31, %12 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %66 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<2x32x64xf32>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %176 = arith.extf %in : f32 to f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %67 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%66 : tensor<2x32x64xf64>) outs(%16 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.addf %in, %out : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %68 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<2x32x1xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.divf %in, %cst_7 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %69 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %68 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_64: f64, %out: f64):
      %176 = arith.subf %in, %in_64 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %70 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %69 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_64: f64, %out: f64):
      %176 = arith.mulf %in, %in_64 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %71 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%70 : tensor<2x32x64xf64>) outs(%16 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.addf %in, %out : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %72 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71 : tensor<2x32x1xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.divf %in, %cst_7 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %73 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<2x32x1xf64>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %176 = arith.truncf %in : f64 to f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %74 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%65 : tensor<2x32x64xf32>) outs(%25 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.addf %in, %out : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %75 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.divf %in, %cst_8 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %76 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.truncf %cst_6 : f64 to f32
      %177 = arith.addf %in, %176 : f32
      linalg.yield %177 : f32
    } -> tensor<2x32x1xf32>
    %77 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.rsqrt %in : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %78 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65, %75 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.subf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %79 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78, %77 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %80 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79, %arg8 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %81 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80, %arg9 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %collapsed_32 = tensor.collapse_shape %81 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %82 = tensor.empty() : tensor<64x256xf32>
    %83 = linalg.fill ins(%cst_0 : f32) outs(%82 : tensor<64x256xf32>) -> tensor<64x256xf32>
    %84 = linalg.matmul ins(%collapsed_32, %arg10 : tensor<64x64xf32>, tensor<64x256xf32>) outs(%83 : tensor<64x256xf32>) -> tensor<64x256xf32>
    %85 = linalg.generic {indexing_maps = [#map3, #map10, #map3], iterator_types = ["parallel", "parallel"]} ins(%84, %arg11 : tensor<64x256xf32>, tensor<256xf32>) outs(%82 : tensor<64x256xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<64x256xf32>
    %expanded_33 = tensor.expand_shape %85 [[0, 1], [2]] output_shape [2, 32, 256] : tensor<64x256xf32> into tensor<2x32x256xf32>
    %86 = tensor.empty() : tensor<2x32x256xf32>
    %87 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_33 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.mulf %in, %cst_10 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %88 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_33 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.fpowi %in, %c3_i64 : f32, i64
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %89 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.truncf %cst_5 : f64 to f32
      %177 = arith.mulf %in, %176 : f32
      linalg.yield %177 : f32
    } -> tensor<2x32x256xf32>
    %90 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_33, %89 : tensor<2x32x256xf32>, tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %91 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.truncf %cst_4 : f64 to f32
      %177 = arith.mulf %in, %176 : f32
      linalg.yield %177 : f32
    } -> tensor<2x32x256xf32>
    %92 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.tanh %in : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %93 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.addf %in, %cst_11 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %94 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %93 : tensor<2x32x256xf32>, tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %collapsed_34 = tensor.collapse_shape %94 [[0, 1], [2]] : tensor<2x32x256xf32> into tensor<64x256xf32>
    %95 = linalg.matmul ins(%collapsed_34, %arg12 : tensor<64x256xf32>, tensor<256x64xf32>) outs(%62 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %96 = linalg.generic {indexing_maps = [#map3, #map10, #map3], iterator_types = ["parallel", "parallel"]} ins(%95, %arg13 : tensor<64x64xf32>, tensor<64xf32>) outs(%61 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<64x64xf32>
    %expanded_35 = tensor.expand_shape %96 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %97 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65, %expanded_35 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %98 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97 : tensor<2x32x64xf32>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %176 = arith.extf %in : f32 to f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %99 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%98 : tensor<2x32x64xf64>) outs(%16 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.addf %in, %out : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %100 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99 : tensor<2x32x1xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.divf %in, %cst_7 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %101 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98, %100 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_64: f64, %out: f64):
      %176 = arith.subf %in, %in_64 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %102 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %101 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_64: f64, %out: f64):
      %176 = arith.mulf %in, %in_64 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %103 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%102 : tensor<2x32x64xf64>) outs(%16 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.addf %in, %out : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %104 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<2x32x1xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.divf %in, %cst_7 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %105 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104 : tensor<2x32x1xf64>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %176 = arith.truncf %in : f64 to f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %106 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%97 : tensor<2x32x64xf32>) outs(%25 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.addf %in, %out : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %107 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%106 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.divf %in, %cst_8 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %108 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.truncf %cst_6 : f64 to f32
      %177 = arith.addf %in, %176 : f32
      linalg.yield %177 : f32
    } -> tensor<2x32x1xf32>
    %109 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%108 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.rsqrt %in : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %110 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %107 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.subf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %111 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %109 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %112 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%111, %arg14 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %113 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%112, %arg15 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %collapsed_36 = tensor.collapse_shape %113 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %114 = linalg.matmul ins(%collapsed_36, %arg16 : tensor<64x64xf32>, tensor<64x192xf32>) outs(%35 : tensor<64x192xf32>) -> tensor<64x192xf32>
    %115 = linalg.generic {indexing_maps = [#map3, #map10, #map3], iterator_types = ["parallel", "parallel"]} ins(%114, %arg17 : tensor<64x192xf32>, tensor<192xf32>) outs(%34 : tensor<64x192xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<64x192xf32>
    %expanded_37 = tensor.expand_shape %115 [[0, 1], [2]] output_shape [2, 32, 192] : tensor<64x192xf32> into tensor<2x32x192xf32>
    %extracted_slice_38 = tensor.extract_slice %expanded_37[0, 0, 0] [2, 32, 64] [1, 1, 1] : tensor<2x32x192xf32> to tensor<2x32x64xf32>
    %extracted_slice_39 = tensor.extract_slice %expanded_37[0, 0, 64] [2, 32, 64] [1, 1, 1] : tensor<2x32x192xf32> to tensor<2x32x64xf32>
    %extracted_slice_40 = tensor.extract_slice %expanded_37[0, 0, 128] [2, 32, 64] [1, 1, 1] : tensor<2x32x192xf32> to tensor<2x32x64xf32>
    %expanded_41 = tensor.expand_shape %extracted_slice_39 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<2x32x64xf32> into tensor<2x32x4x16xf32>
    %expanded_42 = tensor.expand_shape %extracted_slice_40 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<2x32x64xf32> into tensor<2x32x4x16xf32>
    %transposed_43 = linalg.transpose ins(%expanded_42 : tensor<2x32x4x16xf32>) outs(%38 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %expanded_44 = tensor.expand_shape %extracted_slice_38 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<2x32x64xf32> into tensor<2x32x4x16xf32>
    %transposed_45 = linalg.transpose ins(%expanded_44 : tensor<2x32x4x16xf32>) outs(%38 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %transposed_46 = linalg.transpose ins(%expanded_41 : tensor<2x32x4x16xf32>) outs(%39 : tensor<2x4x16x32xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_47 = tensor.collapse_shape %transposed_45 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %collapsed_48 = tensor.collapse_shape %transposed_46 [[0, 1], [2], [3]] : tensor<2x4x16x32xf32> into tensor<8x16x32xf32>
    %116 = linalg.batch_matmul ins(%collapsed_47, %collapsed_48 : tensor<8x32x16xf32>, tensor<8x16x32xf32>) outs(%41 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_49 = tensor.expand_shape %116 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %117 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_49 : tensor<2x4x32x32xf32>) outs(%43 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.mulf %in, %cst_9 : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x32xf32>
    %118 = linalg.generic {indexing_maps = [#map11, #map12, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%117, %expanded_13 : tensor<2x4x32x32xf32>, tensor<1x1x32x32xf32>) outs(%43 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x32xf32>
    %119:2 = linalg.generic {indexing_maps = [#map11, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%118 : tensor<2x4x32x32xf32>) outs(%49, %47 : tensor<2x4x32xf32>, tensor<2x4x32xi64>) {
    ^bb0(%in: f32, %out: f32, %out_64: i64):
      %176 = linalg.index 3 : index
      %177 = arith.index_cast %176 : index to i64
      %178 = arith.maximumf %in, %out : f32
      %179 = arith.cmpf ogt, %in, %out : f32
      %180 = arith.select %179, %177, %out_64 : i64
      linalg.yield %178, %180 : f32, i64
    } -> (tensor<2x4x32xf32>, tensor<2x4x32xi64>)
    %expanded_50 = tensor.expand_shape %119#0 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %120 = linalg.generic {indexing_maps = [#map11, #map14, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%118, %expanded_50 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%43 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.subf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x32xf32>
    %121 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%120 : tensor<2x4x32x32xf32>) outs(%43 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.exp %in : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x32xf32>
    %122 = linalg.generic {indexing_maps = [#map11, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%121 : tensor<2x4x32x32xf32>) outs(%54 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.addf %in, %out : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x1xf32>
    %123 = linalg.generic {indexing_maps = [#map11, #map14, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%121, %122 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%43 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.divf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_51 = tensor.collapse_shape %123 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_52 = tensor.collapse_shape %transposed_43 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %124 = linalg.batch_matmul ins(%collapsed_51, %collapsed_52 : tensor<8x32x32xf32>, tensor<8x32x16xf32>) outs(%58 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %expanded_53 = tensor.expand_shape %124 [[0, 1], [2], [3]] output_shape [2, 4, 32, 16] : tensor<8x32x16xf32> into tensor<2x4x32x16xf32>
    %transposed_54 = linalg.transpose ins(%expanded_53 : tensor<2x4x32x16xf32>) outs(%60 : tensor<2x32x4x16xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_55 = tensor.collapse_shape %transposed_54 [[0, 1], [2, 3]] : tensor<2x32x4x16xf32> into tensor<64x64xf32>
    %125 = linalg.matmul ins(%collapsed_55, %arg18 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%62 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %126 = linalg.generic {indexing_maps = [#map3, #map10, #map3], iterator_types = ["parallel", "parallel"]} ins(%125, %arg19 : tensor<64x64xf32>, tensor<64xf32>) outs(%61 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<64x64xf32>
    %expanded_56 = tensor.expand_shape %126 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %127 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_56, %97 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %128 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127 : tensor<2x32x64xf32>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %176 = arith.extf %in : f32 to f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %129 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%128 : tensor<2x32x64xf64>) outs(%16 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.addf %in, %out : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %130 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%129 : tensor<2x32x1xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.divf %in, %cst_7 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %131 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%128, %130 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_64: f64, %out: f64):
      %176 = arith.subf %in, %in_64 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %132 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%131, %131 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_64: f64, %out: f64):
      %176 = arith.mulf %in, %in_64 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %133 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%132 : tensor<2x32x64xf64>) outs(%16 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.addf %in, %out : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %134 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%133 : tensor<2x32x1xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.divf %in, %cst_7 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %135 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134 : tensor<2x32x1xf64>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %176 = arith.truncf %in : f64 to f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %136 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%127 : tensor<2x32x64xf32>) outs(%25 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.addf %in, %out : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %137 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.divf %in, %cst_8 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %138 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%135 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.truncf %cst_6 : f64 to f32
      %177 = arith.addf %in, %176 : f32
      linalg.yield %177 : f32
    } -> tensor<2x32x1xf32>
    %139 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.rsqrt %in : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %140 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %137 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.subf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %141 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140, %139 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %142 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%141, %arg20 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %143 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%142, %arg21 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %collapsed_57 = tensor.collapse_shape %143 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %144 = linalg.matmul ins(%collapsed_57, %arg22 : tensor<64x64xf32>, tensor<64x256xf32>) outs(%83 : tensor<64x256xf32>) -> tensor<64x256xf32>
    %145 = linalg.generic {indexing_maps = [#map3, #map10, #map3], iterator_types = ["parallel", "parallel"]} ins(%144, %arg23 : tensor<64x256xf32>, tensor<256xf32>) outs(%82 : tensor<64x256xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<64x256xf32>
    %expanded_58 = tensor.expand_shape %145 [[0, 1], [2]] output_shape [2, 32, 256] : tensor<64x256xf32> into tensor<2x32x256xf32>
    %146 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_58 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.mulf %in, %cst_10 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %147 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_58 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.fpowi %in, %c3_i64 : f32, i64
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %148 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.truncf %cst_5 : f64 to f32
      %177 = arith.mulf %in, %176 : f32
      linalg.yield %177 : f32
    } -> tensor<2x32x256xf32>
    %149 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_58, %148 : tensor<2x32x256xf32>, tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %150 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%149 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.truncf %cst_4 : f64 to f32
      %177 = arith.mulf %in, %176 : f32
      linalg.yield %177 : f32
    } -> tensor<2x32x256xf32>
    %151 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%150 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.tanh %in : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %152 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%151 : tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.addf %in, %cst_11 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %153 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%146, %152 : tensor<2x32x256xf32>, tensor<2x32x256xf32>) outs(%86 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x256xf32>
    %collapsed_59 = tensor.collapse_shape %153 [[0, 1], [2]] : tensor<2x32x256xf32> into tensor<64x256xf32>
    %154 = linalg.matmul ins(%collapsed_59, %arg24 : tensor<64x256xf32>, tensor<256x64xf32>) outs(%62 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %155 = linalg.generic {indexing_maps = [#map3, #map10, #map3], iterator_types = ["parallel", "parallel"]} ins(%154, %arg25 : tensor<64x64xf32>, tensor<64xf32>) outs(%61 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<64x64xf32>
    %expanded_60 = tensor.expand_shape %155 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %156 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %expanded_60 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %157 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%156 : tensor<2x32x64xf32>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %176 = arith.extf %in : f32 to f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %158 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%157 : tensor<2x32x64xf64>) outs(%16 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.addf %in, %out : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %159 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158 : tensor<2x32x1xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.divf %in, %cst_7 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %160 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%157, %159 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_64: f64, %out: f64):
      %176 = arith.subf %in, %in_64 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %161 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%160, %160 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%13 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_64: f64, %out: f64):
      %176 = arith.mulf %in, %in_64 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x64xf64>
    %162 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%161 : tensor<2x32x64xf64>) outs(%16 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.addf %in, %out : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %163 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%162 : tensor<2x32x1xf64>) outs(%15 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %176 = arith.divf %in, %cst_7 : f64
      linalg.yield %176 : f64
    } -> tensor<2x32x1xf64>
    %164 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%163 : tensor<2x32x1xf64>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %176 = arith.truncf %in : f64 to f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %165 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%156 : tensor<2x32x64xf32>) outs(%25 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.addf %in, %out : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %166 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%165 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.divf %in, %cst_8 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %167 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%164 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = arith.truncf %cst_6 : f64 to f32
      %177 = arith.addf %in, %176 : f32
      linalg.yield %177 : f32
    } -> tensor<2x32x1xf32>
    %168 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%167 : tensor<2x32x1xf32>) outs(%23 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %176 = math.rsqrt %in : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x1xf32>
    %169 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%156, %166 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.subf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %170 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%169, %168 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %171 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%170, %arg26 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.mulf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %172 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%171, %arg27 : tensor<2x32x64xf32>, tensor<64xf32>) outs(%8 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %176 = arith.addf %in, %in_64 : f32
      linalg.yield %176 : f32
    } -> tensor<2x32x64xf32>
    %173 = tensor.empty() : tensor<64x128xf32>
    %transposed_61 = linalg.transpose ins(%arg0 : tensor<128x64xf32>) outs(%173 : tensor<64x128xf32>) permutation = [1, 0] 
    %collapsed_62 = tensor.collapse_shape %172 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %174 = linalg.fill ins(%cst_0 : f32) outs(%173 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %175 = linalg.matmul ins(%collapsed_62, %transposed_61 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%174 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_63 = tensor.expand_shape %175 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    return %expanded_63 : tensor<2x32x128xf32>
  }
}
