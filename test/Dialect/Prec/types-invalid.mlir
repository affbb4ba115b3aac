// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<4x8xf64>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<4x8xf64>'}}
  %0 = "prec.amax"(%a0) : (tensor<4x8xf64>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float values, but got 'tensor<f64>'}}
  %0 = "prec.amax"(%a0) : (tensor<4x8xbf16>) -> tensor<f64>
  return
}

// -----

func.func @f(%a0: tensor<*xf8E4M3FN>, %a1: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf8E4M3FN>'}}
  %0 = "prec.dequantize"(%a0, %a1) : (tensor<*xf8E4M3FN>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf8E4M3FN>, %a1: tensor<1xf32>) {
  // expected-error @+1 {{operand #1 must be f32 scalar tensor, but got 'tensor<1xf32>'}}
  %0 = "prec.dequantize"(%a0, %a1) : (tensor<4x8xf8E4M3FN>, tensor<1xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf8E4M3FN>, %a1: tensor<f32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<?x8xf32>'}}
  %0 = "prec.dequantize"(%a0, %a1) : (tensor<4x8xf8E4M3FN>, tensor<f32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<*xbf16>, %a1: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<*xbf16>'}}
  %0 = "prec.quantize"(%a0, %a1) : (tensor<*xbf16>, tensor<f32>) -> tensor<4x8xf8E5M2>
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<f64>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float values, but got 'tensor<f64>'}}
  %0 = "prec.quantize"(%a0, %a1) : (tensor<4x8xbf16>, tensor<f64>) -> tensor<4x8xf8E5M2>
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<f32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of f8E4M3FN type or f8E5M2 type or f4E2M1FN type values, but got 'tensor<?x8xf8E5M2>'}}
  %0 = "prec.quantize"(%a0, %a1) : (tensor<4x8xbf16>, tensor<f32>) -> tensor<?x8xf8E5M2>
  return
}

// -----

func.func @f(%a0: tensor<*xf8E4M3FN>, %a1: tensor<f32>, %a2: tensor<48x32xf8E5M2>, %a3: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of f8E4M3FN type or f8E5M2 type or f4E2M1FN type or 8-bit signless integer values, but got 'tensor<*xf8E4M3FN>'}}
  %0 = "prec.scaled_matmul"(%a0, %a1, %a2, %a3) <{accumulator = #prec.accumulator<promoted>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (tensor<*xf8E4M3FN>, tensor<f32>, tensor<48x32xf8E5M2>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<f64>, %a2: tensor<48x32xf8E5M2>, %a3: tensor<f32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or f8E8M0FNU type or f8E4M3FN type values, but got 'tensor<f64>'}}
  %0 = "prec.scaled_matmul"(%a0, %a1, %a2, %a3) <{accumulator = #prec.accumulator<promoted>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (tensor<16x32xf8E4M3FN>, tensor<f64>, tensor<48x32xf8E5M2>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<f32>, %a2: tensor<?x32xf8E5M2>, %a3: tensor<f32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of f8E4M3FN type or f8E5M2 type or f4E2M1FN type or 8-bit signless integer values, but got 'tensor<?x32xf8E5M2>'}}
  %0 = "prec.scaled_matmul"(%a0, %a1, %a2, %a3) <{accumulator = #prec.accumulator<promoted>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<?x32xf8E5M2>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<f32>, %a2: tensor<48x32xf8E5M2>, %a3: tensor<*xf32>) {
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit float or f8E8M0FNU type or f8E4M3FN type values, but got 'tensor<*xf32>'}}
  %0 = "prec.scaled_matmul"(%a0, %a1, %a2, %a3) <{accumulator = #prec.accumulator<promoted>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<48x32xf8E5M2>, tensor<*xf32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<f32>, %a2: tensor<48x32xf8E5M2>, %a3: tensor<f32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<16x48xf64>'}}
  %0 = "prec.scaled_matmul"(%a0, %a1, %a2, %a3) <{accumulator = #prec.accumulator<promoted>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<48x32xf8E5M2>, tensor<f32>) -> tensor<16x48xf64>
  return
}

// -----

func.func @f(%a0: tensor<f64>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float values, but got 'tensor<f64>'}}
  %0:2 = "prec.update_scale"(%a0) <{format = #prec<format e4m3>}> : (tensor<f64>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @f(%a0: tensor<f32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float values, but got 'tensor<*xf32>'}}
  %0:2 = "prec.update_scale"(%a0) <{format = #prec<format e4m3>}> : (tensor<f32>) -> (tensor<*xf32>, tensor<f32>)
  return
}

// -----

func.func @f(%a0: tensor<f32>) {
  // expected-error @+1 {{inverse scales must be those of its tensor_current scales, laid out for a matrix product, but got 'tensor<1xf32>' for 'tensor<f32>'}}
  %0:2 = "prec.update_scale"(%a0) <{format = #prec<format e4m3>}> : (tensor<f32>) -> (tensor<f32>, tensor<1xf32>)
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<f32>, %a2: tensor<48x32xf8E5M2>, %a3: tensor<f32>) {
  // expected-error @+1 {{Invalid attribute `accumulator` in property conversion: "none"}}
  %0 = "prec.scaled_matmul"(%a0, %a1, %a2, %a3) <{accumulator = "none", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<48x32xf8E5M2>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<f32>, %a2: tensor<48x32xf8E5M2>, %a3: tensor<f32>) {
  // expected-error @+1 {{requires attribute 'accumulator'}}
  %0 = "prec.scaled_matmul"(%a0, %a1, %a2, %a3) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<48x32xf8E5M2>, tensor<f32>) -> tensor<16x48xf32>
  return
}

// -----

func.func @f(%a0: tensor<f32>) {
  // expected-error @+1 {{Invalid attribute `format` in property conversion: "none"}}
  %0:2 = "prec.update_scale"(%a0) <{format = "none"}> : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @f(%a0: tensor<f32>) {
  // expected-error @+1 {{requires attribute 'format'}}
  %0:2 = "prec.update_scale"(%a0) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @f(%a0: tensor<16x32xf8E4M3FN>, %a1: tensor<f32>, %a2: tensor<16xf64>) {
  // expected-error @+1 {{operand #4 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<16xf64>'}}
  %0 = "prec.scaled_matmul"(%a0, %a1, %a0, %a1, %a2) <{accumulator = #prec.accumulator<fast>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<16xf64>) -> tensor<16x16xbf16>
  return
}
