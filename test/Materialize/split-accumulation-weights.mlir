// RUN: prec-opt %s --prec-split-accumulation --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-split-accumulation --split-input-file | FileCheck %s --check-prefix=WHY
// RUN: prec-opt %s --prec-split-accumulation --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: prec-opt %s --prec-split-accumulation="equal-weights=true" --split-input-file | FileCheck %s --check-prefix=EQUAL

// REMARK: remark: micro-batches all weigh the same, however many labels they have: the loss is no mean over one number of labels
// REMARK-NOT: remark:

// Micro-batches weigh as much as they have labels that count, by those of the first
// that has any; terms up to that one are replaced.

// CHECK-LABEL: func.func @init() -> (tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "micro_batches"}, tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "weights"})
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x4xf32> {prec_train.path = "x"
// CHECK-SAME: %[[Y:[a-z0-9]+]]: tensor<8xi32>
// CHECK-SAME: %[[N:[a-z0-9]+]]: tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "micro_batches"}
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "weights"}
// CHECK-SAME: %[[UNIT:[a-z0-9]+]]: tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "unit_labels"}
// CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<8x4xf32> {prec_train.path = "accumulated", prec_train.slot = "0"}
// CHECK: %[[IGNORED:.*]] = arith.constant {{.*}}dense<-100> : tensor<8xi32>
// CHECK: %[[COUNTS:.*]] = arith.cmpi ne, %[[Y]], %[[IGNORED]]
// CHECK: %[[ONES:.*]] = arith.select %[[COUNTS]]
// CHECK: %[[LABELS:.*]] = prec_train.reduce sum %[[ONES]]
// CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[SUM]]
// CHECK: %[[ANY:.*]] = arith.cmpf ogt, %[[LABELS]]
// CHECK: %[[BEGUN:.*]] = arith.select %[[ANY]]
// CHECK: %[[RATIO:.*]] = arith.divf %[[LABELS]], %[[UNIT]]
// CHECK: %[[WEIGHT:.*]] = arith.select %[[NONE]], %[[BEGUN]], %[[RATIO]]
// CHECK: %[[MORE:.*]] = arith.addf %[[SUM]], %[[RATIO]]
// CHECK: arith.select %[[NONE]], %[[BEGUN]], %[[MORE]]
// CHECK: arith.select %[[NONE]], %[[LABELS]], %[[UNIT]]
// CHECK: %[[EACH:.*]] = prec_train.broadcast %[[WEIGHT]]
// CHECK: %[[PART:.*]] = arith.mulf %{{.*}}, %[[EACH]]
// CHECK: %[[ALL:.*]] = arith.addf %[[D]], %[[PART]]
// CHECK-LABEL: func.func @apply(
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "weights"}
// CHECK: %[[DIVISOR:.*]] = arith.maximumf %[[SUM]]
// CHECK: %[[EACH:.*]] = prec_train.broadcast %[[DIVISOR]]
// CHECK: arith.divf %{{.*}}, %[[EACH]]
func.func @step(
    %w: tensor<8x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
    %y: tensor<8xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "y"},
    %h: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"}
) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
      tensor<8x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %loss:3 = prec_train.cross_entropy %x, %y {ignore_index = -100 : i32} : (tensor<8x4xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<8xf32>, tensor<8xf32>)
  %half = arith.constant dense<0.5> : tensor<f32>
  %scaled = arith.mulf %loss#0, %half : tensor<f32>
  %d = prec_train.cross_entropy_grad %half, %x, %y, %loss#1, %loss#2 {ignore_index = -100 : i32, prec_train.phase = #prec_train.phase<backward>} : (tensor<f32>, tensor<8x4xf32>, tensor<8xi32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x4xf32>
  %p = prec_train.sgd %w, %d, %h, %h, %h, %h {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<8x4xf32>
  return %scaled, %p : tensor<f32>, tensor<8x4xf32>
}

// -----

// What is not linear in the cross entropy is a mean over no one number of labels.

// WHY: module attributes {prec_train.equal_micro_batches = "the loss is no mean over one number of labels: the batch reaches it by more than cross entropies, times and plus what does not depend on the batch: by math.exp"}
// CHECK-LABEL: func.func @init() -> (tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "micro_batches"})
// EQUAL: module attributes {prec_train.equal_micro_batches = "it was asked for"}
// EQUAL-LABEL: func.func @init() -> (tensor<f32> {prec_train.path = "accumulated", prec_train.slot = "micro_batches"})
func.func @step(
    %w: tensor<8x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
    %y: tensor<8xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "y"},
    %h: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"}
) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
      tensor<8x4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %loss:3 = prec_train.cross_entropy %x, %y {ignore_index = -100 : i32} : (tensor<8x4xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<8xf32>, tensor<8xf32>)
  %e = math.exp %loss#0 : tensor<f32>
  %d = prec_train.cross_entropy_grad %e, %x, %y, %loss#1, %loss#2 {ignore_index = -100 : i32, prec_train.phase = #prec_train.phase<backward>} : (tensor<f32>, tensor<8x4xf32>, tensor<8xi32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x4xf32>
  %p = prec_train.sgd %w, %d, %h, %h, %h, %h {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<8x4xf32>
  return %e, %p : tensor<f32>, tensor<8x4xf32>
}
