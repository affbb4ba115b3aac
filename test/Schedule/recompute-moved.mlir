// RUN: prec-opt %s --prec-form-dispatches --split-input-file | FileCheck %s

// Heads are read one after the other, in another order: what adds the bias
// rounds it there.
// CHECK-LABEL: func.func @heads
// CHECK: prec_sched.gemm
// CHECK: prec_sched.dispatch <elementwise> {{.*}} -> tensor<4x1024x64xbf16>
// CHECK: arith.truncf
// CHECK: prec_sched.dispatch <elementwise> {{.*}} -> tensor<4x1024x64xbf16>
// CHECK: arith.truncf
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @heads(%x: tensor<1024x256xbf16>, %w: tensor<256x512xbf16>, %b: tensor<512xbf16>) -> (tensor<4x1024x64xbf16>, tensor<4x1024x64xbf16>) {
  %p = prec_train.matmul %x, %w : (tensor<1024x256xbf16>, tensor<256x512xbf16>) -> tensor<1024x512xbf16>
  %e = arith.extf %p : tensor<1024x512xbf16> to tensor<1024x512xf32>
  %r = prec_train.broadcast %b dims [1] : (tensor<512xbf16>) -> tensor<1024x512xbf16>
  %f = arith.extf %r : tensor<1024x512xbf16> to tensor<1024x512xf32>
  %s = arith.addf %e, %f : tensor<1024x512xf32>
  %t = arith.truncf %s : tensor<1024x512xf32> to tensor<1024x512xbf16>
  %h = tensor.expand_shape %t [[0], [1, 2]] output_shape [1024, 8, 64] : tensor<1024x512xbf16> into tensor<1024x8x64xbf16>
  %k = tensor.extract_slice %h[0, 0, 0] [1024, 4, 64] [1, 1, 1] : tensor<1024x8x64xbf16> to tensor<1024x4x64xbf16>
  %v = tensor.extract_slice %h[0, 4, 0] [1024, 4, 64] [1, 1, 1] : tensor<1024x8x64xbf16> to tensor<1024x4x64xbf16>
  %kt = prec_train.transpose %k permutation [1, 0, 2] : (tensor<1024x4x64xbf16>) -> tensor<4x1024x64xbf16>
  %vt = prec_train.transpose %v permutation [1, 0, 2] : (tensor<1024x4x64xbf16>) -> tensor<4x1024x64xbf16>
  return %kt, %vt : tensor<4x1024x64xbf16>, tensor<4x1024x64xbf16>
}

// -----

// Rows of experts are weighted by the kernel that adds up those of a token.
// CHECK-LABEL: func.func @experts
// CHECK: prec_sched.dispatch <column> {{.*}} -> tensor<1024x512xbf16>
// CHECK: arith.truncf
// CHECK: prec_train.reduce sum
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @experts(%x: tensor<8192x512xbf16>, %w: tensor<8192xbf16>, %i: tensor<8192xi32>, %r: tensor<1024x512xbf16>) -> tensor<1024x512xbf16> attributes {prec.entry = "step"} {
  %g = prec_train.gather %x, %i : (tensor<8192x512xbf16>, tensor<8192xi32>) -> tensor<8192x512xbf16>
  %e = arith.extf %g : tensor<8192x512xbf16> to tensor<8192x512xf32>
  %b = prec_train.broadcast %w dims [0] : (tensor<8192xbf16>) -> tensor<8192x512xbf16>
  %f = arith.extf %b : tensor<8192x512xbf16> to tensor<8192x512xf32>
  %m = arith.mulf %e, %f : tensor<8192x512xf32>
  %t = arith.truncf %m : tensor<8192x512xf32> to tensor<8192x512xbf16>
  %u = arith.extf %t : tensor<8192x512xbf16> to tensor<8192x512xf32>
  %v = tensor.expand_shape %u [[0, 1], [2]] output_shape [1024, 8, 512] : tensor<8192x512xf32> into tensor<1024x8x512xf32>
  %s = prec_train.reduce sum %v dims [1] : (tensor<1024x8x512xf32>) -> tensor<1024x512xf32>
  %h = arith.extf %r : tensor<1024x512xbf16> to tensor<1024x512xf32>
  %a = arith.addf %s, %h : tensor<1024x512xf32>
  %y = arith.truncf %a : tensor<1024x512xf32> to tensor<1024x512xbf16>
  return %y : tensor<1024x512xbf16>
}

// -----

// Not what a kernel computes that reduces the rows of the same: it has what they give.
// CHECK-LABEL: func.func @norm
// CHECK: prec_sched.dispatch <row>
// CHECK: arith.truncf
// CHECK: return
func.func @norm(%x: tensor<8192x512xf32>) -> tensor<1024x512xf32> attributes {prec.entry = "step"} {
  %s = prec_train.reduce sum %x dims [1] : (tensor<8192x512xf32>) -> tensor<8192xf32>
  %b = prec_train.broadcast %s dims [0] : (tensor<8192xf32>) -> tensor<8192x512xf32>
  %m = arith.mulf %x, %b : tensor<8192x512xf32>
  %t = arith.truncf %m : tensor<8192x512xf32> to tensor<8192x512xbf16>
  %u = arith.extf %t : tensor<8192x512xbf16> to tensor<8192x512xf32>
  %v = tensor.expand_shape %u [[0, 1], [2]] output_shape [1024, 8, 512] : tensor<8192x512xf32> into tensor<1024x8x512xf32>
  %y = prec_train.reduce sum %v dims [1] : (tensor<1024x8x512xf32>) -> tensor<1024x512xf32>
  return %y : tensor<1024x512xf32>
}

// -----

// Half of a head is rotated and put beside the other half, which is read in another order: one kernel does both.
// CHECK-LABEL: func.func @half
// CHECK: prec_sched.gemm
// CHECK: prec_sched.dispatch <elementwise> {{.*}} -> tensor<4x1024x128xbf16>
// CHECK: arith.truncf
// CHECK: tensor.concat
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @half(%x: tensor<1024x256xbf16>, %w: tensor<256x512xbf16>, %c: tensor<64xf32>) -> tensor<4x1024x128xbf16> attributes {prec.entry = "step"} {
  %p = prec_train.matmul %x, %w : (tensor<1024x256xbf16>, tensor<256x512xbf16>) -> tensor<1024x512xbf16>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [1024, 4, 128] : tensor<1024x512xbf16> into tensor<1024x4x128xbf16>
  %t = prec_train.transpose %h permutation [1, 0, 2] : (tensor<1024x4x128xbf16>) -> tensor<4x1024x128xbf16>
  %a = tensor.extract_slice %t[0, 0, 0] [4, 1024, 64] [1, 1, 1] : tensor<4x1024x128xbf16> to tensor<4x1024x64xbf16>
  %b = tensor.extract_slice %t[0, 0, 64] [4, 1024, 64] [1, 1, 1] : tensor<4x1024x128xbf16> to tensor<4x1024x64xbf16>
  %e = arith.extf %a : tensor<4x1024x64xbf16> to tensor<4x1024x64xf32>
  %r = prec_train.broadcast %c dims [2] : (tensor<64xf32>) -> tensor<4x1024x64xf32>
  %m = arith.mulf %e, %r : tensor<4x1024x64xf32>
  %n = arith.truncf %m : tensor<4x1024x64xf32> to tensor<4x1024x64xbf16>
  %y = tensor.concat dim(2) %n, %b : (tensor<4x1024x64xbf16>, tensor<4x1024x64xbf16>) -> tensor<4x1024x128xbf16>
  return %y : tensor<4x1024x128xbf16>
}
