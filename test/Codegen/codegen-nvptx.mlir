// RUN: prec-opt %s --prec-codegen-nvptx | FileCheck %s
// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s --check-prefix=SM90

// 16 bytes of the narrowest element a thread: 16 FP8, in four loads of f32.
// CHECK-LABEL: func.func @quantize
// CHECK: {kernel = @prec_quantize, launch = #prec_sched.launch<grid = [1, 1, 1], block = [256, 1, 1]>}
func.func @quantize(%x: tensor<4096xbf16>, %s: tensor<f32>) -> tensor<4096xf8E4M3FN> {
  %r = prec_sched.dispatch <elementwise> "quantize" (%x, %s) : (tensor<4096xbf16>, tensor<f32>) -> tensor<4096xf8E4M3FN> {
  ^bb0(%a: tensor<4096xbf16>, %b: tensor<f32>):
    %q = prec.quantize %a, %b : tensor<4096xbf16> to tensor<4096xf8E4M3FN>
    prec_sched.yield %q : tensor<4096xf8E4M3FN>
  }
  return %r : tensor<4096xf8E4M3FN>
}

// Short rows: a warp each, four to a block.
// CHECK-LABEL: func.func @short_rows
// CHECK: {kernel = @prec_short, launch = #prec_sched.launch<grid = [2, 1, 1], block = [128, 1, 1]>}
func.func @short_rows(%x: tensor<6x256xf32>) -> tensor<6xf32> {
  %r = prec_sched.dispatch <row> "short" (%x) : (tensor<6x256xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<6x256xf32>):
    %s = prec_train.reduce max %a dims [1] : (tensor<6x256xf32>) -> tensor<6xf32>
    prec_sched.yield %s : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}

// Long rows: a block each, warps meet in shared memory.
// CHECK-LABEL: func.func @long_rows
// CHECK: {kernel = @prec_long, launch = #prec_sched.launch<grid = [6, 1, 1], block = [256, 1, 1]>}
func.func @long_rows(%x: tensor<6x4096xf32>) -> tensor<6xf32> {
  %r = prec_sched.dispatch <row> "long" (%x) : (tensor<6x4096xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<6x4096xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    prec_sched.yield %s : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}

// CHECK-LABEL: func.func @column
// CHECK: {kernel = @prec_column, launch = #prec_sched.launch<grid = [16, 1, 1], block = [8, 128, 1]>}
func.func @column(%x: tensor<500x128xf32>) -> tensor<128xf32> {
  %r = prec_sched.dispatch <column> "column" (%x) : (tensor<500x128xf32>) -> tensor<128xf32> {
  ^bb0(%a: tensor<500x128xf32>):
    %s = prec_train.reduce sum %a dims [0] : (tensor<500x128xf32>) -> tensor<128xf32>
    prec_sched.yield %s : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}

// CHECK-LABEL: func.func @transpose
// CHECK: {kernel = @prec_swap, launch = #prec_sched.launch<grid = [2, 1, 1], block = [256, 1, 1]>}
func.func @transpose(%x: tensor<128x192xbf16>) -> tensor<192x128xbf16> {
  %r = prec_sched.dispatch <transpose> "swap" (%x) : (tensor<128x192xbf16>) -> tensor<192x128xbf16> {
  ^bb0(%a: tensor<128x192xbf16>):
    %t = prec_train.transpose %a permutation [1, 0] : (tensor<128x192xbf16>) -> tensor<192x128xbf16>
    prec_sched.yield %t : tensor<192x128xbf16>
  }
  return %r : tensor<192x128xbf16>
}

// A block for each 16 of the sorted ids, here 6, and the one strip of columns.
// CHECK-LABEL: func.func @scatter_add
// CHECK: kernel = @prec_embedding_grad, launch = #prec_sched.launch<grid = [1, 1, 1], block = [512, 1, 1]>}
func.func @scatter_add(%t: tensor<10x128xf32>, %i: tensor<6xi32>, %u: tensor<6x128xf32>, %o: tensor<2x6xi32>) -> tensor<10x128xf32> {
  %r = prec_sched.dispatch <scatter_add> "embedding_grad" (%t, %i, %u, %o) {inplace = array<i64: 0>} : (tensor<10x128xf32>, tensor<6xi32>, tensor<6x128xf32>, tensor<2x6xi32>) -> tensor<10x128xf32> {
  ^bb0(%a: tensor<10x128xf32>, %b: tensor<6xi32>, %c: tensor<6x128xf32>, %d: tensor<2x6xi32>):
    %s = prec_train.scatter_add %a, %b, %c sorted %d : (tensor<10x128xf32>, tensor<6xi32>, tensor<6x128xf32>, tensor<2x6xi32>) -> tensor<10x128xf32>
    prec_sched.yield %s : tensor<10x128xf32>
  }
  return %r : tensor<10x128xf32>
}

// 8 lanes of bf16: one strip has 512 columns.
// CHECK-LABEL: func.func @narrow_table
// CHECK: kernel = @prec_tied_grad, launch = #prec_sched.launch<grid = [4, 1, 1], block = [512, 1, 1]>}
func.func @narrow_table(%t: tensor<10x2048xbf16>, %i: tensor<6xi32>, %u: tensor<6x2048xbf16>, %o: tensor<2x6xi32>) -> tensor<10x2048xbf16> {
  %r = prec_sched.dispatch <scatter_add> "tied_grad" (%t, %i, %u, %o) {inplace = array<i64: 0>} : (tensor<10x2048xbf16>, tensor<6xi32>, tensor<6x2048xbf16>, tensor<2x6xi32>) -> tensor<10x2048xbf16> {
  ^bb0(%a: tensor<10x2048xbf16>, %b: tensor<6xi32>, %c: tensor<6x2048xbf16>, %d: tensor<2x6xi32>):
    %s = prec_train.scatter_add %a, %b, %c sorted %d : (tensor<10x2048xbf16>, tensor<6xi32>, tensor<6x2048xbf16>, tensor<2x6xi32>) -> tensor<10x2048xbf16>
    prec_sched.yield %s : tensor<10x2048xbf16>
  }
  return %r : tensor<10x2048xbf16>
}

// A block for each range of ids, more of them where shared memory has room.
// CHECK-LABEL: func.func @sort
// CHECK: {kernel = @prec_sort, launch = #prec_sched.launch<grid = [79, 1, 1], block = [512, 1, 1], shared = 8192>}
// SM90: {kernel = @prec_sort, launch = #prec_sched.launch<grid = [79, 1, 1], block = [1024, 1, 1], shared = 16384>}
func.func @sort(%i: tensor<6xi32>) -> tensor<2x6xi32> {
  %r = prec_sched.dispatch <sort> "sort" (%i) : (tensor<6xi32>) -> tensor<2x6xi32> {
  ^bb0(%a: tensor<6xi32>):
    %s = prec_train.sort_ids %a below 10000 : (tensor<6xi32>) -> tensor<2x6xi32>
    prec_sched.yield %s : tensor<2x6xi32>
  }
  return %r : tensor<2x6xi32>
}

// CHECK: gpu.module @kernels
// CHECK: llvm.func @prec_quantize(%{{.*}}: !llvm.ptr<1>{{.*}}, %{{.*}}: !llvm.ptr<1>{{.*}}, %{{.*}}: !llvm.ptr<1>{{.*}}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>}
// CHECK: llvm.load %{{.*}} {alignment = 32 : i64{{.*}}} : !llvm.ptr<1> -> vector<16xi16>
// CHECK: nvvm.convert.f32x2.to.f8x2
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<1>
// CHECK: llvm.func @prec_short
// CHECK-NOT: nvvm.barrier
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: llvm.mlir.global internal @prec_long_shared0() {{.*}} !llvm.array<32 x f32>
// CHECK: llvm.func @prec_long
// CHECK: nvvm.barrier
// CHECK: llvm.func @prec_column
// CHECK: llvm.mlir.global internal @prec_swap_shared0() {{.*}} !llvm.array<8192 x i32>
// CHECK: llvm.func @prec_swap
// CHECK: llvm.func @prec_embedding_grad
// CHECK: nvvm.vote.sync ballot
// CHECK: llvm.func @prec_sort
// CHECK: llvm.atomicrmw add %{{.*}} : !llvm.ptr<3>, i32
// CHECK: nvvm.barrier
// CHECK: nvvm.match.sync any
// CHECK: nvvm.bar.warp.sync
