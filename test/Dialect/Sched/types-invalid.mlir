// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<4x8xi32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<?x8xi32>'}}
  %0 = "prec_sched.copy"(%a0) <{id = 7 : i64, placements = [#prec_sched.placement<state, 256>]}> : (tensor<4x8xi32>) -> tensor<?x8xi32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<*xf32>'}}
  %0 = "prec_sched.fill"() : () -> tensor<*xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf64>, %a1: tensor<48x32xf8E5M2>, %a2: tensor<16x48xf32>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or 8-bit signless integer values, but got 'tensor<16x32xf64>'}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2, %a3, %a4) <{accumulator = #prec.accumulator<promoted>, alpha = 1.000000e+00 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, transpose_b}> : (tensor<16x32xf64>, tensor<48x32xf8E5M2>, tensor<16x48xf32>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<?x32xf8E5M2>, %a2: tensor<16x48xf32>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or 8-bit signless integer values, but got 'tensor<?x32xf8E5M2>'}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2, %a3, %a4) <{accumulator = #prec.accumulator<promoted>, alpha = 1.000000e+00 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, transpose_b}> : (tensor<16x32xf8E4M3FN>, tensor<?x32xf8E5M2>, tensor<16x48xf32>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<48x32xf8E5M2>, %a2: tensor<*xf32>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2, %a3, %a4) <{accumulator = #prec.accumulator<promoted>, alpha = 1.000000e+00 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, transpose_b}> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<*xf32>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<48x32xf8E5M2>, %a2: tensor<16x48xf32>, %a3: tensor<?xf32>, %a4: tensor<f32>) {
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit float or f8E8M0FNU type or f8E4M3FN type values, but got 'tensor<?xf32>'}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2, %a3, %a4) <{accumulator = #prec.accumulator<promoted>, alpha = 1.000000e+00 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, transpose_b}> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<16x48xf32>, tensor<?xf32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<48x32xf8E5M2>, %a2: tensor<16x48xf32>, %a3: tensor<f32>, %a4: tensor<f64>) {
  // expected-error @+1 {{operand #4 must be statically shaped tensor of 32-bit float or f8E8M0FNU type or f8E4M3FN type values, but got 'tensor<f64>'}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2, %a3, %a4) <{accumulator = #prec.accumulator<promoted>, alpha = 1.000000e+00 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, transpose_b}> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<16x48xf32>, tensor<f32>, tensor<f64>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<48x32xf8E5M2>, %a2: tensor<16x48xf32>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2, %a3, %a4) <{accumulator = #prec.accumulator<promoted>, alpha = 1.000000e+00 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, transpose_b}> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<16x48xf32>, tensor<f32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xf64>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8x16xf64>'}}
  %0:2 = "prec_sched.sdpa"(%a0, %a1, %a2) <{causal, scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xf64>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<?x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x2x6x16xbf16>'}}
  %0:2 = "prec_sched.sdpa"(%a0, %a1, %a2) <{causal, scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<?x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<*xbf16>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0:2 = "prec_sched.sdpa"(%a0, %a1, %a2) <{causal, scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<*xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8x16xf64>'}}
  %0:2 = "prec_sched.sdpa"(%a0, %a1, %a2) <{causal, scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xf64>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x4x8xf32>'}}
  %0:2 = "prec_sched.sdpa"(%a0, %a1, %a2) <{causal, scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<?x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<*xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<*xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xf64>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8x16xf64>'}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xf64>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<?x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x2x6x16xbf16>'}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<?x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<*xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<*xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xf64>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #4 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8x16xf64>'}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xf64>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<?x4x8xf32>) {
  // expected-error @+1 {{operand #5 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x4x8xf32>'}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<?x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<*xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x2x6x16xf64>'}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xf64>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{result #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x2x6x16xbf16>'}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 2.500000e-01 : f32}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<?x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<*xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<*xf32>'}}
  %0 = "prec_train.broadcast"(%a0) <{dims = array<i64: 1>}> : (tensor<*xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<4x8xf80>'}}
  %0 = "prec_train.broadcast"(%a0) <{dims = array<i64: 1>}> : (tensor<8xf32>) -> tensor<4x8xf80>
  return
}

// -----

func.func @f(%a0: tensor<?x8xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<?x8xf32>'}}
  %0 = "prec_train.reduce"(%a0) <{dims = array<i64: 1>, kind = #prec_train<reduce_kind sum>}> : (tensor<?x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<*xf32>'}}
  %0 = "prec_train.reduce"(%a0) <{dims = array<i64: 1>, kind = #prec_train<reduce_kind sum>}> : (tensor<4x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xi32>) {
  // expected-error @+1 {{attribute 'id' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = "prec_sched.copy"(%a0) <{placements = [#prec_sched.placement<state, 256>], id = 1 : i32}> : (tensor<4x8xi32>) -> tensor<4x8xi32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xi32>) {
  // expected-error @+1 {{attribute 'placements' failed to satisfy constraint: placements}}
  %0 = "prec_sched.copy"(%a0) <{id = 7 : i64, placements = [1]}> : (tensor<4x8xi32>) -> tensor<4x8xi32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<48x32xf8E5M2>, %a2: tensor<16x48xf32>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // expected-error @+1 {{Invalid attribute `accumulator` in property conversion: "none"}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2, %a3, %a4) <{alpha = 1.000000e+00 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, transpose_b, accumulator = "none"}> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<16x48xf32>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<48x32xf8E5M2>, %a2: tensor<16x48xf32>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // expected-error @+1 {{requires attribute 'accumulator'}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2, %a3, %a4) <{alpha = 1.000000e+00 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, transpose_b}> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<16x48xf32>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<48x32xf8E5M2>, %a2: tensor<16x48xf32>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // expected-error @+1 {{attribute 'alpha' failed to satisfy constraint: 32-bit float attribute}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2, %a3, %a4) <{accumulator = #prec.accumulator<promoted>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, transpose_b, alpha = 1.0 : f64}> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<16x48xf32>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<48x32xf8E5M2>, %a2: tensor<16x48xf32>, %a3: tensor<f32>, %a4: tensor<f32>) {
  // expected-error @+1 {{Invalid attribute `transpose_b` in property conversion: "none"}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2, %a3, %a4) <{accumulator = #prec.accumulator<promoted>, alpha = 1.000000e+00 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>, transpose_b = "none"}> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E5M2>, tensor<16x48xf32>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{Invalid attribute `causal` in property conversion: "none"}}
  %0:2 = "prec_sched.sdpa"(%a0, %a1, %a2) <{scale = 2.500000e-01 : f32, causal = "none"}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{attribute 'scale' failed to satisfy constraint: 32-bit float attribute}}
  %0:2 = "prec_sched.sdpa"(%a0, %a1, %a2) <{causal, scale = 1.0 : f64}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x2x6x16xbf16>, %a2: tensor<2x2x6x16xbf16>) {
  // expected-error @+1 {{requires attribute 'scale'}}
  %0:2 = "prec_sched.sdpa"(%a0, %a1, %a2) <{causal}> : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{attribute 'scale' failed to satisfy constraint: 32-bit float attribute}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) <{scale = 1.0 : f64}> : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// -----

func.func @f(%a0: tensor<2x4x8x16xbf16>, %a1: tensor<2x4x8x16xbf16>, %a2: tensor<2x2x6x16xbf16>, %a3: tensor<2x2x6x16xbf16>, %a4: tensor<2x4x8x16xbf16>, %a5: tensor<2x4x8xf32>) {
  // expected-error @+1 {{requires attribute 'scale'}}
  %0:3 = "prec_sched.sdpa_grad"(%a0, %a1, %a2, %a3, %a4, %a5) : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
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

func.func @f(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid attribute `dims` in property conversion: "none"}}
  %0 = "prec_train.reduce"(%a0) <{kind = #prec_train<reduce_kind sum>, dims = "none"}> : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{requires attribute 'dims'}}
  %0 = "prec_train.reduce"(%a0) <{kind = #prec_train<reduce_kind sum>}> : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid attribute `kind` in property conversion: "none"}}
  %0 = "prec_train.reduce"(%a0) <{dims = array<i64: 1>, kind = "none"}> : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>) {
  // expected-error @+1 {{requires attribute 'kind'}}
  %0 = "prec_train.reduce"(%a0) <{dims = array<i64: 1>}> : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<8x16xbf16>, %a2: tensor<16xi32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<16xi32>'}}
  %0 = "prec_sched.gemm"(%a0, %a1, %a2) <{accumulator = #prec.accumulator<full>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 1>}> : (tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xi32>) -> tensor<4x16xbf16>
  return
}
