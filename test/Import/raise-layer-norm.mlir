// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// Two passes; the gradient as its textbook formula.
// CHECK-LABEL: func.func @two_pass
// CHECK: %[[Y:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = prec_train.layer_norm %arg0, %arg1, %arg2 {eps = 9.99999974E-6 : f32}
// CHECK: %[[DX:.*]], %[[DG:.*]], %[[DB:.*]] = prec_train.layer_norm_grad %arg3, %arg0, %arg1, %[[MEAN]], %[[RSTD]]
// CHECK-NEXT: return %[[Y]], %[[DX]], %[[DG]], %[[DB]]
func.func @two_pass(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>, %dy: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = prec_train.reduce sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mean = arith.divf %0, %n : tensor<4xf32>
  %mb = prec_train.broadcast %mean dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %c = arith.subf %x, %mb : tensor<4x8xf32>
  %1 = arith.mulf %c, %c : tensor<4x8xf32>
  %2 = prec_train.reduce sum %1 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %var = arith.divf %2, %n : tensor<4xf32>
  %3 = arith.addf %var, %eps : tensor<4xf32>
  %rstd = math.rsqrt %3 : tensor<4xf32>
  %rb = prec_train.broadcast %rstd dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %xn = arith.mulf %c, %rb : tensor<4x8xf32>
  %gb = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %4 = arith.mulf %xn, %gb : tensor<4x8xf32>
  %bb = prec_train.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = arith.addf %4, %bb : tensor<4x8xf32>
  %h = arith.mulf %dy, %gb : tensor<4x8xf32>
  %5 = prec_train.reduce sum %h dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %6 = arith.divf %5, %n : tensor<4xf32>
  %7 = arith.mulf %h, %xn : tensor<4x8xf32>
  %8 = prec_train.reduce sum %7 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %9 = arith.divf %8, %n : tensor<4xf32>
  %10 = prec_train.broadcast %6 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %11 = prec_train.broadcast %9 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %12 = arith.mulf %xn, %11 : tensor<4x8xf32>
  %13 = arith.subf %h, %10 : tensor<4x8xf32>
  %14 = arith.subf %13, %12 : tensor<4x8xf32>
  %dx = arith.mulf %rb, %14 : tensor<4x8xf32>
  %15 = arith.mulf %dy, %xn : tensor<4x8xf32>
  %dg = prec_train.reduce sum %15 dims [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  %db = prec_train.reduce sum %dy dims [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  return %y, %dx, %dg, %db : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// One pass: the variance is mean(x^2) - mean(x)^2.
// CHECK-LABEL: func.func @one_pass
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = prec_train.layer_norm %arg0, %arg1, %arg2
// CHECK-NEXT: return %[[Y]]
func.func @one_pass(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = arith.constant dense<0.125> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = prec_train.reduce sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mean = arith.mulf %0, %n : tensor<4xf32>
  %1 = arith.mulf %x, %x : tensor<4x8xf32>
  %2 = prec_train.reduce sum %1 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %3 = arith.mulf %2, %n : tensor<4xf32>
  %4 = arith.mulf %mean, %mean : tensor<4xf32>
  %var = arith.subf %3, %4 : tensor<4xf32>
  %5 = arith.addf %var, %eps : tensor<4xf32>
  %rstd = math.rsqrt %5 : tensor<4xf32>
  %rb = prec_train.broadcast %rstd dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %gb = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %scale = arith.mulf %rb, %gb : tensor<4x8xf32>
  %mb = prec_train.broadcast %mean dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %c = arith.subf %x, %mb : tensor<4x8xf32>
  %6 = arith.mulf %c, %scale : tensor<4x8xf32>
  %bb = prec_train.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = arith.addf %6, %bb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The variance of a sample divides by one less.
// CHECK-LABEL: func.func @unbiased
// CHECK-NOT: prec_train.layer_norm
func.func @unbiased(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %less = arith.constant dense<7.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = prec_train.reduce sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mean = arith.divf %0, %n : tensor<4xf32>
  %mb = prec_train.broadcast %mean dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %c = arith.subf %x, %mb : tensor<4x8xf32>
  %1 = arith.mulf %c, %c : tensor<4x8xf32>
  %2 = prec_train.reduce sum %1 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %var = arith.divf %2, %less : tensor<4xf32>
  %3 = arith.addf %var, %eps : tensor<4xf32>
  %rstd = math.rsqrt %3 : tensor<4xf32>
  %rb = prec_train.broadcast %rstd dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %xn = arith.mulf %c, %rb : tensor<4x8xf32>
  %gb = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %4 = arith.mulf %xn, %gb : tensor<4x8xf32>
  %bb = prec_train.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = arith.addf %4, %bb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The mean is that of another tensor.
// CHECK-LABEL: func.func @other_mean
// CHECK-NOT: prec_train.layer_norm
func.func @other_mean(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = prec_train.reduce sum %z dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mean = arith.divf %0, %n : tensor<4xf32>
  %mb = prec_train.broadcast %mean dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %c = arith.subf %x, %mb : tensor<4x8xf32>
  %d = arith.subf %z, %mb : tensor<4x8xf32>
  %1 = arith.mulf %d, %d : tensor<4x8xf32>
  %2 = prec_train.reduce sum %1 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %var = arith.divf %2, %n : tensor<4xf32>
  %3 = arith.addf %var, %eps : tensor<4xf32>
  %rstd = math.rsqrt %3 : tensor<4xf32>
  %rb = prec_train.broadcast %rstd dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %xn = arith.mulf %c, %rb : tensor<4x8xf32>
  %gb = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %4 = arith.mulf %xn, %gb : tensor<4x8xf32>
  %bb = prec_train.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = arith.addf %4, %bb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
