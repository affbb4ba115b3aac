// RUN: prec-opt %s --canonicalize | FileCheck %s

// What moves nothing folds.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return %arg0, %arg0
func.func @nothing(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %t = prec_train.transpose %x permutation [0, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = prec_train.broadcast %x dims [0, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %t, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// Two transpositions are one, or none.
// CHECK-LABEL: func.func @two
// CHECK-NEXT: %[[T:.*]] = prec_train.transpose %arg0 permutation [2, 1, 0]
// CHECK-NEXT: return %[[T]], %arg0
func.func @two(%x: tensor<2x3x5xf32>) -> (tensor<5x3x2xf32>, tensor<2x3x5xf32>) {
  %a = prec_train.transpose %x permutation [1, 2, 0] : (tensor<2x3x5xf32>) -> tensor<3x5x2xf32>
  %b = prec_train.transpose %a permutation [1, 0, 2] : (tensor<3x5x2xf32>) -> tensor<5x3x2xf32>
  %c = prec_train.transpose %a permutation [2, 0, 1] : (tensor<3x5x2xf32>) -> tensor<2x3x5xf32>
  return %b, %c : tensor<5x3x2xf32>, tensor<2x3x5xf32>
}

// A tag may ask for a rounding.
// CHECK-LABEL: func.func @stay
// CHECK: prec_train.transpose {{.*}} permutation [0, 1] {result_tags
// CHECK: prec_train.broadcast {{.*}} dims [0, 1] {result_tags
// CHECK: prec_train.transpose {{.*}} permutation [1, 0] {result_tags
// CHECK: prec_train.transpose {{.*}} permutation [1, 0] :
func.func @stay(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %t = prec_train.transpose %x permutation [0, 1] {result_tags = [#prec.tag<bf16, rule = "stored">]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = prec_train.broadcast %x dims [0, 1] {result_tags = [#prec.tag<bf16, rule = "stored">]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = prec_train.transpose %x permutation [1, 0] {result_tags = [#prec.tag<bf16, rule = "stored">]} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %s = prec_train.transpose %r permutation [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %t, %b, %s : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
