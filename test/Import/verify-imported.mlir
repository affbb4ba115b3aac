// RUN: prec-opt %s --verify-imported | FileCheck %s

// CHECK-LABEL: @step
func.func @step(%w: tensor<f32> {train.role = #train.role<parameter>, train.path = "w"},
                %m: tensor<f32> {train.role = #train.role<optimizer_state>, train.path = "w.m", train.param_of = "w", train.slot = "m"})
    -> (tensor<f32> {train.role = #train.role<loss>}, tensor<f32> {train.role = #train.role<metric>},
        tensor<f32> {train.role = #train.role<updated>, train.donated_to = 0 : i64},
        tensor<f32> {train.role = #train.role<updated>, train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  return %w, %w, %w, %m : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
