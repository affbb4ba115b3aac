// RUN: prec-opt %s --prec-decompose | %primitives | FileCheck %s

// CHECK-LABEL: func @amax
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xbf16>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[XF:.*]] = arith.extf %[[X]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK: %[[ABS:.*]] = math.absf %[[XF]]
// CHECK: %[[ROWS:.*]] = prec_train.reduce max %[[ABS]] dims [1]
// CHECK: %[[MAX:.*]] = prec_train.reduce max %[[ROWS]] dims [0]
// CHECK: %[[A:.*]] = arith.maxnumf %[[MAX]], %[[ZERO]]
// CHECK: return %[[A]]
func.func @amax(%x: tensor<4x8xbf16>) -> tensor<f32> {
  %a = prec.amax %x : tensor<4x8xbf16>
  return %a : tensor<f32>
}

// The amax of a concatenation is that of its parts, in whatever order their
// elements are; short rows are joined.
// CHECK-LABEL: func @amax_of_parts
// CHECK-SAME: (%[[X:.*]]: tensor<64x4x64xbf16>, %[[Y:.*]]: tensor<4x64x64xbf16>)
// CHECK: tensor.collapse_shape %[[X]] {{.*}} into tensor<16384xbf16>
// CHECK: tensor.expand_shape {{.*}} into tensor<2x8192xbf16>
// CHECK: %[[MX:.*]] = prec_train.reduce max %{{.*}} dims [0]
// CHECK: %[[AX:.*]] = arith.maxnumf %[[MX]], %{{.*}}
// CHECK: tensor.collapse_shape %[[Y]]
// CHECK: %[[MY:.*]] = prec_train.reduce max %{{.*}} dims [0]
// CHECK: %[[A:.*]] = arith.maxnumf %[[MY]], %[[AX]]
// CHECK: return %[[A]]
func.func @amax_of_parts(%x: tensor<64x4x64xbf16>, %y: tensor<4x64x64xbf16>) -> tensor<f32> {
  %t = prec_train.transpose %x permutation [1, 0, 2] : (tensor<64x4x64xbf16>) -> tensor<4x64x64xbf16>
  %c = tensor.concat dim(2) %t, %y : (tensor<4x64x64xbf16>, tensor<4x64x64xbf16>) -> tensor<4x64x128xbf16>
  %a = prec.amax %c : tensor<4x64x128xbf16>
  return %a : tensor<f32>
}

// A copy in both layouts whose scale does not wait for the amax passes through
// tiles, which the amax is taken of; copies of parts are put side by side.
// CHECK-LABEL: func @amax_in_tiles
// CHECK: tensor.expand_shape {{.*}} into tensor<2x128x1x128xf32>
// CHECK: prec_train.reduce max {{.*}} dims [1, 3] : (tensor<2x128x1x128xf32>) -> tensor<2x1xf32>
// CHECK: prec_train.reduce max {{.*}} dims [0, 1] : (tensor<2x1xf32>) -> tensor<f32>
// CHECK: prec_train.reduce max {{.*}} dims [1, 3]
// CHECK: %[[QX:.*]] = prec.quantize {{.*}} : tensor<256x128xbf16> to tensor<256x128xf8E4M3FN>
// CHECK: %[[QY:.*]] = prec.quantize {{.*}} : tensor<256x128xbf16> to tensor<256x128xf8E4M3FN>
// CHECK: %[[Q:.*]] = tensor.concat dim(1) %[[QX]], %[[QY]]
// CHECK: prec_train.transpose %[[Q]]
func.func @amax_in_tiles(%x: tensor<2x128x128xbf16>, %y: tensor<2x128x128xbf16>, %s: tensor<f32>) -> (tensor<256x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>, tensor<f32>) {
  %c = tensor.concat dim(2) %x, %y : (tensor<2x128x128xbf16>, tensor<2x128x128xbf16>) -> tensor<2x128x256xbf16>
  %a = prec.amax %c : tensor<2x128x256xbf16>
  %m = tensor.collapse_shape %c [[0, 1], [2]] : tensor<2x128x256xbf16> into tensor<256x256xbf16>
  %q = prec.quantize %m, %s : tensor<256x256xbf16> to tensor<256x256xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<256x256xf8E4M3FN>) -> tensor<256x256xf8E4M3FN>
  return %q, %t, %a : tensor<256x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>, tensor<f32>
}

// Not where the scale waits for the amax, and not where rows have to be known
// first.
// CHECK-LABEL: func @amax_in_rows
// CHECK-NOT: dims [1, 3]
// CHECK: return
func.func @amax_in_rows(%x: tensor<256x128xbf16>, %n: tensor<256x128xf32>, %s: tensor<f32>) -> (tensor<128x256xf8E4M3FN>, tensor<128x256xf8E4M3FN>, tensor<f32>) {
  %a = prec.amax %x : tensor<256x128xbf16>
  %s0, %d0 = prec.update_scale %a for e4m3
  %q = prec.quantize %x, %s0 : tensor<256x128xbf16> to tensor<256x128xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<256x128xf8E4M3FN>) -> tensor<128x256xf8E4M3FN>
  %r = prec_train.reduce sum %n dims [1] : (tensor<256x128xf32>) -> tensor<256xf32>
  %b = prec_train.broadcast %r dims [0] : (tensor<256xf32>) -> tensor<256x128xf32>
  %y = arith.mulf %n, %b : tensor<256x128xf32>
  %z = arith.truncf %y : tensor<256x128xf32> to tensor<256x128xbf16>
  %az = prec.amax %z : tensor<256x128xbf16>
  %qz = prec.quantize %z, %s : tensor<256x128xbf16> to tensor<256x128xf8E4M3FN>
  %tz = prec_train.transpose %qz permutation [1, 0] : (tensor<256x128xf8E4M3FN>) -> tensor<128x256xf8E4M3FN>
  return %t, %tz, %az : tensor<128x256xf8E4M3FN>, tensor<128x256xf8E4M3FN>, tensor<f32>
}

// Not where the copy is of other values, or has other rows.
// CHECK-LABEL: func @amax_of_others
// CHECK-NOT: dims [1, 3]
// CHECK: return
func.func @amax_of_others(%x: tensor<128x128xbf16>, %y: tensor<128x128xbf16>, %z: tensor<128x128xbf16>, %s: tensor<f32>) -> (tensor<256x128xf8E4M3FN>, tensor<128x256xf8E4M3FN>, tensor<f32>, tensor<f32>) {
  %c = tensor.concat dim(1) %x, %y : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x256xbf16>
  %a = prec.amax %c : tensor<128x256xbf16>
  %d = tensor.concat dim(1) %z, %x : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x256xbf16>
  %q = prec.quantize %d, %s : tensor<128x256xbf16> to tensor<128x256xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<128x256xf8E4M3FN>) -> tensor<256x128xf8E4M3FN>
  %e = tensor.concat dim(1) %y, %z : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x256xbf16>
  %b = prec.amax %e : tensor<128x256xbf16>
  %f = tensor.collapse_shape %e [[0, 1]] : tensor<128x256xbf16> into tensor<32768xbf16>
  %g = tensor.expand_shape %f [[0, 1]] output_shape [256, 128] : tensor<32768xbf16> into tensor<256x128xbf16>
  %p = prec.quantize %g, %s : tensor<256x128xbf16> to tensor<256x128xf8E4M3FN>
  %u = prec_train.transpose %p permutation [1, 0] : (tensor<256x128xf8E4M3FN>) -> tensor<128x256xf8E4M3FN>
  return %t, %u, %a, %b : tensor<256x128xf8E4M3FN>, tensor<128x256xf8E4M3FN>, tensor<f32>, tensor<f32>
}

// Parts that differ in width pass through tiles as the matrix that they make,
// which stays in one piece.
// CHECK-LABEL: func @amax_of_unequal_parts
// CHECK-SAME: %{{.*}}: tensor<2x128x128xbf16>, %[[K:.*]]: tensor<2x1x128x64xbf16>, %{{.*}}: tensor<2x128x64xbf16>, %[[S:.*]]: tensor<f32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[C:.*]] = tensor.concat dim(2) {{.*}} -> tensor<2x128x256xbf16>
// CHECK: %[[E:.*]] = arith.extf %[[C]]
// CHECK: %[[ABS:.*]] = math.absf %[[E]] : tensor<2x128x256xf32>
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[ABS]] {{.*}} into tensor<256x256xf32>
// CHECK: %[[TILED:.*]] = tensor.expand_shape %[[FLAT]] {{.*}} into tensor<2x128x2x128xf32>
// CHECK: %[[TILES:.*]] = prec_train.reduce max %[[TILED]] dims [1, 3] : (tensor<2x128x2x128xf32>) -> tensor<2x2xf32>
// CHECK: %[[MAX:.*]] = prec_train.reduce max %[[TILES]] dims [0, 1] : (tensor<2x2xf32>) -> tensor<f32>
// CHECK-NOT: prec_train.reduce
// CHECK: %[[A:.*]] = arith.maxnumf %[[MAX]], %[[ZERO]]
// CHECK: %[[M:.*]] = tensor.collapse_shape %[[C]] {{.*}} into tensor<256x256xbf16>
// CHECK: %[[Q:.*]] = prec.quantize %[[M]], %[[S]] : tensor<256x256xbf16> to tensor<256x256xf8E5M2>
// CHECK-NOT: prec.quantize
// CHECK: %[[T:.*]] = prec_train.transpose %[[Q]] permutation [1, 0]
// CHECK: return %[[Q]], %[[T]], %[[A]]
func.func @amax_of_unequal_parts(%q: tensor<2x128x128xbf16>, %k: tensor<2x1x128x64xbf16>, %v: tensor<2x128x64xbf16>, %s: tensor<f32>) -> (tensor<256x256xf8E5M2>, tensor<256x256xf8E5M2>, tensor<f32>) {
  %r = prec_train.transpose %k permutation [0, 2, 1, 3] : (tensor<2x1x128x64xbf16>) -> tensor<2x128x1x64xbf16>
  %h = tensor.collapse_shape %r [[0], [1], [2, 3]] : tensor<2x128x1x64xbf16> into tensor<2x128x64xbf16>
  %c = tensor.concat dim(2) %q, %h, %v : (tensor<2x128x128xbf16>, tensor<2x128x64xbf16>, tensor<2x128x64xbf16>) -> tensor<2x128x256xbf16>
  %a = prec.amax %c : tensor<2x128x256xbf16>
  %m = tensor.collapse_shape %c [[0, 1], [2]] : tensor<2x128x256xbf16> into tensor<256x256xbf16>
  %p = prec.quantize %m, %s : tensor<256x256xbf16> to tensor<256x256xf8E5M2>
  %t = prec_train.transpose %p permutation [1, 0] : (tensor<256x256xf8E5M2>) -> tensor<256x256xf8E5M2>
  return %p, %t, %a : tensor<256x256xf8E5M2>, tensor<256x256xf8E5M2>, tensor<f32>
}

// So do parts of one shape that have the copy's elements in another order.
// CHECK-LABEL: func @amax_of_turned_parts
// CHECK: %[[C:.*]] = tensor.concat dim(2) {{.*}} -> tensor<2x128x256xbf16>
// CHECK: prec_train.reduce max {{.*}} dims [1, 3] : (tensor<2x128x2x128xf32>) -> tensor<2x2xf32>
// CHECK-NOT: dims [1, 3]
// CHECK: %[[M:.*]] = tensor.collapse_shape %[[C]] {{.*}} into tensor<256x256xbf16>
// CHECK: prec.quantize %[[M]]
// CHECK-NOT: prec.quantize
// CHECK: return
func.func @amax_of_turned_parts(%x: tensor<2x2x128x64xbf16>, %y: tensor<2x2x128x64xbf16>, %s: tensor<f32>) -> (tensor<256x256xf8E5M2>, tensor<f32>) {
  %u = prec_train.transpose %x permutation [0, 2, 1, 3] : (tensor<2x2x128x64xbf16>) -> tensor<2x128x2x64xbf16>
  %v = tensor.collapse_shape %u [[0], [1], [2, 3]] : tensor<2x128x2x64xbf16> into tensor<2x128x128xbf16>
  %w = prec_train.transpose %y permutation [0, 2, 1, 3] : (tensor<2x2x128x64xbf16>) -> tensor<2x128x2x64xbf16>
  %z = tensor.collapse_shape %w [[0], [1], [2, 3]] : tensor<2x128x2x64xbf16> into tensor<2x128x128xbf16>
  %c = tensor.concat dim(2) %v, %z : (tensor<2x128x128xbf16>, tensor<2x128x128xbf16>) -> tensor<2x128x256xbf16>
  %a = prec.amax %c : tensor<2x128x256xbf16>
  %m = tensor.collapse_shape %c [[0, 1], [2]] : tensor<2x128x256xbf16> into tensor<256x256xbf16>
  %p = prec.quantize %m, %s : tensor<256x256xbf16> to tensor<256x256xf8E5M2>
  %t = prec_train.transpose %p permutation [1, 0] : (tensor<256x256xf8E5M2>) -> tensor<256x256xf8E5M2>
  return %t, %a : tensor<256x256xf8E5M2>, tensor<f32>
}

// Not where the scale waits for the amax: each part is reduced in long rows.
// CHECK-LABEL: func @amax_of_unequal_parts_first
// CHECK-SAME: %[[X:.*]]: tensor<256x128xbf16>, %[[Y:.*]]: tensor<256x256xbf16>
// CHECK-NOT: dims [1, 3]
// CHECK: tensor.collapse_shape %[[X]]
// CHECK: prec_train.reduce max {{.*}} dims [1] : (tensor<4x8192xf32>) -> tensor<4xf32>
// CHECK-NOT: dims [1, 3]
// CHECK: tensor.collapse_shape %[[Y]]
// CHECK: prec_train.reduce max {{.*}} dims [1] : (tensor<8x8192xf32>) -> tensor<8xf32>
// CHECK-NOT: dims [1, 3]
// CHECK: return
func.func @amax_of_unequal_parts_first(%x: tensor<256x128xbf16>, %y: tensor<256x256xbf16>) -> (tensor<384x256xf8E4M3FN>, tensor<f32>) {
  %c = tensor.concat dim(1) %x, %y : (tensor<256x128xbf16>, tensor<256x256xbf16>) -> tensor<256x384xbf16>
  %a = prec.amax %c : tensor<256x384xbf16>
  %s, %d = prec.update_scale %a for e4m3
  %q = prec.quantize %c, %s : tensor<256x384xbf16> to tensor<256x384xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<256x384xf8E4M3FN>) -> tensor<384x256xf8E4M3FN>
  return %t, %a : tensor<384x256xf8E4M3FN>, tensor<f32>
}

// Not where no copy is transposed, and not where the whole has no tiles.
// CHECK-LABEL: func @amax_of_unequal_parts_in_rows
// CHECK-NOT: dims [1, 3]
// CHECK: return
func.func @amax_of_unequal_parts_in_rows(%x: tensor<256x128xbf16>, %y: tensor<256x256xbf16>, %z: tensor<256x48xbf16>, %s: tensor<f32>) -> (tensor<256x384xf8E4M3FN>, tensor<176x256xf8E4M3FN>, tensor<f32>, tensor<f32>) {
  %c = tensor.concat dim(1) %x, %y : (tensor<256x128xbf16>, tensor<256x256xbf16>) -> tensor<256x384xbf16>
  %a = prec.amax %c : tensor<256x384xbf16>
  %q = prec.quantize %c, %s : tensor<256x384xbf16> to tensor<256x384xf8E4M3FN>
  %d = tensor.concat dim(1) %x, %z : (tensor<256x128xbf16>, tensor<256x48xbf16>) -> tensor<256x176xbf16>
  %b = prec.amax %d : tensor<256x176xbf16>
  %p = prec.quantize %d, %s : tensor<256x176xbf16> to tensor<256x176xf8E4M3FN>
  %t = prec_train.transpose %p permutation [1, 0] : (tensor<256x176xf8E4M3FN>) -> tensor<176x256xf8E4M3FN>
  return %q, %t, %a, %b : tensor<256x384xf8E4M3FN>, tensor<176x256xf8E4M3FN>, tensor<f32>, tensor<f32>
}

// Tiles have as many rows as divide those of the matrix, in steps of 16, and 128
// or 64 columns.
// CHECK-LABEL: func @amax_of_lower_tiles
// CHECK: tensor.expand_shape {{.*}} output_shape [3, 80, 3, 64]
// CHECK: prec_train.reduce max {{.*}} dims [1, 3] : (tensor<3x80x3x64xf32>) -> tensor<3x3xf32>
// CHECK: return
func.func @amax_of_lower_tiles(%x: tensor<240x192xbf16>, %s: tensor<f32>) -> (tensor<192x240xf8E4M3FN>, tensor<f32>) {
  %a = prec.amax %x : tensor<240x192xbf16>
  %q = prec.quantize %x, %s : tensor<240x192xbf16> to tensor<240x192xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<240x192xf8E4M3FN>) -> tensor<192x240xf8E4M3FN>
  return %t, %a : tensor<192x240xf8E4M3FN>, tensor<f32>
}

// A part that needs its rows, of 64 columns or more, keeps them; the other one
// is lengthened. Each is quantized where it is computed.
// CHECK-LABEL: func @amax_of_a_norm_beside
// CHECK-SAME: %[[N:.*]]: tensor<256x256xf32>, %[[X:.*]]: tensor<256x128xbf16>
// CHECK-NOT: dims [1, 3]
// CHECK: %[[Z:.*]] = arith.truncf %{{.*}} : tensor<256x256xf32> to tensor<256x256xbf16>
// CHECK: %[[E:.*]] = arith.extf %[[Z]]
// CHECK: %[[ABS:.*]] = math.absf %[[E]]
// CHECK: prec_train.reduce max %[[ABS]] dims [1] : (tensor<256x256xf32>) -> tensor<256xf32>
// CHECK: tensor.collapse_shape %[[X]]
// CHECK: prec_train.reduce max {{.*}} dims [1] : (tensor<4x8192xf32>) -> tensor<4xf32>
// CHECK-NOT: dims [1, 3]
// CHECK: %[[QZ:.*]] = prec.quantize %[[Z]]
// CHECK: %[[QX:.*]] = prec.quantize %[[X]]
// CHECK: %[[Q:.*]] = tensor.concat dim(1) %[[QZ]], %[[QX]] : (tensor<256x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>)
// CHECK: prec_train.transpose %[[Q]]
// CHECK: return
func.func @amax_of_a_norm_beside(%n: tensor<256x256xf32>, %x: tensor<256x128xbf16>, %s: tensor<f32>) -> (tensor<384x256xf8E4M3FN>, tensor<f32>) {
  %r = prec_train.reduce sum %n dims [1] : (tensor<256x256xf32>) -> tensor<256xf32>
  %b = prec_train.broadcast %r dims [0] : (tensor<256xf32>) -> tensor<256x256xf32>
  %y = arith.mulf %n, %b : tensor<256x256xf32>
  %z = arith.truncf %y : tensor<256x256xf32> to tensor<256x256xbf16>
  %c = tensor.concat dim(1) %z, %x : (tensor<256x256xbf16>, tensor<256x128xbf16>) -> tensor<256x384xbf16>
  %a = prec.amax %c : tensor<256x384xbf16>
  %q = prec.quantize %c, %s : tensor<256x384xbf16> to tensor<256x384xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<256x384xf8E4M3FN>) -> tensor<384x256xf8E4M3FN>
  return %t, %a : tensor<384x256xf8E4M3FN>, tensor<f32>
}

// A norm's result keeps its rows; what is as wide but needs none, and a norm's
// of fewer than 64 columns, are lengthened.
// CHECK-LABEL: func @amax_of_norms
// CHECK-SAME: %{{.*}}: tensor<2x32x768xf32>, %{{.*}}: tensor<512x32xf32>, %[[X:.*]]: tensor<2x32x768xbf16>
// CHECK: %[[Z:.*]] = arith.truncf %{{.*}} : tensor<2x32x768xf32> to tensor<2x32x768xbf16>
// CHECK: %[[E:.*]] = arith.extf %[[Z]]
// CHECK: %[[ABS:.*]] = math.absf %[[E]]
// CHECK: %[[ROWS:.*]] = prec_train.reduce max %[[ABS]] dims [2] : (tensor<2x32x768xf32>) -> tensor<2x32xf32>
// CHECK: prec_train.reduce max %[[ROWS]] dims [0, 1] : (tensor<2x32xf32>) -> tensor<f32>
// CHECK: %[[N:.*]] = arith.truncf %{{.*}} : tensor<512x32xf32> to tensor<512x32xbf16>
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[N]] {{.*}} into tensor<16384xbf16>
// CHECK: tensor.expand_shape %[[FLAT]] {{.*}} into tensor<2x8192xbf16>
// CHECK: prec_train.reduce max {{.*}} dims [1] : (tensor<2x8192xf32>) -> tensor<2xf32>
// CHECK: tensor.collapse_shape %[[X]]
// CHECK: prec_train.reduce max {{.*}} dims [1] : (tensor<8x6144xf32>) -> tensor<8xf32>
func.func @amax_of_norms(%n: tensor<2x32x768xf32>, %m: tensor<512x32xf32>, %x: tensor<2x32x768xbf16>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %r = prec_train.reduce sum %n dims [2] : (tensor<2x32x768xf32>) -> tensor<2x32xf32>
  %b = prec_train.broadcast %r dims [0, 1] : (tensor<2x32xf32>) -> tensor<2x32x768xf32>
  %y = arith.mulf %n, %b : tensor<2x32x768xf32>
  %z = arith.truncf %y : tensor<2x32x768xf32> to tensor<2x32x768xbf16>
  %az = prec.amax %z : tensor<2x32x768xbf16>
  %t = prec_train.reduce sum %m dims [1] : (tensor<512x32xf32>) -> tensor<512xf32>
  %c = prec_train.broadcast %t dims [0] : (tensor<512xf32>) -> tensor<512x32xf32>
  %u = arith.mulf %m, %c : tensor<512x32xf32>
  %v = arith.truncf %u : tensor<512x32xf32> to tensor<512x32xbf16>
  %av = prec.amax %v : tensor<512x32xbf16>
  %ax = prec.amax %x : tensor<2x32x768xbf16>
  return %az, %av, %ax : tensor<f32>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func @update_scale
// CHECK-SAME: (%[[A:.*]]: tensor<f32>)
// CHECK-DAG: %[[EPS:.*]] = arith.constant dense<9.99999996E-13>
// CHECK-DAG: %[[E4M3:.*]] = arith.constant dense<4.480000e+02>
// CHECK-DAG: %[[E5M2:.*]] = arith.constant dense<5.734400e+04>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00>
// CHECK: %[[B:.*]] = arith.maximumf %[[A]], %[[EPS]]
// CHECK: %[[S:.*]] = arith.divf %[[E4M3]], %[[B]]
// CHECK: %[[D:.*]] = arith.divf %[[ONE]], %[[S]]
// CHECK: %[[S2:.*]] = arith.divf %[[E5M2]]
// CHECK: return %[[S]], %[[D]], %[[S2]]
func.func @update_scale(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %s, %d = prec.update_scale %a for e4m3
  %t, %e = prec.update_scale %a for e5m2
  return %s, %d, %t : tensor<f32>, tensor<f32>, tensor<f32>
}

// What library calls and kernels do themselves stays.
// CHECK-LABEL: func @stays
// CHECK: prec.quantize
// CHECK: prec.dequantize
// CHECK: prec.scaled_matmul
// CHECK: prec_train.matmul
func.func @stays(%x: tensor<16x32xbf16>, %s: tensor<f32>) -> (tensor<16x16xbf16>, tensor<16x16xbf16>) {
  %q = prec.quantize %x, %s : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
  %w = prec.dequantize %q, %s : tensor<16x32xf8E4M3FN> to tensor<16x32xbf16>
  %y = prec.scaled_matmul %q scale %s, %q scale %s <fast> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xbf16>
  %z = prec_train.matmul %x, %w {transpose_b} : (tensor<16x32xbf16>, tensor<16x32xbf16>) -> tensor<16x16xbf16>
  return %y, %z : tensor<16x16xbf16>, tensor<16x16xbf16>
}

// A row's scale is repeated along the row; what stays rounds by a scale of 1.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<16x320xbf16>)
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<16xf32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[ABS:.*]] = math.absf
// CHECK: %[[MAX:.*]] = prec_train.reduce max %[[ABS]] dims [1] : (tensor<16x320xf32>) -> tensor<16xf32>
// CHECK: %[[A:.*]] = arith.maxnumf %[[MAX]], %[[ZEROS]]
// CHECK: %[[S:.*]] = arith.divf %{{.*}}, %{{.*}} : tensor<16xf32>
// CHECK: %[[EACH:.*]] = prec_train.broadcast %[[S]] dims [0] : (tensor<16xf32>) -> tensor<16x320xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[EACH]] : tensor<16x320xf32>
// CHECK: %[[Q:.*]] = prec.quantize %[[SCALED]], %[[ONE]] : tensor<16x320xf32> to tensor<16x320xf8E4M3FN>
// CHECK: return %[[Q]]
func.func @rows(%x: tensor<16x320xbf16>) -> tensor<16x320xf8E4M3FN> {
  %a = prec.amax %x : tensor<16x320xbf16> by row tensor<16xf32>
  %s, %d = prec.update_scale %a for e4m3 by row tensor<16xf32>
  %q = prec.quantize %x, %s : tensor<16x320xbf16> to tensor<16x320xf8E4M3FN> by row tensor<16xf32>
  return %q : tensor<16x320xf8E4M3FN>
}

// Whole blocks and the shorter last one, along K and then along the rows. The
// inverse scales are padded for the matrix product.
// CHECK-LABEL: func @blocks
// CHECK: %[[ABS:.*]] = math.absf
// CHECK: %[[WHOLE:.*]] = tensor.extract_slice %[[ABS]][0, 0] [160, 256] [1, 1]
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %[[WHOLE]] {{.*}} into tensor<160x2x128xf32>
// CHECK: prec_train.reduce max %[[PARTS]] dims [2]
// CHECK: %[[REST:.*]] = tensor.extract_slice %[[ABS]][0, 256] [160, 64] [1, 1]
// CHECK: prec_train.reduce max %{{.*}} dims [2] : (tensor<160x1x64xf32>) -> tensor<160x1xf32>
// CHECK: %[[ROWS:.*]] = tensor.concat dim(1) {{.*}} -> tensor<160x3xf32>
// CHECK: tensor.extract_slice %[[ROWS]][0, 0] [128, 3] [1, 1]
// CHECK: prec_train.reduce max %{{.*}} dims [1] : (tensor<1x128x3xf32>) -> tensor<1x3xf32>
// CHECK: tensor.extract_slice %[[ROWS]][128, 0] [32, 3] [1, 1]
// CHECK: prec_train.reduce max %{{.*}} dims [1] : (tensor<1x32x3xf32>) -> tensor<1x3xf32>
// CHECK: %[[MAX:.*]] = tensor.concat dim(0) {{.*}} -> tensor<2x3xf32>
// CHECK: %[[S:.*]] = arith.divf %{{.*}}, %{{.*}} : tensor<2x3xf32>
// CHECK: %[[D:.*]] = arith.divf %{{.*}}, %[[S]] : tensor<2x3xf32>
// CHECK: %[[PADDED:.*]] = tensor.concat dim(1) %[[D]], %{{.*}} -> tensor<2x4xf32>
// CHECK: tensor.expand_shape %[[PADDED]] {{.*}} into tensor<2x1x4xf32>
// CHECK: prec_train.broadcast %[[S]] dims [0, 2] : (tensor<2x3xf32>) -> tensor<2x128x3xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [160, 3] [1, 1]
// CHECK: prec_train.broadcast %{{.*}} dims [0, 1] : (tensor<160x3xf32>) -> tensor<160x3x128xf32>
// CHECK: %[[EACH:.*]] = tensor.extract_slice %{{.*}}[0, 0] [160, 320] [1, 1]
// CHECK: arith.mulf %{{.*}}, %[[EACH]] : tensor<160x320xf32>
func.func @blocks(%x: tensor<160x320xf32>) -> (tensor<160x320xf8E4M3FN>, tensor<2x1x4xf32>) {
  %a = prec.amax %x : tensor<160x320xf32> by block_128x128 tensor<2x3xf32>
  %s, %d = prec.update_scale %a for e4m3 by block_128x128 tensor<2x3xf32> to tensor<2x1x4xf32>
  %q = prec.quantize %x, %s : tensor<160x320xf32> to tensor<160x320xf8E4M3FN> by block_128x128 tensor<2x3xf32>
  return %q, %d : tensor<160x320xf8E4M3FN>, tensor<2x1x4xf32>
}

// Inverse scales of 1x128 are transposed for the matrix product.
// CHECK-LABEL: func @scale_invs
// CHECK: %[[S:.*]] = arith.divf %{{.*}}, %{{.*}} : tensor<160x3xf32>
// CHECK: %[[D:.*]] = arith.divf %{{.*}}, %[[S]] : tensor<160x3xf32>
// CHECK: prec_train.transpose %[[D]] permutation [1, 0] : (tensor<160x3xf32>) -> tensor<3x160xf32>
func.func @scale_invs(%a: tensor<160x3xf32>) -> tensor<3x160xf32> {
  %s, %d = prec.update_scale %a for e4m3 by block_1x128 tensor<160x3xf32> to tensor<3x160xf32>
  return %d : tensor<3x160xf32>
}
