// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s
// RUN: prec-opt %s --emit-bytecode | prec-opt | FileCheck %s

// CHECK-LABEL: func.func @quantization(
func.func @quantization(%x: tensor<4x8xbf16>, %s: tensor<f32>, %q: tensor<4x8xf8E4M3FN>) {
  // CHECK: = prec.amax %arg0 : tensor<4x8xbf16>
  %0 = prec.amax %x : tensor<4x8xbf16>
  // CHECK: = prec.update_scale %arg1 for e4m3
  %1, %2 = prec.update_scale %s for e4m3
  // CHECK: = prec.update_scale %arg1 for e5m2
  %3, %4 = prec.update_scale %s for e5m2
  // CHECK: = prec.update_scale %arg1 for e5m2 {epsilon = 9.99999997E-7 : f32, margin = 2 : i64, power_of_two}
  %s2, %d2 = prec.update_scale %s for e5m2 {epsilon = 1.0e-6 : f32, margin = 2 : i64, power_of_two}
  // CHECK: = prec.delayed_scale %arg1 of "layers.0/activation" for e4m3
  %s3, %d3 = prec.delayed_scale %s of "layers.0/activation" for e4m3
  // CHECK: = prec.delayed_scale %arg1 of "layers.0/gradient" for e5m2 {first_amax = 1.000000e-03 : f32}
  %s4, %d4 = prec.delayed_scale %s of "layers.0/gradient" for e5m2 {first_amax = 1.0e-3 : f32}
  // CHECK: = prec.quantize %arg0, %arg1 : tensor<4x8xbf16> to tensor<4x8xf8E5M2>
  %5 = prec.quantize %x, %s : tensor<4x8xbf16> to tensor<4x8xf8E5M2>
  // CHECK: = prec.dequantize %arg2, %arg1 : tensor<4x8xf8E4M3FN> to tensor<4x8xf32>
  %6 = prec.dequantize %q, %s : tensor<4x8xf8E4M3FN> to tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @fake_quantize(
func.func @fake_quantize(%x: tensor<16x320xbf16>, %s: tensor<f32>, %b: tensor<16x20xf32>) {
  // CHECK: = prec.fake_quantize %arg0, %arg1 for {{ *}}e4m3 : tensor<16x320xbf16> to tensor<16x320xf32>
  %0 = prec.fake_quantize %x, %s for e4m3 : tensor<16x320xbf16> to tensor<16x320xf32>
  // CHECK: = prec.fake_quantize %arg0, %arg2 for {{ *}}e2m1 : tensor<16x320xbf16> to tensor<16x320xf32> by nvfp4_1x16 tensor<16x20xf32>
  %1 = prec.fake_quantize %x, %b for e2m1 : tensor<16x320xbf16> to tensor<16x320xf32> by nvfp4_1x16 tensor<16x20xf32>
  return
}

// CHECK-LABEL: func.func @histories(
func.func @histories(%h: tensor<2x16xf32>, %a: tensor<f32>) {
  // CHECK: = prec.history_scale %arg0 <max> for e4m3 : tensor<2x16xf32> to tensor<2xf32>
  %0, %1 = prec.history_scale %h <max> for e4m3 : tensor<2x16xf32> to tensor<2xf32>
  // CHECK: = prec.history_scale %arg0 <most_recent> for e5m2 {margin = 1 : i64} : tensor<2x16xf32> to tensor<2xf32>
  %2, %3 = prec.history_scale %h <most_recent> for e5m2 {margin = 1 : i64} : tensor<2x16xf32> to tensor<2xf32>
  // CHECK: = prec.history_scale %arg0 <max> for e5m2 {first_amax = 1.000000e-03 : f32} : tensor<2x16xf32> to tensor<2xf32>
  %10, %11 = prec.history_scale %h <max> for e5m2 {first_amax = 1.0e-3 : f32} : tensor<2x16xf32> to tensor<2xf32>
  // CHECK: = prec.record_amax %arg0, %arg1, %arg1 : tensor<2x16xf32>
  %4, %9 = prec.record_amax %h, %a, %a : tensor<2x16xf32>
  return
}

// CHECK-LABEL: func.func @guards(
func.func @guards(%l: tensor<f32>, %g: tensor<4x8xbf16>) {
  // CHECK: %[[F:.*]], %{{.*}} = prec.finite_guard %arg0, %arg1 of ["loss", "gradient of w"] : tensor<f32>, tensor<4x8xbf16>
  %f, %i = prec.finite_guard %l, %g of ["loss", "gradient of w"] : tensor<f32>, tensor<4x8xbf16>
  // CHECK: = prec.update_loss_scale %arg0, %arg0, %[[F]] {backoff = 5.000000e-01 : f32, growth = 2.000000e+00 : f32, interval = 2000 : i64}
  %s, %n = prec.update_loss_scale %l, %l, %f {growth = 2.0 : f32, backoff = 0.5 : f32, interval = 2000 : i64}
  return
}

// CHECK-LABEL: func.func @scaled_matmul(
func.func @scaled_matmul(%a: tensor<16x32xf8E4M3FN>, %b: tensor<48x32xf8E5M2>, %s: tensor<f32>) {
  // CHECK: = prec.scaled_matmul %arg0 scale %arg2, %arg0 scale %arg2 <fast> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xbf16>
  %0 = prec.scaled_matmul %a scale %s, %a scale %s <fast> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xbf16>
  // CHECK: = prec.scaled_matmul %arg0 scale %arg2, %arg1 scale %arg2 <promoted> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>) -> tensor<16x48xf32>
  %1 = prec.scaled_matmul %a scale %s, %b scale %s <promoted> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>) -> tensor<16x48xf32>
  // CHECK: = prec.scaled_matmul %arg1 scale %arg2, %arg0 scale %arg2 <full> : (tensor<48x32xf8E5M2>, tensor<16x32xf8E4M3FN>) -> tensor<48x16xf16>
  %2 = prec.scaled_matmul %b scale %s, %a scale %s <full> : (tensor<48x32xf8E5M2>, tensor<16x32xf8E4M3FN>) -> tensor<48x16xf16>
  return
}

// Rows of a matrix, blocks of 1x128 and of 128x128; the last of them shorter.
// CHECK-LABEL: func.func @fine(
func.func @fine(%x: tensor<16x320xbf16>, %q: tensor<16x320xf8E4M3FN>, %w: tensor<160x320xf8E4M3FN>, %r: tensor<16xf32>, %v: tensor<160xf32>, %s: tensor<3x16xf32>, %t: tensor<2x1x4xf32>) {
  // CHECK: = prec.amax %arg0 : tensor<16x320xbf16> by row tensor<16xf32>
  %0 = prec.amax %x : tensor<16x320xbf16> by row tensor<16xf32>
  // CHECK: = prec.amax %arg0 : tensor<16x320xbf16> by block_1x128 tensor<16x3xf32>
  %1 = prec.amax %x : tensor<16x320xbf16> by block_1x128 tensor<16x3xf32>
  // CHECK: = prec.amax %arg0 : tensor<16x320xbf16> by block_128x128 tensor<1x3xf32>
  %2 = prec.amax %x : tensor<16x320xbf16> by block_128x128 tensor<1x3xf32>
  // CHECK: = prec.update_scale %{{.*}} for e4m3 {margin = 1 : i64} by block_1x128 tensor<16x3xf32> to tensor<3x16xf32>
  %3, %4 = prec.update_scale %1 for e4m3 {margin = 1 : i64} by block_1x128 tensor<16x3xf32> to tensor<3x16xf32>
  // CHECK: = prec.quantize %arg0, %{{.*}} : tensor<16x320xbf16> to tensor<16x320xf8E4M3FN> by block_1x128 tensor<16x3xf32>
  %5 = prec.quantize %x, %3 : tensor<16x320xbf16> to tensor<16x320xf8E4M3FN> by block_1x128 tensor<16x3xf32>
  // CHECK: = prec.scaled_matmul %arg1 scale %arg3, %arg2 scale %arg4 <fast> : (tensor<16x320xf8E4M3FN>, tensor<160x320xf8E4M3FN>) -> tensor<16x160xbf16> by row tensor<16xf32>, row tensor<160xf32>
  %6 = prec.scaled_matmul %q scale %r, %w scale %v <fast> : (tensor<16x320xf8E4M3FN>, tensor<160x320xf8E4M3FN>) -> tensor<16x160xbf16> by row tensor<16xf32>, row tensor<160xf32>
  // CHECK: = prec.scaled_matmul %arg1 scale %arg5, %arg2 scale %arg6 <promoted> : (tensor<16x320xf8E4M3FN>, tensor<160x320xf8E4M3FN>) -> tensor<16x160xbf16> by block_1x128 tensor<3x16xf32>, block_128x128 tensor<2x1x4xf32>
  %7 = prec.scaled_matmul %q scale %s, %w scale %t <promoted> : (tensor<16x320xf8E4M3FN>, tensor<160x320xf8E4M3FN>) -> tensor<16x160xbf16> by block_1x128 tensor<3x16xf32>, block_128x128 tensor<2x1x4xf32>
  return
}

// Microscaled blocks: MX of 1x32, NVFP4 of 1x16, the last of them shorter.
// CHECK-LABEL: func.func @micro(
func.func @micro(%x: tensor<16x72xbf16>, %t: tensor<f32>, %p: tensor<16x36xi8>) {
  // CHECK: %[[A:.*]] = prec.amax %arg0 nan_is_infinite : tensor<16x72xbf16> by mx_1x32 tensor<16x3xf32>
  %a = prec.amax %x nan_is_infinite : tensor<16x72xbf16> by mx_1x32 tensor<16x3xf32>
  // CHECK: %[[S:.*]], %[[D:.*]] = prec.block_scale %[[A]] for e4m3 by mx_1x32 : tensor<16x3xf32> to tensor<1x1x32x16xf8E8M0FNU>
  %s, %d = prec.block_scale %a for e4m3 by mx_1x32 : tensor<16x3xf32> to tensor<1x1x32x16xf8E8M0FNU>
  // CHECK: %[[Q:.*]] = prec.quantize %arg0, %[[S]] : tensor<16x72xbf16> to tensor<16x72xf8E4M3FN> by mx_1x32 tensor<16x3xf32>
  %q = prec.quantize %x, %s : tensor<16x72xbf16> to tensor<16x72xf8E4M3FN> by mx_1x32 tensor<16x3xf32>
  // CHECK: = prec.scaled_matmul %[[Q]] scale %[[D]], %[[Q]] scale %[[D]] <full> : (tensor<16x72xf8E4M3FN>, tensor<16x72xf8E4M3FN>) -> tensor<16x16xbf16> by mx_1x32 tensor<1x1x32x16xf8E8M0FNU>, mx_1x32 tensor<1x1x32x16xf8E8M0FNU>
  %y = prec.scaled_matmul %q scale %d, %q scale %d <full> : (tensor<16x72xf8E4M3FN>, tensor<16x72xf8E4M3FN>) -> tensor<16x16xbf16> by mx_1x32 tensor<1x1x32x16xf8E8M0FNU>, mx_1x32 tensor<1x1x32x16xf8E8M0FNU>
  // CHECK: %[[TS:.*]], %[[TD:.*]] = prec.update_scale %arg1 for e2m1
  %ts, %td = prec.update_scale %t for e2m1
  %b = prec.amax %x nan_is_infinite : tensor<16x72xbf16> by nvfp4_1x16 tensor<16x5xf32>
  // CHECK: %[[BS:.*]], %[[BD:.*]] = prec.block_scale %{{.*}} tensor_scale %[[TS]] for e2m1 by nvfp4_1x16 : tensor<16x5xf32> to tensor<1x2x32x16xf8E4M3FN>
  %bs, %bd = prec.block_scale %b tensor_scale %ts for e2m1 by nvfp4_1x16 : tensor<16x5xf32> to tensor<1x2x32x16xf8E4M3FN>
  // CHECK: prec.block_scale %{{.*}} for e5m2 round_up by mx_1x32 : tensor<16x3xf32> to tensor<1x1x32x16xf8E8M0FNU>
  %us, %ud = prec.block_scale %a for e5m2 round_up by mx_1x32 : tensor<16x3xf32> to tensor<1x1x32x16xf8E8M0FNU>
  %seed = arith.constant dense<1> : tensor<i32>
  // CHECK: prec.quantize %arg0, %[[BS]] seed %{{.*}} stream 3 : tensor<16x72xbf16> to tensor<16x72xf4E2M1FN> by nvfp4_1x16 tensor<16x5xf32>
  %r = prec.quantize %x, %bs seed %seed stream 3 : tensor<16x72xbf16> to tensor<16x72xf4E2M1FN> by nvfp4_1x16 tensor<16x5xf32>
  // CHECK: prec.hadamard %{{.*}} : tensor<16x32xbf16>
  %h = tensor.extract_slice %x[0, 0] [16, 32] [1, 1] : tensor<16x72xbf16> to tensor<16x32xbf16>
  %hh = prec.hadamard %h : tensor<16x32xbf16>
  // CHECK: %[[F:.*]] = prec.quantize %arg0, %[[BS]] : tensor<16x72xbf16> to tensor<16x72xf4E2M1FN> by nvfp4_1x16 tensor<16x5xf32>
  %f = prec.quantize %x, %bs : tensor<16x72xbf16> to tensor<16x72xf4E2M1FN> by nvfp4_1x16 tensor<16x5xf32>
  // CHECK: = prec.scaled_matmul %[[F]] scale %[[BD]], %[[F]] scale %[[BD]] tensor_scales(%[[TD]], %[[TD]]) <full> : (tensor<16x72xf4E2M1FN>, tensor<16x72xf4E2M1FN>) -> tensor<16x16xbf16> by nvfp4_1x16 tensor<1x2x32x16xf8E4M3FN>, nvfp4_1x16 tensor<1x2x32x16xf8E4M3FN>
  %z = prec.scaled_matmul %f scale %bd, %f scale %bd tensor_scales (%td, %td) <full> : (tensor<16x72xf4E2M1FN>, tensor<16x72xf4E2M1FN>) -> tensor<16x16xbf16> by nvfp4_1x16 tensor<1x2x32x16xf8E4M3FN>, nvfp4_1x16 tensor<1x2x32x16xf8E4M3FN>
  // Packed, two to an i8.
  // CHECK: = prec.scaled_matmul %arg2 scale %[[BD]], %arg2 scale %[[BD]] tensor_scales(%[[TD]], %[[TD]]) <full> : (tensor<16x36xi8>, tensor<16x36xi8>) -> tensor<16x16xbf16>
  %u = prec.scaled_matmul %p scale %bd, %p scale %bd tensor_scales (%td, %td) <full> : (tensor<16x36xi8>, tensor<16x36xi8>) -> tensor<16x16xbf16> by nvfp4_1x16 tensor<1x2x32x16xf8E4M3FN>, nvfp4_1x16 tensor<1x2x32x16xf8E4M3FN>
  return
}

// CHECK-LABEL: func.func @scaled_matmul_bias(
func.func @scaled_matmul_bias(%a: tensor<16x32xf8E4M3FN>, %s: tensor<f32>, %b: tensor<16xbf16>, %h: tensor<16xf16>) {
  // CHECK: = prec.scaled_matmul %arg0 scale %arg1, %arg0 scale %arg1 bias %arg2 <fast> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %0 = prec.scaled_matmul %a scale %s, %a scale %s bias %b <fast> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16xbf16>) -> tensor<16x16xbf16>
  // CHECK: = prec.scaled_matmul %arg0 scale %arg1, %arg0 scale %arg1 bias %arg2 <full> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16xbf16>) -> tensor<16x16xf32>
  %1 = prec.scaled_matmul %a scale %s, %a scale %s bias %b <full> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16xbf16>) -> tensor<16x16xf32>
  // CHECK: = prec.scaled_matmul %arg0 scale %arg1, %arg0 scale %arg1 bias %arg3 <full> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16xf16>) -> tensor<16x16xf16>
  %2 = prec.scaled_matmul %a scale %s, %a scale %s bias %h <full> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<16xf16>) -> tensor<16x16xf16>
  return
}
