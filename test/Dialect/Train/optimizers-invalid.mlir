// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%p: tensor<4x8xf32>, %g: tensor<3x5xf32>, %h: tensor<f32>) {
  // optimizer_c1
  // expected-error @+1 {{gradient must have shape [4, 8], but got [3, 5]}}
  %0 = prec_train.sgd %p, %g, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c2
  // expected-error @+1 {{new_parameter must have shape [4, 8], but got [3, 5]}}
  %0 = prec_train.sgd %p, %g, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c3
  // expected-error @+1 {{update must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.sgd %p, %g, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<3x5xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c1
  // expected-error @+1 {{gradient must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.sgd_momentum %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<3x5xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c2
  // expected-error @+1 {{new_parameter must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.sgd_momentum %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<3x5xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c3
  // expected-error @+1 {{update must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.sgd_momentum %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<3x5xf32>, %h: tensor<f32>) {
  // sgd_momentum_c1
  // expected-error @+1 {{momentum_buffer must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.sgd_momentum %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // sgd_momentum_c2
  // expected-error @+1 {{new_momentum_buffer must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.sgd_momentum %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<3x5xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c1
  // expected-error @+1 {{gradient must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.lion %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<3x5xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c2
  // expected-error @+1 {{new_parameter must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.lion %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<3x5xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c3
  // expected-error @+1 {{update must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.lion %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<3x5xf32>, %h: tensor<f32>) {
  // lion_c1
  // expected-error @+1 {{exp_avg must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.lion %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // lion_c2
  // expected-error @+1 {{new_exp_avg must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.lion %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<3x5xf32>, %s0: tensor<4x1xf32>, %s1: tensor<1x8xf32>, %h: tensor<f32>) {
  // optimizer_c1
  // expected-error @+1 {{gradient must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.adafactor %p, %g, %s0, %s1, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<3x5xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x1xf32>, %s1: tensor<1x8xf32>, %h: tensor<f32>) {
  // optimizer_c2
  // expected-error @+1 {{new_parameter must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.adafactor %p, %g, %s0, %s1, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<3x5xf32>, tensor<4x1xf32>, tensor<1x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x1xf32>, %s1: tensor<1x8xf32>, %h: tensor<f32>) {
  // optimizer_c3
  // expected-error @+1 {{update must have shape [4, 8], but got [3, 5]}}
  %0:4 = prec_train.adafactor %p, %g, %s0, %s1, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<3x5xf32>, %s1: tensor<1x8xf32>, %h: tensor<f32>) {
  // adafactor_c2
  // expected-error @+1 {{row_var must have shape [4, 1], but got [3, 5]}}
  %0:3 = prec_train.adafactor %p, %g, %s0, %s1, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x1xf32>, %s1: tensor<1x8xf32>, %h: tensor<f32>) {
  // adafactor_c3
  // expected-error @+1 {{new_row_var must have shape [4, 1], but got [3, 5]}}
  %0:3 = prec_train.adafactor %p, %g, %s0, %s1, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<3x5xf32>, tensor<1x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x1xf32>, %s1: tensor<3x5xf32>, %h: tensor<f32>) {
  // adafactor_c4
  // expected-error @+1 {{col_var must have shape [1, 8], but got [3, 5]}}
  %0:3 = prec_train.adafactor %p, %g, %s0, %s1, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x1xf32>, %s1: tensor<1x8xf32>, %h: tensor<f32>) {
  // adafactor_c5
  // expected-error @+1 {{new_col_var must have shape [1, 8], but got [3, 5]}}
  %0:3 = prec_train.adafactor %p, %g, %s0, %s1, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<3x5xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c1
  // expected-error @+1 {{gradient must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.adafactor_unfactored %p, %g, %s0, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<3x5xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c2
  // expected-error @+1 {{new_parameter must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.adafactor_unfactored %p, %g, %s0, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<3x5xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // optimizer_c3
  // expected-error @+1 {{update must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.adafactor_unfactored %p, %g, %s0, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<3x5xf32>, %h: tensor<f32>) {
  // adafactor_unfactored_c1
  // expected-error @+1 {{variance must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.adafactor_unfactored %p, %g, %s0, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  // adafactor_unfactored_c2
  // expected-error @+1 {{new_variance must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.adafactor_unfactored %p, %g, %s0, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%p: tensor<8xf32>, %g: tensor<8xf32>, %s0: tensor<4x1xf32>, %s1: tensor<1x8xf32>, %h: tensor<f32>) {
  // adafactor_c1
  // expected-error @+1 {{parameter must be a matrix or several, but got 'tensor<8xf32>'}}
  %0:3 = prec_train.adafactor %p, %g, %s0, %s1, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<8xf32>, tensor<8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<4x1xf32>, tensor<1x8xf32>)
  return
}
