// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s

// CHECK: module attributes {prec_train.mesh = {dp = 2 : i64}}
module attributes {prec_train.mesh = {dp = 2 : i64}} {
// CHECK-LABEL: func.func @exchange(
// CHECK-SAME: prec_train.shard = "dp"
func.func @exchange(%x: tensor<4x8xbf16> {prec_train.shard = "dp"}, %s: tensor<f32>) {
  // CHECK: prec_train.exchange all_gather %{{.*}} over "dp" : (tensor<4x8xbf16>) -> tensor<2x4x8xbf16>
  %g = prec_train.exchange all_gather %x over "dp" : (tensor<4x8xbf16>) -> tensor<2x4x8xbf16>
  // CHECK: prec_train.exchange all_to_all %{{.*}} over "dp" : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  %t = prec_train.exchange all_to_all %g over "dp" : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  // CHECK: prec_train.exchange own_slice %{{.*}} over "dp" : (tensor<2x4x8xbf16>) -> tensor<4x8xbf16>
  %o = prec_train.exchange own_slice %t over "dp" : (tensor<2x4x8xbf16>) -> tensor<4x8xbf16>
  // CHECK: prec_sched.exchange all_gather %{{.*}} over "dp" : (tensor<f32>) -> tensor<2xf32>
  %e = prec_sched.exchange all_gather %s over "dp" : (tensor<f32>) -> tensor<2xf32>
  return
}
}
