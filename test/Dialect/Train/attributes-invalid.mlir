// RUN: prec-opt %s --split-input-file --verify-diagnostics

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.frame' = "torch"}}
module attributes {train.frame = "torch"} {}

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.framework' = 2 : i64}}
module attributes {train.framework = 2} {}

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.model' = 2 : i64}}
module attributes {train.model = 2} {}

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.phase' = #train.phase<forward>}}
module attributes {train.phase = #train.phase<forward>} {}

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.model' = "Tiny"}}
func.func private @f() attributes {train.model = "Tiny"}

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.role' = #train.role<loss>}}
func.func private @f() attributes {train.role = #train.role<loss>}

// -----

func.func @f(%x: tensor<4xf32>) {
  // train_c1
  // expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.phase' = "forward"}}
  %0 = arith.negf %x {train.phase = "forward"} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // train_c1
  // expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.seq' = "1"}}
  %0 = arith.negf %x {train.seq = "1"} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // train_c1
  // expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.path' = "a"}}
  %0 = arith.negf %x {train.path = "a"} : tensor<4xf32>
  return
}

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.roll' = 1 : i64}}
func.func private @f(tensor<4xf32> {train.roll = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.role' = "batch"}}
func.func private @f(tensor<4xf32> {train.role = "batch"})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.path' = 1 : i64}}
func.func private @f(tensor<4xf32> {train.path = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.param_of' = unit}}
func.func private @f(tensor<4xf32> {train.param_of = unit})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.slot' = 1 : i64}}
func.func private @f(tensor<4xf32> {train.slot = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.source_dtype' = f32}}
func.func private @f(tensor<4xf32> {train.source_dtype = f32})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.aliases' = "a"}}
func.func private @f(tensor<4xf32> {train.aliases = "a"})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.aliases' = [1]}}
func.func private @f(tensor<4xf32> {train.aliases = [1]})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.vocabulary' = 0 : i64}}
func.func private @f(tensor<4xi32> {train.vocabulary = 0 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.shift' = -1 : i64}}
func.func private @f(tensor<4xi32> {train.shift = -1 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.vocabulary' = "16"}}
func.func private @f(tensor<4xf32> {train.vocabulary = "16"})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.ignore_index' = 1.000000e+00 : f32}}
func.func private @f(tensor<4xf32> {train.ignore_index = 1.0 : f32})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.shift' = unit}}
func.func private @f(tensor<4xf32> {train.shift = unit})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.shift_unknown' = 1 : i64}}
func.func private @f(tensor<4xi32> {train.shift_unknown = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.codes' = "signed"}}
func.func private @f(tensor<4xi8> {train.codes = "signed"})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.padding' = false}}
module attributes {train.padding = false} {}

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.equal_micro_batches' = unit}}
module attributes {train.equal_micro_batches} {}

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.default' = 1 : i64}}
func.func private @f(tensor<4xf32> {train.default = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.initial' = 1.000000e+00 : f32}}
func.func private @f(tensor<4xf32> {train.initial = 1.0 : f32})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.donated_to' = 0 : i64}}
func.func private @f(tensor<4xf32> {train.donated_to = 0 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.roll' = 1 : i64}}
func.func private @f() -> (tensor<4xf32> {train.roll = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.role' = "loss"}}
func.func private @f() -> (tensor<4xf32> {train.role = "loss"})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.path' = 1 : i64}}
func.func private @f() -> (tensor<4xf32> {train.path = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.param_of' = 1 : i64}}
func.func private @f() -> (tensor<4xf32> {train.param_of = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.slot' = 1 : i64}}
func.func private @f() -> (tensor<4xf32> {train.slot = 1 : i64})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.donated_to' = "a"}}
func.func private @f() -> (tensor<4xf32> {train.donated_to = "a"})

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.vocabulary' = 16 : i64}}
func.func private @f() -> (tensor<4xf32> {train.vocabulary = 16 : i64})

// -----

// train_c2
// expected-error @+1 {{result 0 must be donated to an argument, but got index 1}}
func.func private @f(tensor<4xf32>) -> (tensor<4xf32> {train.donated_to = 1 : i64})

// -----

// train_c2
// expected-error @+1 {{result 0 must be donated to an argument, but got index -1}}
func.func private @f(tensor<4xf32>) -> (tensor<4xf32> {train.donated_to = -1 : i64})

// -----

// train_c3
// expected-error @+1 {{result 0 must have the type of argument 0 it is donated to, but got 'tensor<4xbf16>' and 'tensor<4xf32>'}}
func.func private @f(tensor<4xf32>) -> (tensor<4xbf16> {train.donated_to = 0 : i64})

// -----

// train_c5
// expected-error @+1 {{'train.gradient' must be on what has no role, but got #train.role<batch>}}
func.func private @f(tensor<4xf32> {train.gradient, train.role = #train.role<batch>})

// -----

// train_c5
// expected-error @+1 {{'train.gradient' must be on what has no role, but got #train.role<updated>}}
func.func private @f() -> (tensor<4xf32> {train.gradient, train.role = #train.role<updated>})

// -----

// train_c4
// expected-error @+1 {{an argument must be donated to by one result, but got results 1 and 2 for argument 0}}
func.func private @f(tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {train.donated_to = 0 : i64}, tensor<4xf32> {train.donated_to = 0 : i64})

// -----

// expected-error @+2 {{to be one of: parameter, frozen_parameter, buffer, optimizer_state, work_weight, scale_state, batch, hyper, loss, metric, updated}}
// expected-error @+1 {{failed to parse Train_RoleAttr parameter 'value'}}
module attributes {a = #train.role<weight>} {}

// -----

// expected-error @+2 {{to be one of: forward, backward, recompute, optimizer}}
// expected-error @+1 {{failed to parse Train_PhaseAttr parameter 'value'}}
module attributes {a = #train.phase<forwards>} {}

// -----

// expected-error @+2 {{to be one of: sum, max, min}}
// expected-error @+1 {{failed to parse Train_ReduceKindAttr parameter 'value'}}
module attributes {a = #train.reduce_kind mean} {}

// -----

// expected-error @+1 {{unknown attribute `scale` in dialect `train`}}
module attributes {a = #train.scale<3>} {}

// -----

// train_c1
// expected-error @+1 {{train attributes must be known here and of their kind, but got 'train.range' = array<i64: 3, 1>}}
func.func @f(%x: tensor<4xi32> {train.range = array<i64: 3, 1>}) {
  return
}
