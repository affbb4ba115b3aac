// RUN: prec-opt %s -verify-diagnostics --assign-precision="recipe=fp8-hybrid target=sm_80" --verify-precision | FileCheck %s

// CHECK: prec.target = "sm_80"
// expected-warning @+1 {{1 contraction of shape (MxNxK) 32x16x64 reads bf16: sm_80 has no FP8 matrix units (they begin with sm_89)}}
func.func @f(%x: tensor<32x64xf32>, %w: tensor<64x16xf32>) -> tensor<32x16xf32> {
  // CHECK: train.matmul {{.*}}operand_tags = [#prec.tag<bf16, rule = "fp8-hybrid fprop would read e4m3 x e4m3, but sm_80 has no FP8 matrix units
  %y = train.matmul %x, %w : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}
