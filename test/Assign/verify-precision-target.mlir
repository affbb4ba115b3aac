// RUN: prec-opt %s --verify-precision -o /dev/null
// RUN: not prec-opt %s --verify-precision=target=sm_80 -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not prec-opt %s --verify-precision=target=sm_1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// OTHER: error: 'prec_train.matmul' op must be legal on sm_80, but sm_80 has no FP8
// verify_precision_c13
// UNKNOWN: error: target must be one of 'sm_80', {{.*}}, but got 'sm_1'
module attributes {prec.recipe = "fp8-hybrid", prec.target = "cpu"} {
  func.func @f(%x: tensor<16x16xf32> {prec.tag = #prec.tag<f32, rule = "r">}) {
    %y = prec_train.matmul %x, %x {operand_tags = [#prec.tag<e4m3, scaling = tensor_current, rule = "r">, #prec.tag<e4m3, scaling = tensor_current, rule = "r">], result_tags = [#prec.tag<bf16, rule = "r">]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return
  }
}
