// RUN: prec-opt %s --prec-carry-amax --split-input-file | FileCheck %s

// Scales of one format that are made alike share a history, whose rows are in
// the order of the step. A master's row begins with its amax; others with 0.

// CHECK: module {
// CHECK-LABEL: func.func @init(
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<32x32xf32>
// CHECK-SAME: tensor<2x4xf32> {prec_train.path = "amax_history", prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "e4m3.0"}
// CHECK-SAME: tensor<1x4xf32> {prec_train.path = "amax_history", prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "e5m2.1"}
// CHECK: %[[A:.*]] = prec.amax %[[M]]
// CHECK: prec.update_scale %[[A]] for {{ *}}e4m3 {margin = 1 : i64}
// CHECK: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<2x4xf32>
// CHECK: %[[H:.*]], %{{.*}} = prec.record_amax %[[ZEROS]], %[[NONE]], %[[A]] : tensor<2x4xf32>
// CHECK: %[[H5:.*]], %{{.*}} = prec.record_amax %{{.*}}, %[[NONE]] : tensor<1x4xf32>
// CHECK: return %{{.*}}, %[[H]], %[[H5]]

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<16x32xf32>
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<32x32xf32>
// CHECK-SAME: %[[OLD:[a-z0-9]+]]: tensor<2x4xf32> {prec_train.path = "amax_history", prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "e4m3.0"}
// CHECK-SAME: %[[OLD5:[a-z0-9]+]]: tensor<1x4xf32>
// CHECK-SAME: tensor<2x4xf32> {prec_train.donated_to = 2 : i64, prec_train.path = "amax_history", prec_train.role = #prec_train.role<updated>, prec_train.slot = "e4m3.0"}
// CHECK-SAME: tensor<1x4xf32> {prec_train.donated_to = 3 : i64
// CHECK-SAME: tensor<2xf32> {prec_train.path = "amax_ratios.e4m3.0", prec_train.role = #prec_train.role<amax_ratios>, prec_train.tensors = ["x/activation", "w/e4m3"]}
// CHECK-SAME: tensor<1xf32> {prec_train.path = "amax_ratios.e5m2.1", prec_train.role = #prec_train.role<amax_ratios>, prec_train.tensors = ["x/gradient"]}
// CHECK-SAME: tensor<f32> {prec_train.path = "fp8_saturated", prec_train.role = #prec_train.role<metric>}
// CHECK-SAME: tensor<f32> {prec_train.path = "fp8_amax_ratio", prec_train.role = #prec_train.role<metric>}
// CHECK: %[[S5:.*]], %[[D5:.*]] = prec.history_scale %[[OLD5]] <max> for {{ *}}e5m2 {margin = 1 : i64} : tensor<1x4xf32> to tensor<1xf32>
// CHECK: %[[S:.*]], %[[D:.*]] = prec.history_scale %[[OLD]] <max> for {{ *}}e4m3 {margin = 1 : i64} : tensor<2x4xf32> to tensor<2xf32>
// CHECK: %[[SS:.*]] = prec_train.broadcast %[[S]] dims [0] : (tensor<2xf32>) -> tensor<2x4xf32>
// CHECK: %[[DD:.*]] = prec_train.broadcast %[[D]] dims [0]
// CHECK: %[[S0:.*]] = tensor.extract_slice %[[SS]][0, 0] [1, 1] [1, 1]
// CHECK: %[[SX:.*]] = tensor.collapse_shape %[[S0]] []
// CHECK: %[[D0:.*]] = tensor.extract_slice %[[DD]][0, 0] [1, 1] [1, 1]
// CHECK: %[[DX:.*]] = tensor.collapse_shape %[[D0]] []
// CHECK: %[[S1:.*]] = tensor.extract_slice %[[SS]][1, 0] [1, 1] [1, 1]
// CHECK: %[[SW:.*]] = tensor.collapse_shape %[[S1]] []
// CHECK-NOT: prec.delayed_scale
// CHECK: %[[AX:.*]] = prec.amax %[[X]]
// CHECK: prec.quantize %[[X]], %[[SX]] : tensor<16x32xf32> to tensor<16x32xf8E4M3FN>
// CHECK: prec.quantize %[[X]], %{{.*}} : tensor<16x32xf32> to tensor<16x32xf8E5M2>
// CHECK: %[[AW:.*]] = prec.amax %[[W]]
// CHECK: prec.quantize %[[W]], %[[SW]]
// CHECK: %[[NEW:.*]], %[[RECENT:.*]] = prec.record_amax %[[OLD]], %[[AX]], %[[AW]] {prec_train.phase = #prec_train.phase<optimizer>} : tensor<2x4xf32>
// CHECK: %[[NEW5:.*]], %{{.*}} = prec.record_amax %[[OLD5]], %[[AX]] {{.*}} : tensor<1x4xf32>
// What the scales have room for: 448 / scale.
// CHECK: %[[SCALED:.*]] = arith.mulf %[[RECENT]], %[[S]]
// CHECK: %[[LARGEST:.*]] = arith.constant {{.*}}dense<4.480000e+02> : tensor<2xf32>
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[SCALED]], %[[LARGEST]]
// CHECK: %[[RATIOS:.*]] = arith.minimumf %[[QUOTIENT]]
// CHECK: arith.constant {{.*}}dense<1.03571427> : tensor<2xf32>
// CHECK: arith.cmpf ogt, %[[RATIOS]]
// CHECK: %[[COUNT4:.*]] = prec_train.reduce sum %{{.*}} dims [0]
// CHECK: %[[MOST4:.*]] = prec_train.reduce max %[[RATIOS]] dims [0]
// CHECK: arith.constant {{.*}}dense<5.734400e+04> : tensor<1xf32>
// CHECK: %[[RATIOS5:.*]] = arith.minimumf
// CHECK: arith.constant {{.*}}dense<1.07142854> : tensor<1xf32>
// CHECK: %[[COUNT5:.*]] = prec_train.reduce sum
// CHECK: %[[MOST5:.*]] = prec_train.reduce max %[[RATIOS5]]
// CHECK: %[[COUNT:.*]] = arith.addf %[[COUNT4]], %[[COUNT5]]
// CHECK: %[[MOST:.*]] = arith.maximumf %[[MOST4]], %[[MOST5]]
// CHECK: return %{{.*}}, %[[DX]], %{{.*}}, %[[NEW]], %[[NEW5]], %[[RATIOS]], %[[RATIOS5]], %[[COUNT]], %[[MOST]]
module attributes {prec.amax = #prec.amax<history = 4, algorithm = max, margin = 1, power_of_two = false, activation = 1.0e-12 : f64, weight = 1.0e-12 : f64, gradient = 1.0e-12 : f64>} {
  func.func @init(%w: tensor<32x32xf32> {prec_train.path = "w", prec_train.role = #prec_train.role<parameter>})
      -> (tensor<32x32xf8E4M3FN> {prec_train.param_of = "w", prec_train.path = "w", prec_train.role = #prec_train.role<work_weight>, prec_train.slot = "e4m3"}) attributes {prec.entry = "init"} {
    %a = prec.amax %w : tensor<32x32xf32>
    %s, %d = prec.delayed_scale %a of "w/e4m3" for e4m3 {margin = 1 : i64}
    %q = prec.quantize %w, %s : tensor<32x32xf32> to tensor<32x32xf8E4M3FN>
    return %q : tensor<32x32xf8E4M3FN>
  }
  func.func @step(%x: tensor<16x32xf32>, %w: tensor<32x32xf32> {prec_train.path = "w", prec_train.role = #prec_train.role<parameter>})
      -> (tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<16x32xf8E5M2>, tensor<32x32xf8E4M3FN>) attributes {prec.entry = "step"} {
    %a = prec.amax %x : tensor<16x32xf32>
    %s, %d = prec.delayed_scale %a of "x/activation" for e4m3 {margin = 1 : i64}
    %q = prec.quantize %x, %s : tensor<16x32xf32> to tensor<16x32xf8E4M3FN>
    %s5, %d5 = prec.delayed_scale %a of "x/gradient" for e5m2 {margin = 1 : i64}
    %q5 = prec.quantize %x, %s5 : tensor<16x32xf32> to tensor<16x32xf8E5M2>
    %aw = prec.amax %w : tensor<32x32xf32>
    %sw, %dw = prec.delayed_scale %aw of "w/e4m3" for e4m3 {margin = 1 : i64}
    %qw = prec.quantize %w, %sw : tensor<32x32xf32> to tensor<32x32xf8E4M3FN>
    return %q, %d, %q5, %qw : tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<16x32xf8E5M2>, tensor<32x32xf8E4M3FN>
  }
}

// -----

// Without work weights there was no @init; without histories there is none.

// CHECK-LABEL: func.func @init()
// CHECK-SAME: -> (tensor<1x1024xf32>
// CHECK-LABEL: func.func @step(
func.func @step(%x: tensor<16x32xf32>) -> tensor<16x32xf8E4M3FN> attributes {prec.entry = "step"} {
  %a = prec.amax %x : tensor<16x32xf32>
  %s, %d = prec.delayed_scale %a of "x" for e4m3
  %q = prec.quantize %x, %s : tensor<16x32xf32> to tensor<16x32xf8E4M3FN>
  return %q : tensor<16x32xf8E4M3FN>
}

// -----

// What is taken for another amax at first has a history of its own.

// CHECK-LABEL: func.func @step(
// CHECK-DAG: prec.history_scale %{{.*}} <max> for {{ *}}e5m2 : tensor<1x1024xf32> to tensor<1xf32>
// CHECK-DAG: prec.history_scale %{{.*}} <max> for {{ *}}e5m2 {first_amax = 1.000000e-03 : f32} : tensor<1x1024xf32> to tensor<1xf32>
func.func @step(%x: tensor<16x32xf32>) -> (tensor<16x32xf8E5M2>, tensor<16x32xf8E5M2>) attributes {prec.entry = "step"} {
  %a = prec.amax %x : tensor<16x32xf32>
  %s, %d = prec.delayed_scale %a of "x" for e5m2
  %t, %e = prec.delayed_scale %a of "y" for e5m2 {first_amax = 1.0e-3 : f32}
  %q = prec.quantize %x, %s : tensor<16x32xf32> to tensor<16x32xf8E5M2>
  %r = prec.quantize %x, %t : tensor<16x32xf32> to tensor<16x32xf8E5M2>
  return %q, %r : tensor<16x32xf8E5M2>, tensor<16x32xf8E5M2>
}

// -----

// CHECK-NOT: @init
// CHECK: module {
// CHECK-NOT: @init
// CHECK: func.func @step(%{{.*}}: tensor<16x32xf32>) attributes {prec.entry = "step"} {
module attributes {prec.amax = #prec.amax<history = 4, algorithm = max, margin = 1, power_of_two = false, activation = 1.0e-12 : f64, weight = 1.0e-12 : f64, gradient = 1.0e-12 : f64>} {
  func.func @step(%x: tensor<16x32xf32>) attributes {prec.entry = "step"} {
    return
  }
}
