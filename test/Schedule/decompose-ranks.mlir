// RUN: prec-opt %s --prec-decompose | FileCheck %s

// Two ranks get both parts, and add them up in f32 in the order of ranks.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16>
// CHECK: %[[ALL:.*]] = prec_train.exchange all_gather %[[X]] over "tp" {{.*}}: (tensor<4x8xbf16>) -> tensor<2x4x8xbf16>
// CHECK: tensor.extract_slice %[[ALL]][0, 0, 0] [1, 4, 8]
// CHECK: %[[A:.*]] = arith.extf %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK: tensor.extract_slice %[[ALL]][1, 0, 0] [1, 4, 8]
// CHECK: %[[B:.*]] = arith.extf %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: arith.truncf %[[SUM]]
func.func @two(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %y = prec_train.all_reduce %x over "tp" {ranks = 2 : i64, reason = "a sum"} : tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// Of more, each gets the parts of one slice and gives the sum.
// CHECK-LABEL: func.func @four(
// CHECK: %[[SLICES:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [4, 1, 8]
// CHECK: prec_train.exchange all_to_all %[[SLICES]] over "tp" {{.*}}: (tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
// CHECK-COUNT-3: arith.addf
// CHECK: %[[GATHERED:.*]] = prec_train.exchange all_gather %{{.*}} over "tp" {{.*}}: (tensor<1x8xf32>) -> tensor<4x1x8xf32>
// CHECK: tensor.collapse_shape %[[GATHERED]] {{\[}}[0, 1], [2]] {{.*}}: tensor<4x1x8xf32> into tensor<4x8xf32>
func.func @four(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = prec_train.all_reduce %x over "tp" {ranks = 4 : i64, reason = "a sum"} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// What cannot be divided is added up by all.
// CHECK-LABEL: func.func @odd(
// CHECK: prec_train.exchange all_gather %{{.*}} over "tp" {{.*}}: (tensor<3xf32>) -> tensor<4x3xf32>
// CHECK-COUNT-3: arith.addf
func.func @odd(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = prec_train.all_reduce %x over "tp" {ranks = 4 : i64, reason = "a sum"} : tensor<3xf32>
  return %y : tensor<3xf32>
}
