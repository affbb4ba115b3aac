// RUN: prec-opt %s --prec-split-experts="mesh=ep=2 room=1.5" --split-input-file -verify-diagnostics=only-expected | FileCheck %s

// Eight tokens of each of two ranks choose two of four experts: 16 pairs a rank, 24 of which a rank has room for, in
// steps of 16 rows. Tokens and their choices are gathered; what the experts of a rank make of a token is added up before
// it goes back.

// CHECK: module attributes {prec_train.mesh = {ep = 2 : i64}}
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x4xf32>
// CHECK-SAME: %[[IDS:[a-z0-9]+]]: tensor<16xi32>
// CHECK-SAME: %[[WEIGHTS:[a-z0-9]+]]: tensor<16xf32>
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2x4x6xf32> {prec_train.path = "w", prec_train.placement = "a block of experts", prec_train.role = #prec_train.role<parameter>, prec_train.shard = "ep", prec_train.shard_dim = 0 : i64}
// CHECK-SAME: tensor<2x6x4xf32>
// CHECK-DAG: %[[XS:.*]] = prec_train.exchange all_gather %[[X]] over "ep" : (tensor<8x4xf32>) -> tensor<2x8x4xf32>
// CHECK-DAG: %[[XALL:.*]] = tensor.collapse_shape %[[XS]] {{.*}} : tensor<2x8x4xf32> into tensor<16x4xf32>
// CHECK-DAG: prec_train.exchange all_gather %[[IDS]] over "ep" : (tensor<16xi32>) -> tensor<2x16xi32>
// CHECK-DAG: %[[WS:.*]] = prec_train.exchange all_gather %[[WEIGHTS]] over "ep"
// CHECK-DAG: prec_train.exchange own_slice %{{.*}} over "ep" : (tensor<2xi32>) -> tensor<i32>
// CHECK: %[[KEY:.*]] = arith.minui
// CHECK: %[[SORTED:.*]] = prec_train.sort_ids %[[KEY]] below 3 : (tensor<32xi32>) -> tensor<2x32xi32>
// CHECK: %[[ENDS:.*]] = prec_train.reduce sum %{{.*}} dims [1] : (tensor<2x32xi32>) -> tensor<2xi32>
// CHECK: %[[ROWS:.*]] = prec_train.gather %[[XALL]], %{{.*}} : (tensor<16x4xf32>, tensor<32xi32>) -> tensor<32x4xf32>
// CHECK: %[[H:.*]] = prec_train.grouped_matmul %[[ROWS]], %[[W]], %[[ENDS]] : (tensor<32x4xf32>, tensor<2x4x6xf32>, tensor<2xi32>) -> tensor<32x6xf32>
// CHECK: %[[Y:.*]] = prec_train.grouped_matmul %{{.*}}, %{{.*}}, %[[ENDS]] : (tensor<32x6xf32>, tensor<2x6x4xf32>, tensor<2xi32>) -> tensor<32x4xf32>
// CHECK: %[[PAIRS:.*]] = prec_train.gather %[[Y]], %{{.*}} : (tensor<32x4xf32>, tensor<32xi32>) -> tensor<32x4xf32>
// CHECK: %[[HERE:.*]] = arith.select %{{.*}}, %[[PAIRS]], %{{.*}} : tensor<32x4xi1>, tensor<32x4xf32>
// CHECK: %[[WEIGHED:.*]] = arith.mulf %[[HERE]], %{{.*}}
// CHECK: %[[TOKENS:.*]] = tensor.expand_shape %[[WEIGHED]] {{.*}} into tensor<16x2x4xf32>
// CHECK: %[[SUMS:.*]] = prec_train.reduce sum %[[TOKENS]] dims [1]
// CHECK: %[[BACK:.*]] = prec_train.exchange all_to_all %{{.*}} over "ep" : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
// CHECK: %[[OUT:.*]] = prec_train.reduce sum %[[BACK]] dims [0] : (tensor<2x8x4xf32>) -> tensor<8x4xf32>
// CHECK: %[[ROOM:.*]] = prec_train.reduce min %{{.*}} dims [0] : (tensor<2xf32>) -> tensor<f32>
// CHECK: return %[[OUT]], %[[ROOM]]
func.func @step(%x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %ids: tensor<16xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %weights: tensor<16xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "weights"},
                %w: tensor<4x4x6xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %v: tensor<4x6x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "v"},
                %ends: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ends"})
    -> (tensor<8x4xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "y"}) attributes {prec.entry = "step"} {
  %two = arith.constant dense<2> : tensor<16xi32>
  %one = arith.constant dense<1.0> : tensor<16x6xf32>
  %sorted = prec_train.sort_ids %ids below 4 : (tensor<16xi32>) -> tensor<2x16xi32>
  %second = tensor.extract_slice %sorted[1, 0] [1, 16] [1, 1] : tensor<2x16xi32> to tensor<1x16xi32>
  %order = tensor.collapse_shape %second [[0, 1]] : tensor<1x16xi32> into tensor<16xi32>
  %token = arith.divsi %order, %two : tensor<16xi32>
  %rows = prec_train.gather %x, %token : (tensor<8x4xf32>, tensor<16xi32>) -> tensor<16x4xf32>
  %h = prec_train.grouped_matmul %rows, %w, %ends : (tensor<16x4xf32>, tensor<4x4x6xf32>, tensor<4xi32>) -> tensor<16x6xf32>
  %a = arith.addf %h, %one : tensor<16x6xf32>
  %y = prec_train.grouped_matmul %a, %v, %ends : (tensor<16x6xf32>, tensor<4x6x4xf32>, tensor<4xi32>) -> tensor<16x4xf32>
  %places = prec_train.sort_ids %order below 16 : (tensor<16xi32>) -> tensor<2x16xi32>
  %of = tensor.extract_slice %places[1, 0] [1, 16] [1, 1] : tensor<2x16xi32> to tensor<1x16xi32>
  %inverse = tensor.collapse_shape %of [[0, 1]] : tensor<1x16xi32> into tensor<16xi32>
  %pairs = prec_train.gather %y, %inverse : (tensor<16x4xf32>, tensor<16xi32>) -> tensor<16x4xf32>
  %wide = prec_train.broadcast %weights dims [0] : (tensor<16xf32>) -> tensor<16x4xf32>
  %weighed = arith.mulf %pairs, %wide : tensor<16x4xf32>
  %tokens = tensor.expand_shape %weighed [[0, 1], [2]] output_shape [8, 2, 4] : tensor<16x4xf32> into tensor<8x2x4xf32>
  %out = prec_train.reduce sum %tokens dims [1] : (tensor<8x2x4xf32>) -> tensor<8x4xf32>
  return %out : tensor<8x4xf32>
}
