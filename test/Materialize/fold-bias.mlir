// RUN: prec-opt %s --prec-fold-bias --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-fold-bias=round-f32=false --split-input-file | FileCheck %s --check-prefix=KEPT

// The bias is added before the only rounding; the product keeps its name.
// CHECK-LABEL: func @bf16
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xbf16>, %[[W:.*]]: tensor<16x8xbf16>, %[[B:.*]]: tensor<16xbf16>)
// CHECK-NEXT: %[[Y:.*]] = prec_train.matmul %[[X]], %[[W]] bias %[[B]] {prec_train.seq = 5 : i64, transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<16xbf16>) -> tensor<4x16xbf16>
// CHECK-NEXT: return %[[Y]], %[[Y]]
func.func @bf16(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %b: tensor<16xbf16>) -> (tensor<4x16xbf16>, tensor<4x16xbf16>) {
  %p = prec_train.matmul %x, %w {prec_train.seq = 5 : i64, transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>) -> tensor<4x16xbf16>
  %r = prec_train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<4x16xbf16>
  %s = arith.extf %p : tensor<4x16xbf16> to tensor<4x16xf32>
  %t = arith.extf %r : tensor<4x16xbf16> to tensor<4x16xf32>
  %u = arith.addf %s, %t : tensor<4x16xf32>
  %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xbf16>
  return %v, %v : tensor<4x16xbf16>, tensor<4x16xbf16>
}

// -----

// The bias first, widened before it is repeated, computed behind the product,
// and read by others, too.
// CHECK-LABEL: func @f16
// CHECK: %[[B:.*]] = arith.truncf %{{.*}} : tensor<16xf32> to tensor<16xf16>
// CHECK: %[[T:.*]] = arith.extf %[[B]]
// CHECK: %[[Y:.*]] = prec_train.matmul %{{.*}}, %{{.*}} bias %[[B]] : (tensor<4x8xf16>, tensor<8x16xf16>, tensor<16xf16>) -> tensor<4x16xf16>
// CHECK: return %[[Y]], %[[T]]
func.func @f16(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>, %m: tensor<16xf32>) -> (tensor<4x16xf16>, tensor<16xf32>) {
  %p = prec_train.matmul %x, %w : (tensor<4x8xf16>, tensor<8x16xf16>) -> tensor<4x16xf16>
  %b = arith.truncf %m : tensor<16xf32> to tensor<16xf16>
  %t = arith.extf %b : tensor<16xf16> to tensor<16xf32>
  %r = prec_train.broadcast %t dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %s = arith.extf %p : tensor<4x16xf16> to tensor<4x16xf32>
  %u = arith.addf %r, %s : tensor<4x16xf32>
  %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xf16>
  return %v, %t : tensor<4x16xf16>, tensor<16xf32>
}

// -----

// In f32 there is no rounding to wait for: whoever reads the sum, and the
// residual stream added to it.
// CHECK-LABEL: func @f32
// CHECK: %[[Y:.*]] = prec_train.matmul %{{.*}}, %{{.*}} bias %{{.*}} -> tensor<4x16xf32>
// CHECK-NEXT: %[[Z:.*]] = arith.addf %[[Y]], %{{.*}}
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @f32(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>, %h: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %p = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %r = prec_train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %u = arith.addf %p, %r : tensor<4x16xf32>
  %z = arith.addf %u, %h : tensor<4x16xf32>
  return %u, %z : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// CHECK-LABEL: func @fp8
// CHECK: %[[Y:.*]] = prec.scaled_matmul %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}} bias %{{.*}} <fast> {prec_train.seq = 2 : i64} : {{.*}} -> tensor<16x16xbf16>
// CHECK-NEXT: %[[Z:.*]] = prec.scaled_matmul %{{.*}} bias %{{.*}} <promoted> : {{.*}} -> tensor<16x16xf32>
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @fp8(%q: tensor<16x32xf8E4M3FN>, %f: tensor<f32>, %b: tensor<16xbf16>) -> (tensor<16x16xbf16>, tensor<16x16xf32>) {
  %p = prec.scaled_matmul %q scale %f, %q scale %f <fast> {prec_train.seq = 2 : i64} : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xbf16>
  %r = prec_train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<16x16xbf16>
  %s = arith.extf %p : tensor<16x16xbf16> to tensor<16x16xf32>
  %t = arith.extf %r : tensor<16x16xbf16> to tensor<16x16xf32>
  %u = arith.addf %s, %t : tensor<16x16xf32>
  %v = arith.truncf %u : tensor<16x16xf32> to tensor<16x16xbf16>
  %wide = prec.scaled_matmul %q scale %f, %q scale %f <promoted> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xf32>
  %z = arith.addf %wide, %t : tensor<16x16xf32>
  return %v, %z : tensor<16x16xbf16>, tensor<16x16xf32>
}

// -----

// cuBLASLt adds no f32 bias to products that it rounds: it is rounded, too.
// CHECK-LABEL: func @rounded
// CHECK: %[[B:.*]] = arith.truncf %arg2 {prec_train.seq = 3 : i64} : tensor<16xf32> to tensor<16xbf16>
// CHECK-NEXT: %[[Y:.*]] = prec_train.matmul %arg0, %arg1 bias %[[B]] {prec_train.seq = 3 : i64}
// CHECK-NEXT: return %[[Y]]
// KEPT-LABEL: func @rounded
// KEPT-NOT: bias
// KEPT: return
func.func @rounded(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xf32>) -> tensor<4x16xbf16> {
  %p = prec_train.matmul %x, %w {prec_train.seq = 3 : i64} : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %r = prec_train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %s = arith.extf %p : tensor<4x16xbf16> to tensor<4x16xf32>
  %u = arith.addf %s, %r : tensor<4x16xf32>
  %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xbf16>
  return %v : tensor<4x16xbf16>
}

// -----

// Nor does it add any but bf16 to an f32 product of FP8, or other formats than
// the product's: an f32 sum would lose what the bias is rounded by.
// CHECK-LABEL: func @other_format
// CHECK-NOT: bias
// CHECK: return
func.func @other_format(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xf32>, %q: tensor<4x32xf8E4M3FN>, %k: tensor<16x32xf8E4M3FN>, %f: tensor<f32>, %n: tensor<16xbf16>, %h: tensor<4x8xf16>, %i: tensor<8x16xf16>) -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf16>) {
  %r = prec_train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %wide = prec.scaled_matmul %q scale %f, %k scale %f <promoted> : (tensor<4x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<4x16xf32>
  %z = arith.addf %wide, %r : tensor<4x16xf32>
  %high = prec_train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xf32>
  %m = arith.extf %n : tensor<16xbf16> to tensor<16xf32>
  %l = prec_train.broadcast %m dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %y = arith.addf %high, %l : tensor<4x16xf32>
  %p = prec_train.matmul %h, %i : (tensor<4x8xf16>, tensor<8x16xf16>) -> tensor<4x16xf16>
  %s = arith.extf %p : tensor<4x16xf16> to tensor<4x16xf32>
  %u = arith.addf %s, %l : tensor<4x16xf32>
  %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xf16>
  return %z, %y, %v : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf16>
}

// -----

// Of layers that became one product, in any order; one has no bias.
// CHECK-LABEL: func @layers
// CHECK-DAG: %[[K:.*]] = arith.truncf %arg3
// CHECK-DAG: %[[V:.*]] = arith.constant dense<0.000000e+00> : tensor<8xbf16>
// CHECK: %[[B:.*]] = tensor.concat dim(0) %arg2, %[[K]], %[[V]] : (tensor<8xbf16>, tensor<4xbf16>, tensor<8xbf16>) -> tensor<20xbf16>
// CHECK: %[[Y:.*]] = prec_train.matmul %arg0, %arg1 bias %[[B]]
// CHECK: %[[C:.*]] = tensor.extract_slice %[[Y]][0, 12] [4, 8]
// CHECK: %[[S:.*]] = tensor.extract_slice %[[Y]][0, 8] [4, 4]
// CHECK: %[[Q:.*]] = tensor.extract_slice %[[Y]][0, 0] [4, 8]
// CHECK-NEXT: return %[[Q]], %[[S]], %[[C]]
func.func @layers(%x: tensor<4x8xbf16>, %w: tensor<8x20xbf16>, %q: tensor<8xbf16>, %k: tensor<4xf32>) -> (tensor<4x8xbf16>, tensor<4x4xbf16>, tensor<4x8xbf16>) {
  %p = prec_train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x20xbf16>) -> tensor<4x20xbf16>
  %c = tensor.extract_slice %p[0, 12] [4, 8] [1, 1] : tensor<4x20xbf16> to tensor<4x8xbf16>
  %s = tensor.extract_slice %p[0, 8] [4, 4] [1, 1] : tensor<4x20xbf16> to tensor<4x4xbf16>
  %sw = arith.extf %s : tensor<4x4xbf16> to tensor<4x4xf32>
  %kr = prec_train.broadcast %k dims [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %su = arith.addf %sw, %kr : tensor<4x4xf32>
  %sv = arith.truncf %su : tensor<4x4xf32> to tensor<4x4xbf16>
  %a = tensor.extract_slice %p[0, 0] [4, 8] [1, 1] : tensor<4x20xbf16> to tensor<4x8xbf16>
  %aw = arith.extf %a : tensor<4x8xbf16> to tensor<4x8xf32>
  %qw = arith.extf %q : tensor<8xbf16> to tensor<8xf32>
  %qr = prec_train.broadcast %qw dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %au = arith.addf %aw, %qr : tensor<4x8xf32>
  %av = arith.truncf %au : tensor<4x8xf32> to tensor<4x8xbf16>
  return %av, %sv, %c : tensor<4x8xbf16>, tensor<4x4xbf16>, tensor<4x8xbf16>
}

// -----

// What nobody reads has no bias, nor has a product a part of whose sums is
// unread.
// CHECK-LABEL: func @unread
// CHECK-NOT: bias
// CHECK: return
func.func @unread(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<8xf32>, %c: tensor<16xf32>) -> tensor<4x8xf32> {
  %r = prec_train.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %p = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %s0 = tensor.extract_slice %p[0, 0] [4, 8] [1, 1] : tensor<4x16xf32> to tensor<4x8xf32>
  %s1 = tensor.extract_slice %p[0, 8] [4, 8] [1, 1] : tensor<4x16xf32> to tensor<4x8xf32>
  %u = arith.addf %s0, %r : tensor<4x8xf32>
  %v = arith.addf %s1, %r : tensor<4x8xf32>
  %q = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %t = prec_train.broadcast %c dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %z = arith.addf %q, %t : tensor<4x16xf32>
  return %v : tensor<4x8xf32>
}

// -----

// A backward adds no parameters: what it adds is not rounded.
// CHECK-LABEL: func @backward
// CHECK-NOT: bias
// CHECK: return
func.func @backward(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>, %b: tensor<16xf32>) -> tensor<4x16xf16> {
  %p = prec_train.matmul %x, %w {prec_train.phase = #prec_train.phase<backward>} : (tensor<4x8xf16>, tensor<8x16xf16>) -> tensor<4x16xf16>
  %r = prec_train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %s = arith.extf %p : tensor<4x16xf16> to tensor<4x16xf32>
  %u = arith.addf %s, %r : tensor<4x16xf32>
  %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xf16>
  return %v : tensor<4x16xf16>
}

// -----

// The sum of one part goes on in f32, or parts are none by columns, overlap,
// leave first columns out or begin before a bias is there.
// CHECK-LABEL: func @other_parts
// CHECK-NOT: bias
// CHECK: return
func.func @other_parts(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<4xf32>, %y: tensor<4x8xbf16>, %z: tensor<8x8xbf16>, %n: tensor<4xf32>) -> (tensor<4x4xbf16>, tensor<4x4xf32>, tensor<2x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %r = prec_train.broadcast %b dims [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %p = prec_train.matmul %y, %z : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %p0 = tensor.extract_slice %p[0, 0] [4, 4] [1, 1] : tensor<4x8xbf16> to tensor<4x4xbf16>
  %p1 = tensor.extract_slice %p[0, 4] [4, 4] [1, 1] : tensor<4x8xbf16> to tensor<4x4xbf16>
  %w0 = arith.extf %p0 : tensor<4x4xbf16> to tensor<4x4xf32>
  %u0 = arith.addf %w0, %r : tensor<4x4xf32>
  %v0 = arith.truncf %u0 : tensor<4x4xf32> to tensor<4x4xbf16>
  %w1 = arith.extf %p1 : tensor<4x4xbf16> to tensor<4x4xf32>
  %u1 = arith.addf %w1, %r : tensor<4x4xf32>
  %q = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %q0 = tensor.extract_slice %q[0, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %q1 = tensor.extract_slice %q[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %q2 = arith.addf %q1, %r : tensor<4x4xf32>
  %o = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %o0 = tensor.extract_slice %o[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %o1 = tensor.extract_slice %o[0, 2] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %o2 = arith.addf %o1, %r : tensor<4x4xf32>
  %l = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %l0 = tensor.extract_slice %l[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %l1 = arith.addf %l0, %r : tensor<4x4xf32>
  %e = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %e0 = tensor.extract_slice %e[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %e1 = tensor.extract_slice %e[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %late = arith.mulf %n, %b : tensor<4xf32>
  %er = prec_train.broadcast %late dims [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %e2 = arith.addf %e1, %er : tensor<4x4xf32>
  return %v0, %u1, %q0, %q2, %o0, %o2, %l1, %e0, %e2 : tensor<4x4xbf16>, tensor<4x4xf32>, tensor<2x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The product has a reader of its own.
// CHECK-LABEL: func @product_is_read
// CHECK-NOT: bias
// CHECK: return
func.func @product_is_read(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %p = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %r = prec_train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %u = arith.addf %p, %r : tensor<4x16xf32>
  return %p, %u : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// CHECK-LABEL: func @widened_product_is_read
// CHECK-NOT: bias
// CHECK: return
func.func @widened_product_is_read(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xbf16>) -> (tensor<4x16xf32>, tensor<4x16xbf16>) {
  %p = prec_train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %r = prec_train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<4x16xbf16>
  %s = arith.extf %p : tensor<4x16xbf16> to tensor<4x16xf32>
  %t = arith.extf %r : tensor<4x16xbf16> to tensor<4x16xf32>
  %u = arith.addf %s, %t : tensor<4x16xf32>
  %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xbf16>
  return %s, %v : tensor<4x16xf32>, tensor<4x16xbf16>
}

// -----

// The sum goes on in f32: to the residual stream, or to a reader beside the
// rounding.
// CHECK-LABEL: func @sum_is_read
// CHECK-NOT: bias
// CHECK: return
func.func @sum_is_read(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xbf16>, %h: tensor<4x16xf32>) -> (tensor<4x16xbf16>, tensor<4x16xbf16>, tensor<4x16xf32>) {
  %r = prec_train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<4x16xbf16>
  %t = arith.extf %r : tensor<4x16xbf16> to tensor<4x16xf32>
  %p = prec_train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %s = arith.extf %p : tensor<4x16xbf16> to tensor<4x16xf32>
  %u = arith.addf %s, %t : tensor<4x16xf32>
  %z = arith.addf %u, %h : tensor<4x16xf32>
  %v = arith.truncf %z : tensor<4x16xf32> to tensor<4x16xbf16>
  %p2 = prec_train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %s2 = arith.extf %p2 : tensor<4x16xbf16> to tensor<4x16xf32>
  %u2 = arith.addf %s2, %t : tensor<4x16xf32>
  %v2 = arith.truncf %u2 : tensor<4x16xf32> to tensor<4x16xbf16>
  return %v, %v2, %u2 : tensor<4x16xbf16>, tensor<4x16xbf16>, tensor<4x16xf32>
}

// -----

// The sum is rounded to another format, or in another direction.
// CHECK-LABEL: func @other_rounding
// CHECK-NOT: bias
// CHECK: return
func.func @other_rounding(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xbf16>) -> (tensor<4x16xf16>, tensor<4x16xbf16>) {
  %r = prec_train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<4x16xbf16>
  %t = arith.extf %r : tensor<4x16xbf16> to tensor<4x16xf32>
  %p = prec_train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %s = arith.extf %p : tensor<4x16xbf16> to tensor<4x16xf32>
  %u = arith.addf %s, %t : tensor<4x16xf32>
  %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xf16>
  %p2 = prec_train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %s2 = arith.extf %p2 : tensor<4x16xbf16> to tensor<4x16xf32>
  %u2 = arith.addf %s2, %t : tensor<4x16xf32>
  %v2 = arith.truncf %u2 toward_zero : tensor<4x16xf32> to tensor<4x16xbf16>
  return %v, %v2 : tensor<4x16xf16>, tensor<4x16xbf16>
}

// -----

// One number a row, and a matrix.
// CHECK-LABEL: func @no_row
// CHECK-NOT: bias
// CHECK: return
func.func @no_row(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %c: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %p = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %r = prec_train.broadcast %b dims [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %u = arith.addf %p, %r : tensor<4x4xf32>
  %p2 = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %u2 = arith.addf %p2, %c : tensor<4x4xf32>
  return %u, %u2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A batch of products, and scales of rows.
// CHECK-LABEL: func @no_epilogue
// CHECK-NOT: bias
// CHECK: return
func.func @no_epilogue(%x: tensor<2x4x8xf32>, %w: tensor<2x8x16xf32>, %b: tensor<16xf32>, %q: tensor<16x32xf8E4M3FN>, %f: tensor<16xf32>, %n: tensor<16xbf16>) -> (tensor<2x4x16xf32>, tensor<16x16xf32>) {
  %p = prec_train.matmul %x, %w : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
  %r = prec_train.broadcast %b dims [2] : (tensor<16xf32>) -> tensor<2x4x16xf32>
  %u = arith.addf %p, %r : tensor<2x4x16xf32>
  %p2 = prec.scaled_matmul %q scale %f, %q scale %f <promoted> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xf32> by row tensor<16xf32>, row tensor<16xf32>
  %m = arith.extf %n : tensor<16xbf16> to tensor<16xf32>
  %r2 = prec_train.broadcast %m dims [1] : (tensor<16xf32>) -> tensor<16x16xf32>
  %u2 = arith.addf %p2, %r2 : tensor<16x16xf32>
  return %u, %u2 : tensor<2x4x16xf32>, tensor<16x16xf32>
}

// -----

// A second vector, once there is a bias.
// CHECK-LABEL: func @twice
// CHECK: %[[Y:.*]] = prec_train.matmul %{{.*}}, %{{.*}} bias %{{.*}}
// CHECK: arith.addf %[[Y]]
func.func @twice(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %p = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %r = prec_train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %u = arith.addf %p, %r : tensor<4x16xf32>
  %v = arith.addf %u, %r : tensor<4x16xf32>
  return %v : tensor<4x16xf32>
}

// -----

// Columns that nobody reads, of a padded product, get zeros.
// CHECK-LABEL: func @padded
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<2xbf16>
// CHECK: %[[B:.*]] = tensor.concat dim(0) %{{.*}}, %[[Z]]
// CHECK: %[[Y:.*]] = prec_train.matmul %{{.*}}, %{{.*}} bias %[[B]] {transpose_b} : {{.*}} -> tensor<4x16xbf16>
// CHECK: tensor.extract_slice %[[Y]][0, 0] [4, 14] [1, 1]
func.func @padded(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %b: tensor<14xbf16>) -> tensor<4x14xbf16> {
  %p = prec_train.matmul %x, %w {transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>) -> tensor<4x16xbf16>
  %q = tensor.extract_slice %p[0, 0] [4, 14] [1, 1] : tensor<4x16xbf16> to tensor<4x14xbf16>
  %r = prec_train.broadcast %b dims [1] : (tensor<14xbf16>) -> tensor<4x14xbf16>
  %s = arith.extf %q : tensor<4x14xbf16> to tensor<4x14xf32>
  %t = arith.extf %r : tensor<4x14xbf16> to tensor<4x14xf32>
  %u = arith.addf %s, %t : tensor<4x14xf32>
  %v = arith.truncf %u : tensor<4x14xf32> to tensor<4x14xbf16>
  return %v : tensor<4x14xbf16>
}
