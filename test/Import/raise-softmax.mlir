// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @stable
// CHECK: %[[Y:.*]] = prec_train.softmax %arg0 {prec_train.seq = 3 : i64}
// CHECK: %[[DX:.*]] = prec_train.softmax_grad %arg1, %[[Y]] {prec_train.seq = 3 : i64}
// CHECK: return %[[Y]], %[[DX]]
func.func @stable(%x: tensor<2x3x8xf32>, %dy: tensor<2x3x8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %m = prec_train.reduce max %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %mb = prec_train.broadcast %m dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %s = arith.subf %x, %mb : tensor<2x3x8xf32>
  %e = math.exp %s : tensor<2x3x8xf32>
  %sum = prec_train.reduce sum %e dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %sb = prec_train.broadcast %sum dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %y = arith.divf %e, %sb {prec_train.seq = 3 : i64} : tensor<2x3x8xf32>
  %0 = arith.mulf %dy, %y : tensor<2x3x8xf32>
  %1 = prec_train.reduce sum %0 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %2 = prec_train.broadcast %1 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %3 = arith.subf %dy, %2 : tensor<2x3x8xf32>
  %dx = arith.mulf %y, %3 : tensor<2x3x8xf32>
  return %y, %dx : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// -----

// JAX differentiates the exponential and the quotient: neither reads the result.
// CHECK-LABEL: func.func @jax
// CHECK: %[[Y:.*]] = prec_train.softmax %arg0
// CHECK: %[[DX:.*]] = prec_train.softmax_grad %arg1, %[[Y]]
// CHECK-NEXT: return %[[Y]], %[[DX]]
func.func @jax(%x: tensor<4x8xf32>, %dy: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %m = prec_train.reduce max %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mb = prec_train.broadcast %m dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %s = arith.subf %x, %mb : tensor<4x8xf32>
  %e = math.exp %s : tensor<4x8xf32>
  %sum = prec_train.reduce sum %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %sb = prec_train.broadcast %sum dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %y = arith.divf %e, %sb : tensor<4x8xf32>
  %sq = arith.mulf %sum, %sum : tensor<4xf32>
  %inv = arith.divf %one, %sq : tensor<4xf32>
  %invb = prec_train.broadcast %inv dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %0 = arith.mulf %dy, %invb : tensor<4x8xf32>
  %1 = arith.mulf %0, %e : tensor<4x8xf32>
  %2 = prec_train.reduce sum %1 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %3 = arith.negf %2 : tensor<4xf32>
  %4 = prec_train.broadcast %3 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %5 = arith.divf %dy, %sb : tensor<4x8xf32>
  %6 = arith.addf %4, %5 : tensor<4x8xf32>
  %dx = arith.mulf %6, %e : tensor<4x8xf32>
  return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What is taken out of the exponents need not be the maximum, as long as it is
// one number for each row.
// CHECK-LABEL: func.func @any_shift
// CHECK: %[[Y:.*]] = prec_train.softmax %arg0
// CHECK-NEXT: return %[[Y]]
func.func @any_shift(%x: tensor<4x8xf32>, %shift: tensor<4xf32>) -> tensor<4x8xf32> {
  %mb = prec_train.broadcast %shift dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %s = arith.subf %x, %mb : tensor<4x8xf32>
  %e = math.exp %s : tensor<4x8xf32>
  %sum = prec_train.reduce sum %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %sb = prec_train.broadcast %sum dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %y = arith.divf %e, %sb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @shift_of_columns
// CHECK-NOT: prec_train.softmax %arg0
// CHECK: prec_train.softmax
// CHECK-NOT: prec_train.softmax
func.func @shift_of_columns(%x: tensor<8x8xf32>, %shift: tensor<8xf32>) -> tensor<8x8xf32> {
  // A number for each column stays in: the softmax is that of the difference.
  %mb = prec_train.broadcast %shift dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %s = arith.subf %x, %mb : tensor<8x8xf32>
  %e = math.exp %s : tensor<8x8xf32>
  %sum = prec_train.reduce sum %e dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %sb = prec_train.broadcast %sum dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %y = arith.divf %e, %sb : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @sum_of_columns
// CHECK-NOT: prec_train.softmax
func.func @sum_of_columns(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = math.exp %x : tensor<8x8xf32>
  %sum = prec_train.reduce sum %e dims [0] : (tensor<8x8xf32>) -> tensor<8xf32>
  %sb = prec_train.broadcast %sum dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %y = arith.divf %e, %sb : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// The sum of row i divides column i.
// CHECK-LABEL: func.func @crossed
// CHECK-NOT: prec_train.softmax
func.func @crossed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = math.exp %x : tensor<8x8xf32>
  %sum = prec_train.reduce sum %e dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %sb = prec_train.broadcast %sum dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %y = arith.divf %e, %sb : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
