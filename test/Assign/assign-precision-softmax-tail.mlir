// Probabilities that are stored lose what is far below the largest of their row.
//
// RUN: prec-opt %s --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:100" -o /dev/null 2>&1 | FileCheck %s
// CHECK: warning: bf16 probabilities lose their tail, in 1 place: scores.softmax (logits of a row are up to 100 apart, but what is more than 93 below the largest becomes zero)
// RUN: not prec-opt %s --assign-precision="recipe=fp16 target=cpu assume=softmax-gap:20 bounds=refuse" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: f16 probabilities lose their tail, in 1 place
//
// RUN: prec-opt %s --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:90" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: prec-opt %s --assign-precision="recipe=fp32 target=cpu assume=softmax-gap:100" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: prec-opt %s --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:100 bounds=off" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: prec-opt %s --assign-precision="recipe=bf16 target=cpu" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// NONE-NOT: lose
//
// RUN: not prec-opt %s --assign-precision="assume=softmax-gap:wide" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: assume softmax-gap must be a number from 0 to 1e+300, but got 'wide'

func.func @step(%x: tensor<32x64xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<16x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "scores.weight"},
                %v: tensor<16x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "values.weight"}) -> tensor<32x64xf32> attributes {prec.entry = "step"} {
  %s = prec_train.matmul %x, %w {transpose_b} : (tensor<32x64xf32>, tensor<16x64xf32>) -> tensor<32x16xf32> loc("scores")
  %p = prec_train.softmax %s : (tensor<32x16xf32>) -> tensor<32x16xf32> loc("scores.softmax")
  %y = prec_train.matmul %p, %v : (tensor<32x16xf32>, tensor<16x64xf32>) -> tensor<32x64xf32> loc("values")
  return %y : tensor<32x64xf32>
}
