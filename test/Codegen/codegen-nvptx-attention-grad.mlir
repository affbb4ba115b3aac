// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90 2>%t | FileCheck %s --check-prefix=LIBRARY
// RUN: prec-opt %s --prec-codegen-nvptx="chip=sm_90a attention-grad=false" | FileCheck %s --check-prefix=LIBRARY

// REMARK-COUNT-1: remark: {{.*}}a library computes gradients of attention in 3 places, for which there are no kernels
// REMARK-NOT: remark:

// LIBRARY-NOT: kernels = [
// LIBRARY-NOT: wgmma

// Layers of one shape share their kernels: a block for each 128 queries of a
// head and for each 128 keys of a group, of two warpgroups that compute and one
// that copies.
// CHECK-LABEL: func.func @step
// CHECK: prec_sched.sdpa_grad
// CHECK-SAME: kernels = [@prec_attention_grad_0_queries, @prec_attention_grad_0_keys]
// CHECK-SAME: launches = [#prec_sched.launch<grid = [24, 1, 1], block = [384, 1, 1], shared = 131128>, #prec_sched.launch<grid = [12, 1, 1], block = [384, 1, 1], shared = 100424>]
// CHECK: prec_sched.sdpa_grad
// CHECK-SAME: kernels = [@prec_attention_grad_0_queries, @prec_attention_grad_0_keys]
// CHECK: prec_sched.sdpa_grad
// CHECK-SAME: kernels = [@prec_attention_grad_1_queries, @prec_attention_grad_1_keys]

// Heads of 132 elements, f32, and more keys than queries under a causal mask
// are left to a library.
// CHECK-COUNT-3: prec_sched.sdpa_grad %{{[^{]*}} {{{(causal, )?}}scale

// Maps are arguments by value; a register of the accumulators is a thread's.
// CHECK-LABEL: llvm.func @prec_attention_grad_0_queries(
// CHECK-SAME: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: nvvm.reqntid = array<i32: 384, 1, 1>
// CHECK: nvvm.setmaxregister increase 240
// Rows are sums of products, the tiles of keys 128 columns wide.
// CHECK: m64n64k16.f32.bf16.bf16
// CHECK: m64n128k16.f32.bf16.bf16
// CHECK: llvm.nvvm.ex2.approx.ftz.f
// The last of the 300 keys are in a tile that is cut.
// CHECK: llvm.select
// CHECK: nvvm.setmaxregister decrease 24
// CHECK: cp.async.bulk.tensor.4d

// CHECK-LABEL: llvm.func @prec_attention_grad_0_keys(
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: cp.async.bulk.shared::cluster
// CHECK-LABEL: llvm.func @prec_attention_grad_1_queries(
// CHECK: m64n128k16.f32.f16.f16
func.func @step(
    %do: tensor<2x4x300x64xbf16>, %q: tensor<2x4x300x64xbf16>, %k: tensor<2x2x300x64xbf16>, %lse: tensor<2x4x300xf32>,
    %do1: tensor<1x2x64x96xf16>, %lse1: tensor<1x2x64xf32>,
    %do2: tensor<1x2x64x132xbf16>, %do3: tensor<1x2x64x64xf32>,
    %do4: tensor<1x2x64x64xbf16>, %k4: tensor<1x2x72x64xbf16>)
    -> (tensor<2x4x300x64xbf16>, tensor<2x4x300x64xbf16>, tensor<1x2x64x96xf16>, tensor<1x2x64x132xbf16>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xbf16>) attributes {prec.entry = "step"} {
  %a:3 = prec_sched.sdpa_grad %do, %q, %k, %k, %q, %lse {causal, scale = 0.125 : f32} : (tensor<2x4x300x64xbf16>, tensor<2x4x300x64xbf16>, tensor<2x2x300x64xbf16>, tensor<2x2x300x64xbf16>, tensor<2x4x300x64xbf16>, tensor<2x4x300xf32>) -> (tensor<2x4x300x64xbf16>, tensor<2x2x300x64xbf16>, tensor<2x2x300x64xbf16>)
  %b:3 = prec_sched.sdpa_grad %a#0, %q, %k, %k, %q, %lse {causal, scale = 0.125 : f32} : (tensor<2x4x300x64xbf16>, tensor<2x4x300x64xbf16>, tensor<2x2x300x64xbf16>, tensor<2x2x300x64xbf16>, tensor<2x4x300x64xbf16>, tensor<2x4x300xf32>) -> (tensor<2x4x300x64xbf16>, tensor<2x2x300x64xbf16>, tensor<2x2x300x64xbf16>)
  %c:3 = prec_sched.sdpa_grad %do1, %do1, %do1, %do1, %do1, %lse1 {scale = 0.125 : f32} : (tensor<1x2x64x96xf16>, tensor<1x2x64x96xf16>, tensor<1x2x64x96xf16>, tensor<1x2x64x96xf16>, tensor<1x2x64x96xf16>, tensor<1x2x64xf32>) -> (tensor<1x2x64x96xf16>, tensor<1x2x64x96xf16>, tensor<1x2x64x96xf16>)
  %d:3 = prec_sched.sdpa_grad %do2, %do2, %do2, %do2, %do2, %lse1 {scale = 0.125 : f32} : (tensor<1x2x64x132xbf16>, tensor<1x2x64x132xbf16>, tensor<1x2x64x132xbf16>, tensor<1x2x64x132xbf16>, tensor<1x2x64x132xbf16>, tensor<1x2x64xf32>) -> (tensor<1x2x64x132xbf16>, tensor<1x2x64x132xbf16>, tensor<1x2x64x132xbf16>)
  %e:3 = prec_sched.sdpa_grad %do3, %do3, %do3, %do3, %do3, %lse1 {scale = 0.125 : f32} : (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64xf32>) -> (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>)
  %f:3 = prec_sched.sdpa_grad %do4, %do4, %k4, %k4, %do4, %lse1 {causal, scale = 0.125 : f32} : (tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x72x64xbf16>, tensor<1x2x72x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x64xf32>) -> (tensor<1x2x64x64xbf16>, tensor<1x2x72x64xbf16>, tensor<1x2x72x64xbf16>)
  return %a#0, %b#0, %c#0, %d#0, %e#0, %f#0 : tensor<2x4x300x64xbf16>, tensor<2x4x300x64xbf16>, tensor<1x2x64x96xf16>, tensor<1x2x64x132xbf16>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xbf16>
}
