// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%m: tensor<64x64xf32>) {
  // dynamic_quantize_c1
  // expected-error @+1 {{absmax must be of whole blocks of 256 elements, but got 'tensor<15xf32>' for 'tensor<64x64xf32>'}}
  %c, %a = prec.dynamic_quantize %m signed : tensor<64x64xf32> to tensor<64x64xi8>, tensor<15xf32>
  return
}

// -----

func.func @f(%m: tensor<300xf32>) {
  // dynamic_quantize_c1
  // expected-error @+1 {{absmax must be of whole blocks of 256 elements, but got 'tensor<1xf32>' for 'tensor<300xf32>'}}
  %c, %a = prec.dynamic_quantize %m : tensor<300xf32> to tensor<300xi8>, tensor<1xf32>
  return
}

// -----

func.func @f(%m: tensor<512xf32>) {
  // expected-error @+1 {{failed to verify that all of {input, codes} have same shape}}
  %c, %a = prec.dynamic_quantize %m : tensor<512xf32> to tensor<256x2xi8>, tensor<2xf32>
  return
}

// -----

func.func @f(%c: tensor<512xi8>, %a: tensor<2x1xf32>) {
  // dynamic_dequantize_c1
  // expected-error @+1 {{absmax must be of whole blocks of 256 elements, but got 'tensor<2x1xf32>' for 'tensor<512xi8>'}}
  %m = prec.dynamic_dequantize %c, %a : tensor<512xi8>, tensor<2x1xf32> to tensor<512xf32>
  return
}

// -----

func.func @f(%c: tensor<512xi8>, %a: tensor<2xf32>) {
  // expected-error @+1 {{failed to verify that all of {codes, result} have same shape}}
  %m = prec.dynamic_dequantize %c, %a : tensor<512xi8>, tensor<2xf32> to tensor<2x256xf32>
  return
}

// -----

// prec_c8
// expected-error @+1 {{'prec.moments' must be #prec.moments, but got "dynamic8"}}
module attributes {prec.moments = "dynamic8"} {}
