// Made by generate_byteir.py of files of ByteIR, which are under the Apache License 2.0.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d1, d0)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d2)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map8 = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#map9 = affine_map<(d0, d1, d2) -> (d0)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map12 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map15 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map17 = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
module {
  func.func public @main(%arg0: tensor<512x1536xf32>, %arg1: tensor<12x256x64xf32>, %arg2: tensor<2x256x384xf32>, %arg3: tensor<1x1x256x256xi1>, %arg4: tensor<384xf32>, %arg5: tensor<384x384xf32>, %arg6: tensor<2x256x1xf32>, %arg7: tensor<12x256x256xf32>, %arg8: tensor<2x256x1536xf32>, %arg9: tensor<12x256x64xf32>, %arg10: tensor<384x1536xf32>, %arg11: tensor<2x256x1536xf32>, %arg12: tensor<512x384xf32>, %arg13: tensor<384xf32>, %arg14: tensor<384xf32>, %arg15: tensor<2x256x1xf32>, %arg16: tensor<384x1152xf32>, %arg17: tensor<1536x384xf32>, %arg18: tensor<384x1152xf32>, %arg19: tensor<12x256x64xf32>, %arg20: tensor<2x256x1xf32>, %arg21: tensor<384x384xf32>, %arg22: tensor<12x64x256xf32>, %arg23: tensor<512x1536xf32>, %arg24: tensor<384x1536xf32>, %arg25: tensor<2x256x384xf32>, %arg26: tensor<512x384xf32>, %arg27: tensor<2x6x256x256xf32>, %arg28: tensor<2x6x256x256xf32>, %arg29: tensor<2x256x1xf32>, %arg30: tensor<384xf32>, %arg31: tensor<12x256x64xf32>, %arg32: tensor<384x384xf32>, %arg33: tensor<2x256x1536xf32>, %arg34: tensor<512x384xf32>, %arg35: tensor<12x64x256xf32>, %arg36: tensor<2x256x1536xf32>, %arg37: tensor<384x1152xf32>, %arg38: tensor<512x1536xf32>, %arg39: tensor<512x65xf32>, %arg40: tensor<2x256x1xf32>, %arg41: tensor<512xi64>, %arg42: tensor<384xf32>, %arg43: tensor<2x256x1536xf32>, %arg44: tensor<2x256x384xf32>, %arg45: tensor<512x384xf32>, %arg46: tensor<2x256x1xf32>, %arg47: tensor<2x256x1xf32>, %arg48: tensor<512x384xf32>, %arg49: tensor<12x256x64xf32>, %arg50: tensor<2x6x256x256xf32>, %arg51: tensor<2x256x1536xf32>, %arg52: tensor<384xf32>, %arg53: tensor<2x256xi64>, %arg54: tensor<2x6x256x256xf32>, %arg55: tensor<2x6x256x256xf32>, %arg56: tensor<512x384xf32>, %arg57: tensor<2x256x1536xf32>, %arg58: tensor<2x256x1xf32>, %arg59: tensor<f32>, %arg60: tensor<2x256x1xf32>, %arg61: tensor<1536x384xf32>, %arg62: tensor<1536x384xf32>, %arg63: tensor<2x256x1xf32>, %arg64: tensor<512x384xf32>, %arg65: tensor<12x256x256xf32>, %arg66: tensor<2x256x1xf32>, %arg67: tensor<384xf32>, %arg68: tensor<2x256x1536xf32>, %arg69: tensor<2x256x1536xf32>, %arg70: tensor<2x256x384xf32>, %arg71: tensor<2x256x1536xf32>, %arg72: tensor<2x6x256x256xf32>, %arg73: tensor<2x256x1536xf32>, %arg74: tensor<2x256x384xf32>, %arg75: tensor<1536x384xf32>, %arg76: tensor<2x256x1536xf32>, %arg77: tensor<384xf32>, %arg78: tensor<384x384xf32>, %arg79: tensor<2x256x1xf32>, %arg80: tensor<1536x384xf32>, %arg81: tensor<2x256x1536xf32>, %arg82: tensor<1x1x256x256xi1>, %arg83: tensor<512x384xf32>, %arg84: tensor<2x256x1xf32>, %arg85: tensor<512x1536xf32>, %arg86: tensor<12x256x64xf32>, %arg87: tensor<2x256x384xf32>, %arg88: tensor<2x256x1xf32>, %arg89: tensor<2x256x1xf32>, %arg90: tensor<12x256x256xf32>, %arg91: tensor<2x256x384xf32>, %arg92: tensor<2x256x384xf32>, %arg93: tensor<2x256x1xf32>, %arg94: tensor<2x256x1536xf32>, %arg95: tensor<512x384xf32>, %arg96: tensor<12x64x256xf32>, %arg97: tensor<2x256x1xf32>, %arg98: tensor<384xf32>, %arg99: tensor<2x256x1xf32>, %arg100: tensor<2x256x1536xf32>, %arg101: tensor<2x6x256x256xf32>, %arg102: tensor<2x256x1536xf32>, %arg103: tensor<12x256x64xf32>, %arg104: tensor<512x384xf32>, %arg105: tensor<12x256x64xf32>, %arg106: tensor<2x256x384xf32>, %arg107: tensor<2x256x1536xf32>, %arg108: tensor<2x256x1xf32>, %arg109: tensor<512x384xf32>, %arg110: tensor<12x256x64xf32>, %arg111: tensor<2x256x1xf32>, %arg112: tensor<1x256xi64>, %arg113: tensor<512x384xf32>, %arg114: tensor<12x256x64xf32>, %arg115: tensor<2x256x1536xf32>, %arg116: tensor<2x256x384xf32>, %arg117: tensor<2x256x1xf32>, %arg118: tensor<2x256x384xf32>, %arg119: tensor<2x256x1536xf32>, %arg120: tensor<12x256x256xf32>, %arg121: tensor<2x256x1536xf32>, %arg122: tensor<384xf32>, %arg123: tensor<384x1152xf32>, %arg124: tensor<12x256x64xf32>, %arg125: tensor<384x1536xf32>, %arg126: tensor<2x256x1xf32>, %arg127: tensor<384x65xf32>, %arg128: tensor<2x256x1536xf32>, %arg129: tensor<2x256x384xf32>, %arg130: tensor<2x256x1xf32>, %arg131: tensor<2x256x384xf32>, %arg132: tensor<2x256x384xf32>, %arg133: tensor<2x256x384xf32>, %arg134: tensor<2x256x384xf32>, %arg135: tensor<512x384xf32>, %arg136: tensor<512x384xf32>, %arg137: tensor<2x256x1xf32>, %arg138: tensor<1x1x256x256xi1>, %arg139: tensor<12x256x256xf32>, %arg140: tensor<2x256x1xf32>, %arg141: tensor<12x64x256xf32>, %arg142: tensor<2x256x1xf32>, %arg143: tensor<512x384xf32>, %arg144: tensor<512x1536xf32>, %arg145: tensor<1x1x256x256xi1>, %arg146: tensor<384xf32>, %arg147: tensor<2x256x384xf32>, %arg148: tensor<2x256x384xf32>, %arg149: tensor<1536x384xf32>, %arg150: tensor<2x256x1536xf32>, %arg151: tensor<2x256x384xf32>, %arg152: tensor<2x256x384xf32>, %arg153: tensor<512x384xf32>, %arg154: tensor<512x1536xf32>, %arg155: tensor<512x384xf32>, %arg156: tensor<1x1x256x256xi1>, %arg157: tensor<2x256x1536xf32>, %arg158: tensor<12x64x256xf32>, %arg159: tensor<2x6x256x256xf32>, %arg160: tensor<384xf32>, %arg161: tensor<384x1536xf32>, %arg162: tensor<2x256x384xf32>, %arg163: tensor<384x1152xf32>, %arg164: tensor<512x384xf32>, %arg165: tensor<512x384xf32>, %arg166: tensor<12x256x256xf32>, %arg167: tensor<384x1536xf32>, %arg168: tensor<2x6x256x256xf32>, %arg169: tensor<2x256x384xf32>, %arg170: tensor<2x6x256x256xf32>, %arg171: tensor<2x256x384xf32>, %arg172: tensor<2x6x256x256xf32>, %arg173: tensor<384x1152xf32>, %arg174: tensor<2x6x256x256xf32>, %arg175: tensor<2x256x384xf32>, %arg176: tensor<384xf32>, %arg177: tensor<2x256x384xf32>, %arg178: tensor<12x256x64xf32>, %arg179: tensor<384x384xf32>, %arg180: tensor<384x384xf32>, %arg181: tensor<2x256x384xf32>, %arg182: tensor<12x64x256xf32>, %arg183: tensor<1x1x256x256xi1>, %arg184: tensor<384x1536xf32>, %arg185: tensor<2x256x1536xf32>, %arg186: tensor<f32>, %arg187: tensor<512x65xf32>) -> (tensor<65x384xf32>, tensor<256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<65x384xf32>) {
    %c-1_i64 = arith.constant -1 : i64
    %cst = arith.constant 1.250000e-01 : f32
    %cst_0 = arith.constant 5.000000e-01 : f32
    %cst_1 = arith.constant 3.000000e+00 : f32
    %cst_2 = arith.constant 2.000000e+00 : f32
    %cst_3 = arith.constant 4.471500e-02 : f32
    %cst_4 = arith.constant 0.797884583 : f32
    %cst_5 = arith.constant 1.000000e+00 : f32
    %cst_6 = arith.constant 3.840000e+02 : f32
    %cst_7 = arith.constant 0.000000e+00 : f32
    %cst_8 = arith.constant dense<0.000000e+00> : tensor<256x384xf32>
    %cst_9 = arith.constant dense<0.000000e+00> : tensor<2x256x1152xf32>
    %cst_10 = arith.constant dense<0.000000e+00> : tensor<65x384xf32>
    %cst_11 = arith.constant dense<0.000000e+00> : tensor<512x65xf32>
    %0 = tensor.empty() : tensor<512x65xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg39 : tensor<512x65xf32>) outs(%0 : tensor<512x65xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = math.exp %in : f32
      linalg.yield %709 : f32
    } -> tensor<512x65xf32>
    %2 = tensor.empty() : tensor<512xf32>
    %3 = linalg.fill ins(%cst_7 : f32) outs(%2 : tensor<512xf32>) -> tensor<512xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%cst_11 : tensor<512x65xf32>) outs(%3 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<512xf32>
    %expanded = tensor.expand_shape %4 [[0, 1]] output_shape [512, 1] : tensor<512xf32> into tensor<512x1xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<512x1xf32>) outs(%0 : tensor<512x65xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x65xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %5 : tensor<512x65xf32>, tensor<512x65xf32>) outs(%0 : tensor<512x65xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<512x65xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<512x65xf32>) outs(%0 : tensor<512x65xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.subf %cst_7, %in : f32
      linalg.yield %709 : f32
    } -> tensor<512x65xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg187, %7 : tensor<512x65xf32>, tensor<512x65xf32>) outs(%0 : tensor<512x65xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<512x65xf32>
    %9 = tensor.empty() : tensor<65x512xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<512x65xf32>) outs(%9 : tensor<65x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<65x512xf32>
    %11 = tensor.empty() : tensor<65x384xf32>
    %12 = linalg.fill ins(%cst_7 : f32) outs(%11 : tensor<65x384xf32>) -> tensor<65x384xf32>
    %13 = linalg.matmul ins(%10, %arg109 : tensor<65x512xf32>, tensor<512x384xf32>) outs(%12 : tensor<65x384xf32>) -> tensor<65x384xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg127 : tensor<384x65xf32>) outs(%11 : tensor<65x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<65x384xf32>
    %15 = tensor.empty() : tensor<512x384xf32>
    %16 = linalg.fill ins(%cst_7 : f32) outs(%15 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %17 = linalg.matmul ins(%8, %14 : tensor<512x65xf32>, tensor<65x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %expanded_12 = tensor.expand_shape %17 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %18 = tensor.empty() : tensor<2x256x384xf32>
    %19 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg40 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %20 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg134, %19 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %21 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg108 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %22 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %21 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %23 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg14 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %24 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_12, %23 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %25 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %26 = tensor.empty() : tensor<2x256xf32>
    %27 = linalg.fill ins(%cst_7 : f32) outs(%26 : tensor<2x256xf32>) -> tensor<2x256xf32>
    %28 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%24 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_13 = tensor.expand_shape %28 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %29 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %22 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %30 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%29 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_14 = tensor.expand_shape %30 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %31 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_14 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %32 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %31 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %33 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_13 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %34 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25, %33 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %35 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34, %32 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %36 = tensor.empty() : tensor<2x256x1xf32>
    %37 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg108 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %38 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%37 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %39 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38, %35 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %40 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_12, %22 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %41 = tensor.empty() : tensor<384xf32>
    %42 = linalg.fill ins(%cst_7 : f32) outs(%41 : tensor<384xf32>) -> tensor<384xf32>
    %43 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%40 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %44 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_12 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %45 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39, %arg181 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed = tensor.collapse_shape %45 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %46 = tensor.empty() : tensor<384x1536xf32>
    %47 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg17 : tensor<1536x384xf32>) outs(%46 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %48 = tensor.empty() : tensor<512x1536xf32>
    %49 = linalg.fill ins(%cst_7 : f32) outs(%48 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %50 = linalg.matmul ins(%collapsed, %47 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%49 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %51 = tensor.empty() : tensor<384x512xf32>
    %52 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %53 = linalg.fill ins(%cst_7 : f32) outs(%46 : tensor<384x1536xf32>) -> tensor<384x1536xf32>
    %54 = linalg.matmul ins(%52, %arg23 : tensor<384x512xf32>, tensor<512x1536xf32>) outs(%53 : tensor<384x1536xf32>) -> tensor<384x1536xf32>
    %55 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_15 = tensor.expand_shape %50 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %56 = tensor.empty() : tensor<2x256x1536xf32>
    %57 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_15, %arg128 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %58 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_15, %arg107 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %59 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg119 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %60 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.subf %cst_5, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %61 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %60 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %62 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_4 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %63 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_3 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %64 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg150 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = math.powf %in, %cst_2 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %65 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_1 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %66 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63, %65 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %67 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %66 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %68 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_0 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %69 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67, %68 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %collapsed_16 = tensor.collapse_shape %69 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %70 = tensor.empty() : tensor<1536x384xf32>
    %71 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg125 : tensor<384x1536xf32>) outs(%70 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %72 = linalg.matmul ins(%collapsed_16, %71 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %73 = tensor.empty() : tensor<1536x512xf32>
    %74 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_16 : tensor<512x1536xf32>) outs(%73 : tensor<1536x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x512xf32>
    %75 = linalg.fill ins(%cst_7 : f32) outs(%70 : tensor<1536x384xf32>) -> tensor<1536x384xf32>
    %76 = linalg.matmul ins(%74, %arg143 : tensor<1536x512xf32>, tensor<512x384xf32>) outs(%75 : tensor<1536x384xf32>) -> tensor<1536x384xf32>
    %77 = tensor.empty() : tensor<1536xf32>
    %78 = linalg.fill ins(%cst_7 : f32) outs(%77 : tensor<1536xf32>) -> tensor<1536xf32>
    %79 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_16 : tensor<512x1536xf32>) outs(%78 : tensor<1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1536xf32>
    %expanded_17 = tensor.expand_shape %72 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %80 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg58 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %81 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg152, %80 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %82 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg66 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %83 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81, %82 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %84 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg77 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %85 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_17, %84 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %86 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %87 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%85 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_18 = tensor.expand_shape %87 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %88 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %83 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %89 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%88 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_19 = tensor.expand_shape %89 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %90 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_19 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %91 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83, %90 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %92 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_18 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %93 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86, %92 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %94 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93, %91 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %95 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg66 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %96 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %97 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96, %94 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %98 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_17, %83 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %99 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%98 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %100 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_17 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %101 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39, %97 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %102 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %arg131 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_20 = tensor.collapse_shape %102 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %103 = tensor.empty() : tensor<384x384xf32>
    %104 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg180 : tensor<384x384xf32>) outs(%103 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %105 = linalg.matmul ins(%collapsed_20, %104 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %106 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_20 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %107 = linalg.fill ins(%cst_7 : f32) outs(%103 : tensor<384x384xf32>) -> tensor<384x384xf32>
    %108 = linalg.matmul ins(%106, %arg104 : tensor<384x512xf32>, tensor<512x384xf32>) outs(%107 : tensor<384x384xf32>) -> tensor<384x384xf32>
    %109 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_20 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_21 = tensor.expand_shape %105 [[0, 1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<512x384xf32> into tensor<2x256x6x64xf32>
    %110 = tensor.empty() : tensor<2x6x256x64xf32>
    %111 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_21 : tensor<2x256x6x64xf32>) outs(%110 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %collapsed_22 = tensor.collapse_shape %111 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %112 = tensor.empty() : tensor<12x256x256xf32>
    %113 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg120 : tensor<12x256x256xf32>) outs(%112 : tensor<12x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x256xf32>
    %114 = tensor.empty() : tensor<12x256x64xf32>
    %115 = linalg.fill ins(%cst_7 : f32) outs(%114 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %116 = linalg.batch_matmul ins(%113, %collapsed_22 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %117 = tensor.empty() : tensor<12x64x256xf32>
    %118 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg114 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %119 = linalg.fill ins(%cst_7 : f32) outs(%112 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %120 = linalg.batch_matmul ins(%collapsed_22, %118 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%119 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_23 = tensor.expand_shape %116 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %expanded_24 = tensor.expand_shape %120 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %121 = tensor.empty() : tensor<2x6x256x256xf32>
    %122 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_24, %arg72 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %123 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%122, %arg159 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %124 = tensor.empty() : tensor<2x6x256xf32>
    %125 = linalg.fill ins(%cst_7 : f32) outs(%124 : tensor<2x6x256xf32>) -> tensor<2x6x256xf32>
    %126 = linalg.generic {indexing_maps = [#map11, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%123 : tensor<2x6x256x256xf32>) outs(%125 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256xf32>
    %expanded_25 = tensor.expand_shape %126 [[0], [1], [2, 3]] output_shape [2, 6, 256, 1] : tensor<2x6x256xf32> into tensor<2x6x256x1xf32>
    %127 = linalg.generic {indexing_maps = [#map14, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_25 : tensor<2x6x256x1xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %128 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg159, %127 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %129 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%123, %128 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %130 = tensor.empty() : tensor<2x6x256x256xi1>
    %131 = linalg.generic {indexing_maps = [#map15, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg156 : tensor<1x1x256x256xi1>) outs(%130 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %132 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%131, %129 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_172: f32, %out: f32):
      %709 = arith.select %in, %cst_7, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %133 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%132 : tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_26 = tensor.collapse_shape %133 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %134 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg19 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %135 = linalg.fill ins(%cst_7 : f32) outs(%117 : tensor<12x64x256xf32>) -> tensor<12x64x256xf32>
    %136 = linalg.batch_matmul ins(%134, %collapsed_26 : tensor<12x64x256xf32>, tensor<12x256x256xf32>) outs(%135 : tensor<12x64x256xf32>) -> tensor<12x64x256xf32>
    %137 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg96 : tensor<12x64x256xf32>) outs(%114 : tensor<12x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x64xf32>
    %138 = linalg.batch_matmul ins(%collapsed_26, %137 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_27 = tensor.expand_shape %136 [[0, 1], [2], [3]] output_shape [2, 6, 64, 256] : tensor<12x64x256xf32> into tensor<2x6x64x256xf32>
    %expanded_28 = tensor.expand_shape %138 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %139 = tensor.empty() : tensor<2x256x6x64xf32>
    %140 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_23 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_29 = tensor.collapse_shape %140 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %141 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_28 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_30 = tensor.collapse_shape %141 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %142 = linalg.generic {indexing_maps = [#map16, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_27 : tensor<2x6x64x256xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_31 = tensor.collapse_shape %142 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %inserted_slice = tensor.insert_slice %collapsed_29 into %cst_9[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %inserted_slice_32 = tensor.insert_slice %collapsed_31 into %cst_9[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %143 = tensor.empty() : tensor<2x256x1152xf32>
    %144 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice, %inserted_slice_32 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %inserted_slice_33 = tensor.insert_slice %collapsed_30 into %cst_9[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %145 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%144, %inserted_slice_33 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %collapsed_34 = tensor.collapse_shape %145 [[0, 1], [2]] : tensor<2x256x1152xf32> into tensor<512x1152xf32>
    %146 = tensor.empty() : tensor<1152x384xf32>
    %147 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg16 : tensor<384x1152xf32>) outs(%146 : tensor<1152x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x384xf32>
    %148 = linalg.matmul ins(%collapsed_34, %147 : tensor<512x1152xf32>, tensor<1152x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %149 = tensor.empty() : tensor<1152x512xf32>
    %150 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_34 : tensor<512x1152xf32>) outs(%149 : tensor<1152x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x512xf32>
    %151 = linalg.fill ins(%cst_7 : f32) outs(%146 : tensor<1152x384xf32>) -> tensor<1152x384xf32>
    %152 = linalg.matmul ins(%150, %arg113 : tensor<1152x512xf32>, tensor<512x384xf32>) outs(%151 : tensor<1152x384xf32>) -> tensor<1152x384xf32>
    %153 = tensor.empty() : tensor<1152xf32>
    %154 = linalg.fill ins(%cst_7 : f32) outs(%153 : tensor<1152xf32>) -> tensor<1152xf32>
    %155 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_34 : tensor<512x1152xf32>) outs(%154 : tensor<1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1152xf32>
    %expanded_35 = tensor.expand_shape %148 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %156 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg46 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %157 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg106, %156 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %158 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg29 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %159 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%157, %158 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %160 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg52 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %161 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_35, %160 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %162 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%161 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %163 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%161 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_36 = tensor.expand_shape %163 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %164 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%161, %159 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %165 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%164 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_37 = tensor.expand_shape %165 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %166 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_37 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %167 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%159, %166 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %168 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_36 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %169 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%162, %168 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %170 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%169, %167 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %171 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg29 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %172 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%171 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %173 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%172, %170 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %174 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_35, %159 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %175 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%174 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %176 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_35 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %177 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %173 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %178 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%177, %arg133 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_38 = tensor.collapse_shape %178 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %179 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg75 : tensor<1536x384xf32>) outs(%46 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %180 = linalg.matmul ins(%collapsed_38, %179 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%49 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %181 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_38 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %182 = linalg.matmul ins(%181, %arg85 : tensor<384x512xf32>, tensor<512x1536xf32>) outs(%53 : tensor<384x1536xf32>) -> tensor<384x1536xf32>
    %183 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_38 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_39 = tensor.expand_shape %180 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %184 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_39, %arg100 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %185 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_39, %arg43 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %186 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg71 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %187 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%186 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.subf %cst_5, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %188 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%184, %187 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %189 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_4 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %190 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%189 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_3 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %191 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg115 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = math.powf %in, %cst_2 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %192 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%191 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_1 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %193 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%190, %192 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %194 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%189, %193 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %195 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%185 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_0 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %196 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%194, %195 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %collapsed_40 = tensor.collapse_shape %196 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %197 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg161 : tensor<384x1536xf32>) outs(%70 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %198 = linalg.matmul ins(%collapsed_40, %197 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %199 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_40 : tensor<512x1536xf32>) outs(%73 : tensor<1536x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x512xf32>
    %200 = linalg.matmul ins(%199, %arg155 : tensor<1536x512xf32>, tensor<512x384xf32>) outs(%75 : tensor<1536x384xf32>) -> tensor<1536x384xf32>
    %201 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_40 : tensor<512x1536xf32>) outs(%78 : tensor<1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1536xf32>
    %expanded_41 = tensor.expand_shape %198 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %202 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg137 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %203 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg116, %202 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %204 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg117 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %205 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%203, %204 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %206 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg30 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %207 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_41, %206 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %208 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%207 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %209 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%207 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_42 = tensor.expand_shape %209 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %210 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%207, %205 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %211 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%210 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_43 = tensor.expand_shape %211 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %212 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_43 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %213 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%205, %212 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %214 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_42 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %215 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%208, %214 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %216 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%215, %213 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %217 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg117 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %218 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%217 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %219 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%218, %216 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %220 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_41, %205 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %221 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%220 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %222 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_41 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %223 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%177, %219 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %224 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%223, %arg147 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_44 = tensor.collapse_shape %224 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %225 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<384x384xf32>) outs(%103 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %226 = linalg.matmul ins(%collapsed_44, %225 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %227 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_44 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %228 = linalg.matmul ins(%227, %arg164 : tensor<384x512xf32>, tensor<512x384xf32>) outs(%107 : tensor<384x384xf32>) -> tensor<384x384xf32>
    %229 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_44 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_45 = tensor.expand_shape %226 [[0, 1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<512x384xf32> into tensor<2x256x6x64xf32>
    %230 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_45 : tensor<2x256x6x64xf32>) outs(%110 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %collapsed_46 = tensor.collapse_shape %230 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %231 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg166 : tensor<12x256x256xf32>) outs(%112 : tensor<12x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x256xf32>
    %232 = linalg.batch_matmul ins(%231, %collapsed_46 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %233 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg105 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %234 = linalg.batch_matmul ins(%collapsed_46, %233 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%119 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_47 = tensor.expand_shape %232 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %expanded_48 = tensor.expand_shape %234 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %235 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_48, %arg174 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %236 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%235, %arg168 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %237 = linalg.generic {indexing_maps = [#map11, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%236 : tensor<2x6x256x256xf32>) outs(%125 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256xf32>
    %expanded_49 = tensor.expand_shape %237 [[0], [1], [2, 3]] output_shape [2, 6, 256, 1] : tensor<2x6x256xf32> into tensor<2x6x256x1xf32>
    %238 = linalg.generic {indexing_maps = [#map14, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_49 : tensor<2x6x256x1xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %239 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg168, %238 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %240 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%236, %239 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %241 = linalg.generic {indexing_maps = [#map15, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg145 : tensor<1x1x256x256xi1>) outs(%130 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %242 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%241, %240 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_172: f32, %out: f32):
      %709 = arith.select %in, %cst_7, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %243 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%242 : tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_50 = tensor.collapse_shape %243 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %244 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg110 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %245 = linalg.batch_matmul ins(%244, %collapsed_50 : tensor<12x64x256xf32>, tensor<12x256x256xf32>) outs(%135 : tensor<12x64x256xf32>) -> tensor<12x64x256xf32>
    %246 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg158 : tensor<12x64x256xf32>) outs(%114 : tensor<12x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x64xf32>
    %247 = linalg.batch_matmul ins(%collapsed_50, %246 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_51 = tensor.expand_shape %245 [[0, 1], [2], [3]] output_shape [2, 6, 64, 256] : tensor<12x64x256xf32> into tensor<2x6x64x256xf32>
    %expanded_52 = tensor.expand_shape %247 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %248 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_47 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_53 = tensor.collapse_shape %248 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %249 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_52 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_54 = tensor.collapse_shape %249 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %250 = linalg.generic {indexing_maps = [#map16, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_51 : tensor<2x6x64x256xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_55 = tensor.collapse_shape %250 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %inserted_slice_56 = tensor.insert_slice %collapsed_53 into %cst_9[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %inserted_slice_57 = tensor.insert_slice %collapsed_55 into %cst_9[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %251 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_56, %inserted_slice_57 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %inserted_slice_58 = tensor.insert_slice %collapsed_54 into %cst_9[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %252 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%251, %inserted_slice_58 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %collapsed_59 = tensor.collapse_shape %252 [[0, 1], [2]] : tensor<2x256x1152xf32> into tensor<512x1152xf32>
    %253 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg173 : tensor<384x1152xf32>) outs(%146 : tensor<1152x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x384xf32>
    %254 = linalg.matmul ins(%collapsed_59, %253 : tensor<512x1152xf32>, tensor<1152x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %255 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_59 : tensor<512x1152xf32>) outs(%149 : tensor<1152x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x512xf32>
    %256 = linalg.matmul ins(%255, %arg136 : tensor<1152x512xf32>, tensor<512x384xf32>) outs(%151 : tensor<1152x384xf32>) -> tensor<1152x384xf32>
    %257 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_59 : tensor<512x1152xf32>) outs(%154 : tensor<1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1152xf32>
    %expanded_60 = tensor.expand_shape %254 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %258 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg99 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %259 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg169, %258 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %260 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg130 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %261 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%259, %260 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %262 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %263 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_60, %262 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %264 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%263 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %265 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%263 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_61 = tensor.expand_shape %265 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %266 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%263, %261 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %267 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%266 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_62 = tensor.expand_shape %267 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %268 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_62 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %269 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%261, %268 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %270 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_61 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %271 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%264, %270 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %272 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%271, %269 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %273 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg130 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %274 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%273 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %275 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%274, %272 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %276 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_60, %261 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %277 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%276 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %278 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_60 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %279 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%223, %275 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %280 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%279, %arg171 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_63 = tensor.collapse_shape %280 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %281 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg149 : tensor<1536x384xf32>) outs(%46 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %282 = linalg.matmul ins(%collapsed_63, %281 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%49 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %283 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_63 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %284 = linalg.matmul ins(%283, %arg154 : tensor<384x512xf32>, tensor<512x1536xf32>) outs(%53 : tensor<384x1536xf32>) -> tensor<384x1536xf32>
    %285 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_63 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_64 = tensor.expand_shape %282 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %286 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_64, %arg33 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %287 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_64, %arg51 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %288 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg94 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %289 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%288 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.subf %cst_5, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %290 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%286, %289 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %291 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%290 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_4 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %292 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%291 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_3 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %293 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg69 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = math.powf %in, %cst_2 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %294 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%293 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_1 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %295 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%292, %294 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %296 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%291, %295 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %297 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%287 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_0 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %298 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%296, %297 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %collapsed_65 = tensor.collapse_shape %298 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %299 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg24 : tensor<384x1536xf32>) outs(%70 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %300 = linalg.matmul ins(%collapsed_65, %299 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %301 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_65 : tensor<512x1536xf32>) outs(%73 : tensor<1536x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x512xf32>
    %302 = linalg.matmul ins(%301, %arg12 : tensor<1536x512xf32>, tensor<512x384xf32>) outs(%75 : tensor<1536x384xf32>) -> tensor<1536x384xf32>
    %303 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_65 : tensor<512x1536xf32>) outs(%78 : tensor<1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1536xf32>
    %expanded_66 = tensor.expand_shape %300 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %304 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg84 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %305 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg132, %304 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %306 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg79 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %307 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%305, %306 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %308 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg67 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %309 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_66, %308 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %310 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%309 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %311 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%309 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_67 = tensor.expand_shape %311 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %312 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%309, %307 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %313 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%312 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_68 = tensor.expand_shape %313 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %314 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_68 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %315 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%307, %314 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %316 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_67 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %317 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%310, %316 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %318 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%317, %315 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %319 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg79 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %320 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%319 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %321 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%320, %318 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %322 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_66, %307 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %323 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%322 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %324 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_66 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %325 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%279, %321 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %326 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%325, %arg87 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_69 = tensor.collapse_shape %326 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %327 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg32 : tensor<384x384xf32>) outs(%103 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %328 = linalg.matmul ins(%collapsed_69, %327 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %329 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_69 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %330 = linalg.matmul ins(%329, %arg56 : tensor<384x512xf32>, tensor<512x384xf32>) outs(%107 : tensor<384x384xf32>) -> tensor<384x384xf32>
    %331 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_69 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_70 = tensor.expand_shape %328 [[0, 1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<512x384xf32> into tensor<2x256x6x64xf32>
    %332 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_70 : tensor<2x256x6x64xf32>) outs(%110 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %collapsed_71 = tensor.collapse_shape %332 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %333 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg7 : tensor<12x256x256xf32>) outs(%112 : tensor<12x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x256xf32>
    %334 = linalg.batch_matmul ins(%333, %collapsed_71 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %335 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg178 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %336 = linalg.batch_matmul ins(%collapsed_71, %335 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%119 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_72 = tensor.expand_shape %334 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %expanded_73 = tensor.expand_shape %336 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %337 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_73, %arg172 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %338 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%337, %arg170 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %339 = linalg.generic {indexing_maps = [#map11, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%338 : tensor<2x6x256x256xf32>) outs(%125 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256xf32>
    %expanded_74 = tensor.expand_shape %339 [[0], [1], [2, 3]] output_shape [2, 6, 256, 1] : tensor<2x6x256xf32> into tensor<2x6x256x1xf32>
    %340 = linalg.generic {indexing_maps = [#map14, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_74 : tensor<2x6x256x1xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %341 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg170, %340 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %342 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%338, %341 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %343 = linalg.generic {indexing_maps = [#map15, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg183 : tensor<1x1x256x256xi1>) outs(%130 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %344 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%343, %342 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_172: f32, %out: f32):
      %709 = arith.select %in, %cst_7, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %345 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%344 : tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_75 = tensor.collapse_shape %345 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %346 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg103 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %347 = linalg.batch_matmul ins(%346, %collapsed_75 : tensor<12x64x256xf32>, tensor<12x256x256xf32>) outs(%135 : tensor<12x64x256xf32>) -> tensor<12x64x256xf32>
    %348 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg141 : tensor<12x64x256xf32>) outs(%114 : tensor<12x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x64xf32>
    %349 = linalg.batch_matmul ins(%collapsed_75, %348 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_76 = tensor.expand_shape %347 [[0, 1], [2], [3]] output_shape [2, 6, 64, 256] : tensor<12x64x256xf32> into tensor<2x6x64x256xf32>
    %expanded_77 = tensor.expand_shape %349 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %350 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_72 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_78 = tensor.collapse_shape %350 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %351 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_77 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_79 = tensor.collapse_shape %351 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %352 = linalg.generic {indexing_maps = [#map16, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_76 : tensor<2x6x64x256xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_80 = tensor.collapse_shape %352 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %inserted_slice_81 = tensor.insert_slice %collapsed_78 into %cst_9[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %inserted_slice_82 = tensor.insert_slice %collapsed_80 into %cst_9[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %353 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_81, %inserted_slice_82 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %inserted_slice_83 = tensor.insert_slice %collapsed_79 into %cst_9[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %354 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%353, %inserted_slice_83 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %collapsed_84 = tensor.collapse_shape %354 [[0, 1], [2]] : tensor<2x256x1152xf32> into tensor<512x1152xf32>
    %355 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg37 : tensor<384x1152xf32>) outs(%146 : tensor<1152x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x384xf32>
    %356 = linalg.matmul ins(%collapsed_84, %355 : tensor<512x1152xf32>, tensor<1152x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %357 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_84 : tensor<512x1152xf32>) outs(%149 : tensor<1152x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x512xf32>
    %358 = linalg.matmul ins(%357, %arg153 : tensor<1152x512xf32>, tensor<512x384xf32>) outs(%151 : tensor<1152x384xf32>) -> tensor<1152x384xf32>
    %359 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_84 : tensor<512x1152xf32>) outs(%154 : tensor<1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1152xf32>
    %expanded_85 = tensor.expand_shape %356 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %360 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg93 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %361 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg74, %360 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %362 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg97 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %363 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%361, %362 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %364 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg42 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %365 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_85, %364 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %366 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%365 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %367 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%365 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_86 = tensor.expand_shape %367 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %368 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%365, %363 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %369 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%368 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_87 = tensor.expand_shape %369 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %370 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_87 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %371 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%363, %370 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %372 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_86 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %373 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%366, %372 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %374 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%373, %371 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %375 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg97 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %376 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%375 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %377 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%376, %374 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %378 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_85, %363 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %379 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%378 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %380 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_85 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %381 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%325, %377 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %382 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%381, %arg91 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_88 = tensor.collapse_shape %382 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %383 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg61 : tensor<1536x384xf32>) outs(%46 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %384 = linalg.matmul ins(%collapsed_88, %383 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%49 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %385 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_88 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %386 = linalg.matmul ins(%385, %arg0 : tensor<384x512xf32>, tensor<512x1536xf32>) outs(%53 : tensor<384x1536xf32>) -> tensor<384x1536xf32>
    %387 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_88 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_89 = tensor.expand_shape %384 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %388 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_89, %arg121 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %389 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_89, %arg102 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %390 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg73 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %391 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%390 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.subf %cst_5, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %392 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%388, %391 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %393 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%392 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_4 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %394 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%393 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_3 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %395 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg157 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = math.powf %in, %cst_2 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %396 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%395 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_1 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %397 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%394, %396 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %398 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%393, %397 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %399 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%389 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_0 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %400 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%398, %399 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %collapsed_90 = tensor.collapse_shape %400 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %401 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg184 : tensor<384x1536xf32>) outs(%70 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %402 = linalg.matmul ins(%collapsed_90, %401 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %403 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_90 : tensor<512x1536xf32>) outs(%73 : tensor<1536x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x512xf32>
    %404 = linalg.matmul ins(%403, %arg26 : tensor<1536x512xf32>, tensor<512x384xf32>) outs(%75 : tensor<1536x384xf32>) -> tensor<1536x384xf32>
    %405 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_90 : tensor<512x1536xf32>) outs(%78 : tensor<1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1536xf32>
    %expanded_91 = tensor.expand_shape %402 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %406 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg126 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %407 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg118, %406 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %408 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg15 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %409 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%407, %408 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %410 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg13 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %411 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_91, %410 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %412 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%411 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %413 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%411 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_92 = tensor.expand_shape %413 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %414 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%411, %409 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %415 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%414 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_93 = tensor.expand_shape %415 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %416 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_93 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %417 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%409, %416 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %418 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_92 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %419 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%412, %418 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %420 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%419, %417 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %421 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg15 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %422 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%421 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %423 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%422, %420 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %424 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_91, %409 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %425 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%424 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %426 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_91 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %427 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%381, %423 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %428 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%427, %arg175 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_94 = tensor.collapse_shape %428 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %429 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg21 : tensor<384x384xf32>) outs(%103 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %430 = linalg.matmul ins(%collapsed_94, %429 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %431 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_94 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %432 = linalg.matmul ins(%431, %arg95 : tensor<384x512xf32>, tensor<512x384xf32>) outs(%107 : tensor<384x384xf32>) -> tensor<384x384xf32>
    %433 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_94 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_95 = tensor.expand_shape %430 [[0, 1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<512x384xf32> into tensor<2x256x6x64xf32>
    %434 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_95 : tensor<2x256x6x64xf32>) outs(%110 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %collapsed_96 = tensor.collapse_shape %434 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %435 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg90 : tensor<12x256x256xf32>) outs(%112 : tensor<12x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x256xf32>
    %436 = linalg.batch_matmul ins(%435, %collapsed_96 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %437 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg49 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %438 = linalg.batch_matmul ins(%collapsed_96, %437 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%119 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_97 = tensor.expand_shape %436 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %expanded_98 = tensor.expand_shape %438 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %439 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_98, %arg55 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %440 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%439, %arg54 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %441 = linalg.generic {indexing_maps = [#map11, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%440 : tensor<2x6x256x256xf32>) outs(%125 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256xf32>
    %expanded_99 = tensor.expand_shape %441 [[0], [1], [2, 3]] output_shape [2, 6, 256, 1] : tensor<2x6x256xf32> into tensor<2x6x256x1xf32>
    %442 = linalg.generic {indexing_maps = [#map14, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_99 : tensor<2x6x256x1xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %443 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg54, %442 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %444 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%440, %443 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %445 = linalg.generic {indexing_maps = [#map15, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg82 : tensor<1x1x256x256xi1>) outs(%130 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %446 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%445, %444 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_172: f32, %out: f32):
      %709 = arith.select %in, %cst_7, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %447 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%446 : tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_100 = tensor.collapse_shape %447 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %448 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %449 = linalg.batch_matmul ins(%448, %collapsed_100 : tensor<12x64x256xf32>, tensor<12x256x256xf32>) outs(%135 : tensor<12x64x256xf32>) -> tensor<12x64x256xf32>
    %450 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg22 : tensor<12x64x256xf32>) outs(%114 : tensor<12x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x64xf32>
    %451 = linalg.batch_matmul ins(%collapsed_100, %450 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_101 = tensor.expand_shape %449 [[0, 1], [2], [3]] output_shape [2, 6, 64, 256] : tensor<12x64x256xf32> into tensor<2x6x64x256xf32>
    %expanded_102 = tensor.expand_shape %451 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %452 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_97 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_103 = tensor.collapse_shape %452 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %453 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_102 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_104 = tensor.collapse_shape %453 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %454 = linalg.generic {indexing_maps = [#map16, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_101 : tensor<2x6x64x256xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_105 = tensor.collapse_shape %454 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %inserted_slice_106 = tensor.insert_slice %collapsed_103 into %cst_9[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %inserted_slice_107 = tensor.insert_slice %collapsed_105 into %cst_9[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %455 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_106, %inserted_slice_107 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %inserted_slice_108 = tensor.insert_slice %collapsed_104 into %cst_9[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %456 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%455, %inserted_slice_108 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %collapsed_109 = tensor.collapse_shape %456 [[0, 1], [2]] : tensor<2x256x1152xf32> into tensor<512x1152xf32>
    %457 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg18 : tensor<384x1152xf32>) outs(%146 : tensor<1152x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x384xf32>
    %458 = linalg.matmul ins(%collapsed_109, %457 : tensor<512x1152xf32>, tensor<1152x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %459 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_109 : tensor<512x1152xf32>) outs(%149 : tensor<1152x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x512xf32>
    %460 = linalg.matmul ins(%459, %arg34 : tensor<1152x512xf32>, tensor<512x384xf32>) outs(%151 : tensor<1152x384xf32>) -> tensor<1152x384xf32>
    %461 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_109 : tensor<512x1152xf32>) outs(%154 : tensor<1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1152xf32>
    %expanded_110 = tensor.expand_shape %458 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %462 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg63 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %463 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg70, %462 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %464 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg89 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %465 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%463, %464 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %466 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg176 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %467 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_110, %466 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %468 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%467 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %469 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%467 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_111 = tensor.expand_shape %469 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %470 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%467, %465 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %471 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%470 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_112 = tensor.expand_shape %471 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %472 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_112 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %473 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%465, %472 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %474 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_111 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %475 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%468, %474 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %476 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%475, %473 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %477 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg89 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %478 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%477 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %479 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%478, %476 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %480 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_110, %465 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %481 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%480 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %482 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_110 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %483 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%427, %479 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %484 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%483, %arg25 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_113 = tensor.collapse_shape %484 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %485 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg62 : tensor<1536x384xf32>) outs(%46 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %486 = linalg.matmul ins(%collapsed_113, %485 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%49 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %487 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_113 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %488 = linalg.matmul ins(%487, %arg144 : tensor<384x512xf32>, tensor<512x1536xf32>) outs(%53 : tensor<384x1536xf32>) -> tensor<384x1536xf32>
    %489 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_113 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_114 = tensor.expand_shape %486 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %490 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_114, %arg81 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %491 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_114, %arg36 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %492 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg76 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %493 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%492 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.subf %cst_5, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %494 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%490, %493 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %495 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%494 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_4 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %496 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%495 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_3 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %497 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg11 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = math.powf %in, %cst_2 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %498 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%497 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_1 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %499 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%496, %498 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %500 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%495, %499 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %501 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%491 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_0 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %502 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%500, %501 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %collapsed_115 = tensor.collapse_shape %502 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %503 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg10 : tensor<384x1536xf32>) outs(%70 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %504 = linalg.matmul ins(%collapsed_115, %503 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %505 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_115 : tensor<512x1536xf32>) outs(%73 : tensor<1536x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x512xf32>
    %506 = linalg.matmul ins(%505, %arg83 : tensor<1536x512xf32>, tensor<512x384xf32>) outs(%75 : tensor<1536x384xf32>) -> tensor<1536x384xf32>
    %507 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_115 : tensor<512x1536xf32>) outs(%78 : tensor<1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1536xf32>
    %expanded_116 = tensor.expand_shape %504 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %508 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg88 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %509 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg92, %508 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %510 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg20 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %511 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%509, %510 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %512 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg146 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %513 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_116, %512 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %514 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%513 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %515 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%513 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_117 = tensor.expand_shape %515 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %516 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%513, %511 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %517 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%516 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_118 = tensor.expand_shape %517 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %518 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_118 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %519 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%511, %518 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %520 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_117 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %521 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%514, %520 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %522 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%521, %519 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %523 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg20 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %524 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%523 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %525 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%524, %522 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %526 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_116, %511 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %527 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%526 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %528 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_116 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %529 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%483, %525 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %530 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%529, %arg44 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_119 = tensor.collapse_shape %530 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %531 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg78 : tensor<384x384xf32>) outs(%103 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %532 = linalg.matmul ins(%collapsed_119, %531 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %533 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_119 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %534 = linalg.matmul ins(%533, %arg45 : tensor<384x512xf32>, tensor<512x384xf32>) outs(%107 : tensor<384x384xf32>) -> tensor<384x384xf32>
    %535 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_119 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_120 = tensor.expand_shape %532 [[0, 1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<512x384xf32> into tensor<2x256x6x64xf32>
    %536 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_120 : tensor<2x256x6x64xf32>) outs(%110 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %collapsed_121 = tensor.collapse_shape %536 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %537 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg65 : tensor<12x256x256xf32>) outs(%112 : tensor<12x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x256xf32>
    %538 = linalg.batch_matmul ins(%537, %collapsed_121 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %539 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg31 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %540 = linalg.batch_matmul ins(%collapsed_121, %539 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%119 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_122 = tensor.expand_shape %538 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %expanded_123 = tensor.expand_shape %540 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %541 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_123, %arg50 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %542 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%541, %arg28 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %543 = linalg.generic {indexing_maps = [#map11, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%542 : tensor<2x6x256x256xf32>) outs(%125 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256xf32>
    %expanded_124 = tensor.expand_shape %543 [[0], [1], [2, 3]] output_shape [2, 6, 256, 1] : tensor<2x6x256xf32> into tensor<2x6x256x1xf32>
    %544 = linalg.generic {indexing_maps = [#map14, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_124 : tensor<2x6x256x1xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %545 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg28, %544 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %546 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%542, %545 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %547 = linalg.generic {indexing_maps = [#map15, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<1x1x256x256xi1>) outs(%130 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %548 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%547, %546 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_172: f32, %out: f32):
      %709 = arith.select %in, %cst_7, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %549 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%548 : tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_125 = tensor.collapse_shape %549 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %550 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg124 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %551 = linalg.batch_matmul ins(%550, %collapsed_125 : tensor<12x64x256xf32>, tensor<12x256x256xf32>) outs(%135 : tensor<12x64x256xf32>) -> tensor<12x64x256xf32>
    %552 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg35 : tensor<12x64x256xf32>) outs(%114 : tensor<12x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x64xf32>
    %553 = linalg.batch_matmul ins(%collapsed_125, %552 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_126 = tensor.expand_shape %551 [[0, 1], [2], [3]] output_shape [2, 6, 64, 256] : tensor<12x64x256xf32> into tensor<2x6x64x256xf32>
    %expanded_127 = tensor.expand_shape %553 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %554 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_122 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_128 = tensor.collapse_shape %554 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %555 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_127 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_129 = tensor.collapse_shape %555 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %556 = linalg.generic {indexing_maps = [#map16, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_126 : tensor<2x6x64x256xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_130 = tensor.collapse_shape %556 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %inserted_slice_131 = tensor.insert_slice %collapsed_128 into %cst_9[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %inserted_slice_132 = tensor.insert_slice %collapsed_130 into %cst_9[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %557 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_131, %inserted_slice_132 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %inserted_slice_133 = tensor.insert_slice %collapsed_129 into %cst_9[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %558 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%557, %inserted_slice_133 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %collapsed_134 = tensor.collapse_shape %558 [[0, 1], [2]] : tensor<2x256x1152xf32> into tensor<512x1152xf32>
    %559 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg163 : tensor<384x1152xf32>) outs(%146 : tensor<1152x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x384xf32>
    %560 = linalg.matmul ins(%collapsed_134, %559 : tensor<512x1152xf32>, tensor<1152x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %561 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_134 : tensor<512x1152xf32>) outs(%149 : tensor<1152x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x512xf32>
    %562 = linalg.matmul ins(%561, %arg64 : tensor<1152x512xf32>, tensor<512x384xf32>) outs(%151 : tensor<1152x384xf32>) -> tensor<1152x384xf32>
    %563 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_134 : tensor<512x1152xf32>) outs(%154 : tensor<1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1152xf32>
    %expanded_135 = tensor.expand_shape %560 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %564 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg60 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %565 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg129, %564 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %566 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg47 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %567 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%565, %566 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %568 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg122 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %569 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_135, %568 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %570 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%569 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %571 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%569 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_136 = tensor.expand_shape %571 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %572 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%569, %567 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %573 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%572 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_137 = tensor.expand_shape %573 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %574 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_137 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %575 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%567, %574 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %576 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_136 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %577 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%570, %576 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %578 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%577, %575 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %579 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg47 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %580 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%579 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %581 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%580, %578 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %582 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_135, %567 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %583 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%582 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %584 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_135 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %585 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%529, %581 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %586 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%585, %arg177 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_138 = tensor.collapse_shape %586 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %587 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg80 : tensor<1536x384xf32>) outs(%46 : tensor<384x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x1536xf32>
    %588 = linalg.matmul ins(%collapsed_138, %587 : tensor<512x384xf32>, tensor<384x1536xf32>) outs(%49 : tensor<512x1536xf32>) -> tensor<512x1536xf32>
    %589 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_138 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %590 = linalg.matmul ins(%589, %arg38 : tensor<384x512xf32>, tensor<512x1536xf32>) outs(%53 : tensor<384x1536xf32>) -> tensor<384x1536xf32>
    %591 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_138 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_139 = tensor.expand_shape %588 [[0, 1], [2]] output_shape [2, 256, 1536] : tensor<512x1536xf32> into tensor<2x256x1536xf32>
    %592 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_139, %arg57 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %593 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_139, %arg8 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %594 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg185 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %595 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%594 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.subf %cst_5, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %596 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%592, %595 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %597 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%596 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_4 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %598 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%597 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_3 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %599 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg68 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = math.powf %in, %cst_2 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %600 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%599 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_1 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %601 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%598, %600 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %602 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%597, %601 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %603 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%593 : tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_0 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %604 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%602, %603 : tensor<2x256x1536xf32>, tensor<2x256x1536xf32>) outs(%56 : tensor<2x256x1536xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1536xf32>
    %collapsed_140 = tensor.collapse_shape %604 [[0, 1], [2]] : tensor<2x256x1536xf32> into tensor<512x1536xf32>
    %605 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg167 : tensor<384x1536xf32>) outs(%70 : tensor<1536x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x384xf32>
    %606 = linalg.matmul ins(%collapsed_140, %605 : tensor<512x1536xf32>, tensor<1536x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %607 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_140 : tensor<512x1536xf32>) outs(%73 : tensor<1536x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1536x512xf32>
    %608 = linalg.matmul ins(%607, %arg48 : tensor<1536x512xf32>, tensor<512x384xf32>) outs(%75 : tensor<1536x384xf32>) -> tensor<1536x384xf32>
    %609 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_140 : tensor<512x1536xf32>) outs(%78 : tensor<1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1536xf32>
    %expanded_141 = tensor.expand_shape %606 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %610 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg6 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %611 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg148, %610 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %612 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg142 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %613 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%611, %612 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %614 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg98 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %615 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_141, %614 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %616 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%615 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %617 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%615 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_142 = tensor.expand_shape %617 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %618 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%615, %613 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %619 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%618 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_143 = tensor.expand_shape %619 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %620 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_143 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %621 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%613, %620 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %622 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_142 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %623 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%616, %622 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %624 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%623, %621 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %625 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg142 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %626 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%625 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %627 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%626, %624 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %628 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_141, %613 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %629 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%628 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %630 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_141 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %631 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%585, %627 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %632 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%631, %arg2 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %collapsed_144 = tensor.collapse_shape %632 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %633 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg179 : tensor<384x384xf32>) outs(%103 : tensor<384x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x384xf32>
    %634 = linalg.matmul ins(%collapsed_144, %633 : tensor<512x384xf32>, tensor<384x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %635 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_144 : tensor<512x384xf32>) outs(%51 : tensor<384x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<384x512xf32>
    %636 = linalg.matmul ins(%635, %arg165 : tensor<384x512xf32>, tensor<512x384xf32>) outs(%107 : tensor<384x384xf32>) -> tensor<384x384xf32>
    %637 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_144 : tensor<512x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %expanded_145 = tensor.expand_shape %634 [[0, 1], [2, 3]] output_shape [2, 256, 6, 64] : tensor<512x384xf32> into tensor<2x256x6x64xf32>
    %638 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_145 : tensor<2x256x6x64xf32>) outs(%110 : tensor<2x6x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x64xf32>
    %collapsed_146 = tensor.collapse_shape %638 [[0, 1], [2], [3]] : tensor<2x6x256x64xf32> into tensor<12x256x64xf32>
    %639 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg139 : tensor<12x256x256xf32>) outs(%112 : tensor<12x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x256xf32>
    %640 = linalg.batch_matmul ins(%639, %collapsed_146 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %641 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %642 = linalg.batch_matmul ins(%collapsed_146, %641 : tensor<12x256x64xf32>, tensor<12x64x256xf32>) outs(%119 : tensor<12x256x256xf32>) -> tensor<12x256x256xf32>
    %expanded_147 = tensor.expand_shape %640 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %expanded_148 = tensor.expand_shape %642 [[0, 1], [2], [3]] output_shape [2, 6, 256, 256] : tensor<12x256x256xf32> into tensor<2x6x256x256xf32>
    %643 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_148, %arg101 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %644 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%643, %arg27 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %645 = linalg.generic {indexing_maps = [#map11, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%644 : tensor<2x6x256x256xf32>) outs(%125 : tensor<2x6x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256xf32>
    %expanded_149 = tensor.expand_shape %645 [[0], [1], [2, 3]] output_shape [2, 6, 256, 1] : tensor<2x6x256xf32> into tensor<2x6x256x1xf32>
    %646 = linalg.generic {indexing_maps = [#map14, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_149 : tensor<2x6x256x1xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x6x256x256xf32>
    %647 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg27, %646 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %648 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%644, %647 : tensor<2x6x256x256xf32>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %649 = linalg.generic {indexing_maps = [#map15, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg138 : tensor<1x1x256x256xi1>) outs(%130 : tensor<2x6x256x256xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x6x256x256xi1>
    %650 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%649, %648 : tensor<2x6x256x256xi1>, tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: i1, %in_172: f32, %out: f32):
      %709 = arith.select %in, %cst_7, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %651 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%650 : tensor<2x6x256x256xf32>) outs(%121 : tensor<2x6x256x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst : f32
      linalg.yield %709 : f32
    } -> tensor<2x6x256x256xf32>
    %collapsed_150 = tensor.collapse_shape %651 [[0, 1], [2], [3]] : tensor<2x6x256x256xf32> into tensor<12x256x256xf32>
    %652 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg86 : tensor<12x256x64xf32>) outs(%117 : tensor<12x64x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x64x256xf32>
    %653 = linalg.batch_matmul ins(%652, %collapsed_150 : tensor<12x64x256xf32>, tensor<12x256x256xf32>) outs(%135 : tensor<12x64x256xf32>) -> tensor<12x64x256xf32>
    %654 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg182 : tensor<12x64x256xf32>) outs(%114 : tensor<12x256x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x256x64xf32>
    %655 = linalg.batch_matmul ins(%collapsed_150, %654 : tensor<12x256x256xf32>, tensor<12x256x64xf32>) outs(%115 : tensor<12x256x64xf32>) -> tensor<12x256x64xf32>
    %expanded_151 = tensor.expand_shape %653 [[0, 1], [2], [3]] output_shape [2, 6, 64, 256] : tensor<12x64x256xf32> into tensor<2x6x64x256xf32>
    %expanded_152 = tensor.expand_shape %655 [[0, 1], [2], [3]] output_shape [2, 6, 256, 64] : tensor<12x256x64xf32> into tensor<2x6x256x64xf32>
    %656 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_147 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_153 = tensor.collapse_shape %656 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %657 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_152 : tensor<2x6x256x64xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_154 = tensor.collapse_shape %657 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %658 = linalg.generic {indexing_maps = [#map16, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_151 : tensor<2x6x64x256xf32>) outs(%139 : tensor<2x256x6x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x6x64xf32>
    %collapsed_155 = tensor.collapse_shape %658 [[0], [1], [2, 3]] : tensor<2x256x6x64xf32> into tensor<2x256x384xf32>
    %inserted_slice_156 = tensor.insert_slice %collapsed_153 into %cst_9[0, 0, 768] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %inserted_slice_157 = tensor.insert_slice %collapsed_155 into %cst_9[0, 0, 384] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %659 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_156, %inserted_slice_157 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %inserted_slice_158 = tensor.insert_slice %collapsed_154 into %cst_9[0, 0, 0] [2, 256, 384] [1, 1, 1] : tensor<2x256x384xf32> into tensor<2x256x1152xf32>
    %660 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%659, %inserted_slice_158 : tensor<2x256x1152xf32>, tensor<2x256x1152xf32>) outs(%143 : tensor<2x256x1152xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1152xf32>
    %collapsed_159 = tensor.collapse_shape %660 [[0, 1], [2]] : tensor<2x256x1152xf32> into tensor<512x1152xf32>
    %661 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg123 : tensor<384x1152xf32>) outs(%146 : tensor<1152x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x384xf32>
    %662 = linalg.matmul ins(%collapsed_159, %661 : tensor<512x1152xf32>, tensor<1152x384xf32>) outs(%16 : tensor<512x384xf32>) -> tensor<512x384xf32>
    %663 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_159 : tensor<512x1152xf32>) outs(%149 : tensor<1152x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1152x512xf32>
    %664 = linalg.matmul ins(%663, %arg135 : tensor<1152x512xf32>, tensor<512x384xf32>) outs(%151 : tensor<1152x384xf32>) -> tensor<1152x384xf32>
    %665 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "reduction"]} ins(%collapsed_159 : tensor<512x1152xf32>) outs(%154 : tensor<1152xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<1152xf32>
    %expanded_160 = tensor.expand_shape %662 [[0, 1], [2]] output_shape [2, 256, 384] : tensor<512x384xf32> into tensor<2x256x384xf32>
    %666 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg140 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %667 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg162, %666 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %668 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg111 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %669 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%667, %668 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %670 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg160 : tensor<384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %671 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_160, %670 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %672 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%671 : tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.mulf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %673 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%671 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_161 = tensor.expand_shape %673 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %674 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%671, %669 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %675 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%674 : tensor<2x256x384xf32>) outs(%27 : tensor<2x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<2x256xf32>
    %expanded_162 = tensor.expand_shape %675 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xf32> into tensor<2x256x1xf32>
    %676 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_162 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %677 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%669, %676 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %678 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_161 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %679 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%672, %678 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %680 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%679, %677 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.subf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %681 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg111 : tensor<2x256x1xf32>) outs(%36 : tensor<2x256x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.divf %in, %cst_6 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x1xf32>
    %682 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%681 : tensor<2x256x1xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x256x384xf32>
    %683 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%682, %680 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %684 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_160, %669 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %685 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%684 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %686 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_160 : tensor<2x256x384xf32>) outs(%42 : tensor<384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<384xf32>
    %687 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%631, %683 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.addf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %688 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%687, %arg151 : tensor<2x256x384xf32>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: f32, %in_172: f32, %out: f32):
      %709 = arith.mulf %in, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %689 = tensor.empty() : tensor<256x384xf32>
    %690 = linalg.fill ins(%cst_7 : f32) outs(%689 : tensor<256x384xf32>) -> tensor<256x384xf32>
    %691 = linalg.generic {indexing_maps = [#map17, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%688 : tensor<2x256x384xf32>) outs(%690 : tensor<256x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      %709 = arith.addf %out, %in : f32
      linalg.yield %709 : f32
    } -> tensor<256x384xf32>
    %expanded_163 = tensor.expand_shape %691 [[0, 1], [2]] output_shape [1, 256, 384] : tensor<256x384xf32> into tensor<1x256x384xf32>
    %692 = tensor.empty() : tensor<1x256xi1>
    %693 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg112 : tensor<1x256xi64>) outs(%692 : tensor<1x256xi1>) {
    ^bb0(%in: i64, %out: i1):
      %709 = arith.cmpi eq, %in, %c-1_i64 : i64
      linalg.yield %709 : i1
    } -> tensor<1x256xi1>
    %expanded_164 = tensor.expand_shape %693 [[0], [1, 2]] output_shape [1, 256, 1] : tensor<1x256xi1> into tensor<1x256x1xi1>
    %694 = tensor.empty() : tensor<1x256x384xi1>
    %695 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_164 : tensor<1x256x1xi1>) outs(%694 : tensor<1x256x384xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x256x384xi1>
    %696 = tensor.empty() : tensor<1x256x384xf32>
    %697 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%695, %expanded_163 : tensor<1x256x384xi1>, tensor<1x256x384xf32>) outs(%696 : tensor<1x256x384xf32>) {
    ^bb0(%in: i1, %in_172: f32, %out: f32):
      %709 = arith.select %in, %cst_7, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<1x256x384xf32>
    %698 = tensor.empty() : tensor<1x256xi32>
    %699 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg112 : tensor<1x256xi64>) outs(%698 : tensor<1x256xi32>) {
    ^bb0(%in: i64, %out: i32):
      %709 = arith.trunci %in : i64 to i32
      linalg.yield %709 : i32
    } -> tensor<1x256xi32>
    %collapsed_165 = tensor.collapse_shape %699 [[0, 1]] : tensor<1x256xi32> into tensor<256xi32>
    %expanded_166 = tensor.expand_shape %collapsed_165 [[0, 1]] output_shape [256, 1] : tensor<256xi32> into tensor<256x1xi32>
    %collapsed_167 = tensor.collapse_shape %697 [[0, 1], [2]] : tensor<1x256x384xf32> into tensor<256x384xf32>
    %from_700 = arith.constant 0 : index
    %one_700 = arith.constant 1 : index
    %to_700 = arith.constant 256 : index
    %700 = scf.for %i = %from_700 to %to_700 step %one_700 iter_args(%so_far = %cst_8) -> (tensor<256x384xf32>) {
      %at_0 = arith.constant 0 : index
      %id_0 = tensor.extract %expanded_166[%i, %at_0] : tensor<256x1xi32>
      %place_0 = arith.index_cast %id_0 : i32 to index
      %update = tensor.extract_slice %collapsed_167[%i, 0] [1, 384] [1, 1] : tensor<256x384xf32> to tensor<1x384xf32>
      %old = tensor.extract_slice %so_far[%place_0, 0] [1, 384] [1, 1] : tensor<256x384xf32> to tensor<1x384xf32>
      %sum = arith.addf %old, %update : tensor<1x384xf32>
      %new = tensor.insert_slice %sum into %so_far[%place_0, 0] [1, 384] [1, 1] : tensor<1x384xf32> into tensor<256x384xf32>
      scf.yield %new : tensor<256x384xf32>
    }
    %701 = tensor.empty() : tensor<2x256xi1>
    %702 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg53 : tensor<2x256xi64>) outs(%701 : tensor<2x256xi1>) {
    ^bb0(%in: i64, %out: i1):
      %709 = arith.cmpi eq, %in, %c-1_i64 : i64
      linalg.yield %709 : i1
    } -> tensor<2x256xi1>
    %expanded_168 = tensor.expand_shape %702 [[0], [1, 2]] output_shape [2, 256, 1] : tensor<2x256xi1> into tensor<2x256x1xi1>
    %703 = tensor.empty() : tensor<2x256x384xi1>
    %704 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_168 : tensor<2x256x1xi1>) outs(%703 : tensor<2x256x384xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x256x384xi1>
    %705 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%704, %688 : tensor<2x256x384xi1>, tensor<2x256x384xf32>) outs(%18 : tensor<2x256x384xf32>) {
    ^bb0(%in: i1, %in_172: f32, %out: f32):
      %709 = arith.select %in, %cst_7, %in_172 : f32
      linalg.yield %709 : f32
    } -> tensor<2x256x384xf32>
    %706 = tensor.empty() : tensor<2x256xi32>
    %707 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg53 : tensor<2x256xi64>) outs(%706 : tensor<2x256xi32>) {
    ^bb0(%in: i64, %out: i32):
      %709 = arith.trunci %in : i64 to i32
      linalg.yield %709 : i32
    } -> tensor<2x256xi32>
    %collapsed_169 = tensor.collapse_shape %707 [[0, 1]] : tensor<2x256xi32> into tensor<512xi32>
    %expanded_170 = tensor.expand_shape %collapsed_169 [[0, 1]] output_shape [512, 1] : tensor<512xi32> into tensor<512x1xi32>
    %collapsed_171 = tensor.collapse_shape %705 [[0, 1], [2]] : tensor<2x256x384xf32> into tensor<512x384xf32>
    %from_708 = arith.constant 0 : index
    %one_708 = arith.constant 1 : index
    %to_708 = arith.constant 512 : index
    %708 = scf.for %i = %from_708 to %to_708 step %one_708 iter_args(%so_far = %cst_10) -> (tensor<65x384xf32>) {
      %at_0 = arith.constant 0 : index
      %id_0 = tensor.extract %expanded_170[%i, %at_0] : tensor<512x1xi32>
      %place_0 = arith.index_cast %id_0 : i32 to index
      %update = tensor.extract_slice %collapsed_171[%i, 0] [1, 384] [1, 1] : tensor<512x384xf32> to tensor<1x384xf32>
      %old = tensor.extract_slice %so_far[%place_0, 0] [1, 384] [1, 1] : tensor<65x384xf32> to tensor<1x384xf32>
      %sum = arith.addf %old, %update : tensor<1x384xf32>
      %new = tensor.insert_slice %sum into %so_far[%place_0, 0] [1, 384] [1, 1] : tensor<1x384xf32> into tensor<65x384xf32>
      scf.yield %new : tensor<65x384xf32>
    }
    return %708, %700, %685, %686, %664, %665, %636, %637, %629, %630, %608, %609, %590, %591, %583, %584, %562, %563, %534, %535, %527, %528, %506, %507, %488, %489, %481, %482, %460, %461, %432, %433, %425, %426, %404, %405, %386, %387, %379, %380, %358, %359, %330, %331, %323, %324, %302, %303, %284, %285, %277, %278, %256, %257, %228, %229, %221, %222, %200, %201, %182, %183, %175, %176, %152, %155, %108, %109, %99, %100, %76, %79, %54, %55, %43, %44, %13 : tensor<65x384xf32>, tensor<256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1152x384xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<65x384xf32>
  }
}

