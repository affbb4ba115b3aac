// RUN: not prec-opt %s --prec-partition-step="mesh=dp=2 wire=fp4" 2>&1 | FileCheck %s --check-prefix=WIRE
// RUN: not prec-opt %s --prec-partition-step="mesh=dp=2 zero=4" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not prec-opt %s --prec-partition-step="mesh=dp=2 zero=2" 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not prec-opt %s --prec-partition-step="mesh=tp=2 zero=3" 2>&1 | FileCheck %s --check-prefix=LAYERS
// RUN: prec-opt %s --prec-partition-step="mesh=dp=2 wire=bf16" 2>&1 | FileCheck %s

// partition_step_c5
// WIRE: gradients must be sent in their own format (own), in bf16 or in fp8, but got 'fp4'

// partition_step_c4
// ZERO: the stage of ZeRO must be 1, 3, or 2 of a step with micro-batches (--accumulate), but got 4 without them
// ALONE: the stage of ZeRO must be 1, 3, or 2 of a step with micro-batches (--accumulate), but got 2 without them

// partition_step_c8
// LAYERS: a stage of ZeRO divides states among ranks that have batches of their own (dp=), but got 3 for the mesh tp=2

// In f32 here, rounded to be sent, and added up in f32.
// CHECK: remark: {{.*}}all_to_all of bf16 16 B (1){{.*}}gradients in f32 are rounded to bf16 to be sent, as --exchange-wire=bf16 says
// CHECK: %[[G:.*]] = math.tanh
// CHECK: %[[SENT:.*]] = arith.truncf %[[G]] {{.*}}: tensor<4x4xf32> to tensor<4x4xbf16>
// CHECK: %[[SLICES:.*]] = tensor.expand_shape %[[SENT]]
// CHECK: prec_train.exchange all_to_all %[[SLICES]] over "dp" {{.*}}: (tensor<2x2x4xbf16>) -> tensor<2x2x4xbf16>
// CHECK: arith.extf
// CHECK: arith.addf {{.*}}tensor<2x4xf32>
func.func @step(
    %w: tensor<4x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %x: tensor<4x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
    %h: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"}
) -> (tensor<4x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %g = math.tanh %x {prec_train.phase = #prec_train.phase<backward>} : tensor<4x4xf32>
  %p = prec_train.sgd %w, %g, %h, %h, %h, %h {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4x4xf32>
  return %p : tensor<4x4xf32>
}
