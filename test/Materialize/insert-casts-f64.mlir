// RUN: prec-opt %s --assign-precision="recipe=bf16 target=cpu" --verify-precision --prec-insert-casts | FileCheck %s

// What is f64 is neither widened nor rounded but where the graph says so; the
// product beside it reads bf16.

// CHECK-LABEL: func.func @island(
// CHECK-SAME: %[[C:.*]]: tensor<32x32xf64>, %[[X:.*]]: tensor<32x32xf32>) -> tensor<32x32xf32>
// CHECK: %[[W:.*]] = arith.extf %[[X]] : tensor<32x32xf32> to tensor<32x32xf64>
// CHECK: %[[P:.*]] = arith.mulf %[[W]], %[[C]] : tensor<32x32xf64>
// CHECK: %[[Y:.*]] = arith.truncf %[[P]] : tensor<32x32xf64> to tensor<32x32xf32>
// CHECK: %[[N:.*]] = arith.truncf %[[Y]] : tensor<32x32xf32> to tensor<32x32xbf16>
// CHECK: prec_train.matmul %[[N]], %[[N]] : (tensor<32x32xbf16>, tensor<32x32xbf16>)
func.func @island(%c: tensor<32x32xf64>, %x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %w = arith.extf %x : tensor<32x32xf32> to tensor<32x32xf64>
  %p = arith.mulf %w, %c : tensor<32x32xf64>
  %y = arith.truncf %p : tensor<32x32xf64> to tensor<32x32xf32>
  %z = prec_train.matmul %y, %y : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %z : tensor<32x32xf32>
}
