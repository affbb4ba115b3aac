// RUN: prec-opt %s --prec-narrow-masters --split-input-file --verify-diagnostics | FileCheck %s

// The optimizer reads the master as it is; everything else reads it widened.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:.*]]: tensor<8x16xbf16>
// CHECK-SAME: -> (tensor<4x8xf32>, tensor<8x16xbf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[W]] : tensor<8x16xbf16> to tensor<8x16xf32>
// CHECK: prec_train.matmul %{{.*}}, %[[WIDE]]
// CHECK: %[[NEW:.*]], %{{.*}}, %{{.*}} = prec_train.adamw %[[W]], {{.*}} -> (tensor<8x16xbf16>, tensor<8x16xf32>, tensor<8x16xf32>)
// CHECK: return %{{.*}}, %[[NEW]]
func.func @step(%w: tensor<8x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w", prec.tag = #prec.tag<bf16, rule = "r">},
                %m: tensor<8x16xf32> {prec_train.role = #prec_train.role<optimizer_state>}, %v: tensor<8x16xf32> {prec_train.role = #prec_train.role<optimizer_state>},
                %x: tensor<4x16xf32>, %g: tensor<8x16xf32>, %s: tensor<f32>)
    -> (tensor<4x8xf32>, tensor<8x16xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}, tensor<8x16xf32>, tensor<8x16xf32>) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  %p:3 = prec_train.adamw %w, %g, %m, %v, %s, %s, %s, %s, %s, %s, %s : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
  return %y, %p#0, %p#1, %p#2 : tensor<4x8xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

// Wide masters stay.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %{{.*}}: tensor<8xf32>
// CHECK-NOT: arith.extf
func.func @step(%w: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w", prec.tag = #prec.tag<f32, rule = "r">}) -> tensor<8xf32> attributes {prec.entry = "step"} {
  %y = arith.negf %w : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// A frozen parameter has no update.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:.*]]: tensor<8xbf16>
// CHECK: arith.extf %[[W]]
func.func @step(%w: tensor<8xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "w", prec.tag = #prec.tag<bf16, rule = "r">}) -> tensor<8xf32> attributes {prec.entry = "step"} {
  %y = arith.negf %w : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// narrow_masters_c1
// expected-error @+1 {{a master narrower than f32 must be updated by an optimizer, but result 0 is not}}
func.func @step(%w: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w", prec.tag = #prec.tag<bf16, rule = "r">})
    -> (tensor<8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %y = arith.negf %w : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Rounded at random behind the optimizer, with its count of steps as the seed.
module attributes {prec.master_rounding = #prec.master_rounding<stochastic>} {
// CHECK: module {
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:[^:]*]]: tensor<8xbf16>
// CHECK-SAME: %[[STEP:[^:]*]]: tensor<f32>)
// CHECK: %[[SEED:.*]] = arith.fptosi %[[STEP]] : tensor<f32> to tensor<i32>
// CHECK: %[[NEW:.*]], %{{.*}}, %{{.*}} = prec_train.adamw %[[W]], {{.*}} -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK: %[[ROUNDED:.*]] = prec.stochastic_round %[[NEW]] seed %[[SEED]] {stream = 0 : i32} : tensor<8xf32>, tensor<i32> to tensor<8xbf16>
// CHECK: return %[[ROUNDED]]
func.func @step(%w: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w", prec.tag = #prec.tag<bf16, rule = "r">},
                %m: tensor<8xf32>, %s: tensor<f32>, %step: tensor<f32>)
    -> (tensor<8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %p:3 = prec_train.adamw %w, %m, %m, %m, %s, %s, %s, %s, %s, %step, %s : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %p#0 : tensor<8xf32>
}
}

// -----

// Rounded so that the norm of the update is kept; what the optimizer makes of the master itself is not used.
module attributes {prec.master_rounding = #prec.master_rounding<precision_aware, iterations = 5, tolerance = 0.25>} {
// CHECK: module {
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:[^:]*]]: tensor<8xbf16>
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %[[UPDATE:.*]] = prec_train.adamw %[[W]], {{.*}} -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK: %[[ROUNDED:.*]] = prec.precision_aware_update %[[W]], %[[UPDATE]] {iterations = 5 : i64, tolerance = 2.500000e-01 : f32} : tensor<8xbf16>, tensor<8xf32>
// CHECK: return %[[ROUNDED]]
func.func @step(%w: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w", prec.tag = #prec.tag<bf16, rule = "r">},
                %m: tensor<8xf32>, %s: tensor<f32>, %step: tensor<f32>)
    -> (tensor<8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %p:3 = prec_train.adamw %w, %m, %m, %m, %s, %s, %s, %s, %s, %step, %s : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %p#0 : tensor<8xf32>
}
}
