// RUN: prec-opt %s --prec-quantize-moments --split-input-file --verify-diagnostics

module attributes {prec.moments = #prec.moments<dynamic8>} {
func.func @step(%w: tensor<4096xf32>, %m: tensor<4096xf32>, %s: tensor<f32>) -> (tensor<4096xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}, tensor<4096xf32>) attributes {prec.entry = "step"} {
  // quantize_moments_c1
  // expected-error @+1 {{a moment in 8 bits must be an argument that its optimizer alone reads, but state 0 is not}}
  %p:2 = prec_train.lion %w, %w, %m, %s, %s, %s, %s, %s, %s : (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4096xf32>, tensor<4096xf32>)
  %n = arith.negf %m : tensor<4096xf32>
  return %p#1, %n : tensor<4096xf32>, tensor<4096xf32>
}
}

// -----

module attributes {prec.moments = #prec.moments<dynamic8>} {
func.func @step(%w: tensor<4096xf32>, %s: tensor<f32>) -> (tensor<4096xf32>) attributes {prec.entry = "step"} {
  %m = arith.negf %w : tensor<4096xf32>
  // quantize_moments_c1
  // expected-error @+1 {{a moment in 8 bits must be an argument that its optimizer alone reads, but state 0 is not}}
  %p:2 = prec_train.lion %w, %w, %m, %s, %s, %s, %s, %s, %s : (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4096xf32>, tensor<4096xf32>)
  return %p#0 : tensor<4096xf32>
}
}

// -----

module attributes {prec.moments = #prec.moments<dynamic8>} {
func.func @step(%w: tensor<4096xf32>, %m: tensor<4096xf32>, %s: tensor<f32>) -> (tensor<4096xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  // quantize_moments_c2
  // expected-error @+1 {{a moment in 8 bits must be replaced by its optimizer's result, but state 0 is not}}
  %p:2 = prec_train.lion %w, %w, %m, %s, %s, %s, %s, %s, %s : (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4096xf32>, tensor<4096xf32>)
  %n = arith.negf %p#1 : tensor<4096xf32>
  return %n : tensor<4096xf32>
}
}

// -----

module attributes {prec.moments = #prec.moments<dynamic8>} {
func.func @step(%w: tensor<4096xf32>, %m: tensor<4096xf32>, %s: tensor<f32>) -> (tensor<4096xf32>) attributes {prec.entry = "step"} {
  // quantize_moments_c2
  // expected-error @+1 {{a moment in 8 bits must be replaced by its optimizer's result, but state 0 is not}}
  %p:2 = prec_train.lion %w, %w, %m, %s, %s, %s, %s, %s, %s : (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4096xf32>, tensor<4096xf32>)
  return %p#1 : tensor<4096xf32>
}
}

// -----

module attributes {prec.moments = #prec.moments<dynamic8>} {
func.func @step(%w: tensor<4096xf32>, %m: tensor<4096xf32>, %s: tensor<f32>) -> (tensor<4096xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  // quantize_moments_c3
  // expected-error @+1 {{a state in 8 bits must be a running mean, but state 0 is none: moments=f32 keeps it}}
  %p:2 = prec_train.update %w, %w, %m, %s, %s, %s, %s {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 1, 1, 1, 0>, rule = "sum", exact_states = array<i64: 0>} : (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %lr: f64, %decay: f64, %step: f64):
    %new = arith.addf %sum, %grad : f32
    prec_train.yield %param, %new, %grad : f32, f32, f32
  }
  return %p#1 : tensor<4096xf32>
}
}
