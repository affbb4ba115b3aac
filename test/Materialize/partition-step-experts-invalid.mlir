// RUN: prec-opt %s --prec-partition-step=mesh=ep=2 --split-input-file --verify-diagnostics

// partition_step_c7
// expected-error @+1 {{a loss of ranks that have experts of their own must be a mean over labels, such as without a loss of the router, but it reads an input of the batch beside cross entropies}}
func.func @step(%x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
        tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %p = arith.mulf %w, %x : tensor<4xf32>
  %loss = prec_train.reduce sum %p dims [0] : (tensor<4xf32>) -> tensor<f32>
  %gradient = arith.negf %x : tensor<4xf32>
  %n = arith.subf %w, %gradient {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4xf32>
  return %loss, %n : tensor<f32>, tensor<4xf32>
}

// -----

// partition_step_c6
// expected-error @+1 {{a step whose experts are divided among ranks must take one micro-batch, but got several (--accumulate with ep=)}}
func.func @step(%x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
        tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %p = arith.mulf %w, %x : tensor<4xf32>
  %loss = prec_train.reduce sum %p dims [0] : (tensor<4xf32>) -> tensor<f32>
  %gradient = arith.negf %x : tensor<4xf32>
  %n = arith.subf %w, %gradient {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4xf32>
  return %loss, %n : tensor<f32>, tensor<4xf32>
}

func.func @accumulate() attributes {prec.entry = "accumulate"} {
  return
}
