// RUN: prec-opt %s --prec-verify-imported --split-input-file --verify-diagnostics

// entry_c1
// expected-error@below {{the step must be a function with 'prec.entry' = "step", but got @main ("forward"), @step without it}}
module {
  func.func @main() attributes {prec.entry = "forward"} { return }
  func.func private @step()
}

// -----

// entry_c1
// expected-error@below {{the step must be a function with 'prec.entry' = "step", but got no function}}
module {
}

// -----

// imported_c2
// expected-error@below {{step: argument 0 must have a prec_train.role of arguments, but got none}}
func.func @step(%x: tensor<4xf32>) attributes {prec.entry = "step"} { return }

// -----

// imported_c2
// expected-error@below {{step: argument 0 must have a prec_train.role of arguments, but got 'loss'}}
func.func @step(%x: tensor<4xf32> {prec_train.role = #prec_train.role<loss>}) attributes {prec.entry = "step"} { return }

// -----

// imported_c3
// expected-error@below {{step: argument 0 must have a prec_train.path, but got none}}
func.func @step(%x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>}) attributes {prec.entry = "step"} { return }

// -----

// imported_c4
// expected-error@below {{step: argument 1 must have a prec_train.path of its own, but got 'x' as argument 0 has}}
func.func @step(%x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %y: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}) attributes {prec.entry = "step"} { return }

// -----

// imported_c5
// expected-error@below {{step: argument 1 is optimizer state and must name a parameter in prec_train.param_of, but got 'v'}}
func.func @step(%w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %m: tensor<4xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.m", prec_train.param_of = "v", prec_train.slot = "m"}) attributes {prec.entry = "step"} { return }

// -----

// imported_c6
// expected-error@below {{step: argument 1 is optimizer state and must have a prec_train.slot, but got none}}
func.func @step(%w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %m: tensor<4xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.m", prec_train.param_of = "w"}) attributes {prec.entry = "step"} { return }

// -----

// imported_c7
// expected-error@below {{step: result 0 must be a loss, a metric or updated by its prec_train.role, but got none}}
func.func @step(%x: tensor<f32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}) -> tensor<f32> attributes {prec.entry = "step"} {
  return %x : tensor<f32>
}

// -----

// imported_c7
// expected-error@below {{step: result 0 must be a loss, a metric or updated by its prec_train.role, but got 'batch'}}
func.func @step(%x: tensor<f32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}) -> (tensor<f32> {prec_train.role = #prec_train.role<batch>}) attributes {prec.entry = "step"} {
  return %x : tensor<f32>
}

// -----

// imported_c8
// expected-error@below {{step: result 0 is updated and must be donated to an argument by prec_train.donated_to, but got none}}
func.func @step(%w: tensor<f32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}) -> (tensor<f32> {prec_train.role = #prec_train.role<updated>}) attributes {prec.entry = "step"} {
  return %w : tensor<f32>
}

// -----

// imported_c9
// expected-error@below {{step: result 0 is the loss and must be a tensor<f32>, but got 'tensor<4xf32>'}}
func.func @step(%x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}) -> (tensor<4xf32> {prec_train.role = #prec_train.role<loss>}) attributes {prec.entry = "step"} {
  return %x : tensor<4xf32>
}

// -----

// imported_c10
// expected-error@below {{step: one result must be the loss, but got 0}}
func.func @step() attributes {prec.entry = "step"} { return }

// -----

func.func @step(%x: tensor<4x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<8x16xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "w"},
                %b: tensor<16xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "b"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>}) attributes {prec.entry = "step"} {
  // imported_c11
  // expected-error@below {{a bias must be an operation of its own in an imported graph, but got one of a product}}
  %y = prec_train.matmul %x, %w bias %b : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %l = prec_train.reduce sum %y dims [0, 1] : (tensor<4x16xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
