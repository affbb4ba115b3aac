// RUN: prec-opt %s --prec-split-accumulation --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-split-accumulation --split-input-file | FileCheck %s --check-prefix=NONE

// A micro-batch reads the work weight and changes no state but sums and count; the
// update reads means, and of the batch nothing.

// NONE-LABEL: func.func @accumulate(
// NONE-NOT: prec_train.role = #prec_train.role<{{parameter|optimizer_state|hyper}}>
// NONE-NOT: {{prec_train.adamw|prec_train.clip|finite_guard}}
// NONE-LABEL: func.func @apply(
// NONE-NOT: prec_train.role = #prec_train.role<batch>
// NONE-NOT: prec_train.matmul
// NONE: return

// CHECK-LABEL: func.func @init() -> (tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "micro_batches"})
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: return %[[ZERO]]
// CHECK-LABEL: func.func @step(
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<8x4xbf16> {prec_train.param_of = "w"
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x8xbf16> {prec_train.path = "x"
// CHECK-SAME: %[[COUNT:[a-z0-9]+]]: tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "micro_batches"}
// CHECK-SAME: %[[DW:[a-z0-9]+]]: tensor<8x4xf32> {prec_train.path = "accumulated", prec_train.slot = "0"}
// CHECK-SAME: %[[LOSSES:[a-z0-9]+]]: tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "1"}
// CHECK-SAME: -> (tensor<f32> {prec_train.path = "loss", prec_train.role = #prec_train.role<loss>}
// CHECK-SAME: tensor<8x4xf32> {prec_train.donated_to = 3 : i64
// CHECK-SAME: tensor<f32> {prec_train.donated_to = 4 : i64
// CHECK-SAME: tensor<f32> {prec_train.donated_to = 2 : i64
// CHECK: %[[G:.*]] = prec_train.matmul %[[X]], %[[C]]
// CHECK: %[[LOSS:.*]] = prec_train.reduce sum
// CHECK: %[[FIRST:.*]] = arith.cmpf oeq, %[[COUNT]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[G]] : tensor<8x4xbf16> to tensor<8x4xf32>
// CHECK: %[[MORE:.*]] = arith.addf %[[DW]], %[[WIDE]]
// CHECK: %[[ALL:.*]] = prec_train.broadcast %[[FIRST]]
// CHECK: %[[NEXT:.*]] = arith.select %[[ALL]], %[[WIDE]], %[[MORE]]
// CHECK: %[[SUM:.*]] = arith.addf %[[LOSSES]], %[[LOSS]]
// CHECK: %[[NEXTLOSS:.*]] = arith.select %[[FIRST]], %[[LOSS]], %[[SUM]]
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00>
// CHECK: %[[COUNTED:.*]] = arith.addf %[[COUNT]], %[[ONE]]
// CHECK: return %[[LOSS]], %[[NEXT]], %[[NEXTLOSS]], %[[COUNTED]]
// CHECK-LABEL: func.func @apply(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<8x4xf32> {prec_train.path = "w", prec_train.role = #prec_train.role<parameter>}
// CHECK-SAME: %[[COUNT:[a-z0-9]+]]: tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "micro_batches"}
// CHECK-SAME: %[[DW:[a-z0-9]+]]: tensor<8x4xf32> {prec_train.path = "accumulated", prec_train.slot = "0"}
// CHECK-SAME: %[[LOSSES:[a-z0-9]+]]: tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "1"}
// CHECK-SAME: tensor<f32> {prec_train.donated_to = {{[0-9]+}} : i64, prec_train.path = "accumulated", prec_train.role = #prec_train.role<updated>, prec_train.slot = "micro_batches"}
// CHECK-DAG: %[[MEAN:.*]] = arith.divf %[[DW]], %
// CHECK-DAG: %[[LOSS:.*]] = arith.divf %[[LOSSES]], %[[COUNT]]
// CHECK: %[[NORM:.*]] = prec_train.global_norm %[[MEAN]]
// CHECK: %[[CLIP:.*]] = prec_train.clip %[[NORM]]
// CHECK: %[[OK:.*]], %{{.*}} = prec.finite_guard %[[LOSS]], %[[MEAN]] of ["loss", "gradient of w"]
// CHECK: %[[P:.*]], %[[A:.*]], %[[B:.*]] = prec_train.adamw %[[W]], %[[MEAN]], {{.*}} %[[CLIP]], %[[OK]]
// CHECK: %[[COPY:.*]] = arith.truncf %[[P]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: return %[[LOSS]], %[[NORM]], %[[P]], %[[A]], %[[B]], %[[COPY]], %[[ZERO]]
func.func @step(
    %w: tensor<8x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %m: tensor<8x4xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg", prec_train.param_of = "w", prec_train.slot = "exp_avg"},
    %v: tensor<8x4xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg_sq", prec_train.param_of = "w", prec_train.slot = "exp_avg_sq"},
    %c: tensor<8x4xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "bf16"},
    %x: tensor<8x8xbf16> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
    %h: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"}
) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
      tensor<f32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "grad_norm"},
      tensor<8x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64},
      tensor<8x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w.exp_avg", prec_train.donated_to = 1 : i64},
      tensor<8x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w.exp_avg_sq", prec_train.donated_to = 2 : i64},
      tensor<8x4xbf16> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "bf16", prec_train.donated_to = 3 : i64}) attributes {prec.entry = "step"} {
  %g = prec_train.matmul %x, %c {prec_train.phase = #prec_train.phase<backward>} : (tensor<8x8xbf16>, tensor<8x4xbf16>) -> tensor<8x4xbf16>
  %wide = arith.extf %g {prec_train.phase = #prec_train.phase<backward>} : tensor<8x4xbf16> to tensor<8x4xf32>
  %loss = prec_train.reduce sum %wide dims [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  %n = prec_train.global_norm %g {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<8x4xbf16>) -> tensor<f32>
  %s = prec_train.clip %n, %h {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %ok, %first = prec.finite_guard %loss, %wide of ["loss", "gradient of w"] {prec_train.phase = #prec_train.phase<optimizer>} : tensor<f32>, tensor<8x4xf32>
  %p:3 = prec_train.adamw %w, %g, %m, %v, %h, %h, %h, %h, %h, %h, %s, %ok {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<8x4xf32>, tensor<8x4xbf16>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
  %t = arith.truncf %p#0 {prec_train.phase = #prec_train.phase<optimizer>} : tensor<8x4xf32> to tensor<8x4xbf16>
  return %loss, %n, %p#0, %p#1, %p#2, %t : tensor<f32>, tensor<f32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xbf16>
}

// -----

// Of the amaxes that a history records, those of the batch have a maximum; that
// of the updated weight is the update's own.

// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32> {prec_train.path = "x"
// CHECK-SAME: %[[COUNT:[a-z0-9]+]]: tensor<f32>
// CHECK-SAME: %[[LARGEST:[a-z0-9]+]]: tensor<1x1xf32> {prec_train.path = "accumulated", prec_train.slot = "amax.0"}
// CHECK: %[[AMAX:.*]] = prec.amax %[[X]]
// CHECK: %[[NOW:.*]], %{{.*}} = prec.record_amax %[[LARGEST]], %[[AMAX]] : tensor<1x1xf32>
// CHECK: %[[LARGER:.*]] = arith.maximumf %[[LARGEST]], %[[NOW]]
// CHECK: %[[NEXT:.*]] = arith.select %{{.*}}, %[[NOW]], %[[LARGER]]
// CHECK: return %[[NEXT]], %
// CHECK-LABEL: func.func @apply(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {prec_train.path = "w"
// CHECK-SAME: %[[HISTORY:[a-z0-9]+]]: tensor<2x3xf32> {prec_train.path = "amax_history"
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %{{.*}}[0, 0] [1, 1] [1, 1] : tensor<1x1xf32>
// CHECK: %[[LARGEST:.*]] = tensor.collapse_shape %[[SLICE]]
// CHECK: %[[OWN:.*]] = prec.amax %[[W]]
// CHECK: prec.record_amax %[[HISTORY]], %[[OWN]], %[[LARGEST]] {
func.func @step(
    %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %h: tensor<2x3xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.path = "amax_history", prec_train.slot = "e4m3.0"},
    %x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}
) -> (tensor<2x3xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "amax_history", prec_train.slot = "e4m3.0", prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %a = prec.amax %x : tensor<4xf32>
  %b = prec.amax %w {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4xf32>
  %r, %recent = prec.record_amax %h, %b, %a {prec_train.phase = #prec_train.phase<optimizer>} : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// Each micro-batch rounds at random by bits of its own, the first by those of a
// step; the seed of a dropout counts micro-batches by itself.

// CHECK-LABEL: func.func @step(
// CHECK: %[[SEED:.*]] = arith.fptosi %
// CHECK: prec_train.dropout %{{.*}}, %[[SEED]]
// CHECK: prec.quantize %{{.*}} seed %[[SEED]] stream 3
// CHECK: prec.quantize %{{.*}} seed %[[SEED]] stream 4
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[COUNT:[a-z0-9]+]]: tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "micro_batches"}
// CHECK: %[[SEED:.*]] = arith.fptosi %
// CHECK: %[[STRIDE:.*]] = arith.constant dense<1048576> : tensor<i32>
// CHECK: %[[NUMBER:.*]] = arith.fptosi %[[COUNT]] : tensor<f32> to tensor<i32>
// CHECK: %[[OFFSET:.*]] = arith.muli %[[NUMBER]], %[[STRIDE]]
// CHECK: %[[OWN:.*]] = arith.addi %[[SEED]], %[[OFFSET]]
// CHECK-NOT: arith.muli
// CHECK: prec_train.dropout %{{.*}}, %[[SEED]]
// CHECK: prec.quantize %{{.*}} seed %[[OWN]] stream 3
// CHECK: prec.quantize %{{.*}} seed %[[OWN]] stream 4
func.func @step(
    %w: tensor<16x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %x: tensor<16x32xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
    %s: tensor<16x2xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "s"},
    %n: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "step"}
) -> (tensor<16x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %seed = arith.fptosi %n : tensor<f32> to tensor<i32>
  %y = prec_train.dropout %x, %seed {probability = 1.0e-01 : f32, stream = 16777216 : i32} : (tensor<16x32xf32>, tensor<i32>) -> tensor<16x32xf32>
  %p = prec.quantize %y, %s seed %seed stream 3 : tensor<16x32xf32> to tensor<16x32xf4E2M1FN> by nvfp4_1x16 tensor<16x2xf32>
  %q = prec.quantize %y, %s seed %seed stream 4 : tensor<16x32xf32> to tensor<16x32xf4E2M1FN> by nvfp4_1x16 tensor<16x2xf32>
  %a = arith.extf %p : tensor<16x32xf4E2M1FN> to tensor<16x32xf32>
  %b = arith.extf %q : tensor<16x32xf4E2M1FN> to tensor<16x32xf32>
  %g = arith.addf %a, %b : tensor<16x32xf32>
  %u = arith.subf %w, %g {prec_train.phase = #prec_train.phase<optimizer>} : tensor<16x32xf32>
  return %u : tensor<16x32xf32>
}
