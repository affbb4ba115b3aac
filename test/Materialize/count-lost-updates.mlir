// RUN: prec-opt %s --prec-count-lost-updates | FileCheck %s

// Bits of the masters before and after, where the optimizer meant something; a part of each and of all elements.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:[^:]*]]: tensor<4x8xbf16>
// CHECK-SAME: %[[B:[^:]*]]: tensor<8xf32>
// CHECK-SAME: tensor<f32> {prec_train.path = "lost_updates", prec_train.role = #prec_train.role<metric>},
// CHECK-SAME: tensor<f32> {prec_train.path = "lost_updates.w", prec_train.role = #prec_train.role<metric>},
// CHECK-SAME: tensor<f32> {prec_train.path = "lost_updates.b", prec_train.role = #prec_train.role<metric>})
// CHECK: %[[NEW:.*]], %{{.*}}, %{{.*}}, %[[UPDATE:.*]] = prec_train.adamw %[[W]], {{.*}} -> (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK: %[[NEWB:.*]], %{{.*}}, %{{.*}}, %[[UPDATEB:.*]] = prec_train.adamw %[[B]]
// CHECK: %[[NEWF:.*]] = arith.extf %[[NEW]]
// CHECK: %[[NEWI:.*]] = arith.bitcast %[[NEWF]] {{.*}} : tensor<4x8xf32> to tensor<4x8xi32>
// CHECK: %[[OLDF:.*]] = arith.extf %[[W]]
// CHECK: %[[OLDI:.*]] = arith.bitcast %[[OLDF]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[NEWI]], %[[OLDI]]
// CHECK: %[[MEANT:.*]] = arith.cmpf une, %[[UPDATE]]
// CHECK: %[[ONES:.*]] = arith.select %[[SAME]]
// CHECK: %[[LOST:.*]] = arith.select %[[MEANT]], %[[ONES]]
// CHECK: %[[ROWS:.*]] = prec_train.reduce sum %[[LOST]] dims [1]
// CHECK: %[[COUNT:.*]] = prec_train.reduce sum %[[ROWS]] dims [0]
// CHECK: arith.bitcast %[[NEWB]]
// CHECK: %[[COUNTB:.*]] = prec_train.reduce sum %{{.*}} dims [0] {{.*}} : (tensor<8xf32>) -> tensor<f32>
// CHECK: %[[SUM:.*]] = arith.addf %[[COUNT]], %[[COUNTB]]
// CHECK: %[[FORTY:.*]] = arith.constant {{.*}}dense<4.000000e+01>
// CHECK: %[[ALL:.*]] = arith.divf %[[SUM]], %[[FORTY]]
// CHECK: %[[PART:.*]] = arith.divf %[[COUNT]],
// CHECK: %[[PARTB:.*]] = arith.divf %[[COUNTB]],
// CHECK: return %[[NEW]], %[[NEWB]], %[[ALL]], %[[PART]], %[[PARTB]]
func.func @step(%w: tensor<4x8xbf16> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %b: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "b"},
                %frozen: tensor<8xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "frozen"},
                %m: tensor<4x8xf32>, %n: tensor<8xf32>, %s: tensor<f32>)
    -> (tensor<4x8xbf16> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64},
        tensor<8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %p:3 = prec_train.adamw %w, %m, %m, %m, %s, %s, %s, %s, %s, %s, %s : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>)
  %q:3 = prec_train.adamw %b, %n, %n, %n, %s, %s, %s, %s, %s, %s, %s : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %p#0, %q#0 : tensor<4x8xbf16>, tensor<8xf32>
}
