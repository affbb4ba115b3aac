// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s
// RUN: prec-opt %s --emit-bytecode | prec-opt | FileCheck %s
// RUN: prec-opt %s --prec-decompose | FileCheck %s --check-prefix=DECOMPOSED

// CHECK-LABEL: func.func @sum
// CHECK: prec_train.update %arg0, %arg1, %arg2, %arg3, %arg5, %arg5, %arg5, %arg5, %arg4 {
// CHECK-SAME: operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 0, 1, 1, 1, 1>
// CHECK-SAME: rule = "sum"
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f64, %{{.*}}: f64, %{{.*}}: f64):
// CHECK: prec_train.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32, f32

// What follows from scalars alone stays one number, made once for both updates; the update that nobody asks for is not
// made.
// DECOMPOSED-LABEL: func.func @sum
// DECOMPOSED: arith.mulf %{{.*}} : tensor<f64>
// DECOMPOSED-NEXT: arith.truncf
// DECOMPOSED: arith.addf %{{.*}} : tensor<4x8xf32>
// DECOMPOSED-NOT: tensor<f64>
// DECOMPOSED-NOT: arith.negf
// DECOMPOSED: return
func.func @sum(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %guard: tensor<i1>, %h: tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {prec.entry = "step"} {
  %0:3 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %guard {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 0, 1, 1, 1, 1>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %decay: f64, %step: f64):
    %one = arith.constant 1.0 : f32
    %rate = arith.mulf %lr, %decay : f64
    %single = arith.truncf %rate : f64 to f32
    %new_sum = arith.addf %sum, %grad : f32
    %change = arith.mulf %single, %new_sum : f32
    %new = arith.subf %param, %change : f32
    %more = arith.addf %count, %one : f32
    %update = arith.negf %change : f32
    prec_train.yield %new, %new_sum, %more, %update : f32, f32, f32, f32
  }
  %1:3 = prec_train.update %0#0, %g, %s, %n, %h, %h, %h, %h, %guard {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 0, 1, 1, 1, 1>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %decay: f64, %step: f64):
    %rate = arith.mulf %lr, %decay : f64
    %single = arith.truncf %rate : f64 to f32
    %new = arith.mulf %single, %param : f32
    prec_train.yield %new, %sum, %count, %new : f32, f32, f32, f32
  }
  return %0#0, %1#0 : tensor<4x8xf32>, tensor<4x8xf32>
}
