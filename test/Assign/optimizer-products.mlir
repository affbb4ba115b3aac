// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" | FileCheck %s
// RUN: prec-opt %s --assign-precision="recipe=fp32 target=sm_90a" | FileCheck %s --check-prefix=FP32

// What reads a moment is of the optimizer, and so is all that follows from it: products there read BF16, whatever
// forward and backward read, and are stored in FP32.

// CHECK-LABEL: func.func @step
// CHECK: arith.addf %{{.*}}rule = "optimizer: small updates
// CHECK: prec_train.matmul {{[^"]*}}#prec.tag<bf16, rule = "optimizer: products of an optimizer
// CHECK-SAME: #prec.tag<bf16, rule = "optimizer: products of an optimizer
// CHECK-SAME: result_tags = [#prec.tag<f32,
// CHECK: prec_train.update

// FP32-LABEL: func.func @step
// FP32-COUNT-3: prec_train.matmul {{.*}} {operand_tags = [#prec.tag<f32,{{.*}}#prec.tag<f32,
func.func @step(%x: tensor<64x64xf32> {prec_train.role = #prec_train.role<batch>},
                %p: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "p"},
                %m: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "p.m", prec_train.param_of = "p", prec_train.slot = "m"},
                %lr: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"},
                %t: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "step"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>},
        tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64},
        tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 2 : i64}) attributes {prec.entry = "step"} {
  %one = arith.constant dense<1.0> : tensor<f32>
  %y = prec_train.matmul %x, %p {transpose_b} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = math.tanh %y : tensor<64x64xf32>
  %loss = prec_train.reduce sum %z dims [0, 1] : (tensor<64x64xf32>) -> tensor<f32>
  %square = arith.mulf %z, %z {prec_train.phase = #prec_train.phase<backward>} : tensor<64x64xf32>
  %g = prec_train.matmul %square, %x {transpose_a, prec_train.phase = #prec_train.phase<backward>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %moment = arith.addf %m, %g {prec_train.phase = #prec_train.phase<optimizer>} : tensor<64x64xf32>
  %direction = prec_train.matmul %moment, %moment {transpose_b, prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %new:2 = prec_train.update %p, %g, %m, %direction, %lr, %one, %t, %one {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 1, 1, 0>, rule = "gram", prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %gram: f32, %rate: f64, %decay: f64, %step: f64):
    %more = arith.addf %sum, %grad : f32
    %single = arith.truncf %rate : f64 to f32
    %change = arith.mulf %single, %gram : f32
    %less = arith.subf %param, %change : f32
    %update = arith.negf %change : f32
    prec_train.yield %less, %more, %update : f32, f32, f32
  }
  return %loss, %new#0, %new#1 : tensor<f32>, tensor<64x64xf32>, tensor<64x64xf32>
}
