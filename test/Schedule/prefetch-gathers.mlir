// RUN: prec-opt %s --prec-prefetch-gathers="bucket-bytes=1 target=cpu" | FileCheck %s
// RUN: prec-opt %s --prec-prefetch-gathers="bucket-bytes=1 target=cpu" --prec-overlap-exchanges="bucket-bytes=1 target=cpu" --prec-plan-memory --prec-verify-schedule | FileCheck %s --check-prefix=OVERLAP

#batch = #prec_train.role<batch>
#parameter = #prec_train.role<parameter>
#optimizer = #prec_train.phase<optimizer>

module attributes {prec_train.mesh = {dp = 2 : i64}} {

// What a rank casts of its shard goes with the gather. What is of the batch, and what the optimizer gathers, stays.
// CHECK-LABEL: func.func @step(
// CHECK: %[[L:.*]] = prec_sched.copy %arg1
// CHECK: %[[W:.*]] = prec_sched.exchange {{ *}}all_gather %[[L]] over "dp" :
// CHECK: %[[Y:.*]] = prec_sched.gemm %arg0, %arg0
// CHECK: prec_sched.exchange {{ *}}all_gather %[[Y]]
// CHECK: prec_sched.exchange {{ *}}all_gather %arg1 over "dp" {prec_train.phase = #prec_train.phase<optimizer>}

// OVERLAP-LABEL: func.func @step(
// OVERLAP: prec_sched.exchange {{ *}}all_gather {{.*}}bucket = 0
// OVERLAP: prec_sched.gemm
// OVERLAP: prec_sched.await 0
func.func @step(%x: tensor<512x512xf32> {prec_train.role = #batch, prec_train.path = "x"},
                %p: tensor<4x512xf32> {prec_train.role = #parameter, prec_train.path = "p"})
    -> (tensor<512x512xf32>, tensor<2x512x512xf32>, tensor<2x4x512xf32>, tensor<8x512xf32>) attributes {prec.entry = "step"} {
  %y = prec_sched.gemm %x, %x <full> : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %all = prec_sched.exchange all_gather %y over "dp" : (tensor<512x512xf32>) -> tensor<2x512x512xf32>
  %y2 = prec_sched.gemm %y, %x <full> : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %l = prec_sched.copy %p : tensor<4x512xf32>
  %w = prec_sched.exchange all_gather %l over "dp" : (tensor<4x512xf32>) -> tensor<2x4x512xf32>
  %v = tensor.collapse_shape %w [[0, 1], [2]] : tensor<2x4x512xf32> into tensor<8x512xf32>
  %z = prec_sched.gemm %v, %y2 <full> : (tensor<8x512xf32>, tensor<512x512xf32>) -> tensor<8x512xf32>
  %u = prec_sched.exchange all_gather %p over "dp" {prec_train.phase = #optimizer} : (tensor<4x512xf32>) -> tensor<2x4x512xf32>
  return %y2, %all, %u, %z : tensor<512x512xf32>, tensor<2x512x512xf32>, tensor<2x4x512xf32>, tensor<8x512xf32>
}
}
