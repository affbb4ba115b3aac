// RUN: prec-opt %s --codegen-nvptx | FileCheck %s

// An exponential and the reciprocal of a sum with one are the GPU's own
// instructions; other divisions are rounded correctly.
// CHECK-LABEL: llvm.func @prec_sigmoid
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
// CHECK: nvvm.rcp.approx.ftz.f
// CHECK-NOT: llvm.fdiv
// CHECK-LABEL: llvm.func @prec_divide
// CHECK: llvm.fdiv
func.func @step(%x: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %r = sched.dispatch <elementwise> "sigmoid" (%x) : (tensor<4096xf32>) -> tensor<4096xf32> {
  ^bb0(%a: tensor<4096xf32>):
    %c = arith.constant dense<1.0> : tensor<4096xf32>
    %n = arith.negf %a : tensor<4096xf32>
    %e = math.exp %n : tensor<4096xf32>
    %s = arith.addf %e, %c : tensor<4096xf32>
    %y = arith.divf %c, %s : tensor<4096xf32>
    sched.yield %y : tensor<4096xf32>
  }
  %q = sched.dispatch <elementwise> "divide" (%x, %r) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32> {
  ^bb0(%a: tensor<4096xf32>, %b: tensor<4096xf32>):
    %y = arith.divf %a, %b : tensor<4096xf32>
    sched.yield %y : tensor<4096xf32>
  }
  return %r, %q : tensor<4096xf32>, tensor<4096xf32>
}
