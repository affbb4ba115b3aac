// What is kept high, what is not legal, and what would change that.
//
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" --explain=all -o /dev/null 2>&1 | FileCheck %s
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a explain=blocks.0.odd" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a explain=blocks.*.weight" -o /dev/null 2>&1 | FileCheck %s --check-prefix=GLOB
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a explain=blocks explain-file=%t.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a explain=blocks explain-file=%t.txt" -o /dev/null
// RUN: FileCheck %s < %t.txt
// RUN: not prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" --explain=odd -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not prec-opt %s --assign-precision="explain=[*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=GLOBERROR
// RUN: not prec-opt %s --explain=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOPASS
// RUN: not prec-opt %s --assign-precision="explain-file=%t.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOQUERY
// RUN: not prec-opt %s --assign-precision="explain=all explain-file=%t.none/x" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOFILE

// CHECK: Why, in @step: recipe fp8-hybrid, legality of sm_90a
// CHECK: blocks.0.weight
// CHECK-NEXT: parameter
// CHECK-NEXT: argument: 48x40, f32
// CHECK-NEXT: because master weight: an update far below the weight must survive
// CHECK-NEXT: would change with: another master-dtype=
// CHECK-NEXT: or: a recipe-file= with another storage.master
// CHECK-NEXT: or: a rule of your own (rules=) that pins another
// CHECK-NEXT: beat: bf16
// CHECK-NEXT: because it rounds by up to 0.39 %, not 6e-06 %, to save 3.8 KiB
// CHECK: blocks.0.odd
// CHECK-NEXT: prec_train.matmul, contraction, forward, fprop, 32x48x40 (MxNxK)
// CHECK: operand 0: bf16
// CHECK-NEXT: because fp8-hybrid fprop would read e4m3 x e4m3, but K = 40 is not a multiple of 16
// CHECK: winner: bf16 x bf16 -> bf16
// CHECK-NEXT: beat: e4m3 x e4m3 -> bf16, tensor_current, fast
// CHECK-NEXT: because legality: K = 40 is not a multiple of 16, as FP8 on sm_90a needs
// CHECK-NEXT: would change with: K = 48, the next multiple of 16, instead of 40
// CHECK-NOT: beat:
// CHECK: blocks.1.even
// CHECK: operand 0: e4m3, tensor_current, fast
// CHECK-NEXT: because fp8-hybrid fprop: activation read in e4m3
// CHECK-NEXT: would change with: the option reads=fprop.activation:FORMAT
// CHECK: winner: e4m3 x e4m3 -> bf16, tensor_current, fast
// CHECK-NEXT: beat: bf16 x bf16 -> bf16
// CHECK-NEXT: because permitted, but comes after it
// CHECK-NEXT: would change with: a rule of your own (rules=) that pins or prefers it

// ONE-NOT: blocks.1
// ONE: blocks.0.odd
// ONE-NOT: blocks.1

// A tensor comes with what reads it.
// GLOB: blocks.0.weight
// GLOB: blocks.1.weight
// GLOB: blocks.0.odd
// GLOB: blocks.1.even

// JSON: "query": "blocks"
// JSON: "winner": 1
// JSON: "veto": "legality"
// JSON-NEXT: "reason": "K = 40 is not a multiple of 16, as FP8 on sm_90a needs"
// JSON-NEXT: "changes": [
// JSON-NEXT: "K = 48, the next multiple of 16, instead of 40"

// NEAR: error: explain must be 'all', the path of a tensor or module, or a pattern with '*', but got 'odd', which is none; the nearest path is 'blocks.0.odd'
// GLOBERROR: error: {{.*}}glob
// NOPASS: error: a graph must be tagged by --assign-precision, but got none of 'prec.recipe' and 'prec.target'
// NOQUERY: error: explain-file needs 'explain'
// NOFILE: error: cannot write

func.func @step(%x: tensor<32x40xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<48x40xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.0.weight"},
                %v: tensor<16x48xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.1.weight"}) -> tensor<32x16xf32> attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<32x40xf32>, tensor<48x40xf32>) -> tensor<32x48xf32> loc("blocks.0.odd")
  %z = prec_train.matmul %y, %v {transpose_b} : (tensor<32x48xf32>, tensor<16x48xf32>) -> tensor<32x16xf32> loc("blocks.1.even")
  return %z : tensor<32x16xf32>
}
