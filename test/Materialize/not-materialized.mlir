// RUN: prec-opt %s --prec-split-weights --split-input-file --verify-diagnostics
// RUN: prec-opt %s --prec-insert-casts --split-input-file --verify-diagnostics

// What assignment knows and no later phase computes yet is an error, never a
// fallback.

// materialize_c1
// expected-error @+1 {{a moment narrower than f32 (argument 0) is not materialized yet, but got #prec.tag<bf16, rule = "r">}}
func.func @step(%w: tensor<64x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w", prec.tag = #prec.tag<bf16, rule = "r">}) attributes {prec.entry = "step"} {
  return
}
