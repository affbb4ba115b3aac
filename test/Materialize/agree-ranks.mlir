// RUN: prec-opt %s --prec-agree-ranks=mesh=tp=2 | FileCheck %s

// The guard sees the largest magnitude of any rank's slice of the gradient, and the scale is of the whole weight; scales of
// its rows belong to the slice, and are no state that is saved.
module attributes {prec_train.mesh = {tp = 2 : i64}} {
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<f32> {{{[^}]*}}prec_train.role = #prec_train.role<scale_state>, prec_train.slot = "scale"}
// CHECK-SAME: tensor<4xf32> {{{[^}]*}}prec_train.role = #prec_train.role<work_weight>, prec_train.slot = "row_scale"}
// CHECK: %[[G:.*]] = arith.mulf
// CHECK: %[[OWN:.*]] = prec.amax %[[G]] {{.*}}nan_is_infinite
// CHECK: %[[LIST:.*]] = tensor.expand_shape %[[OWN]]
// CHECK: %[[BOTH:.*]] = prec_train.exchange all_gather %[[LIST]] over "tp" {{.*}}: (tensor<1xf32>) -> tensor<2x1xf32>
// CHECK: %[[MOST:.*]] = prec_train.reduce max %[[BOTH]] dims [0]
// CHECK: %[[OF:.*]] = tensor.extract_slice %[[MOST]]
// CHECK: %[[LARGEST:.*]] = prec_train.reduce max %[[OF]] dims [0]
// CHECK: prec.finite_guard %{{.*}}, %[[LARGEST]] of ["loss", "gradient of w"]
// CHECK: %[[A:.*]] = prec.amax %{{.*}} : tensor<4x8xf32>
// CHECK: %[[AS:.*]] = prec_train.exchange all_gather %[[A]] over "tp"
// CHECK: %[[SCALE:.*]] = prec_train.reduce max %[[AS]] dims [0]
// CHECK: %[[ROWS:.*]] = prec.amax %{{.*}} : tensor<4x8xf32> by row
// CHECK: return %{{.*}}, %{{.*}}, %[[SCALE]], %[[ROWS]]
func.func @step(%w: tensor<4x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w", prec_train.shard = "tp", prec_train.shard_dim = 0 : i64},
                %l: tensor<f32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "l"},
                %s: tensor<f32> {prec_train.role = #prec_train.role<scale_state>, prec_train.path = "w", prec_train.slot = "scale", prec_train.param_of = "w"},
                %r: tensor<4xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.path = "w", prec_train.slot = "row_scale", prec_train.param_of = "w"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
        tensor<4x8xf32> {prec_train.donated_to = 0 : i64}, tensor<f32> {prec_train.donated_to = 2 : i64},
        tensor<4xf32> {prec_train.donated_to = 3 : i64}) attributes {prec.entry = "step"} {
  %g = arith.mulf %w, %w : tensor<4x8xf32>
  %f, %i = prec.finite_guard %l, %g of ["loss", "gradient of w"] : tensor<f32>, tensor<4x8xf32>
  %wide = prec_train.broadcast %f dims [] : (tensor<i1>) -> tensor<4x8xi1>
  %n = arith.select %wide, %g, %w : tensor<4x8xi1>, tensor<4x8xf32>
  %a = prec.amax %n : tensor<4x8xf32>
  %b = prec.amax %n : tensor<4x8xf32> by row tensor<4xf32>
  return %l, %n, %a, %b : tensor<f32>, tensor<4x8xf32>, tensor<f32>, tensor<4xf32>
}
}
