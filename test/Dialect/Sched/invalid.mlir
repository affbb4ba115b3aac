// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<8xf32>, %w: tensor<8x4xf32>) {
  // gemm_c1
  // expected-error @+1 {{operands and result must have one rank of at least 2, but got 'tensor<8xf32>', 'tensor<8x4xf32>' and 'tensor<4xf32>'}}
  %0 = prec_sched.gemm %x, %w <full> : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4x8xf32>, %w: tensor<3x8x4xf32>) {
  // gemm_c2
  // expected-error @+1 {{batch dimensions must be equal, but got 'tensor<2x4x8xf32>', 'tensor<3x8x4xf32>' and 'tensor<2x4x4xf32>'}}
  %0 = prec_sched.gemm %x, %w <full> : (tensor<2x4x8xf32>, tensor<3x8x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4x8xf32>, %w: tensor<2x8x4xf32>) {
  // gemm_c2
  // expected-error @+1 {{batch dimensions must be equal, but got 'tensor<2x4x8xf32>', 'tensor<2x8x4xf32>' and 'tensor<3x4x4xf32>'}}
  %0 = prec_sched.gemm %x, %w <full> : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<3x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // gemm_c3
  // expected-error @+1 {{contracted dimensions must be equal, but got 8 and 4}}
  %0 = prec_sched.gemm %x, %w <full> {transpose_b} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8x4xf32>, %w: tensor<8x16xf32>) {
  // gemm_c4
  // expected-error @+1 {{result must be 4x16, but got 'tensor<8x16xf32>'}}
  %0 = prec_sched.gemm %x, %w <full> {transpose_a} : (tensor<8x4xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %c: tensor<4x16xbf16>) {
  // gemm_c5
  // expected-error @+1 {{init must have the type of the result, but got 'tensor<4x16xbf16>'}}
  %0 = prec_sched.gemm %x, %w init %c <full> : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xbf16>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %s: tensor<f32>) {
  // gemm_c6
  // expected-error @+1 {{both operands must be scaled or none, but got only lhs_scale}}
  %0 = "prec_sched.gemm"(%x, %w, %s) <{accumulator = #prec.accumulator<full>, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0, 0>}> : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %s: tensor<f32>) {
  // gemm_c6
  // expected-error @+1 {{both operands must be scaled or none, but got only rhs_scale}}
  %0 = "prec_sched.gemm"(%x, %w, %s) <{accumulator = #prec.accumulator<full>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 1, 0, 0, 0>}> : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<16x32xf8E4M3FN>, %w: tensor<48x32xf8E4M3FN>) {
  // gemm_c7
  // expected-error @+1 {{fp8 operands must be contiguous along K (transpose_b alone) and scaled, but got no scales}}
  %0 = prec_sched.gemm %x, %w <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<16x32xf8E4M3FN>, %w: tensor<32x48xf8E4M3FN>, %s: tensor<f32>) {
  // gemm_c7
  // expected-error @+1 {{fp8 operands must be contiguous along K (transpose_b alone) and scaled, but got no transpose_b}}
  %0 = prec_sched.gemm %x, %w scale (%s, %s) <fast> : (tensor<16x32xf8E4M3FN>, tensor<32x48xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<32x16xf8E4M3FN>, %w: tensor<48x32xf8E4M3FN>, %s: tensor<f32>) {
  // gemm_c7
  // expected-error @+1 {{fp8 operands must be contiguous along K (transpose_b alone) and scaled, but got transpose_a}}
  %0 = prec_sched.gemm %x, %w scale (%s, %s) <fast> {transpose_a, transpose_b} : (tensor<32x16xf8E4M3FN>, tensor<48x32xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<16x320xf8E4M3FN>, %w: tensor<48x320xf8E4M3FN>, %s: tensor<16x2xf32>, %t: tensor<1x3xf32>) {
  // gemm_c8
  // expected-error @+1 {{inverse block_1x128 scales of 'tensor<16x320xf32>' must be 'tensor<3x16xf32>', but got 'tensor<16x2xf32>'}}
  %0 = prec_sched.gemm %x, %w scale (%s, %t) by block_1x128, block_1x128 <promoted> {transpose_b} : (tensor<16x320xf8E4M3FN>, tensor<48x320xf8E4M3FN>, tensor<16x2xf32>, tensor<1x3xf32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<16x320xf8E4M3FN>, %w: tensor<48x320xf8E4M3FN>, %s: tensor<16xf32>) {
  // gemm_c8: rows of another matrix.
  // expected-error @+1 {{inverse row scales of 'tensor<48x320xf32>' must be 'tensor<48xf32>', but got 'tensor<16xf32>'}}
  %0 = prec_sched.gemm %x, %w scale (%s, %s) by row, row <fast> {transpose_b} : (tensor<16x320xf8E4M3FN>, tensor<48x320xf8E4M3FN>, tensor<16xf32>, tensor<16xf32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<16x320xf8E4M3FN>, %w: tensor<48x320xf8E4M3FN>, %s: tensor<16xf32>, %t: tensor<f32>) {
  // gemm_c13: scaled in two ways.
  // expected-error @+1 {{both operands must be scaled by tensor, by row or by block, but got row and tensor_current}}
  %0 = prec_sched.gemm %x, %w scale (%s, %t) by row, tensor_current <fast> {transpose_b} : (tensor<16x320xf8E4M3FN>, tensor<48x320xf8E4M3FN>, tensor<16xf32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<16x32xbf16>, %w: tensor<48x32xbf16>) {
  // gemm_c8: a scaling of nothing.
  // expected-error @+1 {{a scaling must come with scales, but got row without}}
  %0 = prec_sched.gemm %x, %w <full> {lhs_scaling = #prec<scaling row>, rhs_scaling = #prec<scaling row>, transpose_b} : (tensor<16x32xbf16>, tensor<48x32xbf16>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<2x16x32xf8E4M3FN>, %w: tensor<2x48x32xf8E4M3FN>, %s: tensor<16xf32>, %t: tensor<48xf32>) {
  // gemm_c8: a batch.
  // expected-error @+1 {{inverse row scales must be of a matrix, but got 'tensor<2x16x32xf32>'}}
  %0 = prec_sched.gemm %x, %w scale (%s, %t) by row, row <fast> {transpose_b} : (tensor<2x16x32xf8E4M3FN>, tensor<2x48x32xf8E4M3FN>, tensor<16xf32>, tensor<48xf32>) -> tensor<2x16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<16x64xf8E4M3FN>, %w: tensor<48x64xf8E4M3FN>, %s: tensor<16x2xf8E8M0FNU>, %t: tensor<1x1x32x16xf8E8M0FNU>) {
  // gemm_c8: in rows instead of tiles.
  // expected-error @+1 {{inverse mx_1x32 scales of 'tensor<16x64xf8E8M0FNU>' must be 'tensor<1x1x32x16xf8E8M0FNU>', but got 'tensor<16x2xf8E8M0FNU>'}}
  %0 = prec_sched.gemm %x, %w scale (%s, %t) by mx_1x32, mx_1x32 <full> {transpose_b} : (tensor<16x64xf8E4M3FN>, tensor<48x64xf8E4M3FN>, tensor<16x2xf8E8M0FNU>, tensor<1x1x32x16xf8E8M0FNU>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<16x32xi8>, %w: tensor<48x32xi8>, %s: tensor<1x1x32x16xf8E4M3FN>, %t: tensor<1x1x32x16xf8E4M3FN>) {
  // gemm_c9
  // expected-error @+1 {{packed operands, and only these, must come together and have scales of tensors, but got 'tensor<16x32xi8>', 'tensor<48x32xi8>' and none}}
  %0 = prec_sched.gemm %x, %w scale (%s, %t) by nvfp4_1x16, nvfp4_1x16 <full> {transpose_b} : (tensor<16x32xi8>, tensor<48x32xi8>, tensor<1x1x32x16xf8E4M3FN>, tensor<1x1x32x16xf8E4M3FN>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) {
  // placements_c1
  // expected-error @+1 {{placements must be one for each of 1 results, but got 0}}
  %0 = prec_sched.gemm %x, %w <full> {placements = []} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>) {
  // placements_c1
  // expected-error @+1 {{placements must be one for each of 2 results, but got 1}}
  %0:2 = prec_sched.sdpa %q, %k, %k {placements = [#prec_sched.placement<workspace, 0>], scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %l: tensor<2x4x8xf32>) {
  // placements_c1
  // expected-error @+1 {{placements must be one for each of 3 results, but got 1}}
  %0:3 = prec_sched.sdpa_grad %q, %q, %k, %k, %q, %l {placements = [#prec_sched.placement<workspace, 0>], scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // placements_c1
  // expected-error @+1 {{placements must be one for each of 1 results, but got 0}}
  %0 = prec_sched.copy %x {placements = []} : tensor<4xf32>
  return
}

// -----

func.func @f() {
  // placements_c1
  // expected-error @+1 {{placements must be one for each of 1 results, but got 0}}
  %0 = prec_sched.fill {placements = []} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4x8xf32>, %w: tensor<2x8x16xf32>, %b: tensor<16xf32>) {
  // gemm_c10
  // expected-error @+1 {{a product with a bias must be one matrix, but got 'tensor<2x4x16xf32>'}}
  %0 = prec_sched.gemm %x, %w bias %b <full> : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x4x16xf32>
  return
}

// -----

func.func @f(%a: tensor<16x32xf8E4M3FN>, %r: tensor<16xf32>, %v: tensor<16xbf16>) {
  // gemm_c11
  // expected-error @+1 {{scales must be of tensors beside a bias, but got row}}
  %0 = prec_sched.gemm %a, %a scale (%r, %r) by row, row bias %v <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16xf32>, tensor<16xf32>, tensor<16xbf16>) -> tensor<16x16xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xbf16>) {
  // gemm_c12
  // expected-error @+1 {{bias must be 'tensor<16xf32>', but got 'tensor<16xbf16>'}}
  %0 = prec_sched.gemm %x, %w bias %b <full> : (tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xbf16>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%a: tensor<16x32xf8E4M3FN>, %s: tensor<f32>, %v: tensor<16xf32>) {
  // gemm_c12
  // expected-error @+1 {{bias must be 'tensor<16xbf16>', but got 'tensor<16xf32>'}}
  %0 = prec_sched.gemm %a, %a scale (%s, %s) bias %v <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<f32>, tensor<16xf32>) -> tensor<16x16xf32>
  return
}
