// RUN: prec-opt %s --prec-split-weights --prec-insert-casts --prec-carry-amax --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-split-weights=keep-transposed=false --prec-insert-casts --split-input-file | FileCheck %s --check-prefix=DIRECT

#bf16 = #prec.tag<bf16, rule = "r">
#fwd = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#back = #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "r">
#grad = #prec.tag<e5m2, scaling = tensor_current, accumulator = promoted, rule = "r">

// Matrices of experts have one scale each, and a transposed copy with the same
// bits.

// CHECK-LABEL: func.func @init(
// CHECK: %[[V:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<4x48x32xf32> into tensor<4x1536xf32>
// CHECK: %[[A:.*]] = prec.amax %[[V]] : tensor<4x1536xf32> by row tensor<4xf32>
// CHECK: %[[S:.*]], %[[D:.*]] = prec.update_scale %[[A]] for {{ *}}e4m3 by row tensor<4xf32>
// CHECK: %[[Q:.*]] = prec.quantize %{{.*}}, %[[S]] : tensor<4x1536xf32> to tensor<4x1536xf8E4M3FN> by row tensor<4xf32>
// CHECK: %[[C:.*]] = tensor.expand_shape %[[Q]] {{.*}} into tensor<4x48x32xf8E4M3FN>
// CHECK: %[[T:.*]] = prec_train.transpose %[[C]] permutation [0, 2, 1] : (tensor<4x48x32xf8E4M3FN>) -> tensor<4x32x48xf8E4M3FN>
// CHECK: return %[[C]], %[[T]], %[[D]]

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x48x32xf8E4M3FN> {{[^}]*}}prec_train.slot = "e4m3"}
// CHECK-SAME: %[[WT:[a-z0-9]+]]: tensor<4x32x48xf8E4M3FN> {{[^}]*}}prec_train.slot = "e4m3_t"}
// CHECK-SAME: %[[WS:[a-z0-9]+]]: tensor<4xf32> {{[^}]*}}prec_train.slot = "e4m3_scale"}
// CHECK: prec.scaled_grouped_matmul %{{.*}} scale %{{.*}}, %[[W]] scale %[[WS]]
// CHECK: prec.scaled_grouped_matmul %{{.*}} scale %{{.*}}, %[[WT]] scale %[[WS]]

// DIRECT-LABEL: func.func @step(
// DIRECT-SAME: %[[W:[a-z0-9]+]]: tensor<4x48x32xf8E4M3FN> {{[^}]*}}prec_train.slot = "e4m3"}
// DIRECT: prec.scaled_grouped_matmul %{{.*}} scale %{{.*}}, %[[W]] scale
// DIRECT: %[[T:.*]] = prec_train.transpose %[[W]] permutation [0, 2, 1]
// DIRECT: prec.scaled_grouped_matmul %{{.*}} scale %{{.*}}, %[[T]] scale
func.func @step(%x: tensor<64x32xf32>, %e: tensor<4xi32>, %w: tensor<4x48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"})
    -> (tensor<64x32xf32>, tensor<4x48x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 2 : i64}) attributes {prec.entry = "step"} {
  %y = prec_train.grouped_matmul %x, %w, %e {transpose_b, result_tags = [#bf16], operand_tags = [#fwd, #fwd, unit]} : (tensor<64x32xf32>, tensor<4x48x32xf32>, tensor<4xi32>) -> tensor<64x48xf32>
  %dx = prec_train.grouped_matmul %y, %w, %e {result_tags = [#bf16], operand_tags = [#grad, #back, unit]} : (tensor<64x48xf32>, tensor<4x48x32xf32>, tensor<4xi32>) -> tensor<64x32xf32>
  %new = arith.addf %w, %w : tensor<4x48x32xf32>
  return %dx, %new : tensor<64x32xf32>, tensor<4x48x32xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#delayed = #prec.tag<e4m3, scaling = tensor_delayed, accumulator = fast, rule = "r">

// Each expert has a history, of its matrix and of its rows.

// CHECK-LABEL: func.func @init(
// CHECK: %[[A:.*]] = prec.amax %{{.*}} : tensor<4x1536xf32> by row tensor<4xf32>
// CHECK: prec.update_scale %[[A]] for {{ *}}e4m3 by row tensor<4xf32>
// CHECK: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: prec.record_amax %{{.*}}, %[[NONE]] : tensor<4x16xf32> of tensor<4xf32>
// CHECK: prec.record_amax %{{.*}}, %[[A]] : tensor<4x16xf32> of tensor<4xf32>
// CHECK-LABEL: func.func @step(
// CHECK-SAME: prec_train.tensors = ["{{.*}}.0", "{{.*}}.1", "{{.*}}.2", "{{.*}}.3"]
// CHECK-DAG: prec.history_scale %{{.*}} <max> for {{ *}}e4m3 : tensor<4x16xf32> to tensor<4xf32>
// CHECK: %[[R:.*]] = prec.group_scales %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xi32>) -> tensor<64xf32>
// CHECK: prec.quantize %{{.*}}, %[[R]] : tensor<64x32xf32> to tensor<64x32xf8E4M3FN> by row tensor<64xf32>
// CHECK-COUNT-2: prec.record_amax
module attributes {prec.amax = #prec.amax<history = 16, algorithm = max, margin = 0, power_of_two = false, activation = 1.0e-12 : f64, weight = 1.0e-12 : f64, gradient = 1.0e-12 : f64>} {
  func.func @step(%x: tensor<64x32xf32>, %e: tensor<4xi32>, %w: tensor<4x48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"})
      -> (tensor<64x48xf32>, tensor<4x48x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 2 : i64}) attributes {prec.entry = "step"} {
    %y = prec_train.grouped_matmul %x, %w, %e {transpose_b, result_tags = [#bf16], operand_tags = [#delayed, #delayed, unit]} : (tensor<64x32xf32>, tensor<4x48x32xf32>, tensor<4xi32>) -> tensor<64x48xf32>
    %new = arith.addf %w, %w : tensor<4x48x32xf32>
    return %y, %new : tensor<64x48xf32>, tensor<4x48x32xf32>
  }
}
