// RUN: prec-opt %s --prec-collect-numerics --split-input-file --verify-diagnostics

func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  return %x : tensor<4xf32>
}

// collect_numerics_c1
// expected-error @+1 {{numerics must be collected once, but got "sample" already}}
func.func @sample() attributes {prec.entry = "sample"} {
  return
}

// -----

// collect_numerics_c2
// expected-error @+1 {{a step whose numerics are collected must quantize what a contraction reads or update a parameter by an optimizer, but does neither}}
func.func @step(%w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %g: tensor<4xf32>)
    -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}
