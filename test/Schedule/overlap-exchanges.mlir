// RUN: prec-opt %s --prec-overlap-exchanges="bucket-bytes=1000 target=cpu" --prec-plan-memory --prec-verify-schedule | FileCheck %s
// RUN: prec-opt %s --prec-overlap-exchanges="bucket-bytes=1000 target=cpu" --prec-plan-memory 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
// RUN: prec-opt %s --prec-overlap-exchanges="bucket-bytes=1 target=cpu" | FileCheck %s --check-prefix=EACH

// Two gradients of 256 bytes, of each of which a rank gets 128 of the other one, begin together, as soon as there is the second, and what reads
// them awaits both. Nothing else takes the places of what is sent and got meanwhile.
// SAID: remark: exchanges of a step begin in 2 buckets; by the machine file they take {{[0-9]+}} us, of which other commands wait for {{[0-9]+}} us

// CHECK-LABEL: func.func @step(
// CHECK: %[[G1:.*]] = prec_sched.gemm {{.*}}placement<workspace, 0>
// CHECK: %[[X:.*]] = prec_sched.gemm {{.*}}placement<workspace, 256>
// CHECK: %[[G2:.*]] = prec_sched.gemm %[[X]]{{.*}}placement<workspace, 512>
// CHECK: %[[V1:.*]] = tensor.expand_shape %[[G1]]
// CHECK: %[[A1:.*]] = prec_sched.exchange {{ *}}all_to_all %[[V1]] over "dp" {bucket = 0 : i64{{.*}}placement<output, 256>
// CHECK: %[[V2:.*]] = tensor.expand_shape %[[G2]]
// CHECK: %[[A2:.*]] = prec_sched.exchange {{ *}}all_to_all %[[V2]] over "dp" {bucket = 0 : i64{{.*}}placement<workspace, 256>
// CHECK: %[[Y:.*]] = prec_sched.gemm {{.*}}placement<workspace, 768>
// CHECK: prec_sched.await 0(%[[V1]], %[[A1]], %[[V2]], %[[A2]])
// CHECK: %[[S1:.*]] = tensor.collapse_shape %[[A1]]
// CHECK: prec_sched.gemm %[[Y]], %[[S1]]
// Another kind is in another bucket, which its reader begins: what was sent before is free.
// CHECK: %[[W:.*]] = prec_sched.exchange {{ *}}all_gather %{{.*}} over "dp" {bucket = 1 : i64{{.*}}placement<workspace, 0>
// CHECK: prec_sched.await 1(%{{.*}}, %[[W]])
// CHECK: prec_sched.copy %[[W]]

// Of the optimizer: what reads a gathered value waits while another value is computed. It is last.
// CHECK-LABEL: func.func @apply(
// CHECK: %[[P:.*]] = prec_sched.exchange {{ *}}all_gather
// CHECK: %[[U:.*]] = prec_sched.gemm
// CHECK: prec_sched.await 0
// CHECK: prec_sched.copy %[[P]]

// Full with each.
// EACH: prec_sched.exchange {{ *}}all_to_all %{{.*}} {bucket = 0 : i64}
// EACH: prec_sched.gemm
// EACH: prec_sched.exchange {{ *}}all_to_all %{{.*}} {bucket = 1 : i64}
module attributes {prec_train.mesh = {dp = 2 : i64}} {
func.func @step(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x8x8xf32>) attributes {prec.entry = "step"} {
  %g1 = prec_sched.gemm %x, %x <full> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %v1 = tensor.expand_shape %g1 [[0, 1], [2]] output_shape [2, 4, 8] : tensor<8x8xf32> into tensor<2x4x8xf32>
  %a1 = prec_sched.exchange all_to_all %v1 over "dp" : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s1 = tensor.collapse_shape %a1 [[0, 1], [2]] : tensor<2x4x8xf32> into tensor<8x8xf32>
  %x2 = prec_sched.gemm %x, %x <full> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %g2 = prec_sched.gemm %x2, %x <full> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = tensor.expand_shape %g2 [[0, 1], [2]] output_shape [2, 4, 8] : tensor<8x8xf32> into tensor<2x4x8xf32>
  %a2 = prec_sched.exchange all_to_all %v2 over "dp" : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = prec_sched.gemm %x, %x <full> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %w = prec_sched.exchange all_gather %x over "dp" : (tensor<8x8xf32>) -> tensor<2x8x8xf32>
  %z = prec_sched.gemm %y, %s1 <full> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = prec_sched.copy %w : tensor<2x8x8xf32>
  return %z, %s1, %c : tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x8x8xf32>
}
func.func @apply(%y: tensor<8x8xf32>) -> (tensor<2x8x8xf32>, tensor<8x8xf32>) attributes {prec.entry = "apply"} {
  %p = prec_sched.exchange all_gather %y over "dp" {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<8x8xf32>) -> tensor<2x8x8xf32>
  %c = prec_sched.copy %p {prec_train.phase = #prec_train.phase<optimizer>} : tensor<2x8x8xf32>
  %u = prec_sched.gemm %y, %y <full> {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c, %u : tensor<2x8x8xf32>, tensor<8x8xf32>
}
}
