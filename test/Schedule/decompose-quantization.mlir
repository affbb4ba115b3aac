// RUN: prec-opt %s --decompose | FileCheck %s

// CHECK-LABEL: func @amax
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xbf16>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[XF:.*]] = arith.extf %[[X]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK: %[[ABS:.*]] = math.absf %[[XF]]
// CHECK: %[[ROWS:.*]] = train.reduce max %[[ABS]] dims [1]
// CHECK: %[[MAX:.*]] = train.reduce max %[[ROWS]] dims [0]
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
// CHECK: %[[MX:.*]] = train.reduce max %{{.*}} dims [0]
// CHECK: %[[AX:.*]] = arith.maxnumf %[[MX]], %{{.*}}
// CHECK: tensor.collapse_shape %[[Y]]
// CHECK: %[[MY:.*]] = train.reduce max %{{.*}} dims [0]
// CHECK: %[[A:.*]] = arith.maxnumf %[[MY]], %[[AX]]
// CHECK: return %[[A]]
func.func @amax_of_parts(%x: tensor<64x4x64xbf16>, %y: tensor<4x64x64xbf16>) -> tensor<f32> {
  %t = train.transpose %x permutation [1, 0, 2] : (tensor<64x4x64xbf16>) -> tensor<4x64x64xbf16>
  %c = tensor.concat dim(2) %t, %y : (tensor<4x64x64xbf16>, tensor<4x64x64xbf16>) -> tensor<4x64x128xbf16>
  %a = prec.amax %c : tensor<4x64x128xbf16>
  return %a : tensor<f32>
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
// CHECK: train.matmul
func.func @stays(%x: tensor<16x32xbf16>, %s: tensor<f32>) -> (tensor<16x16xbf16>, tensor<16x16xbf16>) {
  %q = prec.quantize %x, %s : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
  %w = prec.dequantize %q, %s : tensor<16x32xf8E4M3FN> to tensor<16x32xbf16>
  %y = prec.scaled_matmul %q scale %s, %q scale %s <fast> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xbf16>
  %z = train.matmul %x, %w {transpose_b} : (tensor<16x32xbf16>, tensor<16x32xbf16>) -> tensor<16x16xbf16>
  return %y, %z : tensor<16x16xbf16>, tensor<16x16xbf16>
}
