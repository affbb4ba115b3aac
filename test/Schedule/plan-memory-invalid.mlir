// RUN: prec-opt %s --prec-plan-memory --verify-diagnostics --split-input-file

func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{a scheduled function must hold only operations of prec_sched and views, but got this}}
  %a = math.exp %x : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{memory must be planned once, but got placements already}}
  %a = prec_sched.copy %x {placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @step(%x: tensor<8xf32>) -> tensor<2xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{a scheduled function must hold only operations of prec_sched and views, but got this}}
  %e = tensor.extract_slice %x[2] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %a = prec_sched.copy %e : tensor<2xf32>
  return %a : tensor<2xf32>
}
