// RUN: prec-opt %s --prec-convert-prec-to-linalg | FileCheck %s
// RUN: prec-opt %s --prec-convert-prec-to-linalg | mlir-opt

// Attributes of prec go, or are said by upstream ones; those of others stay.

// CHECK: module attributes {host.version = 1 : i64} {
module attributes {prec_train.framework = "torch", host.version = 1 : i64} {

// CHECK-LABEL: func.func @quantize(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16> {host.kept, prec_host.path = "x", prec_host.role = "batch"}
// CHECK-SAME: %[[S:.*]]: tensor<f32>)
// CHECK: %[[W:.*]] = arith.extf %[[X]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK: %[[B:.*]] = linalg.broadcast ins(%[[S]] : tensor<f32>) outs(%{{.*}} : tensor<4x8xf32>) dimensions = [0, 1]
// CHECK: %[[M:.*]] = arith.mulf %[[W]], %[[B]]
// CHECK: %[[LEAST:.*]] = arith.constant dense<-4.480000e+02> : tensor<4x8xf32>
// CHECK: %[[L:.*]] = arith.maximumf %[[M]], %[[LEAST]]
// CHECK: %[[LARGEST:.*]] = arith.constant dense<4.480000e+02> : tensor<4x8xf32>
// CHECK: %[[C:.*]] = arith.minimumf %[[L]], %[[LARGEST]]
// CHECK: %[[Q:.*]] = arith.truncf %[[C]] : tensor<4x8xf32> to tensor<4x8xf8E4M3FN>
// CHECK: return %[[Q]]
func.func @quantize(%x: tensor<4x8xbf16> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x", host.kept}, %s: tensor<f32>) -> tensor<4x8xf8E4M3FN> {
  %q = prec.quantize %x, %s {prec_train.phase = #prec_train.phase<backward>} : tensor<4x8xbf16> to tensor<4x8xf8E4M3FN>
  return %q : tensor<4x8xf8E4M3FN>
}

// A scale of 1 multiplies nothing.

// CHECK-LABEL: func.func @rounded(
// CHECK-NOT: mulf
// CHECK: arith.truncf %{{.*}} : tensor<4x8xf32> to tensor<4x8xf8E5M2>
func.func @rounded(%x: tensor<4x8xf32>) -> tensor<4x8xf8E5M2> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %q = prec.quantize %x, %one : tensor<4x8xf32> to tensor<4x8xf8E5M2>
  return %q : tensor<4x8xf8E5M2>
}

// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[A:.*]]: tensor<16x32xf8E4M3FN>, %[[SA:.*]]: tensor<f32>, %[[B:.*]]: tensor<48x32xf8E5M2>, %[[SB:.*]]: tensor<f32>
// CHECK: %[[P:.*]] = linalg.matmul indexing_maps = {{.*}} ins(%[[A]], %[[B]] : tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>) outs(%{{.*}} : tensor<16x48xf32>) -> tensor<16x48xf32>
// CHECK: %[[F:.*]] = arith.mulf %[[SA]], %[[SB]] : tensor<f32>
// CHECK: %[[R:.*]] = linalg.broadcast ins(%[[F]] : tensor<f32>)
// CHECK: %[[Y:.*]] = arith.mulf %[[P]], %[[R]]
// CHECK: arith.truncf %[[Y]] : tensor<16x48xf32> to tensor<16x48xbf16>
func.func @product(%a: tensor<16x32xf8E4M3FN>, %sa: tensor<f32>, %b: tensor<48x32xf8E5M2>, %sb: tensor<f32>) -> tensor<16x48xbf16> {
  %y = prec.scaled_matmul %a scale %sa, %b scale %sb <fast> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>) -> tensor<16x48xbf16>
  return %y : tensor<16x48xbf16>
}

// CHECK-LABEL: func.func @blocks(
// CHECK: %[[P:.*]] = linalg.batch_matmul indexing_maps = {{.*}} : tensor<3x16x128xf8E4M3FN>, tensor<3x48x128xf8E4M3FN>) outs(%{{.*}} : tensor<3x16x48xf32>)
// CHECK: arith.mulf %[[P]]
// CHECK: linalg.reduce {{.*}} dimensions = [0]
// CHECK: arith.addf
func.func @blocks(%a: tensor<16x320xf8E4M3FN>, %sa: tensor<3x16xf32>, %b: tensor<48x320xf8E4M3FN>, %sb: tensor<1x1x4xf32>) -> tensor<16x48xbf16> {
  %y = prec.scaled_matmul %a scale %sa, %b scale %sb <promoted> : (tensor<16x320xf8E4M3FN>, tensor<48x320xf8E4M3FN>) -> tensor<16x48xbf16> by block_1x128 tensor<3x16xf32>, block_128x128 tensor<1x1x4xf32>
  return %y : tensor<16x48xbf16>
}

// CHECK-LABEL: func.func @microscaled(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK: arith.scaling_extf %{{.*}}, %{{.*}} : f8E4M3FN, f8E8M0FNU to f32
// CHECK: arith.scaling_extf %{{.*}}, %{{.*}} : f8E5M2, f8E8M0FNU to f32
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @microscaled(%a: tensor<16x64xf8E4M3FN>, %sa: tensor<1x1x32x16xf8E8M0FNU>, %b: tensor<48x64xf8E5M2>, %sb: tensor<1x1x32x16xf8E8M0FNU>) -> tensor<16x48xbf16> {
  %y = prec.scaled_matmul %a scale %sa, %b scale %sb <full> : (tensor<16x64xf8E4M3FN>, tensor<48x64xf8E5M2>) -> tensor<16x48xbf16> by mx_1x32 tensor<1x1x32x16xf8E8M0FNU>, mx_1x32 tensor<1x1x32x16xf8E8M0FNU>
  return %y : tensor<16x48xbf16>
}

// Nothing reads the order of ids any more.

// CHECK-LABEL: func.func @rows(
// CHECK: scf.for
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: tensor.insert_slice
func.func @rows(%z: tensor<16x8xf32>, %i: tensor<2x4xi32>, %u: tensor<2x4x8xf32>) -> tensor<16x8xf32> {
  %s = prec_train.sort_ids %i below 16 : (tensor<2x4xi32>) -> tensor<2x8xi32>
  %t = prec_train.scatter_add %z, %i, %u sorted %s : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xf32>, tensor<2x8xi32>) -> tensor<16x8xf32>
  return %t : tensor<16x8xf32>
}

// What is of upstream dialects stays as it is.

// CHECK-LABEL: func.func @others(
// CHECK-NEXT: %[[Y:.*]] = math.exp %{{.*}} {host.kept} : tensor<4x8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @others(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = math.exp %x {prec_train.seq = 3 : i64, host.kept} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

}
