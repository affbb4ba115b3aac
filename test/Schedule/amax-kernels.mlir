// RUN: prec-opt %s --prec-decompose --prec-form-dispatches --split-input-file | FileCheck %s

// Which kernels amaxes are taken in, from the recipe's operations on.

// Rotary gradients of unequal widths are rounded, put together, reduced and
// copied in both layouts by one kernel in tiles: none is in memory alone.
// CHECK-LABEL: func.func @gradients
// CHECK-NOT: prec_sched.dispatch
// CHECK: %[[R:.*]]:3 = prec_sched.dispatch <transpose> {{.*}}(%arg0, %arg1, %arg2, %arg3) {{.*}} -> (tensor<2x4xf32>, tensor<256x512xf8E5M2>, tensor<512x256xf8E5M2>)
// CHECK-COUNT-3: arith.truncf
// CHECK: tensor.concat dim(2) {{.*}} -> tensor<2x128x512xbf16>
// CHECK: prec_sched.yield
// CHECK: %[[A:.*]] = prec_sched.dispatch <row> {{.*}}(%[[R]]#0)
// CHECK: return %[[R]]#1, %[[R]]#2, %[[A]]
func.func @gradients(%q: tensor<2x128x4x64xf32>, %k: tensor<2x128x2x64xf32>, %v: tensor<2x128x128xf32>, %s: tensor<f32>) -> (tensor<256x512xf8E5M2>, tensor<512x256xf8E5M2>, tensor<f32>) {
  %qr = arith.truncf %q : tensor<2x128x4x64xf32> to tensor<2x128x4x64xbf16>
  %qm = tensor.collapse_shape %qr [[0], [1], [2, 3]] : tensor<2x128x4x64xbf16> into tensor<2x128x256xbf16>
  %kr = arith.truncf %k : tensor<2x128x2x64xf32> to tensor<2x128x2x64xbf16>
  %km = tensor.collapse_shape %kr [[0], [1], [2, 3]] : tensor<2x128x2x64xbf16> into tensor<2x128x128xbf16>
  %vm = arith.truncf %v : tensor<2x128x128xf32> to tensor<2x128x128xbf16>
  %c = tensor.concat dim(2) %qm, %km, %vm : (tensor<2x128x256xbf16>, tensor<2x128x128xbf16>, tensor<2x128x128xbf16>) -> tensor<2x128x512xbf16>
  %a = prec.amax %c : tensor<2x128x512xbf16>
  %m = tensor.collapse_shape %c [[0, 1], [2]] : tensor<2x128x512xbf16> into tensor<256x512xbf16>
  %p = prec.quantize %m, %s : tensor<256x512xbf16> to tensor<256x512xf8E5M2>
  %t = prec_train.transpose %p permutation [1, 0] : (tensor<256x512xf8E5M2>) -> tensor<512x256xf8E5M2>
  return %p, %t, %a : tensor<256x512xf8E5M2>, tensor<512x256xf8E5M2>, tensor<f32>
}

// -----

// A part that a library call reads, too, is rounded into memory, the other one
// is not.
// CHECK-LABEL: func.func @read_alone
// CHECK: %[[X:.*]] = prec_sched.dispatch <elementwise> {{.*}}(%arg0) {{.*}} -> tensor<256x256xbf16>
// CHECK: prec_sched.gemm {{.*}}%[[X]]
// CHECK: prec_sched.dispatch <transpose> {{.*}}(%arg1, %[[X]], %arg2) {{.*}} -> (tensor<2x3xf32>, tensor<384x256xf8E5M2>)
// CHECK: arith.truncf {{.*}} : tensor<256x128xf32> to tensor<256x128xbf16>
// CHECK: tensor.concat
// CHECK: prec_sched.yield
// CHECK: prec_sched.dispatch <row>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @read_alone(%x: tensor<256x256xf32>, %y: tensor<256x128xf32>, %s: tensor<f32>) -> (tensor<384x256xf8E5M2>, tensor<f32>, tensor<256x256xf32>) {
  %xr = arith.truncf %x : tensor<256x256xf32> to tensor<256x256xbf16>
  %yr = arith.truncf %y : tensor<256x128xf32> to tensor<256x128xbf16>
  %g = prec_train.matmul %xr, %xr : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32>
  %c = tensor.concat dim(1) %xr, %yr : (tensor<256x256xbf16>, tensor<256x128xbf16>) -> tensor<256x384xbf16>
  %a = prec.amax %c : tensor<256x384xbf16>
  %p = prec.quantize %c, %s : tensor<256x384xbf16> to tensor<256x384xf8E5M2>
  %t = prec_train.transpose %p permutation [1, 0] : (tensor<256x384xf8E5M2>) -> tensor<384x256xf8E5M2>
  return %t, %a, %g : tensor<384x256xf8E5M2>, tensor<f32>, tensor<256x256xf32>
}

// -----

// Matrices of experts have a scale each: their amaxes are of tiles of each, and
// the kernel that computes them writes both layouts.
// CHECK-LABEL: func.func @experts
// CHECK-NOT: prec_sched.dispatch
// CHECK: %[[R:.*]]:4 = prec_sched.dispatch <transpose> {{.*}}(%arg0, %arg1) {{.*}} -> (tensor<3x192x128xf32>, tensor<3x2x1xf32>, tensor<3x24576xf8E4M3FN>, tensor<3x128x192xf8E4M3FN>)
// CHECK: prec_train.reduce max {{.*}} dims [2, 4] : (tensor<3x2x96x1x128xf32>) -> tensor<3x2x1xf32>
// CHECK: prec_sched.yield
// CHECK: %[[A:.*]] = prec_sched.dispatch <row> {{.*}}(%[[R]]#1)
// CHECK-NOT: prec_sched.dispatch
// CHECK: return %[[R]]#0, {{.*}}, %[[R]]#3, %[[A]]
func.func @experts(%x: tensor<3x192x128xf32>, %s: tensor<3xf32>) -> (tensor<3x192x128xf32>, tensor<3x192x128xf8E4M3FN>, tensor<3x128x192xf8E4M3FN>, tensor<3xf32>) {
  %y = arith.addf %x, %x : tensor<3x192x128xf32>
  %c = tensor.collapse_shape %y [[0], [1, 2]] : tensor<3x192x128xf32> into tensor<3x24576xf32>
  %a = prec.amax %c : tensor<3x24576xf32> by row tensor<3xf32>
  %d = tensor.collapse_shape %y [[0], [1, 2]] : tensor<3x192x128xf32> into tensor<3x24576xf32>
  %q = prec.quantize %d, %s : tensor<3x24576xf32> to tensor<3x24576xf8E4M3FN> by row tensor<3xf32>
  %e = tensor.expand_shape %q [[0], [1, 2]] output_shape [3, 192, 128] : tensor<3x24576xf8E4M3FN> into tensor<3x192x128xf8E4M3FN>
  %t = prec_train.transpose %e permutation [0, 2, 1] : (tensor<3x192x128xf8E4M3FN>) -> tensor<3x128x192xf8E4M3FN>
  return %y, %e, %t, %a : tensor<3x192x128xf32>, tensor<3x192x128xf8E4M3FN>, tensor<3x128x192xf8E4M3FN>, tensor<3xf32>
}

// -----

// A scale that waits for the amax: its kernel runs first.
// CHECK-LABEL: func.func @experts_that_wait
// CHECK: prec_sched.dispatch <row>
// CHECK: prec_sched.dispatch <transpose>
func.func @experts_that_wait(%x: tensor<3x192x128xf32>) -> (tensor<3x128x192xf8E4M3FN>, tensor<3xf32>) {
  %y = arith.addf %x, %x : tensor<3x192x128xf32>
  %c = tensor.collapse_shape %y [[0], [1, 2]] : tensor<3x192x128xf32> into tensor<3x24576xf32>
  %a = prec.amax %c : tensor<3x24576xf32> by row tensor<3xf32>
  %q = prec.quantize %c, %a : tensor<3x24576xf32> to tensor<3x24576xf8E4M3FN> by row tensor<3xf32>
  %e = tensor.expand_shape %q [[0], [1, 2]] output_shape [3, 192, 128] : tensor<3x24576xf8E4M3FN> into tensor<3x192x128xf8E4M3FN>
  %t = prec_train.transpose %e permutation [0, 2, 1] : (tensor<3x192x128xf8E4M3FN>) -> tensor<3x128x192xf8E4M3FN>
  return %t, %a : tensor<3x128x192xf8E4M3FN>, tensor<3xf32>
}

// -----

// The kernel of a norm reduces the rows that it goes through anyway.
// CHECK-LABEL: func.func @norm
// CHECK-NOT: prec_sched.dispatch
// CHECK: %[[R:.*]]:2 = prec_sched.dispatch <row> {{.*}}(%arg0) {{.*}} -> (tensor<2x32x768xbf16>, tensor<2x32xf32>)
// CHECK: prec_train.reduce max {{.*}} dims [2] : (tensor<2x32x768xf32>) -> tensor<2x32xf32>
// CHECK: prec_sched.yield
// CHECK: %[[A:.*]] = prec_sched.dispatch <row> {{.*}}(%[[R]]#1)
// CHECK: return %[[R]]#0, %[[A]]
func.func @norm(%n: tensor<2x32x768xf32>) -> (tensor<2x32x768xbf16>, tensor<f32>) {
  %r = prec_train.reduce sum %n dims [2] : (tensor<2x32x768xf32>) -> tensor<2x32xf32>
  %b = prec_train.broadcast %r dims [0, 1] : (tensor<2x32xf32>) -> tensor<2x32x768xf32>
  %y = arith.mulf %n, %b : tensor<2x32x768xf32>
  %z = arith.truncf %y : tensor<2x32x768xf32> to tensor<2x32x768xbf16>
  %a = prec.amax %z : tensor<2x32x768xbf16>
  return %z, %a : tensor<2x32x768xbf16>, tensor<f32>
}
