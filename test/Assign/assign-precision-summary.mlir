// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision=summary=true -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t

// The summary goes to stderr, the graph is not disturbed.
// IR: module attributes
// CHECK: Precision of @step: recipe fp8-hybrid (the default), legality of sm_90a (the default)
// CHECK: FP8 {{.*}} %{{.*}} %
// CHECK-NEXT: BF16 {{.*}} %{{.*}} %
// CHECK-NEXT: FP32 {{.*}} %{{ *}}0.0 %
// CHECK: contraction 42 e4m3, e5m2 -> bf16 read once
// CHECK-NEXT: head 3 bf16 -> bf16 logits feed the cross entropy directly
// CHECK-NEXT: attention 4 bf16 -> bf16
// CHECK-NEXT: residual 8 bf16
// CHECK-NEXT: embedding 2 bf16
// CHECK-NEXT: norm 10 f32 inside, bf16
// CHECK: loss 2 bf16, f32
// CHECK-NEXT: clipping 2 f32
// CHECK-NEXT: optimizer 20 f32
// CHECK-NEXT: weight gradients {{[0-9]+}} bf16
// CHECK-NEXT: master weights 20 f32
// CHECK-NEXT: moments 40 f32
