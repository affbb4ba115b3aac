// RUN: prec-opt %s --prec-split-weights --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-split-weights=keep-frozen --split-input-file | FileCheck %s --check-prefix=KEPT

#e4m3 = #prec.tag<e4m3, scaling = tensor_delayed, accumulator = full, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">

// A frozen weight of which only copies are read is no argument of the step;
// results are donated to the arguments that are left. Nothing updates a scale
// of its amaxes: the first one is the only one.

// CHECK: func.func @init(%{{[a-z0-9]+}}: tensor<32x48xf32> {prec_train.path = "t", prec_train.role = #prec_train.role<parameter>})
// CHECK-LABEL: func.func @load.w(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<32x48xf32> {prec_train.aliases = ["tied"], prec_train.path = "w", prec_train.role = #prec_train.role<staged_parameter>, prec_train.source_dtype = "bf16"})
// CHECK-SAME: -> (tensor<32x48xbf16> {prec_train.param_of = "w", prec_train.path = "w", prec_train.role = #prec_train.role<work_weight>, prec_train.slot = "bf16"}, tensor<48x32xf8E4M3FN> {{{.*}}prec_train.slot = "e4m3_t"}, tensor<f32> {{{.*}}prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "e4m3_scale"})
// CHECK: prec.update_scale
// CHECK-NOT: prec.delayed_scale
// CHECK-NOT: @restore
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<32x48xf32> {prec_train.path = "t"
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<16x32xf32>,
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<32x48xbf16> {prec_train.param_of = "w"
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<48x32xf8E4M3FN> {prec_train.param_of = "w"
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<f32> {prec_train.param_of = "w"
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<32x48xbf16> {prec_train.param_of = "t"
// CHECK-SAME: -> (tensor<16x48xf32>, tensor<32x48xf32>, tensor<32x48xf32> {prec_train.donated_to = 0 : i64, {{[^}]*}}}, tensor<32x48xbf16> {prec_train.donated_to = 5 : i64,

// Beside its copies it is an argument as before, and may have a history.
// KEPT-NOT: staged_parameter
// KEPT: func.func @init(%{{[a-z0-9]+}}: tensor<32x48xf32> {prec_train.path = "w", prec_train.role = #prec_train.role<frozen_parameter>}, %{{[a-z0-9]+}}: tensor<32x48xf32> {prec_train.path = "t"
// KEPT: prec.delayed_scale
// KEPT-LABEL: func.func @restore(
// KEPT-LABEL: func.func @step(%{{[a-z0-9]+}}: tensor<32x48xf32> {prec_train.aliases = ["tied"]
func.func @step(%w: tensor<32x48xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "w", prec_train.aliases = ["tied"], prec_train.source_dtype = "bf16"},
                %t: tensor<32x48xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "t"},
                %x: tensor<16x32xf32>)
    -> (tensor<16x48xf32>, tensor<32x48xf32>, tensor<32x48xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "t", prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {operand_tags = [#e4m3, #e4m3]} : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
  %z = prec_train.matmul %x, %w {operand_tags = [#bf16, #bf16]} : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
  %u = prec_train.matmul %x, %t {operand_tags = [#bf16, #bf16]} : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
  %s = arith.addf %y, %z : tensor<16x48xf32>
  %v = arith.addf %s, %u : tensor<16x48xf32>
  %g = prec_train.matmul %x, %v {transpose_a} : (tensor<16x32xf32>, tensor<16x48xf32>) -> tensor<32x48xf32>
  %n = arith.subf %t, %g {prec_train.phase = #prec_train.phase<optimizer>} : tensor<32x48xf32>
  return %v, %g, %n : tensor<16x48xf32>, tensor<32x48xf32>, tensor<32x48xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = full, rule = "r">
#f32 = #prec.tag<f32, rule = "r">

// One that something reads as it is stays, and so does what is narrower than
// f32, if something reads that; widened for its copies alone, it does not.

// CHECK: func.func @init(%{{[a-z0-9]+}}: tensor<32x48xf32> {prec_train.path = "w", prec_train.role = #prec_train.role<frozen_parameter>})
// CHECK-LABEL: func.func @load.narrow(
// CHECK-SAME: %[[N:[a-z0-9]+]]: tensor<32x48xbf16> {prec_train.path = "narrow", prec_train.role = #prec_train.role<staged_parameter>})
// CHECK: %[[WIDE:.*]] = arith.extf %[[N]]
// CHECK: prec.amax %[[WIDE]]
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<32x48xf32> {prec_train.path = "w"
// CHECK-NOT: tensor<32x48xbf16>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<16x32xf32>,
func.func @step(%w: tensor<32x48xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "w"},
                %narrow: tensor<32x48xbf16> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "narrow"},
                %x: tensor<16x32xf32>) -> (tensor<16x48xf32>, tensor<32x48xf32>) attributes {prec.entry = "step"} {
  %wide = arith.extf %narrow : tensor<32x48xbf16> to tensor<32x48xf32>
  %y = prec_train.matmul %x, %w {operand_tags = [#e4m3, #e4m3]} : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
  %z = prec_train.matmul %x, %wide {operand_tags = [#e4m3, #e4m3]} : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
  %s = arith.addf %y, %z : tensor<16x48xf32>
  %n = arith.negf %w {prec.result_tags = [#f32]} : tensor<32x48xf32>
  return %s, %n : tensor<16x48xf32>, tensor<32x48xf32>
}

// -----

// FP4 needs its scales as FP8 does.

#e2m1 = #prec.tag<e2m1, scaling = nvfp4_1x16, accumulator = full, rule = "r">

// CHECK-LABEL: func.func @load.w(
// CHECK-SAME: prec_train.role = #prec_train.role<staged_parameter>
// CHECK-SAME: tensor<32x64xf4E2M1FN> {{{.*}}prec_train.slot = "e2m1"}
// CHECK-SAME: {{{.*}}prec_train.slot = "e2m1_scale"}, tensor<f32> {{{.*}}prec_train.slot = "e2m1_tensor_scale"}
// CHECK-LABEL: func.func @step(
// CHECK-NOT: frozen_parameter
// KEPT-LABEL: func.func @step(
// KEPT-SAME: prec_train.role = #prec_train.role<frozen_parameter>
func.func @step(%w: tensor<32x64xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "w"}, %x: tensor<16x64xf32>) -> tensor<16x32xf32> attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#e2m1, #e2m1]} : (tensor<16x64xf32>, tensor<32x64xf32>) -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}
