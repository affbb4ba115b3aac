// RUN: prec-opt %s --prec-verify-imported | FileCheck %s

// CHECK-LABEL: @step
func.func @step(%w: tensor<f32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %m: tensor<f32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.m", prec_train.param_of = "w", prec_train.slot = "m"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>}, tensor<f32> {prec_train.role = #prec_train.role<metric>},
        tensor<f32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64},
        tensor<f32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  return %w, %w, %w, %m : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
