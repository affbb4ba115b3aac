// RUN: prec-opt %s --prec-insert-casts --prec-verify-materialized --split-input-file | FileCheck %s

#bf16 = #prec.tag<bf16, rule = "r">
#fwd = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#sav = #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "r">
#grad = #prec.tag<e5m2, scaling = tensor_current, accumulator = promoted, rule = "r">

// Each expert has an amax and a scale; rows are quantized by those of their
// expert, and the product reads one inverse scale for each. The gradient of the
// matrices reads aligned, transposed copies with the same bits.

// CHECK-LABEL: func.func @scales_of_experts(
// CHECK-SAME: %[[X:.*]]: tensor<64x32xbf16>, %[[DY:.*]]: tensor<64x48xbf16>, %[[E:.*]]: tensor<4xi32>
// CHECK: %[[A:.*]] = prec.group_amax %[[X]], %[[E]]
// CHECK-NEXT: %[[S:.*]], %[[D:.*]] = prec.update_scale %[[A]] for {{ *}}e4m3 by row tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = prec.group_scales %[[S]], %[[E]]
// CHECK-NEXT: %[[Q:.*]] = prec.quantize %[[X]], %[[R]] : tensor<64x32xbf16> to tensor<64x32xf8E4M3FN> by row tensor<64xf32>
// CHECK-NEXT: prec.scaled_grouped_matmul %[[Q]] scale %[[D]], %{{.*}} scale %{{.*}}, %[[E]] <fast> by {{ *}}tensor_current, {{ *}}tensor_current
// CHECK: %[[GQ:.*]] = prec.quantize %[[DY]], %{{.*}} to tensor<64x48xf8E5M2> by row
// CHECK-NEXT: prec.scaled_grouped_matmul %[[GQ]] scale %[[GD:.*]], %{{.*}} scale %{{.*}}, %[[E]] <promoted>
// CHECK-NEXT: %[[XA:.*]] = prec.align_groups %[[Q]], %[[E]]
// CHECK-NEXT: %[[XT:.*]] = prec_train.transpose %[[XA]] permutation [1, 0] {{.*}} -> tensor<32x512xf8E4M3FN>
// CHECK-NEXT: %[[GA:.*]] = prec.align_groups %[[GQ]], %[[E]]
// CHECK-NEXT: %[[GT:.*]] = prec_train.transpose %[[GA]] permutation [1, 0] {{.*}} -> tensor<48x512xf8E5M2>
// CHECK-NEXT: prec.scaled_grouped_matmul %[[XT]] scale %[[D]], %[[GT]] scale %[[GD]], %[[E]] <promoted> {{.*}} -> tensor<4x32x48xbf16>
func.func @scales_of_experts(%x: tensor<64x32xbf16>, %dy: tensor<64x48xbf16>, %e: tensor<4xi32>,
      %w: tensor<4x48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
      %t: tensor<4x32x48xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3_t"},
      %s: tensor<4xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"})
    -> (tensor<64x48xf32>, tensor<64x32xf32>, tensor<4x32x48xf32>) {
  %y = prec_train.grouped_matmul %x, %w, %e {transpose_b, result_tags = [#bf16], operand_tags = [#fwd, #fwd, unit]} : (tensor<64x32xbf16>, tensor<4x48x32xf8E4M3FN>, tensor<4xi32>) -> tensor<64x48xf32>
  %dx = prec_train.grouped_matmul %dy, %t, %e {transpose_b, result_tags = [#bf16], operand_tags = [#grad, #sav, unit]} : (tensor<64x48xbf16>, tensor<4x32x48xf8E4M3FN>, tensor<4xi32>) -> tensor<64x32xf32>
  %dw = prec_train.grouped_matmul_grad %x, %dy, %e {result_tags = [#bf16], operand_tags = [#sav, #grad, unit]} : (tensor<64x32xbf16>, tensor<64x48xbf16>, tensor<4xi32>) -> tensor<4x32x48xf32>
  return %y, %dx, %dw : tensor<64x48xf32>, tensor<64x32xf32>, tensor<4x32x48xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#narrow = #prec.tag<e4m3, scaling = block_1x128, accumulator = promoted, rule = "r">

// Blocks of rows are of one expert each: the rows are aligned before they are
// transposed and quantized.

// CHECK-LABEL: func.func @blocks(
// CHECK: %[[A:.*]] = prec.align_groups %{{.*}} : (tensor<64x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
// CHECK-NEXT: %[[T:.*]] = prec_train.transpose %[[A]] permutation [1, 0]
// CHECK-NEXT: %[[M:.*]] = prec.amax %[[T]] : tensor<256x512xbf16> by {{ *}}block_1x128 tensor<256x4xf32>
// CHECK: prec.quantize %[[T]], %{{.*}} by block_1x128
// CHECK: prec.scaled_grouped_matmul {{.*}} by {{ *}}block_1x128, {{ *}}block_1x128
func.func @blocks(%x: tensor<64x256xbf16>, %dy: tensor<64x128xbf16>, %e: tensor<4xi32>) -> tensor<4x256x128xf32> {
  %dw = prec_train.grouped_matmul_grad %x, %dy, %e {result_tags = [#bf16], operand_tags = [#narrow, #narrow, unit]} : (tensor<64x256xbf16>, tensor<64x128xbf16>, tensor<4xi32>) -> tensor<4x256x128xf32>
  return %dw : tensor<4x256x128xf32>
}
