// RUN: prec-opt %s --prec-agree-ranks="mesh=dp=2,ep=2 experts" | FileCheck %s

// The guard sees the largest magnitude of any rank's gradient of experts. What all ranks with batches have gathered is the
// same on all of them, and a metric that is a rank's own would be refused.
module attributes {prec_train.mesh = {dp = 2 : i64, ep = 2 : i64}} {
// CHECK-LABEL: func.func @step(
// CHECK: %[[G:.*]] = arith.mulf
// CHECK: %[[OWN:.*]] = prec.amax %[[G]] {{.*}}nan_is_infinite
// CHECK: %[[LIST:.*]] = tensor.expand_shape %[[OWN]]
// CHECK: %[[BOTH:.*]] = prec_train.exchange all_gather %[[LIST]] over "ep" {{.*}}: (tensor<1xf32>) -> tensor<2x1xf32>
// CHECK: %[[MOST:.*]] = prec_train.reduce max %[[BOTH]] dims [0]
// CHECK: %[[OF:.*]] = tensor.extract_slice %[[MOST]]
// CHECK: %[[LARGEST:.*]] = prec_train.reduce max %[[OF]] dims [0]
// CHECK: prec.finite_guard %{{.*}}, %[[LARGEST]] of ["loss", "gradient of w"]
func.func @step(%w: tensor<4x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w", prec_train.shard = "ep", prec_train.shard_dim = 0 : i64},
                %x: tensor<f32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
        tensor<4x8xf32> {prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %g = arith.mulf %w, %w : tensor<4x8xf32>
  %a = prec_train.exchange all_gather %x over "dp,ep" : (tensor<f32>) -> tensor<4xf32>
  %l = prec_train.reduce sum %a dims [0] : (tensor<4xf32>) -> tensor<f32>
  %f, %i = prec.finite_guard %l, %g of ["loss", "gradient of w"] : tensor<f32>, tensor<4x8xf32>
  %wide = prec_train.broadcast %f dims [] : (tensor<i1>) -> tensor<4x8xi1>
  %n = arith.select %wide, %g, %w : tensor<4x8xi1>, tensor<4x8xf32>
  return %l, %n : tensor<f32>, tensor<4x8xf32>
}
}
