// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @scalar(%x: tensor<f32>) {
  // exchange_c1
  // expected-error @+1 {{the first dimension must have a slice for each rank, but got 'tensor<f32>'}}
  %g = prec_train.exchange all_to_all %x over "dp" : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @gather(%x: tensor<4xf32>) {
  // exchange_c2
  // expected-error @+1 {{the result must have the elements of the input, once for each rank, but got 'tensor<4xf32>' and 'tensor<2x3xf32>'}}
  %g = prec_train.exchange all_gather %x over "dp" : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @all(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{the result must have the elements of the input, in its shape, but got 'tensor<2x4xf32>' and 'tensor<4x2xf32>'}}
  %g = prec_train.exchange all_to_all %x over "dp" : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @slice(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{the result must have the elements of the input, of one rank, but got 'tensor<2x4xf32>' and 'tensor<2x4xf32>'}}
  %g = prec_sched.exchange own_slice %x over "dp" : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.mesh'}}
module attributes {prec_train.mesh = {dp = 0 : i64}} {
}
