// RUN: prec-opt %s --prec-verify-materialized --split-input-file --verify-diagnostics

// verify_materialized_c1
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{tags and classes must be gone, but got 'prec.result_tags'}}
  %y = math.exp %x {prec.result_tags = [#prec.tag<f32, rule = "r">]} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// verify_materialized_c1
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{tags and classes must be gone, but got 'operand_tags'}}
  %y = prec_train.matmul %x, %x {operand_tags = [unit, unit]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// verify_materialized_c1
// expected-error @+1 {{tags and classes must be gone, but got 'prec.tag' on argument 0}}
func.func @f(%x: tensor<4xf32> {prec.tag = #prec.tag<f32, rule = "r">}) {
  return
}

// -----

// verify_materialized_c2
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{operations must be of arith, math, tensor, prec_train, prec or func, or implement DecomposeOpInterface}}
  %y = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// verify_materialized_c3
func.func @f(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // expected-error @+1 {{arithmetic must be in f32, but got 'tensor<4xbf16>'}}
  %y = arith.addf %x, %x : tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// verify_materialized_c3
func.func @f(%x: tensor<4x4xbf16>) -> tensor<4xbf16> {
  // expected-error @+1 {{arithmetic must be in f32, but got 'tensor<4x4xbf16>'}}
  %y = prec_train.reduce sum %x dims [0] : (tensor<4x4xbf16>) -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// verify_materialized_c4
func.func @f(%x: tensor<4x4xbf16>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{operands must have one format wider than fp8, but got 'bf16' and 'f32'}}
  %y = prec_train.matmul %x, %w : (tensor<4x4xbf16>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// verify_materialized_c4
func.func @f(%a: tensor<2x8x4xbf16>, %b: tensor<6x3x4xf32>) -> tensor<2x8x6xf32> {
  // expected-error @+1 {{operands must have one format wider than fp8, but got 'bf16' and 'f32'}}
  %y = prec_train.conv %a, %b {strides = array<i64: 1>, low = array<i64: 1>, high = array<i64: 1>, dilations = array<i64: 1>, groups = 1 : i32} : (tensor<2x8x4xbf16>, tensor<6x3x4xf32>) -> tensor<2x8x6xf32>
  return %y : tensor<2x8x6xf32>
}

// -----

// verify_materialized_c4
func.func @f(%a: tensor<2x8x6xbf16>, %b: tensor<6x3x4xf32>) -> tensor<2x8x4xf32> {
  // expected-error @+1 {{operands must have one format wider than fp8, but got 'bf16' and 'f32'}}
  %y = prec_train.conv_grad_input %a, %b {strides = array<i64: 1>, low = array<i64: 1>, high = array<i64: 1>, dilations = array<i64: 1>, groups = 1 : i32} : (tensor<2x8x6xbf16>, tensor<6x3x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

// verify_materialized_c4
func.func @f(%a: tensor<2x8x6xbf16>, %b: tensor<2x8x4xf32>) -> tensor<6x3x4xf32> {
  // expected-error @+1 {{operands must have one format wider than fp8, but got 'bf16' and 'f32'}}
  %y = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1>, low = array<i64: 1>, high = array<i64: 1>, dilations = array<i64: 1>, groups = 1 : i32} : (tensor<2x8x6xbf16>, tensor<2x8x4xf32>) -> tensor<6x3x4xf32>
  return %y : tensor<6x3x4xf32>
}

// -----

// verify_materialized_c4
func.func @f(%x: tensor<4x4xf8E4M3FN>) -> tensor<4x4xf32> {
  // expected-error @+1 {{operands must have one format wider than fp8, but got 'f8E4M3FN' and 'f8E4M3FN'}}
  %y = prec_train.matmul %x, %x : (tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// verify_materialized_c5
func.func @f(%x: tensor<4x4xf8E4M3FN>) -> tensor<4x4xf32> {
  // expected-error @+1 {{only fp8 and fp4 contractions, dequantization and layout operations may read fp8 or fp4, but got 'tensor<4x4xf8E4M3FN>'}}
  %y = prec_train.softmax %x : (tensor<4x4xf8E4M3FN>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// verify_materialized_c5
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf8E4M3FN> {
  // expected-error @+1 {{fp8 and fp4 values must come from prec.quantize, but got 'tensor<4x4xf8E4M3FN>'}}
  %y = arith.truncf %x : tensor<4x4xf32> to tensor<4x4xf8E4M3FN>
  return %y : tensor<4x4xf8E4M3FN>
}

// -----

// verify_materialized_c6
func.func @f(%x: tensor<16x16xf32>, %z: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %a = prec.amax %x : tensor<16x16xf32>
  %s, %d = prec.update_scale %a for e4m3
  %q = prec.quantize %x, %s : tensor<16x16xf32> to tensor<16x16xf8E4M3FN>
  %b = prec.amax %z : tensor<16x16xf32>
  %t, %e = prec.update_scale %b for e4m3
  %r = prec.quantize %z, %t : tensor<16x16xf32> to tensor<16x16xf8E4M3FN>
  // expected-error @+1 {{the scale of an operand must be the inverse scale of its own quantization, but rhs has another}}
  %y = prec.scaled_matmul %q scale %d, %r scale %d <fast> : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// verify_materialized_c6: the scale is not the inverse scale.
func.func @f(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %a = prec.amax %x : tensor<16x16xf32>
  %s, %d = prec.update_scale %a for e4m3
  %q = prec.quantize %x, %s : tensor<16x16xf32> to tensor<16x16xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<16x16xf8E4M3FN>) -> tensor<16x16xf8E4M3FN>
  // expected-error @+1 {{the scale of an operand must be the inverse scale of its own quantization, but lhs has another}}
  %y = prec.scaled_matmul %t scale %s, %q scale %d <fast> : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// verify_materialized_c6: the scale of one rank's tokens, of all of which rows are.
module attributes {prec_train.mesh = {ep = 2 : i64}} {
func.func @f(%x: tensor<8x32xbf16>, %ids: tensor<64xi32>, %e: tensor<2xi32>,
      %w: tensor<2x48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
      %s: tensor<2xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"}) -> tensor<64x48xf32> {
  %a = prec.amax %x : tensor<8x32xbf16>
  %scale, %inv = prec.update_scale %a for e4m3
  %q = prec.quantize %x, %scale : tensor<8x32xbf16> to tensor<8x32xf8E4M3FN>
  %all = prec_train.exchange all_gather %q over "ep" : (tensor<8x32xf8E4M3FN>) -> tensor<2x8x32xf8E4M3FN>
  %t = tensor.collapse_shape %all [[0, 1], [2]] : tensor<2x8x32xf8E4M3FN> into tensor<16x32xf8E4M3FN>
  %rows = prec_train.gather %t, %ids : (tensor<16x32xf8E4M3FN>, tensor<64xi32>) -> tensor<64x32xf8E4M3FN>
  %of = prec_train.broadcast %inv dims [] : (tensor<f32>) -> tensor<2xf32>
  // expected-error @+1 {{the scale of an operand must be the inverse scale of its own quantization, but lhs has another}}
  %y = prec.scaled_grouped_matmul %rows scale %of, %w scale %s, %e <fast> by tensor_current, tensor_current : (tensor<64x32xf8E4M3FN>, tensor<2xf32>, tensor<2x48x32xf8E4M3FN>, tensor<2xf32>, tensor<2xi32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}
}

// -----

// verify_materialized_c6: scales of other rows than those that are looked up.
func.func @f(%x: tensor<16x32xbf16>, %ids: tensor<64xi32>, %others: tensor<64xi32>, %e: tensor<2xi32>,
      %w: tensor<2x48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
      %s: tensor<96xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"}) -> tensor<64x48xf32> {
  %a = prec.amax %x : tensor<16x32xbf16> by row tensor<16xf32>
  %scale, %inv = prec.update_scale %a for e4m3 by row tensor<16xf32>
  %q = prec.quantize %x, %scale : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN> by row tensor<16xf32>
  %rows = prec_train.gather %q, %ids : (tensor<16x32xf8E4M3FN>, tensor<64xi32>) -> tensor<64x32xf8E4M3FN>
  %of = prec_train.gather %inv, %others : (tensor<16xf32>, tensor<64xi32>) -> tensor<64xf32>
  // expected-error @+1 {{the scale of an operand must be the inverse scale of its own quantization, but lhs has another}}
  %y = prec.scaled_grouped_matmul %rows scale %of, %w scale %s, %e <fast> by row, row : (tensor<64x32xf8E4M3FN>, tensor<64xf32>, tensor<2x48x32xf8E4M3FN>, tensor<96xf32>, tensor<2xi32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// -----

// verify_materialized_c6: the scale of another weight.
func.func @f(%w: tensor<16x16xf8E4M3FN> {prec_train.param_of = "w", prec_train.slot = "e4m3"},
             %v: tensor<16x16xf8E4M3FN> {prec_train.param_of = "v", prec_train.slot = "e4m3"},
             %s: tensor<f32> {prec_train.param_of = "w", prec_train.slot = "e4m3_scale"}) -> tensor<16x16xf32> {
  // expected-error @+1 {{the scale of an operand must be the inverse scale of its own quantization, but rhs has another}}
  %y = prec.scaled_matmul %w scale %s, %v scale %s <fast> : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// verify_materialized_c6: the amax of another value.
func.func @f(%x: tensor<16x16xf32>, %z: tensor<16x16xf32>) -> tensor<16x16xf8E4M3FN> {
  %a = prec.amax %z : tensor<16x16xf32>
  %s, %d = prec.update_scale %a for e4m3
  // expected-error @+1 {{the scale of a quantization must come from the amax of its own input}}
  %q = prec.quantize %x, %s : tensor<16x16xf32> to tensor<16x16xf8E4M3FN>
  return %q : tensor<16x16xf8E4M3FN>
}

// -----

// verify_materialized_c6: the amaxes of what is joined, in another order.
func.func @f(%x: tensor<16x16xf32>, %z: tensor<16x16xf32>) -> tensor<32x16xf8E4M3FN> {
  %a = prec.amax %x : tensor<16x16xf32>
  %b = prec.amax %z : tensor<16x16xf32>
  %m = arith.maxnumf %a, %b : tensor<f32>
  %s, %d = prec.delayed_scale %m of "x+z/e4m3" for e4m3
  // expected-error @+1 {{the scale of a quantization must come from the amax of its own input}}
  %q = prec.quantize %z, %s : tensor<16x16xf32> to tensor<16x16xf8E4M3FN>
  %r = prec.quantize %x, %s : tensor<16x16xf32> to tensor<16x16xf8E4M3FN>
  %j = tensor.concat dim(0) %q, %r : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<32x16xf8E4M3FN>
  return %j : tensor<32x16xf8E4M3FN>
}

// -----

// verify_materialized_c6: a row's inverse scale does not follow a transposition.
func.func @f(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %a = prec.amax %x : tensor<16x16xf32> by row tensor<16xf32>
  %s, %d = prec.update_scale %a for e4m3 by row tensor<16xf32>
  %q = prec.quantize %x, %s : tensor<16x16xf32> to tensor<16x16xf8E4M3FN> by row tensor<16xf32>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<16x16xf8E4M3FN>) -> tensor<16x16xf8E4M3FN>
  // expected-error @+1 {{the scale of an operand must be the inverse scale of its own quantization, but rhs has another}}
  %y = prec.scaled_matmul %q scale %d, %t scale %d <fast> : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32> by row tensor<16xf32>, row tensor<16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// verify_materialized_c6: the rows of the other layout of a weight.
func.func @f(%w: tensor<16x16xf8E4M3FN> {prec_train.param_of = "w", prec_train.slot = "e4m3"},
             %t: tensor<16x16xf8E4M3FN> {prec_train.param_of = "w", prec_train.slot = "e4m3_t"},
             %s: tensor<16xf32> {prec_train.param_of = "w", prec_train.slot = "e4m3_scale"},
             %u: tensor<16xf32> {prec_train.param_of = "w", prec_train.slot = "e4m3_t_scale"}) -> tensor<16x16xf32> {
  // expected-error @+1 {{the scale of an operand must be the inverse scale of its own quantization, but rhs has another}}
  %y = prec.scaled_matmul %t scale %u, %w scale %u <fast> : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32> by row tensor<16xf32>, row tensor<16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// verify_materialized_c6: blocks of another matrix of the same elements.
func.func @f(%x: tensor<96x384xf32>) -> tensor<128x288xf8E4M3FN> {
  %a = prec.amax %x : tensor<96x384xf32> by block_128x128 tensor<1x3xf32>
  %s, %d = prec.update_scale %a for e4m3 by block_128x128 tensor<1x3xf32> to tensor<1x1x4xf32>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<96x384xf32> into tensor<36864xf32>
  %v = tensor.expand_shape %c [[0, 1]] output_shape [128, 288] : tensor<36864xf32> into tensor<128x288xf32>
  // expected-error @+1 {{the scale of a quantization must come from the amax of its own input}}
  %q = prec.quantize %v, %s : tensor<128x288xf32> to tensor<128x288xf8E4M3FN> by block_128x128 tensor<1x3xf32>
  return %q : tensor<128x288xf8E4M3FN>
}

// -----

// verify_materialized_c6: the scale of another format.
func.func @f(%x: tensor<16x16xf32>) -> tensor<16x16xf8E4M3FN> {
  %a = prec.amax %x : tensor<16x16xf32>
  %s, %d = prec.update_scale %a for e5m2
  // expected-error @+1 {{the scale of a quantization must be for e4m3, but got e5m2}}
  %q = prec.quantize %x, %s : tensor<16x16xf32> to tensor<16x16xf8E4M3FN>
  return %q : tensor<16x16xf8E4M3FN>
}

// -----

// verify_materialized_c7
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{a cast must have a use}}
  %y = arith.truncf %x : tensor<4xf32> to tensor<4xbf16>
  return
}

// -----

// verify_materialized_c8
func.func @f(%x: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-note @+1 {{the first is here}}
  %y = arith.extf %x : tensor<4xbf16> to tensor<4xf32>
  // expected-error @+1 {{a value must be cast to a format once, but got a second cast}}
  %z = arith.extf %x : tensor<4xbf16> to tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// verify_materialized_c8: the same value through two reshapes.
func.func @f(%x: tensor<2x8x16xf32>) -> (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32>
  %e = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32>
  %a = prec.amax %c : tensor<16x16xf32>
  %s, %d = prec.update_scale %a for e4m3
  // expected-note @+1 {{the first is here}}
  %q = prec.quantize %c, %s : tensor<16x16xf32> to tensor<16x16xf8E4M3FN>
  // expected-error @+1 {{a value must be cast to a format once, but got a second cast}}
  %r = prec.quantize %e, %s : tensor<16x16xf32> to tensor<16x16xf8E4M3FN>
  return %q, %r : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>
}

// -----

// verify_materialized_c9
func.func @f(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %y = arith.extf %x : tensor<4xbf16> to tensor<4xf32>
  // expected-error @+1 {{a value must not be widened and narrowed back, but got a cast of arith.extf}}
  %z = arith.truncf %y : tensor<4xf32> to tensor<4xbf16>
  return %z : tensor<4xbf16>
}

// -----

// verify_materialized_c10
func.func @f(%x: tensor<4x8xbf16>, %g: tensor<8xbf16>) -> tensor<4x8xbf16> {
  // expected-error @+1 {{statistics and moments must be f32, but got 'tensor<4xbf16>'}}
  %y:2 = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32} : (tensor<4x8xbf16>, tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4xbf16>)
  return %y#0 : tensor<4x8xbf16>
}

// -----

// verify_materialized_c12
func.func @f(%w: tensor<8xbf16>, %m: tensor<8xf32>, %s: tensor<f32>) -> tensor<8xf16> {
  // expected-error @+1 {{a master must be f32 or bf16 and stay so, but got 'bf16' and 'f16'}}
  %p:3 = prec_train.adamw %w, %m, %m, %m, %s, %s, %s, %s, %s, %s, %s : (tensor<8xbf16>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8xf16>, tensor<8xf32>, tensor<8xf32>)
  return %p#0 : tensor<8xf16>
}

// -----

// verify_materialized_c11
// expected-error @+1 {{a work weight or scale must be read, but argument 0 is not}}
func.func @step(%w: tensor<4xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "bf16"}) attributes {prec.entry = "step"} {
  return
}

// -----

// verify_materialized_c11
// expected-error @+1 {{@init or a loader must make every work weight and scale, but argument 0 of type 'tensor<4xbf16>' is missing there}}
func.func @step(%w: tensor<4xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "bf16"}) -> tensor<4xbf16> attributes {prec.entry = "step"} {
  return %w : tensor<4xbf16>
}

// -----

func.func @init(%m: tensor<8xf32>) -> (tensor<8xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "bf16"}) attributes {prec.entry = "init"} {
  %w = arith.truncf %m : tensor<8xf32> to tensor<8xbf16>
  return %w : tensor<8xbf16>
}
// verify_materialized_c11
// expected-error @+1 {{@init or a loader must make every work weight and scale, but argument 0 of type 'tensor<4xbf16>' has another type there}}
func.func @step(%w: tensor<4xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "bf16"}) -> tensor<4xbf16> attributes {prec.entry = "step"} {
  return %w : tensor<4xbf16>
}

// -----

func.func @init(%m: tensor<8xf32>) -> (tensor<8xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "bf16"}) attributes {prec.entry = "init"} {
  %w = arith.truncf %m : tensor<8xf32> to tensor<8xbf16>
  return %w : tensor<8xbf16>
}
// verify_materialized_c11
// expected-error @+1 {{@init and loaders must make the work weights and scales of the step, but got 1 for 0}}
func.func @step() attributes {prec.entry = "step"} {
  return
}

// -----

// A loader makes what nothing reads.
func.func @load.w(%m: tensor<8xf32> {prec_train.role = #prec_train.role<staged_parameter>, prec_train.path = "w"}) -> (tensor<8xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "bf16"}) {
  %w = arith.truncf %m : tensor<8xf32> to tensor<8xbf16>
  return %w : tensor<8xbf16>
}
// verify_materialized_c11
// expected-error @+1 {{@init and loaders must make the work weights and scales of the step, but got 1 for 0}}
func.func @step() attributes {prec.entry = "step"} {
  return
}

// -----

// verify_materialized_c13
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{a custom operation must have its own types, but got 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [bf16], makes = [f32], gradients = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// verify_materialized_c13
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{a custom operation must have its own types, but got 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f16], gradients = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// verify_materialized_c6: the inverse scales of experts of another operand.
func.func @f(%x: tensor<64x32xf32>, %y: tensor<64x48xf32>, %e: tensor<4xi32>) -> tensor<4x32x48xf32> {
  %a = prec.group_amax %x, %e : (tensor<64x32xf32>, tensor<4xi32>) -> tensor<4xf32>
  %s, %d = prec.update_scale %a for e4m3 by row tensor<4xf32>
  %r = prec.group_scales %s, %e : (tensor<4xf32>, tensor<4xi32>) -> tensor<64xf32>
  %q = prec.quantize %x, %r : tensor<64x32xf32> to tensor<64x32xf8E4M3FN> by row tensor<64xf32>
  %xa = prec.align_groups %q, %e : (tensor<64x32xf8E4M3FN>, tensor<4xi32>) -> tensor<512x32xf8E4M3FN>
  %xt = prec_train.transpose %xa permutation [1, 0] : (tensor<512x32xf8E4M3FN>) -> tensor<32x512xf8E4M3FN>
  %b = prec.group_amax %y, %e : (tensor<64x48xf32>, tensor<4xi32>) -> tensor<4xf32>
  %t, %i = prec.update_scale %b for e4m3 by row tensor<4xf32>
  %v = prec.group_scales %t, %e : (tensor<4xf32>, tensor<4xi32>) -> tensor<64xf32>
  %p = prec.quantize %y, %v : tensor<64x48xf32> to tensor<64x48xf8E4M3FN> by row tensor<64xf32>
  %ya = prec.align_groups %p, %e : (tensor<64x48xf8E4M3FN>, tensor<4xi32>) -> tensor<512x48xf8E4M3FN>
  %yt = prec_train.transpose %ya permutation [1, 0] : (tensor<512x48xf8E4M3FN>) -> tensor<48x512xf8E4M3FN>
  // expected-error @+1 {{the scale of an operand must be the inverse scale of its own quantization, but rhs has another}}
  %w = prec.scaled_grouped_matmul %xt scale %d, %yt scale %d, %e <fast> by tensor_current, tensor_current
    : (tensor<32x512xf8E4M3FN>, tensor<4xf32>, tensor<48x512xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<4x32x48xf32>
  return %w : tensor<4x32x48xf32>
}

// -----

// verify_materialized_c6: the amaxes of other groups.
func.func @f(%x: tensor<64x32xf32>, %e: tensor<4xi32>, %f: tensor<4xi32>) -> tensor<64x32xf8E4M3FN> {
  %a = prec.group_amax %x, %f : (tensor<64x32xf32>, tensor<4xi32>) -> tensor<4xf32>
  %s, %d = prec.update_scale %a for e4m3 by row tensor<4xf32>
  %r = prec.group_scales %s, %e : (tensor<4xf32>, tensor<4xi32>) -> tensor<64xf32>
  // expected-error @+1 {{the scale of a quantization must come from the amax of its own input}}
  %q = prec.quantize %x, %r : tensor<64x32xf32> to tensor<64x32xf8E4M3FN> by row tensor<64xf32>
  return %q : tensor<64x32xf8E4M3FN>
}
