// RUN: prec-opt %s --split-input-file --verify-diagnostics
// RUN: prec-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(prec-batch-reductions,prec-form-dispatches),prec-plan-memory)" -o /dev/null
// RUN: prec-opt %s --split-input-file --verify-diagnostics --prec-verify-sizes

// A pipeline that does not begin with it leaves such functions alone.

// verify_sizes_c1
// expected-error @+1 {{a tensor must take at most 2^48 bytes, more than can be addressed, but got 'tensor<4294967296x4294967296xf32>'}}
func.func @argument(%x: tensor<4294967296x4294967296xf32>) {
  return
}

// -----

func.func @result(%x: tensor<1x3037000500xf32>) -> tensor<1x3037000500x3037000500xf32> {
  // expected-error @+1 {{but got 'tensor<1x3037000500x3037000500xf32>'}}
  %y = prec_train.broadcast %x dims [0, 1] : (tensor<1x3037000500xf32>) -> tensor<1x3037000500x3037000500xf32>
  return %y : tensor<1x3037000500x3037000500xf32>
}

// -----

func.func @dimension() -> tensor<9223372036854775807xi8> {
  // expected-error @+1 {{but got 'tensor<9223372036854775807xi8>'}}
  %y = tensor.empty() : tensor<9223372036854775807xi8>
  return %y : tensor<9223372036854775807xi8>
}

// -----

// So much and no more.

func.func @most(%x: tensor<70368744177664xf32>, %none: tensor<0x9223372036854775807xf32>, %dynamic: tensor<?x9223372036854775807xf32>) {
  return
}
