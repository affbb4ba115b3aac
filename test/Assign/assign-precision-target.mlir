// RUN: not prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_80" 2>&1 | FileCheck %s --check-prefix=FP8
// RUN: not prec-opt %s --assign-precision="matmul-dtype=e4m3 target=sm_80" 2>&1 | FileCheck %s --check-prefix=DTYPE
// RUN: not prec-opt %s --assign-precision="recipe=fp8-rowwise target=sm_89" 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not prec-opt %s --assign-precision="recipe=fp8-block target=sm_100a" 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not prec-opt %s --assign-precision="recipe=mxfp8 target=sm_90a" 2>&1 | FileCheck %s --check-prefix=MX
// RUN: not prec-opt %s --assign-precision="recipe=nvfp4 target=sm_90a" 2>&1 | FileCheck %s --check-prefix=FP4
// RUN: prec-opt %s -verify-diagnostics --assign-precision="recipe=fp8-hybrid target=sm_80 allow-fallback=true" --verify-precision | FileCheck %s

// CHECK: prec.target = "sm_80"
// expected-warning @+1 {{1 contraction of shape (MxNxK) 32x16x64 reads bf16: sm_80 has no FP8 matrix units (they begin with sm_89)}}
func.func @f(%x: tensor<32x64xf32>, %w: tensor<64x16xf32>) -> tensor<32x16xf32> {
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<bf16, rule = "fp8-hybrid fprop would read e4m3 x e4m3, but sm_80 has no FP8 matrix units
  %y = prec_train.matmul %x, %w : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// assign_c3
// FP8: error: recipe fp8-hybrid reads e4m3 x e4m3 in fprop, but sm_80 has no FP8 matrix units (they begin with sm_89); allow-fallback=true reads bf16 instead
// DTYPE: error: recipe bf16 reads e4m3 x e4m3 in fprop, but sm_80 has no FP8 matrix units (they begin with sm_89)
// ROW: error: recipe fp8-rowwise reads e4m3 x e4m3 in fprop, but sm_89 has no e4m3 x e4m3 (row x row) product (sm_90a and cpu have)
// BLOCK: error: recipe fp8-block reads e4m3 x e4m3 in fprop, but sm_100a has no e4m3 x e4m3 (block_1x128 x block_128x128) product (sm_90a and cpu have)
// MX: error: recipe mxfp8 reads e4m3 x e4m3 in fprop, but sm_90a has no e4m3 x e4m3 (mx_1x32 x mx_1x32) product (sm_100a and cpu have)
// FP4: error: recipe nvfp4 reads e2m1 x e2m1 in fprop, but sm_90a has no FP4 matrix units (they begin with sm_100a)
