// RUN: prec-opt %s --prec-decompose | %primitives | FileCheck %s

// CHECK-LABEL: func @rope
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8xbf16>, %[[C:.*]]: tensor<4x4xf32>, %[[S:.*]]: tensor<4x4xf32>)
// CHECK: %[[XF:.*]] = arith.extf %[[X]]
// CHECK: %[[X1:.*]] = tensor.extract_slice %[[XF]][0, 0, 0] [2, 4, 4]
// CHECK: %[[X2:.*]] = tensor.extract_slice %[[XF]][0, 0, 4] [2, 4, 4]
// CHECK: %[[CB:.*]] = prec_train.broadcast %[[C]] dims [1, 2]
// CHECK: %[[SB:.*]] = prec_train.broadcast %[[S]] dims [1, 2]
// CHECK: %[[X1C:.*]] = arith.mulf %[[X1]], %[[CB]]
// CHECK: %[[X2S:.*]] = arith.mulf %[[X2]], %[[SB]]
// CHECK: %[[X2C:.*]] = arith.mulf %[[X2]], %[[CB]]
// CHECK: %[[X1S:.*]] = arith.mulf %[[X1]], %[[SB]]
// CHECK: %[[Y1:.*]] = arith.subf %[[X1C]], %[[X2S]]
// CHECK: %[[Y2:.*]] = arith.addf %[[X2C]], %[[X1S]]
// CHECK: %[[Y:.*]] = tensor.concat dim(2) %[[Y1]], %[[Y2]]
// CHECK: arith.truncf %[[Y]]
func.func @rope(%x: tensor<2x4x8xbf16>, %c: tensor<4x4xf32>, %s: tensor<4x4xf32>) -> tensor<2x4x8xbf16> {
  %y = prec_train.rope %x, %c, %s : (tensor<2x4x8xbf16>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<2x4x8xbf16>
  return %y : tensor<2x4x8xbf16>
}

// CHECK-LABEL: func @rope_inverse
// CHECK: %[[Y1:.*]] = arith.addf
// CHECK: %[[Y2:.*]] = arith.subf
// CHECK: tensor.concat dim(1) %[[Y1]], %[[Y2]]
func.func @rope_inverse(%x: tensor<4x8xf32>, %c: tensor<4x4xf32>, %s: tensor<4x4xf32>) -> tensor<4x8xf32> {
  %y = prec_train.rope %x, %c, %s {inverse} : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func @embedding
// CHECK-SAME: (%[[T:.*]]: tensor<16x8xbf16>, %[[I:.*]]: tensor<2x4xi32>)
// CHECK: %[[Y:.*]] = prec_train.gather %[[T]], %[[I]] : {{.*}} -> tensor<2x4x8xbf16>
// CHECK: %[[Z:.*]] = prec_train.gather %[[T]], %[[I]] : {{.*}} -> tensor<2x4x8xbf16>
// CHECK: %[[ZF:.*]] = arith.extf %[[Z]]
// CHECK: return %[[Y]], %[[ZF]]
func.func @embedding(%t: tensor<16x8xbf16>, %i: tensor<2x4xi32>) -> (tensor<2x4x8xbf16>, tensor<2x4x8xf32>) {
  %y = prec_train.embedding %t, %i : (tensor<16x8xbf16>, tensor<2x4xi32>) -> tensor<2x4x8xbf16>
  %z = prec_train.embedding %t, %i : (tensor<16x8xbf16>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
  return %y, %z : tensor<2x4x8xbf16>, tensor<2x4x8xf32>
}

// The sums are f32 and rounded once.
// CHECK-LABEL: func @embedding_grad
// CHECK-SAME: (%[[D:.*]]: tensor<2x4x8xbf16>, %[[I:.*]]: tensor<2x4xi32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x8xf32>
// CHECK: %[[S:.*]] = prec_train.sort_ids %[[I]] below 16 : (tensor<2x4xi32>) -> tensor<2x8xi32>
// CHECK: %[[SUM:.*]] = prec_train.scatter_add %[[ZERO]], %[[I]], %[[D]] sorted %[[S]] : {{.*}} -> tensor<16x8xf32>
// CHECK: arith.truncf %[[SUM]]
func.func @embedding_grad(%d: tensor<2x4x8xbf16>, %i: tensor<2x4xi32>) -> tensor<16x8xbf16> {
  %y = prec_train.embedding_grad %d, %i : (tensor<2x4x8xbf16>, tensor<2x4xi32>) -> tensor<16x8xbf16>
  return %y : tensor<16x8xbf16>
}

// Those of the same ids and number of rows share their order; one that is
// sorted stays.
// CHECK-LABEL: func @scatter_adds
// CHECK-SAME: (%[[T:.*]]: tensor<16x8xf32>, %[[I:.*]]: tensor<4xi32>, %[[U:.*]]: tensor<4x8xf32>)
// CHECK: %[[S:.*]] = prec_train.sort_ids %[[I]] below 16
// CHECK-NEXT: prec_train.scatter_add %{{.*}}, %[[I]], %[[U]] sorted %[[S]]
// CHECK-NEXT: %[[B:.*]] = prec_train.scatter_add %[[T]], %[[I]], %[[U]] sorted %[[S]]
// CHECK-NEXT: %[[C:.*]] = prec_train.scatter_add %[[B]], %[[I]], %[[U]] sorted %[[S]]
// CHECK: %[[R:.*]] = prec_train.sort_ids %[[I]] below 9
// CHECK-NEXT: prec_train.scatter_add %{{.*}}, %[[I]], %[[U]] sorted %[[R]]
func.func @scatter_adds(%t: tensor<16x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<9x8xf32>) {
  %a = prec_train.embedding_grad %u, %i : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<16x8xf32>
  %b = prec_train.scatter_add %t, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %c = prec_train.scatter_add %b, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %d = prec_train.embedding_grad %u, %i : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<9x8xf32>
  return %a, %c, %d : tensor<16x8xf32>, tensor<16x8xf32>, tensor<9x8xf32>
}

// CHECK-LABEL: func @sorted
// CHECK-SAME: %[[S:arg3]]: tensor<2x4xi32>)
// CHECK-NEXT: prec_train.scatter_add %{{.*}}, %{{.*}}, %{{.*}} sorted %[[S]]
func.func @sorted(%t: tensor<16x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>, %s: tensor<2x4xi32>) -> tensor<16x8xf32> {
  %a = prec_train.scatter_add %t, %i, %u sorted %s : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>, tensor<2x4xi32>) -> tensor<16x8xf32>
  return %a : tensor<16x8xf32>
}
