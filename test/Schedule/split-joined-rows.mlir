// RUN: prec-opt %s --prec-split-joined-rows --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-split-joined-rows --prec-form-dispatches --split-input-file | FileCheck %s --check-prefix=KERNEL

// Two gradients, whose rows are reduced and which are quantized by scales of rows: one kernel of both.
// CHECK-LABEL: func.func @both
// CHECK: %[[A:.*]] = arith.truncf %arg0
// CHECK: %[[B:.*]] = arith.truncf %{{.*}}
// CHECK: %[[MA:.*]] = prec_train.reduce max %{{.*}} dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
// CHECK: %[[MB:.*]] = prec_train.reduce max %{{.*}} dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
// CHECK: %[[M:.*]] = arith.maxnumf %[[MA]], %[[MB]] : tensor<8xf32>
// CHECK: %[[QA:.*]] = prec.quantize %{{.*}} : tensor<8x16xf32> to tensor<8x16xf8E5M2>
// CHECK: %[[QB:.*]] = prec.quantize %{{.*}} : tensor<8x16xf32> to tensor<8x16xf8E5M2>
// CHECK: %[[Q:.*]] = tensor.concat dim(1) %[[QA]], %[[QB]]
// CHECK: return %[[M]], %[[Q]]
// KERNEL-LABEL: func.func @both
// KERNEL: prec_sched.dispatch <row>
// KERNEL-SAME: -> (tensor<8xf32>, tensor<8x32xf8E5M2>)
// KERNEL-NOT: prec_sched.dispatch
// KERNEL: return
func.func @both(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %s: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x32xf8E5M2>) attributes {prec.entry = "step"} {
  %one = arith.constant dense<1.0> : tensor<f32>
  %a = arith.truncf %x : tensor<8x16xf32> to tensor<8x16xbf16>
  %z = arith.mulf %x, %y : tensor<8x16xf32>
  %b = arith.truncf %z : tensor<8x16xf32> to tensor<8x16xbf16>
  %c = tensor.concat dim(1) %a, %b : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x32xbf16>
  %w = arith.extf %c : tensor<8x32xbf16> to tensor<8x32xf32>
  %l = math.absf %w : tensor<8x32xf32>
  %m = prec_train.reduce max %l dims [1] : (tensor<8x32xf32>) -> tensor<8xf32>
  %r = prec_train.broadcast %s dims [0] : (tensor<8xf32>) -> tensor<8x32xf32>
  %p = arith.mulf %w, %r : tensor<8x32xf32>
  %q = prec.quantize %p, %one : tensor<8x32xf32> to tensor<8x32xf8E5M2>
  return %m, %q : tensor<8xf32>, tensor<8x32xf8E5M2>
}

// -----

// A scale that follows from what is reduced waits for all of it.
// CHECK-LABEL: func.func @waits
// CHECK: %[[C:.*]] = tensor.concat
// CHECK: prec.quantize %[[C]]
func.func @waits(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x32xf8E5M2> attributes {prec.entry = "step"} {
  %one = arith.constant dense<1.0> : tensor<f32>
  %a = arith.truncf %x : tensor<8x16xf32> to tensor<8x16xbf16>
  %z = arith.mulf %x, %y : tensor<8x16xf32>
  %b = arith.truncf %z : tensor<8x16xf32> to tensor<8x16xbf16>
  %c = tensor.concat dim(1) %a, %b : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x32xbf16>
  %m = prec_train.reduce max %c dims [1] : (tensor<8x32xbf16>) -> tensor<8xbf16>
  %n = prec_train.reduce max %m dims [0] : (tensor<8xbf16>) -> tensor<bf16>
  %s = arith.extf %n : tensor<bf16> to tensor<f32>
  %q = prec.quantize %c, %s : tensor<8x32xbf16> to tensor<8x32xf8E5M2>
  return %q : tensor<8x32xf8E5M2>
}
// -----

// What else reads the whole needs it in memory.
// CHECK-LABEL: func.func @read
// CHECK: %[[C:.*]] = tensor.concat
// CHECK: return %[[C]]
func.func @read(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> (tensor<8x32xbf16>, tensor<8xbf16>) attributes {prec.entry = "step"} {
  %a = arith.truncf %x : tensor<8x16xf32> to tensor<8x16xbf16>
  %z = arith.mulf %x, %y : tensor<8x16xf32>
  %b = arith.truncf %z : tensor<8x16xf32> to tensor<8x16xbf16>
  %c = tensor.concat dim(1) %a, %b : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x32xbf16>
  %m = prec_train.reduce max %c dims [1] : (tensor<8x32xbf16>) -> tensor<8xbf16>
  return %c, %m : tensor<8x32xbf16>, tensor<8xbf16>
}

// -----

// Matrices that share nothing are of two kernels.
// CHECK-LABEL: func.func @apart
// CHECK: tensor.concat
// CHECK: prec_train.reduce max %{{.*}} dims [1] : (tensor<8x32xbf16>) -> tensor<8xbf16>
func.func @apart(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8xbf16> attributes {prec.entry = "step"} {
  %a = arith.truncf %x : tensor<8x16xf32> to tensor<8x16xbf16>
  %b = arith.truncf %y : tensor<8x16xf32> to tensor<8x16xbf16>
  %c = tensor.concat dim(1) %a, %b : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x32xbf16>
  %m = prec_train.reduce max %c dims [1] : (tensor<8x32xbf16>) -> tensor<8xbf16>
  return %m : tensor<8xbf16>
}
