// RUN: prec-opt %s --prec-insert-loss-scaling --split-input-file --verify-diagnostics

module attributes {prec.loss_scaling = #prec.loss_scaling<static, scale = 2, interval = 1, growth = 2.0, backoff = 0.5>} {
  // insert_loss_scaling_c1
  // expected-error @+1 {{loss scaling must find the gradient of a loss, a prec_train.cross_entropy_grad, but got none}}
  func.func @step(%x: tensor<4xf32>) attributes {prec.entry = "step"} {
    return
  }
}

// -----

// The penalty's gradient does not scale with the loss.

module attributes {prec.loss_scaling = #prec.loss_scaling<static, scale = 2, interval = 1, growth = 2.0, backoff = 0.5>} {
  func.func @step(%g: tensor<f32>, %x: tensor<2x4xf32>, %l: tensor<2xi32>, %max: tensor<2xf32>, %log: tensor<2xf32>, %h: tensor<f32>) -> tensor<2x4xf32> attributes {prec.entry = "step"} {
    %d = prec_train.cross_entropy_grad %g, %x, %l, %max, %log {ignore_index = 0 : i32} : (tensor<f32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
    // insert_loss_scaling_c2
    // expected-error @+1 {{every gradient must scale with the loss, but that of operand 1 does not}}
    %p:3 = prec_train.adamw %x, %x, %x, %x, %h, %h, %h, %h, %h, %h, %h : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    return %d : tensor<2x4xf32>
  }
}

// -----

module attributes {prec.loss_scaling = #prec.loss_scaling<dynamic, scale = 2, interval = 1, growth = 2.0, backoff = 0.5>} {
  // insert_loss_scaling_c3
  // expected-error @+1 {{dynamic loss scaling must have an update to guard, but got none}}
  func.func @step(%g: tensor<f32>, %x: tensor<2x4xf32>, %l: tensor<2xi32>, %max: tensor<2xf32>, %log: tensor<2xf32>) -> tensor<2x4xf32> attributes {prec.entry = "step"} {
    %d = prec_train.cross_entropy_grad %g, %x, %l, %max, %log {ignore_index = 0 : i32} : (tensor<f32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
    return %d : tensor<2x4xf32>
  }
}

// -----

module attributes {prec.loss_scaling = #prec.loss_scaling<static, scale = 2, interval = 1, growth = 2.0, backoff = 0.5>} {
  func.func @step(%g: tensor<f32>, %x: tensor<2x4xf32>, %l: tensor<2xi32>, %max: tensor<2xf32>, %log: tensor<2xf32>) -> tensor<2x4xf32> attributes {prec.entry = "step"} {
    %d = prec_train.cross_entropy_grad %g, %x, %l, %max, %log {ignore_index = 0 : i32} : (tensor<f32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
    // scaled_gradients_c1
    // expected-error @+1 {{a gradient must reach the optimizer through what is linear in it, but got one as operand 1}}
    %y = arith.divf %x, %d : tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}

// -----

module attributes {prec.loss_scaling = #prec.loss_scaling<static, scale = 2, interval = 1, growth = 2.0, backoff = 0.5>} {
  func.func @step(%g: tensor<f32>, %x: tensor<2x4xf32>, %l: tensor<2xi32>, %max: tensor<2xf32>, %log: tensor<2xf32>) -> tensor<2x4xf32> attributes {prec.entry = "step"} {
    %d = prec_train.cross_entropy_grad %g, %x, %l, %max, %log {ignore_index = 0 : i32} : (tensor<f32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
    // scaled_gradients_c2
    // expected-error @+1 {{terms must all scale with the loss, but operand 1 does not}}
    %y = arith.addf %d, %x : tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}

// -----

module attributes {prec.loss_scaling = #prec.loss_scaling<static, scale = 2, interval = 1, growth = 2.0, backoff = 0.5>} {
  func.func @step(%g: tensor<f32>, %x: tensor<2x4xf32>, %l: tensor<2xi32>, %max: tensor<2xf32>, %log: tensor<2xf32>) -> tensor<2x4xf32> attributes {prec.entry = "step"} {
    %d = prec_train.cross_entropy_grad %g, %x, %l, %max, %log {ignore_index = 0 : i32} : (tensor<f32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
    // scaled_gradients_c3
    // expected-error @+1 {{one factor must scale with the loss, but got more}}
    %y = arith.mulf %d, %d : tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}

// -----

module attributes {prec.loss_scaling = #prec.loss_scaling<static, scale = 2, interval = 1, growth = 2.0, backoff = 0.5>} {
  func.func @step(%g: tensor<f32>, %x: tensor<2x4xf32>, %l: tensor<2xi32>, %max: tensor<2xf32>, %log: tensor<2xf32>) -> tensor<2x4xf32> attributes {prec.entry = "step"} {
    %d = prec_train.cross_entropy_grad %g, %x, %l, %max, %log {ignore_index = 0 : i32} : (tensor<f32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
    // scaled_gradients_c4
    // expected-error @+1 {{a gradient must reach the optimizer through what is linear in it, but got an operation that is not known to be: recipes without loss scaling take it (loss-scaling=none)}}
    %y = math.exp %d : tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}

// -----

// A bias adds what does not scale.

module attributes {prec.loss_scaling = #prec.loss_scaling<static, scale = 2, interval = 1, growth = 2.0, backoff = 0.5>} {
  func.func @step(%g: tensor<f32>, %x: tensor<2x4xf32>, %l: tensor<2xi32>, %max: tensor<2xf32>, %log: tensor<2xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> attributes {prec.entry = "step"} {
    %d = prec_train.cross_entropy_grad %g, %x, %l, %max, %log {ignore_index = 0 : i32} : (tensor<f32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
    // expected-error @+1 {{a gradient must reach the optimizer through what is linear in it, but got one as operand 0}}
    %y = prec_train.matmul %d, %w bias %b : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}
