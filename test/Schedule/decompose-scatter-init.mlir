// RUN: prec-opt %s --prec-decompose | FileCheck %s

// Rows are added to a value that nothing else reads in place of it. Where others read it, in whatever shape, they are
// added to zeros, and these to it.
// CHECK-LABEL: func.func @read_twice(
// CHECK-SAME: %[[T:.*]]: tensor<16x8xf32>
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<16x8xf32>
// CHECK: %[[SUMS:.*]] = prec_train.scatter_add %[[ZEROS]],
// CHECK: %[[Y:.*]] = arith.addf %{{.*}}, %[[SUMS]]
// CHECK: return %[[Y]], %{{.*}}
func.func @read_twice(%t: tensor<16x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>) -> (tensor<16x8xf32>, tensor<128xf32>) {
  %e = math.exp %t : tensor<16x8xf32>
  %flat = tensor.collapse_shape %e [[0, 1]] : tensor<16x8xf32> into tensor<128xf32>
  %again = tensor.expand_shape %flat [[0, 1]] output_shape [16, 8] : tensor<128xf32> into tensor<16x8xf32>
  %y = prec_train.scatter_add %again, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  return %y, %flat : tensor<16x8xf32>, tensor<128xf32>
}

// CHECK-LABEL: func.func @read_once(
// CHECK: %[[E:.*]] = math.exp
// CHECK: prec_train.scatter_add %[[E]],
func.func @read_once(%t: tensor<16x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>) -> tensor<16x8xf32> {
  %e = math.exp %t : tensor<16x8xf32>
  %y = prec_train.scatter_add %e, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// Zeros that others read are zeros.
// CHECK-LABEL: func.func @zeros(
// CHECK-COUNT-2: prec_train.scatter_add
// CHECK-NOT: arith.addf
func.func @zeros(%i: tensor<4xi32>, %u: tensor<4x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %z = arith.constant dense<0.0> : tensor<128xf32>
  %e = tensor.expand_shape %z [[0, 1]] output_shape [16, 8] : tensor<128xf32> into tensor<16x8xf32>
  %y = prec_train.scatter_add %e, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %x = prec_train.scatter_add %e, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  return %y, %x : tensor<16x8xf32>, tensor<16x8xf32>
}

// Numbers that are added up by few ids are compared with each, not sorted.
// CHECK-LABEL: func.func @few(
// CHECK: %[[ROW:.*]] = prec_train.iota dim 0 {{.*}}: tensor<4x64xi32>
// CHECK: %[[OWN:.*]] = arith.cmpi eq, %[[ROW]],
// CHECK: %[[TERMS:.*]] = arith.select %[[OWN]],
// CHECK: prec_train.reduce  sum %[[TERMS]] dims [1] {{.*}}: (tensor<4x64xf32>) -> tensor<4xf32>
// CHECK-NOT: prec_train.scatter_add
// CHECK: return
func.func @few(%i: tensor<64xi32>, %u: tensor<64x1xbf16>) -> tensor<4x1xf32> {
  %z = arith.constant dense<0.0> : tensor<4x1xf32>
  %y = prec_train.scatter_add %z, %i, %u : (tensor<4x1xf32>, tensor<64xi32>, tensor<64x1xbf16>) -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}
