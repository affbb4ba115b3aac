// RUN: prec-opt %s --prec-decompose | %primitives | FileCheck %s --check-prefix=KEEP
// RUN: prec-opt %s --prec-decompose=attention-library=none | %primitives | FileCheck %s

// Two query heads share a key/value head: they are folded into the rows of one
// product, and keys and values are not repeated.
// KEEP-LABEL: func @attention
// KEEP: prec_train.attention
// CHECK-LABEL: func @attention
// CHECK-SAME: (%[[Q:.*]]: tensor<2x4x8x16xbf16>, %[[K:.*]]: tensor<2x2x8x16xbf16>, %[[V:.*]]: tensor<2x2x8x16xbf16>)
// CHECK: %[[QF:.*]] = arith.extf %[[Q]]
// CHECK: %[[QE:.*]] = tensor.expand_shape %[[QF]] {{\[}}[0], [1, 2], [3], [4]] output_shape [2, 2, 2, 8, 16]
// CHECK: %[[QR:.*]] = tensor.collapse_shape %[[QE]] {{\[}}[0], [1], [2, 3], [4]] : tensor<2x2x2x8x16xf32> into tensor<2x2x16x16xf32>
// CHECK: %[[KF:.*]] = arith.extf %[[K]]
// CHECK: %[[VF:.*]] = arith.extf %[[V]]
// CHECK: %[[S:.*]] = prec_train.matmul %[[QR]], %[[KF]] {transpose_b} : {{.*}} -> tensor<2x2x16x8xf32>
// CHECK: %[[SE:.*]] = tensor.expand_shape %[[S]]
// CHECK: %[[SS:.*]] = arith.mulf %[[SE]]
// CHECK: %[[ROW:.*]] = prec_train.iota dim 3 : tensor<2x2x2x8x8xi32>
// CHECK: %[[COLUMN:.*]] = prec_train.iota dim 4 : tensor<2x2x2x8x8xi32>
// CHECK: %[[SEEN:.*]] = arith.cmpi sge, %[[ROW]], %[[COLUMN]]
// CHECK: arith.select %[[SEEN]], %[[SS]]
// CHECK: prec_train.reduce max %{{.*}} dims [4]
// CHECK: math.exp
// CHECK: prec_train.reduce sum %{{.*}} dims [4]
// CHECK: math.log
// CHECK: %[[P:.*]] = tensor.collapse_shape
// CHECK: %[[O:.*]] = prec_train.matmul %[[P]], %[[VF]] : {{.*}} -> tensor<2x2x16x16xf32>
// CHECK: arith.truncf
// CHECK-NOT: arith.truncf
func.func @attention(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x2x8x16xbf16>, %v: tensor<2x2x8x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) {
  %o, %l = prec_train.attention %q, %k, %v {scale = 0.25 : f32, causal} : (tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return %o, %l : tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>
}

// Gradients of keys and values are summed over the heads by the product.
// KEEP-LABEL: func @attention_grad
// KEEP: prec_train.attention_grad
// CHECK-LABEL: func @attention_grad
// CHECK-NOT: prec_train.iota
// CHECK: %[[DV:.*]] = prec_train.matmul %{{.*}}, %{{.*}} {transpose_a} : (tensor<1x1x16x4xf32>, tensor<1x1x16x16xf32>) -> tensor<1x1x4x16xf32>
// CHECK: prec_train.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<1x1x16x16xf32>, tensor<1x1x4x16xf32>) -> tensor<1x1x16x4xf32>
// CHECK: prec_train.matmul %{{.*}}, %{{.*}} : (tensor<1x1x16x4xf32>, tensor<1x1x4x16xf32>) -> tensor<1x1x16x16xf32>
// CHECK: %[[DK:.*]] = prec_train.matmul %{{.*}}, %{{.*}} {transpose_a} : (tensor<1x1x16x4xf32>, tensor<1x1x16x16xf32>) -> tensor<1x1x4x16xf32>
// CHECK: return %{{.*}}, %[[DK]], %[[DV]]
func.func @attention_grad(%g: tensor<1x2x8x16xf32>, %q: tensor<1x2x8x16xf32>, %k: tensor<1x1x4x16xf32>, %v: tensor<1x1x4x16xf32>, %o: tensor<1x2x8x16xf32>, %l: tensor<1x2x8xf32>) -> (tensor<1x2x8x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>) {
  %dq, %dk, %dv = prec_train.attention_grad %g, %q, %k, %v, %o, %l {scale = 0.25 : f32} : (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8xf32>) -> (tensor<1x2x8x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>)
  return %dq, %dk, %dv : tensor<1x2x8x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>
}

// One bias for each key is repeated over the scores, and a window hides the
// keys that are too far behind.
// CHECK-LABEL: func @masked
// CHECK: %[[BIAS:.*]] = tensor.collapse_shape %arg1 {{\[}}[0, 1, 2], [3]] : tensor<2x1x1x8xf32> into tensor<2x8xf32>
// CHECK: %[[WIDE:.*]] = prec_train.broadcast %[[BIAS]] dims [0, 4] : (tensor<2x8xf32>) -> tensor<2x4x1x8x8xf32>
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[WIDE]]
// CHECK: %[[BEHIND:.*]] = arith.cmpi sge
// CHECK: %[[DISTANCE:.*]] = arith.subi
// CHECK: %[[NEAR:.*]] = arith.cmpi slt, %[[DISTANCE]]
// CHECK: %[[SEEN:.*]] = arith.andi %[[BEHIND]], %[[NEAR]]
// CHECK: arith.select %[[SEEN]], %[[SUM]]
func.func @masked(%q: tensor<2x4x8x16xf32>, %b: tensor<2x1x1x8xf32>) -> tensor<2x4x8x16xf32> {
  %o, %l = prec_train.attention %q, %q, %q, %b {scale = 0.25 : f32, causal, window = 3 : i64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x1x1x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return %o : tensor<2x4x8x16xf32>
}
