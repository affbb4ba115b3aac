// RUN: prec-opt %s --prec-guard-updates --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-guard-updates=enabled=false --split-input-file | FileCheck %s --check-prefix=OFF

// Master and moments keep their old values in a bad step; the work weight is made
// from the master that it is then. Bias correction counts good steps only.

// CHECK-LABEL: func.func @init()
// CHECK-SAME: -> (tensor<f32> {prec_train.path = "skipped_steps", prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "skipped_steps"})
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<8x4xf32> {prec_train.path = "w"
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<8x4xf32> {prec_train.param_of
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<8x4xf32>
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<8x4xbf16>
// CHECK-SAME: %[[STEP:[a-z0-9]+]]: tensor<f32> {prec_train.path = "step"
// CHECK-SAME: %[[SKIPPED:[a-z0-9]+]]: tensor<f32> {prec_train.path = "skipped_steps"
// CHECK-SAME: tensor<f32> {prec_train.donated_to = 9 : i64, prec_train.path = "skipped_steps"
// CHECK-SAME: tensor<f32> {prec_train.path = "first_not_finite", prec_train.role = #prec_train.role<guard>, prec_train.tensors = ["loss", "gradient of w"]}
// CHECK: %[[OK:.*]], %[[FIRST:.*]] = prec.finite_guard %[[LOSS:.*]], %[[G:.*]] of ["loss", "gradient of w"]
// CHECK: %[[MORE:.*]] = arith.addf %[[SKIPPED]], %{{.*}} : tensor<f32>
// CHECK: %[[NEXT:.*]] = arith.select %[[OK]], %[[SKIPPED]], %[[MORE]]
// CHECK: %[[COUNT:.*]] = arith.subf %[[STEP]], %[[SKIPPED]]
// CHECK: %[[P:.*]], %[[A:.*]], %[[B:.*]] = prec_train.adamw %[[W]], %[[G]], %[[M]], %[[V]], {{.*}}, %[[COUNT]], %{{[a-z0-9]+}}, %[[OK]] {
// CHECK-NOT: arith.select
// CHECK: %[[COPY:.*]] = arith.truncf %[[P]]
// CHECK: return %[[LOSS]], %[[P]], %[[A]], %[[B]], %[[COPY]], %[[NEXT]], %[[FIRST]]

// OFF-NOT: finite_guard
// OFF-NOT: skipped_steps
func.func @step(
    %w: tensor<8x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %m: tensor<8x4xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg", prec_train.param_of = "w", prec_train.slot = "exp_avg"},
    %v: tensor<8x4xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg_sq", prec_train.param_of = "w", prec_train.slot = "exp_avg_sq"},
    %c: tensor<8x4xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "bf16"},
    %x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
    %h: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"},
    %t: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "step"},
    %u: tensor<f32>, %o: tensor<f32>
) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
      tensor<8x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64},
      tensor<8x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w.exp_avg", prec_train.donated_to = 1 : i64},
      tensor<8x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w.exp_avg_sq", prec_train.donated_to = 2 : i64},
      tensor<8x4xbf16> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "bf16", prec_train.donated_to = 3 : i64}) attributes {prec.entry = "step"} {
  %wide = arith.extf %c : tensor<8x4xbf16> to tensor<8x4xf32>
  %g = arith.mulf %x, %wide : tensor<8x4xf32>
  %r = prec_train.reduce sum %g dims [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  %p:3 = prec_train.adamw %w, %g, %m, %v, %h, %h, %h, %h, %h, %t, %u {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
  %n = arith.truncf %p#0 {prec_train.phase = #prec_train.phase<optimizer>} : tensor<8x4xf32> to tensor<8x4xbf16>
  return %r, %p#0, %p#1, %p#2, %n : tensor<f32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xbf16>
}

// -----

// What AdamW does not compute is kept by a selection.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[OK:.*]], %{{.*}} = prec.finite_guard %[[M]], %[[N:.*]] of ["gradient of w", "w.exp_avg"]
// CHECK: %[[NEW:.*]] = arith.select %{{.*}}, %[[N]], %[[M]]
// CHECK: %[[P:.*]], %{{.*}}, %{{.*}} = prec_train.adamw {{.*}}, %[[OK]] :
// CHECK: return %[[P]], %[[NEW]]
func.func @step(
    %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %m: tensor<4xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg"},
    %h: tensor<f32>
) -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64},
      tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %n = arith.negf %m : tensor<4xf32>
  %p:3 = prec_train.adamw %w, %m, %w, %w, %h, %h, %h, %h, %h, %h, %h : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %p#0, %n : tensor<4xf32>, tensor<4xf32>
}

// -----

// Of an update of another kind the new values are guarded, as they are before
// the guard. Amax histories and scales of earlier amaxes are kept; the copy that
// they scale follows.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<f32>
// CHECK-SAME: %[[H:[a-z0-9]+]]: tensor<1x4xf32>
// CHECK-SAME: prec_train.tensors = ["w.momentum", "w"]
// CHECK: %[[M1:.*]] = arith.addf %[[M]], %{{.*}}
// CHECK: %[[W1:.*]] = arith.subf %[[W]], %[[M1]]
// CHECK: %[[S:.*]], %{{.*}} = prec.history_scale %[[H]]
// CHECK: %[[SS:.*]] = tensor.collapse_shape %[[S]]
// CHECK: %[[OK:.*]], %{{.*}} = prec.finite_guard %[[M1]], %[[W1]] of ["w.momentum", "w"]
// CHECK: %[[NW:.*]] = arith.select %{{.*}}, %[[W1]], %[[W]]
// CHECK: %[[NM:.*]] = arith.select %{{.*}}, %[[M1]], %[[M]]
// CHECK: %[[NS:.*]] = arith.select %[[OK]], %[[SS]], %[[Q]]
// CHECK: %[[AMAX:.*]] = prec.amax %[[NW]]
// CHECK: %[[QUANTIZED:.*]] = prec.quantize %[[NW]], %[[NS]]
// CHECK: %[[RECORD:.*]], %{{.*}} = prec.record_amax %[[H]], %[[AMAX]]
// CHECK: %[[NH:.*]] = arith.select %{{.*}}, %[[RECORD]], %[[H]]
// CHECK: return %[[NW]], %[[NM]], %[[QUANTIZED]], %[[NS]], %[[NH]]
func.func @step(
    %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %m: tensor<4xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.momentum", prec_train.param_of = "w", prec_train.slot = "momentum"},
    %c: tensor<4xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "e4m3"},
    %q: tensor<f32> {prec_train.role = #prec_train.role<scale_state>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "e4m3_quantization"},
    %h: tensor<1x4xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.path = "amax_history", prec_train.slot = "e4m3.0"},
    %g: tensor<4xf32>
) -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64},
      tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64},
      tensor<4xf8E4M3FN> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 2 : i64},
      tensor<f32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 3 : i64},
      tensor<1x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 4 : i64}) attributes {prec.entry = "step"} {
  %m1 = arith.addf %m, %g : tensor<4xf32>
  %w1 = arith.subf %w, %m1 : tensor<4xf32>
  %s, %d = prec.history_scale %h <max> for e4m3 : tensor<1x4xf32> to tensor<1xf32>
  %ss = tensor.collapse_shape %s [] : tensor<1xf32> into tensor<f32>
  %a = prec.amax %w1 : tensor<4xf32>
  %c1 = prec.quantize %w1, %ss : tensor<4xf32> to tensor<4xf8E4M3FN>
  %h1, %recent = prec.record_amax %h, %a : tensor<1x4xf32>
  return %w1, %m1, %c1, %ss, %h1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf8E4M3FN>, tensor<f32>, tensor<1x4xf32>
}

// -----

// A step that updates nothing is left alone.

// CHECK-LABEL: func.func @step(%{{.*}}: tensor<4xf32>)
// CHECK-NEXT: return
func.func @step(%x: tensor<4xf32>) attributes {prec.entry = "step"} {
  return
}
