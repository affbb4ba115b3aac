// Policies on an imported Llama: 64 tokens, two layers, and the head that a
// rule keeps high whatever a policy says.

// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid target=cpu policy=%S/Inputs/policy.json" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=MESSAGES
// RUN: grep -o 'policy: [^"]*' %t.mlir | sort | uniq -c | FileCheck %s --check-prefix=TAGS
// RUN: prec-opt %t.mlir --verify-precision -o /dev/null

// MESSAGES: warning: {{.*}}policy.json:13:7: rule for column_grouped etp=1 num_gemms=64 is for no module of this graph
// MESSAGES: remark: rules of the policy for other sizes of parallelism: 1
// MESSAGES: warning: 6 contractions of shape (MxNxK) 64x64x176, 64x176x64 read bf16: the policy has no rule for row/fc2 tp=1 (first at model.layers.0.mlp.down_proj)

// TAGS: 24 policy: layernorm_column/fc1 tp=1: 64 tokens are fewer than its 4096: reads bf16
// TAGS: 36 policy: layernorm_column/qkv tp=1: 64 tokens are at least its 16
// TAGS: 12 policy: no rule for row/fc2 tp=1: reads bf16
// TAGS: 12 policy: row/proj tp=1: 64 tokens are at least its 64

// A map renames the down-projection and gives the first layer a policy without
// rules.
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid target=cpu policy=%S/Inputs/policy.json policy-modules=%S/Inputs/policy-modules.json" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=MAPPED-MESSAGES
// RUN: grep -o 'policy: [^"]*' %t.mlir | sort | uniq -c | FileCheck %s --check-prefix=MAPPED

// MAPPED-MESSAGES: warning: {{.*}}policy-modules.json:5:14: path 'vision.*' matches no contraction of a weight
// MAPPED-MESSAGES: read bf16: the policy has no rule for layernorm_column/qkv tp=1 (first at model.layers.0.self_attn.q_proj)

// MAPPED: 12 policy: layernorm_column/fc1 tp=1: 64 tokens are fewer than its 4096: reads bf16
// MAPPED: 18 policy: layernorm_column/qkv tp=1: 64 tokens are at least its 16
// MAPPED: 12 policy: no rule for layernorm_column/fc1 tp=1: reads bf16
// MAPPED: 18 policy: no rule for layernorm_column/qkv tp=1: reads bf16
// MAPPED: 12 policy: no rule for row/proj tp=1: reads bf16
// MAPPED: 12 policy: row/proj tp=1: 64 tokens are at least its 64

// The summary says why contractions that the policy took back are BF16.
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid target=cpu policy=%S/Inputs/policy.json summary=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: contraction        42   e4m3, e5m2, bf16 -> bf16  read once and written back: FP8 in
// BACK-NEXT: {{^}}                     12   of these            policy: layernorm_column/fc1 tp=1: 64 tokens are fewer than its 4096{{$}}
// BACK-NEXT: {{^}}                      6   of these            policy: no rule for row/fc2 tp=1{{$}}
// BACK-NEXT: {{^}}  head

// So does one of a cost model, in one line.
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid target=sm_90a choose=cost summary=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: contraction        42   bf16 -> bf16        cost: with the recipe's formats the step takes longer
// TAKEN-NEXT: {{^}}  head

// The summary prints what the modules are called.
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid target=cpu policy=%S/Inputs/policy.json policy-modules=%S/Inputs/policy-modules.json summary=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: modules that the policy was asked for
// NAMES-NEXT: layernorm_column/fc1 tp=1, 64 tokens: 4 modules (model.layers.0.mlp.gate_proj, model.layers.0.mlp.up_proj, model.layers.1.mlp.gate_proj, ...)
// NAMES-NEXT: layernorm_column/qkv tp=1, 64 tokens: 6 modules (model.layers.0.self_attn.q_proj,
// NAMES-NEXT: row/proj tp=1, 64 tokens: 4 modules (model.layers.0.self_attn.o_proj, model.layers.0.mlp.down_proj, model.layers.1.self_attn.o_proj, ...)

// A policy of version 2 decides each direction by its own times: of the
// down-projection only fprop is FP8, and nothing else was measured.
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid target=sm_90a policy=%S/Inputs/policy-v2.json" -o %t.mlir
// RUN: grep -o 'policy: [^"]*' %t.mlir | sort | uniq -c | FileCheck %s --check-prefix=TIMES
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid target=cpu policy-gpu=H200 policy=%S/Inputs/policy-v2.json" -o %t.mlir
// RUN: grep -o 'policy: [^"]*' %t.mlir | sort | uniq -c | FileCheck %s --check-prefix=TIMES
// TIMES: 4 policy: dgrad 64x176x64 {{.*}}: 11.0 us against 10.0 us in bf16, {{.*}}: reads bf16
// TIMES: 4 policy: fprop 64x64x176 {{.*}}: 8.0 us against 10.0 us in bf16{{$}}
// TIMES: 4 policy: no times of row/fc2 tp=1: reads bf16

// Times of a GPU decide for its own target. The CPU stands in for a GPU that
// is named.
// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="target=sm_100a policy=%S/Inputs/policy-v2.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: policy '{{.*}}policy-v2.json' must have times of a GPU of target sm_100a, but got NVIDIA H200 (cublaslt 13.0.2)
// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="target=sm_100a policy-gpu=h200 policy=%S/Inputs/policy-v2.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="target=sm_100a choose=cost policy=%S/Inputs/policy-v2.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="target=cpu policy=%S/Inputs/policy-v2.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: policy '{{.*}}policy-v2.json' must have times of the GPU that policy-gpu= names to decide for cpu, but got NVIDIA H200
// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="target=cpu choose=cost policy-gpu=H200 policy=%S/Inputs/policy-v2.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CPU-COST
// CPU-COST: error: choose=cost must have times of the target cpu, but policy '{{.*}}policy-v2.json' has those of NVIDIA H200

// Times that the graph has no contraction for are counted: more is measured
// than one graph asks for.
// RUN: sed -e 's/"m": 64, "n": 176, "k": 64/"m": 64, "n": 177, "k": 64/' -e 's/"modules": \[\]/"modules": [{"machine": "a", "kind": "row_grouped", "etp": 1, "num_gemms": 8, "tokens": 64, "precision": "bf16", "us": 1}]/' %S/Inputs/policy-v2.json > %t.more.json
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid target=sm_90a policy=%t.more.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: remark: times of the policy for contractions and modules that this graph does not have: 3
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid target=sm_90a policy=%S/Inputs/policy-v2.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL-ASKED --implicit-check-not="does not have"
// ALL-ASKED: warning

// A GPU that the file does not have is a slip of the pen.
// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="policy-gpu=B200 policy=%S/Inputs/policy-v2.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-GPU
// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="choose=cost policy-gpu=B200 policy=%S/Inputs/policy-v2.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-GPU
// NO-GPU: error: policy '{{.*}}policy-v2.json' must have times of policy-gpu='B200', but got NVIDIA H200 (cublaslt 13.0.2)

// A rule that was measured below its file's threshold enables nothing.
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-hybrid policy=%S/Inputs/policy-slow.json" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SLOW --implicit-check-not=measured_speedup
// RUN: grep -o 'policy: [^"]*' %t.mlir | sort | uniq -c | FileCheck %s --check-prefix=SLOW-TAGS
// SLOW: warning: {{.*}}policy-slow.json:6:15: rule for layernorm_column/fc1 tp=1 must have a measured_speedup of at least 1.1, the file's speedup_threshold, but got 1.02: its modules are not FP8 (and so for 1 other rule){{$}}
// SLOW-TAGS: 24 policy: layernorm_column/fc1 tp=1: its measured speedup of 1.02 is below the file's threshold of 1.1: reads bf16

// Thresholds are of no GPU.
// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="target=cpu policy-gpu=H200 policy=%S/Inputs/policy.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=THRESHOLDS
// THRESHOLDS: error: policy-gpu must name a machine of a policy of version 2, but got 'H200' for the thresholds of '{{.*}}policy.json'

// A recipe without FP8 asks no policy, which is a warning.
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=bf16 target=cpu policy=%S/Inputs/policy.json" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NO-FP8
// NO-FP8: warning: a policy must have something to decide, but no contraction may read both FP8 and wider formats
// RUN: not grep 'policy: ' %t.mlir

// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="policy-gpu=H200" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: 'policy-modules' and 'policy-gpu' need a 'policy'

// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="policy=%S/Inputs/none.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: cannot read '{{.*}}none.json': No such file or directory

// RUN: not prec-opt %examples/llama_tiny.mlir --assign-precision="policy=%S/Inputs/mine.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: {{.*}}mine.json:1:1: error: missing key 'version'
