// RUN: prec-opt %s --split-input-file --verify-diagnostics

// tag_c1
// expected-error @+1 {{an fp8 tag must name a scaling, but got none}}
module attributes {a = #prec.tag<e4m3, rule = "r">} {}

// -----

// tag_c2
// expected-error @+1 {{only fp8 and e2m1 tags have a scaling, but got bf16}}
module attributes {a = #prec.tag<bf16, scaling = tensor_current, rule = "r">} {}

// -----

// tag_c3
// expected-error @+1 {{a tag must name the rule that decided it, but got an empty name}}
module attributes {a = #prec.tag<bf16, rule = "">} {}

// -----

// expected-error @+1 {{struct is missing required parameter: rule}}
module attributes {a = #prec.tag<bf16, scaling = none>} {}

// -----

// expected-error @+1 {{expected ','}}
module attributes {a = #prec.tag<bf16>} {}

// -----

// expected-error @+1 {{duplicate or unknown struct parameter name: axis}}
module attributes {a = #prec.tag<bf16, axis = 1, rule = "r">} {}

// -----

// expected-error @+2 {{to be one of: f32, bf16, f16, e4m3, e5m2}}
// expected-error @+1 {{failed to parse Prec_TagAttr parameter 'format'}}
module attributes {a = #prec.tag<e3m4, rule = "r">} {}

// -----

// expected-error @+2 {{a scaling must be one of none, tensor_current, tensor_delayed, row, block_1x128, block_128x128, mx_1x32, nvfp4_1x16, but got 'diagonal'}}
// expected-error @+1 {{failed to parse Prec_TagAttr parameter 'scaling'}}
module attributes {a = #prec.tag<e4m3, scaling = diagonal, rule = "r">} {}

// -----

// expected-error @+2 {{expected one of [full, fast, promoted] for how a contraction accumulates, got: slow}}
// expected-error @+1 {{failed to parse Prec_TagAttr parameter 'accumulator'}}
module attributes {a = #prec.tag<bf16, accumulator = slow, rule = "r">} {}

// -----

// expected-error @+2 {{to be one of: full, fast, promoted}}
// expected-error @+1 {{failed to parse Prec_AccumulatorAttr parameter 'value'}}
module attributes {a = #prec.accumulator<slow>} {}

// -----

// expected-error @+2 {{to be one of: f32, bf16, f16, e4m3, e5m2}}
// expected-error @+1 {{failed to parse Prec_FormatAttr parameter 'value'}}
module attributes {a = #prec.format e3m4} {}

// -----

// expected-error @+2 {{to be one of: contraction, head, embedding}}
// expected-error @+1 {{failed to parse Prec_TensorClassAttr parameter 'value'}}
module attributes {a = #prec.class<pooling>} {}

// -----

// expected-error @+1 {{unknown attribute `plan` in dialect `prec`}}
module attributes {a = #prec.plan<3>} {}

// -----

func.func @f(%x: tensor<4xf32>) {
  // prec_c1
  // expected-error @+1 {{must keep tags in its own attributes, but got 'prec.result_tags'}}
  %0 = prec_train.softmax %x {prec.result_tags = [unit]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // prec_c1
  // expected-error @+1 {{must keep tags in its own attributes, but got 'prec.operand_tags'}}
  %0 = prec_train.softmax %x {prec.operand_tags = [unit]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // prec_c2
  // expected-error @+1 {{'prec.class' must be #prec.class, but got "norm"}}
  %0 = prec_train.softmax %x {prec.class = "norm"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // prec_c13
  // expected-error @+1 {{'prec.direction' must be one of fprop, dgrad, wgrad, but got "forward"}}
  %0 = prec_train.softmax %x {prec.direction = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// prec_c3
// expected-error @+1 {{'prec.recipe' must be a string, but got 8 : i64}}
module attributes {prec.recipe = 8} {}

// -----

// prec_c3
// expected-error @+1 {{'prec.target' must be a string, but got unit}}
module attributes {prec.target} {}

// -----

// prec_c4
// expected-error @+1 {{prec attributes must be known here, but got 'prec.receipt'}}
module attributes {prec.receipt = "bf16"} {}

// -----

// prec_c4
// expected-error @+1 {{prec attributes must be known here, but got 'prec.recipe'}}
func.func private @f() attributes {prec.recipe = "bf16"}

// -----

func.func @f(%x: tensor<4xf32>) {
  // prec_c4
  // expected-error @+1 {{prec attributes must be known here, but got 'prec.tag'}}
  %0 = arith.negf %x {prec.tag = #prec.tag<bf16, rule = "r">} : tensor<4xf32>
  return
}

// -----

// prec_c5
// expected-error @+1 {{argument 1: prec attributes must be known here, but got 'prec.format'}}
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32> {prec.format = "bf16"}) {
  return
}

// -----

// prec_c6
// expected-error @+1 {{argument 0: 'prec.tag' must be #prec.tag, but got "bf16"}}
func.func @f(%x: tensor<4xf32> {prec.tag = "bf16"}) {
  return
}

// -----

// prec_c7
// expected-error @+1 {{result 0: prec attributes must be known here, but got 'prec.tag'}}
func.func private @f() -> (tensor<4xf32> {prec.tag = #prec.tag<bf16, rule = "r">})

// -----

func.func @f(%x: tensor<4xf32>) {
  // tags_c1
  // expected-error @+1 {{'prec.result_tags' must be an array of #prec.tag or unit, but got "bf16"}}
  %0 = arith.negf %x {prec.result_tags = "bf16"} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // tags_c1
  // expected-error @+1 {{'prec.operand_tags' must be an array of #prec.tag or unit, but got ["bf16"]}}
  %0 = arith.negf %x {prec.operand_tags = ["bf16"]} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // tags_c2
  // expected-error @+1 {{'prec.result_tags' must have one entry for each of its 1 results, but got 2}}
  %0 = arith.negf %x {prec.result_tags = [unit, unit]} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // tags_c2
  // expected-error @+1 {{'operand_tags' must have one entry for each of its 1 operands, but got 0}}
  %0 = prec_train.softmax %x {operand_tags = []} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // tags_c2
  // expected-error @+1 {{'result_tags' must have one entry for each of its 1 results, but got 2}}
  %0 = prec_train.softmax %x {result_tags = [unit, unit]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'result_tags' failed to satisfy constraint: array attribute}}
  %0 = prec_train.softmax %x {result_tags = ["bf16"]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'operand_tags' failed to satisfy constraint: array attribute}}
  %0 = prec_train.softmax %x {operand_tags = [1]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// tag_c1
// expected-error @+1 {{an e2m1 tag must name a scaling, but got none}}
module attributes {a = #prec.tag<e2m1, rule = "r">} {}

// -----

// tag_c4
// expected-error @+1 {{e2m1 and nvfp4_1x16 must come together, but got e4m3 and nvfp4_1x16}}
module attributes {a = #prec.tag<e4m3, scaling = nvfp4_1x16, rule = "r">} {}

// -----

// tag_c4
// expected-error @+1 {{e2m1 and nvfp4_1x16 must come together, but got e2m1 and row}}
module attributes {a = #prec.tag<e2m1, scaling = row, rule = "r">} {}

// -----

// amax_c1
// expected-error @+1 {{an amax history must be at least 1, but got 0}}
module attributes {a = #prec.amax<history = 0, algorithm = max, margin = 0, power_of_two = false, activation = 0.0 : f64, weight = 0.0 : f64, gradient = 0.0 : f64>} {}

// -----

// amax_c2
// expected-error @+1 {{an amax margin must be in [0, 32], but got 33}}
module attributes {a = #prec.amax<history = 1, algorithm = max, margin = 33, power_of_two = false, activation = 0.0 : f64, weight = 0.0 : f64, gradient = 0.0 : f64>} {}

// -----

// amax_c3
// expected-error @+1 {{an amax epsilon must be finite and not negative, but got -1.000000e+00 : f64}}
module attributes {a = #prec.amax<history = 1, algorithm = max, margin = 0, power_of_two = false, activation = -1.0 : f64, weight = 0.0 : f64, gradient = 0.0 : f64>} {}

// -----

// loss_scaling_c1
// expected-error @+1 {{a loss scale must be a power of two, but got 1000}}
module attributes {a = #prec.loss_scaling<dynamic, scale = 1000, interval = 2000, growth = 2.0, backoff = 0.5>} {}

// -----

// loss_scaling_c2
// expected-error @+1 {{a growth interval must be in [1, 1000000], but got 0}}
module attributes {a = #prec.loss_scaling<dynamic, scale = 1024, interval = 0, growth = 2.0, backoff = 0.5>} {}

// -----

// loss_scaling_c2
// expected-error @+1 {{a growth interval must be in [1, 1000000], but got 1000001}}
module attributes {a = #prec.loss_scaling<dynamic, scale = 1024, interval = 1000001, growth = 2.0, backoff = 0.5>} {}

// -----

// loss_scaling_c3
// expected-error @+1 {{a growth factor must be a power of two above 1, but got 3.000000e+00 : f64}}
module attributes {a = #prec.loss_scaling<dynamic, scale = 1024, interval = 1, growth = 3.0, backoff = 0.5>} {}

// -----

// loss_scaling_c3
// expected-error @+1 {{a growth factor must be a power of two above 1, but got 1.000000e+00 : f64}}
module attributes {a = #prec.loss_scaling<dynamic, scale = 1024, interval = 1, growth = 1.0, backoff = 0.5>} {}

// -----

// loss_scaling_c4
// expected-error @+1 {{a backoff factor must be a power of two below 1, but got 7.500000e-01 : f64}}
module attributes {a = #prec.loss_scaling<dynamic, scale = 1024, interval = 1, growth = 2.0, backoff = 0.75>} {}

// -----

// loss_scaling_c4
// expected-error @+1 {{a backoff factor must be a power of two below 1, but got 0.000000e+00 : f64}}
module attributes {a = #prec.loss_scaling<dynamic, scale = 1024, interval = 1, growth = 2.0, backoff = 0.0>} {}

// -----

// master_rounding_c1
// expected-error @+1 {{iterations and tolerance must come with precision_aware, but got stochastic with one}}
module attributes {a = #prec.master_rounding<stochastic, iterations = 16>} {}

// -----

// master_rounding_c1
// expected-error @+1 {{iterations and tolerance must come with precision_aware, but got nearest with one}}
module attributes {a = #prec.master_rounding<nearest, tolerance = 0.01>} {}

// -----

// master_rounding_c1
// expected-error @+1 {{iterations and tolerance must come with precision_aware, but got precision_aware with not both}}
module attributes {a = #prec.master_rounding<precision_aware, iterations = 16>} {}

// -----

// prec_c8
// expected-error @+1 {{'prec.amax' must be #prec.amax, but got 1 : i64}}
module attributes {prec.amax = 1 : i64} {}

// -----

// prec_c8
// expected-error @+1 {{'prec.loss_scaling' must be #prec.loss_scaling, but got "dynamic"}}
module attributes {prec.loss_scaling = "dynamic"} {}

// -----

// prec_c8
// expected-error @+1 {{'prec.master_rounding' must be #prec.master_rounding, but got "stochastic"}}
module attributes {prec.master_rounding = "stochastic"} {}

// -----

// prec_c9
// expected-error @+1 {{'prec.decisions' must be a dense_resource of one dimension of i8, but got "{}"}}
module attributes {prec.decisions = "{}"} {}

// -----

// prec_c9
// expected-error @+1 {{'prec.decisions' must be a dense_resource of one dimension of i8, but got dense<1> : tensor<4xi8>}}
module attributes {prec.decisions = dense<1> : tensor<4xi8>} {}

// -----

// prec_c14
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'prec.quantized_tokens' must have no value and be on a lookup of rows, but got unit}}
  %y = arith.addf %x, %x {prec.quantized_tokens} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// prec_c14
func.func @f(%x: tensor<4x8xf32>, %ids: tensor<3xi32>) -> tensor<3x8xf32> {
  // expected-error @+1 {{'prec.quantized_tokens' must have no value and be on a lookup of rows, but got true}}
  %y = prec_train.gather %x, %ids {prec.quantized_tokens = true} : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// -----

// prec_c10
// expected-error @+1 {{'prec.separate_layers' must have no value, but got true}}
module attributes {prec.separate_layers = true} {}

// -----

// prec_c10
// expected-error @+1 {{'prec.crowded' must have no value, but got true}}
module attributes {prec.crowded = true} {}

// -----

// prec_c4
// expected-error @+2 {{prec attributes must be known here, but got 'prec.decisions'}}
module {
  func.func private @f() attributes {prec.decisions = dense<1> : tensor<4xi8>}
}
