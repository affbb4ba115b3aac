// Made by generate_tosa.py.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (0, 0, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map9 = affine_map<(d0) -> (d0)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map11 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d3, d5, d7)>
#map12 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4, d5, d6, d7)>
#map13 = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>
#map14 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map15 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map17 = affine_map<(d0, d1, d2) -> (0, 0, 0)>
module {
  func.func @main(%arg0: tensor<128x64xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<2x64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<64x64xf32>, %arg6: tensor<64xf32>, %arg7: tensor<64x64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64x64xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64x64xf32>, %arg12: tensor<64xf32>, %arg13: tensor<64xf32>, %arg14: tensor<64xf32>, %arg15: tensor<128x64xf32>, %arg16: tensor<128xf32>, %arg17: tensor<64x128xf32>, %arg18: tensor<64xf32>, %arg19: tensor<64xf32>, %arg20: tensor<64xf32>, %arg21: tensor<64x64xf32>, %arg22: tensor<64xf32>, %arg23: tensor<64x64xf32>, %arg24: tensor<64xf32>, %arg25: tensor<64x64xf32>, %arg26: tensor<64xf32>, %arg27: tensor<64x64xf32>, %arg28: tensor<64xf32>, %arg29: tensor<64xf32>, %arg30: tensor<64xf32>, %arg31: tensor<128x64xf32>, %arg32: tensor<128xf32>, %arg33: tensor<64x128xf32>, %arg34: tensor<64xf32>, %arg35: tensor<64xf32>, %arg36: tensor<64xf32>, %arg37: tensor<128xf32>, %arg38: tensor<64x64xf32>, %arg39: tensor<64xf32>, %arg40: tensor<64xf32>, %arg41: tensor<64xf32>, %arg42: tensor<1x32xi64>, %arg43: tensor<1x32xi64>, %arg44: tensor<2x32xi64>) -> tensor<2x32x128xf32> {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant -3.40282347E+38 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant 0.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    %cst_3 = arith.constant dense<0> : tensor<1x32x1xi32>
    %cst_4 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi64>
    %cst_5 = arith.constant dense<[[32, 1]]> : tensor<1x2xi32>
    %cst_6 = arith.constant dense<1.562500e-02> : tensor<1x1x1xf64>
    %cst_7 = arith.constant dense<1.562500e-02> : tensor<1x1x1xf32>
    %cst_8 = arith.constant dense<9.99999996E-13> : tensor<1x1x1xf32>
    %cst_9 = arith.constant dense<0> : tensor<1x1x1x1xi64>
    %cst_10 = arith.constant dense<0.000000e+00> : tensor<1x1x1x1xf32>
    %cst_11 = arith.constant dense<-3.40282347E+38> : tensor<1x1x1x1xf32>
    %cst_12 = arith.constant dense<2.500000e-01> : tensor<1x1x1x1xf32>
    %cst_13 = arith.constant dense<1.000000e+00> : tensor<1x1x1xf32>
    %cst_14 = arith.constant dense<5.000000e-01> : tensor<1x1x1xf32>
    %cst_15 = arith.constant dense<0.707106769> : tensor<1x1x1xf32>
    %0 = tensor.empty() : tensor<1x32xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg42 : tensor<1x32xi64>) outs(%0 : tensor<1x32xi32>) {
    ^bb0(%in: i64, %out: i32):
      %401 = arith.trunci %in : i64 to i32
      linalg.yield %401 : i32
    } -> tensor<1x32xi32>
    %expanded = tensor.expand_shape %1 [[0], [1, 2]] output_shape [1, 32, 1] : tensor<1x32xi32> into tensor<1x32x1xi32>
    %2 = tensor.empty() : tensor<1x32x2xi32>
    %inserted_slice = tensor.insert_slice %cst_3 into %2[0, 0, 0] [1, 32, 1] [1, 1, 1] : tensor<1x32x1xi32> into tensor<1x32x2xi32>
    %inserted_slice_16 = tensor.insert_slice %expanded into %inserted_slice[0, 0, 1] [1, 32, 1] [1, 1, 1] : tensor<1x32x1xi32> into tensor<1x32x2xi32>
    %expanded_17 = tensor.expand_shape %arg43 [[0], [1, 2]] output_shape [1, 32, 1] : tensor<1x32xi64> into tensor<1x32x1xi64>
    %collapsed = tensor.collapse_shape %inserted_slice_16 [[0, 1], [2]] : tensor<1x32x2xi32> into tensor<32x2xi32>
    %3 = tensor.empty() : tensor<32x2xi32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed, %cst_5 : tensor<32x2xi32>, tensor<1x2xi32>) outs(%3 : tensor<32x2xi32>) {
    ^bb0(%in: i32, %in_198: i32, %out: i32):
      %401 = arith.muli %in, %in_198 : i32
      linalg.yield %401 : i32
    } -> tensor<32x2xi32>
    %5 = tensor.empty() : tensor<32xi32>
    %6 = linalg.fill ins(%c0_i32 : i32) outs(%5 : tensor<32xi32>) -> tensor<32xi32>
    %reduced = linalg.reduce ins(%4 : tensor<32x2xi32>) outs(%6 : tensor<32xi32>) dimensions = [1] 
      (%in: i32, %init: i32) {
        %401 = arith.addi %in, %init : i32
        linalg.yield %401 : i32
      }
    %expanded_18 = tensor.expand_shape %reduced [[0, 1]] output_shape [1, 32] : tensor<32xi32> into tensor<1x32xi32>
    %7 = tensor.empty() : tensor<1x32x1xi64>
    %8 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_18 : tensor<1x32xi32>) outs(%7 : tensor<1x32x1xi64>) {
    ^bb0(%in: i32, %out: i64):
      %401 = arith.index_cast %in : i32 to index
      %extracted = tensor.extract %expanded_17[%c0, %401, %c0] : tensor<1x32x1xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x32x1xi64>
    %collapsed_19 = tensor.collapse_shape %8 [[0], [1, 2]] : tensor<1x32x1xi64> into tensor<1x32xi64>
    %9 = tensor.empty() : tensor<2x1x1x32xi64>
    %10 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_19 : tensor<1x32xi64>) outs(%9 : tensor<2x1x1x32xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<2x1x1x32xi64>
    %expanded_20 = tensor.expand_shape %arg0 [[0, 1], [2]] output_shape [1, 128, 64] : tensor<128x64xf32> into tensor<1x128x64xf32>
    %collapsed_21 = tensor.collapse_shape %arg44 [[0, 1]] : tensor<2x32xi64> into tensor<64xi64>
    %expanded_22 = tensor.expand_shape %collapsed_21 [[0, 1]] output_shape [1, 64] : tensor<64xi64> into tensor<1x64xi64>
    %11 = tensor.empty() : tensor<1x64xi32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_22 : tensor<1x64xi64>) outs(%11 : tensor<1x64xi32>) {
    ^bb0(%in: i64, %out: i32):
      %401 = arith.trunci %in : i64 to i32
      linalg.yield %401 : i32
    } -> tensor<1x64xi32>
    %13 = tensor.empty() : tensor<1x64x64xf32>
    %14 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<1x64xi32>) outs(%13 : tensor<1x64x64xf32>) {
    ^bb0(%in: i32, %out: f32):
      %401 = arith.index_cast %in : i32 to index
      %402 = linalg.index 2 : index
      %extracted = tensor.extract %expanded_20[%c0, %401, %402] : tensor<1x128x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x64x64xf32>
    %collapsed_23 = tensor.collapse_shape %14 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_24 = tensor.expand_shape %collapsed_23 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %expanded_25 = tensor.expand_shape %arg2 [[0, 1], [2]] output_shape [1, 2, 64] : tensor<2x64xf32> into tensor<1x2x64xf32>
    %collapsed_26 = tensor.collapse_shape %10 [[0, 1, 2, 3]] : tensor<2x1x1x32xi64> into tensor<64xi64>
    %expanded_27 = tensor.expand_shape %collapsed_26 [[0, 1]] output_shape [1, 64] : tensor<64xi64> into tensor<1x64xi64>
    %15 = tensor.empty() : tensor<1x64xi32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_27 : tensor<1x64xi64>) outs(%15 : tensor<1x64xi32>) {
    ^bb0(%in: i64, %out: i32):
      %401 = arith.trunci %in : i64 to i32
      linalg.yield %401 : i32
    } -> tensor<1x64xi32>
    %17 = tensor.empty() : tensor<1x64x64xf32>
    %18 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<1x64xi32>) outs(%17 : tensor<1x64x64xf32>) {
    ^bb0(%in: i32, %out: f32):
      %401 = arith.index_cast %in : i32 to index
      %402 = linalg.index 2 : index
      %extracted = tensor.extract %expanded_25[%c0, %401, %402] : tensor<1x2x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x64x64xf32>
    %collapsed_28 = tensor.collapse_shape %18 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_29 = tensor.expand_shape %collapsed_28 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %19 = tensor.empty() : tensor<2x32x64xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_24, %expanded_29 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%19 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_30 = tensor.expand_shape %arg1 [[0, 1], [2]] output_shape [1, 32, 64] : tensor<32x64xf32> into tensor<1x32x64xf32>
    %21 = tensor.empty() : tensor<1x32x64xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<1x32xi32>) outs(%21 : tensor<1x32x64xf32>) {
    ^bb0(%in: i32, %out: f32):
      %401 = arith.index_cast %in : i32 to index
      %402 = linalg.index 2 : index
      %extracted = tensor.extract %expanded_30[%c0, %401, %402] : tensor<1x32x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x32x64xf32>
    %23 = tensor.empty() : tensor<2x32x64xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %22 : tensor<2x32x64xf32>, tensor<1x32x64xf32>) outs(%23 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %25 = tensor.empty() : tensor<2x32x64xf64>
    %26 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x32x64xf32>) outs(%25 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %401 = arith.extf %in : f32 to f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %27 = tensor.empty() : tensor<2x32xf64>
    %28 = linalg.fill ins(%cst_2 : f64) outs(%27 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_31 = linalg.reduce ins(%26 : tensor<2x32x64xf64>) outs(%28 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_32 = tensor.expand_shape %reduced_31 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %29 = tensor.empty() : tensor<2x32x1xf64>
    %30 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%29 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %31 = tensor.empty() : tensor<2x32x64xf64>
    %32 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26, %30 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%31 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.subf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %33 = tensor.empty() : tensor<2x32x64xf64>
    %34 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32, %32 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%33 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %35 = tensor.empty() : tensor<2x32xf64>
    %36 = linalg.fill ins(%cst_2 : f64) outs(%35 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_33 = linalg.reduce ins(%34 : tensor<2x32x64xf64>) outs(%36 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_34 = tensor.expand_shape %reduced_33 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %37 = tensor.empty() : tensor<2x32x1xf64>
    %38 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_34, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%37 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %39 = tensor.empty() : tensor<2x32x1xf32>
    %40 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<2x32x1xf64>) outs(%39 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %401 = arith.truncf %in : f64 to f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %41 = tensor.empty() : tensor<2x32xf32>
    %42 = linalg.fill ins(%cst_1 : f32) outs(%41 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced_35 = linalg.reduce ins(%24 : tensor<2x32x64xf32>) outs(%42 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %401 = arith.addf %in, %init : f32
        linalg.yield %401 : f32
      }
    %expanded_36 = tensor.expand_shape %reduced_35 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %43 = tensor.empty() : tensor<2x32x1xf32>
    %44 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_36, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%43 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %45 = tensor.empty() : tensor<2x32x1xf32>
    %46 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%45 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %47 = tensor.empty() : tensor<2x32x1xf32>
    %48 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46 : tensor<2x32x1xf32>) outs(%47 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.rsqrt %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %49 = tensor.empty() : tensor<2x32x64xf32>
    %50 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %44 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%49 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.subf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %51 = tensor.empty() : tensor<2x32x64xf32>
    %52 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50, %48 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%51 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_37 = tensor.expand_shape %arg3 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %53 = tensor.empty() : tensor<2x32x64xf32>
    %54 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52, %expanded_37 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%53 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_38 = tensor.expand_shape %arg4 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %55 = tensor.empty() : tensor<2x32x64xf32>
    %56 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %expanded_38 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%55 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %57 = tensor.empty() : tensor<32xi32>
    %58 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel"]} ins(%cst_4 : tensor<32xi64>) outs(%57 : tensor<32xi32>) {
    ^bb0(%in: i64, %out: i32):
      %401 = arith.trunci %in : i64 to i32
      linalg.yield %401 : i32
    } -> tensor<32xi32>
    %59 = tensor.empty() : tensor<32xi64>
    %60 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel"]} ins(%58 : tensor<32xi32>) outs(%59 : tensor<32xi64>) {
    ^bb0(%in: i32, %out: i64):
      %401 = arith.extsi %in : i32 to i64
      linalg.yield %401 : i64
    } -> tensor<32xi64>
    %expanded_39 = tensor.expand_shape %60 [[0, 1, 2, 3]] output_shape [1, 1, 32, 1] : tensor<32xi64> into tensor<1x1x32x1xi64>
    %61 = tensor.empty() : tensor<1x1x32x1xi1>
    %62 = linalg.generic {indexing_maps = [#map5, #map10, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_39, %cst_9 : tensor<1x1x32x1xi64>, tensor<1x1x1x1xi64>) outs(%61 : tensor<1x1x32x1xi1>) {
    ^bb0(%in: i64, %in_198: i64, %out: i1):
      %401 = arith.cmpi sge, %in, %in_198 : i64
      linalg.yield %401 : i1
    } -> tensor<1x1x32x1xi1>
    %63 = tensor.empty() : tensor<2x1x1x1x1x32x32x1xi1>
    %64 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%62 : tensor<1x1x32x1xi1>) outs(%63 : tensor<2x1x1x1x1x32x32x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x1x1x1x32x32x1xi1>
    %collapsed_40 = tensor.collapse_shape %64 [[0], [1, 2, 3, 4], [5], [6, 7]] : tensor<2x1x1x1x1x32x32x1xi1> into tensor<2x1x32x32xi1>
    %65 = tensor.empty() : tensor<2x1x32x32xf32>
    %66 = linalg.generic {indexing_maps = [#map5, #map13, #map13, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_40, %cst_10, %cst_11 : tensor<2x1x32x32xi1>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) outs(%65 : tensor<2x1x32x32xf32>) {
    ^bb0(%in: i1, %in_198: f32, %in_199: f32, %out: f32):
      %401 = arith.select %in, %in_198, %in_199 : f32
      linalg.yield %401 : f32
    } -> tensor<2x1x32x32xf32>
    %67 = tensor.empty() : tensor<64x64xf32>
    %transposed = linalg.transpose ins(%arg5 : tensor<64x64xf32>) outs(%67 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_41 = tensor.collapse_shape %56 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_42 = tensor.expand_shape %collapsed_41 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_43 = tensor.expand_shape %transposed [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %68 = tensor.empty() : tensor<1x64x64xf32>
    %69 = linalg.fill ins(%cst_1 : f32) outs(%68 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %70 = linalg.batch_matmul ins(%expanded_42, %expanded_43 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%69 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_44 = tensor.collapse_shape %70 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_45 = tensor.expand_shape %arg6 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %71 = tensor.empty() : tensor<64x64xf32>
    %72 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_44, %expanded_45 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%71 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_46 = tensor.expand_shape %72 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %73 = tensor.empty() : tensor<2x4x32x16xf32>
    %transposed_47 = linalg.transpose ins(%expanded_46 : tensor<2x32x4x16xf32>) outs(%73 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %74 = tensor.empty() : tensor<64x64xf32>
    %transposed_48 = linalg.transpose ins(%arg7 : tensor<64x64xf32>) outs(%74 : tensor<64x64xf32>) permutation = [1, 0] 
    %expanded_49 = tensor.expand_shape %transposed_48 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %75 = tensor.empty() : tensor<1x64x64xf32>
    %76 = linalg.fill ins(%cst_1 : f32) outs(%75 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %77 = linalg.batch_matmul ins(%expanded_42, %expanded_49 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%76 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_50 = tensor.collapse_shape %77 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_51 = tensor.expand_shape %arg8 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %78 = tensor.empty() : tensor<64x64xf32>
    %79 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_50, %expanded_51 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%78 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_52 = tensor.expand_shape %79 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %80 = tensor.empty() : tensor<64x64xf32>
    %transposed_53 = linalg.transpose ins(%arg9 : tensor<64x64xf32>) outs(%80 : tensor<64x64xf32>) permutation = [1, 0] 
    %expanded_54 = tensor.expand_shape %transposed_53 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %81 = tensor.empty() : tensor<1x64x64xf32>
    %82 = linalg.fill ins(%cst_1 : f32) outs(%81 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %83 = linalg.batch_matmul ins(%expanded_42, %expanded_54 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%82 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_55 = tensor.collapse_shape %83 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_56 = tensor.expand_shape %arg10 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %84 = tensor.empty() : tensor<64x64xf32>
    %85 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_55, %expanded_56 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%84 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_57 = tensor.expand_shape %85 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %86 = tensor.empty() : tensor<2x4x32x16xf32>
    %transposed_58 = linalg.transpose ins(%expanded_57 : tensor<2x32x4x16xf32>) outs(%86 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %87 = tensor.empty() : tensor<2x4x16x32xf32>
    %transposed_59 = linalg.transpose ins(%expanded_52 : tensor<2x32x4x16xf32>) outs(%87 : tensor<2x4x16x32xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_60 = tensor.collapse_shape %transposed_47 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %collapsed_61 = tensor.collapse_shape %transposed_59 [[0, 1], [2], [3]] : tensor<2x4x16x32xf32> into tensor<8x16x32xf32>
    %88 = tensor.empty() : tensor<8x32x32xf32>
    %89 = linalg.fill ins(%cst_1 : f32) outs(%88 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %90 = linalg.batch_matmul ins(%collapsed_60, %collapsed_61 : tensor<8x32x16xf32>, tensor<8x16x32xf32>) outs(%89 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_62 = tensor.expand_shape %90 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %91 = tensor.empty() : tensor<2x4x32x32xf32>
    %92 = linalg.generic {indexing_maps = [#map5, #map14, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_62, %cst_12 : tensor<2x4x32x32xf32>, tensor<1x1x1x1xf32>) outs(%91 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x32xf32>
    %93 = tensor.empty() : tensor<2x4x32x32xf32>
    %94 = linalg.generic {indexing_maps = [#map5, #map15, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%92, %66 : tensor<2x4x32x32xf32>, tensor<2x1x32x32xf32>) outs(%93 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x32xf32>
    %95 = tensor.empty() : tensor<2x4x32xf32>
    %96 = linalg.fill ins(%cst_0 : f32) outs(%95 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %reduced_63 = linalg.reduce ins(%94 : tensor<2x4x32x32xf32>) outs(%96 : tensor<2x4x32xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %401 = arith.maximumf %in, %init : f32
        linalg.yield %401 : f32
      }
    %expanded_64 = tensor.expand_shape %reduced_63 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %97 = tensor.empty() : tensor<2x4x32x32xf32>
    %98 = linalg.generic {indexing_maps = [#map5, #map16, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%94, %expanded_64 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%97 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.subf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x32xf32>
    %99 = tensor.empty() : tensor<2x4x32x32xf32>
    %100 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%98 : tensor<2x4x32x32xf32>) outs(%99 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.exp %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x32xf32>
    %101 = tensor.empty() : tensor<2x4x32xf32>
    %102 = linalg.fill ins(%cst_1 : f32) outs(%101 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %reduced_65 = linalg.reduce ins(%100 : tensor<2x4x32x32xf32>) outs(%102 : tensor<2x4x32xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %401 = arith.addf %in, %init : f32
        linalg.yield %401 : f32
      }
    %expanded_66 = tensor.expand_shape %reduced_65 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %103 = tensor.empty() : tensor<2x4x32x1xf32>
    %104 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_66 : tensor<2x4x32x1xf32>) outs(%103 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = arith.divf %cst, %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x1xf32>
    %105 = tensor.empty() : tensor<2x4x32x32xf32>
    %106 = linalg.generic {indexing_maps = [#map5, #map16, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%100, %104 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%105 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_67 = tensor.collapse_shape %106 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_68 = tensor.collapse_shape %transposed_58 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %107 = tensor.empty() : tensor<8x32x16xf32>
    %108 = linalg.fill ins(%cst_1 : f32) outs(%107 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %109 = linalg.batch_matmul ins(%collapsed_67, %collapsed_68 : tensor<8x32x32xf32>, tensor<8x32x16xf32>) outs(%108 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %expanded_69 = tensor.expand_shape %109 [[0, 1], [2], [3]] output_shape [2, 4, 32, 16] : tensor<8x32x16xf32> into tensor<2x4x32x16xf32>
    %110 = tensor.empty() : tensor<2x32x4x16xf32>
    %transposed_70 = linalg.transpose ins(%expanded_69 : tensor<2x4x32x16xf32>) outs(%110 : tensor<2x32x4x16xf32>) permutation = [0, 2, 1, 3] 
    %111 = tensor.empty() : tensor<64x64xf32>
    %transposed_71 = linalg.transpose ins(%arg11 : tensor<64x64xf32>) outs(%111 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_72 = tensor.collapse_shape %transposed_70 [[0, 1], [2, 3]] : tensor<2x32x4x16xf32> into tensor<64x64xf32>
    %expanded_73 = tensor.expand_shape %collapsed_72 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_74 = tensor.expand_shape %transposed_71 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %112 = tensor.empty() : tensor<1x64x64xf32>
    %113 = linalg.fill ins(%cst_1 : f32) outs(%112 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %114 = linalg.batch_matmul ins(%expanded_73, %expanded_74 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%113 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_75 = tensor.collapse_shape %114 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_76 = tensor.expand_shape %arg12 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %115 = tensor.empty() : tensor<64x64xf32>
    %116 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_75, %expanded_76 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%115 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_77 = tensor.expand_shape %116 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %117 = tensor.empty() : tensor<2x32x64xf32>
    %118 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_77, %56 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%117 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %119 = tensor.empty() : tensor<2x32x64xf64>
    %120 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118 : tensor<2x32x64xf32>) outs(%119 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %401 = arith.extf %in : f32 to f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %121 = tensor.empty() : tensor<2x32xf64>
    %122 = linalg.fill ins(%cst_2 : f64) outs(%121 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_78 = linalg.reduce ins(%120 : tensor<2x32x64xf64>) outs(%122 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_79 = tensor.expand_shape %reduced_78 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %123 = tensor.empty() : tensor<2x32x1xf64>
    %124 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_79, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%123 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %125 = tensor.empty() : tensor<2x32x64xf64>
    %126 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120, %124 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%125 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.subf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %127 = tensor.empty() : tensor<2x32x64xf64>
    %128 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%126, %126 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%127 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %129 = tensor.empty() : tensor<2x32xf64>
    %130 = linalg.fill ins(%cst_2 : f64) outs(%129 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_80 = linalg.reduce ins(%128 : tensor<2x32x64xf64>) outs(%130 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_81 = tensor.expand_shape %reduced_80 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %131 = tensor.empty() : tensor<2x32x1xf64>
    %132 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_81, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%131 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %133 = tensor.empty() : tensor<2x32x1xf32>
    %134 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%132 : tensor<2x32x1xf64>) outs(%133 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %401 = arith.truncf %in : f64 to f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %135 = tensor.empty() : tensor<2x32xf32>
    %136 = linalg.fill ins(%cst_1 : f32) outs(%135 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced_82 = linalg.reduce ins(%118 : tensor<2x32x64xf32>) outs(%136 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %401 = arith.addf %in, %init : f32
        linalg.yield %401 : f32
      }
    %expanded_83 = tensor.expand_shape %reduced_82 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %137 = tensor.empty() : tensor<2x32x1xf32>
    %138 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_83, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%137 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %139 = tensor.empty() : tensor<2x32x1xf32>
    %140 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%139 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %141 = tensor.empty() : tensor<2x32x1xf32>
    %142 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140 : tensor<2x32x1xf32>) outs(%141 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.rsqrt %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %143 = tensor.empty() : tensor<2x32x64xf32>
    %144 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118, %138 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%143 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.subf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %145 = tensor.empty() : tensor<2x32x64xf32>
    %146 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%144, %142 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%145 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_84 = tensor.expand_shape %arg13 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %147 = tensor.empty() : tensor<2x32x64xf32>
    %148 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%146, %expanded_84 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%147 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_85 = tensor.expand_shape %arg14 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %149 = tensor.empty() : tensor<2x32x64xf32>
    %150 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%148, %expanded_85 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%149 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %151 = tensor.empty() : tensor<64x128xf32>
    %transposed_86 = linalg.transpose ins(%arg15 : tensor<128x64xf32>) outs(%151 : tensor<64x128xf32>) permutation = [1, 0] 
    %collapsed_87 = tensor.collapse_shape %150 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_88 = tensor.expand_shape %collapsed_87 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_89 = tensor.expand_shape %transposed_86 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %152 = tensor.empty() : tensor<1x64x128xf32>
    %153 = linalg.fill ins(%cst_1 : f32) outs(%152 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %154 = linalg.batch_matmul ins(%expanded_88, %expanded_89 : tensor<1x64x64xf32>, tensor<1x64x128xf32>) outs(%153 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %collapsed_90 = tensor.collapse_shape %154 [[0, 1], [2]] : tensor<1x64x128xf32> into tensor<64x128xf32>
    %expanded_91 = tensor.expand_shape %arg16 [[0, 1]] output_shape [1, 128] : tensor<128xf32> into tensor<1x128xf32>
    %155 = tensor.empty() : tensor<64x128xf32>
    %156 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_90, %expanded_91 : tensor<64x128xf32>, tensor<1x128xf32>) outs(%155 : tensor<64x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x128xf32>
    %expanded_92 = tensor.expand_shape %156 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %157 = tensor.empty() : tensor<2x32x128xf32>
    %158 = linalg.generic {indexing_maps = [#map3, #map17, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_92, %cst_15 : tensor<2x32x128xf32>, tensor<1x1x1xf32>) outs(%157 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x128xf32>
    %159 = tensor.empty() : tensor<2x32x128xf32>
    %160 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158 : tensor<2x32x128xf32>) outs(%159 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.erf %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x128xf32>
    %161 = tensor.empty() : tensor<2x32x128xf32>
    %162 = linalg.generic {indexing_maps = [#map3, #map17, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%160, %cst_13 : tensor<2x32x128xf32>, tensor<1x1x1xf32>) outs(%161 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x128xf32>
    %163 = tensor.empty() : tensor<2x32x128xf32>
    %164 = linalg.generic {indexing_maps = [#map17, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_14, %162 : tensor<1x1x1xf32>, tensor<2x32x128xf32>) outs(%163 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x128xf32>
    %165 = tensor.empty() : tensor<2x32x128xf32>
    %166 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_92, %164 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%165 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x128xf32>
    %167 = tensor.empty() : tensor<128x64xf32>
    %transposed_93 = linalg.transpose ins(%arg17 : tensor<64x128xf32>) outs(%167 : tensor<128x64xf32>) permutation = [1, 0] 
    %collapsed_94 = tensor.collapse_shape %166 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %expanded_95 = tensor.expand_shape %collapsed_94 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %expanded_96 = tensor.expand_shape %transposed_93 [[0, 1], [2]] output_shape [1, 128, 64] : tensor<128x64xf32> into tensor<1x128x64xf32>
    %168 = tensor.empty() : tensor<1x64x64xf32>
    %169 = linalg.fill ins(%cst_1 : f32) outs(%168 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %170 = linalg.batch_matmul ins(%expanded_95, %expanded_96 : tensor<1x64x128xf32>, tensor<1x128x64xf32>) outs(%169 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_97 = tensor.collapse_shape %170 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_98 = tensor.expand_shape %arg18 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %171 = tensor.empty() : tensor<64x64xf32>
    %172 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_97, %expanded_98 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%171 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_99 = tensor.expand_shape %172 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %173 = tensor.empty() : tensor<2x32x64xf32>
    %174 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_99, %150 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%173 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %175 = tensor.empty() : tensor<2x32x64xf64>
    %176 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%174 : tensor<2x32x64xf32>) outs(%175 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %401 = arith.extf %in : f32 to f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %177 = tensor.empty() : tensor<2x32xf64>
    %178 = linalg.fill ins(%cst_2 : f64) outs(%177 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_100 = linalg.reduce ins(%176 : tensor<2x32x64xf64>) outs(%178 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_101 = tensor.expand_shape %reduced_100 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %179 = tensor.empty() : tensor<2x32x1xf64>
    %180 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_101, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%179 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %181 = tensor.empty() : tensor<2x32x64xf64>
    %182 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%176, %180 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%181 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.subf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %183 = tensor.empty() : tensor<2x32x64xf64>
    %184 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%182, %182 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%183 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %185 = tensor.empty() : tensor<2x32xf64>
    %186 = linalg.fill ins(%cst_2 : f64) outs(%185 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_102 = linalg.reduce ins(%184 : tensor<2x32x64xf64>) outs(%186 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_103 = tensor.expand_shape %reduced_102 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %187 = tensor.empty() : tensor<2x32x1xf64>
    %188 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_103, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%187 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %189 = tensor.empty() : tensor<2x32x1xf32>
    %190 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188 : tensor<2x32x1xf64>) outs(%189 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %401 = arith.truncf %in : f64 to f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %191 = tensor.empty() : tensor<2x32xf32>
    %192 = linalg.fill ins(%cst_1 : f32) outs(%191 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced_104 = linalg.reduce ins(%174 : tensor<2x32x64xf32>) outs(%192 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %401 = arith.addf %in, %init : f32
        linalg.yield %401 : f32
      }
    %expanded_105 = tensor.expand_shape %reduced_104 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %193 = tensor.empty() : tensor<2x32x1xf32>
    %194 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_105, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%193 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %195 = tensor.empty() : tensor<2x32x1xf32>
    %196 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%190, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%195 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %197 = tensor.empty() : tensor<2x32x1xf32>
    %198 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%196 : tensor<2x32x1xf32>) outs(%197 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.rsqrt %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %199 = tensor.empty() : tensor<2x32x64xf32>
    %200 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%174, %194 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%199 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.subf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %201 = tensor.empty() : tensor<2x32x64xf32>
    %202 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%200, %198 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%201 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_106 = tensor.expand_shape %arg19 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %203 = tensor.empty() : tensor<2x32x64xf32>
    %204 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%202, %expanded_106 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%203 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_107 = tensor.expand_shape %arg20 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %205 = tensor.empty() : tensor<2x32x64xf32>
    %206 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%204, %expanded_107 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%205 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %207 = tensor.empty() : tensor<64x64xf32>
    %transposed_108 = linalg.transpose ins(%arg21 : tensor<64x64xf32>) outs(%207 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_109 = tensor.collapse_shape %206 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_110 = tensor.expand_shape %collapsed_109 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_111 = tensor.expand_shape %transposed_108 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %208 = tensor.empty() : tensor<1x64x64xf32>
    %209 = linalg.fill ins(%cst_1 : f32) outs(%208 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %210 = linalg.batch_matmul ins(%expanded_110, %expanded_111 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%209 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_112 = tensor.collapse_shape %210 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_113 = tensor.expand_shape %arg22 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %211 = tensor.empty() : tensor<64x64xf32>
    %212 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_112, %expanded_113 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%211 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_114 = tensor.expand_shape %212 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %213 = tensor.empty() : tensor<2x4x32x16xf32>
    %transposed_115 = linalg.transpose ins(%expanded_114 : tensor<2x32x4x16xf32>) outs(%213 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %214 = tensor.empty() : tensor<64x64xf32>
    %transposed_116 = linalg.transpose ins(%arg23 : tensor<64x64xf32>) outs(%214 : tensor<64x64xf32>) permutation = [1, 0] 
    %expanded_117 = tensor.expand_shape %transposed_116 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %215 = tensor.empty() : tensor<1x64x64xf32>
    %216 = linalg.fill ins(%cst_1 : f32) outs(%215 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %217 = linalg.batch_matmul ins(%expanded_110, %expanded_117 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%216 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_118 = tensor.collapse_shape %217 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_119 = tensor.expand_shape %arg24 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %218 = tensor.empty() : tensor<64x64xf32>
    %219 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_118, %expanded_119 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%218 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_120 = tensor.expand_shape %219 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %220 = tensor.empty() : tensor<64x64xf32>
    %transposed_121 = linalg.transpose ins(%arg25 : tensor<64x64xf32>) outs(%220 : tensor<64x64xf32>) permutation = [1, 0] 
    %expanded_122 = tensor.expand_shape %transposed_121 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %221 = tensor.empty() : tensor<1x64x64xf32>
    %222 = linalg.fill ins(%cst_1 : f32) outs(%221 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %223 = linalg.batch_matmul ins(%expanded_110, %expanded_122 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%222 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_123 = tensor.collapse_shape %223 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_124 = tensor.expand_shape %arg26 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %224 = tensor.empty() : tensor<64x64xf32>
    %225 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_123, %expanded_124 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%224 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_125 = tensor.expand_shape %225 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] : tensor<64x64xf32> into tensor<2x32x4x16xf32>
    %226 = tensor.empty() : tensor<2x4x32x16xf32>
    %transposed_126 = linalg.transpose ins(%expanded_125 : tensor<2x32x4x16xf32>) outs(%226 : tensor<2x4x32x16xf32>) permutation = [0, 2, 1, 3] 
    %227 = tensor.empty() : tensor<2x4x16x32xf32>
    %transposed_127 = linalg.transpose ins(%expanded_120 : tensor<2x32x4x16xf32>) outs(%227 : tensor<2x4x16x32xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_128 = tensor.collapse_shape %transposed_115 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %collapsed_129 = tensor.collapse_shape %transposed_127 [[0, 1], [2], [3]] : tensor<2x4x16x32xf32> into tensor<8x16x32xf32>
    %228 = tensor.empty() : tensor<8x32x32xf32>
    %229 = linalg.fill ins(%cst_1 : f32) outs(%228 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %230 = linalg.batch_matmul ins(%collapsed_128, %collapsed_129 : tensor<8x32x16xf32>, tensor<8x16x32xf32>) outs(%229 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_130 = tensor.expand_shape %230 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %231 = tensor.empty() : tensor<2x4x32x32xf32>
    %232 = linalg.generic {indexing_maps = [#map5, #map14, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_130, %cst_12 : tensor<2x4x32x32xf32>, tensor<1x1x1x1xf32>) outs(%231 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x32xf32>
    %233 = tensor.empty() : tensor<2x4x32x32xf32>
    %234 = linalg.generic {indexing_maps = [#map5, #map15, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%232, %66 : tensor<2x4x32x32xf32>, tensor<2x1x32x32xf32>) outs(%233 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x32xf32>
    %235 = tensor.empty() : tensor<2x4x32xf32>
    %236 = linalg.fill ins(%cst_0 : f32) outs(%235 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %reduced_131 = linalg.reduce ins(%234 : tensor<2x4x32x32xf32>) outs(%236 : tensor<2x4x32xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %401 = arith.maximumf %in, %init : f32
        linalg.yield %401 : f32
      }
    %expanded_132 = tensor.expand_shape %reduced_131 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %237 = tensor.empty() : tensor<2x4x32x32xf32>
    %238 = linalg.generic {indexing_maps = [#map5, #map16, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%234, %expanded_132 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%237 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.subf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x32xf32>
    %239 = tensor.empty() : tensor<2x4x32x32xf32>
    %240 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%238 : tensor<2x4x32x32xf32>) outs(%239 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.exp %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x32xf32>
    %241 = tensor.empty() : tensor<2x4x32xf32>
    %242 = linalg.fill ins(%cst_1 : f32) outs(%241 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %reduced_133 = linalg.reduce ins(%240 : tensor<2x4x32x32xf32>) outs(%242 : tensor<2x4x32xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %401 = arith.addf %in, %init : f32
        linalg.yield %401 : f32
      }
    %expanded_134 = tensor.expand_shape %reduced_133 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %243 = tensor.empty() : tensor<2x4x32x1xf32>
    %244 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_134 : tensor<2x4x32x1xf32>) outs(%243 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = arith.divf %cst, %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x1xf32>
    %245 = tensor.empty() : tensor<2x4x32x32xf32>
    %246 = linalg.generic {indexing_maps = [#map5, #map16, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%240, %244 : tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) outs(%245 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_135 = tensor.collapse_shape %246 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_136 = tensor.collapse_shape %transposed_126 [[0, 1], [2], [3]] : tensor<2x4x32x16xf32> into tensor<8x32x16xf32>
    %247 = tensor.empty() : tensor<8x32x16xf32>
    %248 = linalg.fill ins(%cst_1 : f32) outs(%247 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %249 = linalg.batch_matmul ins(%collapsed_135, %collapsed_136 : tensor<8x32x32xf32>, tensor<8x32x16xf32>) outs(%248 : tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
    %expanded_137 = tensor.expand_shape %249 [[0, 1], [2], [3]] output_shape [2, 4, 32, 16] : tensor<8x32x16xf32> into tensor<2x4x32x16xf32>
    %250 = tensor.empty() : tensor<2x32x4x16xf32>
    %transposed_138 = linalg.transpose ins(%expanded_137 : tensor<2x4x32x16xf32>) outs(%250 : tensor<2x32x4x16xf32>) permutation = [0, 2, 1, 3] 
    %251 = tensor.empty() : tensor<64x64xf32>
    %transposed_139 = linalg.transpose ins(%arg27 : tensor<64x64xf32>) outs(%251 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_140 = tensor.collapse_shape %transposed_138 [[0, 1], [2, 3]] : tensor<2x32x4x16xf32> into tensor<64x64xf32>
    %expanded_141 = tensor.expand_shape %collapsed_140 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_142 = tensor.expand_shape %transposed_139 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %252 = tensor.empty() : tensor<1x64x64xf32>
    %253 = linalg.fill ins(%cst_1 : f32) outs(%252 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %254 = linalg.batch_matmul ins(%expanded_141, %expanded_142 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%253 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_143 = tensor.collapse_shape %254 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_144 = tensor.expand_shape %arg28 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %255 = tensor.empty() : tensor<64x64xf32>
    %256 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_143, %expanded_144 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%255 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_145 = tensor.expand_shape %256 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %257 = tensor.empty() : tensor<2x32x64xf32>
    %258 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_145, %206 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%257 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %259 = tensor.empty() : tensor<2x32x64xf64>
    %260 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%258 : tensor<2x32x64xf32>) outs(%259 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %401 = arith.extf %in : f32 to f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %261 = tensor.empty() : tensor<2x32xf64>
    %262 = linalg.fill ins(%cst_2 : f64) outs(%261 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_146 = linalg.reduce ins(%260 : tensor<2x32x64xf64>) outs(%262 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_147 = tensor.expand_shape %reduced_146 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %263 = tensor.empty() : tensor<2x32x1xf64>
    %264 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_147, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%263 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %265 = tensor.empty() : tensor<2x32x64xf64>
    %266 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%260, %264 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%265 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.subf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %267 = tensor.empty() : tensor<2x32x64xf64>
    %268 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%266, %266 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%267 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %269 = tensor.empty() : tensor<2x32xf64>
    %270 = linalg.fill ins(%cst_2 : f64) outs(%269 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_148 = linalg.reduce ins(%268 : tensor<2x32x64xf64>) outs(%270 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_149 = tensor.expand_shape %reduced_148 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %271 = tensor.empty() : tensor<2x32x1xf64>
    %272 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_149, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%271 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %273 = tensor.empty() : tensor<2x32x1xf32>
    %274 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%272 : tensor<2x32x1xf64>) outs(%273 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %401 = arith.truncf %in : f64 to f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %275 = tensor.empty() : tensor<2x32xf32>
    %276 = linalg.fill ins(%cst_1 : f32) outs(%275 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced_150 = linalg.reduce ins(%258 : tensor<2x32x64xf32>) outs(%276 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %401 = arith.addf %in, %init : f32
        linalg.yield %401 : f32
      }
    %expanded_151 = tensor.expand_shape %reduced_150 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %277 = tensor.empty() : tensor<2x32x1xf32>
    %278 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_151, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%277 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %279 = tensor.empty() : tensor<2x32x1xf32>
    %280 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%274, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%279 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %281 = tensor.empty() : tensor<2x32x1xf32>
    %282 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%280 : tensor<2x32x1xf32>) outs(%281 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.rsqrt %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %283 = tensor.empty() : tensor<2x32x64xf32>
    %284 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%258, %278 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%283 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.subf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %285 = tensor.empty() : tensor<2x32x64xf32>
    %286 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%284, %282 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%285 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_152 = tensor.expand_shape %arg29 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %287 = tensor.empty() : tensor<2x32x64xf32>
    %288 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%286, %expanded_152 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%287 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_153 = tensor.expand_shape %arg30 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %289 = tensor.empty() : tensor<2x32x64xf32>
    %290 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%288, %expanded_153 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%289 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %291 = tensor.empty() : tensor<64x128xf32>
    %transposed_154 = linalg.transpose ins(%arg31 : tensor<128x64xf32>) outs(%291 : tensor<64x128xf32>) permutation = [1, 0] 
    %collapsed_155 = tensor.collapse_shape %290 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_156 = tensor.expand_shape %collapsed_155 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_157 = tensor.expand_shape %transposed_154 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %292 = tensor.empty() : tensor<1x64x128xf32>
    %293 = linalg.fill ins(%cst_1 : f32) outs(%292 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %294 = linalg.batch_matmul ins(%expanded_156, %expanded_157 : tensor<1x64x64xf32>, tensor<1x64x128xf32>) outs(%293 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %collapsed_158 = tensor.collapse_shape %294 [[0, 1], [2]] : tensor<1x64x128xf32> into tensor<64x128xf32>
    %expanded_159 = tensor.expand_shape %arg32 [[0, 1]] output_shape [1, 128] : tensor<128xf32> into tensor<1x128xf32>
    %295 = tensor.empty() : tensor<64x128xf32>
    %296 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_158, %expanded_159 : tensor<64x128xf32>, tensor<1x128xf32>) outs(%295 : tensor<64x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x128xf32>
    %expanded_160 = tensor.expand_shape %296 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %297 = tensor.empty() : tensor<2x32x128xf32>
    %298 = linalg.generic {indexing_maps = [#map3, #map17, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_160, %cst_15 : tensor<2x32x128xf32>, tensor<1x1x1xf32>) outs(%297 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x128xf32>
    %299 = tensor.empty() : tensor<2x32x128xf32>
    %300 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%298 : tensor<2x32x128xf32>) outs(%299 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.erf %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x128xf32>
    %301 = tensor.empty() : tensor<2x32x128xf32>
    %302 = linalg.generic {indexing_maps = [#map3, #map17, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%300, %cst_13 : tensor<2x32x128xf32>, tensor<1x1x1xf32>) outs(%301 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x128xf32>
    %303 = tensor.empty() : tensor<2x32x128xf32>
    %304 = linalg.generic {indexing_maps = [#map17, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_14, %302 : tensor<1x1x1xf32>, tensor<2x32x128xf32>) outs(%303 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x128xf32>
    %305 = tensor.empty() : tensor<2x32x128xf32>
    %306 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_160, %304 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%305 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x128xf32>
    %307 = tensor.empty() : tensor<128x64xf32>
    %transposed_161 = linalg.transpose ins(%arg33 : tensor<64x128xf32>) outs(%307 : tensor<128x64xf32>) permutation = [1, 0] 
    %collapsed_162 = tensor.collapse_shape %306 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %expanded_163 = tensor.expand_shape %collapsed_162 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %expanded_164 = tensor.expand_shape %transposed_161 [[0, 1], [2]] output_shape [1, 128, 64] : tensor<128x64xf32> into tensor<1x128x64xf32>
    %308 = tensor.empty() : tensor<1x64x64xf32>
    %309 = linalg.fill ins(%cst_1 : f32) outs(%308 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %310 = linalg.batch_matmul ins(%expanded_163, %expanded_164 : tensor<1x64x128xf32>, tensor<1x128x64xf32>) outs(%309 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_165 = tensor.collapse_shape %310 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_166 = tensor.expand_shape %arg34 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %311 = tensor.empty() : tensor<64x64xf32>
    %312 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_165, %expanded_166 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%311 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_167 = tensor.expand_shape %312 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %313 = tensor.empty() : tensor<2x32x64xf32>
    %314 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_167, %290 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%313 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %315 = tensor.empty() : tensor<2x32x64xf64>
    %316 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%314 : tensor<2x32x64xf32>) outs(%315 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %401 = arith.extf %in : f32 to f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %317 = tensor.empty() : tensor<2x32xf64>
    %318 = linalg.fill ins(%cst_2 : f64) outs(%317 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_168 = linalg.reduce ins(%316 : tensor<2x32x64xf64>) outs(%318 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_169 = tensor.expand_shape %reduced_168 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %319 = tensor.empty() : tensor<2x32x1xf64>
    %320 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_169, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%319 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %321 = tensor.empty() : tensor<2x32x64xf64>
    %322 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%316, %320 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%321 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.subf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %323 = tensor.empty() : tensor<2x32x64xf64>
    %324 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%322, %322 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%323 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %325 = tensor.empty() : tensor<2x32xf64>
    %326 = linalg.fill ins(%cst_2 : f64) outs(%325 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_170 = linalg.reduce ins(%324 : tensor<2x32x64xf64>) outs(%326 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_171 = tensor.expand_shape %reduced_170 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %327 = tensor.empty() : tensor<2x32x1xf64>
    %328 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_171, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%327 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %329 = tensor.empty() : tensor<2x32x1xf32>
    %330 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%328 : tensor<2x32x1xf64>) outs(%329 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %401 = arith.truncf %in : f64 to f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %331 = tensor.empty() : tensor<2x32xf32>
    %332 = linalg.fill ins(%cst_1 : f32) outs(%331 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced_172 = linalg.reduce ins(%314 : tensor<2x32x64xf32>) outs(%332 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %401 = arith.addf %in, %init : f32
        linalg.yield %401 : f32
      }
    %expanded_173 = tensor.expand_shape %reduced_172 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %333 = tensor.empty() : tensor<2x32x1xf32>
    %334 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_173, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%333 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %335 = tensor.empty() : tensor<2x32x1xf32>
    %336 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%330, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%335 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %337 = tensor.empty() : tensor<2x32x1xf32>
    %338 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%336 : tensor<2x32x1xf32>) outs(%337 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.rsqrt %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %339 = tensor.empty() : tensor<2x32x64xf32>
    %340 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%314, %334 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%339 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.subf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %341 = tensor.empty() : tensor<2x32x64xf32>
    %342 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%340, %338 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%341 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_174 = tensor.expand_shape %arg35 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %343 = tensor.empty() : tensor<2x32x64xf32>
    %344 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%342, %expanded_174 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%343 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_175 = tensor.expand_shape %arg36 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %345 = tensor.empty() : tensor<2x32x64xf32>
    %346 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%344, %expanded_175 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%345 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %347 = tensor.empty() : tensor<64x64xf32>
    %transposed_176 = linalg.transpose ins(%arg38 : tensor<64x64xf32>) outs(%347 : tensor<64x64xf32>) permutation = [1, 0] 
    %collapsed_177 = tensor.collapse_shape %346 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_178 = tensor.expand_shape %collapsed_177 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_179 = tensor.expand_shape %transposed_176 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %348 = tensor.empty() : tensor<1x64x64xf32>
    %349 = linalg.fill ins(%cst_1 : f32) outs(%348 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %350 = linalg.batch_matmul ins(%expanded_178, %expanded_179 : tensor<1x64x64xf32>, tensor<1x64x64xf32>) outs(%349 : tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %collapsed_180 = tensor.collapse_shape %350 [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
    %expanded_181 = tensor.expand_shape %arg39 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %351 = tensor.empty() : tensor<64x64xf32>
    %352 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_180, %expanded_181 : tensor<64x64xf32>, tensor<1x64xf32>) outs(%351 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x64xf32>
    %expanded_182 = tensor.expand_shape %352 [[0, 1], [2]] output_shape [2, 32, 64] : tensor<64x64xf32> into tensor<2x32x64xf32>
    %353 = tensor.empty() : tensor<2x32x64xf32>
    %354 = linalg.generic {indexing_maps = [#map3, #map17, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_182, %cst_15 : tensor<2x32x64xf32>, tensor<1x1x1xf32>) outs(%353 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %355 = tensor.empty() : tensor<2x32x64xf32>
    %356 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%354 : tensor<2x32x64xf32>) outs(%355 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.erf %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %357 = tensor.empty() : tensor<2x32x64xf32>
    %358 = linalg.generic {indexing_maps = [#map3, #map17, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%356, %cst_13 : tensor<2x32x64xf32>, tensor<1x1x1xf32>) outs(%357 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %359 = tensor.empty() : tensor<2x32x64xf32>
    %360 = linalg.generic {indexing_maps = [#map17, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_14, %358 : tensor<1x1x1xf32>, tensor<2x32x64xf32>) outs(%359 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %361 = tensor.empty() : tensor<2x32x64xf32>
    %362 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_182, %360 : tensor<2x32x64xf32>, tensor<2x32x64xf32>) outs(%361 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %363 = tensor.empty() : tensor<2x32x64xf64>
    %364 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%362 : tensor<2x32x64xf32>) outs(%363 : tensor<2x32x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %401 = arith.extf %in : f32 to f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %365 = tensor.empty() : tensor<2x32xf64>
    %366 = linalg.fill ins(%cst_2 : f64) outs(%365 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_183 = linalg.reduce ins(%364 : tensor<2x32x64xf64>) outs(%366 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_184 = tensor.expand_shape %reduced_183 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %367 = tensor.empty() : tensor<2x32x1xf64>
    %368 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_184, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%367 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %369 = tensor.empty() : tensor<2x32x64xf64>
    %370 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%364, %368 : tensor<2x32x64xf64>, tensor<2x32x1xf64>) outs(%369 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.subf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %371 = tensor.empty() : tensor<2x32x64xf64>
    %372 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%370, %370 : tensor<2x32x64xf64>, tensor<2x32x64xf64>) outs(%371 : tensor<2x32x64xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x64xf64>
    %373 = tensor.empty() : tensor<2x32xf64>
    %374 = linalg.fill ins(%cst_2 : f64) outs(%373 : tensor<2x32xf64>) -> tensor<2x32xf64>
    %reduced_185 = linalg.reduce ins(%372 : tensor<2x32x64xf64>) outs(%374 : tensor<2x32xf64>) dimensions = [2] 
      (%in: f64, %init: f64) {
        %401 = arith.addf %in, %init : f64
        linalg.yield %401 : f64
      }
    %expanded_186 = tensor.expand_shape %reduced_185 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf64> into tensor<2x32x1xf64>
    %375 = tensor.empty() : tensor<2x32x1xf64>
    %376 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_186, %cst_6 : tensor<2x32x1xf64>, tensor<1x1x1xf64>) outs(%375 : tensor<2x32x1xf64>) {
    ^bb0(%in: f64, %in_198: f64, %out: f64):
      %401 = arith.mulf %in, %in_198 : f64
      linalg.yield %401 : f64
    } -> tensor<2x32x1xf64>
    %377 = tensor.empty() : tensor<2x32x1xf32>
    %378 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%376 : tensor<2x32x1xf64>) outs(%377 : tensor<2x32x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %401 = arith.truncf %in : f64 to f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %379 = tensor.empty() : tensor<2x32xf32>
    %380 = linalg.fill ins(%cst_1 : f32) outs(%379 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %reduced_187 = linalg.reduce ins(%362 : tensor<2x32x64xf32>) outs(%380 : tensor<2x32xf32>) dimensions = [2] 
      (%in: f32, %init: f32) {
        %401 = arith.addf %in, %init : f32
        linalg.yield %401 : f32
      }
    %expanded_188 = tensor.expand_shape %reduced_187 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %381 = tensor.empty() : tensor<2x32x1xf32>
    %382 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_188, %cst_7 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%381 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %383 = tensor.empty() : tensor<2x32x1xf32>
    %384 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%378, %cst_8 : tensor<2x32x1xf32>, tensor<1x1x1xf32>) outs(%383 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %385 = tensor.empty() : tensor<2x32x1xf32>
    %386 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%384 : tensor<2x32x1xf32>) outs(%385 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %401 = math.rsqrt %in : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x1xf32>
    %387 = tensor.empty() : tensor<2x32x64xf32>
    %388 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%362, %382 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%387 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.subf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %389 = tensor.empty() : tensor<2x32x64xf32>
    %390 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%388, %386 : tensor<2x32x64xf32>, tensor<2x32x1xf32>) outs(%389 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_189 = tensor.expand_shape %arg40 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %391 = tensor.empty() : tensor<2x32x64xf32>
    %392 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%390, %expanded_189 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%391 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.mulf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %expanded_190 = tensor.expand_shape %arg41 [[0, 1, 2]] output_shape [1, 1, 64] : tensor<64xf32> into tensor<1x1x64xf32>
    %393 = tensor.empty() : tensor<2x32x64xf32>
    %394 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%392, %expanded_190 : tensor<2x32x64xf32>, tensor<1x1x64xf32>) outs(%393 : tensor<2x32x64xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<2x32x64xf32>
    %395 = tensor.empty() : tensor<64x128xf32>
    %transposed_191 = linalg.transpose ins(%arg0 : tensor<128x64xf32>) outs(%395 : tensor<64x128xf32>) permutation = [1, 0] 
    %collapsed_192 = tensor.collapse_shape %394 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
    %expanded_193 = tensor.expand_shape %collapsed_192 [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
    %expanded_194 = tensor.expand_shape %transposed_191 [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
    %396 = tensor.empty() : tensor<1x64x128xf32>
    %397 = linalg.fill ins(%cst_1 : f32) outs(%396 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %398 = linalg.batch_matmul ins(%expanded_193, %expanded_194 : tensor<1x64x64xf32>, tensor<1x64x128xf32>) outs(%397 : tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    %collapsed_195 = tensor.collapse_shape %398 [[0, 1], [2]] : tensor<1x64x128xf32> into tensor<64x128xf32>
    %expanded_196 = tensor.expand_shape %arg37 [[0, 1]] output_shape [1, 128] : tensor<128xf32> into tensor<1x128xf32>
    %399 = tensor.empty() : tensor<64x128xf32>
    %400 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_195, %expanded_196 : tensor<64x128xf32>, tensor<1x128xf32>) outs(%399 : tensor<64x128xf32>) {
    ^bb0(%in: f32, %in_198: f32, %out: f32):
      %401 = arith.addf %in, %in_198 : f32
      linalg.yield %401 : f32
    } -> tensor<64x128xf32>
    %expanded_197 = tensor.expand_shape %400 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    return %expanded_197 : tensor<2x32x128xf32>
  }
}

