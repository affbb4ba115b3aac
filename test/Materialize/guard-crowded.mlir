// RUN: prec-opt %s --prec-guard-updates | FileCheck %s

// A step whose experts had no room for their rows runs again: it is not counted, and the loss scale learns nothing from it.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[SCALE:[a-z0-9]+]]: tensor<f32> {prec_train.path = "loss_scale"
// CHECK-SAME: %[[GOOD:[a-z0-9]+]]: tensor<f32> {prec_train.path = "loss_scale_good_steps"
// CHECK-SAME: %[[SKIPPED:[a-z0-9]+]]: tensor<f32> {prec_train.path = "skipped_steps"
// CHECK: %[[OK:.*]], %{{.*}} = prec.finite_guard %{{.*}}, %{{.*}} of ["number of rows", "w"]
// CHECK-DAG: %[[ROOM:.*]] = arith.cmpf oeq, %[[LEAST:.*]], %{{.*}} {prec_train.phase = #prec_train.phase<optimizer>} : tensor<f32>
// CHECK-DAG: %[[NEW:.*]], %[[COUNT:.*]] = prec.update_loss_scale
// CHECK-DAG: arith.select %[[ROOM]], %[[NEW]], %[[SCALE]]
// CHECK-DAG: arith.select %[[ROOM]], %[[COUNT]], %[[GOOD]]
// CHECK-DAG: %[[MORE:.*]] = arith.select %[[ROOM]], %{{.*}}, %[[SKIPPED]]
// CHECK-DAG: arith.select %[[OK]], %[[SKIPPED]], %[[MORE]]
func.func @step(%w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %scale: tensor<f32> {prec_train.role = #prec_train.role<scale_state>, prec_train.path = "loss_scale", prec_train.slot = "loss_scale"},
                %good: tensor<f32> {prec_train.role = #prec_train.role<scale_state>, prec_train.path = "loss_scale_good_steps", prec_train.slot = "loss_scale_good_steps"})
    -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64},
        tensor<f32> {prec_train.role = #prec_train.role<guard>, prec_train.path = "index_check.expert_room", prec_train.tensors = ["number of rows"]},
        tensor<f32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "loss_scale", prec_train.slot = "loss_scale", prec_train.donated_to = 2 : i64},
        tensor<f32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "loss_scale_good_steps", prec_train.slot = "loss_scale_good_steps", prec_train.donated_to = 3 : i64}) attributes {prec.entry = "step"} {
  %least = prec_train.reduce min %x dims [0] : (tensor<4xf32>) -> tensor<f32>
  %n = arith.subf %w, %x {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4xf32>
  %ok, %first = prec.finite_guard %n of ["w"] : tensor<4xf32>
  %s:2 = prec.update_loss_scale %scale, %good, %ok {growth = 2.0 : f32, backoff = 0.5 : f32, interval = 2 : i64, prec_train.phase = #prec_train.phase<optimizer>}
  return %n, %least, %s#0, %s#1 : tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
}
