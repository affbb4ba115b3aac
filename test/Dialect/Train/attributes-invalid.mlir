// RUN: prec-opt %s --split-input-file --verify-diagnostics

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.frame' = "torch"}}
module attributes {prec_train.frame = "torch"} {}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.framework' = 2 : i64}}
module attributes {prec_train.framework = 2} {}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.model' = 2 : i64}}
module attributes {prec_train.model = 2} {}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.phase' = #prec_train.phase<forward>}}
module attributes {prec_train.phase = #prec_train.phase<forward>} {}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.model' = "Tiny"}}
func.func private @f() attributes {prec_train.model = "Tiny"}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.role' = #prec_train.role<loss>}}
func.func private @f() attributes {prec_train.role = #prec_train.role<loss>}

// -----

func.func @f(%x: tensor<4xf32>) {
  // train_c1
  // expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.phase' = "forward"}}
  %0 = arith.negf %x {prec_train.phase = "forward"} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // train_c1
  // expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.seq' = "1"}}
  %0 = arith.negf %x {prec_train.seq = "1"} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // train_c1
  // expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.path' = "a"}}
  %0 = arith.negf %x {prec_train.path = "a"} : tensor<4xf32>
  return
}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.roll' = 1 : i64}}
func.func private @f(tensor<4xf32> {prec_train.roll = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.role' = "batch"}}
func.func private @f(tensor<4xf32> {prec_train.role = "batch"})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.path' = 1 : i64}}
func.func private @f(tensor<4xf32> {prec_train.path = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.param_of' = unit}}
func.func private @f(tensor<4xf32> {prec_train.param_of = unit})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.slot' = 1 : i64}}
func.func private @f(tensor<4xf32> {prec_train.slot = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.source_dtype' = f32}}
func.func private @f(tensor<4xf32> {prec_train.source_dtype = f32})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.aliases' = "a"}}
func.func private @f(tensor<4xf32> {prec_train.aliases = "a"})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.aliases' = [1]}}
func.func private @f(tensor<4xf32> {prec_train.aliases = [1]})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.vocabulary' = 0 : i64}}
func.func private @f(tensor<4xi32> {prec_train.vocabulary = 0 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.shift' = -1 : i64}}
func.func private @f(tensor<4xi32> {prec_train.shift = -1 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.vocabulary' = "16"}}
func.func private @f(tensor<4xf32> {prec_train.vocabulary = "16"})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.ignore_index' = 1.000000e+00 : f32}}
func.func private @f(tensor<4xf32> {prec_train.ignore_index = 1.0 : f32})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.shift' = unit}}
func.func private @f(tensor<4xf32> {prec_train.shift = unit})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.shift_unknown' = 1 : i64}}
func.func private @f(tensor<4xi32> {prec_train.shift_unknown = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.codes' = "signed"}}
func.func private @f(tensor<4xi8> {prec_train.codes = "signed"})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.padding' = false}}
module attributes {prec_train.padding = false} {}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.equal_micro_batches' = unit}}
module attributes {prec_train.equal_micro_batches} {}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.default' = 1 : i64}}
func.func private @f(tensor<4xf32> {prec_train.default = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.initial' = 1.000000e+00 : f32}}
func.func private @f(tensor<4xf32> {prec_train.initial = 1.0 : f32})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.donated_to' = 0 : i64}}
func.func private @f(tensor<4xf32> {prec_train.donated_to = 0 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.roll' = 1 : i64}}
func.func private @f() -> (tensor<4xf32> {prec_train.roll = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.role' = "loss"}}
func.func private @f() -> (tensor<4xf32> {prec_train.role = "loss"})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.path' = 1 : i64}}
func.func private @f() -> (tensor<4xf32> {prec_train.path = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.param_of' = 1 : i64}}
func.func private @f() -> (tensor<4xf32> {prec_train.param_of = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.slot' = 1 : i64}}
func.func private @f() -> (tensor<4xf32> {prec_train.slot = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.donated_to' = "a"}}
func.func private @f() -> (tensor<4xf32> {prec_train.donated_to = "a"})

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.vocabulary' = 16 : i64}}
func.func private @f() -> (tensor<4xf32> {prec_train.vocabulary = 16 : i64})

// -----

// train_c2
// expected-error @+1 {{result 0 must be donated to an argument, but got index 1}}
func.func private @f(tensor<4xf32>) -> (tensor<4xf32> {prec_train.donated_to = 1 : i64})

// -----

// train_c2
// expected-error @+1 {{result 0 must be donated to an argument, but got index -1}}
func.func private @f(tensor<4xf32>) -> (tensor<4xf32> {prec_train.donated_to = -1 : i64})

// -----

// train_c3
// expected-error @+1 {{result 0 must have the type of argument 0 it is donated to, but got 'tensor<4xbf16>' and 'tensor<4xf32>'}}
func.func private @f(tensor<4xf32>) -> (tensor<4xbf16> {prec_train.donated_to = 0 : i64})

// -----

// train_c5
// expected-error @+1 {{'prec_train.gradient' must be on what has no role, but got #prec_train.role<batch>}}
func.func private @f(tensor<4xf32> {prec_train.gradient, prec_train.role = #prec_train.role<batch>})

// -----

// train_c5
// expected-error @+1 {{'prec_train.gradient' must be on what has no role, but got #prec_train.role<updated>}}
func.func private @f() -> (tensor<4xf32> {prec_train.gradient, prec_train.role = #prec_train.role<updated>})

// -----

// train_c4
// expected-error @+1 {{an argument must be donated to by one result, but got results 1 and 2 for argument 0}}
func.func private @f(tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {prec_train.donated_to = 0 : i64}, tensor<4xf32> {prec_train.donated_to = 0 : i64})

// -----

// expected-error @+2 {{to be one of: parameter, frozen_parameter, buffer, optimizer_state, work_weight, scale_state, batch, hyper, loss, metric, guard, numerics, amax_ratios, switches, staged_parameter, updated}}
// expected-error @+1 {{failed to parse Train_RoleAttr parameter 'value'}}
module attributes {a = #prec_train.role<weight>} {}

// -----

// expected-error @+2 {{to be one of: forward, backward, recompute, optimizer}}
// expected-error @+1 {{failed to parse Train_PhaseAttr parameter 'value'}}
module attributes {a = #prec_train.phase<forwards>} {}

// -----

// expected-error @+2 {{to be one of: sum, max, min}}
// expected-error @+1 {{failed to parse Train_ReduceKindAttr parameter 'value'}}
module attributes {a = #prec_train.reduce_kind mean} {}

// -----

// expected-error @+1 {{unknown attribute `scale` in dialect `prec_train`}}
module attributes {a = #prec_train.scale<3>} {}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.range' = array<i64: 3, 1>}}
func.func @f(%x: tensor<4xi32> {prec_train.range = array<i64: 3, 1>}) {
  return
}
