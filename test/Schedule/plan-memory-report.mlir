// RUN: rm -rf %t && mkdir -p %t
// RUN: prec-opt %s --prec-plan-memory=report=%t/memory.json -o /dev/null
// RUN: FileCheck %s < %t/memory.json
// RUN: prec-opt %s --prec-plan-memory=report=%t/memory.html -o /dev/null
// RUN: FileCheck %s --check-prefix=PAGE < %t/memory.html
// RUN: not prec-opt %s --prec-plan-memory=report=%t/missing/memory.json 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not prec-opt %s --prec-plan-memory=report=/dev/full -o /dev/null 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: report must be a file that can be written: cannot write '/dev/full': No space left on device
// ERROR: error: report must be a file that can be written: {{.+}}
// PAGE: <!DOCTYPE html>
// PAGE: "what":"activations"

// Two values of 128 bytes take 256 each; while gemm.1 runs both are live.
// CHECK: "version": 1,
// CHECK: "segments": {
// CHECK-NEXT: "state": 256,
// CHECK-NEXT: "input": 0,
// CHECK-NEXT: "output": 256,
// CHECK-NEXT: "workspace": 512
// CHECK: "residents": [
// CHECK: "what": "other state",
// CHECK-NEXT: "name": "argument 0",
// CHECK-NEXT: "type": "4x8xf32",
// CHECK-NEXT: "segment": "state",
// CHECK-NEXT: "offset": 0,
// CHECK-NEXT: "bytes": 128
// CHECK: "what": "inputs and outputs",
// CHECK-NEXT: "name": "result 0",
// CHECK: "step": {
// CHECK-NEXT: "arena_bytes": 512,
// CHECK-NEXT: "peak_live_bytes": 512,
// CHECK-NEXT: "peak_command": 1,
// CHECK-NEXT: "live_bytes": [
// CHECK-NEXT: 256,
// CHECK-NEXT: 512,
// CHECK-NEXT: 256,
// CHECK-NEXT: 256
// CHECK-NEXT: ]
// CHECK: "name": "model.up/gemm.0",
// CHECK-NEXT: "path": "model.up",
// CHECK-NEXT: "phase": "forward"
// CHECK: "name": "gemm.1",
// CHECK-NEXT: "path": "",
// CHECK-NEXT: "phase": "backward"
// CHECK: "buffers": [
// CHECK: "what": "activations",
// CHECK-NEXT: "type": "8x8xf32",
// CHECK-NEXT: "offset": 0,
// CHECK-NEXT: "bytes": 256,
// CHECK-NEXT: "first": 0,
// CHECK-NEXT: "last": 1
// CHECK: "what": "weight gradients",
// CHECK-NEXT: "type": "4x8xf32",
// CHECK-NEXT: "offset": 256,
// CHECK-NEXT: "bytes": 128,
// CHECK-NEXT: "first": 1,
// CHECK-NEXT: "last": 1
// What is computed over its operand takes its bytes from there on.
// CHECK: "what": "temporaries",
// CHECK-NEXT: "type": "4x8xf32",
// CHECK-NEXT: "offset": 256,
// CHECK-NEXT: "bytes": 128,
// CHECK-NEXT: "first": 2,
// CHECK-NEXT: "last": 3
func.func @step(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {prec.entry = "step"} {
  %a = prec_sched.gemm %x, %x <full> {transpose_a} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32> loc("model.up")
  %b = prec_sched.gemm %x, %a <full> {prec_train.phase = #prec_train.phase<backward>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %c = prec_sched.dispatch <elementwise> "double"(%b) {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%0: tensor<4x8xf32>):
    %1 = arith.addf %0, %0 : tensor<4x8xf32>
    prec_sched.yield %1 : tensor<4x8xf32>
  }
  %d = prec_sched.dispatch <elementwise> "again"(%c) {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%0: tensor<4x8xf32>):
    %1 = arith.addf %0, %0 : tensor<4x8xf32>
    prec_sched.yield %1 : tensor<4x8xf32>
  }
  return %d : tensor<4x8xf32>
}
