// RUN: prec-opt %examples/llama_tiny.mlir --assign-precision="rules=%S/Inputs/rules.json target=cpu" --verify-precision -o %t.mlir 2> %t.err
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --input-file=%t.err --check-prefix=WARNINGS --implicit-check-not=warning:

// Two layers of down_proj, two operands each; both backward contractions of
// each layer keep FP8.
// CHECK-COUNT-4: pinned to bf16 by {{[^ ]*}}rules.json:4:5: its input has outliers (our ablation 7)
// CHECK-NOT: its input has outliers

// WARNINGS: rules.json:16:5: warning: a rule must match something, but no operand that is read is matched by this one: not in this model
// WARNINGS: rules.json:19:5: warning: this preference is followed nowhere, because only contractions read e4m3

// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=HEAD
// HEAD-COUNT-6: pinned to e4m3 by {{[^ ]*}}rules.json:7:5: a small vocabulary

// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=FORBID
// FORBID: fp8-hybrid dgrad would read e5m2 x e4m3, but e5m2 is forbidden by {{[^ ]*}}rules.json:10:5: late gradients are small: reads bf16
// FORBID: #prec.tag<e5m2

// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=PREFER
// PREFER: f32 is preferred by {{[^ ]*}}rules.json:13:5: a wide stream

// The step module is compiled with them, too.
// RUN: prec-compile %examples/llama_tiny.mlir --rules=%S/Inputs/rules.json --target=cpu -o %t.so --dump-after=assign
// RUN: FileCheck %s --input-file=%t.assign.mlir
