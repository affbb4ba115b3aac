// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s

// Every tile of the matrix is of one piece, however wide: a branch for each
// loads its own piece and no other.
// CHECK-LABEL: llvm.func @prec_whole(
// CHECK-SAME: %[[A:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK-SAME: %[[B:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK-SAME: %[[C:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK: llvm.cond_br
// CHECK-NOT: llvm.getelementptr {{.*}}%[[B]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[C]][
// CHECK-COUNT-8: llvm.getelementptr {{.*}}%[[A]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[A]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[B]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[C]][
// CHECK: nvvm.barrier
// CHECK: llvm.cond_br
// CHECK-NOT: llvm.getelementptr {{.*}}%[[A]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[C]][
// CHECK-COUNT-8: llvm.getelementptr {{.*}}%[[B]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[A]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[B]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[C]][
// CHECK: nvvm.barrier
// CHECK: llvm.cond_br
// CHECK-NOT: llvm.getelementptr {{.*}}%[[A]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[B]][
// CHECK-COUNT-8: llvm.getelementptr {{.*}}%[[C]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[A]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[B]][
// CHECK-NOT: llvm.getelementptr {{.*}}%[[C]][
// CHECK: nvvm.barrier

// Tiles of two pieces: both are read, at the border where they have nothing.
// CHECK-LABEL: llvm.func @prec_split(
// CHECK-NOT: llvm.cond_br
// CHECK-COUNT-2: llvm.intr.smin
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.select {{.*}} : i1, vector<8xi8>
// CHECK-NOT: llvm.cond_br
// CHECK: nvvm.barrier

// Tiles of one piece, which are read at other places, too.
// CHECK-LABEL: llvm.func @prec_moved(
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.select {{.*}} : i1, vector<8xi8>
// CHECK-NOT: llvm.cond_br
// CHECK: nvvm.barrier

// Both halves are computed of the same elements: these are read once, at one
// place.
// CHECK-LABEL: llvm.func @prec_turn(
// CHECK-NOT: llvm.intr.smin
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4x
// CHECK-NOT: llvm.load
// CHECK: llvm.select {{.*}} : i1, vector<4xi16>
// CHECK-NOT: llvm.load
// CHECK: llvm.store

// Halves of different inputs: each is read at its border where the other one
// is.
// CHECK-LABEL: llvm.func @prec_beside(
// CHECK: llvm.intr.smin
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4x
// CHECK: llvm.intr.smin
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4x
// CHECK: llvm.select {{.*}} : i1, vector<4xi16>

func.func @whole(%x0: tensor<256x256xbf16>, %x1: tensor<256x128xbf16>, %x2: tensor<256x128xbf16>, %s: tensor<f32>) -> (tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>) {
  %r:2 = prec_sched.dispatch <transpose> "whole" (%x0, %x1, %x2, %s) : (tensor<256x256xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<f32>) -> (tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>) {
  ^bb0(%a: tensor<256x256xbf16>, %b: tensor<256x128xbf16>, %c: tensor<256x128xbf16>, %e: tensor<f32>):
    %qa = prec.quantize %a, %e : tensor<256x256xbf16> to tensor<256x256xf8E4M3FN>
    %qb = prec.quantize %b, %e : tensor<256x128xbf16> to tensor<256x128xf8E4M3FN>
    %qc = prec.quantize %c, %e : tensor<256x128xbf16> to tensor<256x128xf8E4M3FN>
    %j = tensor.concat dim(1) %qa, %qb, %qc : (tensor<256x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>, tensor<256x128xf8E4M3FN>) -> tensor<256x512xf8E4M3FN>
    %t = prec_train.transpose %j permutation [1, 0] : (tensor<256x512xf8E4M3FN>) -> tensor<512x256xf8E4M3FN>
    prec_sched.yield %j, %t : tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>
  }
  return %r#0, %r#1 : tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>
}

func.func @split(%x0: tensor<256x192xbf16>, %x1: tensor<256x320xbf16>, %s: tensor<f32>) -> (tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>) {
  %r:2 = prec_sched.dispatch <transpose> "split" (%x0, %x1, %s) : (tensor<256x192xbf16>, tensor<256x320xbf16>, tensor<f32>) -> (tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>) {
  ^bb0(%a: tensor<256x192xbf16>, %b: tensor<256x320xbf16>, %e: tensor<f32>):
    %qa = prec.quantize %a, %e : tensor<256x192xbf16> to tensor<256x192xf8E4M3FN>
    %qb = prec.quantize %b, %e : tensor<256x320xbf16> to tensor<256x320xf8E4M3FN>
    %j = tensor.concat dim(1) %qa, %qb : (tensor<256x192xf8E4M3FN>, tensor<256x320xf8E4M3FN>) -> tensor<256x512xf8E4M3FN>
    %t = prec_train.transpose %j permutation [1, 0] : (tensor<256x512xf8E4M3FN>) -> tensor<512x256xf8E4M3FN>
    prec_sched.yield %j, %t : tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>
  }
  return %r#0, %r#1 : tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>
}

func.func @moved(%x0: tensor<256x256xbf16>, %x1: tensor<256x128xbf16>, %x2: tensor<256x128xbf16>, %s: tensor<f32>) -> (tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>, tensor<256x512xf8E4M3FN>) {
  %r:3 = prec_sched.dispatch <transpose> "moved" (%x0, %x1, %x2, %s) : (tensor<256x256xbf16>, tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<f32>) -> (tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>, tensor<256x512xf8E4M3FN>) {
  ^bb0(%a: tensor<256x256xbf16>, %b: tensor<256x128xbf16>, %c: tensor<256x128xbf16>, %e: tensor<f32>):
    %qa = prec.quantize %a, %e : tensor<256x256xbf16> to tensor<256x256xf8E4M3FN>
    %qb = prec.quantize %b, %e : tensor<256x128xbf16> to tensor<256x128xf8E4M3FN>
    %qc = prec.quantize %c, %e : tensor<256x128xbf16> to tensor<256x128xf8E4M3FN>
    %j = tensor.concat dim(1) %qa, %qb, %qc : (tensor<256x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>, tensor<256x128xf8E4M3FN>) -> tensor<256x512xf8E4M3FN>
    %g = tensor.extract_slice %j[0, 64] [256, 448] [1, 1] : tensor<256x512xf8E4M3FN> to tensor<256x448xf8E4M3FN>
    %f = tensor.extract_slice %j[0, 0] [256, 64] [1, 1] : tensor<256x512xf8E4M3FN> to tensor<256x64xf8E4M3FN>
    %h = tensor.concat dim(1) %g, %f : (tensor<256x448xf8E4M3FN>, tensor<256x64xf8E4M3FN>) -> tensor<256x512xf8E4M3FN>
    %t = prec_train.transpose %j permutation [1, 0] : (tensor<256x512xf8E4M3FN>) -> tensor<512x256xf8E4M3FN>
    prec_sched.yield %j, %t, %h : tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>, tensor<256x512xf8E4M3FN>
  }
  return %r#0, %r#1, %r#2 : tensor<256x512xf8E4M3FN>, tensor<512x256xf8E4M3FN>, tensor<256x512xf8E4M3FN>
}

func.func @turn(%x: tensor<64x128xbf16>, %c: tensor<64x64xf32>, %s: tensor<64x64xf32>) -> tensor<64x128xf32> {
  %r = prec_sched.dispatch <elementwise> "turn" (%x, %c, %s) : (tensor<64x128xbf16>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32> {
  ^bb0(%a: tensor<64x128xbf16>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>):
    %p = tensor.extract_slice %a[0, 0] [64, 64] [1, 1] : tensor<64x128xbf16> to tensor<64x64xbf16>
    %q = tensor.extract_slice %a[0, 64] [64, 64] [1, 1] : tensor<64x128xbf16> to tensor<64x64xbf16>
    %x1 = arith.extf %p : tensor<64x64xbf16> to tensor<64x64xf32>
    %x2 = arith.extf %q : tensor<64x64xbf16> to tensor<64x64xf32>
    %a1 = arith.mulf %x1, %u : tensor<64x64xf32>
    %b1 = arith.mulf %x2, %v : tensor<64x64xf32>
    %a2 = arith.mulf %x2, %u : tensor<64x64xf32>
    %b2 = arith.mulf %x1, %v : tensor<64x64xf32>
    %y1 = arith.subf %a1, %b1 : tensor<64x64xf32>
    %y2 = arith.addf %a2, %b2 : tensor<64x64xf32>
    %n1 = arith.truncf %y1 : tensor<64x64xf32> to tensor<64x64xbf16>
    %n2 = arith.truncf %y2 : tensor<64x64xf32> to tensor<64x64xbf16>
    %y = tensor.concat dim(1) %n1, %n2 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x128xbf16>
    %w = arith.extf %y : tensor<64x128xbf16> to tensor<64x128xf32>
    prec_sched.yield %w : tensor<64x128xf32>
  }
  return %r : tensor<64x128xf32>
}

func.func @beside(%x: tensor<64x64xbf16>, %z: tensor<64x64xbf16>, %c: tensor<64x64xf32>, %s: tensor<64x64xf32>) -> tensor<64x128xf32> {
  %r = prec_sched.dispatch <elementwise> "beside" (%x, %z, %c, %s) : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32> {
  ^bb0(%p: tensor<64x64xbf16>, %q: tensor<64x64xbf16>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>):
    %x1 = arith.extf %p : tensor<64x64xbf16> to tensor<64x64xf32>
    %x2 = arith.extf %q : tensor<64x64xbf16> to tensor<64x64xf32>
    %y1 = arith.mulf %x1, %u : tensor<64x64xf32>
    %y2 = arith.mulf %x2, %v : tensor<64x64xf32>
    %n1 = arith.truncf %y1 : tensor<64x64xf32> to tensor<64x64xbf16>
    %n2 = arith.truncf %y2 : tensor<64x64xf32> to tensor<64x64xbf16>
    %y = tensor.concat dim(1) %n1, %n2 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x128xbf16>
    %w = arith.extf %y : tensor<64x128xbf16> to tensor<64x128xf32>
    prec_sched.yield %w : tensor<64x128xf32>
  }
  return %r : tensor<64x128xf32>
}
