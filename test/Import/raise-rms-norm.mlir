// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// As PyTorch differentiates it, with two parts that are added one by one to
// what a residual contributed.
// CHECK-LABEL: func.func @torch
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[G:.*]]: tensor<8xf32>, %[[DY:.*]]: tensor<4x8xf32>, %[[R:.*]]: tensor<4x8xf32>)
// CHECK: %[[Y:.*]], %[[RSTD:.*]] = prec_train.rms_norm %[[X]], %[[G]] {eps = 9.99999974E-6 : f32, prec_train.seq = 5 : i64}
// CHECK: %[[DX:.*]], %[[DG:.*]] = prec_train.rms_norm_grad %[[DY]], %[[X]], %[[G]], %[[RSTD]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64}
// CHECK: %[[SUM:.*]] = arith.addf %[[R]], %[[DX]]
// CHECK-NOT: arith
// CHECK: return %[[Y]], %[[SUM]], %[[DG]]
func.func @torch(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %dy: tensor<4x8xf32>, %res: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %nn = arith.constant dense<8.0> : tensor<4x8xf32>
  %two = arith.constant dense<2.0> : tensor<4x8xf32>
  %half = arith.constant dense<-0.5> : tensor<4x1xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4x1xf32>
  %0 = arith.mulf %x, %x : tensor<4x8xf32>
  %1 = prec_train.reduce sum %0 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = arith.divf %1, %n : tensor<4xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %4 = arith.addf %3, %eps : tensor<4x1xf32>
  %5 = math.rsqrt %4 : tensor<4x1xf32>
  %6 = tensor.collapse_shape %5 [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
  %7 = prec_train.broadcast %6 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %8 = arith.mulf %x, %7 : tensor<4x8xf32>
  %9 = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = arith.mulf %9, %8 {prec_train.seq = 5 : i64} : tensor<4x8xf32>
  %10 = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %11 = arith.mulf %dy, %10 {prec_train.phase = #prec_train.phase<backward>} : tensor<4x8xf32>
  %12 = arith.mulf %dy, %8 {prec_train.phase = #prec_train.phase<backward>} : tensor<4x8xf32>
  %dg = prec_train.reduce sum %12 dims [0] {prec_train.phase = #prec_train.phase<backward>} : (tensor<4x8xf32>) -> tensor<8xf32>
  %13 = arith.mulf %11, %x : tensor<4x8xf32>
  %14 = arith.mulf %11, %7 {prec_train.phase = #prec_train.phase<backward>} : tensor<4x8xf32>
  %15 = prec_train.reduce sum %13 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %16 = tensor.expand_shape %15 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %17 = arith.addf %res, %14 : tensor<4x8xf32>
  %18 = arith.mulf %5, %5 : tensor<4x1xf32>
  %19 = arith.mulf %18, %5 : tensor<4x1xf32>
  %20 = arith.mulf %16, %half : tensor<4x1xf32>
  %21 = arith.mulf %20, %19 : tensor<4x1xf32>
  %22 = tensor.collapse_shape %21 [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
  %23 = prec_train.broadcast %22 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %24 = arith.divf %23, %nn : tensor<4x8xf32>
  %25 = arith.mulf %x, %two : tensor<4x8xf32>
  %26 = arith.mulf %24, %25 {prec_train.phase = #prec_train.phase<backward>} : tensor<4x8xf32>
  %dx = arith.addf %17, %26 : tensor<4x8xf32>
  return %y, %dx, %dg : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>
}

// -----

// As JAX does: the derivative of rsqrt is -0.5 rsqrt(u) / u, a mean multiplies
// by 1/n, and the parts are one sum. Rows have two dimensions.
// CHECK-LABEL: func.func @jax
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x8xf32>, %[[G:.*]]: tensor<8xf32>, %[[DY:.*]]: tensor<2x3x8xf32>)
// CHECK: %[[Y:.*]], %[[RSTD:.*]] = prec_train.rms_norm %[[X]], %[[G]]
// CHECK: %[[DX:.*]], %[[DG:.*]] = prec_train.rms_norm_grad %[[DY]], %[[X]], %[[G]], %[[RSTD]]
// CHECK-NOT: arith
// CHECK: return %[[Y]], %[[DX]], %[[DG]]
func.func @jax(%x: tensor<2x3x8xf32>, %g: tensor<8xf32>, %dy: tensor<2x3x8xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>) {
  %eighth = arith.constant dense<0.125> : tensor<2x3xf32>
  %half = arith.constant dense<-0.5> : tensor<2x3xf32>
  %eps = arith.constant dense<1.0e-06> : tensor<2x3xf32>
  %two = arith.constant dense<2.0> : tensor<2x3x8xf32>
  %0 = math.powf %x, %two : tensor<2x3x8xf32>
  %1 = prec_train.reduce sum %0 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %2 = arith.mulf %eighth, %1 : tensor<2x3xf32>
  %3 = arith.addf %eps, %2 : tensor<2x3xf32>
  %4 = math.rsqrt %3 : tensor<2x3xf32>
  %5 = prec_train.broadcast %4 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %6 = arith.mulf %5, %x : tensor<2x3x8xf32>
  %7 = prec_train.broadcast %g dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %y = arith.mulf %6, %7 : tensor<2x3x8xf32>
  %8 = arith.mulf %6, %dy : tensor<2x3x8xf32>
  %9 = prec_train.reduce sum %8 dims [0] : (tensor<2x3x8xf32>) -> tensor<3x8xf32>
  %dg = prec_train.reduce sum %9 dims [0] : (tensor<3x8xf32>) -> tensor<8xf32>
  %10 = arith.mulf %dy, %7 : tensor<2x3x8xf32>
  %11 = arith.mulf %10, %x : tensor<2x3x8xf32>
  %12 = prec_train.reduce sum %11 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %13 = arith.divf %4, %3 : tensor<2x3xf32>
  %14 = arith.mulf %13, %half : tensor<2x3xf32>
  %15 = arith.mulf %12, %14 : tensor<2x3xf32>
  %16 = arith.mulf %15, %eighth : tensor<2x3xf32>
  %17 = prec_train.broadcast %16 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %18 = arith.mulf %two, %x : tensor<2x3x8xf32>
  %19 = arith.mulf %17, %18 : tensor<2x3x8xf32>
  %20 = arith.mulf %10, %5 : tensor<2x3x8xf32>
  %dx = arith.addf %20, %19 : tensor<2x3x8xf32>
  return %y, %dx, %dg : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<8xf32>
}

// -----

// A frozen gamma has no gradient, and the incoming one may have its rows flat.
// CHECK-LABEL: func.func @frozen
// CHECK: %[[Y:.*]], %[[RSTD:.*]] = prec_train.rms_norm
// CHECK: %[[DY:.*]] = tensor.expand_shape %arg2
// CHECK: %[[DX:.*]], %{{.*}} = prec_train.rms_norm_grad %[[DY]], %arg0, %arg1, %[[RSTD]]
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[DX]]
// CHECK-NOT: arith
// CHECK: return %[[Y]], %[[FLAT]]
func.func @frozen(%x: tensor<2x3x8xf32>, %g: tensor<8xf32>, %dy: tensor<6x8xf32>) -> (tensor<2x3x8xf32>, tensor<6x8xf32>) {
  %eighth = arith.constant dense<0.125> : tensor<2x3xf32>
  %flateighth = arith.constant dense<0.125> : tensor<6xf32>
  %eps = arith.constant dense<1.0e-06> : tensor<2x3xf32>
  %0 = arith.mulf %x, %x : tensor<2x3x8xf32>
  %1 = prec_train.reduce sum %0 dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %2 = arith.mulf %eighth, %1 : tensor<2x3xf32>
  %3 = arith.addf %eps, %2 : tensor<2x3xf32>
  %4 = math.rsqrt %3 : tensor<2x3xf32>
  %5 = prec_train.broadcast %4 dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %6 = arith.mulf %5, %x : tensor<2x3x8xf32>
  %7 = prec_train.broadcast %g dims [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %y = arith.mulf %6, %7 : tensor<2x3x8xf32>
  %xf = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %r = tensor.collapse_shape %4 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %rb = prec_train.broadcast %r dims [0] : (tensor<6xf32>) -> tensor<6x8xf32>
  %gb = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<6x8xf32>
  %n = arith.mulf %xf, %rb : tensor<6x8xf32>
  %h = arith.mulf %dy, %gb : tensor<6x8xf32>
  %hn = arith.mulf %h, %n : tensor<6x8xf32>
  %s = prec_train.reduce sum %hn dims [1] : (tensor<6x8xf32>) -> tensor<6xf32>
  %m = arith.mulf %s, %flateighth : tensor<6xf32>
  %mb = prec_train.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x8xf32>
  %p = arith.mulf %n, %mb : tensor<6x8xf32>
  %d = arith.subf %h, %p : tensor<6x8xf32>
  %dx = arith.mulf %d, %rb : tensor<6x8xf32>
  return %y, %dx : tensor<2x3x8xf32>, tensor<6x8xf32>
}

// -----

// What is recomputed for the backward is raised on its own.
// CHECK-LABEL: func.func @recompute
// CHECK: %[[Y:.*]], %{{.*}} = prec_train.rms_norm %arg0, %arg1 {eps = {{[^,]*}}}
// CHECK: %[[Z:.*]], %{{.*}} = prec_train.rms_norm %arg0, %arg1 {eps = {{.*}}prec_train.phase = #prec_train.phase<recompute>}
// CHECK: return %[[Y]], %[[Z]]
func.func @recompute(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %9 = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %0 = arith.mulf %x, %x : tensor<4x8xf32>
  %1 = prec_train.reduce sum %0 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = arith.divf %1, %n : tensor<4xf32>
  %4 = arith.addf %2, %eps : tensor<4xf32>
  %5 = math.rsqrt %4 : tensor<4xf32>
  %7 = prec_train.broadcast %5 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %8 = arith.mulf %x, %7 : tensor<4x8xf32>
  %y = arith.mulf %9, %8 : tensor<4x8xf32>
  %10 = arith.mulf %x, %x {prec_train.phase = #prec_train.phase<recompute>} : tensor<4x8xf32>
  %11 = prec_train.reduce sum %10 dims [1] {prec_train.phase = #prec_train.phase<recompute>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %12 = arith.divf %11, %n {prec_train.phase = #prec_train.phase<recompute>} : tensor<4xf32>
  %14 = arith.addf %12, %eps {prec_train.phase = #prec_train.phase<recompute>} : tensor<4xf32>
  %15 = math.rsqrt %14 {prec_train.phase = #prec_train.phase<recompute>} : tensor<4xf32>
  %17 = prec_train.broadcast %15 dims [0] {prec_train.phase = #prec_train.phase<recompute>} : (tensor<4xf32>) -> tensor<4x8xf32>
  %18 = arith.mulf %x, %17 {prec_train.phase = #prec_train.phase<recompute>} : tensor<4x8xf32>
  %z = arith.mulf %9, %18 {prec_train.phase = #prec_train.phase<recompute>} : tensor<4x8xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}
