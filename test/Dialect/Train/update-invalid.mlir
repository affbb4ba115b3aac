// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  // update_c1
  // expected-error @+1 {{results must be the parameter, 2 states and maybe the update, but got 2}}
  %0:2 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1, 1, 1, 0>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64, %step: f64):
    %new = arith.addf %sum, %grad : f32
    prec_train.yield %new, %new, %count, %grad : f32, f32, f32, f32
  }
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<3x5xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  // update_c2
  // expected-error @+1 {{state 0 must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1, 1, 1, 0>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64, %step: f64):
    %new = arith.addf %sum, %grad : f32
    prec_train.yield %new, %new, %count, %grad : f32, f32, f32, f32
  }
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  // update_c2
  // expected-error @+1 {{new_state 1 must have shape [], but got [4, 8]}}
  %0:3 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1, 1, 1, 0>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64, %step: f64):
    %new = arith.addf %sum, %grad : f32
    prec_train.yield %new, %new, %count, %grad : f32, f32, f32, f32
  }
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  // update_c3
  // expected-error @+1 {{direction 0 must have shape [4, 8], but got []}}
  %0:2 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 0>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64, %step: f64):
    prec_train.yield %param, %sum, %grad : f32, f32, f32
  }
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  // update_c4
  // expected-error @+1 {{the formula's arguments must be 'f32', 'f32', 'f32', 'f32', 'f64', 'f64', 'f64', 'f64', but got 'f32', 'f32', 'f32', 'f32', 'f64', 'f64', 'f64'}}
  %0:3 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1, 1, 1, 0>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64):
    %new = arith.addf %sum, %grad : f32
    prec_train.yield %new, %new, %count, %grad : f32, f32, f32, f32
  }
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  %0:3 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1, 1, 1, 0>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64, %step: f64):
    // update_c5
    // expected-error @+1 {{an operation of a formula must compute one f32, f64 or i1 of such, but got 'bf16'}}
    %new = arith.truncf %sum : f32 to bf16
    prec_train.yield %grad, %sum, %count, %grad : f32, f32, f32, f32
  }
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  %0:3 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1, 1, 1, 0>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64, %step: f64):
    // update_c6
    // expected-error @+1 {{what is f64 in a formula must be one number for all elements, but follows from elements}}
    %new = arith.extf %sum : f32 to f64
    prec_train.yield %grad, %sum, %count, %grad : f32, f32, f32, f32
  }
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  %0:3 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1, 1, 1, 0>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64, %step: f64):
    // update_c7
    // expected-error @+1 {{a formula must yield the parameter, 2 states and the update, but got 3 values}}
    prec_train.yield %grad, %sum, %count : f32, f32, f32
  }
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  %0:3 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1, 1, 1, 0>, rule = "sum"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64, %step: f64):
    // update_c8
    // expected-error @+1 {{a scalar state must follow from scalars, but state 1 follows from elements}}
    prec_train.yield %grad, %sum, %sum, %grad : f32, f32, f32, f32
  }
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  // update_c9
  // expected-error @+1 {{unsigned_states and exact_states must be less than 2, but got 2}}
  %0:3 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1, 1, 1, 0>, rule = "sum", unsigned_states = array<i64: 2>} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64, %step: f64):
    %new = arith.addf %sum, %grad : f32
    prec_train.yield %new, %new, %count, %grad : f32, f32, f32, f32
  }
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s: tensor<4x8xf32>, %n: tensor<f32>, %h: tensor<f32>) {
  // update_c9
  // expected-error @+1 {{unsigned_states and exact_states must be less than 2, but got -1}}
  %0:3 = prec_train.update %p, %g, %s, %n, %h, %h, %h, %h, %h {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1, 1, 1, 0>, rule = "sum", exact_states = array<i64: -1>} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) {
  ^bb0(%param: f32, %grad: f32, %sum: f32, %count: f32, %lr: f64, %beta: f64, %decay: f64, %step: f64):
    %new = arith.addf %sum, %grad : f32
    prec_train.yield %new, %new, %count, %grad : f32, f32, f32, f32
  }
  return
}
