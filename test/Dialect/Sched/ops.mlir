// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s
// RUN: prec-opt %s --emit-bytecode | prec-opt | FileCheck %s

// CHECK-LABEL: func.func @gemm(
func.func @gemm(%x: tensor<16x32xf32>, %w: tensor<32x48xf32>, %c: tensor<16x48xf32>, %a: tensor<16x32xf8E4M3FN>, %b: tensor<48x32xf8E5M2>, %s: tensor<f32>, %y: tensor<2x32x16xbf16>, %z: tensor<2x48x32xbf16>, %r: tensor<1x16xf32>, %t: tensor<1x1x4xf32>) {
  // CHECK: = prec_sched.gemm %arg0, %arg1 <full> : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
  %0 = prec_sched.gemm %x, %w <full> : (tensor<16x32xf32>, tensor<32x48xf32>) -> tensor<16x48xf32>
  // CHECK: = prec_sched.gemm %arg0, %arg1 init %arg2 <full> {alpha = 5.000000e-01 : f32} : (tensor<16x32xf32>, tensor<32x48xf32>, tensor<16x48xf32>) -> tensor<16x48xf32>
  %1 = prec_sched.gemm %x, %w init %c <full> {alpha = 5.000000e-01 : f32} : (tensor<16x32xf32>, tensor<32x48xf32>, tensor<16x48xf32>) -> tensor<16x48xf32>
  // CHECK: = prec_sched.gemm %arg6, %arg7 <full> {transpose_a, transpose_b} : (tensor<2x32x16xbf16>, tensor<2x48x32xbf16>) -> tensor<2x16x48xf32>
  %2 = prec_sched.gemm %y, %z <full> {transpose_a, transpose_b} : (tensor<2x32x16xbf16>, tensor<2x48x32xbf16>) -> tensor<2x16x48xf32>
  // CHECK: = prec_sched.gemm %arg3, %arg4 scale(%arg5, %arg5) <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<f32>, tensor<f32>) -> tensor<16x48xbf16>
  %3 = prec_sched.gemm %a, %b scale(%s, %s) <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<f32>, tensor<f32>) -> tensor<16x48xbf16>
  // CHECK: = prec_sched.gemm %arg3, %arg4 init %arg2 scale(%arg5, %arg5) <promoted> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<16x48xf32>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  %4 = prec_sched.gemm %a, %b init %c scale(%s, %s) <promoted> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<16x48xf32>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  // CHECK: = prec_sched.gemm %arg3, %arg4 scale(%arg8, %arg9) by block_1x128, block_128x128 <promoted> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<1x16xf32>, tensor<1x1x4xf32>) -> tensor<16x48xbf16>
  %5 = prec_sched.gemm %a, %b scale(%r, %t) by block_1x128, block_128x128 <promoted> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<1x16xf32>, tensor<1x1x4xf32>) -> tensor<16x48xbf16>
  return
}

// CHECK-LABEL: func.func @sdpa(
func.func @sdpa(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x2x6x16xbf16>, %l: tensor<2x4x8xf32>) {
  // CHECK: = prec_sched.sdpa %arg0, %arg1, %arg1 {causal, scale = 2.500000e-01 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  %0:2 = prec_sched.sdpa %q, %k, %k {causal, scale = 2.500000e-01 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  // CHECK: = prec_sched.sdpa_grad %arg0, %arg0, %arg1, %arg1, %arg0, %arg2 {scale = 2.500000e-01 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  %1:3 = prec_sched.sdpa_grad %q, %q, %k, %k, %q, %l {scale = 2.500000e-01 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// CHECK-LABEL: func.func @sdpa_views(
func.func @sdpa_views(%m: tensor<12x96xbf16>) {
  // CHECK: = prec_sched.sdpa %arg0, %arg0, %arg0 {scale = 2.500000e-01 : f32, views = [#prec_sched.view<[2, 2, 6, 16] strides[576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides[576, 16, 96, 1] offset 32>, #prec_sched.view<[2, 2, 6, 16] strides[576, 16, 96, 1] offset 64>, #prec_sched.view<[2, 2, 6, 16] strides[192, 16, 32, 1]>]} : (tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>) -> (tensor<12x32xbf16>, tensor<2x2x6xf32>)
  %0:2 = prec_sched.sdpa %m, %m, %m {scale = 2.500000e-01 : f32, views = [#prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 32>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 64>, #prec_sched.view<[2, 2, 6, 16] strides [192, 16, 32, 1]>]} : (tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>) -> (tensor<12x32xbf16>, tensor<2x2x6xf32>)
  return
}

// CHECK-LABEL: func.func @movement(
func.func @movement(%x: tensor<4x8xi32>) {
  // CHECK: = prec_sched.copy %arg0 : tensor<4x8xi32>
  %0 = prec_sched.copy %x : tensor<4x8xi32>
  // CHECK: = prec_sched.copy %arg0 {id = 7 : i64, placements = [#prec_sched.placement<state, 256>]} : tensor<4x8xi32>
  %1 = prec_sched.copy %x {id = 7 : i64, placements = [#prec_sched.placement<state, 256>]} : tensor<4x8xi32>
  // CHECK: = prec_sched.fill : tensor<4x8xf32>
  %2 = prec_sched.fill : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @dispatch(
func.func @dispatch(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // CHECK: = prec_sched.dispatch <row> "norm"(%arg0, %arg1) : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<4x8xf32>, %[[B:.+]]: tensor<8xf32>):
  // CHECK-NEXT: %[[SUM:.+]] = prec_train.reduce sum %[[A]] dims [1]
  // CHECK-NEXT: %[[WIDE:.+]] = prec_train.broadcast %[[B]] dims [1]
  // CHECK-NEXT: %[[Y:.+]] = arith.mulf %[[A]], %[[WIDE]]
  // CHECK-NEXT: prec_sched.yield %[[Y]], %[[SUM]] : tensor<4x8xf32>, tensor<4xf32>
  // CHECK-NEXT: }
  %0:2 = prec_sched.dispatch <row> "norm"(%x, %g) : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8xf32>):
    %sum = prec_train.reduce sum %a dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %wide = prec_train.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %y = arith.mulf %a, %wide : tensor<4x8xf32>
    prec_sched.yield %y, %sum : tensor<4x8xf32>, tensor<4xf32>
  }
  // CHECK: prec_sched.dispatch <elementwise> "planned"(%arg0) {id = 3 : i64, inplace = array<i64: 0>, kernel = @k, launch = #prec_sched.launch<extent = 32>, placements = [#prec_sched.placement<workspace, 0>]} :
  %1 = prec_sched.dispatch <elementwise> "planned"(%x) {id = 3 : i64, inplace = array<i64: 0>, kernel = @k, launch = #prec_sched.launch<extent = 32>, placements = [#prec_sched.placement<workspace, 0>]} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    prec_sched.yield %a : tensor<4x8xf32>
  }
  // A dispatch of nothing ends in its implicit terminator.
  // CHECK: prec_sched.dispatch <elementwise> "empty"() : () -> () {
  // CHECK-NEXT: }
  prec_sched.dispatch <elementwise> "empty"() : () -> () {
  }
  return
}

// CHECK-LABEL: func.func @gemm_bias(
func.func @gemm_bias(%x: tensor<16x32xbf16>, %w: tensor<32x48xbf16>, %c: tensor<16x48xbf16>, %b: tensor<48xbf16>, %a: tensor<16x32xf8E4M3FN>, %s: tensor<f32>, %v: tensor<16xbf16>) {
  // CHECK: = prec_sched.gemm %arg0, %arg1 bias %arg3 <full> : (tensor<16x32xbf16>, tensor<32x48xbf16>, tensor<48xbf16>) -> tensor<16x48xbf16>
  %0 = prec_sched.gemm %x, %w bias %b <full> : (tensor<16x32xbf16>, tensor<32x48xbf16>, tensor<48xbf16>) -> tensor<16x48xbf16>
  // CHECK: = prec_sched.gemm %arg0, %arg1 init %arg2 bias %arg3 <full> : (tensor<16x32xbf16>, tensor<32x48xbf16>, tensor<16x48xbf16>, tensor<48xbf16>) -> tensor<16x48xbf16>
  %1 = prec_sched.gemm %x, %w init %c bias %b <full> : (tensor<16x32xbf16>, tensor<32x48xbf16>, tensor<16x48xbf16>, tensor<48xbf16>) -> tensor<16x48xbf16>
  // CHECK: = prec_sched.gemm %arg4, %arg4 scale(%arg5, %arg5) bias %arg6 <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<f32>, tensor<16xbf16>) -> tensor<16x16xf32>
  %2 = prec_sched.gemm %a, %a scale (%s, %s) bias %v <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<f32>, tensor<16xbf16>) -> tensor<16x16xf32>
  return
}

// Views are of what is neither lse nor bias.
// CHECK-LABEL: func.func @sdpa_masks(
func.func @sdpa_masks(%q: tensor<2x8x4x16xbf16>, %k: tensor<2x4x8x16xbf16>, %l: tensor<2x4x8xf32>, %b: tensor<1x1x8x8xf32>) {
  // CHECK: = prec_sched.sdpa %arg1, %arg1, %arg1, %arg3 {causal, scale = 2.500000e-01 : f32, window = 4 : i64} : (
  %0:2 = prec_sched.sdpa %k, %k, %k, %b {causal, scale = 0.25 : f32, window = 4 : i64} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<1x1x8x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  // CHECK: = prec_sched.sdpa %arg0, %arg1, %arg1, %arg3 {scale = 2.500000e-01 : f32, views = [
  %1:2 = prec_sched.sdpa %q, %k, %k, %b {scale = 0.25 : f32, views = [
      #prec_sched.view<[2, 4, 8, 16] strides [512, 16, 64, 1]>, #prec_sched.view<[2, 4, 8, 16] strides [512, 128, 16, 1]>,
      #prec_sched.view<[2, 4, 8, 16] strides [512, 128, 16, 1]>, #prec_sched.view<[2, 4, 8, 16] strides [512, 128, 16, 1]>]}
    : (tensor<2x8x4x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<1x1x8x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  // CHECK: = prec_sched.sdpa_grad %arg1, %arg1, %arg1, %arg1, %arg1, %arg2, %arg3 {scale = 2.500000e-01 : f32} : (
  %2:3 = prec_sched.sdpa_grad %k, %k, %k, %k, %k, %l, %b {scale = 0.25 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>, tensor<1x1x8x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>)
  return
}
