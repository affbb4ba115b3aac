// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a lora-dtype=bf16" --verify-precision | FileCheck %s
// RUN: prec-opt %s --assign-precision="recipe=fp16 target=cpu" --verify-precision | FileCheck %s --check-prefix=HALF

// In fp16 an adapter is read as everything is: products of bf16 give no f16.
// HALF-COUNT-2: rule = "adapter: its work weights are f16: reads f16"

// An adapter of a frozen weight: masters in lora_dtype, work weights in
// model_dtype; the frozen weight is read as the recipe says.

// CHECK-LABEL: @f
// CHECK-SAME: %arg1: tensor<64x64xf32> {prec.tag = #prec.tag<f32, rule = "master weight:
// CHECK-SAME: %arg2: tensor<64x16xf32> {prec.tag = #prec.tag<bf16, rule = "adapter master weight: lora_dtype">
// CHECK-SAME: %arg3: tensor<16x64xf32> {prec.tag = #prec.tag<bf16, rule = "adapter master weight: lora_dtype">
func.func @f(%x: tensor<32x64xf32>,
             %w: tensor<64x64xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "w"},
             %a: tensor<64x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"},
             %b: tensor<16x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "b"},
             %v: tensor<64x64xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "v"}) -> tensor<32x64xf32> {
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<e4m3
  %base = prec_train.matmul %x, %w : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<bf16, rule = "adapter: its work weights are bf16: reads bf16">
  %down = prec_train.matmul %x, %a : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<bf16, rule = "adapter: its work weights are bf16: reads bf16">
  %up = prec_train.matmul %down, %b : (tensor<32x16xf32>, tensor<16x64xf32>) -> tensor<32x64xf32>
  %y = arith.addf %base, %up : tensor<32x64xf32>
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<e4m3
  %z = prec_train.matmul %y, %v : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  return %z : tensor<32x64xf32>
}
