// RUN: prec-opt %s --prec-batch-reductions | FileCheck %s

// The last levels are finished together, behind the later of them; what one
// number needs alone waits for it.
// CHECK-LABEL: func.func @together
// CHECK: %[[X:.*]] = prec_train.reduce max %{{.*}} dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
// CHECK: %[[Y:.*]] = prec_train.reduce max %{{.*}} dims [1, 3]
// CHECK: %[[X1:.*]] = tensor.expand_shape %[[X]] {{.*}} into tensor<1x8xf32>
// CHECK: %[[YF:.*]] = tensor.collapse_shape %[[Y]] {{.*}} into tensor<8xf32>
// CHECK: %[[Y1:.*]] = tensor.expand_shape %[[YF]]
// CHECK: %[[C:.*]] = tensor.concat dim(0) %[[X1]], %[[Y1]]
// CHECK: %[[R:.*]] = prec_train.reduce max %[[C]] dims [1] : (tensor<2x8xf32>) -> tensor<2xf32>
// CHECK: tensor.extract_slice %[[R]][0] [1] [1]
// CHECK: tensor.extract_slice %[[R]][1] [1] [1]
// CHECK: %[[A:.*]] = arith.maxnumf
// CHECK: %[[B:.*]] = arith.maxnumf %{{.*}}, %[[A]]
// CHECK: return %[[B]]
func.func @together(%x: tensor<8x4xf32>, %y: tensor<8x2x1x2xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %xr = prec_train.reduce max %x dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %xa = prec_train.reduce max %xr dims [0] : (tensor<8xf32>) -> tensor<f32>
  %a = arith.maxnumf %xa, %zero : tensor<f32>
  %yr = prec_train.reduce max %y dims [1, 3] : (tensor<8x2x1x2xf32>) -> tensor<8x1xf32>
  %yf = tensor.collapse_shape %yr [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %ya = prec_train.reduce max %yr dims [0, 1] : (tensor<8x1xf32>) -> tensor<f32>
  %b = arith.maxnumf %ya, %a : tensor<f32>
  return %b : tensor<f32>
}

// Not what is waited for, and not other kinds, lengths or phases.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: tensor.concat
// CHECK: return
func.func @apart(%x: tensor<8x4xf32>, %z: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %xr = prec_train.reduce max %x dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %xa = prec_train.reduce max %xr dims [0] : (tensor<8xf32>) -> tensor<f32>
  %w = prec_train.broadcast %xa dims [] : (tensor<f32>) -> tensor<8x4xf32>
  %v = arith.mulf %w, %x : tensor<8x4xf32>
  %vr = prec_train.reduce max %v dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %va = prec_train.reduce max %vr dims [0] {prec_train.phase = #prec_train.phase<backward>} : (tensor<8xf32>) -> tensor<f32>
  %sr = prec_train.reduce sum %v dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %sa = prec_train.reduce sum %sr dims [0] : (tensor<8xf32>) -> tensor<f32>
  %zr = prec_train.reduce max %z dims [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %za = prec_train.reduce max %zr dims [0] : (tensor<4xf32>) -> tensor<f32>
  return %v, %va, %sa, %za : tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// What is left of many is filled up with the last of those before it, which
// are computed once more: one kernel, however many there are.
// CHECK-LABEL: func.func @filled
// CHECK: %[[X0:.*]] = prec_train.reduce max %{{.*}} dims [1]
// CHECK: %[[X1:.*]] = prec_train.reduce max %{{.*}} dims [1]
// CHECK: %[[X2:.*]] = prec_train.reduce max %{{.*}} dims [1]
// CHECK: tensor.expand_shape %[[X0]]
// CHECK: tensor.expand_shape %[[X1]]
// CHECK: tensor.expand_shape %[[X2]]
// CHECK: tensor.concat dim(0) {{.*}} -> tensor<16x8xf32>
// CHECK: prec_train.reduce max %{{.*}} dims [1] : (tensor<16x8xf32>) -> tensor<16xf32>
// CHECK: %[[X16:.*]] = prec_train.reduce max %{{.*}} dims [1] : (tensor<8x4xf32>)
// CHECK: %[[X17:.*]] = prec_train.reduce max %{{.*}} dims [1] : (tensor<8x4xf32>)
// CHECK: tensor.expand_shape %[[X16]]
// CHECK: tensor.expand_shape %[[X17]]
// CHECK: tensor.expand_shape %[[X2]]
// CHECK: tensor.concat dim(0) {{.*}} -> tensor<16x8xf32>
// CHECK: %[[R:.*]] = prec_train.reduce max %{{.*}} dims [1] : (tensor<16x8xf32>) -> tensor<16xf32>
// CHECK: tensor.extract_slice %[[R]][0] [1] [1]
// CHECK: tensor.extract_slice %[[R]][1] [1] [1]
// CHECK-NOT: tensor.extract_slice %[[R]]
// CHECK: return
func.func @filled(%x: tensor<18x8x4xf32>) -> tensor<f32> {
  %z = arith.constant dense<0.0> : tensor<f32>
  %s0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r0 = prec_train.reduce max %s0 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a0 = prec_train.reduce max %r0 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m0 = arith.maxnumf %z, %a0 : tensor<f32>
  %s1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r1 = prec_train.reduce max %s1 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a1 = prec_train.reduce max %r1 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m1 = arith.maxnumf %m0, %a1 : tensor<f32>
  %s2 = tensor.extract_slice %x[2, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r2 = prec_train.reduce max %s2 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a2 = prec_train.reduce max %r2 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m2 = arith.maxnumf %m1, %a2 : tensor<f32>
  %s3 = tensor.extract_slice %x[3, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r3 = prec_train.reduce max %s3 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a3 = prec_train.reduce max %r3 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m3 = arith.maxnumf %m2, %a3 : tensor<f32>
  %s4 = tensor.extract_slice %x[4, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r4 = prec_train.reduce max %s4 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a4 = prec_train.reduce max %r4 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m4 = arith.maxnumf %m3, %a4 : tensor<f32>
  %s5 = tensor.extract_slice %x[5, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r5 = prec_train.reduce max %s5 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a5 = prec_train.reduce max %r5 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m5 = arith.maxnumf %m4, %a5 : tensor<f32>
  %s6 = tensor.extract_slice %x[6, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r6 = prec_train.reduce max %s6 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a6 = prec_train.reduce max %r6 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m6 = arith.maxnumf %m5, %a6 : tensor<f32>
  %s7 = tensor.extract_slice %x[7, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r7 = prec_train.reduce max %s7 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a7 = prec_train.reduce max %r7 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m7 = arith.maxnumf %m6, %a7 : tensor<f32>
  %s8 = tensor.extract_slice %x[8, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r8 = prec_train.reduce max %s8 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a8 = prec_train.reduce max %r8 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m8 = arith.maxnumf %m7, %a8 : tensor<f32>
  %s9 = tensor.extract_slice %x[9, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r9 = prec_train.reduce max %s9 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a9 = prec_train.reduce max %r9 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m9 = arith.maxnumf %m8, %a9 : tensor<f32>
  %s10 = tensor.extract_slice %x[10, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r10 = prec_train.reduce max %s10 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a10 = prec_train.reduce max %r10 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m10 = arith.maxnumf %m9, %a10 : tensor<f32>
  %s11 = tensor.extract_slice %x[11, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r11 = prec_train.reduce max %s11 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a11 = prec_train.reduce max %r11 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m11 = arith.maxnumf %m10, %a11 : tensor<f32>
  %s12 = tensor.extract_slice %x[12, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r12 = prec_train.reduce max %s12 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a12 = prec_train.reduce max %r12 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m12 = arith.maxnumf %m11, %a12 : tensor<f32>
  %s13 = tensor.extract_slice %x[13, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r13 = prec_train.reduce max %s13 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a13 = prec_train.reduce max %r13 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m13 = arith.maxnumf %m12, %a13 : tensor<f32>
  %s14 = tensor.extract_slice %x[14, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r14 = prec_train.reduce max %s14 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a14 = prec_train.reduce max %r14 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m14 = arith.maxnumf %m13, %a14 : tensor<f32>
  %s15 = tensor.extract_slice %x[15, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r15 = prec_train.reduce max %s15 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a15 = prec_train.reduce max %r15 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m15 = arith.maxnumf %m14, %a15 : tensor<f32>
  %s16 = tensor.extract_slice %x[16, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r16 = prec_train.reduce max %s16 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a16 = prec_train.reduce max %r16 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m16 = arith.maxnumf %m15, %a16 : tensor<f32>
  %s17 = tensor.extract_slice %x[17, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<18x8x4xf32> to tensor<8x4xf32>
  %r17 = prec_train.reduce max %s17 dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %a17 = prec_train.reduce max %r17 dims [0] : (tensor<8xf32>) -> tensor<f32>
  %m17 = arith.maxnumf %m16, %a17 : tensor<f32>
  return %m17 : tensor<f32>
}

// Of a long vector parts are reduced first, where the order does not matter.
// CHECK-LABEL: func.func @long
// CHECK: %[[R:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<256x128xf32>
// CHECK: %[[P:.*]] = prec_train.reduce min %[[R]] dims [1] : (tensor<256x128xf32>) -> tensor<256xf32>
// CHECK: prec_train.reduce min %[[P]] dims [0] : (tensor<256xf32>) -> tensor<f32>
// CHECK: prec_train.reduce sum %arg0 dims [0] : (tensor<32768xf32>) -> tensor<f32>
func.func @long(%x: tensor<32768xf32>) -> (tensor<f32>, tensor<f32>) {
  %m = prec_train.reduce min %x dims [0] : (tensor<32768xf32>) -> tensor<f32>
  %s = prec_train.reduce sum %x dims [0] : (tensor<32768xf32>) -> tensor<f32>
  return %m, %s : tensor<f32>, tensor<f32>
}
