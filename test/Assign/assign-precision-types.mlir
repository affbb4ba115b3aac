// RUN: prec-opt %s -split-input-file -verify-diagnostics --assign-precision="recipe=bf16 target=cpu"

// An island of f64, as torch-mlir's layer norms have it, stays: what is around it is decided.

// expected-remark @+1 {{tensors of f64 stay as they are, and so does what computes them: 3, of which this is the first}}
func.func @island(%c: tensor<8x16xf64>, %x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %w = arith.extf %x : tensor<8x16xf32> to tensor<8x16xf64>
  %p = arith.mulf %w, %c : tensor<8x16xf64>
  %y = arith.truncf %p : tensor<8x16xf64> to tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// assign_c1
func.func @narrow(%x: tensor<8x16xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{tensors of floats must be f64, f32, bf16 or f16 before assignment, but got 'tensor<8x16xf8E4M3FN>'}}
  %q = prec.quantize %x, %s : tensor<8x16xf32> to tensor<8x16xf8E4M3FN>
  return
}

// -----

// assign_c1
func.func @narrower(%x: tensor<16x16xf32>, %s: tensor<16x1xf32>) {
  // expected-error @+1 {{tensors of floats must be f64, f32, bf16 or f16 before assignment, but got 'tensor<16x16xf4E2M1FN>'}}
  %q = prec.quantize %x, %s : tensor<16x16xf32> to tensor<16x16xf4E2M1FN> by nvfp4_1x16 tensor<16x1xf32>
  return
}

// -----

func.func @half(%x: tensor<16x16xf16>) -> tensor<16x16xf16> {
  // assign_c2
  // expected-error @+1 {{must have a product on cpu, but there is no bf16 x bf16 -> f16 product}}
  %y = prec_train.matmul %x, %x : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16>
  return %y : tensor<16x16xf16>
}
