// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<f32>) {
  // scale_c1
  // expected-error @+1 {{format must be e4m3, e5m2 or e2m1, but got bf16}}
  %0, %1 = prec.update_scale %a for bf16
  return
}

// -----

func.func @f(%a: tensor<f32>) {
  // scale_c2
  // expected-error @+1 {{epsilon must be finite and not negative, but got -1.000000e+00 : f32}}
  %0, %1 = prec.update_scale %a for e4m3 {epsilon = -1.0 : f32}
  return
}

// -----

func.func @f(%a: tensor<f32>) {
  // scale_c3
  // expected-error @+1 {{margin must be in [0, 32], but got 33}}
  %0, %1 = prec.delayed_scale %a of "t" for e4m3 {margin = 33 : i64}
  return
}

// -----

func.func @f(%a: tensor<f32>) {
  // delayed_c1
  // expected-error @+1 {{first_amax must be finite and positive, but got 0.000000e+00 : f32}}
  %0, %1 = prec.delayed_scale %a of "t" for e4m3 {first_amax = 0.0 : f32}
  return
}

// -----

func.func @f(%h: tensor<4x16xf32>) {
  // delayed_c1
  // expected-error @+1 {{first_amax must be finite and positive, but got 0x7F800000 : f32}}
  %0, %1 = prec.history_scale %h <max> for e4m3 {first_amax = 0x7F800000 : f32} : tensor<4x16xf32> to tensor<4xf32>
  return
}

// -----

func.func @f(%h: tensor<4xf32>) {
  // history_scale_c1
  // expected-error @+1 {{a history must be a row of amaxes for each tensor, but got 'tensor<4xf32>'}}
  %0, %1 = prec.history_scale %h <max> for e4m3 : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

func.func @f(%h: tensor<4x16xf32>) {
  // history_scale_c2
  // expected-error @+1 {{scales must be one for each row of 'tensor<4x16xf32>', but got 'tensor<16xf32>'}}
  %0, %1 = prec.history_scale %h <max> for e4m3 : tensor<4x16xf32> to tensor<16xf32>
  return
}

// -----

func.func @f(%h: tensor<4x16xf32>) {
  // expected-error @+1 {{format must be e4m3 or e5m2, but got f16}}
  %0, %1 = prec.history_scale %h <max> for f16 : tensor<4x16xf32> to tensor<4xf32>
  return
}

// -----

func.func @f(%h: tensor<2x2x4xf32>, %a: tensor<f32>) {
  // record_amax_c1
  // expected-error @+1 {{a history must be a row of amaxes for each tensor, but got 'tensor<2x2x4xf32>'}}
  %0, %r = prec.record_amax %h, %a : tensor<2x2x4xf32>
  return
}

// -----

func.func @f(%h: tensor<2x4xf32>, %a: tensor<f32>) {
  // record_amax_c2
  // expected-error @+1 {{amaxes must be one for each row of 'tensor<2x4xf32>', but got 1}}
  %0, %r = prec.record_amax %h, %a : tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // quantize_c1
  // expected-error @+1 {{shape must not change, but got 'tensor<4x8xf32>' and 'tensor<8x4xf8E4M3FN>'}}
  %0 = prec.quantize %x, %s : tensor<4x8xf32> to tensor<8x4xf8E4M3FN>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<i32>) {
  // stochastic_round_c1
  // expected-error @+1 {{shape must not change, but got 'tensor<4x8xf32>' and 'tensor<8x4xbf16>'}}
  %0 = prec.stochastic_round %x seed %s {stream = 0 : i32} : tensor<4x8xf32>, tensor<i32> to tensor<8x4xbf16>
  return
}

// -----

func.func @f(%p: tensor<4x8xbf16>, %u: tensor<8x4xf32>) {
  // precision_aware_update_c1
  // expected-error @+1 {{shape must not change, but got 'tensor<4x8xbf16>' and 'tensor<8x4xf32>'}}
  %0 = prec.precision_aware_update %p, %u {iterations = 16 : i64, tolerance = 0.01 : f32} : tensor<4x8xbf16>, tensor<8x4xf32>
  return
}

// -----

func.func @f(%p: tensor<4x8xbf16>, %u: tensor<4x8xf32>) {
  // precision_aware_update_c2
  // expected-error @+1 {{iterations must be in [1, 64], but got 0}}
  %0 = prec.precision_aware_update %p, %u {iterations = 0 : i64, tolerance = 0.01 : f32} : tensor<4x8xbf16>, tensor<4x8xf32>
  return
}

// -----

func.func @f(%p: tensor<4x8xbf16>, %u: tensor<4x8xf32>) {
  // precision_aware_update_c2
  // expected-error @+1 {{iterations must be in [1, 64], but got 65}}
  %0 = prec.precision_aware_update %p, %u {iterations = 65 : i64, tolerance = 0.01 : f32} : tensor<4x8xbf16>, tensor<4x8xf32>
  return
}

// -----

func.func @f(%p: tensor<4x8xbf16>, %u: tensor<4x8xf32>) {
  // precision_aware_update_c3
  // expected-error @+1 {{tolerance must be in [0, 1], but got 1.500000e+00 : f32}}
  %0 = prec.precision_aware_update %p, %u {iterations = 16 : i64, tolerance = 1.5 : f32} : tensor<4x8xbf16>, tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // fake_quantize_c1
  // expected-error @+1 {{format must be e4m3, e5m2 or e2m1, but got bf16}}
  %0 = prec.fake_quantize %x, %s for bf16 : tensor<4x8xf32> to tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // fake_quantize_c2
  // expected-error @+1 {{shape must not change, but got 'tensor<4x8xf32>' and 'tensor<8x4xf32>'}}
  %0 = prec.fake_quantize %x, %s for e4m3 : tensor<4x8xf32> to tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<16x320xbf16>, %s: tensor<320xf32>) {
  // fake_quantize_c3
  // expected-error @+1 {{row scales of 'tensor<16x320xbf16>' must be 'tensor<16xf32>', but got 'tensor<320xf32>'}}
  %0 = prec.fake_quantize %x, %s for e5m2 : tensor<16x320xbf16> to tensor<16x320xf32> by row tensor<320xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf8E4M3FN>, %s: tensor<f32>) {
  // dequantize_c1
  // expected-error @+1 {{shape must not change, but got 'tensor<4x8xf8E4M3FN>' and 'tensor<8x4xf32>'}}
  %0 = prec.dequantize %x, %s : tensor<4x8xf8E4M3FN> to tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x16x32xf8E4M3FN>, %b: tensor<48x32xf8E4M3FN>, %s: tensor<f32>) {
  // scaled_matmul_c1
  // expected-error @+1 {{operands and result must be matrices, but got 'tensor<2x16x32xf8E4M3FN>', 'tensor<48x32xf8E4M3FN>' and 'tensor<16x48xf32>'}}
  %0 = prec.scaled_matmul %a scale %s, %b scale %s <fast> : (tensor<2x16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a: tensor<16x32xf8E4M3FN>, %b: tensor<48x64xf8E4M3FN>, %s: tensor<f32>) {
  // scaled_matmul_c2
  // expected-error @+1 {{operands must agree in their last dimension, but got 32 and 64}}
  %0 = prec.scaled_matmul %a scale %s, %b scale %s <fast> : (tensor<16x32xf8E4M3FN>, tensor<48x64xf8E4M3FN>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a: tensor<16x32xf8E4M3FN>, %b: tensor<48x32xf8E4M3FN>, %s: tensor<f32>) {
  // scaled_matmul_c3
  // expected-error @+1 {{result must be 16x48, but got 'tensor<48x16xf32>'}}
  %0 = prec.scaled_matmul %a scale %s, %b scale %s <fast> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<48x16xf32>
  return
}

// -----

func.func @f(%a: tensor<16x32xf8E5M2>, %b: tensor<48x32xf8E5M2>, %s: tensor<f32>) {
  // scaled_matmul_c4
  // expected-error @+1 {{one operand must be e4m3, but got e5m2 twice}}
  %0 = prec.scaled_matmul %a scale %s, %b scale %s <fast> : (tensor<16x32xf8E5M2>, tensor<48x32xf8E5M2>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%x: tensor<16x320xbf16>) {
  // amax_op_c1
  // expected-error @+1 {{block_1x128 scales of 'tensor<16x320xbf16>' must be 'tensor<16x3xf32>', but got 'tensor<16x2xf32>'}}
  %0 = prec.amax %x : tensor<16x320xbf16> by block_1x128 tensor<16x2xf32>
  return
}

// -----

// finite_guard_c1
// expected-error @+2 {{something must be guarded, but got no input}}
func.func @f() {
  %0, %1 = "prec.finite_guard"() <{tensors = []}> : () -> (tensor<i1>, tensor<f32>)
  return
}

// -----

func.func @f(%x: tensor<2x16x320xbf16>) {
  // amax_op_c1: rows of matrices only.
  // expected-error @+1 {{row scales must be of a matrix, but got 'tensor<2x16x320xbf16>'}}
  %0 = prec.amax %x : tensor<2x16x320xbf16> by row tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<16x320xbf16>) {
  // amax_op_c1
  // expected-error @+1 {{scales must have a scaling, but got none}}
  %0 = prec.amax %x : tensor<16x320xbf16> by none tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<16x320xbf16>) {
  // amax_op_c1
  // expected-error @+1 {{block_128x128 scales of 'tensor<16x320xbf16>' must be 'tensor<1x3xf32>', but got 'tensor<16x3xf32>'}}
  %0 = prec.amax %x : tensor<16x320xbf16> by block_128x128 tensor<16x3xf32>
  return
}

// -----

func.func @f(%x: tensor<16x320xbf16>) {
  // expected-error @+1 {{a scaling must be one of none, tensor_current, tensor_delayed, row, block_1x128, block_128x128, mx_1x32, nvfp4_1x16, but got 'block_3x5'}}
  %0 = prec.amax %x : tensor<16x320xbf16> by block_3x5 tensor<16x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // finite_guard_c2
  // expected-error @+1 {{every input must have a name, but got 2 for 1}}
  %0, %1 = prec.finite_guard %x of ["x", "y"] : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<16x320xbf16>, %s: tensor<320xf32>) {
  // quantize_c2
  // expected-error @+1 {{row scales of 'tensor<16x320xbf16>' must be 'tensor<16xf32>', but got 'tensor<320xf32>'}}
  %0 = prec.quantize %x, %s : tensor<16x320xbf16> to tensor<16x320xf8E4M3FN> by row tensor<320xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>, %ok: tensor<i1>) {
  // update_loss_scale_c1
  // expected-error @+1 {{growth must be a power of two above 1, but got 5.000000e-01 : f32}}
  %0, %1 = prec.update_loss_scale %x, %x, %ok {growth = 0.5 : f32, backoff = 0.5 : f32, interval = 1 : i64}
  return
}

// -----

func.func @f(%a: tensor<16x32xf8E4M3FN>, %b: tensor<48x32xf8E4M3FN>, %s: tensor<16xf32>) {
  // scaled_matmul_c5
  // expected-error @+1 {{inverse row scales of 'tensor<48x32xf8E4M3FN>' must be 'tensor<48xf32>', but got 'tensor<16xf32>'}}
  %0 = prec.scaled_matmul %a scale %s, %b scale %s <fast> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xf32> by row tensor<16xf32>, row tensor<16xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>, %ok: tensor<i1>) {
  // update_loss_scale_c2
  // expected-error @+1 {{backoff must be a power of two below 1, but got 1.000000e+00 : f32}}
  %0, %1 = prec.update_loss_scale %x, %x, %ok {growth = 2.0 : f32, backoff = 1.0 : f32, interval = 1 : i64}
  return
}

// -----

func.func @f(%a: tensor<16x32xf8E4M3FN>, %b: tensor<48x32xf8E4M3FN>, %s: tensor<16xf32>, %t: tensor<1x1x4xf32>) {
  // scaled_matmul_c6
  // expected-error @+1 {{both operands must be scaled by tensor, by row or by block, but got row and block_128x128}}
  %0 = prec.scaled_matmul %a scale %s, %b scale %t <fast> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xf32> by row tensor<16xf32>, block_128x128 tensor<1x1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>, %ok: tensor<i1>) {
  // update_loss_scale_c3
  // expected-error @+1 {{interval must be in [1, 1000000], but got 0}}
  %0, %1 = prec.update_loss_scale %x, %x, %ok {growth = 2.0 : f32, backoff = 0.5 : f32, interval = 0 : i64}
  return
}

// -----

func.func @f(%a: tensor<16x10xf32>) {
  // block_scale_c1
  // expected-error @+1 {{format must be e4m3, e5m2 or e2m1, but got bf16}}
  %0, %1 = prec.block_scale %a for bf16 by mx_1x32 : tensor<16x10xf32> to tensor<16x10xf8E8M0FNU>
  return
}

// -----

func.func @f(%a: tensor<16x10xf32>) {
  // block_scale_c2
  // expected-error @+1 {{scaling must be of microscaled blocks of e4m3, but got nvfp4_1x16}}
  %0, %1 = prec.block_scale %a for e4m3 by nvfp4_1x16 : tensor<16x10xf32> to tensor<16x10xf8E4M3FN>
  return
}

// -----

func.func @f(%a: tensor<16x20xf32>, %t: tensor<f32>) {
  // block_scale_c2
  // expected-error @+1 {{scaling must be of microscaled blocks of e2m1, but got block_1x128}}
  %0, %1 = prec.block_scale %a tensor_scale %t for e2m1 by block_1x128 : tensor<16x20xf32> to tensor<16x20xf8E8M0FNU>
  return
}

// -----

func.func @f(%a: tensor<16x20xf32>) {
  // block_scale_c3
  // expected-error @+1 {{a tensor scale must be there where the scaling has one, but got none for nvfp4_1x16}}
  %0, %1 = prec.block_scale %a for e2m1 by nvfp4_1x16 : tensor<16x20xf32> to tensor<16x20xf8E4M3FN>
  return
}

// -----

func.func @f(%a: tensor<16x10xf32>, %t: tensor<f32>) {
  // block_scale_c3
  // expected-error @+1 {{a tensor scale must be there where the scaling has one, but got one for mx_1x32}}
  %0, %1 = prec.block_scale %a tensor_scale %t for e4m3 by mx_1x32 : tensor<16x10xf32> to tensor<16x10xf8E8M0FNU>
  return
}

// -----

func.func @f(%a: tensor<10xf32>) {
  // block_scale_c4
  // expected-error @+1 {{amaxes must be of the blocks of a matrix, but got 'tensor<10xf32>'}}
  %0, %1 = prec.block_scale %a for e4m3 by mx_1x32 : tensor<10xf32> to tensor<1x1x32x16xf8E8M0FNU>
  return
}

// -----

func.func @f(%a: tensor<160x10xf32>) {
  // block_scale_c6
  // expected-error @+1 {{inverse scales must lie in tiles, 'tensor<2x3x32x16xf8E8M0FNU>', but got 'tensor<160x10xf8E8M0FNU>'}}
  %0, %1 = prec.block_scale %a for e4m3 by mx_1x32 : tensor<160x10xf32> to tensor<160x10xf8E8M0FNU>
  return
}

// -----

func.func @f(%a: tensor<16x20xf32>, %t: tensor<f32>) {
  // block_scale_c5
  // expected-error @+1 {{only e8m0 inverse scales can be rounded up, but got 'tensor<16x20xf8E4M3FN>'}}
  %0, %1 = prec.block_scale %a tensor_scale %t for e2m1 round_up by nvfp4_1x16 : tensor<16x20xf32> to tensor<16x20xf8E4M3FN>
  return
}

// -----

func.func @f(%x: tensor<16x32xbf16>, %s: tensor<f32>, %seed: tensor<i32>) {
  // quantize_c4
  // expected-error @+1 {{only e2m1 can be rounded at random, but got 'tensor<16x32xf8E4M3FN>'}}
  %0 = prec.quantize %x, %s seed %seed stream 1 : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
  return
}

// -----

func.func @f(%x: tensor<32x24xbf16>) {
  // hadamard_c1
  // expected-error @+1 {{rows must have a multiple of 16 elements, but got 'tensor<32x24xbf16>'}}
  %0 = prec.hadamard %x : tensor<32x24xbf16>
  return
}

// -----

func.func @f(%x: tensor<16x33xbf16>, %s: tensor<16x3xf32>) {
  // quantize_c3
  // expected-error @+1 {{rows of e2m1 must have an even number of elements, two to a byte, but got 'tensor<16x33xf4E2M1FN>'}}
  %0 = prec.quantize %x, %s : tensor<16x33xbf16> to tensor<16x33xf4E2M1FN> by nvfp4_1x16 tensor<16x3xf32>
  return
}

// -----

func.func @f(%a: tensor<16x64xf8E4M3FN>, %s: tensor<1x1x32x16xf8E8M0FNU>, %t: tensor<1x1x32x16xf8E4M3FN>) {
  // scaled_matmul_c7
  // expected-error @+1 {{inverse scales must have one format, but got 'f8E8M0FNU' and 'f8E4M3FN'}}
  %0 = prec.scaled_matmul %a scale %s, %a scale %t <full> : (tensor<16x64xf8E4M3FN>, tensor<16x64xf8E4M3FN>) -> tensor<16x16xbf16> by mx_1x32 tensor<1x1x32x16xf8E8M0FNU>, nvfp4_1x16 tensor<1x1x32x16xf8E4M3FN>
  return
}

// -----

func.func @f(%a: tensor<16x64xf4E2M1FN>, %s: tensor<1x1x32x16xf8E8M0FNU>) {
  // scaled_matmul_c8
  // expected-error @+1 {{e2m1 operands, and only these, must come together and with a scaling of e2m1, but got 'tensor<16x64xf4E2M1FN>', 'tensor<16x64xf4E2M1FN>' and mx_1x32}}
  %0 = prec.scaled_matmul %a scale %s, %a scale %s <full> : (tensor<16x64xf4E2M1FN>, tensor<16x64xf4E2M1FN>) -> tensor<16x16xbf16> by mx_1x32 tensor<1x1x32x16xf8E8M0FNU>, mx_1x32 tensor<1x1x32x16xf8E8M0FNU>
  return
}

// -----

func.func @f(%a: tensor<16x64xf4E2M1FN>, %s: tensor<1x1x32x16xf8E4M3FN>) {
  // scaled_matmul_c9
  // expected-error @+1 {{scales of tensors must be there where the scaling has them, but got none for nvfp4_1x16}}
  %0 = prec.scaled_matmul %a scale %s, %a scale %s <full> : (tensor<16x64xf4E2M1FN>, tensor<16x64xf4E2M1FN>) -> tensor<16x16xbf16> by nvfp4_1x16 tensor<1x1x32x16xf8E4M3FN>, nvfp4_1x16 tensor<1x1x32x16xf8E4M3FN>
  return
}

// -----

func.func @f(%a: tensor<16x3xf32>) {
  // update_scale_c1
  // expected-error @+1 {{inverse scales must be those of its block_1x128 scales, laid out for a matrix product, but got 'tensor<16x3xf32>' for 'tensor<16x3xf32>'}}
  %0, %1 = prec.update_scale %a for e4m3 by block_1x128 tensor<16x3xf32>
  return
}

// -----

func.func @f(%a: tensor<16xf32>) {
  // update_scale_c1
  // expected-error @+1 {{inverse scales must be those of its row scales, laid out for a matrix product, but got 'tensor<1x16xf32>' for 'tensor<16xf32>'}}
  %0, %1 = prec.update_scale %a for e4m3 by row tensor<16xf32> to tensor<1x16xf32>
  return
}

// -----

func.func @f(%a: tensor<16x3xf32>) {
  // update_scale_c1
  // expected-error @+1 {{inverse scales must be those of its row scales, laid out for a matrix product, but got 'tensor<16x3xf32>' for 'tensor<16x3xf32>'}}
  %0, %1 = prec.update_scale %a for e4m3 by row tensor<16x3xf32>
  return
}

// -----

func.func @f(%a: tensor<16x3xf32>) {
  // update_scale_c2
  // expected-error @+1 {{scaling must be of a tensor, of rows or of f32 blocks, but got mx_1x32}}
  %0, %1 = prec.update_scale %a for e4m3 by mx_1x32 tensor<16x3xf32>
  return
}

// -----

func.func @f(%a: tensor<16x32xf8E4M3FN>, %r: tensor<16xf32>, %v: tensor<16xbf16>) {
  // scaled_matmul_c10
  // expected-error @+1 {{scales must be of tensors beside a bias, but got row}}
  %0 = prec.scaled_matmul %a scale %r, %a scale %r bias %v <fast> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16xbf16>) -> tensor<16x16xbf16> by row tensor<16xf32>, row tensor<16xf32>
  return
}

// -----

func.func @f(%a: tensor<16x32xf8E4M3FN>, %s: tensor<f32>, %v: tensor<16xf32>) {
  // scaled_matmul_c11
  // expected-error @+1 {{bias must be 'tensor<16xbf16>', but got 'tensor<16xf32>'}}
  %0 = prec.scaled_matmul %a scale %s, %a scale %s bias %v <fast> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16xf32>) -> tensor<16x16xf32>
  return
}

// -----

func.func @f(%a: tensor<16x32xf8E4M3FN>, %s: tensor<f32>, %v: tensor<16xbf16>) {
  // scaled_matmul_c11
  // expected-error @+1 {{bias must be 'tensor<16xf16>', but got 'tensor<16xbf16>'}}
  %0 = prec.scaled_matmul %a scale %s, %a scale %s bias %v <fast> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16xbf16>) -> tensor<16x16xf16>
  return
}
