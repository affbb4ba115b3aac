// RUN: prec-opt %s --prec-raise-composites | FileCheck %s

// The gradient of what is cut into three pieces: one concatenation, whatever order they are added in.
// CHECK-LABEL: func.func @pieces(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x64xf32>, %[[B:[a-z0-9]+]]: tensor<2x32xf32>, %[[C:[a-z0-9]+]]: tensor<2x32xf32>
// CHECK-NOT: arith.addf
// CHECK: %[[ALL:.*]] = tensor.concat dim(1) %[[A]], %[[B]], %[[C]] {{.*}}: (tensor<2x64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x128xf32>
// CHECK: return %[[ALL]]
func.func @pieces(%a: tensor<2x64xf32>, %b: tensor<2x32xf32>, %c: tensor<2x32xf32>) -> tensor<2x128xf32> {
  %z32 = arith.constant dense<0.0> : tensor<2x32xf32>
  %z64 = arith.constant dense<0.0> : tensor<2x64xf32>
  %z96 = arith.constant dense<0.0> : tensor<2x96xf32>
  %0 = tensor.concat dim(1) %z96, %c : (tensor<2x96xf32>, tensor<2x32xf32>) -> tensor<2x128xf32>
  %1 = tensor.concat dim(1) %z64, %b, %z32 : (tensor<2x64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x128xf32>
  %2 = arith.addf %0, %1 : tensor<2x128xf32>
  %3 = tensor.concat dim(1) %a, %z64 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x128xf32>
  %4 = arith.addf %2, %3 : tensor<2x128xf32>
  return %4 : tensor<2x128xf32>
}

// What is left between pieces stays zeros.
// CHECK-LABEL: func.func @gap(
// CHECK: %[[ZERO:.*]] = arith.constant {{.*}}dense<0.000000e+00> : tensor<2x64xf32>
// CHECK: tensor.concat dim(1) %{{.*}}, %[[ZERO]], %{{.*}} {{.*}}: (tensor<2x32xf32>, tensor<2x64xf32>, tensor<2x32xf32>) -> tensor<2x128xf32>
func.func @gap(%a: tensor<2x32xf32>, %c: tensor<2x32xf32>) -> tensor<2x128xf32> {
  %z = arith.constant dense<0.0> : tensor<2x96xf32>
  %0 = tensor.concat dim(1) %a, %z : (tensor<2x32xf32>, tensor<2x96xf32>) -> tensor<2x128xf32>
  %1 = tensor.concat dim(1) %z, %c : (tensor<2x96xf32>, tensor<2x32xf32>) -> tensor<2x128xf32>
  %2 = arith.addf %0, %1 : tensor<2x128xf32>
  return %2 : tensor<2x128xf32>
}

// Pieces that overlap, and those along different dimensions, are added.
// CHECK-LABEL: func.func @overlap(
// CHECK-COUNT-2: arith.addf
func.func @overlap(%a: tensor<64x64xf32>, %b: tensor<64x96xf32>, %c: tensor<64x128xf32>) -> tensor<128x128xf32> {
  %z32 = arith.constant dense<0.0> : tensor<64x32xf32>
  %z64 = arith.constant dense<0.0> : tensor<64x64xf32>
  %zc = arith.constant dense<0.0> : tensor<64x128xf32>
  %0 = tensor.concat dim(1) %a, %z64 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  %1 = tensor.concat dim(1) %z32, %b : (tensor<64x32xf32>, tensor<64x96xf32>) -> tensor<64x128xf32>
  %2 = arith.addf %0, %1 : tensor<64x128xf32>
  %3 = tensor.concat dim(0) %2, %zc : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %4 = tensor.concat dim(0) %c, %zc : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %5 = arith.addf %3, %4 : tensor<128x128xf32>
  return %5 : tensor<128x128xf32>
}
