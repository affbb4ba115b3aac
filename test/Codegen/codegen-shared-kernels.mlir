// RUN: prec-opt %s --prec-codegen-cpu | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: prec-opt %s --prec-codegen-nvptx | FileCheck %s --check-prefixes=CHECK,GPU

// Equal bodies have one kernel, whatever they are called; other constants
// and types have their own. So have other places, but on the CPU, where a
// kernel does not say which results share memory with inputs.
// CHECK: "a"({{.*}}) {id = 7 : i64, kernel = @prec_a,
// CHECK: "b"({{.*}}) {kernel = @prec_a,
// CHECK: "c"({{.*}}) {kernel = @prec_c,
// CHECK: "a"({{.*}}) {kernel = @prec_a_1,
// CPU: "d"({{.*}}) {inplace = array<i64: 0>, kernel = @prec_a,
// GPU: "d"({{.*}}) {inplace = array<i64: 0>, kernel = @prec_d,
func.func @step(%x: tensor<32xf32>, %z: tensor<64xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64xf32>, tensor<32xf32>) attributes {prec.entry = "step"} {
  %a = prec_sched.dispatch <elementwise> "a" (%x) {id = 7} : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<32xf32>):
    %k = arith.constant dense<2.0> : tensor<32xf32>
    %s = arith.mulf %p, %k : tensor<32xf32>
    prec_sched.yield %s : tensor<32xf32>
  }
  %b = prec_sched.dispatch <elementwise> "b" (%a) : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<32xf32>):
    %k = arith.constant dense<2.0> : tensor<32xf32>
    %s = arith.mulf %p, %k : tensor<32xf32>
    prec_sched.yield %s : tensor<32xf32>
  }
  %c = prec_sched.dispatch <elementwise> "c" (%b) : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<32xf32>):
    %k = arith.constant dense<3.0> : tensor<32xf32>
    %s = arith.mulf %p, %k : tensor<32xf32>
    prec_sched.yield %s : tensor<32xf32>
  }
  %d = prec_sched.dispatch <elementwise> "a" (%z) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%p: tensor<64xf32>):
    %k = arith.constant dense<2.0> : tensor<64xf32>
    %s = arith.mulf %p, %k : tensor<64xf32>
    prec_sched.yield %s : tensor<64xf32>
  }
  %e = prec_sched.dispatch <elementwise> "d" (%c) {inplace = array<i64: 0>} : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<32xf32>):
    %k = arith.constant dense<2.0> : tensor<32xf32>
    %s = arith.mulf %p, %k : tensor<32xf32>
    prec_sched.yield %s : tensor<32xf32>
  }
  return %a, %b, %c, %d, %e : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64xf32>, tensor<32xf32>
}
// CPU-COUNT-3: llvm.func
// GPU-COUNT-4: llvm.func
// CHECK-NOT: llvm.func
