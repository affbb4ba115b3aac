// RUN: prec-opt %s --prec-partition-step=mesh=ep=2 --split-input-file --verify-diagnostics

// What a penalty on the weights adds to their gradient has no share of the labels.
func.func @step(%w: tensor<8x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %y: tensor<8xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "labels"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
        tensor<8x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %one = arith.constant dense<1.0> : tensor<f32>
  %loss:3 = prec_train.cross_entropy %w, %y {ignore_index = -100 : i32} : (tensor<8x4xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<8xf32>, tensor<8xf32>)
  %d = prec_train.cross_entropy_grad %one, %w, %y, %loss#1, %loss#2 {ignore_index = -100 : i32, prec_train.phase = #prec_train.phase<backward>} : (tensor<f32>, tensor<8x4xf32>, tensor<8xi32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x4xf32>
  // partition_step_c7
  // expected-error @+1 {{gradients of ranks that have experts of their own must come from losses of labels alone, but got a term that does not, such as of a penalty on weights (ep= takes it with --micro-batch-weights=equal)}}
  %g = arith.addf %d, %w {prec_train.phase = #prec_train.phase<backward>} : tensor<8x4xf32>
  %n = arith.subf %w, %g {prec_train.phase = #prec_train.phase<optimizer>} : tensor<8x4xf32>
  return %loss#0, %n : tensor<f32>, tensor<8x4xf32>
}
