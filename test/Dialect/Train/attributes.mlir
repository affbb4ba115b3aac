// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s
// RUN: prec-opt %s --emit-bytecode | prec-opt | FileCheck %s

// CHECK: module attributes {prec_train.equal_micro_batches = "no cross entropy", prec_train.framework = "torch 2.13.0", prec_train.model = "Tiny", prec_train.padding = true}
module attributes {prec_train.equal_micro_batches = "no cross entropy", prec_train.framework = "torch 2.13.0", prec_train.model = "Tiny", prec_train.padding = true} {
  // CHECK: module attributes {prec_train.padding = "rows mix"}
  module attributes {prec_train.padding = "rows mix"} {}
  // CHECK: func.func private @unclear(tensor<4xi32> {prec_train.shift_unknown = "computed"}, tensor<4xi8> {prec_train.codes = dense<0.000000e+00> : tensor<256xf32>})
  func.func private @unclear(tensor<4xi32> {prec_train.shift_unknown = "computed"}, tensor<4xi8> {prec_train.codes = dense<0.0> : tensor<256xf32>})
  // CHECK-LABEL: func.func private @every_case()
  // CHECK-SAME: kinds = [#prec_train<reduce_kind sum>, #prec_train<reduce_kind max>, #prec_train<reduce_kind min>]
  // CHECK-SAME: phases = [#prec_train.phase<forward>, #prec_train.phase<backward>, #prec_train.phase<recompute>, #prec_train.phase<optimizer>]
  // CHECK-SAME: roles = [#prec_train.role<parameter>, #prec_train.role<frozen_parameter>, #prec_train.role<buffer>, #prec_train.role<optimizer_state>, #prec_train.role<work_weight>, #prec_train.role<scale_state>, #prec_train.role<batch>, #prec_train.role<hyper>, #prec_train.role<loss>, #prec_train.role<metric>, #prec_train.role<updated>]
  func.func private @every_case() attributes {
    kinds = [#prec_train<reduce_kind sum>, #prec_train<reduce_kind max>, #prec_train<reduce_kind min>],
    phases = [#prec_train.phase<forward>, #prec_train.phase<backward>, #prec_train.phase<recompute>, #prec_train.phase<optimizer>],
    roles = [#prec_train.role<parameter>, #prec_train.role<frozen_parameter>, #prec_train.role<buffer>, #prec_train.role<optimizer_state>,
             #prec_train.role<work_weight>, #prec_train.role<scale_state>, #prec_train.role<batch>, #prec_train.role<hyper>, #prec_train.role<loss>,
             #prec_train.role<metric>, #prec_train.role<updated>]}

  // CHECK-LABEL: func.func @step(
  // CHECK-SAME: %{{.+}}: tensor<16x8xf32> {prec_train.aliases = ["head.weight"], prec_train.path = "embed.weight", prec_train.role = #prec_train.role<parameter>, prec_train.source_dtype = "bf16"}
  // CHECK-SAME: %{{.+}}: tensor<16x8xf32> {prec_train.param_of = "embed.weight", prec_train.path = "embed.weight.exp_avg", prec_train.role = #prec_train.role<optimizer_state>, prec_train.slot = "exp_avg"}
  // CHECK-SAME: %{{.+}}: tensor<4xi32> {prec_train.ignore_index = -100 : i64, prec_train.path = "labels", prec_train.role = #prec_train.role<batch>, prec_train.shift = 1 : i64, prec_train.vocabulary = 16 : i64}
  // CHECK-SAME: %{{.+}}: tensor<f32> {prec_train.default = 1.000000e-03 : f32, prec_train.path = "lr", prec_train.role = #prec_train.role<hyper>}
  // CHECK-SAME: %{{.+}}: tensor<2xf32> {prec_train.initial = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, prec_train.path = "inv_freq", prec_train.role = #prec_train.role<buffer>}
  // CHECK-SAME: -> (tensor<f32> {prec_train.path = "loss", prec_train.role = #prec_train.role<loss>}, tensor<16x8xf32> {prec_train.donated_to = 0 : i64, prec_train.path = "embed.weight", prec_train.role = #prec_train.role<updated>}, tensor<16x8xf32> {prec_train.donated_to = 1 : i64, prec_train.param_of = "embed.weight", prec_train.role = #prec_train.role<updated>, prec_train.slot = "exp_avg"})
  func.func @step(
      %w: tensor<16x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "embed.weight", prec_train.aliases = ["head.weight"], prec_train.source_dtype = "bf16"},
      %m: tensor<16x8xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "embed.weight.exp_avg", prec_train.param_of = "embed.weight", prec_train.slot = "exp_avg"},
      %i: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "labels", prec_train.vocabulary = 16 : i64, prec_train.ignore_index = -100 : i64, prec_train.shift = 1 : i64},
      %lr: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr", prec_train.default = 1.0e-03 : f32},
      %f: tensor<2xf32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "inv_freq", prec_train.initial = dense<[1.0, 2.0]> : tensor<2xf32>})
      -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
          tensor<16x8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "embed.weight", prec_train.donated_to = 0 : i64},
          tensor<16x8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.param_of = "embed.weight", prec_train.slot = "exp_avg", prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
    // CHECK: prec_train.embedding {{.+}} {prec_train.phase = #prec_train.phase<recompute>, prec_train.seq = 3 : i64}
    %0 = prec_train.embedding %w, %i {prec_train.phase = #prec_train.phase<recompute>, prec_train.seq = 3 : i64} : (tensor<16x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
    // CHECK: arith.addf {{.+}} {prec_train.phase = #prec_train.phase<optimizer>}
    %1 = arith.addf %w, %m {prec_train.phase = #prec_train.phase<optimizer>} : tensor<16x8xf32>
    return %lr, %1, %m : tensor<f32>, tensor<16x8xf32>, tensor<16x8xf32>
  }
}
