// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<f32>, %g: tensor<8xf32>) {
  // rms_norm_c1
  // expected-error @+1 {{input must have a last dimension, but got 'tensor<f32>'}}
  %0:2 = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32} : (tensor<f32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<3x5xf32>) {
  // rms_norm_c2
  // expected-error @+1 {{gamma must have shape [8], but got [3, 5]}}
  %0:2 = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32} : (tensor<4x8xf32>, tensor<3x5xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // rms_norm_c3
  // expected-error @+1 {{result must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<3x5xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // rms_norm_c4
  // expected-error @+1 {{rstd must have shape [4], but got [3, 5]}}
  %0:2 = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<f32>, %g: tensor<8xf32>, %r: tensor<4xf32>) {
  // rms_norm_grad_c1
  // expected-error @+1 {{input must have a last dimension, but got 'tensor<f32>'}}
  %0:2 = prec_train.rms_norm_grad %d, %x, %g, %r : (tensor<4x8xf32>, tensor<f32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<3x5xf32>, %x: tensor<4x8xf32>, %g: tensor<8xf32>, %r: tensor<4xf32>) {
  // rms_norm_grad_c2
  // expected-error @+1 {{grad must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.rms_norm_grad %d, %x, %g, %r : (tensor<3x5xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<4x8xf32>, %g: tensor<3x5xf32>, %r: tensor<4xf32>) {
  // rms_norm_grad_c3
  // expected-error @+1 {{gamma must have shape [8], but got [3, 5]}}
  %0:2 = prec_train.rms_norm_grad %d, %x, %g, %r : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<4x8xf32>, %g: tensor<8xf32>, %r: tensor<3x5xf32>) {
  // rms_norm_grad_c4
  // expected-error @+1 {{rstd must have shape [4], but got [3, 5]}}
  %0:2 = prec_train.rms_norm_grad %d, %x, %g, %r : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<3x5xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<4x8xf32>, %g: tensor<8xf32>, %r: tensor<4xf32>) {
  // rms_norm_grad_c5
  // expected-error @+1 {{grad_input must have shape [4, 8], but got [3, 5]}}
  %0:2 = prec_train.rms_norm_grad %d, %x, %g, %r : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<3x5xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<4x8xf32>, %g: tensor<8xf32>, %r: tensor<4xf32>) {
  // rms_norm_grad_c6
  // expected-error @+1 {{grad_gamma must have shape [8], but got [3, 5]}}
  %0:2 = prec_train.rms_norm_grad %d, %x, %g, %r : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%x: tensor<f32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // layer_norm_c1
  // expected-error @+1 {{input must have a last dimension, but got 'tensor<f32>'}}
  %0:3 = prec_train.layer_norm %x, %g, %b {eps = 1.0e-05 : f32} : (tensor<f32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<3x5xf32>, %b: tensor<8xf32>) {
  // layer_norm_c2
  // expected-error @+1 {{gamma must have shape [8], but got [3, 5]}}
  %0:3 = prec_train.layer_norm %x, %g, %b {eps = 1.0e-05 : f32} : (tensor<4x8xf32>, tensor<3x5xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<3x5xf32>) {
  // layer_norm_c3
  // expected-error @+1 {{beta must have shape [8], but got [3, 5]}}
  %0:3 = prec_train.layer_norm %x, %g, %b {eps = 1.0e-05 : f32} : (tensor<4x8xf32>, tensor<8xf32>, tensor<3x5xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // layer_norm_c4
  // expected-error @+1 {{result must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.layer_norm %x, %g, %b {eps = 1.0e-05 : f32} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<3x5xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // layer_norm_c5
  // expected-error @+1 {{mean must have shape [4], but got [3, 5]}}
  %0:3 = prec_train.layer_norm %x, %g, %b {eps = 1.0e-05 : f32} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<3x5xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // layer_norm_c6
  // expected-error @+1 {{rstd must have shape [4], but got [3, 5]}}
  %0:3 = prec_train.layer_norm %x, %g, %b {eps = 1.0e-05 : f32} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<f32>, %g: tensor<8xf32>, %m: tensor<4xf32>, %r: tensor<4xf32>) {
  // layer_norm_grad_c1
  // expected-error @+1 {{input must have a last dimension, but got 'tensor<f32>'}}
  %0:3 = prec_train.layer_norm_grad %d, %x, %g, %m, %r : (tensor<4x8xf32>, tensor<f32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<3x5xf32>, %x: tensor<4x8xf32>, %g: tensor<8xf32>, %m: tensor<4xf32>, %r: tensor<4xf32>) {
  // layer_norm_grad_c2
  // expected-error @+1 {{grad must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.layer_norm_grad %d, %x, %g, %m, %r : (tensor<3x5xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<4x8xf32>, %g: tensor<3x5xf32>, %m: tensor<4xf32>, %r: tensor<4xf32>) {
  // layer_norm_grad_c3
  // expected-error @+1 {{gamma must have shape [8], but got [3, 5]}}
  %0:3 = prec_train.layer_norm_grad %d, %x, %g, %m, %r : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<4x8xf32>, %g: tensor<8xf32>, %m: tensor<3x5xf32>, %r: tensor<4xf32>) {
  // layer_norm_grad_c4
  // expected-error @+1 {{mean must have shape [4], but got [3, 5]}}
  %0:3 = prec_train.layer_norm_grad %d, %x, %g, %m, %r : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<3x5xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<4x8xf32>, %g: tensor<8xf32>, %m: tensor<4xf32>, %r: tensor<3x5xf32>) {
  // layer_norm_grad_c5
  // expected-error @+1 {{rstd must have shape [4], but got [3, 5]}}
  %0:3 = prec_train.layer_norm_grad %d, %x, %g, %m, %r : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<3x5xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<4x8xf32>, %g: tensor<8xf32>, %m: tensor<4xf32>, %r: tensor<4xf32>) {
  // layer_norm_grad_c6
  // expected-error @+1 {{grad_input must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.layer_norm_grad %d, %x, %g, %m, %r : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x5xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<4x8xf32>, %g: tensor<8xf32>, %m: tensor<4xf32>, %r: tensor<4xf32>) {
  // layer_norm_grad_c7
  // expected-error @+1 {{grad_gamma must have shape [8], but got [3, 5]}}
  %0:3 = prec_train.layer_norm_grad %d, %x, %g, %m, %r : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<3x5xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %x: tensor<4x8xf32>, %g: tensor<8xf32>, %m: tensor<4xf32>, %r: tensor<4xf32>) {
  // layer_norm_grad_c8
  // expected-error @+1 {{grad_beta must have shape [8], but got [3, 5]}}
  %0:3 = prec_train.layer_norm_grad %d, %x, %g, %m, %r : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // softmax_c1
  // expected-error @+1 {{input must have a last dimension, but got 'tensor<f32>'}}
  %0 = prec_train.softmax %x : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // softmax_c2
  // expected-error @+1 {{result must have shape [4, 8], but got [3, 5]}}
  %0 = prec_train.softmax %x : (tensor<4x8xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%d: tensor<f32>, %y: tensor<4x8xf32>) {
  // softmax_grad_c1
  // expected-error @+1 {{input must have a last dimension, but got 'tensor<f32>'}}
  %0 = prec_train.softmax_grad %d, %y : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %y: tensor<3x5xf32>) {
  // softmax_grad_c2
  // expected-error @+1 {{output must have shape [4, 8], but got [3, 5]}}
  %0 = prec_train.softmax_grad %d, %y : (tensor<4x8xf32>, tensor<3x5xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // softmax_grad_c3
  // expected-error @+1 {{grad_input must have shape [4, 8], but got [3, 5]}}
  %0 = prec_train.softmax_grad %d, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4x8xf32>, %i: tensor<4xi32>) {
  // cross_entropy_c1
  // expected-error @+1 {{logits must be a matrix, but got 'tensor<2x4x8xf32>'}}
  %0:3 = prec_train.cross_entropy %x, %i {ignore_index = -100 : i32} : (tensor<2x4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // divided_c1
  // expected-error @+1 {{what is divided must have an axis and at least two ranks, but got axis "tp" and ranks <<NULL ATTRIBUTE>>}}
  %0:3 = prec_train.cross_entropy %x, %i {axis = "tp", ignore_index = -100 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%d: tensor<f32>, %x: tensor<4x8xf32>, %i: tensor<4xi32>, %max: tensor<4xf32>, %log: tensor<4xf32>) {
  // divided_c1
  // expected-error @+1 {{what is divided must have an axis and at least two ranks, but got axis "tp" and ranks 1}}
  %0 = prec_train.cross_entropy_grad %d, %x, %i, %max, %log {axis = "tp", ignore_index = -100 : i32, ranks = 1 : i64} : (tensor<f32>, tensor<4x8xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %i: tensor<5xi32>) {
  // cross_entropy_c2
  // expected-error @+1 {{labels must have shape [4], but got [5]}}
  %0:3 = prec_train.cross_entropy %x, %i {ignore_index = -100 : i32} : (tensor<4x8xf32>, tensor<5xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // cross_entropy_c3
  // expected-error @+1 {{maximum must have shape [4], but got [3, 5]}}
  %0:3 = prec_train.cross_entropy %x, %i {ignore_index = -100 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<3x5xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // cross_entropy_c4
  // expected-error @+1 {{log_sum must have shape [4], but got [3, 5]}}
  %0:3 = prec_train.cross_entropy %x, %i {ignore_index = -100 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%d: tensor<f32>, %x: tensor<8xf32>, %i: tensor<4xi32>, %max: tensor<4xf32>, %log: tensor<4xf32>) {
  // cross_entropy_grad_c1
  // expected-error @+1 {{logits must be a matrix, but got 'tensor<8xf32>'}}
  %0 = prec_train.cross_entropy_grad %d, %x, %i, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<8xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%d: tensor<f32>, %x: tensor<4x8xf32>, %i: tensor<5xi32>, %max: tensor<4xf32>, %log: tensor<4xf32>) {
  // cross_entropy_grad_c2
  // expected-error @+1 {{labels must have shape [4], but got [5]}}
  %0 = prec_train.cross_entropy_grad %d, %x, %i, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<4x8xf32>, tensor<5xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%d: tensor<f32>, %x: tensor<4x8xf32>, %i: tensor<4xi32>, %max: tensor<3x5xf32>, %log: tensor<4xf32>) {
  // cross_entropy_grad_c3
  // expected-error @+1 {{maximum must have shape [4], but got [3, 5]}}
  %0 = prec_train.cross_entropy_grad %d, %x, %i, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<4x8xf32>, tensor<4xi32>, tensor<3x5xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%d: tensor<f32>, %x: tensor<4x8xf32>, %i: tensor<4xi32>, %max: tensor<4xf32>, %log: tensor<3x5xf32>) {
  // cross_entropy_grad_c4
  // expected-error @+1 {{log_sum must have shape [4], but got [3, 5]}}
  %0 = prec_train.cross_entropy_grad %d, %x, %i, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<4x8xf32>, tensor<4xi32>, tensor<4xf32>, tensor<3x5xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%d: tensor<f32>, %x: tensor<4x8xf32>, %i: tensor<4xi32>, %max: tensor<4xf32>, %log: tensor<4xf32>) {
  // cross_entropy_grad_c5
  // expected-error @+1 {{grad_logits must have shape [4, 8], but got [3, 5]}}
  %0 = prec_train.cross_entropy_grad %d, %x, %i, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<4x8xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<3x5xf32>
  return
}
