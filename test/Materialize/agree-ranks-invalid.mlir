// RUN: prec-opt %s --prec-agree-ranks=mesh=tp=2 --split-input-file --verify-diagnostics

// agree_ranks_c1
// expected-error @+1 {{layers must be divided as the mesh says before formats are assigned, but got tp=2 and layers of tp=1}}
module {
}

// -----

module attributes {prec_train.mesh = {tp = 2 : i64}} {
// agree_ranks_c2
// expected-error @+1 {{what a step returns must be the same on all ranks of one batch, or be a slice of a state, but got 'm' of a rank's own slices}}
func.func @step(%w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w", prec_train.shard = "tp", prec_train.shard_dim = 0 : i64})
    -> (tensor<4xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "m"}) attributes {prec.entry = "step"} {
  %m = arith.negf %w : tensor<4xf32>
  return %m : tensor<4xf32>
}
}

// -----

module attributes {prec_train.mesh = {tp = 2 : i64}, prec.moments = #prec.moments<dynamic8>} {
// agree_ranks_c3
// expected-error @+1 {{moments must be in f32 where layers are divided, as those in 8 bits have blocks that end in no slice, but got a slice of 'w'}}
func.func @step(%w: tensor<128x128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w", prec_train.shard = "tp", prec_train.shard_dim = 1 : i64})
    -> tensor<128x128xf32> attributes {prec.entry = "step"} {
  return %w : tensor<128x128xf32>
}
}
