// Every decision as a remark, for the ecosystem's tools.
//
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" --remarks-filter="assign-precision.*" -o /dev/null 2>&1 | FileCheck %s
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" --remarks-filter-missed="assign-precision.*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" --remarks-filter="assign-precision.*" --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null
// RUN: FileCheck %s --check-prefix=YAML < %t.yaml

// CHECK-DAG: [Analysis] Storage | Category:assign-precision:argument | Function=step | Beaten=bf16, Because="it rounds by up to 0.39 %, not 6e-06 %, to save 1.5 KiB", Format=f32, Path=even.weight, Reason="master weight: {{.*}}", Veto=none
// CHECK-DAG: [Analysis] Read | Category:assign-precision:contraction | Function=step | Accumulator=fast, Format=e4m3, Operand=0, Path=even, Reason="{{.*}}", Scaling=tensor_current
// CHECK-DAG: [Missed] Contraction | Category:assign-precision:contraction | Function=step | Beaten="e4m3 x e4m3", Because="K = 40 is not a multiple of 16, as FP8 on sm_90a needs", Direction=fprop, Path=odd, Result=bf16, Veto=legality, Winner="bf16 x bf16"
// CHECK-DAG: [Passed] Contraction | Category:assign-precision:contraction | Function=step | Beaten="bf16 x bf16", Direction=fprop, Path=even, Result=bf16, Veto=none, Winner="e4m3 x e4m3"

// MISSED-NOT: Passed
// MISSED: [Missed] Contraction
// MISSED-NOT: [Analysis]

// YAML: --- !Missed
// YAML: Pass: {{ *}}'assign-precision:contraction'
// YAML: Name: {{ *}}Contraction
// YAML: Path: {{ *}}odd
// YAML: Beaten: {{ *}}e4m3 x e4m3
// YAML: Veto: {{ *}}legality

func.func @step(%x: tensor<32x40xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<48x40xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "odd.weight"},
                %v: tensor<16x48xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "even.weight"}) -> tensor<32x16xf32> attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<32x40xf32>, tensor<48x40xf32>) -> tensor<32x48xf32> loc("odd")
  %z = prec_train.matmul %y, %v {transpose_b} : (tensor<32x48xf32>, tensor<16x48xf32>) -> tensor<32x16xf32> loc("even")
  return %z : tensor<32x16xf32>
}
