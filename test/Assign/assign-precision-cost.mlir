// What a cost model chooses for an imported Llama: two layers of 64 tokens are
// so small that quantizing costs more than FP8 gains.

// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites -o %t.raised.mlir
// RUN: prec-opt %t.raised.mlir --assign-precision="recipe=fp8-hybrid target=sm_90a choose=cost" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: prec-opt %t.mlir --verify-precision -o /dev/null
// RUN: grep -o 'rule = "cost: [^"]*' %t.mlir | FileCheck %s --check-prefix=TAGS
// SMALL: remark: products and their casts take {{[0-9.]+}} us on H200 SXM (recipe everywhere {{[0-9.]+}} us, each contraction for itself {{[0-9.]+}} us): 42 of 42 contractions with a choice leave the recipe, 0 by measured times
// TAGS: rule = "cost: with e4m3 x e4m3 the step takes {{[0-9.]+}} us more: reads bf16

// The map has the times.
// RUN: prec-opt %t.raised.mlir --assign-precision="recipe=fp8-hybrid target=sm_90a choose=cost map-file=%t.json" -o /dev/null
// RUN: grep -c '"us":' %t.json

// Never worse than the recipe or than each contraction for itself, whatever
// the graph, the recipe and the target.
// RUN: prec-opt %t.raised.mlir --assign-precision="recipe=fp8-rowwise target=sm_90a choose=cost" -o /dev/null 2>&1 | python3 %S/Inputs/check_gain.py
// RUN: prec-opt %t.raised.mlir --assign-precision="recipe=fp8-block target=cpu choose=cost" -o /dev/null 2>&1 | python3 %S/Inputs/check_gain.py
// RUN: prec-opt %t.raised.mlir --assign-precision="recipe=mxfp8 target=sm_100a choose=cost" -o /dev/null 2>&1 | python3 %S/Inputs/check_gain.py
// RUN: prec-opt %t.raised.mlir --assign-precision="recipe=fp8-hybrid target=sm_89 choose=cost" -o /dev/null 2>&1 | python3 %S/Inputs/check_gain.py
// RUN: prec-opt %examples/gpt2_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid tensor-scaling=delayed choose=cost" -o /dev/null 2>&1 | python3 %S/Inputs/check_gain.py
// RUN: prec-opt %examples/bench_llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid choose=cost" -o /dev/null 2>&1 | python3 %S/Inputs/check_gain.py

// A device with a target-costs file of its own, whose units are slow: FP8 pays
// everywhere.
// RUN: prec-opt %t.raised.mlir --assign-precision="recipe=fp8-hybrid target=sm_90a choose=cost target-costs=%S/Inputs/slow-units.json" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SLOW
// RUN: prec-opt %t.mlir --verify-precision -o /dev/null
// SLOW: remark: products and their casts take {{.*}} on a device with slow units {{.*}}: 0 of 42 contractions with a choice leave the recipe

// Times of a policy of version 2 go before the roofline, where all candidates
// of a contraction were measured.
// RUN: prec-opt %t.raised.mlir --assign-precision="recipe=fp8-hybrid target=sm_90a choose=cost policy=%S/Inputs/policy-v2.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MEASURED
// MEASURED: contractions with a choice leave the recipe, {{[1-9][0-9]*}} by measured times

// RUN: not prec-opt %t.raised.mlir --assign-precision="choose=fastest" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: choose must be 'recipe' or 'cost', but got 'fastest'
// RUN: not prec-opt %t.raised.mlir --assign-precision="target-costs=%S/Inputs/slow-units.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: 'target-costs' needs 'choose=cost'
// RUN: not prec-opt %t.raised.mlir --assign-precision="choose=cost policy=%S/Inputs/policy.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=THRESHOLDS
// THRESHOLDS: error: choose=cost needs the times of a policy of version 2, but '{{.*}}policy.json' has thresholds
// RUN: not prec-opt %t.raised.mlir --assign-precision="target=sm_89 choose=cost target-costs=%S/Inputs/slow-units.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: target-costs must be of the target sm_89, but got 'sm_90a' in '{{.*}}slow-units.json'
// RUN: not prec-opt %t.raised.mlir --assign-precision="choose=cost target-costs=%S/Inputs/mine.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: {{.*}}mine.json:{{[0-9]+}}:{{[0-9]+}}: error: unknown key
