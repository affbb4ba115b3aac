// RUN: prec-opt %s --prec-codegen-cpu | FileCheck %s
// RUN: prec-opt %s --prec-codegen-nvptx | FileCheck %s

// Equal bodies have one kernel, whatever they are called; other constants,
// types or places have their own.
// CHECK: "a"({{.*}}) {id = 7 : i64, kernel = @prec_a,
// CHECK: "b"({{.*}}) {kernel = @prec_a,
// CHECK: "c"({{.*}}) {kernel = @prec_c,
// CHECK: "a"({{.*}}) {kernel = @prec_a_1,
// CHECK: "d"({{.*}}) {inplace = array<i64: 0>, kernel = @prec_d,
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
// CHECK-COUNT-4: llvm.func
// CHECK-NOT: llvm.func
