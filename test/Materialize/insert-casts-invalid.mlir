// RUN: prec-opt %s --prec-insert-casts --split-input-file --verify-diagnostics

// insert_casts_c1
// expected-error @+1 {{an fp8 or fp4 argument must have a scale argument, but argument 1 has none}}
func.func @f(%s: tensor<f32> {prec_train.param_of = "v", prec_train.slot = "e4m3_scale"},
             %w: tensor<16x32xf8E4M3FN> {prec_train.param_of = "w", prec_train.slot = "e4m3"}) {
  return
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, rule = "r">

func.func @f(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // insert_casts_c2
  // expected-error @+1 {{only prec_train.matmul and products of experts can read fp8 or fp4, but got e4m3 for operand 0}}
  %y = prec_train.softmax %x {operand_tags = [#e4m3]} : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">

func.func @f(%x: tensor<16x32xf32>) -> tensor<f32> {
  // insert_casts_c3
  // expected-error @+1 {{a scalar result must stay f32, but got 'bf16'}}
  %y = prec_train.global_norm %x {result_tags = [#bf16]} : (tensor<16x32xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

#row = #prec.tag<e4m3, scaling = row, rule = "r">

func.func @f(%x: tensor<16x32xf32>,
             %w: tensor<32x16xf8E4M3FN> {prec_train.param_of = "w", prec_train.slot = "e4m3"},
             %s: tensor<32x1xf32> {prec_train.param_of = "w", prec_train.slot = "e4m3_scale"}) -> tensor<16x16xf32> {
  // insert_casts_c4
  // expected-error @+1 {{an fp8 or fp4 operand must be a scaled work weight in its tagged format and scaling with the contracted dimension last, but got 'tensor<32x16xf8E4M3FN>' for operand 1}}
  %y = prec_train.matmul %x, %w {operand_tags = [#row, #row]} : (tensor<16x32xf32>, tensor<32x16xf8E4M3FN>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

#row = #prec.tag<e4m3, scaling = row, rule = "r">

func.func @f(%x: tensor<16x32xf32>,
             %w: tensor<16x32xf8E4M3FN> {prec_train.param_of = "w", prec_train.slot = "e4m3"},
             %s: tensor<f32> {prec_train.param_of = "w", prec_train.slot = "e4m3_scale"}) -> tensor<16x16xf32> {
  // insert_casts_c4: one scale, but rows are tagged.
  // expected-error @+1 {{an fp8 or fp4 operand must be a scaled work weight in its tagged format and scaling with the contracted dimension last, but got 'tensor<16x32xf8E4M3FN>' for operand 1}}
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#row, #row]} : (tensor<16x32xf32>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, rule = "r">

func.func @f(%x: tensor<2x16x16xf32>) -> tensor<2x16x16xf32> {
  // insert_casts_c5
  // expected-error @+1 {{a contraction in fp8 or fp4 must have no batch dimensions, but got 'tensor<2x16x16xf32>'}}
  %y = prec_train.matmul %x, %x {operand_tags = [#e4m3, #e4m3]} : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  return %y : tensor<2x16x16xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#e4m3 = #prec.tag<e4m3, scaling = tensor_current, rule = "r">

func.func @f(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // insert_casts_c6
  // expected-error @+1 {{both operands of a contraction in fp8 or fp4 must be so, but got e4m3 and bf16}}
  %y = prec_train.matmul %x, %x {operand_tags = [#e4m3, #bf16]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, rule = "r">

func.func @f(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // insert_casts_c6
  // expected-error @+1 {{both operands of a contraction in fp8 or fp4 must be so, but got no tag and e4m3}}
  %y = prec_train.matmul %x, %x {operand_tags = [unit, #e4m3]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

#fast = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#promoted = #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "r">

func.func @f(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // insert_casts_c7
  // expected-error @+1 {{operands must agree in their accumulator, but got fast and promoted}}
  %y = prec_train.matmul %x, %x {operand_tags = [#fast, #promoted]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // insert_casts_c8
  // expected-error @+1 {{only prec_train, prec, arith, math and tensor operations, and others that implement PrecisionOpInterface and DecomposeOpInterface, can be materialized, but got one of 'linalg'}}
  %y = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// insert_casts_c9
// expected-error @+1 {{a function must have one block, but got 2}}
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
^next(%y: tensor<4x4xf32>):
  return %y : tensor<4x4xf32>
}

// -----

#fwd = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">

func.func @f(%x: tensor<64x32xf32>, %w: tensor<4x48x32xf32>, %e: tensor<4xi32>) -> tensor<64x48xf32> {
  // insert_casts_c11
  // expected-error @+1 {{matrices of experts in fp8 must be a scaled work weight in its tagged format and scaling with the contracted dimension last, but got 'tensor<4x48x32xf32>'}}
  %y = prec_train.grouped_matmul %x, %w, %e {transpose_b, operand_tags = [#fwd, #fwd, unit]} : (tensor<64x32xf32>, tensor<4x48x32xf32>, tensor<4xi32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// -----

#fwd = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">

func.func @f(%x: tensor<64x32xf32>, %w: tensor<4x48x32xf32>, %e: tensor<4xi32>) -> tensor<64x48xf32> {
  // insert_casts_c6
  // expected-error @+1 {{both operands of a contraction in fp8 or fp4 must be so, but got e4m3 and bf16}}
  %y = prec_train.grouped_matmul %x, %w, %e {transpose_b, operand_tags = [#fwd, #bf16, unit]} : (tensor<64x32xf32>, tensor<4x48x32xf32>, tensor<4xi32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#fwd = #prec.tag<e4m3, scaling = row, accumulator = fast, rule = "r">

module attributes {prec_train.mesh = {ep = 2 : i64}} {
func.func @f(%x: tensor<16x32xbf16>, %dy: tensor<64x48xbf16>, %ids: tensor<64xi32>, %e: tensor<2xi32>,
      %w: tensor<2x48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
      %s: tensor<96xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"}) -> tensor<2x32x48xf32> {
  %rows = prec_train.gather %x, %ids {prec.quantized_tokens, result_tags = [#bf16]} : (tensor<16x32xbf16>, tensor<64xi32>) -> tensor<64x32xbf16>
  // token_casts_c1
  // expected-error @+1 {{rows of quantized tokens must be read as these are quantized, e4m3 by row, but got e4m3 by row of a transposed copy}}
  %dw = prec_train.grouped_matmul_grad %rows, %dy, %e {result_tags = [#bf16], operand_tags = [#fwd, #fwd, unit]} : (tensor<64x32xbf16>, tensor<64x48xbf16>, tensor<2xi32>) -> tensor<2x32x48xf32>
  return %dw : tensor<2x32x48xf32>
}
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#fwd = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">

func.func @f(%x: tensor<16x32xbf16>, %dy: tensor<64x48xbf16>, %ids: tensor<64xi32>, %e: tensor<2xi32>) -> (tensor<2x32x48xf32>, tensor<64x32xbf16>) {
  // token_casts_c2
  // expected-error @+1 {{quantized tokens must be looked up for products of experts in fp8 alone, but got 'prec_train.transpose'}}
  %rows = prec_train.gather %x, %ids {prec.quantized_tokens, result_tags = [#bf16]} : (tensor<16x32xbf16>, tensor<64xi32>) -> tensor<64x32xbf16>
  %dw = prec_train.grouped_matmul_grad %rows, %dy, %e {result_tags = [#bf16], operand_tags = [#fwd, #fwd, unit]} : (tensor<64x32xbf16>, tensor<64x48xbf16>, tensor<2xi32>) -> tensor<2x32x48xf32>
  %t = prec_train.transpose %rows permutation [0, 1] {result_tags = [#bf16]} : (tensor<64x32xbf16>) -> tensor<64x32xbf16>
  return %dw, %t : tensor<2x32x48xf32>, tensor<64x32xbf16>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">

func.func @f(%x: tensor<16x32xbf16>, %ids: tensor<64xi32>) -> tensor<64x32xbf16> {
  // token_casts_c2
  // expected-error @+1 {{quantized tokens must be looked up for products of experts in fp8 alone, but got 'func.return'}}
  %rows = prec_train.gather %x, %ids {prec.quantized_tokens, result_tags = [#bf16]} : (tensor<16x32xbf16>, tensor<64xi32>) -> tensor<64x32xbf16>
  return %rows : tensor<64x32xbf16>
}
