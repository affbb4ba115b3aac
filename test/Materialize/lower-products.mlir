// RUN: prec-opt %s --prec-lower-products | FileCheck %s

// prec's own products read FP8 as they are.
// CHECK-LABEL: func.func @own
// CHECK: %[[Y:.*]] = prec_train.matmul %{{.*}}, %{{.*}} {operand_tags = [#prec.tag<e4m3
// CHECK-NEXT: return %[[Y]]
func.func @own(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>) -> tensor<32x48xf32> {
  %y = prec_train.matmul %x, %w {operand_tags = [#prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "asked for">, #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "asked for">]} : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
  return %y : tensor<32x48xf32>
}
