// Made by generate_byteir.py of files of ByteIR, which are under the Apache License 2.0.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1) -> (d1, d0)>
#map6 = affine_map<(d0, d1) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d1)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#map11 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map13 = affine_map<(d0, d1) -> (d0)>
#map14 = affine_map<(d0) -> ()>
#map15 = affine_map<() -> ()>
module {
  func.func public @main(%arg0: tensor<65x384xf32>, %arg1: tensor<256x384xf32>, %arg2: tensor<384xf32>, %arg3: tensor<384xf32>, %arg4: tensor<1152x384xf32>, %arg5: tensor<1152xf32>, %arg6: tensor<384x384xf32>, %arg7: tensor<384xf32>, %arg8: tensor<384xf32>, %arg9: tensor<384xf32>, %arg10: tensor<1536x384xf32>, %arg11: tensor<1536xf32>, %arg12: tensor<384x1536xf32>, %arg13: tensor<384xf32>, %arg14: tensor<384xf32>, %arg15: tensor<384xf32>, %arg16: tensor<1152x384xf32>, %arg17: tensor<1152xf32>, %arg18: tensor<384x384xf32>, %arg19: tensor<384xf32>, %arg20: tensor<384xf32>, %arg21: tensor<384xf32>, %arg22: tensor<1536x384xf32>, %arg23: tensor<1536xf32>, %arg24: tensor<384x1536xf32>, %arg25: tensor<384xf32>, %arg26: tensor<384xf32>, %arg27: tensor<384xf32>, %arg28: tensor<1152x384xf32>, %arg29: tensor<1152xf32>, %arg30: tensor<384x384xf32>, %arg31: tensor<384xf32>, %arg32: tensor<384xf32>, %arg33: tensor<384xf32>, %arg34: tensor<1536x384xf32>, %arg35: tensor<1536xf32>, %arg36: tensor<384x1536xf32>, %arg37: tensor<384xf32>, %arg38: tensor<384xf32>, %arg39: tensor<384xf32>, %arg40: tensor<1152x384xf32>, %arg41: tensor<1152xf32>, %arg42: tensor<384x384xf32>, %arg43: tensor<384xf32>, %arg44: tensor<384xf32>, %arg45: tensor<384xf32>, %arg46: tensor<1536x384xf32>, %arg47: tensor<1536xf32>, %arg48: tensor<384x1536xf32>, %arg49: tensor<384xf32>, %arg50: tensor<384xf32>, %arg51: tensor<384xf32>, %arg52: tensor<1152x384xf32>, %arg53: tensor<1152xf32>, %arg54: tensor<384x384xf32>, %arg55: tensor<384xf32>, %arg56: tensor<384xf32>, %arg57: tensor<384xf32>, %arg58: tensor<1536x384xf32>, %arg59: tensor<1536xf32>, %arg60: tensor<384x1536xf32>, %arg61: tensor<384xf32>, %arg62: tensor<384xf32>, %arg63: tensor<384xf32>, %arg64: tensor<1152x384xf32>, %arg65: tensor<1152xf32>, %arg66: tensor<384x384xf32>, %arg67: tensor<384xf32>, %arg68: tensor<384xf32>, %arg69: tensor<384xf32>, %arg70: tensor<1536x384xf32>, %arg71: tensor<1536xf32>, %arg72: tensor<384x1536xf32>, %arg73: tensor<384xf32>, %arg74: tensor<384xf32>, %arg75: tensor<384xf32>, %arg76: tensor<65x384xf32>, %arg77: tensor<1x1x256x256xf32>, %arg78: tensor<1x1x256x256xf32>, %arg79: tensor<1x1x256x256xf32>, %arg80: tensor<1x1x256x256xf32>, %arg81: tensor<1x1x256x256xf32>, %arg82: tensor<1x1x256x256xf32>, %arg83: tensor<2x256xi64>, %arg84: tensor<2x256xi64>) -> (tensor<2x256x65xf32>, tensor<f32>) {
    %c-1_i64 = arith.constant -1 : i64
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0.797884583 : f32
    %cst_1 = arith.constant 4.471500e-02 : f32
    %cst_2 = arith.constant 3.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant 0xFF800000 : f32
    %cst_5 = arith.constant 1.250000e-01 : f32
    %cst_6 = arith.constant 9.99999974E-6 : f32
    %cst_7 = arith.constant 3.840000e+02 : f32
    %cst_8 = arith.constant 0.000000e+00 : f32
    %cst_9 = arith.constant 8.000000e-01 : f32
    %c255 = arith.constant 255 : index
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %0 = tensor.empty() : tensor<256xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<256xi64>) {
    ^bb0(%out: i64):
      %544 = linalg.index 0 : index
      %545 = arith.index_cast %544 : index to i64
      linalg.yield %545 : i64
    } -> tensor<256xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 256] : tensor<256xi64> into tensor<1x256xi64>
    %2 = tensor.empty() : tensor<2x256x384xf32>
    %3 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%out: f32):
      %544 = linalg.index 0 : index
      %545 = linalg.index 1 : index
      %546 = linalg.index 2 : index
      %extracted = tensor.extract %arg83[%544, %545] : tensor<2x256xi64>
      %547 = arith.index_cast %extracted : i64 to index
      %548 = arith.maxsi %547, %c0 : index
      %549 = arith.minsi %548, %c64 : index
      %extracted_131 = tensor.extract %arg0[%549, %546] : tensor<65x384xf32>
      linalg.yield %extracted_131 : f32
    } -> tensor<2x256x384xf32>
    %4 = tensor.empty() : tensor<1x256x384xf32>
    %5 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<1x256x384xf32>) {
    ^bb0(%out: f32):
      %544 = linalg.index 1 : index
      %545 = linalg.index 2 : index
      %extracted = tensor.extract %expanded[%c0, %544] : tensor<1x256xi64>
      %546 = arith.index_cast %extracted : i64 to index
      %547 = arith.maxsi %546, %c0 : index
      %548 = arith.minsi %547, %c255 : index
      %extracted_131 = tensor.extract %arg1[%548, %545] : tensor<256x384xf32>
      linalg.yield %extracted_131 : f32
    } -> tensor<1x256x384xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<1x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %6 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %8 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<2x256x384xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_9 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %11 = tensor.empty() : tensor<2x256xf32>
    %12 = linalg.fill ins(%cst_8 : f32) outs(%11 : tensor<2x256xf32>) -> tensor<2x256xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %15 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%17 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %22 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %24 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %26 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25, %26 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %28 = tensor.empty() : tensor<384x1152xf32>
    %29 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<1152x384xf32>) outs(%28 : tensor<384x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1152xf32>
    %collapsed = tensor.collapse_shape %27 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %30 = tensor.empty() : tensor<512x1152xf32>
    %31 = linalg.fill ins(%cst_8 : f32) outs(%30 : tensor<512x1152xf32>) -> tensor<512x1152xf32>
    %32 = linalg.matmul ins(%collapsed, %29 : tensor<512x384xf32>, tensor<384x1152xf32>) outs(%31 : tensor<512x1152xf32>) -> tensor<512x1152xf32>
    %33 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1152xf32>
    %34 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%33, %32 : tensor<512x1152xf32>, tensor<512x1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1152xf32>
    %expanded_10 = tensor.expand_shape %34 [[0, 1], [2]] output_shape [2, 256, 1152] : tensor<512x1152xf32> into tensor<2x256x1152xf32>
    %extracted_slice = tensor.extract_slice %expanded_10[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_11 = tensor.extract_slice %expanded_10[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_12 = tensor.extract_slice %expanded_10[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %expanded_13 = tensor.expand_shape %extracted_slice_11 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %expanded_14 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %35 = tensor.empty() : tensor<2x6x256x64xf32>
    %36 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %expanded_15 = tensor.expand_shape %extracted_slice_12 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %37 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_15 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %38 = tensor.empty() : tensor<2x6x64x256xf32>
    %39 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_13 : tensor<2x256x6x64xf32>) outs(%38 : tensor<2x6x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x64x256xf32>
    %collapsed_16 = tensor.collapse_shape %36 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %collapsed_17 = tensor.collapse_shape %39 [[0, 1], [2], [3]] : tensor<2x6x64x256xf32> into tensor<12x64x256xf32>
    %40 = tensor.empty() : tensor<12x256x256xf32>
    %41 = linalg.fill ins(%cst_8 : f32) outs(%40 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %42 = linalg.batch_matmul ins(%collapsed_16, %collapsed_17 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%41 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_18 = tensor.expand_shape %42 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %43 = tensor.empty() : tensor<2x6x256x256xf32>
    %44 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_18 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_5 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %45 = tensor.empty() : tensor<1x1x256x256xi1>
    %46 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg77 : tensor<1x1x256x256xf32>) outs(%45 : tensor<1x1x256x256xi1>) {
    ^bb0(%in: f32, %out: i1):
      %544 = arith.cmpf oeq, %in, %cst_8 : f32
      linalg.yield %544 : i1
    } -> tensor<1x1x256x256xi1>
    %47 = tensor.empty() : tensor<2x6x256x256xi1>
    %48 = linalg.generic {indexing_maps = [#map11, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<1x1x256x256xi1>) outs(%47 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %49 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %44 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_131: f32, %out: f32):
      %544 = arith.select %in, %cst_4, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %50 = tensor.empty() : tensor<2x6x256xf32>
    %51 = linalg.fill ins(%cst_4 : f32) outs(%50 : tensor<2x6x256xf32>) -> tensor<2x6x256xf32>
    %52 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%49 : tensor<2x6x256x256xf32>) outs(%51 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.maximumf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %53 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %54 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49, %53 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %55 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.exp %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %56 = linalg.fill ins(%cst_8 : f32) outs(%50 : tensor<2x6x256xf32>) -> tensor<2x6x256xf32>
    %57 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%55 : tensor<2x6x256x256xf32>) outs(%56 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %58 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %59 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %58 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.divf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %60 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<2x6x256x256xf32>
    %61 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_9 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %62 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59, %61 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_19 = tensor.collapse_shape %62 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %collapsed_20 = tensor.collapse_shape %37 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %63 = tensor.empty() : tensor<12x256x64xf32>
    %64 = linalg.fill ins(%cst_8 : f32) outs(%63 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %65 = linalg.batch_matmul ins(%collapsed_19, %collapsed_20 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%64 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_21 = tensor.expand_shape %65 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %66 = tensor.empty() : tensor<2x256x6x64xf32>
    %67 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_21 : tensor<2x6x256x64xf32>) outs(%66 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %68 = tensor.empty() : tensor<384x384xf32>
    %69 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<384x384xf32>) outs(%68 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %collapsed_22 = tensor.collapse_shape %67 [[0, 1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<512x384xf32>
    %70 = tensor.empty() : tensor<512x384xf32>
    %71 = linalg.fill ins(%cst_8 : f32) outs(%70 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %72 = linalg.matmul ins(%collapsed_22, %69 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %73 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %74 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%73, %72 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_23 = tensor.expand_shape %74 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %75 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_23, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %76 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %75 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %77 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%76 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %78 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %79 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %80 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76, %79 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %82 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%81 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %83 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %84 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %86 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %87 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80, %86 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %88 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %89 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %88 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %90 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %91 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %90 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %92 = tensor.empty() : tensor<384x1536xf32>
    %93 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg10 : tensor<1536x384xf32>) outs(%92 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %collapsed_24 = tensor.collapse_shape %91 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %94 = tensor.empty() : tensor<512x1536xf32>
    %95 = linalg.fill ins(%cst_8 : f32) outs(%94 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %96 = linalg.matmul ins(%collapsed_24, %93 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%95 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %97 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg11 : tensor<1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1536xf32>
    %98 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%97, %96 : tensor<512x1536xf32>, tensor<512x1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1536xf32>
    %expanded_25 = tensor.expand_shape %98 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %99 = tensor.empty() : tensor<2x256x1536xf32>
    %100 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_25 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_3 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %101 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_25 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.powf %in, %cst_2 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %102 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_1 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %103 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_25, %102 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %104 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_0 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %105 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.tanh %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %106 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %107 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100, %106 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %108 = tensor.empty() : tensor<1536x384xf32>
    %109 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg12 : tensor<384x1536xf32>) outs(%108 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %collapsed_26 = tensor.collapse_shape %107 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %110 = linalg.matmul ins(%collapsed_26, %109 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %111 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg13 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %112 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%111, %110 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_27 = tensor.expand_shape %112 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %113 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_27, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %114 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76, %113 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %115 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%114 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %116 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %117 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %118 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114, %117 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %119 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %120 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%119 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %121 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %122 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%121 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %123 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%122 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %124 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%123 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %125 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118, %124 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %126 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg14 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %127 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%125, %126 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %128 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg15 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %129 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %128 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %130 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg16 : tensor<1152x384xf32>) outs(%28 : tensor<384x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1152xf32>
    %collapsed_28 = tensor.collapse_shape %129 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %131 = linalg.matmul ins(%collapsed_28, %130 : tensor<512x384xf32>, tensor<384x1152xf32>) outs(%31 : tensor<512x1152xf32>) -> tensor<512x1152xf32>
    %132 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg17 : tensor<1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1152xf32>
    %133 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%132, %131 : tensor<512x1152xf32>, tensor<512x1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1152xf32>
    %expanded_29 = tensor.expand_shape %133 [[0, 1], [2]] output_shape [2, 256, 1152] : tensor<512x1152xf32> into tensor<2x256x1152xf32>
    %extracted_slice_30 = tensor.extract_slice %expanded_29[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_31 = tensor.extract_slice %expanded_29[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_32 = tensor.extract_slice %expanded_29[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %expanded_33 = tensor.expand_shape %extracted_slice_31 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %expanded_34 = tensor.expand_shape %extracted_slice_30 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %134 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %expanded_35 = tensor.expand_shape %extracted_slice_32 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %135 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_35 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %136 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_33 : tensor<2x256x6x64xf32>) outs(%38 : tensor<2x6x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x64x256xf32>
    %collapsed_36 = tensor.collapse_shape %134 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %collapsed_37 = tensor.collapse_shape %136 [[0, 1], [2], [3]] : tensor<2x6x64x256xf32> into tensor<12x64x256xf32>
    %137 = linalg.batch_matmul ins(%collapsed_36, %collapsed_37 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%41 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_38 = tensor.expand_shape %137 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %138 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_38 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_5 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %139 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg78 : tensor<1x1x256x256xf32>) outs(%45 : tensor<1x1x256x256xi1>) {
    ^bb0(%in: f32, %out: i1):
      %544 = arith.cmpf oeq, %in, %cst_8 : f32
      linalg.yield %544 : i1
    } -> tensor<1x1x256x256xi1>
    %140 = linalg.generic {indexing_maps = [#map11, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%139 : tensor<1x1x256x256xi1>) outs(%47 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %141 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%140, %138 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_131: f32, %out: f32):
      %544 = arith.select %in, %cst_4, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %142 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%141 : tensor<2x6x256x256xf32>) outs(%51 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.maximumf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %143 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%142 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %144 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%141, %143 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %145 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%144 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.exp %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %146 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%145 : tensor<2x6x256x256xf32>) outs(%56 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %147 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%146 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %148 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%145, %147 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.divf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %149 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%148, %61 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_39 = tensor.collapse_shape %149 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %collapsed_40 = tensor.collapse_shape %135 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %150 = linalg.batch_matmul ins(%collapsed_39, %collapsed_40 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%64 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_41 = tensor.expand_shape %150 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %151 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_41 : tensor<2x6x256x64xf32>) outs(%66 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %152 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg18 : tensor<384x384xf32>) outs(%68 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %collapsed_42 = tensor.collapse_shape %151 [[0, 1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<512x384xf32>
    %153 = linalg.matmul ins(%collapsed_42, %152 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %154 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg19 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %155 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%154, %153 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_43 = tensor.expand_shape %155 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %156 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_43, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %157 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114, %156 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %158 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%157 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %159 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %160 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%159 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %161 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%157, %160 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %162 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%161 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %163 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%162 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %164 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%163 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %165 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%164 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %166 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%165 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %167 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%166 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %168 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%161, %167 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %169 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg20 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %170 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%168, %169 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %171 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg21 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %172 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%170, %171 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %173 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg22 : tensor<1536x384xf32>) outs(%92 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %collapsed_44 = tensor.collapse_shape %172 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %174 = linalg.matmul ins(%collapsed_44, %173 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%95 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %175 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg23 : tensor<1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1536xf32>
    %176 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%175, %174 : tensor<512x1536xf32>, tensor<512x1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1536xf32>
    %expanded_45 = tensor.expand_shape %176 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %177 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_45 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_3 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %178 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_45 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.powf %in, %cst_2 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %179 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%178 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_1 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %180 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_45, %179 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %181 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%180 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_0 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %182 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%181 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.tanh %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %183 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%182 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %184 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%177, %183 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %185 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg24 : tensor<384x1536xf32>) outs(%108 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %collapsed_46 = tensor.collapse_shape %184 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %186 = linalg.matmul ins(%collapsed_46, %185 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %187 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg25 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %188 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%187, %186 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_47 = tensor.expand_shape %188 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %189 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_47, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %190 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%157, %189 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %191 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%190 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %192 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%191 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %193 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%192 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %194 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%190, %193 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %195 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%194 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %196 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%195 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %197 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%196 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %198 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%197 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %199 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%198 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %200 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%199 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %201 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%194, %200 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %202 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg26 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %203 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%201, %202 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %204 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg27 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %205 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%203, %204 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %206 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg28 : tensor<1152x384xf32>) outs(%28 : tensor<384x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1152xf32>
    %collapsed_48 = tensor.collapse_shape %205 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %207 = linalg.matmul ins(%collapsed_48, %206 : tensor<512x384xf32>, tensor<384x1152xf32>) outs(%31 : tensor<512x1152xf32>) -> tensor<512x1152xf32>
    %208 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg29 : tensor<1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1152xf32>
    %209 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%208, %207 : tensor<512x1152xf32>, tensor<512x1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1152xf32>
    %expanded_49 = tensor.expand_shape %209 [[0, 1], [2]] output_shape [2, 256, 1152] : tensor<512x1152xf32> into tensor<2x256x1152xf32>
    %extracted_slice_50 = tensor.extract_slice %expanded_49[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_51 = tensor.extract_slice %expanded_49[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_52 = tensor.extract_slice %expanded_49[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %expanded_53 = tensor.expand_shape %extracted_slice_51 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %expanded_54 = tensor.expand_shape %extracted_slice_50 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %210 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_54 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %expanded_55 = tensor.expand_shape %extracted_slice_52 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %211 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_55 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %212 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_53 : tensor<2x256x6x64xf32>) outs(%38 : tensor<2x6x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x64x256xf32>
    %collapsed_56 = tensor.collapse_shape %210 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %collapsed_57 = tensor.collapse_shape %212 [[0, 1], [2], [3]] : tensor<2x6x64x256xf32> into tensor<12x64x256xf32>
    %213 = linalg.batch_matmul ins(%collapsed_56, %collapsed_57 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%41 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_58 = tensor.expand_shape %213 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %214 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_58 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_5 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %215 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg79 : tensor<1x1x256x256xf32>) outs(%45 : tensor<1x1x256x256xi1>) {
    ^bb0(%in: f32, %out: i1):
      %544 = arith.cmpf oeq, %in, %cst_8 : f32
      linalg.yield %544 : i1
    } -> tensor<1x1x256x256xi1>
    %216 = linalg.generic {indexing_maps = [#map11, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%215 : tensor<1x1x256x256xi1>) outs(%47 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %217 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%216, %214 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_131: f32, %out: f32):
      %544 = arith.select %in, %cst_4, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %218 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%217 : tensor<2x6x256x256xf32>) outs(%51 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.maximumf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %219 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%218 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %220 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%217, %219 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %221 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%220 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.exp %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %222 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%221 : tensor<2x6x256x256xf32>) outs(%56 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %223 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%222 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %224 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%221, %223 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.divf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %225 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%224, %61 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_59 = tensor.collapse_shape %225 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %collapsed_60 = tensor.collapse_shape %211 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %226 = linalg.batch_matmul ins(%collapsed_59, %collapsed_60 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%64 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_61 = tensor.expand_shape %226 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %227 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_61 : tensor<2x6x256x64xf32>) outs(%66 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %228 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg30 : tensor<384x384xf32>) outs(%68 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %collapsed_62 = tensor.collapse_shape %227 [[0, 1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<512x384xf32>
    %229 = linalg.matmul ins(%collapsed_62, %228 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %230 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg31 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %231 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%230, %229 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_63 = tensor.expand_shape %231 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %232 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_63, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %233 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%190, %232 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %234 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%233 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %235 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%234 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %236 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%235 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %237 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%233, %236 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %238 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%237 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %239 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%238 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %240 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%239 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %241 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%240 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %242 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%241 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %243 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%242 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %244 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%237, %243 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %245 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg32 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %246 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%244, %245 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %247 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg33 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %248 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%246, %247 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %249 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg34 : tensor<1536x384xf32>) outs(%92 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %collapsed_64 = tensor.collapse_shape %248 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %250 = linalg.matmul ins(%collapsed_64, %249 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%95 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %251 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg35 : tensor<1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1536xf32>
    %252 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%251, %250 : tensor<512x1536xf32>, tensor<512x1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1536xf32>
    %expanded_65 = tensor.expand_shape %252 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %253 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_65 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_3 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %254 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_65 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.powf %in, %cst_2 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %255 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%254 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_1 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %256 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_65, %255 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %257 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%256 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_0 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %258 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%257 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.tanh %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %259 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%258 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %260 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%253, %259 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %261 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg36 : tensor<384x1536xf32>) outs(%108 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %collapsed_66 = tensor.collapse_shape %260 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %262 = linalg.matmul ins(%collapsed_66, %261 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %263 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg37 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %264 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%263, %262 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_67 = tensor.expand_shape %264 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %265 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_67, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %266 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%233, %265 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %267 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%266 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %268 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%267 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %269 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%268 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %270 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%266, %269 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %271 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %272 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%271 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %273 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%272 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %274 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%273 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %275 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%274 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %276 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%275 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %277 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270, %276 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %278 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg38 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %279 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%277, %278 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %280 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg39 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %281 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%279, %280 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %282 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg40 : tensor<1152x384xf32>) outs(%28 : tensor<384x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1152xf32>
    %collapsed_68 = tensor.collapse_shape %281 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %283 = linalg.matmul ins(%collapsed_68, %282 : tensor<512x384xf32>, tensor<384x1152xf32>) outs(%31 : tensor<512x1152xf32>) -> tensor<512x1152xf32>
    %284 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg41 : tensor<1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1152xf32>
    %285 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%284, %283 : tensor<512x1152xf32>, tensor<512x1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1152xf32>
    %expanded_69 = tensor.expand_shape %285 [[0, 1], [2]] output_shape [2, 256, 1152] : tensor<512x1152xf32> into tensor<2x256x1152xf32>
    %extracted_slice_70 = tensor.extract_slice %expanded_69[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_71 = tensor.extract_slice %expanded_69[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_72 = tensor.extract_slice %expanded_69[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %expanded_73 = tensor.expand_shape %extracted_slice_71 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %expanded_74 = tensor.expand_shape %extracted_slice_70 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %286 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_74 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %expanded_75 = tensor.expand_shape %extracted_slice_72 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %287 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_75 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %288 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_73 : tensor<2x256x6x64xf32>) outs(%38 : tensor<2x6x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x64x256xf32>
    %collapsed_76 = tensor.collapse_shape %286 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %collapsed_77 = tensor.collapse_shape %288 [[0, 1], [2], [3]] : tensor<2x6x64x256xf32> into tensor<12x64x256xf32>
    %289 = linalg.batch_matmul ins(%collapsed_76, %collapsed_77 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%41 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_78 = tensor.expand_shape %289 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %290 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_78 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_5 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %291 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg80 : tensor<1x1x256x256xf32>) outs(%45 : tensor<1x1x256x256xi1>) {
    ^bb0(%in: f32, %out: i1):
      %544 = arith.cmpf oeq, %in, %cst_8 : f32
      linalg.yield %544 : i1
    } -> tensor<1x1x256x256xi1>
    %292 = linalg.generic {indexing_maps = [#map11, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%291 : tensor<1x1x256x256xi1>) outs(%47 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %293 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%292, %290 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_131: f32, %out: f32):
      %544 = arith.select %in, %cst_4, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %294 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%293 : tensor<2x6x256x256xf32>) outs(%51 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.maximumf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %295 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%294 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %296 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%293, %295 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %297 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%296 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.exp %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %298 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%297 : tensor<2x6x256x256xf32>) outs(%56 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %299 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%298 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %300 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%297, %299 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.divf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %301 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%300, %61 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_79 = tensor.collapse_shape %301 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %collapsed_80 = tensor.collapse_shape %287 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %302 = linalg.batch_matmul ins(%collapsed_79, %collapsed_80 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%64 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_81 = tensor.expand_shape %302 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %303 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_81 : tensor<2x6x256x64xf32>) outs(%66 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %304 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg42 : tensor<384x384xf32>) outs(%68 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %collapsed_82 = tensor.collapse_shape %303 [[0, 1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<512x384xf32>
    %305 = linalg.matmul ins(%collapsed_82, %304 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %306 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg43 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %307 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%306, %305 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_83 = tensor.expand_shape %307 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %308 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_83, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %309 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%266, %308 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %310 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%309 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %311 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%310 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %312 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%311 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %313 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%309, %312 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %314 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%313 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %315 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%314 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %316 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%315 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %317 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%316 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %318 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%317 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %319 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%318 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %320 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%313, %319 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %321 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg44 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %322 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%320, %321 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %323 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg45 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %324 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%322, %323 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %325 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg46 : tensor<1536x384xf32>) outs(%92 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %collapsed_84 = tensor.collapse_shape %324 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %326 = linalg.matmul ins(%collapsed_84, %325 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%95 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %327 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg47 : tensor<1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1536xf32>
    %328 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%327, %326 : tensor<512x1536xf32>, tensor<512x1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1536xf32>
    %expanded_85 = tensor.expand_shape %328 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %329 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_85 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_3 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %330 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_85 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.powf %in, %cst_2 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %331 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%330 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_1 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %332 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_85, %331 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %333 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%332 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_0 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %334 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%333 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.tanh %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %335 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%334 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %336 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%329, %335 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %337 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg48 : tensor<384x1536xf32>) outs(%108 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %collapsed_86 = tensor.collapse_shape %336 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %338 = linalg.matmul ins(%collapsed_86, %337 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %339 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg49 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %340 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%339, %338 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_87 = tensor.expand_shape %340 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %341 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_87, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %342 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%309, %341 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %343 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%342 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %344 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%343 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %345 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%344 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %346 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%342, %345 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %347 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%346 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %348 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%347 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %349 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%348 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %350 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%349 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %351 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%350 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %352 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%351 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %353 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%346, %352 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %354 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg50 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %355 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%353, %354 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %356 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg51 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %357 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%355, %356 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %358 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg52 : tensor<1152x384xf32>) outs(%28 : tensor<384x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1152xf32>
    %collapsed_88 = tensor.collapse_shape %357 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %359 = linalg.matmul ins(%collapsed_88, %358 : tensor<512x384xf32>, tensor<384x1152xf32>) outs(%31 : tensor<512x1152xf32>) -> tensor<512x1152xf32>
    %360 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg53 : tensor<1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1152xf32>
    %361 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%360, %359 : tensor<512x1152xf32>, tensor<512x1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1152xf32>
    %expanded_89 = tensor.expand_shape %361 [[0, 1], [2]] output_shape [2, 256, 1152] : tensor<512x1152xf32> into tensor<2x256x1152xf32>
    %extracted_slice_90 = tensor.extract_slice %expanded_89[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_91 = tensor.extract_slice %expanded_89[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_92 = tensor.extract_slice %expanded_89[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %expanded_93 = tensor.expand_shape %extracted_slice_91 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %expanded_94 = tensor.expand_shape %extracted_slice_90 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %362 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_94 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %expanded_95 = tensor.expand_shape %extracted_slice_92 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %363 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_95 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %364 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_93 : tensor<2x256x6x64xf32>) outs(%38 : tensor<2x6x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x64x256xf32>
    %collapsed_96 = tensor.collapse_shape %362 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %collapsed_97 = tensor.collapse_shape %364 [[0, 1], [2], [3]] : tensor<2x6x64x256xf32> into tensor<12x64x256xf32>
    %365 = linalg.batch_matmul ins(%collapsed_96, %collapsed_97 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%41 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_98 = tensor.expand_shape %365 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %366 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_98 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_5 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %367 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg81 : tensor<1x1x256x256xf32>) outs(%45 : tensor<1x1x256x256xi1>) {
    ^bb0(%in: f32, %out: i1):
      %544 = arith.cmpf oeq, %in, %cst_8 : f32
      linalg.yield %544 : i1
    } -> tensor<1x1x256x256xi1>
    %368 = linalg.generic {indexing_maps = [#map11, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%367 : tensor<1x1x256x256xi1>) outs(%47 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %369 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%368, %366 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_131: f32, %out: f32):
      %544 = arith.select %in, %cst_4, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %370 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%369 : tensor<2x6x256x256xf32>) outs(%51 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.maximumf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %371 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%370 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %372 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%369, %371 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %373 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%372 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.exp %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %374 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%373 : tensor<2x6x256x256xf32>) outs(%56 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %375 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%374 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %376 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%373, %375 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.divf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %377 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%376, %61 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_99 = tensor.collapse_shape %377 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %collapsed_100 = tensor.collapse_shape %363 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %378 = linalg.batch_matmul ins(%collapsed_99, %collapsed_100 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%64 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_101 = tensor.expand_shape %378 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %379 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_101 : tensor<2x6x256x64xf32>) outs(%66 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %380 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg54 : tensor<384x384xf32>) outs(%68 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %collapsed_102 = tensor.collapse_shape %379 [[0, 1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<512x384xf32>
    %381 = linalg.matmul ins(%collapsed_102, %380 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %382 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg55 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %383 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%382, %381 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_103 = tensor.expand_shape %383 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %384 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_103, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %385 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%342, %384 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %386 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%385 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %387 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%386 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %388 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%387 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %389 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%385, %388 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %390 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%389 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %391 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%390 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %392 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%391 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %393 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%392 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %394 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%393 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %395 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%394 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %396 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%389, %395 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %397 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg56 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %398 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%396, %397 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %399 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg57 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %400 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%398, %399 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %401 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg58 : tensor<1536x384xf32>) outs(%92 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %collapsed_104 = tensor.collapse_shape %400 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %402 = linalg.matmul ins(%collapsed_104, %401 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%95 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %403 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg59 : tensor<1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1536xf32>
    %404 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%403, %402 : tensor<512x1536xf32>, tensor<512x1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1536xf32>
    %expanded_105 = tensor.expand_shape %404 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %405 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_105 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_3 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %406 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_105 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.powf %in, %cst_2 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %407 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%406 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_1 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %408 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_105, %407 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %409 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%408 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_0 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %410 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%409 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.tanh %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %411 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%410 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %412 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%405, %411 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %413 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg60 : tensor<384x1536xf32>) outs(%108 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %collapsed_106 = tensor.collapse_shape %412 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %414 = linalg.matmul ins(%collapsed_106, %413 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %415 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg61 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %416 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%415, %414 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_107 = tensor.expand_shape %416 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %417 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_107, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %418 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%385, %417 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %419 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%418 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %420 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%419 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %421 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%420 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %422 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%418, %421 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %423 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%422 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %424 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%423 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %425 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%424 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %426 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%425 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %427 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%426 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %428 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%427 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %429 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%422, %428 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %430 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg62 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %431 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%429, %430 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %432 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg63 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %433 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%431, %432 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %434 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg64 : tensor<1152x384xf32>) outs(%28 : tensor<384x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1152xf32>
    %collapsed_108 = tensor.collapse_shape %433 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %435 = linalg.matmul ins(%collapsed_108, %434 : tensor<512x384xf32>, tensor<384x1152xf32>) outs(%31 : tensor<512x1152xf32>) -> tensor<512x1152xf32>
    %436 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg65 : tensor<1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1152xf32>
    %437 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%436, %435 : tensor<512x1152xf32>, tensor<512x1152xf32>) outs(%30 : tensor<512x1152xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1152xf32>
    %expanded_109 = tensor.expand_shape %437 [[0, 1], [2]] output_shape [2, 256, 1152] : tensor<512x1152xf32> into tensor<2x256x1152xf32>
    %extracted_slice_110 = tensor.extract_slice %expanded_109[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_111 = tensor.extract_slice %expanded_109[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %extracted_slice_112 = tensor.extract_slice %expanded_109[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x1152xf32> to tensor<2x256x384xf32>
    %expanded_113 = tensor.expand_shape %extracted_slice_111 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %expanded_114 = tensor.expand_shape %extracted_slice_110 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %438 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_114 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %expanded_115 = tensor.expand_shape %extracted_slice_112 [[0], [1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<2x256x384xf32> into tensor<2x256x6x64xf32>
    %439 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_115 : tensor<2x256x6x64xf32>) outs(%35 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %440 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_113 : tensor<2x256x6x64xf32>) outs(%38 : tensor<2x6x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x64x256xf32>
    %collapsed_116 = tensor.collapse_shape %438 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %collapsed_117 = tensor.collapse_shape %440 [[0, 1], [2], [3]] : tensor<2x6x64x256xf32> into tensor<12x64x256xf32>
    %441 = linalg.batch_matmul ins(%collapsed_116, %collapsed_117 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%41 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_118 = tensor.expand_shape %441 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %442 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_118 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_5 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %443 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg82 : tensor<1x1x256x256xf32>) outs(%45 : tensor<1x1x256x256xi1>) {
    ^bb0(%in: f32, %out: i1):
      %544 = arith.cmpf oeq, %in, %cst_8 : f32
      linalg.yield %544 : i1
    } -> tensor<1x1x256x256xi1>
    %444 = linalg.generic {indexing_maps = [#map11, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%443 : tensor<1x1x256x256xi1>) outs(%47 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %445 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%444, %442 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_131: f32, %out: f32):
      %544 = arith.select %in, %cst_4, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %446 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%445 : tensor<2x6x256x256xf32>) outs(%51 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.maximumf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %447 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%446 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %448 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%445, %447 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %449 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%448 : tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.exp %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %450 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%449 : tensor<2x6x256x256xf32>) outs(%56 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256xf32>
    %451 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%450 : tensor<2x6x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %452 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%449, %451 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.divf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %453 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%452, %61 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%43 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_119 = tensor.collapse_shape %453 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %collapsed_120 = tensor.collapse_shape %439 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %454 = linalg.batch_matmul ins(%collapsed_119, %collapsed_120 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%64 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_121 = tensor.expand_shape %454 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %455 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_121 : tensor<2x6x256x64xf32>) outs(%66 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %456 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg66 : tensor<384x384xf32>) outs(%68 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %collapsed_122 = tensor.collapse_shape %455 [[0, 1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<512x384xf32>
    %457 = linalg.matmul ins(%collapsed_122, %456 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %458 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg67 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %459 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%458, %457 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_123 = tensor.expand_shape %459 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %460 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_123, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %461 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%418, %460 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %462 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%461 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %463 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%462 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %464 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%463 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %465 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%461, %464 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %466 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%465 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %467 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%466 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %468 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%467 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %469 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%468 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %470 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%469 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %471 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%470 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %472 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%465, %471 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %473 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg68 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %474 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%472, %473 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %475 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg69 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %476 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%474, %475 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %477 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg70 : tensor<1536x384xf32>) outs(%92 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %collapsed_124 = tensor.collapse_shape %476 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %478 = linalg.matmul ins(%collapsed_124, %477 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%95 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %479 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg71 : tensor<1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1536xf32>
    %480 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%479, %478 : tensor<512x1536xf32>, tensor<512x1536xf32>) outs(%94 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x1536xf32>
    %expanded_125 = tensor.expand_shape %480 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %481 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_125 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_3 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %482 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_125 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.powf %in, %cst_2 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %483 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%482 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_1 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %484 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_125, %483 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %485 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%484 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %cst_0 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %486 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%485 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.tanh %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %487 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%486 : tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %488 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%481, %487 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%99 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x1536xf32>
    %489 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg72 : tensor<384x1536xf32>) outs(%108 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %collapsed_126 = tensor.collapse_shape %488 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %490 = linalg.matmul ins(%collapsed_126, %489 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%71 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %491 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg73 : tensor<384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x384xf32>
    %492 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%491, %490 : tensor<512x384xf32>, tensor<512x384xf32>) outs(%70 : tensor<512x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x384xf32>
    %expanded_127 = tensor.expand_shape %492 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %493 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_127, %9 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %494 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%461, %493 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %495 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%494 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %496 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%495 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %497 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%496 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %498 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%494, %497 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %499 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%498 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.mulf %in, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %500 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%499 : tensor<2x256x384xf32>) outs(%12 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256xf32>
    %501 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%500 : tensor<2x256xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %502 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%501 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.divf %in, %cst_7 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %503 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%502 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %in, %cst_6 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %504 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%503 : tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.rsqrt %in : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %505 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%498, %504 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %506 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg74 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %507 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%505, %506 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.mulf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %508 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg75 : tensor<384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %509 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%507, %508 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%2 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.addf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<2x256x384xf32>
    %510 = tensor.empty() : tensor<384x65xf32>
    %511 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg76 : tensor<65x384xf32>) outs(%510 : tensor<384x65xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x65xf32>
    %collapsed_128 = tensor.collapse_shape %509 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %512 = tensor.empty() : tensor<512x65xf32>
    %513 = linalg.fill ins(%cst_8 : f32) outs(%512 : tensor<512x65xf32>) -> tensor<512x65xf32>
    %514 = linalg.matmul ins(%collapsed_128, %511 : tensor<512x384xf32>, tensor<384x65xf32>) outs(%513 : tensor<512x65xf32>) -> tensor<512x65xf32>
    %expanded_129 = tensor.expand_shape %514 [[0, 1], [2]] output_shape [2, 256, 65] : tensor<512x65xf32> into tensor<2x256x65xf32>
    %collapsed_130 = tensor.collapse_shape %arg84 [[0, 1]] : tensor<2x256xi64> into tensor<512xi64>
    %515 = tensor.empty() : tensor<512xf32>
    %516 = linalg.fill ins(%cst_4 : f32) outs(%515 : tensor<512xf32>) -> tensor<512xf32>
    %517 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "reduction"]} ins(%514 : tensor<512x65xf32>) outs(%516 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.maximumf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<512xf32>
    %518 = linalg.generic {indexing_maps = [#map13, #map6], iterator_types = ["parallel", "parallel"]} ins(%517 : tensor<512xf32>) outs(%512 : tensor<512x65xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x65xf32>
    %519 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%514, %518 : tensor<512x65xf32>, tensor<512x65xf32>) outs(%512 : tensor<512x65xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x65xf32>
    %520 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%519 : tensor<512x65xf32>) outs(%512 : tensor<512x65xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.exp %in : f32
      linalg.yield %544 : f32
    } -> tensor<512x65xf32>
    %521 = linalg.fill ins(%cst_8 : f32) outs(%515 : tensor<512xf32>) -> tensor<512xf32>
    %522 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "reduction"]} ins(%520 : tensor<512x65xf32>) outs(%521 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<512xf32>
    %523 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%522 : tensor<512xf32>) outs(%515 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = math.log %in : f32
      linalg.yield %544 : f32
    } -> tensor<512xf32>
    %524 = linalg.generic {indexing_maps = [#map13, #map6], iterator_types = ["parallel", "parallel"]} ins(%523 : tensor<512xf32>) outs(%512 : tensor<512x65xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x65xf32>
    %525 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%519, %524 : tensor<512x65xf32>, tensor<512x65xf32>) outs(%512 : tensor<512x65xf32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.subf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<512x65xf32>
    %526 = tensor.empty() : tensor<512x65xi64>
    %527 = linalg.generic {indexing_maps = [#map6], iterator_types = ["parallel", "parallel"]} outs(%526 : tensor<512x65xi64>) {
    ^bb0(%out: i64):
      %544 = linalg.index 1 : index
      %545 = arith.index_cast %544 : index to i64
      linalg.yield %545 : i64
    } -> tensor<512x65xi64>
    %528 = linalg.generic {indexing_maps = [#map13, #map6], iterator_types = ["parallel", "parallel"]} ins(%collapsed_130 : tensor<512xi64>) outs(%526 : tensor<512x65xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<512x65xi64>
    %529 = tensor.empty() : tensor<512x65xi1>
    %530 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%527, %528 : tensor<512x65xi64>, tensor<512x65xi64>) outs(%529 : tensor<512x65xi1>) {
    ^bb0(%in: i64, %in_131: i64, %out: i1):
      %544 = arith.cmpi eq, %in, %in_131 : i64
      linalg.yield %544 : i1
    } -> tensor<512x65xi1>
    %531 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%530, %525 : tensor<512x65xi1>, tensor<512x65xf32>) outs(%512 : tensor<512x65xf32>) {
    ^bb0(%in: i1, %in_131: f32, %out: f32):
      %544 = arith.select %in, %in_131, %cst_8 : f32
      linalg.yield %544 : f32
    } -> tensor<512x65xf32>
    %532 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "reduction"]} ins(%531 : tensor<512x65xf32>) outs(%521 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<512xf32>
    %533 = tensor.empty() : tensor<512xi1>
    %534 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%collapsed_130 : tensor<512xi64>) outs(%533 : tensor<512xi1>) {
    ^bb0(%in: i64, %out: i1):
      %544 = arith.cmpi ne, %in, %c-1_i64 : i64
      linalg.yield %544 : i1
    } -> tensor<512xi1>
    %535 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%534 : tensor<512xi1>) outs(%515 : tensor<512xf32>) {
    ^bb0(%in: i1, %out: f32):
      %544 = arith.uitofp %in : i1 to f32
      linalg.yield %544 : f32
    } -> tensor<512xf32>
    %536 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%532 : tensor<512xf32>) outs(%515 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.negf %in : f32
      linalg.yield %544 : f32
    } -> tensor<512xf32>
    %537 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%535 : tensor<512xf32>) outs(%533 : tensor<512xi1>) {
    ^bb0(%in: f32, %out: i1):
      %544 = arith.cmpf une, %in, %cst_8 : f32
      linalg.yield %544 : i1
    } -> tensor<512xi1>
    %538 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%537, %536 : tensor<512xi1>, tensor<512xf32>) outs(%515 : tensor<512xf32>) {
    ^bb0(%in: i1, %in_131: f32, %out: f32):
      %544 = arith.select %in, %in_131, %cst_8 : f32
      linalg.yield %544 : f32
    } -> tensor<512xf32>
    %539 = tensor.empty() : tensor<f32>
    %540 = linalg.fill ins(%cst_8 : f32) outs(%539 : tensor<f32>) -> tensor<f32>
    %541 = linalg.generic {indexing_maps = [#map, #map14], iterator_types = ["reduction"]} ins(%538 : tensor<512xf32>) outs(%540 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<f32>
    %542 = linalg.generic {indexing_maps = [#map, #map14], iterator_types = ["reduction"]} ins(%535 : tensor<512xf32>) outs(%540 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %544 = arith.addf %out, %in : f32
      linalg.yield %544 : f32
    } -> tensor<f32>
    %543 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%541, %542 : tensor<f32>, tensor<f32>) outs(%539 : tensor<f32>) {
    ^bb0(%in: f32, %in_131: f32, %out: f32):
      %544 = arith.divf %in, %in_131 : f32
      linalg.yield %544 : f32
    } -> tensor<f32>
    return %expanded_129, %543 : tensor<2x256x65xf32>, tensor<f32>
  }
}

