// RUN: prec-opt %s --prec-decompose | %primitives | FileCheck %s

// What was meant, an upper bound of alpha, one evaluation at 1 and one behind a halving; then the best.
// CHECK-LABEL: func.func @two
// CHECK-SAME: %[[P:[^:]*]]: tensor<4x8xbf16>, %[[U:[^:]*]]: tensor<4x8xf32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG: %[[ROUNDOFF:.*]] = arith.constant dense<3.906250e-03> : tensor<f32>
// CHECK-DAG: %[[TOLERANCE:.*]] = arith.constant dense<2.500000e-01> : tensor<f32>
// CHECK: %[[OLD:.*]] = arith.extf %[[P]]
// CHECK: %[[MEANT:.*]] = math.sqrt %{{.*}} : tensor<f32>
// CHECK: %[[SIZE:.*]] = math.sqrt %{{.*}} : tensor<f32>
// CHECK: arith.mulf %[[SIZE]], %[[ROUNDOFF]]
// CHECK: %[[HIGH:.*]] = arith.divf
// CHECK: %[[ENOUGH:.*]] = arith.mulf %[[MEANT]], %[[TOLERANCE]]
// CHECK: %[[B1:.*]] = prec_train.broadcast %[[ONE]]
// CHECK: %[[S1:.*]] = arith.mulf %[[B1]], %[[U]]
// CHECK: %[[X1:.*]] = arith.addf %[[OLD]], %[[S1]]
// CHECK: %[[R1:.*]] = arith.truncf %[[X1]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK: %[[W1:.*]] = arith.extf %[[R1]]
// CHECK: arith.subf %[[W1]], %[[OLD]]
// CHECK: %[[LANDED:.*]] = math.sqrt %{{.*}} : tensor<f32>
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[LANDED]], %[[MEANT]]
// CHECK: %[[DISTANCE:.*]] = math.absf %[[DIFFERENCE]]
// CHECK: arith.cmpf olt, %[[ENOUGH]]
// CHECK: %[[BETTER:.*]] = arith.cmpf olt, %[[DISTANCE]]
// CHECK: arith.select %[[BETTER]], %[[ONE]], %[[ONE]]
// CHECK: %[[LITTLE:.*]] = arith.cmpf olt, %[[LANDED]], %[[MEANT]]
// CHECK: %[[LOW:.*]] = arith.select %[[LITTLE]], %[[ONE]], %[[HALF]]
// CHECK: %[[NEWHIGH:.*]] = arith.select %[[LITTLE]], %[[HIGH]], %[[ONE]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[LOW]], %[[NEWHIGH]]
// CHECK: %[[ALPHA:.*]] = math.sqrt %[[PRODUCT]]
// CHECK: prec_train.broadcast %[[ALPHA]]
// CHECK: %[[BEST:.*]] = arith.select %{{.*}}, %[[ALPHA]], %{{.*}} : tensor<i1>, tensor<f32>
// CHECK: %[[LAST:.*]] = prec_train.broadcast %[[BEST]]
// CHECK: %[[S3:.*]] = arith.mulf %[[LAST]], %[[U]]
// CHECK: %[[X3:.*]] = arith.addf %[[OLD]], %[[S3]]
// What is not finite keeps its value.
// CHECK: %[[MAGNITUDE:.*]] = math.absf %[[X3]]
// CHECK: %[[WRITABLE:.*]] = arith.cmpf ole, %[[MAGNITUDE]], %{{.*}} : tensor<4x8xf32>
// CHECK: %[[KEPT:.*]] = arith.select %[[WRITABLE]], %[[X3]], %[[OLD]]
// CHECK: %[[R3:.*]] = arith.truncf %[[KEPT]]
// CHECK-NOT: prec.precision_aware_update
// CHECK: return %[[R3]]
func.func @two(%p: tensor<4x8xbf16>, %u: tensor<4x8xf32>) -> tensor<4x8xbf16> {
  %0 = prec.precision_aware_update %p, %u {iterations = 2 : i64, tolerance = 0.25 : f32} : tensor<4x8xbf16>, tensor<4x8xf32>
  return %0 : tensor<4x8xbf16>
}

// CHECK-LABEL: func.func @fp8
// CHECK-DAG: arith.constant dense<6.250000e-02> : tensor<f32>
// CHECK: arith.truncf %{{.*}} : tensor<8xf32> to tensor<8xf8E4M3FN>
func.func @fp8(%p: tensor<8xf8E4M3FN>, %u: tensor<8xf32>) -> tensor<8xf8E4M3FN> {
  %0 = prec.precision_aware_update %p, %u {iterations = 1 : i64, tolerance = 0.25 : f32} : tensor<8xf8E4M3FN>, tensor<8xf32>
  return %0 : tensor<8xf8E4M3FN>
}
