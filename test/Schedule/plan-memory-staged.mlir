// RUN: prec-opt %s --prec-plan-memory --prec-verify-schedule | FileCheck %s
// RUN: prec-opt %s --prec-plan-memory=report=%t.json -o /dev/null
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// What loaders read lies at the start of the workspace, before all that they
// compute, and is no state; all of them begin at the same place.
// CHECK-LABEL: func @load.a
// CHECK: prec_sched.copy %{{.*}} {id = 1 : i64, placements = [#prec_sched.placement<workspace, 1024>]}
// CHECK: "cast"(%{{.*}}) {id = 2 : i64, {{.*}}placements = [#prec_sched.placement<state, 0>]}
// CHECK-LABEL: func @load.b
// CHECK: "cast"(%{{.*}}) {id = 3 : i64, {{.*}}placements = [#prec_sched.placement<state, 512>]}

// REPORT: "state": 768,
// REPORT: "workspace": 2048
// REPORT: "load.a": {
// REPORT-NEXT: "arena_bytes": 2048,
// REPORT: "load.b": {
// REPORT-NEXT: "arena_bytes": 256,
func.func @load.a(%w: tensor<16x16xf32> {prec_train.role = #prec_train.role<staged_parameter>, prec_train.path = "a"})
    -> (tensor<16x16xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "a", prec_train.param_of = "a", prec_train.slot = "bf16"}) {
  %c = prec_sched.copy %w : tensor<16x16xf32>
  %v = prec_sched.dispatch <elementwise> "cast"(%c) : (tensor<16x16xf32>) -> tensor<16x16xbf16> {
  ^bb0(%0: tensor<16x16xf32>):
    %1 = arith.truncf %0 : tensor<16x16xf32> to tensor<16x16xbf16>
    prec_sched.yield %1 : tensor<16x16xbf16>
  }
  return %v : tensor<16x16xbf16>
}
func.func @load.b(%w: tensor<4xf32> {prec_train.role = #prec_train.role<staged_parameter>, prec_train.path = "b"})
    -> (tensor<4xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "b", prec_train.param_of = "b", prec_train.slot = "bf16"}) {
  %v = prec_sched.dispatch <elementwise> "cast"(%w) : (tensor<4xf32>) -> tensor<4xbf16> {
  ^bb0(%0: tensor<4xf32>):
    %1 = arith.truncf %0 : tensor<4xf32> to tensor<4xbf16>
    prec_sched.yield %1 : tensor<4xbf16>
  }
  return %v : tensor<4xbf16>
}
func.func @step(%a: tensor<16x16xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "a", prec_train.param_of = "a", prec_train.slot = "bf16"},
                %b: tensor<4xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "b", prec_train.param_of = "b", prec_train.slot = "bf16"}) -> tensor<4xbf16> attributes {prec.entry = "step"} {
  %c = prec_sched.copy %b : tensor<4xbf16>
  return %c : tensor<4xbf16>
}
