// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  // all_reduce_c1
  // expected-error @+1 {{must be of at least 2 ranks, but got 1}}
  %y = prec_train.all_reduce %x over "tp" {ranks = 1 : i64, reason = "a sum"} : tensor<4xf32>
  return %y : tensor<4xf32>
}
