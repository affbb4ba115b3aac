// RUN: prec-opt %s --prec-join-moments --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-join-moments --prec-form-dispatches --split-input-file | FileCheck %s --check-prefix=KERNELS

// A batch norm: one kernel reads the tensor for both sums, and one more puts groups together.
// CHECK-LABEL: func.func @batch
// CHECK: %[[ALL:.*]] = tensor.expand_shape {{.*}} into tensor<64x128x64xf32>
// CHECK: %[[F:.*]] = tensor.extract_slice %[[ALL]][0, 0, 0] [64, 1, 64] [1, 1, 1]
// CHECK: %[[FIRST:.*]] = tensor.collapse_shape %[[F]] {{.*}} into tensor<64x64xf32>
// CHECK: %[[R:.*]] = prec_train.broadcast %[[FIRST]] dims [0, 2] {{.*}} -> tensor<64x128x64xf32>
// CHECK: %[[D:.*]] = arith.subf %[[ALL]], %[[R]]
// CHECK: prec_train.reduce sum %[[D]] dims [1] {{.*}} -> tensor<64x64xf32>
// CHECK: %[[Q:.*]] = arith.mulf %[[D]], %[[D]]
// CHECK: prec_train.reduce sum %[[Q]] dims [1] {{.*}} -> tensor<64x64xf32>
// CHECK-COUNT-3: prec_train.reduce sum %{{.*}} dims [0] {{.*}} : (tensor<64x64xf32>) -> tensor<64xf32>
// CHECK-NOT: prec_train.reduce
// CHECK: return
// KERNELS-LABEL: func.func @batch
// KERNELS: prec_sched.dispatch <column> {{.*}}(%arg0) {{.*}} -> (tensor<64x64xf32>, tensor<64x64xf32>)
// KERNELS: prec_sched.dispatch <column> {{.*}} -> (tensor<64xf32>, tensor<64xf32>)
// KERNELS-NOT: prec_sched.dispatch
// KERNELS: return
func.func @batch(%x: tensor<32x16x16x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) attributes {prec.entry = "step"} {
  %n = arith.constant dense<8192.0> : tensor<64xf32>
  %s = prec_train.reduce sum %x dims [0, 1, 2] : (tensor<32x16x16x64xf32>) -> tensor<64xf32>
  %m = arith.divf %s, %n : tensor<64xf32>
  %b = prec_train.broadcast %m dims [3] : (tensor<64xf32>) -> tensor<32x16x16x64xf32>
  %d = arith.subf %x, %b : tensor<32x16x16x64xf32>
  %q = arith.mulf %d, %d : tensor<32x16x16x64xf32>
  %t = prec_train.reduce sum %q dims [0, 1, 2] : (tensor<32x16x16x64xf32>) -> tensor<64xf32>
  %v = arith.divf %t, %n : tensor<64xf32>
  return %m, %v : tensor<64xf32>, tensor<64xf32>
}

// -----

// A group norm: what squares differ from is the mean of several channels.
// CHECK-LABEL: func.func @groups
// CHECK: prec_train.reduce sum {{.*}} -> tensor<8x8x64xf32>
// CHECK: prec_train.reduce sum {{.*}} -> tensor<8x8x64xf32>
// CHECK-COUNT-3: prec_train.reduce sum %{{.*}} dims [1] {{.*}} : (tensor<8x8x64xf32>) -> tensor<8x64xf32>
// CHECK: prec_train.reduce sum %{{.*}} dims [2] : (tensor<8x16x4xf32>) -> tensor<8x16xf32>
// CHECK: %[[C:.*]] = tensor.collapse_shape %{{.*}} : tensor<8x16x4xf32> into tensor<8x64xf32>
// CHECK: arith.subf %{{.*}}, %[[C]] {{.*}} : tensor<8x64xf32>
// CHECK-NOT: prec_train.reduce
// CHECK: return
func.func @groups(%x: tensor<8x32x32x64xf32>) -> tensor<8x64xf32> attributes {prec.entry = "step"} {
  %n = arith.constant dense<4096.0> : tensor<8x16xf32>
  %s = prec_train.reduce sum %x dims [1, 2] : (tensor<8x32x32x64xf32>) -> tensor<8x64xf32>
  %g = tensor.expand_shape %s [[0], [1, 2]] output_shape [8, 16, 4] : tensor<8x64xf32> into tensor<8x16x4xf32>
  %h = prec_train.reduce sum %g dims [2] : (tensor<8x16x4xf32>) -> tensor<8x16xf32>
  %m = arith.divf %h, %n : tensor<8x16xf32>
  %w = prec_train.broadcast %m dims [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x4xf32>
  %c = tensor.collapse_shape %w [[0], [1, 2]] : tensor<8x16x4xf32> into tensor<8x64xf32>
  %b = prec_train.broadcast %c dims [0, 3] : (tensor<8x64xf32>) -> tensor<8x32x32x64xf32>
  %d = arith.subf %x, %b : tensor<8x32x32x64xf32>
  %q = arith.mulf %d, %d : tensor<8x32x32x64xf32>
  %t = prec_train.reduce sum %q dims [1, 2] : (tensor<8x32x32x64xf32>) -> tensor<8x64xf32>
  return %t : tensor<8x64xf32>
}

// -----

// Rows that a kernel holds, small tensors, other sums, and differences from what no sum of the tensor decides stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @others(%x: tensor<1024x128xf32>, %y: tensor<64x64xf32>, %z: tensor<128xf32>)
    -> (tensor<1024xf32>, tensor<64xf32>, tensor<128xf32>) attributes {prec.entry = "step"} {
  %s = prec_train.reduce sum %x dims [1] : (tensor<1024x128xf32>) -> tensor<1024xf32>
  %b = prec_train.broadcast %s dims [0] : (tensor<1024xf32>) -> tensor<1024x128xf32>
  %d = arith.subf %x, %b : tensor<1024x128xf32>
  %q = arith.mulf %d, %d : tensor<1024x128xf32>
  %t = prec_train.reduce sum %q dims [1] : (tensor<1024x128xf32>) -> tensor<1024xf32>
  %s1 = prec_train.reduce sum %y dims [0] : (tensor<64x64xf32>) -> tensor<64xf32>
  %b1 = prec_train.broadcast %s1 dims [1] : (tensor<64xf32>) -> tensor<64x64xf32>
  %d1 = arith.subf %y, %b1 : tensor<64x64xf32>
  %q1 = arith.mulf %d1, %d1 : tensor<64x64xf32>
  %t1 = prec_train.reduce sum %q1 dims [0] : (tensor<64x64xf32>) -> tensor<64xf32>
  %s2 = prec_train.reduce sum %x dims [0] : (tensor<1024x128xf32>) -> tensor<128xf32>
  %b2 = prec_train.broadcast %z dims [1] : (tensor<128xf32>) -> tensor<1024x128xf32>
  %d2 = arith.subf %x, %b2 : tensor<1024x128xf32>
  %q2 = arith.mulf %d2, %d2 : tensor<1024x128xf32>
  %t2 = prec_train.reduce sum %q2 dims [0] : (tensor<1024x128xf32>) -> tensor<128xf32>
  %r = arith.addf %s2, %t2 : tensor<128xf32>
  return %t, %t1, %r : tensor<1024xf32>, tensor<64xf32>, tensor<128xf32>
}
