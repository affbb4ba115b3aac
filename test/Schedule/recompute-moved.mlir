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
