// RUN: prec-opt %s --prec-count-lost-updates --split-input-file --verify-diagnostics

// count_lost_updates_c1
// expected-error @+1 {{a parameter whose lost updates are counted must be updated by an optimizer, but result 0 is not}}
func.func @step(%w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %g: tensor<4xf32>)
    -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// count_lost_updates_c2
// expected-error @+1 {{a step whose lost updates are counted must update a parameter, but none is updated}}
func.func @step(%w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}) attributes {prec.entry = "step"} {
  return
}
