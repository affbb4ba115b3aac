// RUN: prec-opt %s --count-lost-updates | FileCheck %s

// Bits of the masters before and after, where the optimizer meant something; a part of each and of all elements.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:[^:]*]]: tensor<4x8xbf16>
// CHECK-SAME: %[[B:[^:]*]]: tensor<8xf32>
// CHECK-SAME: tensor<f32> {train.path = "lost_updates", train.role = #train.role<metric>},
// CHECK-SAME: tensor<f32> {train.path = "lost_updates.w", train.role = #train.role<metric>},
// CHECK-SAME: tensor<f32> {train.path = "lost_updates.b", train.role = #train.role<metric>})
// CHECK: %[[NEW:.*]], %{{.*}}, %{{.*}}, %[[UPDATE:.*]] = train.adamw %[[W]], {{.*}} -> (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK: %[[NEWB:.*]], %{{.*}}, %{{.*}}, %[[UPDATEB:.*]] = train.adamw %[[B]]
// CHECK: %[[NEWF:.*]] = arith.extf %[[NEW]]
// CHECK: %[[NEWI:.*]] = arith.bitcast %[[NEWF]] {{.*}} : tensor<4x8xf32> to tensor<4x8xi32>
// CHECK: %[[OLDF:.*]] = arith.extf %[[W]]
// CHECK: %[[OLDI:.*]] = arith.bitcast %[[OLDF]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[NEWI]], %[[OLDI]]
// CHECK: %[[MEANT:.*]] = arith.cmpf une, %[[UPDATE]]
// CHECK: %[[ONES:.*]] = arith.select %[[SAME]]
// CHECK: %[[LOST:.*]] = arith.select %[[MEANT]], %[[ONES]]
// CHECK: %[[ROWS:.*]] = train.reduce sum %[[LOST]] dims [1]
// CHECK: %[[COUNT:.*]] = train.reduce sum %[[ROWS]] dims [0]
// CHECK: arith.bitcast %[[NEWB]]
// CHECK: %[[COUNTB:.*]] = train.reduce sum %{{.*}} dims [0] {{.*}} : (tensor<8xf32>) -> tensor<f32>
// CHECK: %[[SUM:.*]] = arith.addf %[[COUNT]], %[[COUNTB]]
// CHECK: %[[FORTY:.*]] = arith.constant {{.*}}dense<4.000000e+01>
// CHECK: %[[ALL:.*]] = arith.divf %[[SUM]], %[[FORTY]]
// CHECK: %[[PART:.*]] = arith.divf %[[COUNT]],
// CHECK: %[[PARTB:.*]] = arith.divf %[[COUNTB]],
// CHECK: return %[[NEW]], %[[NEWB]], %[[ALL]], %[[PART]], %[[PARTB]]
func.func @step(%w: tensor<4x8xbf16> {train.role = #train.role<parameter>, train.path = "w"},
                %b: tensor<8xf32> {train.role = #train.role<parameter>, train.path = "b"},
                %frozen: tensor<8xf32> {train.role = #train.role<frozen_parameter>, train.path = "frozen"},
                %m: tensor<4x8xf32>, %n: tensor<8xf32>, %s: tensor<f32>)
    -> (tensor<4x8xbf16> {train.role = #train.role<updated>, train.donated_to = 0 : i64},
        tensor<8xf32> {train.role = #train.role<updated>, train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %p:3 = train.adamw %w, %m, %m, %m, %s, %s, %s, %s, %s, %s, %s : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>)
  %q:3 = train.adamw %b, %n, %n, %n, %s, %s, %s, %s, %s, %s, %s : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %p#0, %q#0 : tensor<4x8xbf16>, tensor<8xf32>
}
