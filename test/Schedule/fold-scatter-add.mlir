// RUN: prec-opt %s --prec-fold-scatter-add --split-input-file | FileCheck %s

// A table of sums that is only rounded is narrow from the start.
// CHECK-LABEL: func @untied
// CHECK-SAME: (%[[I:.*]]: tensor<2x4xi32>, %[[U:.*]]: tensor<2x4x8xf32>, %[[O:.*]]: tensor<2x8xi32>)
// CHECK-NEXT: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<16x8xbf16>
// CHECK-NOT: arith.truncf
// CHECK: %[[S:.*]] = prec_train.scatter_add %[[Z]], %[[I]], %[[U]] sorted %[[O]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : {{.*}} -> tensor<16x8xbf16>
// CHECK-NEXT: return %[[S]]
func.func @untied(%i: tensor<2x4xi32>, %u: tensor<2x4x8xf32>, %o: tensor<2x8xi32>) -> tensor<16x8xbf16> {
  %z = arith.constant dense<0.0> : tensor<16x8xf32>
  %s = prec_train.scatter_add %z, %i, %u sorted %o {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xf32>, tensor<2x8xi32>) -> tensor<16x8xf32>
  %t = arith.truncf %s : tensor<16x8xf32> to tensor<16x8xbf16>
  return %t : tensor<16x8xbf16>
}

// -----

// Tied weights: rows are added to the head's gradient, which has a use left.
// CHECK-LABEL: func @tied
// CHECK: %[[W:.*]] = prec_train.matmul
// CHECK-NEXT: %[[S:.*]] = prec_train.scatter_add %[[W]], %{{.*}}, %{{.*}} : {{.*}} -> tensor<16x8xbf16>
// CHECK-NEXT: return %[[S]]
func.func @tied(%d: tensor<4x16xbf16>, %h: tensor<4x8xbf16>, %i: tensor<4xi32>, %u: tensor<4x8xbf16>) -> tensor<16x8xbf16> {
  %z = arith.constant dense<0.0> : tensor<16x8xf32>
  %w = prec_train.matmul %d, %h {transpose_a} : (tensor<4x16xbf16>, tensor<4x8xbf16>) -> tensor<16x8xbf16>
  %s = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xbf16>) -> tensor<16x8xf32>
  %t = arith.truncf %s : tensor<16x8xf32> to tensor<16x8xbf16>
  %a = arith.extf %w : tensor<16x8xbf16> to tensor<16x8xf32>
  %b = arith.extf %t : tensor<16x8xbf16> to tensor<16x8xf32>
  %c = arith.addf %a, %b : tensor<16x8xf32>
  %g = arith.truncf %c : tensor<16x8xf32> to tensor<16x8xbf16>
  return %g : tensor<16x8xbf16>
}

// -----

// The sums first, a reshape of the product, f16; the scatter-add waits for it.
// CHECK-LABEL: func @other_order
// CHECK: %[[W:.*]] = prec_train.matmul
// CHECK-NEXT: %[[V:.*]] = tensor.expand_shape %[[W]]
// CHECK-NEXT: %[[S:.*]] = prec_train.scatter_add %[[V]], {{.*}} -> tensor<16x2x4xf16>
// CHECK-NEXT: return %[[S]]
func.func @other_order(%d: tensor<4x16xf16>, %h: tensor<4x8xf16>, %i: tensor<4xi32>, %u: tensor<4x2x4xf16>) -> tensor<16x2x4xf16> {
  %z = arith.constant dense<0.0> : tensor<16x2x4xf16>
  %s = prec_train.scatter_add %z, %i, %u : (tensor<16x2x4xf16>, tensor<4xi32>, tensor<4x2x4xf16>) -> tensor<16x2x4xf16>
  %b = arith.extf %s : tensor<16x2x4xf16> to tensor<16x2x4xf32>
  %w = prec_train.matmul %d, %h {transpose_a} : (tensor<4x16xf16>, tensor<4x8xf16>) -> tensor<16x8xf16>
  %v = tensor.expand_shape %w [[0], [1, 2]] output_shape [16, 2, 4] : tensor<16x8xf16> into tensor<16x2x4xf16>
  %a = arith.extf %v : tensor<16x2x4xf16> to tensor<16x2x4xf32>
  %c = arith.addf %b, %a : tensor<16x2x4xf32>
  %g = arith.truncf %c : tensor<16x2x4xf32> to tensor<16x2x4xf16>
  return %g : tensor<16x2x4xf16>
}

// -----

// In f32 nothing is rounded. Two tables of sums become one.
// CHECK-LABEL: func @wide
// CHECK: %[[Z:.*]] = arith.constant
// CHECK: %[[W:.*]] = prec_train.matmul
// CHECK-NEXT: %[[S:.*]] = prec_train.scatter_add %[[W]], %arg2,
// CHECK-NEXT: %[[T:.*]] = prec_train.scatter_add %[[S]], %arg3,
// CHECK-NEXT: return %[[T]]
func.func @wide(%d: tensor<4x16xf32>, %h: tensor<4x8xf32>, %i: tensor<4xi32>, %j: tensor<4xi32>, %u: tensor<4x8xf32>) -> tensor<16x8xf32> {
  %z = arith.constant dense<0.0> : tensor<16x8xf32>
  %w = prec_train.matmul %d, %h {transpose_a} : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %s = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %t = prec_train.scatter_add %z, %j, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %a = arith.addf %w, %s : tensor<16x8xf32>
  %b = arith.addf %a, %t : tensor<16x8xf32>
  return %b : tensor<16x8xf32>
}

// -----

// Not where the table has other readers, is an argument or a piece, or the
// caller reads the sums.
// CHECK-LABEL: func @read
// CHECK: %[[Z:.*]] = arith.constant
// CHECK-COUNT-4: prec_train.scatter_add %[[Z]],
// CHECK-NOT: prec_train.scatter_add
func.func @read(%d: tensor<4x16xf32>, %h: tensor<4x8xf32>, %x: tensor<16x8xf32>, %y: tensor<32x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x8xf32>
  %w = prec_train.matmul %d, %h {transpose_a} : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %s = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %a = arith.addf %w, %s : tensor<16x8xf32>
  %t = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %b = arith.addf %x, %t : tensor<16x8xf32>
  %p = tensor.extract_slice %y[16, 0] [16, 8] [1, 1] : tensor<32x8xf32> to tensor<16x8xf32>
  %v = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %c = arith.addf %p, %v : tensor<16x8xf32>
  %e = math.exp %x : tensor<16x8xf32>
  %r = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %f = arith.addf %e, %r : tensor<16x8xf32>
  return %a, %w, %b, %c, %f, %r : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

// A rounding more or less is other numbers: f32 sums are added to a narrow table
// once that is f32; sums of narrow tables that nothing rounds, or that are
// rounded to another format, stay, and sums that are read before are f32.
// CHECK-LABEL: func @roundings
// CHECK-DAG: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<16x8xf32>
// CHECK-DAG: %[[N:.*]] = arith.constant dense<0.000000e+00> : tensor<16x8xbf16>
// CHECK: %[[E:.*]] = arith.extf
// CHECK: prec_train.scatter_add %[[E]], {{.*}} -> tensor<16x8xf32>
// CHECK: prec_train.scatter_add %[[N]],
// CHECK: prec_train.scatter_add %[[N]],
// CHECK: prec_train.scatter_add %[[Z]],
// CHECK-NOT: prec_train.scatter_add
func.func @roundings(%x: tensor<16x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>) -> (tensor<16x8xbf16>, tensor<16x8xf32>, tensor<16x8xf16>, tensor<16x8xf32>, tensor<16x8xbf16>) {
  %z = arith.constant dense<0.0> : tensor<16x8xf32>
  %n = arith.constant dense<0.0> : tensor<16x8xbf16>
  %w0 = arith.truncf %x : tensor<16x8xf32> to tensor<16x8xbf16>
  %e0 = arith.extf %w0 : tensor<16x8xbf16> to tensor<16x8xf32>
  %s = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %a = arith.addf %e0, %s : tensor<16x8xf32>
  %a1 = arith.truncf %a : tensor<16x8xf32> to tensor<16x8xbf16>
  %w1 = arith.truncf %x : tensor<16x8xf32> to tensor<16x8xbf16>
  %e1 = arith.extf %w1 : tensor<16x8xbf16> to tensor<16x8xf32>
  %t = prec_train.scatter_add %n, %i, %u : (tensor<16x8xbf16>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xbf16>
  %t1 = arith.extf %t : tensor<16x8xbf16> to tensor<16x8xf32>
  %b = arith.addf %e1, %t1 : tensor<16x8xf32>
  %w2 = arith.truncf %x : tensor<16x8xf32> to tensor<16x8xbf16>
  %e2 = arith.extf %w2 : tensor<16x8xbf16> to tensor<16x8xf32>
  %v = prec_train.scatter_add %n, %i, %u : (tensor<16x8xbf16>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xbf16>
  %v1 = arith.extf %v : tensor<16x8xbf16> to tensor<16x8xf32>
  %c = arith.addf %e2, %v1 : tensor<16x8xf32>
  %c1 = arith.truncf %c : tensor<16x8xf32> to tensor<16x8xf16>
  %r = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %r1 = arith.truncf %r : tensor<16x8xf32> to tensor<16x8xbf16>
  return %a1, %b, %c1, %r, %r1 : tensor<16x8xbf16>, tensor<16x8xf32>, tensor<16x8xf16>, tensor<16x8xf32>, tensor<16x8xbf16>
}

// -----

// The head's gradient is the first rows of a padded product: rows are added to all of it.
// CHECK-LABEL: func @padded
// CHECK: %[[W:.*]] = prec_train.matmul
// CHECK-NEXT: %[[S:.*]] = prec_train.scatter_add %[[W]], %{{.*}}, %{{.*}} : {{.*}} -> tensor<18x8xbf16>
// CHECK-NEXT: %[[G:.*]] = tensor.extract_slice %[[S]][0, 0] [16, 8] [1, 1]
// CHECK-NEXT: return %[[G]]
func.func @padded(%d: tensor<4x18xbf16>, %h: tensor<4x8xbf16>, %i: tensor<4xi32>, %u: tensor<4x8xbf16>) -> tensor<16x8xbf16> {
  %z = arith.constant dense<0.0> : tensor<16x8xf32>
  %p = prec_train.matmul %d, %h {transpose_a} : (tensor<4x18xbf16>, tensor<4x8xbf16>) -> tensor<18x8xbf16>
  %w = tensor.extract_slice %p[0, 0] [16, 8] [1, 1] : tensor<18x8xbf16> to tensor<16x8xbf16>
  %s = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xbf16>) -> tensor<16x8xf32>
  %t = arith.truncf %s : tensor<16x8xf32> to tensor<16x8xbf16>
  %a = arith.extf %w : tensor<16x8xbf16> to tensor<16x8xf32>
  %b = arith.extf %t : tensor<16x8xbf16> to tensor<16x8xf32>
  %c = arith.addf %a, %b : tensor<16x8xf32>
  %g = arith.truncf %c : tensor<16x8xf32> to tensor<16x8xbf16>
  return %g : tensor<16x8xbf16>
}
