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

// Nothing above zero is left where the largest element of a row, or the
// logarithm of the sum of its exponentials, is taken from its elements: no
// exponential is infinite. Those of other elements may be.
// CHECK-LABEL: llvm.func @prec_normalized(
// CHECK-NOT: dense<0x7F800000>
// CHECK: "llvm.nvvm.ex2.approx.ftz.f"
// CHECK-NOT: llvm.fcmp "ogt" {{.*}} : vector
// CHECK-LABEL: llvm.func @prec_widened(
// CHECK-NOT: dense<0x7F800000>
// CHECK: "llvm.nvvm.ex2.approx.ftz.f"
// CHECK-NOT: llvm.fcmp "ogt" {{.*}} : vector
// CHECK-LABEL: llvm.func @prec_of_others(
// CHECK: dense<0x7F800000>
// CHECK: llvm.fcmp "ogt" {{.*}} : vector
func.func @normalized(%x: tensor<6x4096xf32>) -> tensor<6x4096xf32> {
  %r = sched.dispatch <row> "normalized" (%x) : (tensor<6x4096xf32>) -> tensor<6x4096xf32> {
  ^bb0(%a: tensor<6x4096xf32>):
    %m = train.reduce max %a dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %mb = train.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %d = arith.subf %a, %mb : tensor<6x4096xf32>
    %e = math.exp %d : tensor<6x4096xf32>
    %s = train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %l = math.log %s : tensor<6xf32>
    %lse = arith.addf %l, %m : tensor<6xf32>
    %lb = train.broadcast %lse dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %f = arith.subf %a, %lb : tensor<6x4096xf32>
    %p = math.exp %f : tensor<6x4096xf32>
    sched.yield %p : tensor<6x4096xf32>
  }
  return %r : tensor<6x4096xf32>
}

func.func @widened(%x: tensor<6x4096xbf16>) -> tensor<6x4096xf32> {
  %r = sched.dispatch <row> "widened" (%x) : (tensor<6x4096xbf16>) -> tensor<6x4096xf32> {
  ^bb0(%a: tensor<6x4096xbf16>):
    %v = arith.extf %a : tensor<6x4096xbf16> to tensor<6x4096xf32>
    %w = arith.extf %a : tensor<6x4096xbf16> to tensor<6x4096xf32>
    %m = train.reduce max %v dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %mb = train.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %d = arith.subf %v, %mb : tensor<6x4096xf32>
    %e = math.exp %d : tensor<6x4096xf32>
    %s = train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %l = math.log %s : tensor<6xf32>
    %lse = arith.addf %l, %m : tensor<6xf32>
    %lb = train.broadcast %lse dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %f = arith.subf %w, %lb : tensor<6x4096xf32>
    %p = math.exp %f : tensor<6x4096xf32>
    sched.yield %p : tensor<6x4096xf32>
  }
  return %r : tensor<6x4096xf32>
}

func.func @of_others(%x: tensor<6x4096xf32>, %y: tensor<6x4096xf32>) -> tensor<6x4096xf32> {
  %r = sched.dispatch <row> "of_others" (%x, %y) : (tensor<6x4096xf32>, tensor<6x4096xf32>) -> tensor<6x4096xf32> {
  ^bb0(%a: tensor<6x4096xf32>, %b: tensor<6x4096xf32>):
    %m = train.reduce max %a dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %mb = train.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %d = arith.subf %a, %mb : tensor<6x4096xf32>
    %e = math.exp %d : tensor<6x4096xf32>
    %s = train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %l = math.log %s : tensor<6xf32>
    %lse = arith.addf %l, %m : tensor<6xf32>
    %lb = train.broadcast %lse dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %f = arith.subf %b, %lb : tensor<6x4096xf32>
    %p = math.exp %f : tensor<6x4096xf32>
    sched.yield %p : tensor<6x4096xf32>
  }
  return %r : tensor<6x4096xf32>
}
