// RUN: prec-opt %s --prec-decompose --prec-form-dispatches --split-input-file | FileCheck %s

// Rows that were looked up are looked up again where groups are aligned, and quantized again: the transposed copy reads
// the table, which has fewer bytes than the copy in rows.
// CHECK-LABEL: func.func @tokens
// CHECK: %[[Q:.*]] = prec_sched.dispatch <elementwise> {{.*}} -> tensor<1024x64xf8E4M3FN>
// CHECK: %[[OF:.*]]:2 = prec_sched.dispatch <elementwise> {{.*}} -> (tensor<1408xi1>, tensor<1408xi32>)
// CHECK: prec_sched.dispatch <transpose>
// CHECK-NOT: %[[Q]]
// CHECK-SAME: %arg0) {{.*}} -> tensor<64x1408xf8E4M3FN>
// CHECK: prec.quantize
// CHECK-NEXT: prec_train.transpose
// CHECK: return
func.func @tokens(%x: tensor<128x64xbf16>, %i: tensor<1024xi32>, %s: tensor<4xf32>, %e: tensor<4xi32>) -> (tensor<1024x64xf8E4M3FN>, tensor<64x1408xf8E4M3FN>) attributes {prec.entry = "step"} {
  %g = prec_train.gather %x, %i : (tensor<128x64xbf16>, tensor<1024xi32>) -> tensor<1024x64xbf16>
  %r = prec.group_scales %s, %e : (tensor<4xf32>, tensor<4xi32>) -> tensor<1024xf32>
  %q = prec.quantize %g, %r : tensor<1024x64xbf16> to tensor<1024x64xf8E4M3FN> by row tensor<1024xf32>
  %a = prec.align_groups %q, %e : (tensor<1024x64xf8E4M3FN>, tensor<4xi32>) -> tensor<1408x64xf8E4M3FN>
  %t = prec_train.transpose %a permutation [1, 0] : (tensor<1408x64xf8E4M3FN>) -> tensor<64x1408xf8E4M3FN>
  return %q, %t : tensor<1024x64xf8E4M3FN>, tensor<64x1408xf8E4M3FN>
}

// -----

// Rows that were not looked up are read of the copy in rows.
// CHECK-LABEL: func.func @rows
// CHECK: %[[Q:.*]] = prec_sched.dispatch <elementwise> {{.*}} -> tensor<1024x64xf8E4M3FN>
// CHECK: prec_sched.dispatch <transpose> {{.*}}%[[Q]]
// CHECK-SAME: -> tensor<64x1408xf8E4M3FN>
// CHECK-NOT: prec.quantize
// CHECK: return
func.func @rows(%x: tensor<1024x64xbf16>, %s: tensor<4xf32>, %e: tensor<4xi32>) -> (tensor<1024x64xf8E4M3FN>, tensor<64x1408xf8E4M3FN>) attributes {prec.entry = "step"} {
  %r = prec.group_scales %s, %e : (tensor<4xf32>, tensor<4xi32>) -> tensor<1024xf32>
  %q = prec.quantize %x, %r : tensor<1024x64xbf16> to tensor<1024x64xf8E4M3FN> by row tensor<1024xf32>
  %a = prec.align_groups %q, %e : (tensor<1024x64xf8E4M3FN>, tensor<4xi32>) -> tensor<1408x64xf8E4M3FN>
  %t = prec_train.transpose %a permutation [1, 0] : (tensor<1408x64xf8E4M3FN>) -> tensor<64x1408xf8E4M3FN>
  return %q, %t : tensor<1024x64xf8E4M3FN>, tensor<64x1408xf8E4M3FN>
}

// -----

// Rows that are weighted and rounded before they are quantized, step by step, are one kernel as well.
// CHECK-LABEL: func.func @weighted
// CHECK: prec_sched.dispatch <elementwise> {{.*}} -> tensor<1024x256xf8E5M2>
// CHECK: prec_sched.dispatch <transpose>
// CHECK-SAME: tensor<128x256xbf16>
// CHECK-SAME: -> tensor<256x1408xf8E5M2>
// CHECK: arith.truncf
// CHECK: prec.quantize
// CHECK-NEXT: prec_train.transpose
// CHECK: return
func.func @weighted(%x: tensor<128x256xbf16>, %i: tensor<1024xi32>, %w: tensor<1024xbf16>, %s: tensor<4xf32>, %e: tensor<4xi32>) -> (tensor<1024x256xf8E5M2>, tensor<256x1408xf8E5M2>) attributes {prec.entry = "step"} {
  %g = prec_train.gather %x, %i : (tensor<128x256xbf16>, tensor<1024xi32>) -> tensor<1024x256xbf16>
  %f = arith.extf %g : tensor<1024x256xbf16> to tensor<1024x256xf32>
  %b = prec_train.broadcast %w dims [0] : (tensor<1024xbf16>) -> tensor<1024x256xbf16>
  %v = arith.extf %b : tensor<1024x256xbf16> to tensor<1024x256xf32>
  %m = arith.mulf %f, %v : tensor<1024x256xf32>
  %d = arith.truncf %m : tensor<1024x256xf32> to tensor<1024x256xbf16>
  %r = prec.group_scales %s, %e : (tensor<4xf32>, tensor<4xi32>) -> tensor<1024xf32>
  %q = prec.quantize %d, %r : tensor<1024x256xbf16> to tensor<1024x256xf8E5M2> by row tensor<1024xf32>
  %a = prec.align_groups %q, %e : (tensor<1024x256xf8E5M2>, tensor<4xi32>) -> tensor<1408x256xf8E5M2>
  %t = prec_train.transpose %a permutation [1, 0] : (tensor<1408x256xf8E5M2>) -> tensor<256x1408xf8E5M2>
  return %q, %t : tensor<1024x256xf8E5M2>, tensor<256x1408xf8E5M2>
}
