// RUN: prec-opt %s --batch-reductions | FileCheck %s

// The last levels are finished together, behind the later of them; what one
// number needs alone waits for it.
// CHECK-LABEL: func.func @together
// CHECK: %[[X:.*]] = train.reduce max %{{.*}} dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
// CHECK: %[[Y:.*]] = train.reduce max %{{.*}} dims [1, 3]
// CHECK: %[[X1:.*]] = tensor.expand_shape %[[X]] {{.*}} into tensor<1x8xf32>
// CHECK: %[[YF:.*]] = tensor.collapse_shape %[[Y]] {{.*}} into tensor<8xf32>
// CHECK: %[[Y1:.*]] = tensor.expand_shape %[[YF]]
// CHECK: %[[C:.*]] = tensor.concat dim(0) %[[X1]], %[[Y1]]
// CHECK: %[[R:.*]] = train.reduce max %[[C]] dims [1] : (tensor<2x8xf32>) -> tensor<2xf32>
// CHECK: tensor.extract_slice %[[R]][0] [1] [1]
// CHECK: tensor.extract_slice %[[R]][1] [1] [1]
// CHECK: %[[A:.*]] = arith.maxnumf
// CHECK: %[[B:.*]] = arith.maxnumf %{{.*}}, %[[A]]
// CHECK: return %[[B]]
func.func @together(%x: tensor<8x4xf32>, %y: tensor<8x2x1x2xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xr = train.reduce max %x dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %xa = train.reduce max %xr dims [0] : (tensor<8xf32>) -> tensor<f32>
  %a = arith.maxnumf %xa, %zero : tensor<f32>
  %yr = train.reduce max %y dims [1, 3] : (tensor<8x2x1x2xf32>) -> tensor<8x1xf32>
  %yf = tensor.collapse_shape %yr [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %ya = train.reduce max %yr dims [0, 1] : (tensor<8x1xf32>) -> tensor<f32>
  %b = arith.maxnumf %ya, %a : tensor<f32>
  return %b : tensor<f32>
}

// Not what is waited for, and not other kinds, lengths or phases.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: tensor.concat
// CHECK: return
func.func @apart(%x: tensor<8x4xf32>, %z: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %xr = train.reduce max %x dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %xa = train.reduce max %xr dims [0] : (tensor<8xf32>) -> tensor<f32>
  %w = train.broadcast %xa dims [] : (tensor<f32>) -> tensor<8x4xf32>
  %v = arith.mulf %w, %x : tensor<8x4xf32>
  %vr = train.reduce max %v dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %va = train.reduce max %vr dims [0] {train.phase = #train.phase<backward>} : (tensor<8xf32>) -> tensor<f32>
  %sr = train.reduce sum %v dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %sa = train.reduce sum %sr dims [0] : (tensor<8xf32>) -> tensor<f32>
  %zr = train.reduce max %z dims [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %za = train.reduce max %zr dims [0] : (tensor<4xf32>) -> tensor<f32>
  return %v, %va, %sa, %za : tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
}
