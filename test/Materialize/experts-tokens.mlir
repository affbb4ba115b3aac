// RUN: prec-opt %s --prec-insert-casts --prec-verify-materialized --split-input-file | FileCheck %s

// Tokens are quantized before they are sent: by one scale, which ranks agree on where it is of this step's amax. Experts
// read it as one for each, and the gradient of their matrices reads the same bytes.

#bf16 = #prec.tag<bf16, rule = "r">
#fwd = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#sav = #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "r">
#grad = #prec.tag<e5m2, scaling = tensor_current, accumulator = promoted, rule = "r">

// CHECK-LABEL: func.func @current(
// CHECK-SAME: %[[X:.*]]: tensor<8x32xbf16>, %[[IDS:.*]]: tensor<64xi32>, %[[E:.*]]: tensor<2xi32>
// CHECK: %[[A:.*]] = prec.amax %[[X]]
// CHECK-NEXT: %[[AS:.*]] = prec_train.exchange all_gather %[[A]] over "ep" {{.*}}: (tensor<f32>) -> tensor<2xf32>
// CHECK-NEXT: %[[M:.*]] = prec_train.reduce max %[[AS]] dims [0]
// CHECK-NEXT: %[[S:.*]], %[[D:.*]] = prec.update_scale %[[M]]
// CHECK-NEXT: %[[Q:.*]] = prec.quantize %[[X]], %[[S]]
// CHECK-NEXT: %[[QS:.*]] = prec_train.exchange all_gather %[[Q]] over "ep" {{.*}}: (tensor<8x32xf8E4M3FN>) -> tensor<2x8x32xf8E4M3FN>
// CHECK-NEXT: %[[T:.*]] = tensor.collapse_shape %[[QS]]
// CHECK-NEXT: %[[R:.*]] = prec_train.gather %[[T]], %[[IDS]] : (tensor<16x32xf8E4M3FN>, tensor<64xi32>) -> tensor<64x32xf8E4M3FN>
// CHECK-NEXT: %[[DE:.*]] = prec_train.broadcast %[[D]] dims [] : (tensor<f32>) -> tensor<2xf32>
// CHECK-NEXT: prec.scaled_grouped_matmul %[[R]] scale %[[DE]],
// CHECK: %[[RA:.*]] = prec.align_groups %[[R]], %[[E]]
// CHECK-NEXT: %[[RT:.*]] = prec_train.transpose %[[RA]]
// CHECK: prec.scaled_grouped_matmul %{{.*}}, %[[RT]] scale %[[DE]],
// CHECK-NOT: tensor<2x8x32xbf16>
module attributes {prec_train.mesh = {ep = 2 : i64}} {
func.func @current(%x: tensor<8x32xbf16>, %ids: tensor<64xi32>, %e: tensor<2xi32>, %dy: tensor<64x48xbf16>,
      %w: tensor<2x48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
      %s: tensor<2xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"}) -> (tensor<64x48xf32>, tensor<2x48x32xf32>) {
  %all = prec_train.exchange all_gather %x over "ep" {result_tags = [#bf16]} : (tensor<8x32xbf16>) -> tensor<2x8x32xbf16>
  %t = tensor.collapse_shape %all [[0, 1], [2]] {prec.result_tags = [#bf16]} : tensor<2x8x32xbf16> into tensor<16x32xbf16>
  %rows = prec_train.gather %t, %ids {prec.quantized_tokens, result_tags = [#bf16]} : (tensor<16x32xbf16>, tensor<64xi32>) -> tensor<64x32xbf16>
  %y = prec_train.grouped_matmul %rows, %w, %e {transpose_b, result_tags = [#bf16], operand_tags = [#fwd, #fwd, unit]} : (tensor<64x32xbf16>, tensor<2x48x32xf8E4M3FN>, tensor<2xi32>) -> tensor<64x48xf32>
  %dw = prec_train.grouped_matmul_grad %dy, %rows, %e {result_tags = [#bf16], operand_tags = [#grad, #sav, unit]} : (tensor<64x48xbf16>, tensor<64x32xbf16>, tensor<2xi32>) -> tensor<2x48x32xf32>
  return %y, %dw : tensor<64x48xf32>, tensor<2x48x32xf32>
}
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#fwd = #prec.tag<e4m3, scaling = tensor_delayed, accumulator = fast, rule = "r">

// A scale of earlier steps is there already.

// CHECK-LABEL: func.func @delayed(
// CHECK: %[[S:.*]], %[[D:.*]] = prec.delayed_scale
// CHECK-NEXT: %[[Q:.*]] = prec.quantize %{{.*}}, %[[S]]
// CHECK-NEXT: prec_train.exchange all_gather %[[Q]] over "ep"
// CHECK-NOT: exchange
module attributes {prec_train.mesh = {ep = 2 : i64}} {
func.func @delayed(%x: tensor<8x32xbf16>, %ids: tensor<64xi32>, %e: tensor<2xi32>,
      %w: tensor<2x48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
      %s: tensor<2xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"}) -> tensor<64x48xf32> {
  %all = prec_train.exchange all_gather %x over "ep" {result_tags = [#bf16]} : (tensor<8x32xbf16>) -> tensor<2x8x32xbf16>
  %t = tensor.collapse_shape %all [[0, 1], [2]] {prec.result_tags = [#bf16]} : tensor<2x8x32xbf16> into tensor<16x32xbf16>
  %rows = prec_train.gather %t, %ids {prec.quantized_tokens, result_tags = [#bf16]} : (tensor<16x32xbf16>, tensor<64xi32>) -> tensor<64x32xbf16>
  %y = prec_train.grouped_matmul %rows, %w, %e {transpose_b, result_tags = [#bf16], operand_tags = [#fwd, #fwd, unit]} : (tensor<64x32xbf16>, tensor<2x48x32xf8E4M3FN>, tensor<2xi32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#fwd = #prec.tag<e4m3, scaling = row, accumulator = fast, rule = "r">

// Scales of rows are sent beside the bytes.

// CHECK-LABEL: func.func @rows(
// CHECK: prec_train.exchange all_gather %{{.*}} over "ep" {{.*}}: (tensor<8x32xf8E4M3FN>) -> tensor<2x8x32xf8E4M3FN>
// CHECK: prec_train.exchange all_gather %{{.*}} over "ep" {{.*}}: (tensor<8xf32>) -> tensor<2x8xf32>
// CHECK: %[[R:.*]] = prec_train.gather %{{.*}} : (tensor<16x32xf8E4M3FN>, tensor<64xi32>) -> tensor<64x32xf8E4M3FN>
// CHECK-NEXT: %[[D:.*]] = prec_train.gather %{{.*}} : (tensor<16xf32>, tensor<64xi32>) -> tensor<64xf32>
// CHECK-NEXT: prec.scaled_grouped_matmul %[[R]] scale %[[D]],
module attributes {prec_train.mesh = {ep = 2 : i64}} {
func.func @rows(%x: tensor<8x32xbf16>, %ids: tensor<64xi32>, %e: tensor<2xi32>,
      %w: tensor<2x48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
      %s: tensor<96xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"}) -> tensor<64x48xf32> {
  %all = prec_train.exchange all_gather %x over "ep" {result_tags = [#bf16]} : (tensor<8x32xbf16>) -> tensor<2x8x32xbf16>
  %t = tensor.collapse_shape %all [[0, 1], [2]] {prec.result_tags = [#bf16]} : tensor<2x8x32xbf16> into tensor<16x32xbf16>
  %rows = prec_train.gather %t, %ids {prec.quantized_tokens, result_tags = [#bf16]} : (tensor<16x32xbf16>, tensor<64xi32>) -> tensor<64x32xbf16>
  %y = prec_train.grouped_matmul %rows, %w, %e {transpose_b, result_tags = [#bf16], operand_tags = [#fwd, #fwd, unit]} : (tensor<64x32xbf16>, tensor<2x48x32xf8E4M3FN>, tensor<2xi32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#fwd = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">

// Nothing is sent.

// CHECK-LABEL: func.func @alone(
// CHECK: %[[Q:.*]] = prec.quantize %{{.*}} : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
// CHECK-NEXT: %[[R:.*]] = prec_train.gather %[[Q]]
// CHECK-NEXT: %[[D:.*]] = prec_train.broadcast
// CHECK-NEXT: prec.scaled_grouped_matmul %[[R]] scale %[[D]],
func.func @alone(%t: tensor<16x32xbf16>, %ids: tensor<64xi32>, %e: tensor<2xi32>,
      %w: tensor<2x48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
      %s: tensor<2xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"}) -> tensor<64x48xf32> {
  %rows = prec_train.gather %t, %ids {prec.quantized_tokens, result_tags = [#bf16]} : (tensor<16x32xbf16>, tensor<64xi32>) -> tensor<64x32xbf16>
  %y = prec_train.grouped_matmul %rows, %w, %e {transpose_b, result_tags = [#bf16], operand_tags = [#fwd, #fwd, unit]} : (tensor<64x32xbf16>, tensor<2x48x32xf8E4M3FN>, tensor<2xi32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}
