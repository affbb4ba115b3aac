// A softmax made of primitives loses what the composite of it does.
//
// RUN: split-file %s %t
// RUN: prec-opt %t/quotient.mlir --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:100" -o /dev/null 2>&1 | FileCheck %t/quotient.mlir
// RUN: prec-opt %t/quotient.mlir --prec-raise-composites --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:100" -o /dev/null 2>&1 | FileCheck %t/quotient.mlir
// RUN: prec-opt %t/quotient.mlir --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:90" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: prec-opt %t/quotient.mlir --prec-raise-composites --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:90" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// NONE-NOT: lose
//
// JAX's, with everything around it.
// RUN: prec-opt %S/Inputs/block-jax.mlir --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:100" -o /dev/null 2>&1 | FileCheck %s --check-prefix=JAX
// RUN: prec-opt %S/Inputs/block-jax.mlir --prec-raise-composites --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:100" -o /dev/null 2>&1 | FileCheck %s --check-prefix=JAX
// JAX: warning: bf16 probabilities lose their tail, in 1 place: {{.*}}block-jax.mlir:122 (
//
// Logits that were measured.
// RUN: prec-opt %t/quotient.mlir --assign-precision="recipe=bf16 target=cpu numerics=%t/numerics.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MEASURED
// RUN: prec-opt %t/quotient.mlir --prec-raise-composites --assign-precision="recipe=bf16 target=cpu numerics=%t/numerics.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MEASURED
// MEASURED: warning: bf16 probabilities lose their tail, in 1 place: scores.softmax (logits of a row are up to 120 apart,
//
// What reads them in FP8.
// RUN: prec-opt %t/quotient.mlir --assign-precision="recipe=fp8-hybrid target=cpu rules=%t/rules.json assume=softmax-gap:20" -o /dev/null 2>&1 | FileCheck %s --check-prefix=READ
// RUN: prec-opt %t/quotient.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid target=cpu rules=%t/rules.json assume=softmax-gap:20" -o /dev/null 2>&1 | FileCheck %s --check-prefix=READ
// READ: warning: nothing but e4m3 x e4m3 is permitted, but e4m3 loses the tail of a softmax, in 1 place: values (logits of a row are up to 20 apart, but what is more than 13 below the largest becomes zero)
//
// Exponentials below the largest of their row are probabilities but for a factor; others may be of any size.
// RUN: prec-opt %t/contracted.mlir --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:100" -o /dev/null 2>&1 | FileCheck %t/contracted.mlir
// RUN: prec-opt %t/unshifted.mlir --assign-precision="recipe=bf16 target=cpu assume=softmax-gap:100" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

//--- numerics.json
{"version": 1, "uses": [], "tensors": [{"path": "scores", "phase": "forward", "amax": 60, "rms": 3}]}

//--- rules.json
{"version": 1, "rules": [{"match": {"path": "values", "direction": "fprop"}, "pin": {"reads": "e4m3"}, "reason": "a test"}]}

//--- quotient.mlir
// CHECK: warning: bf16 probabilities lose their tail, in 1 place: scores.softmax (logits of a row are up to 100 apart, but what is more than 93 below the largest becomes zero)
func.func @step(%x: tensor<32x64xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<16x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "scores.weight"},
                %v: tensor<16x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "values.weight"}) -> tensor<32x64xf32> attributes {prec.entry = "step"} {
  %s = prec_train.matmul %x, %w {transpose_b} : (tensor<32x64xf32>, tensor<16x64xf32>) -> tensor<32x16xf32> loc("scores")
  %m = prec_train.reduce max %s dims [1] : (tensor<32x16xf32>) -> tensor<32xf32> loc("scores.softmax")
  %mb = prec_train.broadcast %m dims [0] : (tensor<32xf32>) -> tensor<32x16xf32> loc("scores.softmax")
  %d = arith.subf %s, %mb : tensor<32x16xf32> loc("scores.softmax")
  %e = math.exp %d : tensor<32x16xf32> loc("scores.softmax")
  %t = prec_train.reduce sum %e dims [1] : (tensor<32x16xf32>) -> tensor<32xf32> loc("scores.softmax")
  %tb = prec_train.broadcast %t dims [0] : (tensor<32xf32>) -> tensor<32x16xf32> loc("scores.softmax")
  %p = arith.divf %e, %tb : tensor<32x16xf32> loc("scores.softmax")
  %y = prec_train.matmul %p, %v : (tensor<32x16xf32>, tensor<16x64xf32>) -> tensor<32x64xf32> loc("values")
  return %y : tensor<32x64xf32>
}

//--- contracted.mlir
// CHECK: warning: bf16 probabilities lose their tail, in 1 place: scores.exp (
func.func @step(%x: tensor<32x64xf32>, %w: tensor<16x64xf32>, %v: tensor<16x64xf32>) -> tensor<32x64xf32> attributes {prec.entry = "step"} {
  %s = prec_train.matmul %x, %w {transpose_b} : (tensor<32x64xf32>, tensor<16x64xf32>) -> tensor<32x16xf32> loc("scores")
  %m = prec_train.reduce max %s dims [1] : (tensor<32x16xf32>) -> tensor<32xf32> loc("scores.max")
  %mb = prec_train.broadcast %m dims [0] : (tensor<32xf32>) -> tensor<32x16xf32> loc("scores.max")
  %d = arith.subf %s, %mb : tensor<32x16xf32> loc("scores.shift")
  %e = math.exp %d : tensor<32x16xf32> loc("scores.exp")
  %t = prec_train.reduce sum %e dims [1] : (tensor<32x16xf32>) -> tensor<32xf32> loc("scores.sum")
  %o = prec_train.matmul %e, %v : (tensor<32x16xf32>, tensor<16x64xf32>) -> tensor<32x64xf32> loc("values")
  %tb = prec_train.broadcast %t dims [0] : (tensor<32xf32>) -> tensor<32x64xf32> loc("scores.sum")
  %y = arith.divf %o, %tb : tensor<32x64xf32> loc("quotient")
  return %y : tensor<32x64xf32>
}

//--- unshifted.mlir
func.func @step(%x: tensor<32x64xf32>, %w: tensor<16x64xf32>, %v: tensor<16x64xf32>) -> tensor<32x64xf32> attributes {prec.entry = "step"} {
  %s = prec_train.matmul %x, %w {transpose_b} : (tensor<32x64xf32>, tensor<16x64xf32>) -> tensor<32x16xf32> loc("scores")
  %e = math.exp %s : tensor<32x16xf32> loc("scores.exp")
  %t = prec_train.reduce sum %e dims [1] : (tensor<32x16xf32>) -> tensor<32xf32> loc("scores.sum")
  %o = prec_train.matmul %e, %v : (tensor<32x16xf32>, tensor<16x64xf32>) -> tensor<32x64xf32> loc("values")
  %tb = prec_train.broadcast %t dims [0] : (tensor<32xf32>) -> tensor<32x64xf32> loc("scores.sum")
  %y = arith.divf %o, %tb : tensor<32x64xf32> loc("quotient")
  return %y : tensor<32x64xf32>
}
