// RUN: prec-opt %s --prec-join-arguments --prec-form-dispatches --prec-plan-memory --prec-verify-schedule --split-input-file | FileCheck %s

#param = #prec_train.role<parameter>

// A product reads two arguments where they are, one behind the other, though
// others stand between them; a third is joined already, and a copy is made.

// CHECK-LABEL: func.func @step
// CHECK-SAME: %arg2: tensor<2x32xf32> {prec_sched.behind = 0 : i64
// CHECK-NOT: prec_sched.dispatch
// CHECK: %[[W:.*]] = tensor.concat dim(0) %arg0, %arg2
// CHECK: prec_sched.gemm %arg3, %[[W]]
// CHECK: %[[C:.*]] = prec_sched.dispatch <elementwise>
// CHECK: prec_sched.gemm %arg3, %[[C]]
func.func @step(%a: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "a"}, %b: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "b"},
                %c: tensor<2x32xf32> {prec_train.role = #param, prec_train.path = "c"}, %x: tensor<8x32xf32>) -> (tensor<8x6xf32>, tensor<8x8xf32>) attributes {prec.entry = "step"} {
  %w = tensor.concat dim(0) %a, %c : (tensor<4x32xf32>, tensor<2x32xf32>) -> tensor<6x32xf32>
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<8x32xf32>, tensor<6x32xf32>) -> tensor<8x6xf32>
  %v = tensor.concat dim(0) %a, %b : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %z = prec_train.matmul %x, %v {transpose_b} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  return %y, %z : tensor<8x6xf32>, tensor<8x8xf32>
}

// -----

#param = #prec_train.role<parameter>
#updated = #prec_train.role<updated>

// The second of two is updated in place only behind the last product that reads it.

// CHECK-LABEL: func.func @step
// CHECK: prec_sched.gemm
// CHECK: prec_sched.copy %{{.*}}placements = [#prec_sched.placement<state, 512>]
func.func @step(%a: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "a"}, %b: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "b"},
                %x: tensor<8x32xf32>) -> (tensor<8x8xf32>, tensor<4x32xf32> {prec_train.role = #updated, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %n = arith.addf %b, %b : tensor<4x32xf32>
  %w = tensor.concat dim(0) %a, %b : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  return %y, %n : tensor<8x8xf32>, tensor<4x32xf32>
}

// -----

#param = #prec_train.role<parameter>

// Behind 96 bytes no other argument can begin.

// CHECK-LABEL: func.func @step
// CHECK-NOT: prec_sched.behind
func.func @step(%a: tensor<3x8xf32> {prec_train.role = #param, prec_train.path = "a"}, %b: tensor<4x8xf32> {prec_train.role = #param, prec_train.path = "b"},
                %x: tensor<8x8xf32>) -> tensor<8x7xf32> attributes {prec.entry = "step"} {
  %w = tensor.concat dim(0) %a, %b : (tensor<3x8xf32>, tensor<4x8xf32>) -> tensor<7x8xf32>
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<8x8xf32>, tensor<7x8xf32>) -> tensor<8x7xf32>
  return %y : tensor<8x7xf32>
}

// -----

#param = #prec_train.role<parameter>

// Where a function has placed a name, later ones find it there: what follows
// there is read where it is, and of what does not a copy is made.

// CHECK-LABEL: func.func @step
// CHECK: prec_sched.behind = 0
// CHECK-LABEL: func.func @apply
// CHECK-SAME: %arg1: tensor<4x32xf32> {prec_sched.behind = 0
// CHECK-NOT: prec_sched.dispatch
// CHECK-LABEL: func.func @sample
// CHECK-NOT: prec_sched.behind
// CHECK: prec_sched.dispatch <elementwise>
func.func @step(%a: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "a"}, %c: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "c"},
                %b: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "b"}, %x: tensor<8x32xf32>) -> tensor<8x8xf32> attributes {prec.entry = "step"} {
  %w = tensor.concat dim(0) %a, %b : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
func.func @apply(%a: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "a"}, %b: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "b"},
                 %x: tensor<8x32xf32>) -> tensor<8x8xf32> attributes {prec.entry = "apply"} {
  %w = tensor.concat dim(0) %a, %b : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
func.func @sample(%a: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "a"}, %c: tensor<4x32xf32> {prec_train.role = #param, prec_train.path = "c"},
                  %x: tensor<8x32xf32>) -> tensor<8x8xf32> attributes {prec.entry = "sample"} {
  %w = tensor.concat dim(0) %a, %c : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// What is returned of two arguments is copied before either is overwritten.

// CHECK-LABEL: func.func @step
// CHECK: %[[W:.*]] = tensor.concat
// CHECK: %[[S:.*]] = prec_sched.copy %[[W]] {{.*}}workspace
// CHECK: prec_sched.copy %[[S]] {{.*}}output
func.func @step(%a: tensor<4x32xf32> {prec_train.path = "a"}, %b: tensor<4x32xf32> {prec_train.path = "b"}, %x: tensor<8x32xf32>)
    -> (tensor<8x8xf32>, tensor<8x32xf32>) attributes {prec.entry = "step"} {
  %w = tensor.concat dim(0) %a, %b : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  return %y, %w : tensor<8x8xf32>, tensor<8x32xf32>
}
