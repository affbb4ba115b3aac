// RUN: prec-opt %s -split-input-file -verify-diagnostics --verify-precision

// verify_precision_c1
// expected-error @+1 {{an assigned module must have 'prec.recipe' and 'prec.target', but got none}}
module {}

// -----

// verify_precision_c2
// expected-error @+1 {{'prec.target' must be one of 'sm_80', 'sm_89', 'sm_90a', 'sm_100a', 'cpu', but got 'sm_70'}}
module attributes {prec.recipe = "bf16", prec.target = "sm_70"} {}

// -----

module attributes {prec.recipe = "bf16", prec.target = "cpu"} {
  // verify_precision_c3
  // expected-error @+1 {{every tensor of floats must have a tag, but argument 0 has none}}
  func.func @f(%x: tensor<8xf32>) {
    return
  }
}

// -----

module attributes {prec.recipe = "bf16", prec.target = "cpu"} {
  func.func @f(%x: tensor<8xf32> {prec.tag = #prec.tag<f32, rule = "r">}) {
    // verify_precision_c3
    // expected-error @+1 {{every tensor of floats must have a tag, but result 0 has none}}
    %y = math.exp %x : tensor<8xf32>
    return
  }
}

// -----

module attributes {prec.recipe = "bf16", prec.target = "cpu"} {
  // verify_precision_c4
  // expected-error @+1 {{fp8 belongs to uses, not to storage, but argument 0 is e4m3}}
  func.func @f(%x: tensor<8xf32> {prec.tag = #prec.tag<e4m3, scaling = tensor_current, rule = "r">}) {
    return
  }
}

// -----

module attributes {prec.recipe = "bf16", prec.target = "cpu"} {
  func.func @f(%x: tensor<8x4xf32> {prec.tag = #prec.tag<f32, rule = "r">}) {
    // verify_precision_c5
    // expected-error @+1 {{a layout operation must keep its input's format f32, but got bf16}}
    %y = prec_train.transpose %x permutation [1, 0] {result_tags = [#prec.tag<bf16, rule = "r">]} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    return
  }
}

// -----

module attributes {prec.recipe = "bf16", prec.target = "cpu"} {
  // verify_precision_c6
  // expected-error @+1 {{master weights must be f32 or bf16, but argument 0 is f16}}
  func.func @f(%x: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec.tag = #prec.tag<f16, rule = "r">}) {
    return
  }
}

// -----

module attributes {prec.recipe = "bf16", prec.target = "cpu"} {
  // verify_precision_c7
  // expected-error @+1 {{optimizer state must be f32, but argument 0 is bf16}}
  func.func @f(%x: tensor<8xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec.tag = #prec.tag<bf16, rule = "r">}) {
    return
  }
}

// -----

module attributes {prec.recipe = "bf16", prec.target = "cpu"} {
  func.func @f(%x: tensor<8xf32> {prec.tag = #prec.tag<f32, rule = "r">}) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>}) {
    // verify_precision_c8
    // expected-error @+1 {{the loss must be f32, but result 0 is bf16}}
    %y = prec_train.reduce sum %x dims [0] {result_tags = [#prec.tag<bf16, rule = "r">]} : (tensor<8xf32>) -> tensor<f32>
    return %y : tensor<f32>
  }
}

// -----

module attributes {prec.recipe = "bf16", prec.target = "cpu"} {
  func.func @f(%x: tensor<16x16xf32> {prec.tag = #prec.tag<f32, rule = "r">}) {
    // verify_precision_c9
    // expected-error @+1 {{both operands of a contraction must have a tag, but operand 1 has none}}
    %y = prec_train.matmul %x, %x {operand_tags = [#prec.tag<bf16, rule = "r">, unit], result_tags = [#prec.tag<bf16, rule = "r">]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return
  }
}

// -----

module attributes {prec.recipe = "fp8-hybrid", prec.target = "cpu"} {
  func.func @f(%x: tensor<16x16xf32> {prec.tag = #prec.tag<f32, rule = "r">}) {
    // verify_precision_c10
    // expected-error @+1 {{both operand tags must name one accumulator, but got fast and promoted}}
    %y = prec_train.matmul %x, %x {operand_tags = [#prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">, #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "r">], result_tags = [#prec.tag<bf16, rule = "r">]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return
  }
}

// -----

module attributes {prec.recipe = "fp8-hybrid", prec.target = "sm_90a"} {
  func.func @f(%x: tensor<16x16xf32> {prec.tag = #prec.tag<f32, rule = "r">}) {
    // verify_precision_c11
    // expected-error @+1 {{must be legal on sm_90a, but there is no e5m2 x e5m2 -> bf16 product}}
    %y = prec_train.matmul %x, %x {operand_tags = [#prec.tag<e5m2, scaling = tensor_current, rule = "r">, #prec.tag<e5m2, scaling = tensor_current, rule = "r">], result_tags = [#prec.tag<bf16, rule = "r">]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return
  }
}

// -----

module attributes {prec.recipe = "fp8-hybrid", prec.target = "cpu"} {
  func.func @f(%x: tensor<16xf32> {prec.tag = #prec.tag<f32, rule = "r">}) {
    // verify_precision_c12
    // expected-error @+1 {{only operands of contractions may be fp8 or fp4, but operand 0 is e4m3}}
    %y = math.exp %x {prec.operand_tags = [#prec.tag<e4m3, scaling = tensor_current, rule = "r">], prec.result_tags = [#prec.tag<f32, rule = "r">]} : tensor<16xf32>
    return
  }
}
