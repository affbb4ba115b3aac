// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s

// A thread reads, of its two patches of four rows, all but the last one before
// it computes the first one: 128 bytes. Two rows of a column are rounded
// together: a word is two of these.
// CHECK-LABEL: llvm.func @prec_turned(
// CHECK-NOT: llvm.fmul
// CHECK-COUNT-7: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>
// CHECK: llvm.fmul
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK-COUNT-16: nvvm.convert.f32x2.to.f8x2
// CHECK-NOT: vector<4xi8>
// CHECK-COUNT-8: llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK-COUNT-16: nvvm.convert.f32x2.to.f8x2
// CHECK-COUNT-8: llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK: nvvm.barrier
func.func @turned(%x: tensor<128x128xbf16>, %s: tensor<f32>) -> tensor<128x128xf8E4M3FN> {
  %r = prec_sched.dispatch <transpose> "turned" (%x, %s) : (tensor<128x128xbf16>, tensor<f32>) -> tensor<128x128xf8E4M3FN> {
  ^bb0(%a: tensor<128x128xbf16>, %b: tensor<f32>):
    %q = prec.quantize %a, %b : tensor<128x128xbf16> to tensor<128x128xf8E4M3FN>
    %t = prec_train.transpose %q permutation [1, 0] : (tensor<128x128xf8E4M3FN>) -> tensor<128x128xf8E4M3FN>
    prec_sched.yield %t : tensor<128x128xf8E4M3FN>
  }
  return %r : tensor<128x128xf8E4M3FN>
}

// What is stored in rows, too, is rounded once.
// CHECK-LABEL: llvm.func @prec_both(
// CHECK: nvvm.convert.f32x2.to.f8x2
// CHECK: llvm.store {{.*}} : vector<8xi8>, !llvm.ptr<1>
// CHECK: vector<4xi8>
// CHECK-COUNT-8: llvm.store {{.*}} : i32, !llvm.ptr<3>
func.func @both(%x: tensor<128x128xbf16>, %s: tensor<f32>) -> (tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>) {
  %r:2 = prec_sched.dispatch <transpose> "both" (%x, %s) : (tensor<128x128xbf16>, tensor<f32>) -> (tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>) {
  ^bb0(%a: tensor<128x128xbf16>, %b: tensor<f32>):
    %q = prec.quantize %a, %b : tensor<128x128xbf16> to tensor<128x128xf8E4M3FN>
    %t = prec_train.transpose %q permutation [1, 0] : (tensor<128x128xf8E4M3FN>) -> tensor<128x128xf8E4M3FN>
    prec_sched.yield %q, %t : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>
  }
  return %r#0, %r#1 : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>
}

// Heads that are turned by their row: a block has two, and a thread both halves
// of each, so that it reads four vectors of them and four of cosines and sines,
// once, for four results.
// CHECK-LABEL: llvm.func @prec_heads(
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK-NOT: arith.select
// CHECK-COUNT-16: llvm.store {{.*}} : vector<8xi8>, !llvm.ptr<1>
// CHECK-NOT: llvm.store {{.*}} : vector<8xi8>, !llvm.ptr<1>
// CHECK: nvvm.barrier
func.func @heads(%x: tensor<256x256xbf16>, %c: tensor<256x64xf32>, %s: tensor<256x64xf32>, %scale: tensor<f32>) -> (tensor<256x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>) {
  %r:2 = prec_sched.dispatch <transpose> "heads" (%x, %c, %s, %scale) : (tensor<256x256xbf16>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<f32>) -> (tensor<256x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>) {
  ^bb0(%0: tensor<256x256xbf16>, %1: tensor<256x64xf32>, %2: tensor<256x64xf32>, %3: tensor<f32>):
    %w = arith.extf %0 : tensor<256x256xbf16> to tensor<256x256xf32>
    %h = tensor.expand_shape %w [[0], [1, 2]] output_shape [256, 2, 128] : tensor<256x256xf32> into tensor<256x2x128xf32>
    %x1 = tensor.extract_slice %h[0, 0, 0] [256, 2, 64] [1, 1, 1] : tensor<256x2x128xf32> to tensor<256x2x64xf32>
    %x2 = tensor.extract_slice %h[0, 0, 64] [256, 2, 64] [1, 1, 1] : tensor<256x2x128xf32> to tensor<256x2x64xf32>
    %cb = prec_train.broadcast %1 dims [0, 2] : (tensor<256x64xf32>) -> tensor<256x2x64xf32>
    %sb = prec_train.broadcast %2 dims [0, 2] : (tensor<256x64xf32>) -> tensor<256x2x64xf32>
    %a1 = arith.mulf %x1, %cb : tensor<256x2x64xf32>
    %b1 = arith.mulf %x2, %sb : tensor<256x2x64xf32>
    %a2 = arith.mulf %x2, %cb : tensor<256x2x64xf32>
    %b2 = arith.mulf %x1, %sb : tensor<256x2x64xf32>
    %y1 = arith.subf %a1, %b1 : tensor<256x2x64xf32>
    %y2 = arith.addf %a2, %b2 : tensor<256x2x64xf32>
    %y = tensor.concat dim(2) %y1, %y2 : (tensor<256x2x64xf32>, tensor<256x2x64xf32>) -> tensor<256x2x128xf32>
    %f = tensor.collapse_shape %y [[0], [1, 2]] : tensor<256x2x128xf32> into tensor<256x256xf32>
    %q = prec.quantize %f, %3 : tensor<256x256xf32> to tensor<256x256xf8E4M3FN>
    %t = prec_train.transpose %q permutation [1, 0] : (tensor<256x256xf8E4M3FN>) -> tensor<256x256xf8E4M3FN>
    prec_sched.yield %q, %t : tensor<256x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>
  }
  return %r#0, %r#1 : tensor<256x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>
}

// Each of 16 lines of threads sums its rows of eight columns, and a thread for
// each column what the lines have, where the tile was.
// CHECK-LABEL: llvm.func @prec_sums(
// CHECK: nvvm.barrier
// CHECK: nvvm.barrier
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK-COUNT-16: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
func.func @sums(%x: tensor<256x128xbf16>, %s: tensor<f32>) -> (tensor<128x256xf8E5M2>, tensor<2x128xf32>) {
  %r:2 = prec_sched.dispatch <transpose> "sums" (%x, %s) : (tensor<256x128xbf16>, tensor<f32>) -> (tensor<128x256xf8E5M2>, tensor<2x128xf32>) {
  ^bb0(%a: tensor<256x128xbf16>, %b: tensor<f32>):
    %w = arith.extf %a : tensor<256x128xbf16> to tensor<256x128xf32>
    %q = prec.quantize %a, %b : tensor<256x128xbf16> to tensor<256x128xf8E5M2>
    %t = prec_train.transpose %q permutation [1, 0] : (tensor<256x128xf8E5M2>) -> tensor<128x256xf8E5M2>
    %g = tensor.expand_shape %w [[0, 1], [2]] output_shape [2, 128, 128] : tensor<256x128xf32> into tensor<2x128x128xf32>
    %c = prec_train.reduce sum %g dims [1] : (tensor<2x128x128xf32>) -> tensor<2x128xf32>
    prec_sched.yield %t, %c : tensor<128x256xf8E5M2>, tensor<2x128xf32>
  }
  return %r#0, %r#1 : tensor<128x256xf8E5M2>, tensor<2x128xf32>
}

// Of a tile of 80 rows the 256 threads have a patch of four each, and 64 of them
// one more; as many words are written, two and a half for each.
// CHECK-LABEL: llvm.func @prec_lower(
// CHECK: llvm.cond_br
// CHECK: nvvm.barrier
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: llvm.cond_br
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: -> vector<4xi32>
// CHECK: llvm.return
func.func @lower(%x: tensor<240x128xbf16>, %s: tensor<f32>) -> (tensor<128x240xf8E5M2>, tensor<3x1xf32>) {
  %r:2 = prec_sched.dispatch <transpose> "lower" (%x, %s) : (tensor<240x128xbf16>, tensor<f32>) -> (tensor<128x240xf8E5M2>, tensor<3x1xf32>) {
  ^bb0(%a: tensor<240x128xbf16>, %b: tensor<f32>):
    %w = arith.extf %a : tensor<240x128xbf16> to tensor<240x128xf32>
    %q = prec.quantize %a, %b : tensor<240x128xbf16> to tensor<240x128xf8E5M2>
    %t = prec_train.transpose %q permutation [1, 0] : (tensor<240x128xf8E5M2>) -> tensor<128x240xf8E5M2>
    %g = tensor.expand_shape %w [[0, 1], [2, 3]] output_shape [3, 80, 1, 128] : tensor<240x128xf32> into tensor<3x80x1x128xf32>
    %c = prec_train.reduce max %g dims [1, 3] : (tensor<3x80x1x128xf32>) -> tensor<3x1xf32>
    prec_sched.yield %t, %c : tensor<128x240xf8E5M2>, tensor<3x1xf32>
  }
  return %r#0, %r#1 : tensor<128x240xf8E5M2>, tensor<3x1xf32>
}

// Whatever piece a block has, its sums meet in the same memory: seven times that
// would be more than a block may have.
// CHECK: llvm.mlir.global {{.*}}@prec_joined_shared0() {addr_space = 3 : i32{{.*}}} : !llvm.array<2048 x f32>
// CHECK-LABEL: llvm.func @prec_joined(
func.func @joined(%i0: tensor<256x128xbf16>, %i1: tensor<256x128xbf16>, %i2: tensor<256x128xbf16>, %i3: tensor<256x128xbf16>, %i4: tensor<256x128xbf16>, %i5: tensor<256x128xbf16>, %i6: tensor<256x128xbf16>) -> (tensor<256x896xbf16>, tensor<2x896xf32>) {
  %r:2 = prec_sched.dispatch <transpose> "joined" (%i0, %i1, %i2, %i3, %i4, %i5, %i6) : (tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>) -> (tensor<256x896xbf16>, tensor<2x896xf32>) {
  ^bb0(%0: tensor<256x128xbf16>, %1: tensor<256x128xbf16>, %2: tensor<256x128xbf16>, %3: tensor<256x128xbf16>, %4: tensor<256x128xbf16>, %5: tensor<256x128xbf16>, %6: tensor<256x128xbf16>):
    %j = tensor.concat dim(1) %0, %1, %2, %3, %4, %5, %6 : (tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>) -> tensor<256x896xbf16>
    %w = arith.extf %j : tensor<256x896xbf16> to tensor<256x896xf32>
    %g = tensor.expand_shape %w [[0, 1], [2]] output_shape [2, 128, 896] : tensor<256x896xf32> into tensor<2x128x896xf32>
    %c = prec_train.reduce sum %g dims [1] : (tensor<2x128x896xf32>) -> tensor<2x896xf32>
    prec_sched.yield %j, %c : tensor<256x896xbf16>, tensor<2x896xf32>
  }
  return %r#0, %r#1 : tensor<256x896xbf16>, tensor<2x896xf32>
}
