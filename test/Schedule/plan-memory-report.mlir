// RUN: rm -rf %t && mkdir -p %t
// RUN: prec-opt %s --plan-memory=report=%t/memory.json -o /dev/null
// RUN: FileCheck %s < %t/memory.json
// RUN: not prec-opt %s --plan-memory=report=%t/missing/memory.json 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not prec-opt %s --plan-memory=report=/dev/full -o /dev/null 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: report must be a file that can be written: No space left on device

// Two values of 128 bytes take 256 each; while "b" runs both are live.
// CHECK: "segments": {
// CHECK-NEXT: "state": 256,
// CHECK-NEXT: "input": 0,
// CHECK-NEXT: "output": 256,
// CHECK-NEXT: "workspace": 512
// CHECK: "step": {
// CHECK-NEXT: "arena_bytes": 512,
// CHECK-NEXT: "peak_live_bytes": 512,
// CHECK-NEXT: "live_bytes": [
// CHECK-NEXT: 256,
// CHECK-NEXT: 512,
// CHECK-NEXT: 256
// CHECK-NEXT: ]

// ERROR: error: report must be a file that can be written: {{.+}}
func.func @step(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = sched.gemm %x, %x <full> {transpose_a} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %b = sched.gemm %x, %a <full> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %c = sched.copy %b : tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
