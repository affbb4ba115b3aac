// RUN: prec-opt %s --prec-convert-prec-to-linalg --split-input-file --verify-diagnostics

func.func @composite(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // to_linalg_c1
  // expected-error @+1 {{'prec_train.softmax' op must be decomposed before it is written as linalg (--prec-decompose)}}
  %y = prec_train.softmax %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @fine(%x: tensor<16x32xf32>, %s: tensor<16xf32>) -> tensor<16x32xf8E4M3FN> {
  // to_linalg_c1
  // expected-error @+1 {{'prec.quantize' op must be decomposed before it is written as linalg (--prec-decompose)}}
  %q = prec.quantize %x, %s : tensor<16x32xf32> to tensor<16x32xf8E4M3FN> by row tensor<16xf32>
  return %q : tensor<16x32xf8E4M3FN>
}

// -----

func.func @order(%i: tensor<4xi32>) -> tensor<2x4xi32> {
  // to_linalg_c2
  // expected-error @+1 {{'prec_train.sort_ids' op must be read by sums of rows alone to be written as linalg, but got 'func.return'}}
  %s = prec_train.sort_ids %i below 16 : (tensor<4xi32>) -> tensor<2x4xi32>
  return %s : tensor<2x4xi32>
}

// -----

func.func @delayed(%a: tensor<f32>) -> tensor<f32> {
  // to_linalg_c3
  // expected-error @+1 {{'prec.delayed_scale' op must be carried between steps before it is written as linalg (--prec-carry-amax)}}
  %s, %d = prec.delayed_scale %a of "up/activation" for e4m3
  return %s : tensor<f32>
}

// -----

func.func @own(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // to_linalg_c4
  // expected-error @+1 {{'prec_train.custom' op calls 'mylib::silu.default', a function of the user's own, which linalg cannot}}
  %y = prec_train.custom %x {function = "mylib::silu.default", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = []} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @scheduled(%a: tensor<4x8xbf16>, %b: tensor<8x16xbf16>) -> tensor<4x16xbf16> {
  // to_linalg_c5
  // expected-error @+1 {{'prec_sched.gemm' op belongs to a schedule; graphs are written as linalg without one}}
  %y = prec_sched.gemm %a, %b <full> {id = 1 : i64} : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  return %y : tensor<4x16xbf16>
}

// -----

func.func @tagged(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  // to_linalg_c6
  // expected-error @+1 {{'prec_train.matmul' op must be materialized before it is written as linalg, but got tags (prec-materialize, or prec-materialize-forward, of a function with 'prec.entry')}}
  %y = prec_train.matmul %x, %w {result_tags = [#prec.tag<bf16, rule = "r">]} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
