// RUN: prec-opt %s --prec-flatten-products | FileCheck %s
// RUN: prec-opt %s --prec-flatten-products --prec-insert-casts | FileCheck %s --check-prefix=CASTS

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = full, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">

// Legality counts matrices, and one matrix of three dimensions is one.

// CHECK-LABEL: func.func @one_matrix(
// CHECK-SAME: %[[X:.*]]: tensor<1x32x64xf32> {{.*}}, %[[W:.*]]: tensor<64x48xf32>
// CHECK: %[[A:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] {prec.result_tags = [#prec.tag<bf16, rule = "r">]} : tensor<1x32x64xf32> into tensor<32x64xf32>
// CHECK: %[[C:.*]] = prec_train.matmul %[[A]], %[[W]] {operand_tags = {{.*}}} : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
// CHECK: tensor.expand_shape %[[C]] {{\[\[}}0, 1], [2]] output_shape [1, 32, 48] {prec.result_tags = [#prec.tag<bf16, rule = "r">]}

// CASTS-LABEL: func.func @one_matrix(
// CASTS: prec.scaled_matmul {{.*}} : (tensor<32x64xf8E4M3FN>, tensor<48x64xf8E4M3FN>) -> tensor<32x48xbf16>
func.func @one_matrix(%x: tensor<1x32x64xf32> {prec.tag = #bf16}, %w: tensor<64x48xf32>) -> tensor<1x32x48xf32> {
  %v = tensor.expand_shape %w [[0, 1], [2]] output_shape [1, 64, 48] : tensor<64x48xf32> into tensor<1x64x48xf32>
  %y = prec_train.matmul %x, %v {operand_tags = [#e4m3, #e4m3], result_tags = [#bf16]} : (tensor<1x32x64xf32>, tensor<1x64x48xf32>) -> tensor<1x32x48xf32>
  return %y : tensor<1x32x48xf32>
}

// What is stored transposed stays so, whatever the number of dimensions.

// CHECK-LABEL: func.func @transposed(
// CHECK: prec_train.matmul {{.*}} {operand_tags = {{.*}}, result_tags = {{.*}}, transpose_a, transpose_b} : (tensor<64x32xf32>, tensor<48x64xf32>) -> tensor<32x48xf32>
// CASTS-LABEL: func.func @transposed(
// CASTS: prec.scaled_matmul {{.*}} : (tensor<32x64xf8E4M3FN>, tensor<48x64xf8E4M3FN>) -> tensor<32x48xbf16>
func.func @transposed(%x: tensor<1x1x64x32xf32>, %w: tensor<1x1x48x64xf32>) -> tensor<1x1x32x48xf32> {
  %y = prec_train.matmul %x, %w {transpose_a, transpose_b, operand_tags = [#e4m3, #e4m3], result_tags = [#bf16]} : (tensor<1x1x64x32xf32>, tensor<1x1x48x64xf32>) -> tensor<1x1x32x48xf32>
  return %y : tensor<1x1x32x48xf32>
}

// What reads wider formats is left alone.

// CHECK-LABEL: func.func @plain(
// CHECK: prec_train.matmul {{.*}} : (tensor<1x32x64xf32>, tensor<1x64x48xf32>) -> tensor<1x32x48xf32>
func.func @plain(%x: tensor<1x32x64xf32>, %w: tensor<1x64x48xf32>) -> tensor<1x32x48xf32> {
  %y = prec_train.matmul %x, %w {operand_tags = [#bf16, #bf16], result_tags = [#bf16]} : (tensor<1x32x64xf32>, tensor<1x64x48xf32>) -> tensor<1x32x48xf32>
  return %y : tensor<1x32x48xf32>
}
