// RUN: prec-opt %s --prec-classify --split-input-file | FileCheck %s

// The place of the largest, written out: scores that equal their largest, and
// the smallest of their places.

// CHECK-LABEL: @place
func.func @place(%x: tensor<8x16xf32>, %gate: tensor<4x16xf32>, %experts: tensor<4x16xf32>) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>}) {
  %none = arith.constant dense<4> : tensor<8x4xi32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<router>
  %scores = prec_train.matmul %x, %gate {transpose_b} : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
  %largest = prec_train.reduce max %scores dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %all = prec_train.broadcast %largest dims [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %is = arith.cmpf oeq, %scores, %all : tensor<8x4xf32>
  %places = prec_train.iota dim 1 : tensor<8x4xi32>
  %where = arith.select %is, %places, %none : tensor<8x4xi1>, tensor<8x4xi32>
  %chosen = prec_train.reduce min %where dims [1] : (tensor<8x4xi32>) -> tensor<8xi32>
  %rows = prec_train.gather %experts, %chosen : (tensor<4x16xf32>, tensor<8xi32>) -> tensor<8x16xf32>
  %y = arith.mulf %x, %rows : tensor<8x16xf32>
  %loss = prec_train.reduce sum %y dims [0, 1] : (tensor<8x16xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Scores are made into whole numbers that sort as they do.

// CHECK-LABEL: @sorted
func.func @sorted(%x: tensor<8x16xf32>, %gate: tensor<16xf32>, %experts: tensor<8x16xf32>) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>}) {
  %column = tensor.expand_shape %gate [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<router>
  %scores = prec_train.matmul %x, %column : (tensor<8x16xf32>, tensor<16x1xf32>) -> tensor<8x1xf32>
  %row = tensor.collapse_shape %scores [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %keys = arith.fptosi %row : tensor<8xf32> to tensor<8xi32>
  %order = prec_train.sort_ids %keys below 8 : (tensor<8xi32>) -> tensor<2x8xi32>
  %second = tensor.extract_slice %order[1, 0] [1, 8] [1, 1] : tensor<2x8xi32> to tensor<1x8xi32>
  %ids = tensor.collapse_shape %second [[0, 1]] : tensor<1x8xi32> into tensor<8xi32>
  %rows = prec_train.gather %experts, %ids : (tensor<8x16xf32>, tensor<8xi32>) -> tensor<8x16xf32>
  %loss = prec_train.reduce sum %rows dims [0, 1] : (tensor<8x16xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A comparison that masks, and a count of whole numbers, choose nothing.

// CHECK-LABEL: @mask_and_count
func.func @mask_and_count(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %v: tensor<4x16xf32>, %labels: tensor<8xi32>) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>}) {
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<contraction>
  %y = prec_train.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %positive = arith.cmpf ogt, %y, %zero : tensor<8x16xf32>
  %relu = arith.select %positive, %y, %zero : tensor<8x16xi1>, tensor<8x16xf32>
  %ones = arith.extui %positive : tensor<8x16xi1> to tensor<8x16xi32>
  %count = prec_train.reduce sum %ones dims [1] : (tensor<8x16xi32>) -> tensor<8xi32>
  %float = arith.sitofp %count : tensor<8xi32> to tensor<8xf32>
  %all = prec_train.broadcast %float dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %scaled = arith.divf %relu, %all : tensor<8x16xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<head>
  %logits = prec_train.matmul %scaled, %v {transpose_b} : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
  %loss, %max, %log = prec_train.cross_entropy %logits, %labels {ignore_index = -100 : i32} : (tensor<8x4xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<8xf32>, tensor<8xf32>)
  return %loss : tensor<f32>
}

// -----

// What is chosen for a metric alone makes no router: the head stays a head.

// CHECK-LABEL: @accuracy
func.func @accuracy(%x: tensor<8x16xf32>, %v: tensor<4x16xf32>, %labels: tensor<8xi32>) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>}, tensor<8xi1>) {
  %none = arith.constant dense<4> : tensor<8x4xi32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<head>
  %logits = prec_train.matmul %x, %v {transpose_b} : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
  %loss, %max, %log = prec_train.cross_entropy %logits, %labels {ignore_index = -100 : i32} : (tensor<8x4xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<8xf32>, tensor<8xf32>)
  %largest = prec_train.reduce max %logits dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %all = prec_train.broadcast %largest dims [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %is = arith.cmpf oeq, %logits, %all : tensor<8x4xf32>
  %places = prec_train.iota dim 1 : tensor<8x4xi32>
  %where = arith.select %is, %places, %none : tensor<8x4xi1>, tensor<8x4xi32>
  %chosen = prec_train.reduce min %where dims [1] : (tensor<8x4xi32>) -> tensor<8xi32>
  %right = arith.cmpi eq, %chosen, %labels : tensor<8xi32>
  return %loss, %right : tensor<f32>, tensor<8xi1>
}
