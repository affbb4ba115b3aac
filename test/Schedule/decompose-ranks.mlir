// RUN: prec-opt %s --prec-decompose | FileCheck %s

// Two ranks get both parts, and add them up in f32 in the order of ranks.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16>
// CHECK: %[[ALL:.*]] = prec_train.exchange all_gather %[[X]] over "tp" {{.*}}: (tensor<4x8xbf16>) -> tensor<2x4x8xbf16>
// CHECK: tensor.extract_slice %[[ALL]][0, 0, 0] [1, 4, 8]
// CHECK: %[[A:.*]] = arith.extf %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK: tensor.extract_slice %[[ALL]][1, 0, 0] [1, 4, 8]
// CHECK: %[[B:.*]] = arith.extf %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: arith.truncf %[[SUM]]
func.func @two(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %y = prec_train.all_reduce %x over "tp" {ranks = 2 : i64, reason = "a sum"} : tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// Of more, each gets the parts of one slice and gives the sum.
// CHECK-LABEL: func.func @four(
// CHECK: %[[SLICES:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [4, 1, 8]
// CHECK: prec_train.exchange all_to_all %[[SLICES]] over "tp" {{.*}}: (tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
// CHECK-COUNT-3: arith.addf
// CHECK: %[[GATHERED:.*]] = prec_train.exchange all_gather %{{.*}} over "tp" {{.*}}: (tensor<1x8xf32>) -> tensor<4x1x8xf32>
// CHECK: tensor.collapse_shape %[[GATHERED]] {{\[}}[0, 1], [2]] {{.*}}: tensor<4x1x8xf32> into tensor<4x8xf32>
func.func @four(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = prec_train.all_reduce %x over "tp" {ranks = 4 : i64, reason = "a sum"} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Where a rank reads its slice of the sum alone, it adds up that and gives it to no other.
// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16>
// CHECK: %[[SLICES:.*]] = tensor.expand_shape %[[X]] {{\[}}[0, 1], [2]] output_shape [2, 2, 8]
// CHECK: prec_train.exchange all_to_all %[[SLICES]] over "tp" {{.*}}: (tensor<2x2x8xbf16>) -> tensor<2x2x8xbf16>
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : tensor<2x8xf32>
// CHECK: %[[OWN:.*]] = arith.truncf %[[SUM]]
// CHECK-NOT: prec_train.exchange
// CHECK: return %[[OWN]]
func.func @slice(%x: tensor<4x8xbf16>) -> tensor<2x8xbf16> {
  %y = prec_train.all_reduce %x over "tp" {ranks = 2 : i64, reason = "a sum"} : tensor<4x8xbf16>
  %s = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xbf16> into tensor<2x2x8xbf16>
  %o = prec_train.exchange own_slice %s over "tp" : (tensor<2x2x8xbf16>) -> tensor<2x8xbf16>
  return %o : tensor<2x8xbf16>
}

// A sum that something else reads, too, is given to all.
// CHECK-LABEL: func.func @both(
// CHECK: %[[SUM:.*]] = arith.truncf
// CHECK: %[[SLICES:.*]] = tensor.expand_shape %[[SUM]]
// CHECK: prec_train.exchange own_slice %[[SLICES]]
func.func @both(%x: tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<2x8xbf16>) {
  %y = prec_train.all_reduce %x over "tp" {ranks = 2 : i64, reason = "a sum"} : tensor<4x8xbf16>
  %s = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xbf16> into tensor<2x2x8xbf16>
  %o = prec_train.exchange own_slice %s over "tp" : (tensor<2x2x8xbf16>) -> tensor<2x8xbf16>
  return %y, %o : tensor<4x8xbf16>, tensor<2x8xbf16>
}

// What cannot be divided is added up by all.
// CHECK-LABEL: func.func @odd(
// CHECK: prec_train.exchange all_gather %{{.*}} over "tp" {{.*}}: (tensor<3xf32>) -> tensor<4x3xf32>
// CHECK-COUNT-3: arith.addf
func.func @odd(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = prec_train.all_reduce %x over "tp" {ranks = 4 : i64, reason = "a sum"} : tensor<3xf32>
  return %y : tensor<3xf32>
}

// Of a slice of a table, a rank has the rows that are in it, and zeros of others.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[T:.*]]: tensor<16x8xf32>, %[[I:.*]]: tensor<4xi32>
// CHECK: %[[FIRSTS:.*]] = arith.constant {{.*}}dense<[0, 16]> : tensor<2xi32>
// CHECK: %[[FIRST:.*]] = prec_train.exchange own_slice %[[FIRSTS]] over "tp" {{.*}}: (tensor<2xi32>) -> tensor<i32>
// CHECK: %[[COUNT:.*]] = arith.constant {{.*}}dense<16> : tensor<4xi32>
// CHECK: %[[OWN:.*]] = arith.subi %[[I]], %{{.*}} {{.*}}: tensor<4xi32>
// CHECK-DAG: %[[IDS:.*]] = arith.remui %[[I]], %[[COUNT]] {{.*}}: tensor<4xi32>
// CHECK-DAG: arith.cmpi ult, %[[OWN]], %[[COUNT]] {{.*}}: tensor<4xi32>
// CHECK: %[[ROWS:.*]] = prec_train.gather %[[T]], %[[IDS]]
// CHECK: arith.select %{{.*}}, %[[ROWS]], %{{.*}} {{.*}}: tensor<4x8xi1>, tensor<4x8xf32>
func.func @rows(%t: tensor<16x8xf32>, %i: tensor<4xi32>) -> tensor<4x8xf32> {
  %y = prec_train.embedding %t, %i {axis = "tp", ranks = 2 : i64} : (tensor<16x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A loss of slices of columns needs one exchange of three numbers a row.
// CHECK-LABEL: func.func @columns(
// CHECK: %[[THREE:.*]] = tensor.concat dim(0) %{{.*}}, %{{.*}}, %{{.*}} {{.*}}: (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<12xf32>
// CHECK: %[[ALL:.*]] = prec_train.exchange all_gather %[[THREE]] over "tp" {{.*}}: (tensor<12xf32>) -> tensor<2x12xf32>
// CHECK-DAG: tensor.extract_slice %[[ALL]]{{\[}}0, 0] [2, 4] [1, 1] {{.*}}: tensor<2x12xf32> to tensor<2x4xf32>
// CHECK-DAG: tensor.extract_slice %[[ALL]]{{\[}}0, 4] [2, 4] [1, 1] {{.*}}: tensor<2x12xf32> to tensor<2x4xf32>
// CHECK-DAG: tensor.extract_slice %[[ALL]]{{\[}}0, 8] [2, 4] [1, 1] {{.*}}: tensor<2x12xf32> to tensor<2x4xf32>
// CHECK-NOT: all_gather
func.func @columns(%x: tensor<4x8xf32>, %i: tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>) {
  %y:3 = prec_train.cross_entropy %x, %i {axis = "tp", ignore_index = -100 : i32, ranks = 2 : i64} : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return %y#0, %y#1, %y#2 : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}
