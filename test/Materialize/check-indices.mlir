// RUN: prec-opt %s --prec-check-indices --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-check-indices --prec-guard-updates --split-input-file | FileCheck %s --check-prefix=GUARD

// What is known to be a row is left alone, also behind arithmetic.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %{{.*}}: tensor<2x4xi32> {prec_train.path = "ids", prec_train.role = #prec_train.role<batch>, prec_train.vocabulary = 16 : i64}
// CHECK-SAME: ) -> tensor<f32>
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @step(%table: tensor<16x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "t"},
                %ids: tensor<2x4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids", prec_train.vocabulary = 16 : i64}) -> tensor<f32> attributes {prec.entry = "step"} {
  %row = prec_train.gather %table, %ids : (tensor<16x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
  %flat = tensor.collapse_shape %ids [[0, 1]] : tensor<2x4xi32> into tensor<8xi32>
  %two = arith.constant dense<2> : tensor<8xi32>
  %half = arith.divsi %flat, %two : tensor<8xi32>
  %other = prec_train.gather %table, %half : (tensor<16x8xf32>, tensor<8xi32>) -> tensor<8x8xf32>
  %place = prec_train.iota dim 0 : tensor<8xi32>
  %turned = arith.subi %place, %half : tensor<8xi32>
  %distance = math.absi %turned : tensor<8xi32>
  %third = prec_train.gather %table, %distance : (tensor<16x8xf32>, tensor<8xi32>) -> tensor<8x8xf32>
  %constant = arith.constant dense<[0, 15, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>
  %fourth = prec_train.gather %table, %constant : (tensor<16x8xf32>, tensor<8xi32>) -> tensor<8x8xf32>
  %a = arith.addf %other, %third : tensor<8x8xf32>
  %b = arith.addf %a, %fourth : tensor<8x8xf32>
  %sum = prec_train.reduce sum %b dims [0, 1] : (tensor<8x8xf32>) -> tensor<f32>
  return %sum : tensor<f32>
}

// -----

// An argument whose elements are indices is checked by whoever feeds the step: of
// two tables the shorter counts, and what a loss ignores is no label.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4xi32> {prec_train.path = "ids", prec_train.role = #prec_train.role<batch>, prec_train.vocabulary = 8 : i64}
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4xi32> {prec_train.ignore_index = -100 : i64, prec_train.path = "labels", prec_train.role = #prec_train.role<batch>, prec_train.vocabulary = 6 : i64}
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4xi32> {prec_train.initial = dense<[0, 1, 2, 3]> : tensor<4xi32>, prec_train.path = "places", prec_train.role = #prec_train.role<buffer>, prec_train.vocabulary = 8 : i64}
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @step(%long: tensor<16x6xf32>, %short: tensor<8x6xf32>,
                %ids: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids", prec_train.vocabulary = 16 : i64},
                %labels: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "labels"},
                %places: tensor<4xi32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "places", prec_train.initial = dense<[0, 1, 2, 3]> : tensor<4xi32>})
    -> tensor<f32> attributes {prec.entry = "step"} {
  %a = prec_train.gather %long, %ids : (tensor<16x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %b = prec_train.gather %short, %ids : (tensor<8x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %c = prec_train.gather %short, %places : (tensor<8x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %d = arith.addf %a, %b : tensor<4x6xf32>
  %e = arith.addf %d, %c : tensor<4x6xf32>
  %loss, %max, %log = prec_train.cross_entropy %e, %labels {ignore_index = -100 : i32} : (tensor<4x6xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return %loss : tensor<f32>
}

// -----

// Others are checked by the step, each once, and give the address of some row.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: tensor<f32> {prec_train.path = "index_check.0", prec_train.role = #prec_train.role<guard>, prec_train.tensors = ["index into t (16 rows)"]}
// CHECK-SAME: tensor<f32> {prec_train.path = "index_check.1", prec_train.role = #prec_train.role<guard>, prec_train.tensors = ["label of 8 classes"]}
// CHECK: %[[IDS:.*]] = arith.muli
// CHECK: %[[IS:.*]] = arith.cmpi ult, %[[IDS]], %{{.*}} : tensor<4xi32>
// CHECK: %[[GOOD:.*]] = arith.select %[[IS]], %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
// CHECK: %[[ALL:.*]] = prec_train.reduce min %[[GOOD]] dims [0] : (tensor<4xf32>) -> tensor<f32>
// CHECK: %[[HIGH:.*]] = arith.minsi %[[IDS]], %{{.*}} : tensor<4xi32>
// CHECK: %[[NEAR:.*]] = arith.maxsi %[[HIGH]], %{{.*}} : tensor<4xi32>
// CHECK: prec_train.gather %{{.*}}, %[[NEAR]]
// CHECK: %[[LABEL:.*]] = arith.subi
// CHECK: arith.cmpi ult, %[[LABEL]]
// CHECK: arith.cmpi eq, %[[LABEL]]
// CHECK: arith.ori
// CHECK: prec_train.cross_entropy %{{.*}}, %[[LABEL]]
// CHECK: prec_train.embedding_grad %{{.*}}, %[[IDS]]
// CHECK: return %{{.*}}, %{{.*}}, %[[ALL]], %{{.*}}

// GUARD: prec.finite_guard {{.*}} of ["index into t (16 rows)", "label of 8 classes", "loss", "t"]
func.func @step(%table: tensor<16x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "t"},
                %ids: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids", prec_train.vocabulary = 16 : i64})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
        tensor<16x8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "t", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %three = arith.constant dense<3> : tensor<4xi32>
  %far = arith.muli %ids, %three : tensor<4xi32>
  %rows = prec_train.gather %table, %far : (tensor<16x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %label = arith.subi %ids, %three : tensor<4xi32>
  %loss, %max, %log = prec_train.cross_entropy %rows, %label {ignore_index = -100 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  %one = arith.constant dense<1.0> : tensor<f32>
  %g = prec_train.cross_entropy_grad %one, %rows, %label, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<4x8xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %new = prec_train.embedding_grad %g, %far : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<16x8xf32>
  return %loss, %new : tensor<f32>, tensor<16x8xf32>
}
