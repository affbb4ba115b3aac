// RUN: prec-opt %s --prec-materialize-crowded="options={mesh=ep=2}" --split-input-file --verify-diagnostics
// RUN: not prec-opt %s --prec-materialize-crowded="options={mesh=ep=2 guard-updates=false}" --split-input-file 2>&1 | FileCheck %s

func.func @step() attributes {prec.entry = "step"} {
  return
}

// materialize_crowded_c1
// expected-error @+1 {{a crowded step must have tags, but got none (--prec-tag-crowded)}}
module attributes {prec.crowded} {
func.func @step() attributes {prec.entry = "step"} {
  return
}
}

// -----

// materialize_crowded_c3
// CHECK: a step whose experts may have no room for their rows must guard its updates, as it runs again then, but got guard-updates=false: guard them, or give all rows room (--expert-room)
module attributes {prec.recipe = "fp32", prec.target = "cpu"} {
func.func @step(%x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
        tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %loss = prec_train.reduce sum %x dims [0] : (tensor<4xf32>) -> tensor<f32>
  %n = arith.subf %w, %x {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4xf32>
  return %loss, %n : tensor<f32>, tensor<4xf32>
}
module attributes {prec.crowded, prec.recipe = "fp32", prec.target = "cpu", prec_train.mesh = {ep = 2 : i64}} {
// materialize_crowded_c2
// expected-error @+1 {{a crowded step must read what the step reads, but got argument 1 of 'tensor<4xf32>' for '<<NULL TYPE>>'}}
func.func @step(%x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x", prec.tag = #prec.tag<f32, rule = "t">},
                %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "v", prec.tag = #prec.tag<f32, rule = "t">})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
        tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "v", prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %loss = prec_train.reduce sum %x dims [0] {result_tags = [#prec.tag<f32, rule = "t">]} : (tensor<4xf32>) -> tensor<f32>
  %g = arith.negf %x {prec.result_tags = [#prec.tag<f32, rule = "t">]} : tensor<4xf32>
  %n = arith.subf %w, %g {prec_train.phase = #prec_train.phase<optimizer>, prec.result_tags = [#prec.tag<f32, rule = "t">]} : tensor<4xf32>
  return %loss, %n : tensor<f32>, tensor<4xf32>
}
}
}
