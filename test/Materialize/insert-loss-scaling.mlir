// RUN: prec-opt %s --prec-insert-loss-scaling --split-input-file | FileCheck %s

// A static scale is a constant. The gradient of the weight goes to the norm and
// the optimizer unscaled, in f32; the one inside the backward stays scaled.

// CHECK: module {
// CHECK-NOT: @init
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<8x4xf32>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<1.024000e+03> : tensor<f32>
// CHECK-DAG: %[[INVERSE:.*]] = arith.constant dense<9.765625E-4> : tensor<f32>
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[SEED:.*]] = arith.mulf %[[ONE]], %[[SCALE]] {{.*}}: tensor<f32>
// CHECK: %[[D:.*]] = prec_train.cross_entropy_grad %[[SEED]],
// CHECK: %[[DW:.*]] = prec_train.matmul %[[D]], %{{.*}} {{.*}} -> tensor<8x4xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[DW]] {{.*}}: tensor<8x4xf16> to tensor<8x4xf32>
// CHECK: %[[B:.*]] = prec_train.broadcast %[[INVERSE]] dims [] {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<f32>) -> tensor<8x4xf32>
// CHECK: %[[U:.*]] = arith.mulf %[[WIDE]], %[[B]] {prec_train.phase = #prec_train.phase<optimizer>} : tensor<8x4xf32>
// CHECK: prec_train.global_norm %[[U]] {{.*}} : (tensor<8x4xf32>)
// CHECK: prec_train.adamw %[[W]], %[[U]],
module attributes {prec.loss_scaling = #prec.loss_scaling<static, scale = 1024, interval = 2000, growth = 2.0, backoff = 0.5>} {
  func.func @step(
      %w: tensor<8x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
      %m: tensor<8x4xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg", prec_train.param_of = "w", prec_train.slot = "exp_avg"},
      %v: tensor<8x4xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg_sq", prec_train.param_of = "w", prec_train.slot = "exp_avg_sq"},
      %x: tensor<16x4xf16> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
      %l: tensor<16xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "labels"},
      %h: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"}
  ) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
        tensor<8x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
    %one = arith.constant dense<1.0> : tensor<f32>
    %half = arith.truncf %w : tensor<8x4xf32> to tensor<8x4xf16>
    %y = prec_train.matmul %x, %half {transpose_b} : (tensor<16x4xf16>, tensor<8x4xf16>) -> tensor<16x8xf16>
    %loss, %max, %log = prec_train.cross_entropy %y, %l {ignore_index = -100 : i32} : (tensor<16x8xf16>, tensor<16xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %d = prec_train.cross_entropy_grad %one, %y, %l, %max, %log {ignore_index = -100 : i32, prec_train.phase = #prec_train.phase<backward>} : (tensor<f32>, tensor<16x8xf16>, tensor<16xi32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16x8xf16>
    %dw = prec_train.matmul %d, %x {transpose_a, prec_train.phase = #prec_train.phase<backward>} : (tensor<16x8xf16>, tensor<16x4xf16>) -> tensor<8x4xf16>
    %norm = prec_train.global_norm %dw {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<8x4xf16>) -> tensor<f32>
    %clip = prec_train.clip %norm, %h {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %p:3 = prec_train.adamw %w, %dw, %m, %v, %h, %h, %h, %h, %h, %h, %clip {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<8x4xf32>, tensor<8x4xf16>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
    return %loss, %p#0 : tensor<f32>, tensor<8x4xf32>
  }
}

// -----

// A dynamic scale is state that @init begins and the guard moves. The caller
// gets gradients unscaled too, in the type that it was promised; a cast that is
// there serves the unscaling. The scale is a metric.

// CHECK: module {
// CHECK-LABEL: func.func @init()
// CHECK-SAME: -> (tensor<f32> {prec_train.path = "loss_scale", prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "loss_scale"}, tensor<f32> {prec_train.path = "loss_scale_good_steps", prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "loss_scale_good_steps"})
// CHECK: %[[START:.*]] = arith.constant dense<6.553600e+04> : tensor<f32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: return %[[START]], %[[ZERO]]
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {prec_train.path = "w"
// CHECK-SAME: %[[SCALE:[a-z0-9]+]]: tensor<f32> {prec_train.path = "loss_scale", prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "loss_scale"}
// CHECK-SAME: %[[GOOD:[a-z0-9]+]]: tensor<f32> {prec_train.path = "loss_scale_good_steps"
// CHECK-SAME: tensor<f32> {prec_train.path = "loss_scale", prec_train.role = #prec_train.role<metric>}
// CHECK-SAME: tensor<f32> {prec_train.donated_to = 3 : i64, prec_train.path = "loss_scale", prec_train.role = #prec_train.role<updated>, prec_train.slot = "loss_scale"}
// CHECK-SAME: tensor<f32> {prec_train.donated_to = 4 : i64, prec_train.path = "loss_scale_good_steps"
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[INVERSE:.*]] = arith.divf %[[ONE]], %[[SCALE]] {{.*}}: tensor<f32>
// CHECK: %[[LOSS:.*]], %{{.*}}, %{{.*}} = prec_train.cross_entropy
// CHECK: %[[SEED:.*]] = arith.mulf %{{.*}}, %[[SCALE]]
// CHECK: %[[D:.*]] = prec_train.cross_entropy_grad %[[SEED]]
// CHECK: %[[F:.*]] = prec_train.reduce sum %{{.*}} dims [0]
// CHECK: %[[DW:.*]] = arith.truncf %[[F]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[DW]]
// CHECK: %[[U:.*]] = arith.mulf %[[WIDE]], %{{.*}} : tensor<4xf32>
// CHECK: %[[R:.*]] = arith.truncf %[[U]] {{.*}}: tensor<4xf32> to tensor<4xbf16>
// CHECK: %[[NEW:.*]] = arith.subf %[[W]], %[[U]]
// CHECK: %[[OK:.*]], %{{.*}} = prec.finite_guard %[[LOSS]], %[[NEW]] of ["loss", "w"] {{.*}}: tensor<f32>, tensor<4xf32>
// CHECK: %[[S:.*]], %[[N:.*]] = prec.update_loss_scale %[[SCALE]], %[[GOOD]], %[[OK]] {backoff = 2.500000e-01 : f32, growth = 4.000000e+00 : f32, interval = 7 : i64
// CHECK: return %[[LOSS]], %[[R]], %[[NEW]], %[[SCALE]], %[[S]], %[[N]]
module attributes {prec.loss_scaling = #prec.loss_scaling<dynamic, scale = 65536, interval = 7, growth = 4.0, backoff = 0.25>} {
  func.func @step(
      %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
      %x: tensor<16x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
      %l: tensor<16xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "labels"}
  ) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"}, tensor<4xbf16>,
        tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
    %one = arith.constant dense<1.0> : tensor<f32>
    %b = prec_train.broadcast %w dims [1] : (tensor<4xf32>) -> tensor<16x4xf32>
    %y = arith.mulf %x, %b : tensor<16x4xf32>
    %loss, %max, %log = prec_train.cross_entropy %y, %l {ignore_index = -100 : i32} : (tensor<16x4xf32>, tensor<16xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %d = prec_train.cross_entropy_grad %one, %y, %l, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<16x4xf32>, tensor<16xi32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16x4xf32>
    %g = arith.mulf %d, %x : tensor<16x4xf32>
    %f = prec_train.reduce sum %g dims [0] : (tensor<16x4xf32>) -> tensor<4xf32>
    %dw = arith.truncf %f : tensor<4xf32> to tensor<4xbf16>
    %e = arith.extf %dw {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4xbf16> to tensor<4xf32>
    %n = arith.subf %w, %e {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4xf32>
    return %loss, %dw, %n : tensor<f32>, tensor<4xbf16>, tensor<4xf32>
  }
}

// -----

// Without loss scaling nothing changes.

// CHECK-LABEL: func.func @step(%{{.*}}: tensor<4xf32>)
// CHECK-NEXT: return
func.func @step(%x: tensor<4xf32>) attributes {prec.entry = "step"} {
  return
}

// -----

// Dropout is linear in what it drops elements of. What is quantized in blocks
// is so together with its inverse scales, which are none of a gradient.

// CHECK-LABEL: func.func @step(
// CHECK: prec_train.cross_entropy_grad
// CHECK: prec_train.dropout
// CHECK: prec.hadamard
// CHECK: prec.block_scale
// CHECK: %[[DW:.*]] = prec.scaled_matmul {{.*}} -> tensor<32x32xbf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[DW]]
// CHECK: %[[U:.*]] = arith.mulf %[[WIDE]]
// CHECK: prec_train.sgd %{{.*}}, %[[U]],
module attributes {prec.loss_scaling = #prec.loss_scaling<static, scale = 1024, interval = 2000, growth = 2.0, backoff = 0.5>} {
  func.func @step(
      %w: tensor<32x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
      %y: tensor<32x32xbf16>, %l: tensor<32xi32>, %max: tensor<32xf32>, %log: tensor<32xf32>, %seed: tensor<i32>, %one: tensor<f32>, %h: tensor<f32>
  ) -> (tensor<32x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
    %d = prec_train.cross_entropy_grad %one, %y, %l, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<32x32xbf16>, tensor<32xi32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32x32xbf16>
    %e = prec_train.dropout %d, %seed {probability = 0.1 : f32, stream = 1 : i32} : (tensor<32x32xbf16>, tensor<i32>) -> tensor<32x32xbf16>
    %g = prec.hadamard %e : tensor<32x32xbf16>
    %t = prec.amax %g : tensor<32x32xbf16>
    %ts, %td = prec.update_scale %t for e2m1
    %a = prec.amax %g nan_is_infinite : tensor<32x32xbf16> by nvfp4_1x16 tensor<32x2xf32>
    %s, %f = prec.block_scale %a tensor_scale %ts for e2m1 by nvfp4_1x16 : tensor<32x2xf32> to tensor<1x1x32x16xf8E4M3FN>
    %q = prec.quantize %g, %s : tensor<32x32xbf16> to tensor<32x32xf4E2M1FN> by nvfp4_1x16 tensor<32x2xf32>
    %xa = prec.amax %y nan_is_infinite : tensor<32x32xbf16> by nvfp4_1x16 tensor<32x2xf32>
    %xs, %xf = prec.block_scale %xa tensor_scale %one for e2m1 by nvfp4_1x16 : tensor<32x2xf32> to tensor<1x1x32x16xf8E4M3FN>
    %xq = prec.quantize %y, %xs : tensor<32x32xbf16> to tensor<32x32xf4E2M1FN> by nvfp4_1x16 tensor<32x2xf32>
    %dw = prec.scaled_matmul %q scale %f, %xq scale %xf tensor_scales (%td, %one) <full> : (tensor<32x32xf4E2M1FN>, tensor<32x32xf4E2M1FN>) -> tensor<32x32xbf16> by nvfp4_1x16 tensor<1x1x32x16xf8E4M3FN>, nvfp4_1x16 tensor<1x1x32x16xf8E4M3FN>
    %p = prec_train.sgd %w, %dw, %h, %h, %h, %h : (tensor<32x32xf32>, tensor<32x32xbf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<32x32xf32>
    return %p : tensor<32x32xf32>
  }
}

// -----

// What is known of gradients before any was seen is known of scaled ones.

// CHECK-LABEL: func.func @step(
// CHECK: prec.delayed_scale %{{.*}} of "x" for e4m3 {first_amax = 2.000000e+00 : f32}
// CHECK: prec.delayed_scale %{{.*}} of "d" for e5m2 {first_amax = 4.000000e+00 : f32}
module attributes {prec.loss_scaling = #prec.loss_scaling<static, scale = 1024, interval = 2000, growth = 2.0, backoff = 0.5>} {
  func.func @step(
      %w: tensor<32x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
      %y: tensor<32x32xbf16>, %l: tensor<32xi32>, %max: tensor<32xf32>, %log: tensor<32xf32>, %one: tensor<f32>, %h: tensor<f32>
  ) -> (tensor<32x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
    %xa = prec.amax %y : tensor<32x32xbf16>
    %xs, %xf = prec.delayed_scale %xa of "x" for e4m3 {first_amax = 2.0 : f32}
    %xq = prec.quantize %y, %xs : tensor<32x32xbf16> to tensor<32x32xf8E4M3FN>
    %d = prec_train.cross_entropy_grad %one, %y, %l, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<32x32xbf16>, tensor<32xi32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32x32xbf16>
    %a = prec.amax %d : tensor<32x32xbf16>
    %s, %f = prec.delayed_scale %a of "d" for e5m2 {first_amax = 0.00390625 : f32}
    %q = prec.quantize %d, %s : tensor<32x32xbf16> to tensor<32x32xf8E5M2>
    %dw = prec.scaled_matmul %q scale %f, %xq scale %xf <full> : (tensor<32x32xf8E5M2>, tensor<32x32xf8E4M3FN>) -> tensor<32x32xbf16>
    %p = prec_train.sgd %w, %dw, %h, %h, %h, %h : (tensor<32x32xf32>, tensor<32x32xbf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<32x32xf32>
    return %p : tensor<32x32xf32>
  }
}
