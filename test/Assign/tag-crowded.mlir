// RUN: prec-opt %s --split-input-file --verify-diagnostics --prec-tag-crowded | FileCheck %s

// The crowded step has more rows, and the formats of the step: what was decided by sizes is decided once.
// CHECK: module attributes {prec.crowded, prec.moments = #prec.moments<dynamic8>, prec.recipe = "r", prec.target = "cpu"}
// CHECK-NEXT: func.func @step(%{{.*}}: tensor<32x4xf32> {prec.tag = #prec.tag<bf16, rule = "t">, prec_train.path = "x"
// CHECK: prec_train.transpose %{{.*}} {{.*}}result_tags = [#prec.tag<f32, rule = "t">]{{.*}}tensor<32x4xf32>
// CHECK: arith.addf %{{.*}} {prec.operand_tags = [unit, #prec.tag<bf16, rule = "t">], prec.result_tags = [#prec.tag<bf16, rule = "t">]} : tensor<4x32xf32>
module attributes {prec.recipe = "r", prec.target = "cpu", prec.moments = #prec.moments<dynamic8>} {
func.func @step(%x: tensor<16x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x", prec.tag = #prec.tag<bf16, rule = "t">})
    -> tensor<4x16xf32> attributes {prec.entry = "step"} {
  %t = prec_train.transpose %x permutation [1, 0] {result_tags = [#prec.tag<f32, rule = "t">]} : (tensor<16x4xf32>) -> tensor<4x16xf32>
  %y = arith.addf %t, %t {prec.result_tags = [#prec.tag<bf16, rule = "t">], prec.operand_tags = [unit, #prec.tag<bf16, rule = "t">]} : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
module attributes {prec.crowded} {
func.func @step(%x: tensor<32x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"})
    -> tensor<4x32xf32> attributes {prec.entry = "step"} {
  %t = prec_train.transpose %x permutation [1, 0] : (tensor<32x4xf32>) -> tensor<4x32xf32>
  %y = arith.addf %t, %t : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}
}
}

// -----

module {
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {prec.crowded} {
// tag_crowded_c1
// expected-error @+1 {{a crowded step must have the operations of the step in the same order, but got 2, some of them others, for 2}}
func.func @step(%x: tensor<8xf32>) -> tensor<8xf32> attributes {prec.entry = "step"} {
  %y = arith.mulf %x, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
}
}
