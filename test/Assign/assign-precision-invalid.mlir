// RUN: not prec-opt %s --assign-precision="recipe=fp9" 2>&1 | FileCheck %s --check-prefix=RECIPE
// RUN: not prec-opt %s --assign-precision="target=sm_70" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not prec-opt %s --assign-precision="recipe=bf16 recipe-file=%S/Inputs/unknown-key.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not prec-opt %s --assign-precision="recipe-file=%t.none" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not prec-opt %s --assign-precision="recipe-file=%S/Inputs/unknown-key.json" 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not prec-opt %s --assign-precision="recipe-file=%S/Inputs/truncated.json" 2>&1 | FileCheck %s --check-prefix=TRUNCATED
// RUN: not prec-opt %s --assign-precision="recipes=bf16" 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not prec-opt %s --assign-precision="recipe=bf16 map-file=%t.dir/none/map.json" 2>&1 | FileCheck %s --check-prefix=MAP

// RECIPE: error: recipe must be one of 'fp32', 'bf16', 'fp16', 'fp8-hybrid', 'fp8-e4m3', 'fp8-rowwise', 'fp8-block', 'mxfp8', 'nvfp4', 'torchao-tensorwise', but got 'fp9' (recipe-file= takes a recipe of your own)
// TARGET: error: target must be one of 'sm_80', 'sm_89', 'sm_90a', 'sm_100a', 'cpu', but got 'sm_70'
// BOTH: error: 'recipe' and 'recipe-file' must not both be given
// MISSING: error: recipe file: cannot read '{{.*}}.none': No such file or directory
// KEY: unknown-key.json:4:3: error: unknown key 'contractions', expected one of 'recipe', 'description', 'contraction', 'storage', 'keep_high', 'dtypes', 'layers', 'amax', 'loss_scaling'
// TRUNCATED: truncated.json:3:1: error: expected a value, but got the end of the file
// OPTION: no such option recipes
// MAP: error: precision map: cannot write

func.func @f(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  return %x : tensor<32x64xf32>
}
