// RUN: prec-opt %s --prec-decompose=decompose-grouped --verify-diagnostics

func.func @f(%q: tensor<64x16xf8E4M3FN>, %w: tensor<4x32x16xf8E4M3FN>, %s: tensor<4xf32>, %e: tensor<4xi32>) -> tensor<64x32xbf16> {
  // decompose_c1
  // expected-error @+1 {{products of experts must be in bf16 or f32 where the target multiplies no groups, but got fp8: assign formats for this target}}
  %y = prec.scaled_grouped_matmul %q scale %s, %w scale %s, %e <fast> by tensor_current, tensor_current
    : (tensor<64x16xf8E4M3FN>, tensor<4xf32>, tensor<4x32x16xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<64x32xbf16>
  return %y : tensor<64x32xbf16>
}
