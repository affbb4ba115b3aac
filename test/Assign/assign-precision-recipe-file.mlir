// RUN: prec-opt %s --assign-precision="recipe-file=%S/Inputs/mine.json target=cpu" --verify-precision | FileCheck %s

// A recipe of one's own: FP8 forward, BF16 backward, and a norm that stores f32.

// CHECK: prec.recipe = "mine"
// CHECK-LABEL: @f
func.func @f(%x: tensor<32x64xf32>, %g: tensor<64xf32>, %w: tensor<64x16xf32>) -> tensor<32x16xf32> {
  // CHECK: prec_train.rms_norm {{.*}}result_tags = [#prec.tag<f32, rule = "norm: for a test">
  %n, %r = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32} : (tensor<32x64xf32>, tensor<64xf32>) -> (tensor<32x64xf32>, tensor<32xf32>)
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "mine fprop: activation read in e4m3; for a test">
  %y = prec_train.matmul %n, %w : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}
