// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<*xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0:2 = "prec_train.attention"(%a0, %a1, %a2) <{causal, scale = 2.500000e-01 : f32}> : (tensor<*xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xf64>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x2x6x16xf64>'}}
  %0:2 = "prec_train.attention"(%a0, %a1, %a2) <{causal, scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xf64>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<?x2x6x16xbf16>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x2x6x16xbf16>'}}
  %0:2 = "prec_train.attention"(%a0, %a1, %a2) <{causal, scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<?x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0:2 = "prec_train.attention"(%a0, %a1, %a2) <{causal, scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<*xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8xf64>'}}
  %0:2 = "prec_train.attention"(%a0, %a1, %a2) <{causal, scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf64>)
  return
}

// -----

func.func @f(%a0: tensor<?x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x4x8x16xbf16>'}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<?x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<*xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<*xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xf64>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x2x6x16xf64>'}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xf64>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<?x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x2x6x16xbf16>'}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<?x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<*xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #4 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<*xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf64>) {
  // expected-error @+1 {{operand #5 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8xf64>'}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf64>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x4x8x16xbf16>'}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<?x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<*xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{result #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x2x6x16xf64>'}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xf64>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xf64>, %a1: tensor<8x8xf32>, %a2: tensor<8x8xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8x16xf64>'}}
  %0 = "prec_train.rope"(%a0, %a1, %a2) <{inverse}> : (tensor<2x4x8x16xf64>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x16xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xf32>, %a1: tensor<?x8xf32>, %a2: tensor<8x8xf32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xf32>'}}
  %0 = "prec_train.rope"(%a0, %a1, %a2) <{inverse}> : (tensor<2x4x8x16xf32>, tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x16xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xf32>, %a1: tensor<8x8xf32>, %a2: tensor<*xf32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0 = "prec_train.rope"(%a0, %a1, %a2) <{inverse}> : (tensor<2x4x8x16xf32>, tensor<8x8xf32>, tensor<*xf32>) -> tensor<2x4x8x16xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xf32>, %a1: tensor<8x8xf32>, %a2: tensor<8x8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8x16xf64>'}}
  %0 = "prec_train.rope"(%a0, %a1, %a2) <{inverse}> : (tensor<2x4x8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x16xf64>
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<2x1x1x8xf16>) {
  // a bias must hold what hides
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit float or bfloat16 type values, but got 'tensor<2x1x1x8xf16>'}}
  %0:2 = prec_train.attention %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x1x1x8xf16>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<2x1x1x8xf8E4M3FN>) {
  // a bias must hold what hides
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit float or bfloat16 type values, but got 'tensor<2x1x1x8xf8E4M3FN>'}}
  %0:2 = prec_train.attention %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x1x1x8xf8E4M3FN>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %l: tensor<2x4x8xf32>, %b: tensor<2x1x1x8xf16>) {
  // a bias must hold what hides
  // expected-error @+1 {{operand #6 must be statically shaped tensor of 32-bit float or bfloat16 type values, but got 'tensor<2x1x1x8xf16>'}}
  %0:3 = prec_train.attention_grad %q, %q, %k, %k, %q, %l, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x1x1x8xf16>) -> (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %l: tensor<2x4x8xf32>, %b: tensor<2x1x1x8xf8E4M3FN>) {
  // a bias must hold what hides
  // expected-error @+1 {{operand #6 must be statically shaped tensor of 32-bit float or bfloat16 type values, but got 'tensor<2x1x1x8xf8E4M3FN>'}}
  %0:3 = prec_train.attention_grad %q, %q, %k, %k, %q, %l, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x1x1x8xf8E4M3FN>) -> (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>)
  return
}
