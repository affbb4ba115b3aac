// RUN: prec-opt %s --codegen-nvptx=chip=sm_90a | FileCheck %s

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
  %r = sched.dispatch <transpose> "turned" (%x, %s) : (tensor<128x128xbf16>, tensor<f32>) -> tensor<128x128xf8E4M3FN> {
  ^bb0(%a: tensor<128x128xbf16>, %b: tensor<f32>):
    %q = prec.quantize %a, %b : tensor<128x128xbf16> to tensor<128x128xf8E4M3FN>
    %t = train.transpose %q permutation [1, 0] : (tensor<128x128xf8E4M3FN>) -> tensor<128x128xf8E4M3FN>
    sched.yield %t : tensor<128x128xf8E4M3FN>
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
  %r:2 = sched.dispatch <transpose> "both" (%x, %s) : (tensor<128x128xbf16>, tensor<f32>) -> (tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>) {
  ^bb0(%a: tensor<128x128xbf16>, %b: tensor<f32>):
    %q = prec.quantize %a, %b : tensor<128x128xbf16> to tensor<128x128xf8E4M3FN>
    %t = train.transpose %q permutation [1, 0] : (tensor<128x128xf8E4M3FN>) -> tensor<128x128xf8E4M3FN>
    sched.yield %q, %t : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>
  }
  return %r#0, %r#1 : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>
}
