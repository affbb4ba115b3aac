// RUN: prec-opt %s --prec-partition-step=mesh=dp=2 --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-partition-step=mesh=dp=2 --split-input-file 2>&1 | FileCheck %s --check-prefix=HELD

// Half of everything, but for what is whole; of gradients and copies the other rank's half.
// HELD: remark: each of 2 ranks holds 192 B of 384 B of parameters and their optimizer states, 1 of 1 parameters in shards; in a step it gets of the others: all_to_all of bf16 32 B (1), all_gather of f32 20 B (2), all_gather of bf16 32 B (1)
// HELD: remark: each of 2 ranks holds 60 B of 60 B of parameters and their optimizer states, 0 of 1 parameters in shards, whole odd (3 slices at most)

// Gradients are sent as they are, and added up in f32 in the order of ranks; the optimizer has shards; the norm is of rows of
// all ranks; the work weight is gathered behind its cast.
// CHECK: module attributes {{.*}}prec_train.mesh = {dp = 2 : i64}
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x4xf32> {prec_train.path = "w", prec_train.placement = "a shard of what the optimizer updates", prec_train.role = #prec_train.role<parameter>, prec_train.shard = "dp", prec_train.shard_dim = 0 : i64}
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<4x4xf32> {prec_train.param_of = "w", {{.*}}prec_train.shard = "dp"
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<8x4xbf16>
// CHECK: %[[G:.*]] = prec_train.matmul
// CHECK: %[[SLICES:.*]] = tensor.expand_shape %[[G]] {{\[}}[0, 1], [2]] output_shape [2, 4, 4]
// CHECK: %[[ALL:.*]] = prec_train.exchange all_to_all %[[SLICES]] over "dp" {{.*}}: (tensor<2x4x4xbf16>) -> tensor<2x4x4xbf16>
// CHECK: %[[S0:.*]] = tensor.extract_slice %[[ALL]][0, 0, 0] [1, 4, 4]
// CHECK: %[[C0:.*]] = tensor.collapse_shape %[[S0]]
// CHECK: %[[P0:.*]] = arith.extf %[[C0]]
// CHECK: %[[S1:.*]] = tensor.extract_slice %[[ALL]][1, 0, 0] [1, 4, 4]
// CHECK: %[[C1:.*]] = tensor.collapse_shape %[[S1]]
// CHECK: %[[P1:.*]] = arith.extf %[[C1]]
// CHECK: %[[SUM:.*]] = arith.addf %[[P0]], %[[P1]]
// CHECK: %[[MEAN:.*]] = arith.divf %[[SUM]], %{{.*}} : tensor<4x4xf32>
// CHECK: %[[SQUARES:.*]] = arith.mulf %[[MEAN]], %[[MEAN]]
// CHECK: %[[ROWS:.*]] = prec_train.reduce sum %[[SQUARES]] dims [1]
// CHECK: %[[GATHERED:.*]] = prec_train.exchange all_gather %[[ROWS]] over "dp"
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[GATHERED]]
// CHECK: %[[TOTAL:.*]] = prec_train.reduce sum %[[FLAT]] dims [0]
// CHECK: %[[NORM:.*]] = math.sqrt %[[TOTAL]]
// CHECK: %[[CLIP:.*]] = prec_train.clip %[[NORM]]
// CHECK: prec.finite_guard %{{.*}}, %[[TOTAL]] of ["loss", "gradient of w"]
// CHECK: %[[NEW:.*]], %[[A:.*]], %[[B:.*]] = prec_train.adamw %[[W]], %[[MEAN]], %[[M]]
// CHECK: %[[COPY:.*]] = arith.truncf %[[NEW]] {{.*}}: tensor<4x4xf32> to tensor<4x4xbf16>
// CHECK: %[[COPIES:.*]] = prec_train.exchange all_gather %[[COPY]]
// CHECK: %[[WHOLE:.*]] = tensor.collapse_shape %[[COPIES]]
// CHECK: return %{{.*}}, %[[NORM]], %[[NEW]], %[[A]], %[[B]], %[[WHOLE]]
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

// What has no dimension that can be cut into as long slices stays whole.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<3x5xf32> {prec_train.path = "odd", prec_train.placement = "{{[35]}} slices at most", prec_train.role = #prec_train.role<parameter>}
// CHECK: %[[G:.*]] = math.tanh
// CHECK: %[[ALL:.*]] = prec_train.exchange all_gather %[[G]] over "dp" {{.*}}: (tensor<3x5xf32>) -> tensor<2x3x5xf32>
// CHECK: prec_train.sgd %{{.*}} : (tensor<3x5xf32>
func.func @step(
    %w: tensor<3x5xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "odd"},
    %x: tensor<3x5xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
    %h: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"}
) -> (tensor<3x5xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "odd", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %g = math.tanh %x {prec_train.phase = #prec_train.phase<backward>} : tensor<3x5xf32>
  %p = prec_train.sgd %w, %g, %h, %h, %h, %h {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3x5xf32>
  return %p : tensor<3x5xf32>
}

// -----

// A slice of columns where these have more factors of two than rows: what is sent has the ranks in front.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<3x2xf32> {prec_train.path = "columns", prec_train.placement = "a shard of what the optimizer updates", prec_train.role = #prec_train.role<parameter>, prec_train.shard = "dp", prec_train.shard_dim = 1 : i64}
// CHECK: %[[G:.*]] = math.tanh
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[G]] {{\[}}[0], [1, 2]] output_shape [3, 2, 2]
// CHECK: %[[MOVED:.*]] = prec_train.transpose %[[SPLIT]] permutation [1, 0, 2]
// CHECK: prec_train.exchange all_to_all %[[MOVED]] over "dp" {{.*}}: (tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
// CHECK: prec_train.sgd %{{.*}} : (tensor<3x2xf32>
func.func @step(
    %w: tensor<3x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "columns"},
    %x: tensor<3x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
    %h: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"}
) -> (tensor<3x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "columns", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %g = math.tanh %x {prec_train.phase = #prec_train.phase<backward>} : tensor<3x4xf32>
  %p = prec_train.sgd %w, %g, %h, %h, %h, %h {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
}
