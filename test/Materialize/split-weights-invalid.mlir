// RUN: prec-opt %s --prec-split-weights --split-input-file --verify-diagnostics

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">

func.func @step(%g: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "g"},
                %x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {prec.entry = "step"} {
  // split_weights_c1
  // expected-error @+1 {{only prec_train.matmul and matrices of experts can be read in fp8 or fp4, but got e4m3 for operand 1}}
  %y:2 = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32, operand_tags = [unit, #e4m3]} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return %y#0 : tensor<4x8xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">

func.func @step(%w: tensor<2x8x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> attributes {prec.entry = "step"} {
  // split_weights_c2
  // expected-error @+1 {{a weight read in fp8 or fp4 must be a matrix, but got 'tensor<2x8x8xf32>'}}
  %y = prec_train.matmul %x, %w {operand_tags = [#e4m3, #e4m3]} : (tensor<2x4x8xf32>, tensor<2x8x8xf32>) -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">

// split_weights_c3
// expected-error @+1 {{a parameter must have a prec_train.path, but argument 0 has none}}
func.func @step(%w: tensor<8x8xf32> {prec_train.role = #prec_train.role<parameter>}, %x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {operand_tags = [#bf16, #bf16]} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">

// split_weights_c4
// expected-error @+1 {{a master must be f32 or bf16, but got 'tensor<8x8xf16>' for "w"}}
func.func @step(%w: tensor<8x8xf16> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {operand_tags = [#bf16, #bf16]} : (tensor<4x8xf32>, tensor<8x8xf16>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">

// split_weights_c5
// expected-error @+1 {{an updated parameter must be computed, but "w" is returned as it came}}
func.func @step(%w: tensor<8x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %x: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<8x8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {operand_tags = [#bf16, #bf16]} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %y, %w : tensor<4x8xf32>, tensor<8x8xf32>
}

// -----

// split_weights_c6
// expected-error @+1 {{weights must be split once, but got "init" already}}
func.func @init() attributes {prec.entry = "init"} {
  return
}
func.func @step() attributes {prec.entry = "step"} {
  return
}

// -----

#now = #prec.tag<e4m3, scaling = tensor_current, rule = "r">
#late = #prec.tag<e4m3, scaling = tensor_delayed, rule = "r">

func.func @step(%w: tensor<48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %x: tensor<16x32xf32>, %g: tensor<16x48xf32>) attributes {prec.entry = "step"} {
  // split_weights_c7
  // expected-error @+1 {{a weight must have one scaling, but got tensor_delayed and tensor_current for "w"}}
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#now, #now]} : (tensor<16x32xf32>, tensor<48x32xf32>) -> tensor<16x48xf32>
  %dx = prec_train.matmul %g, %w {operand_tags = [#now, #late]} : (tensor<16x48xf32>, tensor<48x32xf32>) -> tensor<16x32xf32>
  return
}
