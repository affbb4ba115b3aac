// RUN: prec-opt %s --fold-bias --split-input-file | FileCheck %s

// The bias is added before the only rounding; the product keeps its name.
// CHECK-LABEL: func @bf16
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xbf16>, %[[W:.*]]: tensor<16x8xbf16>, %[[B:.*]]: tensor<16xbf16>)
// CHECK-NEXT: %[[Y:.*]] = train.matmul %[[X]], %[[W]] bias %[[B]] {train.seq = 5 : i64, transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<16xbf16>) -> tensor<4x16xbf16>
// CHECK-NEXT: return %[[Y]], %[[Y]]
func.func @bf16(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %b: tensor<16xbf16>) -> (tensor<4x16xbf16>, tensor<4x16xbf16>) {
  %p = train.matmul %x, %w {train.seq = 5 : i64, transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>) -> tensor<4x16xbf16>
  %r = train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<4x16xbf16>
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
// CHECK: %[[Y:.*]] = train.matmul %{{.*}}, %{{.*}} bias %[[B]] : (tensor<4x8xf16>, tensor<8x16xf16>, tensor<16xf16>) -> tensor<4x16xf16>
// CHECK: return %[[Y]], %[[T]]
func.func @f16(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>, %m: tensor<16xf32>) -> (tensor<4x16xf16>, tensor<16xf32>) {
  %p = train.matmul %x, %w : (tensor<4x8xf16>, tensor<8x16xf16>) -> tensor<4x16xf16>
  %b = arith.truncf %m : tensor<16xf32> to tensor<16xf16>
  %t = arith.extf %b : tensor<16xf16> to tensor<16xf32>
  %r = train.broadcast %t dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %s = arith.extf %p : tensor<4x16xf16> to tensor<4x16xf32>
  %u = arith.addf %r, %s : tensor<4x16xf32>
  %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xf16>
  return %v, %t : tensor<4x16xf16>, tensor<16xf32>
}

// -----

// In f32 there is no rounding to wait for: whoever reads the sum, and the
// residual stream added to it.
// CHECK-LABEL: func @f32
// CHECK: %[[Y:.*]] = train.matmul %{{.*}}, %{{.*}} bias %{{.*}} -> tensor<4x16xf32>
// CHECK-NEXT: %[[Z:.*]] = arith.addf %[[Y]], %{{.*}}
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @f32(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>, %h: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %p = train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %r = train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %u = arith.addf %p, %r : tensor<4x16xf32>
  %z = arith.addf %u, %h : tensor<4x16xf32>
  return %u, %z : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// CHECK-LABEL: func @fp8
// CHECK: %[[Y:.*]] = prec.scaled_matmul %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}} bias %{{.*}} <fast> {train.seq = 2 : i64} : {{.*}} -> tensor<16x16xbf16>
// CHECK-NEXT: %[[Z:.*]] = prec.scaled_matmul %{{.*}} bias %{{.*}} <promoted> : {{.*}} -> tensor<16x16xf32>
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @fp8(%q: tensor<16x32xf8E4M3FN>, %f: tensor<f32>, %b: tensor<16xbf16>) -> (tensor<16x16xbf16>, tensor<16x16xf32>) {
  %p = prec.scaled_matmul %q scale %f, %q scale %f <fast> {train.seq = 2 : i64} : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xbf16>
  %r = train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<16x16xbf16>
  %s = arith.extf %p : tensor<16x16xbf16> to tensor<16x16xf32>
  %t = arith.extf %r : tensor<16x16xbf16> to tensor<16x16xf32>
  %u = arith.addf %s, %t : tensor<16x16xf32>
  %v = arith.truncf %u : tensor<16x16xf32> to tensor<16x16xbf16>
  %wide = prec.scaled_matmul %q scale %f, %q scale %f <promoted> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xf32>
  %z = arith.addf %wide, %t : tensor<16x16xf32>
  return %v, %z : tensor<16x16xbf16>, tensor<16x16xf32>
}

// -----

// cuBLASLt adds no f32 bias to products that it rounds, and in f32 to those of
// FP8 none but bf16.
// CHECK-LABEL: func @other_format
// CHECK-NOT: bias
// CHECK: return
func.func @other_format(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xf32>, %q: tensor<4x32xf8E4M3FN>, %k: tensor<16x32xf8E4M3FN>, %f: tensor<f32>, %n: tensor<16xbf16>) -> (tensor<4x16xbf16>, tensor<4x16xf32>, tensor<4x16xf32>) {
  %p = train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %r = train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %s = arith.extf %p : tensor<4x16xbf16> to tensor<4x16xf32>
  %u = arith.addf %s, %r : tensor<4x16xf32>
  %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xbf16>
  %wide = prec.scaled_matmul %q scale %f, %k scale %f <promoted> : (tensor<4x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<4x16xf32>
  %z = arith.addf %wide, %r : tensor<4x16xf32>
  %high = train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xf32>
  %m = arith.extf %n : tensor<16xbf16> to tensor<16xf32>
  %l = train.broadcast %m dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %y = arith.addf %high, %l : tensor<4x16xf32>
  return %v, %z, %y : tensor<4x16xbf16>, tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// The product has a reader of its own.
// CHECK-LABEL: func @product_is_read
// CHECK-NOT: bias
// CHECK: return
func.func @product_is_read(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %p = train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %r = train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %u = arith.addf %p, %r : tensor<4x16xf32>
  return %p, %u : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// CHECK-LABEL: func @widened_product_is_read
// CHECK-NOT: bias
// CHECK: return
func.func @widened_product_is_read(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xbf16>) -> (tensor<4x16xf32>, tensor<4x16xbf16>) {
  %p = train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %r = train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<4x16xbf16>
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
  %r = train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<4x16xbf16>
  %t = arith.extf %r : tensor<4x16xbf16> to tensor<4x16xf32>
  %p = train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %s = arith.extf %p : tensor<4x16xbf16> to tensor<4x16xf32>
  %u = arith.addf %s, %t : tensor<4x16xf32>
  %z = arith.addf %u, %h : tensor<4x16xf32>
  %v = arith.truncf %z : tensor<4x16xf32> to tensor<4x16xbf16>
  %p2 = train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
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
  %r = train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<4x16xbf16>
  %t = arith.extf %r : tensor<4x16xbf16> to tensor<4x16xf32>
  %p = train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %s = arith.extf %p : tensor<4x16xbf16> to tensor<4x16xf32>
  %u = arith.addf %s, %t : tensor<4x16xf32>
  %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xf16>
  %p2 = train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
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
  %p = train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %r = train.broadcast %b dims [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %u = arith.addf %p, %r : tensor<4x4xf32>
  %p2 = train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %u2 = arith.addf %p2, %c : tensor<4x4xf32>
  return %u, %u2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A batch of products, and scales of rows.
// CHECK-LABEL: func @no_epilogue
// CHECK-NOT: bias
// CHECK: return
func.func @no_epilogue(%x: tensor<2x4x8xf32>, %w: tensor<2x8x16xf32>, %b: tensor<16xf32>, %q: tensor<16x32xf8E4M3FN>, %f: tensor<16xf32>, %n: tensor<16xbf16>) -> (tensor<2x4x16xf32>, tensor<16x16xf32>) {
  %p = train.matmul %x, %w : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
  %r = train.broadcast %b dims [2] : (tensor<16xf32>) -> tensor<2x4x16xf32>
  %u = arith.addf %p, %r : tensor<2x4x16xf32>
  %p2 = prec.scaled_matmul %q scale %f, %q scale %f <promoted> : (tensor<16x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>) -> tensor<16x16xf32> by tensor<16xf32>, tensor<16xf32>
  %m = arith.extf %n : tensor<16xbf16> to tensor<16xf32>
  %r2 = train.broadcast %m dims [1] : (tensor<16xf32>) -> tensor<16x16xf32>
  %u2 = arith.addf %p2, %r2 : tensor<16x16xf32>
  return %u, %u2 : tensor<2x4x16xf32>, tensor<16x16xf32>
}

// -----

// A second vector, once there is a bias.
// CHECK-LABEL: func @twice
// CHECK: %[[Y:.*]] = train.matmul %{{.*}}, %{{.*}} bias %{{.*}}
// CHECK: arith.addf %[[Y]]
func.func @twice(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %p = train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %r = train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %u = arith.addf %p, %r : tensor<4x16xf32>
  %v = arith.addf %u, %r : tensor<4x16xf32>
  return %v : tensor<4x16xf32>
}
