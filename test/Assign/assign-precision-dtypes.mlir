// Dtypes without a recipe belong to bf16, with the defaults of the document.
// RUN: prec-opt %s --assign-precision="matmul-dtype=e4m3 target=cpu" --verify-precision 2>&1 | FileCheck %s --check-prefixes=CHECK,DTYPES
// A named recipe keeps its masters.
// RUN: prec-opt %s --assign-precision="recipe=bf16 matmul-dtype=e4m3 target=cpu" --verify-precision 2>&1 | FileCheck %s --check-prefixes=CHECK,BF16
// A recipe that forces its formats says so.
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid matmul-dtype=bf16 target=cpu" --verify-precision 2>&1 | FileCheck %s --check-prefix=FORCED
// The options of a recipe file are those of its dtypes.
// RUN: not prec-opt %s --assign-precision="matmul-dtype=e5m2" 2>&1 | FileCheck %s --check-prefix=REFUSED

// DTYPES: remark: recipe bf16 (which dtypes belong to), legality of cpu
// CHECK: remark: gradient_dtype is e5m2: it defaults to matmul_dtype, but e4m3 is not supported for gradients
// DTYPES: warning: master weights are bf16: an update of less than 2^-9 of its weight is lost; master_dtype=fp32 keeps it
// BF16-NOT: warning
// FORCED: warning: recipe fp8-hybrid overrides matmul_dtype=bf16: it forces fprop e4m3 x e4m3, dgrad e5m2 x e4m3, wgrad e5m2 x e4m3
// REFUSED: error: matmul_dtype must be one of 'fp32', 'bf16', 'e4m3', but got 'e5m2': e5m2, fp16 and e2m1 are not supported in the forward pass

// CHECK: prec.recipe = "bf16"
// CHECK-LABEL: @f
// DTYPES-SAME: prec.tag = #prec.tag<bf16, rule = "master weight:
// BF16-SAME: prec.tag = #prec.tag<f32, rule = "master weight:
func.func @f(%x: tensor<32x64xf32>, %w: tensor<64x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}) -> tensor<32x16xf32> {
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "bf16 fprop: activation read in e4m3
  // FORCED: prec_train.matmul {{.*}}operand_tags = [#prec.tag<e4m3
  %y = prec_train.matmul %x, %w : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}
