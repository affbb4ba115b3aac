// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<4x8xf64>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4x8xf64>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf64>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<?x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xbf16>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<?x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<*xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<*xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf64>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4x8xf64>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f64>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{operand #4 must be f32 scalar tensor, but got 'tensor<f64>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<*xf32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{operand #5 must be f32 scalar tensor, but got 'tensor<*xf32>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<*xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<1xf32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{operand #6 must be f32 scalar tensor, but got 'tensor<1xf32>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<1xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f64>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{operand #7 must be f32 scalar tensor, but got 'tensor<f64>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<*xf32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{operand #8 must be f32 scalar tensor, but got 'tensor<*xf32>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<*xf32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<1xf32>, %a10: tensor<f32>) {
  // expected-error @+1 {{operand #9 must be f32 scalar tensor, but got 'tensor<1xf32>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<1xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f64>) {
  // expected-error @+1 {{operand #10 must be f32 scalar tensor, but got 'tensor<f64>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f64>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<*xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4x8xf64>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf64>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>, %a2: tensor<4x8xf32>, %a3: tensor<4x8xf32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>) {
  // expected-error @+1 {{result #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xf32>'}}
  %0:3 = "prec_train.adamw"(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<1xf32>, %a1: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be f32 scalar tensor, but got 'tensor<1xf32>'}}
  %0 = "prec_train.clip"(%a0, %a1) : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<f64>) {
  // expected-error @+1 {{operand #1 must be f32 scalar tensor, but got 'tensor<f64>'}}
  %0 = "prec_train.clip"(%a0, %a1) : (tensor<f32>, tensor<f64>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<f32>) {
  // expected-error @+1 {{result #0 must be f32 scalar tensor, but got 'tensor<*xf32>'}}
  %0 = "prec_train.clip"(%a0, %a1) : (tensor<f32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf64>, %a1: tensor<4x8xbf16>) {
  // expected-error @+1 {{operand #0 must be variadic of statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4x8xf64>'}}
  %0 = "prec_train.global_norm"(%a0, %a1) : (tensor<4x8xf64>, tensor<4x8xbf16>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<?x8xbf16>) {
  // expected-error @+1 {{operand #1 must be variadic of statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xbf16>'}}
  %0 = "prec_train.global_norm"(%a0, %a1) : (tensor<4x8xf32>, tensor<?x8xbf16>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>) {
  // expected-error @+1 {{result #0 must be f32 scalar tensor, but got 'tensor<*xf32>'}}
  %0 = "prec_train.global_norm"(%a0, %a1) : (tensor<4x8xf32>, tensor<4x8xbf16>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<f32>) {
  // expected-error @+1 {{operand #11 must be i1 scalar tensor, but got 'tensor<f32>'}}
  %0:3 = "prec_train.adamw"(%a0, %a0, %a0, %a0, %a1, %a1, %a1, %a1, %a1, %a1, %a1, %a1) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}
