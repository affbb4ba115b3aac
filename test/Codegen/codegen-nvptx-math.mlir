// RUN: prec-opt %s --prec-codegen-nvptx | FileCheck %s

// An exponential and the reciprocal of a sum with one are the GPU's own
// instructions; other divisions are rounded correctly.
// CHECK-LABEL: llvm.func @prec_sigmoid
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
// CHECK: nvvm.rcp.approx.ftz.f
// CHECK-NOT: llvm.fdiv
// CHECK-LABEL: llvm.func @prec_divide
// CHECK: llvm.fdiv
func.func @step(%x: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) attributes {prec.entry = "step"} {
  %r = prec_sched.dispatch <elementwise> "sigmoid" (%x) : (tensor<4096xf32>) -> tensor<4096xf32> {
  ^bb0(%a: tensor<4096xf32>):
    %c = arith.constant dense<1.0> : tensor<4096xf32>
    %n = arith.negf %a : tensor<4096xf32>
    %e = math.exp %n : tensor<4096xf32>
    %s = arith.addf %e, %c : tensor<4096xf32>
    %y = arith.divf %c, %s : tensor<4096xf32>
    prec_sched.yield %y : tensor<4096xf32>
  }
  %q = prec_sched.dispatch <elementwise> "divide" (%x, %r) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32> {
  ^bb0(%a: tensor<4096xf32>, %b: tensor<4096xf32>):
    %y = arith.divf %a, %b : tensor<4096xf32>
    prec_sched.yield %y : tensor<4096xf32>
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
  %r = prec_sched.dispatch <row> "normalized" (%x) : (tensor<6x4096xf32>) -> tensor<6x4096xf32> {
  ^bb0(%a: tensor<6x4096xf32>):
    %m = prec_train.reduce max %a dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %mb = prec_train.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %d = arith.subf %a, %mb : tensor<6x4096xf32>
    %e = math.exp %d : tensor<6x4096xf32>
    %s = prec_train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %l = math.log %s : tensor<6xf32>
    %lse = arith.addf %l, %m : tensor<6xf32>
    %lb = prec_train.broadcast %lse dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %f = arith.subf %a, %lb : tensor<6x4096xf32>
    %p = math.exp %f : tensor<6x4096xf32>
    prec_sched.yield %p : tensor<6x4096xf32>
  }
  return %r : tensor<6x4096xf32>
}

func.func @widened(%x: tensor<6x4096xbf16>) -> tensor<6x4096xf32> {
  %r = prec_sched.dispatch <row> "widened" (%x) : (tensor<6x4096xbf16>) -> tensor<6x4096xf32> {
  ^bb0(%a: tensor<6x4096xbf16>):
    %v = arith.extf %a : tensor<6x4096xbf16> to tensor<6x4096xf32>
    %w = arith.extf %a : tensor<6x4096xbf16> to tensor<6x4096xf32>
    %m = prec_train.reduce max %v dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %mb = prec_train.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %d = arith.subf %v, %mb : tensor<6x4096xf32>
    %e = math.exp %d : tensor<6x4096xf32>
    %s = prec_train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %l = math.log %s : tensor<6xf32>
    %lse = arith.addf %l, %m : tensor<6xf32>
    %lb = prec_train.broadcast %lse dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %f = arith.subf %w, %lb : tensor<6x4096xf32>
    %p = math.exp %f : tensor<6x4096xf32>
    prec_sched.yield %p : tensor<6x4096xf32>
  }
  return %r : tensor<6x4096xf32>
}

func.func @of_others(%x: tensor<6x4096xf32>, %y: tensor<6x4096xf32>) -> tensor<6x4096xf32> {
  %r = prec_sched.dispatch <row> "of_others" (%x, %y) : (tensor<6x4096xf32>, tensor<6x4096xf32>) -> tensor<6x4096xf32> {
  ^bb0(%a: tensor<6x4096xf32>, %b: tensor<6x4096xf32>):
    %m = prec_train.reduce max %a dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %mb = prec_train.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %d = arith.subf %a, %mb : tensor<6x4096xf32>
    %e = math.exp %d : tensor<6x4096xf32>
    %s = prec_train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %l = math.log %s : tensor<6xf32>
    %lse = arith.addf %l, %m : tensor<6xf32>
    %lb = prec_train.broadcast %lse dims [0] : (tensor<6xf32>) -> tensor<6x4096xf32>
    %f = arith.subf %b, %lb : tensor<6x4096xf32>
    %p = math.exp %f : tensor<6x4096xf32>
    prec_sched.yield %p : tensor<6x4096xf32>
  }
  return %r : tensor<6x4096xf32>
}

// An exponential whose results are all rounded to 16 bits or fewer, or that is
// summed up with the largest one, makes up for no rounding of its argument.
// One that f32 shows does.
// CHECK-LABEL: llvm.func @prec_rounded(
// CHECK-NOT: llvm.intr.fma
// CHECK: "llvm.nvvm.ex2.approx.ftz.f"
// CHECK-NOT: llvm.intr.fma
// CHECK-LABEL: llvm.func @prec_shown(
// CHECK: llvm.intr.fma
// CHECK-LABEL: llvm.func @prec_summed(
// CHECK-NOT: llvm.intr.fma
// CHECK: "llvm.nvvm.ex2.approx.ftz.f"
// CHECK-NOT: llvm.intr.fma
// CHECK-LABEL: llvm.func @prec_summed_alone(
// CHECK: llvm.intr.fma
func.func @coarse(%x: tensor<4096xf32>) -> (tensor<4096xbf16>, tensor<4096xf8E4M3FN>, tensor<4096xbf16>, tensor<4096xf32>) {
  %r:2 = prec_sched.dispatch <elementwise> "rounded" (%x) : (tensor<4096xf32>) -> (tensor<4096xbf16>, tensor<4096xf8E4M3FN>) {
  ^bb0(%a: tensor<4096xf32>):
    %e = math.exp %a : tensor<4096xf32>
    %d = arith.addf %e, %a : tensor<4096xf32>
    %h = arith.truncf %d : tensor<4096xf32> to tensor<4096xbf16>
    %q = arith.truncf %e : tensor<4096xf32> to tensor<4096xf8E4M3FN>
    prec_sched.yield %h, %q : tensor<4096xbf16>, tensor<4096xf8E4M3FN>
  }
  %s:2 = prec_sched.dispatch <elementwise> "shown" (%x) : (tensor<4096xf32>) -> (tensor<4096xbf16>, tensor<4096xf32>) {
  ^bb0(%a: tensor<4096xf32>):
    %e = math.exp %a : tensor<4096xf32>
    %d = arith.addf %e, %a : tensor<4096xf32>
    %h = arith.truncf %d : tensor<4096xf32> to tensor<4096xbf16>
    prec_sched.yield %h, %d : tensor<4096xbf16>, tensor<4096xf32>
  }
  return %r#0, %r#1, %s#0, %s#1 : tensor<4096xbf16>, tensor<4096xf8E4M3FN>, tensor<4096xbf16>, tensor<4096xf32>
}

func.func @sums(%x: tensor<6x512xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %r = prec_sched.dispatch <row> "summed" (%x) : (tensor<6x512xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<6x512xf32>):
    %m = prec_train.reduce max %a dims [1] : (tensor<6x512xf32>) -> tensor<6xf32>
    %b = prec_train.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x512xf32>
    %d = arith.subf %a, %b : tensor<6x512xf32>
    %e = math.exp %d : tensor<6x512xf32>
    %s = prec_train.reduce sum %e dims [1] : (tensor<6x512xf32>) -> tensor<6xf32>
    prec_sched.yield %s : tensor<6xf32>
  }
  %q = prec_sched.dispatch <row> "summed_alone" (%x) : (tensor<6x512xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<6x512xf32>):
    %e = math.exp %a : tensor<6x512xf32>
    %s = prec_train.reduce sum %e dims [1] : (tensor<6x512xf32>) -> tensor<6xf32>
    prec_sched.yield %s : tensor<6xf32>
  }
  return %r, %q : tensor<6xf32>, tensor<6xf32>
}

// Exponentials are divided by the sum of their row with its reciprocal, which
// is taken once: an estimate and a fused correction.
// CHECK-LABEL: llvm.func @prec_shares(
// CHECK: llvm.fdiv {{.*}} : f32
// CHECK-NOT: llvm.fdiv
// CHECK: llvm.intr.fma({{.*}}) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
// CHECK-LABEL: llvm.func @prec_shares_of_others(
// CHECK: llvm.fdiv {{.*}} : vector<4xf32>
func.func @shares(%x: tensor<6x512xf32>, %y: tensor<6x512xf32>) -> (tensor<6x512xf32>, tensor<6x512xf32>) {
  %r = prec_sched.dispatch <row> "shares" (%x) : (tensor<6x512xf32>) -> tensor<6x512xf32> {
  ^bb0(%a: tensor<6x512xf32>):
    %m = prec_train.reduce max %a dims [1] : (tensor<6x512xf32>) -> tensor<6xf32>
    %mb = prec_train.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x512xf32>
    %d = arith.subf %a, %mb : tensor<6x512xf32>
    %e = math.exp %d : tensor<6x512xf32>
    %s = prec_train.reduce sum %e dims [1] : (tensor<6x512xf32>) -> tensor<6xf32>
    %sb = prec_train.broadcast %s dims [0] : (tensor<6xf32>) -> tensor<6x512xf32>
    %q = arith.divf %e, %sb : tensor<6x512xf32>
    prec_sched.yield %q : tensor<6x512xf32>
  }
  // Of what is not below the sum, nothing is known.
  %o = prec_sched.dispatch <row> "shares_of_others" (%x, %y) : (tensor<6x512xf32>, tensor<6x512xf32>) -> tensor<6x512xf32> {
  ^bb0(%a: tensor<6x512xf32>, %b: tensor<6x512xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<6x512xf32>) -> tensor<6xf32>
    %sb = prec_train.broadcast %s dims [0] : (tensor<6xf32>) -> tensor<6x512xf32>
    %q = arith.divf %b, %sb : tensor<6x512xf32>
    prec_sched.yield %q : tensor<6x512xf32>
  }
  return %r, %o : tensor<6x512xf32>, tensor<6x512xf32>
}

// Two elements of bf16 are taken out of their word by a shift and a mask.
// CHECK-LABEL: llvm.func @prec_widen(
// CHECK: llvm.bitcast {{.*}} : vector<4xi16> to vector<2xi32>
// CHECK: llvm.shl
// CHECK: llvm.and
// CHECK: llvm.shufflevector {{.*}} [0, 2, 1, 3]
func.func @words(%x: tensor<4096xbf16>) -> tensor<4096xf32> {
  %r = prec_sched.dispatch <elementwise> "widen" (%x) : (tensor<4096xbf16>) -> tensor<4096xf32> {
  ^bb0(%a: tensor<4096xbf16>):
    %w = arith.extf %a : tensor<4096xbf16> to tensor<4096xf32>
    prec_sched.yield %w : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}
