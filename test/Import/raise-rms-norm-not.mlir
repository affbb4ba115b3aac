// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// Near misses: none of them is a norm of the last dimension.

// CHECK-LABEL: func.func @no_eps
// CHECK-NOT: prec_train.rms_norm
func.func @no_eps(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %0 = arith.mulf %x, %x : tensor<4x8xf32>
  %1 = prec_train.reduce sum %0 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = arith.divf %1, %n : tensor<4xf32>
  %3 = math.rsqrt %2 : tensor<4xf32>
  %4 = prec_train.broadcast %3 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %5 = arith.mulf %x, %4 : tensor<4x8xf32>
  %6 = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %7 = arith.mulf %5, %6 : tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// -----

// Both dimensions have 8 elements: only the place tells them apart.
// CHECK-LABEL: func.func @wrong_axis
// CHECK-NOT: prec_train.rms_norm
func.func @wrong_axis(%x: tensor<8x8xf32>, %g: tensor<8xf32>) -> tensor<8x8xf32> {
  %n = arith.constant dense<8.0> : tensor<8xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<8xf32>
  %0 = arith.mulf %x, %x : tensor<8x8xf32>
  %1 = prec_train.reduce sum %0 dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %2 = arith.divf %1, %n : tensor<8xf32>
  %3 = arith.addf %2, %eps : tensor<8xf32>
  %4 = math.rsqrt %3 : tensor<8xf32>
  // The number of row i goes to column i.
  %5 = prec_train.broadcast %4 dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %6 = arith.mulf %x, %5 : tensor<8x8xf32>
  %7 = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %8 = arith.mulf %6, %7 : tensor<8x8xf32>
  return %8 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @gamma_of_rows
// CHECK-NOT: prec_train.rms_norm
func.func @gamma_of_rows(%x: tensor<8x8xf32>, %g: tensor<8xf32>) -> tensor<8x8xf32> {
  %n = arith.constant dense<8.0> : tensor<8xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<8xf32>
  %0 = arith.mulf %x, %x : tensor<8x8xf32>
  %1 = prec_train.reduce sum %0 dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %2 = arith.divf %1, %n : tensor<8xf32>
  %3 = arith.addf %2, %eps : tensor<8xf32>
  %4 = math.rsqrt %3 : tensor<8xf32>
  %5 = prec_train.broadcast %4 dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %6 = arith.mulf %x, %5 : tensor<8x8xf32>
  %7 = prec_train.broadcast %g dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %8 = arith.mulf %6, %7 : tensor<8x8xf32>
  return %8 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @wrong_count
// CHECK-NOT: prec_train.rms_norm
func.func @wrong_count(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = arith.mulf %x, %x : tensor<4x8xf32>
  %1 = prec_train.reduce sum %0 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = arith.divf %1, %n : tensor<4xf32>
  %3 = arith.addf %2, %eps : tensor<4xf32>
  %4 = math.rsqrt %3 : tensor<4xf32>
  %5 = prec_train.broadcast %4 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  // Another tensor is scaled by it.
  %6 = arith.mulf %y, %5 : tensor<4x8xf32>
  %7 = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %8 = arith.mulf %6, %7 : tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// -----

// The forward is one; but this gradient is with another gamma.
// CHECK-LABEL: func.func @other_gamma
// CHECK: prec_train.rms_norm %
// CHECK-NOT: prec_train.rms_norm_grad
func.func @other_gamma(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %other: tensor<8xf32>, %dy: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = arith.mulf %x, %x : tensor<4x8xf32>
  %1 = prec_train.reduce sum %0 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = arith.divf %1, %n : tensor<4xf32>
  %4 = arith.addf %2, %eps : tensor<4xf32>
  %r = math.rsqrt %4 : tensor<4xf32>
  %rb = prec_train.broadcast %r dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %8 = arith.mulf %x, %rb : tensor<4x8xf32>
  %9 = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = arith.mulf %9, %8 : tensor<4x8xf32>
  %ob = prec_train.broadcast %other dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %h = arith.mulf %dy, %ob : tensor<4x8xf32>
  %hn = arith.mulf %h, %8 : tensor<4x8xf32>
  %s = prec_train.reduce sum %hn dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = arith.divf %s, %n : tensor<4xf32>
  %mb = prec_train.broadcast %m dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %p = arith.mulf %8, %mb : tensor<4x8xf32>
  %d = arith.subf %h, %p : tensor<4x8xf32>
  %dx = arith.mulf %d, %rb : tensor<4x8xf32>
  return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// The projection has the wrong sign.
// CHECK-LABEL: func.func @wrong_sign
// CHECK: prec_train.rms_norm %
// CHECK-NOT: prec_train.rms_norm_grad
func.func @wrong_sign(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %dy: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = arith.mulf %x, %x : tensor<4x8xf32>
  %1 = prec_train.reduce sum %0 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = arith.divf %1, %n : tensor<4xf32>
  %4 = arith.addf %2, %eps : tensor<4xf32>
  %r = math.rsqrt %4 : tensor<4xf32>
  %rb = prec_train.broadcast %r dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %8 = arith.mulf %x, %rb : tensor<4x8xf32>
  %9 = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = arith.mulf %9, %8 : tensor<4x8xf32>
  %h = arith.mulf %dy, %9 : tensor<4x8xf32>
  %hn = arith.mulf %h, %8 : tensor<4x8xf32>
  %s = prec_train.reduce sum %hn dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = arith.divf %s, %n : tensor<4xf32>
  %mb = prec_train.broadcast %m dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %p = arith.mulf %8, %mb : tensor<4x8xf32>
  %d = arith.addf %h, %p : tensor<4x8xf32>
  %dx = arith.mulf %d, %rb : tensor<4x8xf32>
  return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A partial sum of the gradient is read by another: it must keep its value.
// CHECK-LABEL: func.func @partial_sum_read
// CHECK: prec_train.rms_norm %
// CHECK-NOT: prec_train.rms_norm_grad
func.func @partial_sum_read(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %dy: tensor<4x8xf32>, %res: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = arith.mulf %x, %x : tensor<4x8xf32>
  %1 = prec_train.reduce sum %0 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = arith.divf %1, %n : tensor<4xf32>
  %4 = arith.addf %2, %eps : tensor<4xf32>
  %r = math.rsqrt %4 : tensor<4xf32>
  %rb = prec_train.broadcast %r dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %8 = arith.mulf %x, %rb : tensor<4x8xf32>
  %9 = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = arith.mulf %9, %8 : tensor<4x8xf32>
  %h = arith.mulf %dy, %9 : tensor<4x8xf32>
  %hn = arith.mulf %h, %8 : tensor<4x8xf32>
  %s = prec_train.reduce sum %hn dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = arith.divf %s, %n : tensor<4xf32>
  %mb = prec_train.broadcast %m dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %p = arith.mulf %8, %mb : tensor<4x8xf32>
  %pr = arith.mulf %p, %rb : tensor<4x8xf32>
  %np = arith.negf %pr : tensor<4x8xf32>
  %hr = arith.mulf %h, %rb : tensor<4x8xf32>
  %a = arith.addf %res, %hr : tensor<4x8xf32>
  %dx = arith.addf %a, %np : tensor<4x8xf32>
  return %y, %dx, %a : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
