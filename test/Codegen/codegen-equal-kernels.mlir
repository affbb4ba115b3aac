// RUN: prec-opt %s --prec-codegen-nvptx | FileCheck %s

// Whole blocks compute either tensor, so that its size decides only how many
// of them run. The third one has a part of a block.
// CHECK: "a"({{.*}}) {kernel = @prec_a, launch = #prec_sched.launch<grid = [4, 1, 1],
// CHECK: "b"({{.*}}) {kernel = @prec_a, launch = #prec_sched.launch<grid = [64, 1, 1],
// CHECK: "c"({{.*}}) {kernel = @prec_c, launch = #prec_sched.launch<grid = [5, 1, 1],
func.func @step(%x: tensor<4096xf32>, %z: tensor<65536xf32>, %w: tensor<4100xf32>) -> (tensor<4096xf32>, tensor<65536xf32>, tensor<4100xf32>) attributes {prec.entry = "step"} {
  %a = prec_sched.dispatch <elementwise> "a" (%x) : (tensor<4096xf32>) -> tensor<4096xf32> {
  ^bb0(%p: tensor<4096xf32>):
    %s = arith.mulf %p, %p : tensor<4096xf32>
    prec_sched.yield %s : tensor<4096xf32>
  }
  %b = prec_sched.dispatch <elementwise> "b" (%z) : (tensor<65536xf32>) -> tensor<65536xf32> {
  ^bb0(%p: tensor<65536xf32>):
    %s = arith.mulf %p, %p : tensor<65536xf32>
    prec_sched.yield %s : tensor<65536xf32>
  }
  %c = prec_sched.dispatch <elementwise> "c" (%w) : (tensor<4100xf32>) -> tensor<4100xf32> {
  ^bb0(%p: tensor<4100xf32>):
    %s = arith.mulf %p, %p : tensor<4100xf32>
    prec_sched.yield %s : tensor<4100xf32>
  }
  return %a, %b, %c : tensor<4096xf32>, tensor<65536xf32>, tensor<4100xf32>
}
// CHECK-COUNT-2: llvm.func
// CHECK-NOT: llvm.func
