// RUN: prec-opt %s --prec-carry-amax --split-input-file --verify-diagnostics

func.func @step(%a: tensor<f32>) attributes {prec.entry = "step"} {
  // expected-note @+1 {{the first is here}}
  %s, %d = prec.delayed_scale %a of "x" for e4m3
  // carry_amax_c1
  // expected-error @+1 {{a history must be of one tensor, but got "x" twice}}
  %t, %e = prec.delayed_scale %a of "x" for e5m2
  return
}

// -----

func.func @forward(%a: tensor<f32>) {
  // carry_amax_c2
  // expected-error @+1 {{delayed scaling must be in a step, which keeps the histories, but got @forward}}
  %s, %d = prec.delayed_scale %a of "x" for e4m3
  return
}
