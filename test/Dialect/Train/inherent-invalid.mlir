// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{Invalid attribute `causal` in property conversion: "none"}}
  %0:2 = "prec_train.attention"(%a0, %a1, %a2) <{scale = 2.500000e-01 : f32, causal = "none"}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{attribute 'scale' failed to satisfy constraint: 32-bit float attribute}}
  %0:2 = "prec_train.attention"(%a0, %a1, %a2) <{causal, scale = 1.0 : f64}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{requires attribute 'scale'}}
  %0:2 = "prec_train.attention"(%a0, %a1, %a2) <{causal}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{attribute 'scale' failed to satisfy constraint: 32-bit float attribute}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 1.0 : f64}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{requires attribute 'scale'}}
  %0:3 = "prec_train.attention_grad"(%a0, %a1, %a2, %a3, %a4, %a5) : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<8xf32>) {
  // expected-error @+1 {{Invalid attribute `dims` in property conversion: "none"}}
  %0 = "prec_train.broadcast"(%a0) <{dims = "none"}> : (tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>) {
  // expected-error @+1 {{requires attribute 'dims'}}
  %0 = "prec_train.broadcast"(%a0) : (tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x16xf32>, %a1: tensor<4xi32>) {
  // expected-error @+1 {{attribute 'ignore_index' failed to satisfy constraint: 32-bit signless integer attribute}}
  %0:3 = "prec_train.cross_entropy"(%a0, %a1) <{ignore_index = -100 : i64}> : (tensor<4x16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x16xf32>, %a1: tensor<4xi32>) {
  // expected-error @+1 {{requires attribute 'ignore_index'}}
  %0:3 = "prec_train.cross_entropy"(%a0, %a1) : (tensor<4x16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<4x16xf32>, %a2: tensor<4xi32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'ignore_index' failed to satisfy constraint: 32-bit signless integer attribute}}
  %0 = "prec_train.cross_entropy_grad"(%a0, %a1, %a2, %a3, %a4) <{ignore_index = -100 : i64}> : (tensor<f32>, tensor<4x16xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x16xbf16>
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<4x16xf32>, %a2: tensor<4xi32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{requires attribute 'ignore_index'}}
  %0 = "prec_train.cross_entropy_grad"(%a0, %a1, %a2, %a3, %a4) : (tensor<f32>, tensor<4x16xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x16xbf16>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'dim' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = "prec_train.iota"() <{dim = 0 : i32}> : () -> tensor<4x8xi32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{requires attribute 'dim'}}
  %0 = "prec_train.iota"() : () -> tensor<4x8xi32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>) {
  // expected-error @+1 {{attribute 'eps' failed to satisfy constraint: 32-bit float attribute}}
  %0:3 = "prec_train.layer_norm"(%a0, %a1, %a2) <{eps = 1.0 : f64}> : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>) {
  // expected-error @+1 {{requires attribute 'eps'}}
  %0:3 = "prec_train.layer_norm"(%a0, %a1, %a2) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x8x4xbf16>, %a1: tensor<2x16x8xbf16>) {
  // expected-error @+1 {{Invalid attribute `transpose_a` in property conversion: "none"}}
  %0 = "prec_train.matmul"(%a0, %a1) <{transpose_b, transpose_a = "none"}> : (tensor<2x8x4xbf16>, tensor<2x16x8xbf16>) -> tensor<2x4x16xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x8x4xbf16>, %a1: tensor<2x16x8xbf16>) {
  // expected-error @+1 {{Invalid attribute `transpose_b` in property conversion: "none"}}
  %0 = "prec_train.matmul"(%a0, %a1) <{transpose_a, transpose_b = "none"}> : (tensor<2x8x4xbf16>, tensor<2x16x8xbf16>) -> tensor<2x4x16xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid attribute `dims` in property conversion: "none"}}
  %0 = "prec_train.reduce"(%a0) <{kind = #prec_train<reduce_kind max>, dims = "none"}> : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{requires attribute 'dims'}}
  %0 = "prec_train.reduce"(%a0) <{kind = #prec_train<reduce_kind max>}> : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid attribute `kind` in property conversion: "none"}}
  %0 = "prec_train.reduce"(%a0) <{dims = array<i64: 0, 1>, kind = "none"}> : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{requires attribute 'kind'}}
  %0 = "prec_train.reduce"(%a0) <{dims = array<i64: 0, 1>}> : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>) {
  // expected-error @+1 {{attribute 'eps' failed to satisfy constraint: 32-bit float attribute}}
  %0:2 = "prec_train.rms_norm"(%a0, %a1) <{eps = 1.0 : f64}> : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xbf16>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>) {
  // expected-error @+1 {{requires attribute 'eps'}}
  %0:2 = "prec_train.rms_norm"(%a0, %a1) : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xbf16>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xf32>, %a1: tensor<8x8xf32>, %a2: tensor<8x8xf32>) {
  // expected-error @+1 {{Invalid attribute `inverse` in property conversion: "none"}}
  %0 = "prec_train.rope"(%a0, %a1, %a2) <{inverse = "none"}> : (tensor<2x4x8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x16xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>) {
  // expected-error @+1 {{Invalid attribute `permutation` in property conversion: "none"}}
  %0 = "prec_train.transpose"(%a0) <{permutation = "none"}> : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>) {
  // expected-error @+1 {{requires attribute 'permutation'}}
  %0 = "prec_train.transpose"(%a0) : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
  return
}
