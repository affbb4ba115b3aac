// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s
// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90 | FileCheck %s --check-prefix=PLAIN

// Chips without warpgroups multiply in f32.
// PLAIN-NOT: wgmma
// PLAIN-NOT: reads_maps

// Equal products share a kernel: one block for each multiprocessor, of two
// warpgroups that compute and one that copies.
// CHECK-LABEL: func.func @step
// CHECK: prec_sched.grouped_gemm
// CHECK-SAME: prec_sched.kernel = @prec_grouped_0
// CHECK-SAME: prec_sched.launch = #prec_sched.launch<grid = [132, 1, 1], block = [384, 1, 1], shared = 196704>
// CHECK-SAME: prec_sched.reads_maps
// CHECK: prec_sched.grouped_gemm
// CHECK-SAME: prec_sched.kernel = @prec_grouped_0
// CHECK: prec_sched.grouped_gemm
// CHECK-SAME: prec_sched.kernel = @prec_grouped_1
// CHECK-SAME: prec_sched.reads_maps
// CHECK: prec_sched.grouped_gemm
// CHECK-SAME: prec_sched.kernel = @prec_grouped_2
// CHECK: prec_sched.grouped_gemm
// CHECK-SAME: prec_sched.kernel = @prec_grouped_3
// CHECK: prec_sched.grouped_gemm
// CHECK-SAME: prec_sched.kernel = @prec_grouped_4

// f32, and rows that are not in pieces of 16 bytes, are not for matrix units.
// CHECK: prec_sched.grouped_gemm
// CHECK-SAME: prec_sched.kernel = @prec_grouped_5
// CHECK-NOT: prec_sched.reads_maps
// CHECK: prec_sched.grouped_gemm
// CHECK-SAME: prec_sched.kernel = @prec_grouped_6
// CHECK-NOT: prec_sched.reads_maps

// Maps are arguments by value. A step of 64 elements is four instructions.
// CHECK-LABEL: llvm.func @prec_grouped_0(
// CHECK-SAME: llvm.byval = !llvm.array<128 x i8>
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}p, 1, 1, 0, 0;
// CHECK-NOT: wgmma.mma_async

// The gradient of matrices reads both operands across, with more than 128
// columns in wider tiles, and clears rows of the next group.
// CHECK-LABEL: llvm.func @prec_grouped_1(
// CHECK: fence.proxy.async
// CHECK: bar.sync
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {{.*}}p, 1, 1, 1, 1;

// Sums of 128 fp8 products alone where f32 promotes them: the first instruction
// of four begins anew. The scales of a group multiply in the end.
// CHECK-LABEL: llvm.func @prec_grouped_2(
// CHECK: setp.ne.b32 p, 0, 0;{{.*}}m64n128k32.f32.e5m2.e4m3
// CHECK: setp.ne.b32 p, 1, 0;{{.*}}m64n128k32.f32.e5m2.e4m3
// CHECK: wgmma.wait_group.sync.aligned 0;

// The fast sum goes on.
// CHECK-LABEL: llvm.func @prec_grouped_3(
// CHECK-NOT: setp.ne.b32 p, 0, 0;
// CHECK: m64n256k32.f32.e4m3.e4m3

// Scales of blocks are read for each step.
// CHECK-LABEL: llvm.func @prec_grouped_4(
// CHECK: setp.ne.b32 p, 0, 0;{{.*}}m64n128k32.f32.e4m3.e4m3

// CHECK-LABEL: llvm.func @prec_grouped_5(
// CHECK: llvm.intr.fma
// CHECK-LABEL: llvm.func @prec_grouped_6(
// CHECK: llvm.intr.fma
func.func @step(%x: tensor<64x128xbf16>, %w: tensor<4x128x128xbf16>, %e: tensor<4xi32>, %dy: tensor<64x512xbf16>,
                %q: tensor<64x256xf8E5M2>, %p: tensor<4x256x256xf8E4M3FN>, %r: tensor<64x256xf8E4M3FN>, %s: tensor<4xf32>,
                %sx: tensor<2x64xf32>, %sw: tensor<8x1x4xf32>, %f: tensor<64x13xf32>, %g: tensor<4x27x13xf32>,
                %h: tensor<64x13xbf16>, %i: tensor<4x27x13xbf16>) attributes {prec.entry = "step"} {
  %0 = prec_sched.grouped_gemm %x, %w, %e {transpose_b} : (tensor<64x128xbf16>, tensor<4x128x128xbf16>, tensor<4xi32>) -> tensor<64x128xbf16>
  %1 = prec_sched.grouped_gemm %0, %w, %e {transpose_b} : (tensor<64x128xbf16>, tensor<4x128x128xbf16>, tensor<4xi32>) -> tensor<64x128xbf16>
  %2 = prec_sched.grouped_gemm %x, %dy, %e : (tensor<64x128xbf16>, tensor<64x512xbf16>, tensor<4xi32>) -> tensor<4x128x512xbf16>
  %3 = prec_sched.grouped_gemm %q, %p, %e scales %s, %s {accumulator = #prec.accumulator<promoted>, lhs_scaling = #prec<scaling tensor_current>, rhs_scaling = #prec<scaling tensor_current>, transpose_b}
    : (tensor<64x256xf8E5M2>, tensor<4x256x256xf8E4M3FN>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<64x256xbf16>
  %4 = prec_sched.grouped_gemm %r, %p, %e scales %s, %s {accumulator = #prec.accumulator<fast>, lhs_scaling = #prec<scaling tensor_current>, rhs_scaling = #prec<scaling tensor_current>, transpose_b}
    : (tensor<64x256xf8E4M3FN>, tensor<4x256x256xf8E4M3FN>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<64x256xbf16>
  %5 = prec_sched.grouped_gemm %r, %p, %e scales %sx, %sw {accumulator = #prec.accumulator<promoted>, lhs_scaling = #prec<scaling block_1x128>, rhs_scaling = #prec<scaling block_128x128>, transpose_b}
    : (tensor<64x256xf8E4M3FN>, tensor<4x256x256xf8E4M3FN>, tensor<4xi32>, tensor<2x64xf32>, tensor<8x1x4xf32>) -> tensor<64x256xbf16>
  %6 = prec_sched.grouped_gemm %f, %g, %e {transpose_b} : (tensor<64x13xf32>, tensor<4x27x13xf32>, tensor<4xi32>) -> tensor<64x27xf32>
  %7 = prec_sched.grouped_gemm %h, %i, %e {transpose_b} : (tensor<64x13xbf16>, tensor<4x27x13xbf16>, tensor<4xi32>) -> tensor<64x27xbf16>
  return
}
