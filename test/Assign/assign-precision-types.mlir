// RUN: prec-opt %s -split-input-file -verify-diagnostics --assign-precision="recipe=bf16 target=cpu"

// assign_c1
// expected-error @+1 {{tensors of floats must be f32, bf16 or f16 before assignment, but got 'tensor<8xf64>'}}
func.func @wide(%x: tensor<8xf64>) {
  return
}

// -----

// assign_c1
func.func @narrow(%x: tensor<8x16xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{tensors of floats must be f32, bf16 or f16 before assignment, but got 'tensor<8x16xf8E4M3FN>'}}
  %q = prec.quantize %x, %s : tensor<8x16xf32> to tensor<8x16xf8E4M3FN>
  return
}

// -----

func.func @half(%x: tensor<16x16xf16>) -> tensor<16x16xf16> {
  // assign_c2
  // expected-error @+1 {{must have a product on cpu, but there is no bf16 x bf16 -> f16 product}}
  %y = train.matmul %x, %x : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16>
  return %y : tensor<16x16xf16>
}
