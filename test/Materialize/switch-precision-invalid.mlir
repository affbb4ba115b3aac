// RUN: prec-opt %s --switch-precision --split-input-file --verify-diagnostics

// switch_precision_c1
// expected-error @+1 {{a step whose precision is switched must have products in fp8 or fp4, but got none: compile it without --switchable}}
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  return %x : tensor<4xf32>
}

// -----

func.func @step(%q: tensor<16x32xf8E4M3FN>, %d: tensor<f32>) -> tensor<16x16xbf16> attributes {prec.entry = "step"} {
  // switch_precision_c2
  // expected-error @+1 {{an operand must be quantized in the step or be a work weight of a master, but argument 0 is neither}}
  %y = prec.scaled_matmul %q scale %d, %q scale %d <full> {prec.direction = "fprop"} : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xbf16>
  return %y : tensor<16x16xbf16>
}

// -----

func.func @step(%q: tensor<16x64xf8E4M3FN>, %d: tensor<f32>) -> tensor<16x16xbf16> attributes {prec.entry = "step"} {
  %h = tensor.extract_slice %q[0, 0] [16, 32] [1, 1] : tensor<16x64xf8E4M3FN> to tensor<16x32xf8E4M3FN>
  // switch_precision_c3
  // expected-error @+1 {{an operand must be quantized in the step or be a work weight of a master, but got a result of tensor.extract_slice}}
  %y = prec.scaled_matmul %h scale %d, %h scale %d <full> {prec.direction = "fprop"} : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xbf16>
  return %y : tensor<16x16xbf16>
}

// -----

func.func @step(%q: tensor<16x32xf8E4M3FN>, %d: tensor<f32>) -> tensor<16x16xbf16> attributes {prec.entry = "step"} {
  // quantized_uses_c1
  // expected-error @+1 {{a product of scaled operands must have 'prec.direction', as --assign-precision writes it, but has none}}
  %y = prec.scaled_matmul %q scale %d, %q scale %d <full> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xbf16>
  return %y : tensor<16x16xbf16>
}

// -----

func.func @step(%q: tensor<64x16xf8E4M3FN>, %w: tensor<4x32x16xf8E4M3FN>, %s: tensor<4xf32>, %e: tensor<4xi32>) -> tensor<64x32xbf16> attributes {prec.entry = "step"} {
  // switch_precision_c4
  // expected-error @+1 {{products of experts cannot be switched, but got one in fp8: forbid that by a rule}}
  %y = prec.scaled_grouped_matmul %q scale %s, %w scale %s, %e <fast> by tensor_current, tensor_current {prec.direction = "fprop"}
    : (tensor<64x16xf8E4M3FN>, tensor<4xf32>, tensor<4x32x16xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<64x32xbf16>
  return %y : tensor<64x32xbf16>
}
