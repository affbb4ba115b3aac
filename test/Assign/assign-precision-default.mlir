// RUN: prec-opt %s --assign-precision 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" 2>&1 | FileCheck %s --check-prefix=QUIET

// REMARK: remark: recipe fp8-hybrid (the default), legality of sm_90a (the default)
// CHECK: module attributes {prec.recipe = "fp8-hybrid", prec.target = "sm_90a"}
// QUIET-NOT: remark
func.func @f(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  return %x : tensor<32x64xf32>
}
