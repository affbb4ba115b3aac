// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s
// RUN: prec-opt %s --emit-bytecode | prec-opt | FileCheck %s

// CHECK: module attributes {train.equal_micro_batches = "no cross entropy", train.framework = "torch 2.13.0", train.model = "Tiny", train.padding = true}
module attributes {train.equal_micro_batches = "no cross entropy", train.framework = "torch 2.13.0", train.model = "Tiny", train.padding = true} {
  // CHECK: module attributes {train.padding = "rows mix"}
  module attributes {train.padding = "rows mix"} {}
  // CHECK: func.func private @unclear(tensor<4xi32> {train.shift_unknown = "computed"}, tensor<4xi8> {train.codes = dense<0.000000e+00> : tensor<256xf32>})
  func.func private @unclear(tensor<4xi32> {train.shift_unknown = "computed"}, tensor<4xi8> {train.codes = dense<0.0> : tensor<256xf32>})
  // CHECK-LABEL: func.func private @every_case()
  // CHECK-SAME: kinds = [#train<reduce_kind sum>, #train<reduce_kind max>, #train<reduce_kind min>]
  // CHECK-SAME: phases = [#train.phase<forward>, #train.phase<backward>, #train.phase<recompute>, #train.phase<optimizer>]
  // CHECK-SAME: roles = [#train.role<parameter>, #train.role<frozen_parameter>, #train.role<buffer>, #train.role<optimizer_state>, #train.role<work_weight>, #train.role<scale_state>, #train.role<batch>, #train.role<hyper>, #train.role<loss>, #train.role<metric>, #train.role<updated>]
  func.func private @every_case() attributes {
    kinds = [#train<reduce_kind sum>, #train<reduce_kind max>, #train<reduce_kind min>],
    phases = [#train.phase<forward>, #train.phase<backward>, #train.phase<recompute>, #train.phase<optimizer>],
    roles = [#train.role<parameter>, #train.role<frozen_parameter>, #train.role<buffer>, #train.role<optimizer_state>,
             #train.role<work_weight>, #train.role<scale_state>, #train.role<batch>, #train.role<hyper>, #train.role<loss>,
             #train.role<metric>, #train.role<updated>]}

  // CHECK-LABEL: func.func @step(
  // CHECK-SAME: %{{.+}}: tensor<16x8xf32> {train.aliases = ["head.weight"], train.path = "embed.weight", train.role = #train.role<parameter>, train.source_dtype = "bf16"}
  // CHECK-SAME: %{{.+}}: tensor<16x8xf32> {train.param_of = "embed.weight", train.path = "embed.weight.exp_avg", train.role = #train.role<optimizer_state>, train.slot = "exp_avg"}
  // CHECK-SAME: %{{.+}}: tensor<4xi32> {train.ignore_index = -100 : i64, train.path = "labels", train.role = #train.role<batch>, train.shift = 1 : i64, train.vocabulary = 16 : i64}
  // CHECK-SAME: %{{.+}}: tensor<f32> {train.default = 1.000000e-03 : f32, train.path = "lr", train.role = #train.role<hyper>}
  // CHECK-SAME: %{{.+}}: tensor<2xf32> {train.initial = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, train.path = "inv_freq", train.role = #train.role<buffer>}
  // CHECK-SAME: -> (tensor<f32> {train.path = "loss", train.role = #train.role<loss>}, tensor<16x8xf32> {train.donated_to = 0 : i64, train.path = "embed.weight", train.role = #train.role<updated>}, tensor<16x8xf32> {train.donated_to = 1 : i64, train.param_of = "embed.weight", train.role = #train.role<updated>, train.slot = "exp_avg"})
  func.func @step(
      %w: tensor<16x8xf32> {train.role = #train.role<parameter>, train.path = "embed.weight", train.aliases = ["head.weight"], train.source_dtype = "bf16"},
      %m: tensor<16x8xf32> {train.role = #train.role<optimizer_state>, train.path = "embed.weight.exp_avg", train.param_of = "embed.weight", train.slot = "exp_avg"},
      %i: tensor<4xi32> {train.role = #train.role<batch>, train.path = "labels", train.vocabulary = 16 : i64, train.ignore_index = -100 : i64, train.shift = 1 : i64},
      %lr: tensor<f32> {train.role = #train.role<hyper>, train.path = "lr", train.default = 1.0e-03 : f32},
      %f: tensor<2xf32> {train.role = #train.role<buffer>, train.path = "inv_freq", train.initial = dense<[1.0, 2.0]> : tensor<2xf32>})
      -> (tensor<f32> {train.role = #train.role<loss>, train.path = "loss"},
          tensor<16x8xf32> {train.role = #train.role<updated>, train.path = "embed.weight", train.donated_to = 0 : i64},
          tensor<16x8xf32> {train.role = #train.role<updated>, train.param_of = "embed.weight", train.slot = "exp_avg", train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
    // CHECK: train.embedding {{.+}} {train.phase = #train.phase<recompute>, train.seq = 3 : i64}
    %0 = train.embedding %w, %i {train.phase = #train.phase<recompute>, train.seq = 3 : i64} : (tensor<16x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
    // CHECK: arith.addf {{.+}} {train.phase = #train.phase<optimizer>}
    %1 = arith.addf %w, %m {train.phase = #train.phase<optimizer>} : tensor<16x8xf32>
    return %lr, %1, %m : tensor<f32>, tensor<16x8xf32>, tensor<16x8xf32>
  }
}
