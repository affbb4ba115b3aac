// RUN: prec-opt %s --prec-decompose | %primitives | FileCheck %s

// Roundings of one step share what is computed of the seed.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>, %{{.*}}: tensor<4x8xf32>, %[[SEED:.*]]: tensor<i32>
// CHECK: arith.muli {{.*}} : tensor<i32>
// CHECK: arith.bitcast %[[X]] : tensor<4x8xf32> to tensor<4x8xi32>
// CHECK: arith.minui
// CHECK: arith.bitcast {{.*}} : tensor<4x8xi32> to tensor<4x8xf32>
// CHECK: arith.truncf {{.*}} : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK-NOT: arith.muli {{.*}} : tensor<i32>
// CHECK-NOT: prec.stochastic_round
// CHECK: return
func.func @step(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %seed: tensor<i32>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) attributes {prec.entry = "step"} {
  %0 = prec.stochastic_round %x seed %seed {stream = 0 : i32} : tensor<4x8xf32>, tensor<i32> to tensor<4x8xbf16>
  %1 = prec.stochastic_round %y seed %seed {stream = 1 : i32} : tensor<4x8xf32>, tensor<i32> to tensor<4x8xbf16>
  return %0, %1 : tensor<4x8xbf16>, tensor<4x8xbf16>
}
