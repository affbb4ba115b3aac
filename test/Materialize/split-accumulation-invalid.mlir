// RUN: prec-opt %s --prec-split-accumulation --split-input-file --verify-diagnostics

// split_accumulation_c1
// expected-error @+1 {{state must be updated by the optimizer, but result 0 is not}}
func.func @step(
    %s: tensor<4xf32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "running_mean"},
    %x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}
) -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %n = arith.addf %s, %x : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func @step(
    %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}
) -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  // split_accumulation_c2
  // expected-error @+1 {{what an update reads of a batch must be computed and of a float type, but got 'tensor<4xf32>' as operand 1}}
  %n = arith.addf %w, %x {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func @step(
    %w: tensor<4xi32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "w"},
    %x: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}
) -> (tensor<4xi32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %y = arith.addi %x, %x : tensor<4xi32>
  // expected-error @+1 {{what an update reads of a batch must be computed and of a float type, but got 'tensor<4xi32>' as operand 1}}
  %n = arith.addi %w, %y {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4xi32>
  return %n : tensor<4xi32>
}

// -----

func.func @step(
    %w: tensor<2x2xbf16> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %x: tensor<2x2xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}
) -> (tensor<2x2xbf16> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %y = arith.truncf %x : tensor<2x2xf32> to tensor<2x2xbf16>
  // split_accumulation_c3
  // expected-error @+1 {{a gradient that is accumulated must be read in f32, but got 'tensor<2x2xbf16>' as operand 0}}
  %n = prec_train.transpose %y permutation [1, 0] {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<2x2xbf16>) -> tensor<2x2xbf16>
  return %n : tensor<2x2xbf16>
}

// -----

func.func @step(
    %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}
) -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64},
      tensor<4xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "y"}) attributes {prec.entry = "step"} {
  %g = arith.mulf %x, %x : tensor<4xf32>
  %n = arith.addf %w, %g {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4xf32>
  // split_accumulation_c4
  // expected-error @+1 {{what is computed of a micro-batch must not read an update, but operand 0 is one}}
  %y = arith.mulf %n, %x : tensor<4xf32>
  return %n, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

// split_accumulation_c5
// expected-error @+1 {{a step with micro-batches must update something by gradients, but got none}}
func.func @step(
    %x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}
) -> (tensor<4xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "y"}) attributes {prec.entry = "step"} {
  %y = arith.mulf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @step() attributes {prec.entry = "step"} {
  return
}

// split_accumulation_c6
// expected-error @+1 {{a step must be split once, but got "apply" already}}
func.func @apply() attributes {prec.entry = "apply"} {
  return
}
