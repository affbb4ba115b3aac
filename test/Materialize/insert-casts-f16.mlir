// RUN: prec-opt %s --prec-insert-casts --prec-verify-materialized | FileCheck %s

#f32 = #prec.tag<f32, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">
#f16 = #prec.tag<f16, rule = "r">

// Between f16 and bf16 the way is f32, which holds both: one widening for all
// readers, one rounding each.

// CHECK-LABEL: func.func @halves(
// CHECK: %[[E:.*]] = math.exp
// CHECK-NEXT: %[[H:.*]] = arith.truncf %[[E]] : tensor<4x4xf32> to tensor<4x4xf16>
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[H]] : tensor<4x4xf16> to tensor<4x4xf32>
// CHECK-NEXT: %[[B:.*]] = arith.truncf %[[W]] : tensor<4x4xf32> to tensor<4x4xbf16>
// CHECK-NEXT: prec_train.matmul %[[B]], %[[B]]
// CHECK-NEXT: %[[T:.*]] = prec_train.transpose %[[B]]
// CHECK-NOT: arith.truncf %[[W]]
// CHECK: return
func.func @halves(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = math.exp %x {prec.result_tags = [#f16]} : tensor<4x4xf32>
  %m = prec_train.matmul %e, %e {operand_tags = [#bf16, #bf16], result_tags = [#f32]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = prec_train.transpose %e permutation [1, 0] {result_tags = [#bf16]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %m, %t : tensor<4x4xf32>, tensor<4x4xf32>
}
