// RUN: prec-opt %s | prec-opt | FileCheck %s

// CHECK-LABEL: @grouped
func.func @grouped(%x: tensor<64x16xf32>, %w: tensor<4x32x16xf32>, %v: tensor<4x16x32xf32>, %dy: tensor<64x32xf32>, %e: tensor<4xi32>) {
  // CHECK: prec_train.grouped_matmul %{{.*}}, %{{.*}}, %{{.*}} {transpose_b} : (tensor<64x16xf32>, tensor<4x32x16xf32>, tensor<4xi32>) -> tensor<64x32xf32>
  %0 = prec_train.grouped_matmul %x, %w, %e {transpose_b} : (tensor<64x16xf32>, tensor<4x32x16xf32>, tensor<4xi32>) -> tensor<64x32xf32>
  // CHECK: prec_train.grouped_matmul %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x16xf32>, tensor<4x16x32xf32>, tensor<4xi32>) -> tensor<64x32xf32>
  %1 = prec_train.grouped_matmul %x, %v, %e : (tensor<64x16xf32>, tensor<4x16x32xf32>, tensor<4xi32>) -> tensor<64x32xf32>
  // CHECK: prec_train.grouped_matmul_grad %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x16xf32>, tensor<64x32xf32>, tensor<4xi32>) -> tensor<4x16x32xf32>
  %2 = prec_train.grouped_matmul_grad %x, %dy, %e : (tensor<64x16xf32>, tensor<64x32xf32>, tensor<4xi32>) -> tensor<4x16x32xf32>
  return
}
