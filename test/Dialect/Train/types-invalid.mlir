// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<?xf32>'}}
  %0 = "prec_train.broadcast"(%a0) <{dims = array<i64: 1>}> : (tensor<?xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<*xf32>'}}
  %0 = "prec_train.broadcast"(%a0) <{dims = array<i64: 1>}> : (tensor<8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x8xf64>, %a1: tensor<2x4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<16x8xf64>'}}
  %0 = "prec_train.embedding"(%a0, %a1) : (tensor<16x8xf64>, tensor<2x4xi32>) -> tensor<2x4x8xbf16>
  return
}

// -----

func.func @f(%a0: tensor<16x8xf32>, %a1: tensor<?x4xi32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit signless integer values, but got 'tensor<?x4xi32>'}}
  %0 = "prec_train.embedding"(%a0, %a1) : (tensor<16x8xf32>, tensor<?x4xi32>) -> tensor<2x4x8xbf16>
  return
}

// -----

func.func @f(%a0: tensor<16x8xf32>, %a1: tensor<2x4xi32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0 = "prec_train.embedding"(%a0, %a1) : (tensor<16x8xf32>, tensor<2x4xi32>) -> tensor<*xbf16>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8xf64>, %a1: tensor<2x4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8xf64>'}}
  %0 = "prec_train.embedding_grad"(%a0, %a1) : (tensor<2x4x8xf64>, tensor<2x4xi32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8xbf16>, %a1: tensor<?x4xi32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit signless integer values, but got 'tensor<?x4xi32>'}}
  %0 = "prec_train.embedding_grad"(%a0, %a1) : (tensor<2x4x8xbf16>, tensor<?x4xi32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8xbf16>, %a1: tensor<2x4xi32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0 = "prec_train.embedding_grad"(%a0, %a1) : (tensor<2x4x8xbf16>, tensor<2x4xi32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x8xf80>, %a1: tensor<2x4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<16x8xf80>'}}
  %0 = "prec_train.gather"(%a0, %a1) : (tensor<16x8xf80>, tensor<2x4xi32>) -> tensor<2x4x8xbf16>
  return
}

// -----

func.func @f(%a0: tensor<16x8xbf16>, %a1: tensor<?x4xi32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit signless integer values, but got 'tensor<?x4xi32>'}}
  %0 = "prec_train.gather"(%a0, %a1) : (tensor<16x8xbf16>, tensor<?x4xi32>) -> tensor<2x4x8xbf16>
  return
}

// -----

func.func @f(%a0: tensor<16x8xbf16>, %a1: tensor<2x4xi32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<*xbf16>'}}
  %0 = "prec_train.gather"(%a0, %a1) : (tensor<16x8xbf16>, tensor<2x4xi32>) -> tensor<*xbf16>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<4x8xf80>'}}
  %0 = "prec_train.iota"() <{dim = 1 : i64}> : () -> tensor<4x8xf80>
  return
}

// -----

func.func @f(%a0: tensor<2x8x4xf64>, %a1: tensor<2x16x8xbf16>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f4E2M1FN type values, but got 'tensor<2x8x4xf64>'}}
  %0 = "prec_train.matmul"(%a0, %a1) <{transpose_a, transpose_b}> : (tensor<2x8x4xf64>, tensor<2x16x8xbf16>) -> tensor<2x4x16xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x8x4xbf16>, %a1: tensor<?x16x8xbf16>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f4E2M1FN type values, but got 'tensor<?x16x8xbf16>'}}
  %0 = "prec_train.matmul"(%a0, %a1) <{transpose_a, transpose_b}> : (tensor<2x8x4xbf16>, tensor<?x16x8xbf16>) -> tensor<2x4x16xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x8x4xbf16>, %a1: tensor<2x16x8xbf16>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0 = "prec_train.matmul"(%a0, %a1) <{transpose_a, transpose_b}> : (tensor<2x8x4xbf16>, tensor<2x16x8xbf16>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf80>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<4x8xf80>'}}
  %0 = "prec_train.reduce"(%a0) <{dims = array<i64: 0, 1>, kind = #prec_train<reduce_kind max>}> : (tensor<4x8xf80>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<f80>'}}
  %0 = "prec_train.reduce"(%a0) <{dims = array<i64: 0, 1>, kind = #prec_train<reduce_kind max>}> : (tensor<4x8xf32>) -> tensor<f80>
  return
}

// -----

func.func @f(%a0: tensor<16x8xf32>, %a1: tensor<2x4xi32>, %a2: tensor<2x4x8xbf16>, %a3: tensor<2x8xi64>) {
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit signless integer values, but got 'tensor<2x8xi64>'}}
  %0 = "prec_train.scatter_add"(%a0, %a1, %a2, %a3) : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xbf16>, tensor<2x8xi64>) -> tensor<16x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<?xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit signless integer values, but got 'tensor<?xi32>'}}
  %0 = "prec_train.sort_ids"(%a0) <{bound = 16 : i64}> : (tensor<?xi32>) -> tensor<2x8xi32>
  return
}

// -----

func.func @f(%a0: tensor<8xi32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit signless integer values, but got 'tensor<2x8xi64>'}}
  %0 = "prec_train.sort_ids"(%a0) <{bound = 16 : i64}> : (tensor<8xi32>) -> tensor<2x8xi64>
  return
}

// -----

func.func @f(%a0: tensor<?x8xf32>, %a1: tensor<2x4xi32>, %a2: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xf32>'}}
  %0 = "prec_train.scatter_add"(%a0, %a1, %a2) : (tensor<?x8xf32>, tensor<2x4xi32>, tensor<2x4x8xbf16>) -> tensor<16x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x8xf32>, %a1: tensor<*xi32>, %a2: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit signless integer values, but got 'tensor<*xi32>'}}
  %0 = "prec_train.scatter_add"(%a0, %a1, %a2) : (tensor<16x8xf32>, tensor<*xi32>, tensor<2x4x8xbf16>) -> tensor<16x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x8xf32>, %a1: tensor<2x4xi32>, %a2: tensor<2x4x8xf64>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8xf64>'}}
  %0 = "prec_train.scatter_add"(%a0, %a1, %a2) : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xf64>) -> tensor<16x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x8xf32>, %a1: tensor<2x4xi32>, %a2: tensor<2x4x8xbf16>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xf32>'}}
  %0 = "prec_train.scatter_add"(%a0, %a1, %a2) : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xbf16>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<?x8xbf16>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<?x8xbf16>'}}
  %0 = "prec_train.transpose"(%a0) <{permutation = array<i64: 1, 0>}> : (tensor<?x8xbf16>) -> tensor<8x4xbf16>
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<*xbf16>'}}
  %0 = "prec_train.transpose"(%a0) <{permutation = array<i64: 1, 0>}> : (tensor<4x8xbf16>) -> tensor<*xbf16>
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<8x16xbf16>, %a2: tensor<16xi32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<16xi32>'}}
  %0 = "prec_train.matmul"(%a0, %a1, %a2) : (tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xi32>) -> tensor<4x16xbf16>
  return
}
