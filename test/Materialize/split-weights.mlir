// RUN: prec-opt %s --prec-split-weights --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-split-weights=keep-transposed=false --split-input-file | FileCheck %s --check-prefix=DIRECT

#f32 = #prec.tag<f32, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">
#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#e5m2 = #prec.tag<e5m2, scaling = tensor_current, accumulator = promoted, rule = "r">
#e4m3p = #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "r">

// A tied embedding has one bf16 copy; the optimizer reads the master.

// CHECK-LABEL: func.func @init(
// CHECK-SAME: %[[M:.*]]: tensor<16x8xf32> {prec_train.path = "w", prec_train.role = #prec_train.role<parameter>})
// CHECK-SAME: -> (tensor<16x8xbf16> {prec_train.param_of = "w", prec_train.path = "w", prec_train.role = #prec_train.role<work_weight>, prec_train.slot = "bf16"})
// CHECK-NEXT: %[[B:.*]] = arith.truncf %[[M]] : tensor<16x8xf32> to tensor<16x8xbf16>
// CHECK-NEXT: return %[[B]]

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<16x8xf32>
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<16x8xf32>
// CHECK-SAME: %[[WORK:[a-z0-9]+]]: tensor<16x8xbf16> {prec_train.param_of = "w", prec_train.path = "w", prec_train.role = #prec_train.role<work_weight>, prec_train.slot = "bf16"})
// CHECK-SAME: -> (tensor<4x16xf32>,
// CHECK-SAME: tensor<16x8xf32> {prec_train.donated_to = 0 : i64, prec_train.path = "w", prec_train.role = #prec_train.role<updated>},
// CHECK-SAME: tensor<16x8xbf16> {prec_train.donated_to = 4 : i64, prec_train.param_of = "w", prec_train.path = "w", prec_train.role = #prec_train.role<updated>, prec_train.slot = "bf16"})
// CHECK: prec_train.embedding %[[WORK]],
// CHECK: prec_train.matmul %{{.*}}, %[[WORK]]
// CHECK: %[[NEW:[a-z_]+]], {{.*}} = prec_train.adamw %[[W]],
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[NEW]] {prec_train.phase = #prec_train.phase<optimizer>} : tensor<16x8xf32> to tensor<16x8xbf16>
// CHECK-NEXT: return %{{.*}}, %[[NEW]], %[[ROUNDED]]
func.func @step(%w: tensor<16x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %g: tensor<16x8xf32>, %i: tensor<4xi32>, %s: tensor<f32>)
    -> (tensor<4x16xf32>, tensor<16x8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %x = prec_train.embedding %w, %i {result_tags = [#bf16]} : (tensor<16x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %y = prec_train.matmul %x, %w {transpose_b, result_tags = [#bf16], operand_tags = [#bf16, #bf16]} : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %u:3 = prec_train.adamw %w, %g, %g, %g, %s, %s, %s, %s, %s, %s, %s {prec_train.phase = #prec_train.phase<optimizer>, operand_tags = [#f32, #bf16, #f32, #f32, unit, unit, unit, unit, unit, unit, unit]} : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>)
  return %y, %u#0 : tensor<4x16xf32>, tensor<16x8xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#e5m2 = #prec.tag<e5m2, scaling = tensor_current, accumulator = promoted, rule = "r">
#e4m3p = #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "r">

// A weight [out, in]: the forward product reads it as it is, the gradient of
// its input reads the transposed copy. One amax for both; no bf16 copy.

// CHECK-LABEL: func.func @init(
// CHECK: %[[A:.*]] = prec.amax
// CHECK: %[[S:.*]], %[[D:.*]] = prec.update_scale %[[A]] for {{ *}}e4m3
// CHECK: %[[Q:.*]] = prec.quantize %{{.*}}, %[[S]]
// CHECK: %[[T:.*]] = prec_train.transpose %[[Q]]
// CHECK-NOT: arith.truncf
// CHECK: return %[[Q]], %[[T]], %[[D]] : tensor<48x32xf8E4M3FN>, tensor<32x48xf8E4M3FN>, tensor<f32>

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<48x32xf8E4M3FN> {prec_train.param_of = "w", prec_train.path = "w", prec_train.role = #prec_train.role<work_weight>, prec_train.slot = "e4m3"}
// CHECK-SAME: %[[WT:[a-z0-9]+]]: tensor<32x48xf8E4M3FN> {prec_train.param_of = "w", prec_train.path = "w", prec_train.role = #prec_train.role<work_weight>, prec_train.slot = "e4m3_t"}
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<f32> {prec_train.param_of = "w", prec_train.path = "w", prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "e4m3_scale"}
// CHECK: prec_train.matmul %{{.*}}, %[[W]] {{.*}}transpose_b
// CHECK: prec_train.matmul %{{.*}}, %[[WT]] {{.*}}transpose_b
// CHECK: %[[NEW:.*]] = arith.subf
// CHECK: %[[A:.*]] = prec.amax %[[NEW]] {prec_train.phase = #prec_train.phase<optimizer>}
// CHECK: %[[S:.*]], %[[D:.*]] = prec.update_scale %[[A]] for {{ *}}e4m3 {prec_train.phase = #prec_train.phase<optimizer>}
// CHECK: %[[Q:.*]] = prec.quantize %[[NEW]], %[[S]] {prec_train.phase = #prec_train.phase<optimizer>}
// CHECK: %[[T:.*]] = prec_train.transpose %[[Q]] {{.*}}{prec_train.phase = #prec_train.phase<optimizer>}
// CHECK: return %{{.*}}, %{{.*}}, %[[NEW]], %[[Q]], %[[T]], %[[D]]

// Both products read the direct copy, where there is one.
// DIRECT: prec_train.matmul %{{.*}}, %[[W:[a-z0-9]+]] {operand_tags = [{{[^]]*}}], transpose_b} : {{.*}}, tensor<48x32xf8E4M3FN>)
// DIRECT-NEXT: prec_train.matmul %{{.*}}, %[[W]] {operand_tags = [{{[^]]*}}]} : {{.*}}, tensor<48x32xf8E4M3FN>)
func.func @step(%w: tensor<48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %x: tensor<16x32xf32>, %dy: tensor<16x48xf32>, %dw: tensor<48x32xf32>)
    -> (tensor<16x48xf32>, tensor<16x32xf32>, tensor<48x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#e4m3, #e4m3]} : (tensor<16x32xf32>, tensor<48x32xf32>) -> tensor<16x48xf32>
  %dx = prec_train.matmul %dy, %w {operand_tags = [#e5m2, #e4m3p]} : (tensor<16x48xf32>, tensor<48x32xf32>) -> tensor<16x32xf32>
  %new = arith.subf %w, %dw {prec_train.phase = #prec_train.phase<optimizer>} : tensor<48x32xf32>
  return %y, %dx, %new : tensor<16x48xf32>, tensor<16x32xf32>, tensor<48x32xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">

// A weight [in, out], as GPT-2 keeps it: the forward product reads the
// transposed copy, and if nothing else reads it there is no direct one.
// As the left operand the other flag decides.

// CHECK-LABEL: func.func @init(
// CHECK-SAME: -> (tensor<48x32xf8E4M3FN> {{{.*}}prec_train.slot = "e4m3_t"}, tensor<f32> {{{.*}}prec_train.slot = "e4m3_scale"})
// DIRECT: func.func @init(
// DIRECT-SAME: "e4m3_t"
// CHECK-LABEL: func.func @load.v(
// CHECK-SAME: -> (tensor<48x32xf8E4M3FN> {{{.*}}prec_train.slot = "e4m3_t"}, tensor<f32> {{{.*}}prec_train.slot = "e4m3_scale"})
// CHECK-LABEL: func.func @step(
// CHECK-NOT: frozen_parameter
// CHECK-SAME: %[[WT:[a-z0-9]+]]: tensor<48x32xf8E4M3FN> {prec_train.param_of = "w"
// CHECK-SAME: %[[VT:[a-z0-9]+]]: tensor<48x32xf8E4M3FN> {prec_train.param_of = "v"
// CHECK: prec_train.matmul %{{.*}}, %[[WT]] {{.*}}transpose_b
// CHECK: prec_train.matmul %[[VT]], %{{.*}} {operand_tags = [{{[^]]*}}], transpose_b}
// A frozen parameter has no update.
// CHECK: return %{{[0-9]+}}, %{{[0-9]+}} :
func.func @step(%w: tensor<32x48xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %v: tensor<32x48xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "v"},
                %x: tensor<16x32xf32>) -> (tensor<16x48xf32>, tensor<48x16xf32>) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {operand_tags = [#e4m3, #e4m3]} : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
  %z = prec_train.matmul %v, %x {transpose_a, transpose_b, operand_tags = [#e4m3, #e4m3]} : (tensor<32x48xf32>, tensor<16x32xf32>) -> tensor<48x16xf32>
  return %y, %z : tensor<16x48xf32>, tensor<48x16xf32>
}

// -----

#f32 = #prec.tag<f32, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">

// Norms read gamma and beta in the format they write, layout operations move
// the format they are tagged with. A bias that f32 arithmetic reads stays the master.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: tensor<8xf32> {prec_train.path = "bias"
// CHECK-SAME: %[[GAMMA:[a-z0-9]+]]: tensor<8xbf16> {prec_train.param_of = "gamma"
// CHECK-SAME: %[[BETA:[a-z0-9]+]]: tensor<8xbf16> {prec_train.param_of = "beta"
// CHECK-SAME: %[[POS:[a-z0-9]+]]: tensor<8x8xbf16> {prec_train.param_of = "pos"
// CHECK: %[[WIDE:.*]] = arith.extf %[[POS]]
// CHECK: prec_train.layer_norm %{{.*}}, %[[GAMMA]], %[[BETA]]
// CHECK: prec_train.broadcast %[[BIAS]]
// CHECK: tensor.extract_slice %[[WIDE]]
// CHECK: prec_train.layer_norm_grad %{{.*}}, %{{.*}}, %[[GAMMA]]
func.func @step(%gamma: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "gamma"},
                %beta: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "beta"},
                %bias: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "bias"},
                %pos: tensor<8x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "pos"},
                %x: tensor<4x8xf32>) -> tensor<8xf32> attributes {prec.entry = "step"} {
  %y:3 = prec_train.layer_norm %x, %gamma, %beta {eps = 1.0e-05 : f32, result_tags = [#bf16, #f32, #f32]} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  %b = prec_train.broadcast %bias dims [1] {result_tags = [#f32]} : (tensor<8xf32>) -> tensor<4x8xf32>
  %p = tensor.extract_slice %pos[0, 0] [4, 8] [1, 1] {prec.result_tags = [#bf16]} : tensor<8x8xf32> to tensor<4x8xf32>
  %z = arith.addf %b, %p {prec.result_tags = [#bf16]} : tensor<4x8xf32>
  %d:3 = prec_train.layer_norm_grad %z, %y#0, %gamma, %y#1, %y#2 {result_tags = [#bf16, #bf16, #bf16]} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %d#1 : tensor<8xf32>
}

// -----

#f32 = #prec.tag<f32, rule = "r">

// Nothing to split: no @init, nothing changed.

// CHECK: module {
// CHECK-NOT: @init
// CHECK: func.func @step(%{{.*}}: tensor<16x8xf32> {prec_train.path = "w", prec_train.role = #prec_train.role<parameter>}, %{{.*}}: tensor<4x8xf32>) -> tensor<4x16xf32> attributes {prec.entry = "step"} {
func.func @step(%w: tensor<16x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %x: tensor<4x8xf32>) -> tensor<4x16xf32> attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b, result_tags = [#f32], operand_tags = [#f32, #f32]} : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#late = #prec.tag<e4m3, scaling = tensor_delayed, accumulator = fast, rule = "r">
#latep = #prec.tag<e4m3, scaling = tensor_delayed, accumulator = promoted, rule = "r">

// The scale of a copy is that of earlier steps, so a saved state is asked for
// it: @restore.

// CHECK-LABEL: func.func @init(
// CHECK: %[[A:.*]] = prec.amax %[[M:.*]] :
// CHECK: %[[S:.*]], %[[D:.*]] = prec.delayed_scale %[[A]] of "w/e4m3" for {{ *}}e4m3
// CHECK: %[[Q:.*]] = prec.quantize %[[M]], %[[S]]
// CHECK: return %[[Q]], %{{.*}}, %[[D]], %[[S]]

// CHECK-LABEL: func.func @restore(
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<48x32xf32> {prec_train.path = "w", prec_train.role = #prec_train.role<parameter>},
// CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<f32> {prec_train.param_of = "w", prec_train.path = "w", prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "e4m3_quantization"})
// CHECK-SAME: -> (tensor<48x32xf8E4M3FN> {{{.*}}prec_train.slot = "e4m3"}, tensor<32x48xf8E4M3FN> {{{.*}}prec_train.slot = "e4m3_t"})
// CHECK-NEXT: %[[Q:.*]] = prec.quantize %[[M]], %[[S]]
// CHECK-NEXT: %[[T:.*]] = prec_train.transpose %[[Q]]
// CHECK-NEXT: return %[[Q]], %[[T]]

// CHECK-LABEL: func.func @step(
// CHECK: %[[A:.*]] = prec.amax %[[NEW:[a-z0-9_]+]] {prec_train.phase = #prec_train.phase<optimizer>}
// CHECK: %[[S:.*]], %[[D:.*]] = prec.delayed_scale %[[A]] of "w/e4m3" for {{ *}}e4m3 {prec_train.phase = #prec_train.phase<optimizer>}
// CHECK: prec.quantize %[[NEW]], %[[S]]
// CHECK: return {{.*}}%[[D]], %[[S]]
func.func @step(%w: tensor<48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %x: tensor<16x32xf32>, %g: tensor<16x48xf32>)
    -> (tensor<16x48xf32>, tensor<16x32xf32>, tensor<48x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b, result_tags = [#bf16], operand_tags = [#late, #late]} : (tensor<16x32xf32>, tensor<48x32xf32>) -> tensor<16x48xf32>
  %dx = prec_train.matmul %g, %w {result_tags = [#bf16], operand_tags = [#latep, #latep], prec_train.phase = #prec_train.phase<backward>} : (tensor<16x48xf32>, tensor<48x32xf32>) -> tensor<16x32xf32>
  %u = arith.addf %w, %w {prec_train.phase = #prec_train.phase<optimizer>} : tensor<48x32xf32>
  return %y, %dx, %u : tensor<16x48xf32>, tensor<16x32xf32>, tensor<48x32xf32>
}

// -----

#row = #prec.tag<e4m3, scaling = row, accumulator = fast, rule = "r">

// A weight scaled by row: the transposed copy is a quantization of its own.

// CHECK-LABEL: func.func @load.w(
// CHECK-SAME: %[[M:.*]]: tensor<48x32xf32> {prec_train.path = "w", prec_train.role = #prec_train.role<staged_parameter>}
// CHECK-SAME: prec_train.slot = "e4m3"}, tensor<32x48xf8E4M3FN> {{{[^}]*}}prec_train.slot = "e4m3_t"}, tensor<48xf32> {{{[^}]*}}prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "e4m3_scale"}, tensor<32xf32> {{{[^}]*}}prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "e4m3_t_scale"})
// CHECK-NEXT: %[[A:.*]] = prec.amax %[[M]] : tensor<48x32xf32> by row tensor<48xf32>
// CHECK-NEXT: %[[S:.*]], %[[D:.*]] = prec.update_scale %[[A]] for {{ *}}e4m3 by row tensor<48xf32>
// CHECK-NEXT: %[[Q:.*]] = prec.quantize %[[M]], %[[S]]
// CHECK-NEXT: %[[T:.*]] = prec_train.transpose %[[M]] permutation [1, 0] : (tensor<48x32xf32>) -> tensor<32x48xf32>
// CHECK-NEXT: %[[TA:.*]] = prec.amax %[[T]] : tensor<32x48xf32> by row tensor<32xf32>
// CHECK-NEXT: %[[TS:.*]], %[[TD:.*]] = prec.update_scale %[[TA]] for {{ *}}e4m3 by row tensor<32xf32>
// CHECK-NEXT: %[[TQ:.*]] = prec.quantize %[[T]], %[[TS]]
// CHECK-NEXT: return %[[Q]], %[[TQ]], %[[D]], %[[TD]]
// CHECK-NOT: @restore

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<48x32xf8E4M3FN> {{{[^}]*}}prec_train.slot = "e4m3"}
// CHECK-SAME: %[[WT:[a-z0-9]+]]: tensor<32x48xf8E4M3FN> {{{[^}]*}}prec_train.slot = "e4m3_t"}
// CHECK-SAME: tensor<48xf32> {{{[^}]*}}prec_train.slot = "e4m3_scale"}
// CHECK-SAME: tensor<32xf32> {{{[^}]*}}prec_train.slot = "e4m3_t_scale"}
// CHECK: prec_train.matmul %{{.*}}, %[[W]]
// CHECK: prec_train.matmul %{{.*}}, %[[WT]]
func.func @step(%w: tensor<48x32xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "w"}, %x: tensor<16x32xf32>, %g: tensor<16x48xf32>) -> (tensor<16x48xf32>, tensor<16x32xf32>) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#row, #row]} : (tensor<16x32xf32>, tensor<48x32xf32>) -> tensor<16x48xf32>
  %dx = prec_train.matmul %g, %w {operand_tags = [#row, #row]} : (tensor<16x48xf32>, tensor<48x32xf32>) -> tensor<16x32xf32>
  return %y, %dx : tensor<16x48xf32>, tensor<16x32xf32>
}

// -----

#x = #prec.tag<e4m3, scaling = block_1x128, accumulator = promoted, rule = "r">
#w = #prec.tag<e4m3, scaling = block_128x128, accumulator = promoted, rule = "r">

// Only the layout that is read, with its own scales.

// CHECK-LABEL: func.func @load.w(
// CHECK-SAME: -> (tensor<320x160xf8E4M3FN> {{{[^}]*}}prec_train.slot = "e4m3_t"}, tensor<3x1x4xf32> {{{[^}]*}}prec_train.slot = "e4m3_t_scale"})
// CHECK: prec.amax %{{.*}} : tensor<320x160xf32> by block_128x128 tensor<3x2xf32>
func.func @step(%w: tensor<160x320xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "w"}, %g: tensor<16x160xf32>) -> tensor<16x320xf32> attributes {prec.entry = "step"} {
  %dx = prec_train.matmul %g, %w {operand_tags = [#x, #w]} : (tensor<16x160xf32>, tensor<160x320xf32>) -> tensor<16x320xf32>
  return %dx : tensor<16x320xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#f32 = #prec.tag<f32, rule = "r">

// A frozen parameter that everything reads in bf16 is kept in it; one that
// something else reads in f32 has a master and a copy.

// CHECK-LABEL: func.func @init(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<32x48xf32> {prec_train.path = "both"
// CHECK-NOT: prec_train.path = "w"
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<32x48xbf16> {prec_train.path = "w", prec_train.role = #prec_train.role<frozen_parameter>}
// CHECK-SAME: %[[POS:[a-z0-9]+]]: tensor<16x32xbf16> {prec_train.path = "pos", prec_train.role = #prec_train.role<frozen_parameter>}
// CHECK-SAME: %[[BOTH:[a-z0-9]+]]: tensor<32x48xf32> {prec_train.path = "both"
// CHECK-SAME: %[[COPY:[a-z0-9]+]]: tensor<32x48xbf16> {prec_train.param_of = "both"
// CHECK: %[[WIDE:.*]] = arith.extf %[[POS]] : tensor<16x32xbf16> to tensor<16x32xf32>
// CHECK: tensor.extract_slice %[[WIDE]]
// CHECK: prec_train.matmul %{{.*}}, %[[W]]
// CHECK: prec_train.matmul %{{.*}}, %[[COPY]]
// CHECK: arith.negf %[[BOTH]]
func.func @step(%w: tensor<32x48xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "w"},
                %pos: tensor<16x32xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "pos"},
                %both: tensor<32x48xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "both"})
                -> (tensor<8x48xf32>, tensor<8x48xf32>, tensor<32x48xf32>) attributes {prec.entry = "step"} {
  %p = tensor.extract_slice %pos[0, 0] [8, 32] [1, 1] {prec.result_tags = [#bf16]} : tensor<16x32xf32> to tensor<8x32xf32>
  %y = prec_train.matmul %p, %w {operand_tags = [#bf16, #bf16]} : (tensor<8x32xf32>, tensor<32x48xf32>) -> tensor<8x48xf32>
  %z = prec_train.matmul %p, %both {operand_tags = [#bf16, #bf16]} : (tensor<8x32xf32>, tensor<32x48xf32>) -> tensor<8x48xf32>
  %n = arith.negf %both {prec.result_tags = [#f32]} : tensor<32x48xf32>
  return %y, %z, %n : tensor<8x48xf32>, tensor<8x48xf32>, tensor<32x48xf32>
}
