// RUN: prec-opt %s --prec-split-experts=mesh=ep=2 --split-input-file --verify-diagnostics
// RUN: not prec-opt %s --prec-split-experts="mesh=ep=2 room=0.5" --split-input-file 2>&1 | FileCheck %s --check-prefix=ROOM

// split_experts_c8
// ROOM: room for rows of experts must be from 1, which is what a rank gets if all get alike, to the number of ranks, which is all rows, but got 0.5{{0*}} of 2 (--expert-room)

// split_experts_c9
// expected-error @+1 {{experts must be divided once, but got the mesh {ep = 2 : i64}}}
module attributes {prec_train.mesh = {ep = 2 : i64}} {
func.func @step() attributes {prec.entry = "step"} {
  return
}
}

// -----

func.func @step() attributes {prec.entry = "step"} {
  return
}

// split_experts_c10
// expected-error @+1 {{a module whose experts are divided must have a step alone, but got another function}}
func.func @more(%x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}) -> tensor<4xf32> attributes {prec.entry = "eval"} {
  return %x : tensor<4xf32>
}

// -----

// split_experts_c3
// expected-error @+1 {{ep=2 must divide grouped products of experts, but got none}}
func.func @step() attributes {prec.entry = "step"} {
  return
}

// -----

func.func @step(%x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %ids: tensor<16xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %w: tensor<4x4x6xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "w"},
                %ends: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ends"})
    -> (tensor<16x6xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "y"}) attributes {prec.entry = "step"} {
  %two = arith.constant dense<2> : tensor<16xi32>
  %sorted = prec_train.sort_ids %ids below 4 : (tensor<16xi32>) -> tensor<2x16xi32>
  %second = tensor.extract_slice %sorted[1, 0] [1, 16] [1, 1] : tensor<2x16xi32> to tensor<1x16xi32>
  %order = tensor.collapse_shape %second [[0, 1]] : tensor<1x16xi32> into tensor<16xi32>
  %token = arith.divsi %order, %two : tensor<16xi32>
  %rows = prec_train.gather %x, %token : (tensor<8x4xf32>, tensor<16xi32>) -> tensor<16x4xf32>
  // split_experts_c1
  // expected-error @+1 {{matrices of experts that are divided among ranks must be a parameter, but got 'tensor<4x4x6xf32>' that is none (ep= takes no adapters of experts)}}
  %h = prec_train.grouped_matmul %rows, %w, %ends : (tensor<16x4xf32>, tensor<4x4x6xf32>, tensor<4xi32>) -> tensor<16x6xf32>
  return %h : tensor<16x6xf32>
}

// -----

func.func @step(%x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %ids: tensor<16xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %w: tensor<3x4x6xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %ends: tensor<3xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ends"})
    -> (tensor<16x6xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "y"}) attributes {prec.entry = "step"} {
  %two = arith.constant dense<2> : tensor<16xi32>
  %sorted = prec_train.sort_ids %ids below 4 : (tensor<16xi32>) -> tensor<2x16xi32>
  %second = tensor.extract_slice %sorted[1, 0] [1, 16] [1, 1] : tensor<2x16xi32> to tensor<1x16xi32>
  %order = tensor.collapse_shape %second [[0, 1]] : tensor<1x16xi32> into tensor<16xi32>
  %token = arith.divsi %order, %two : tensor<16xi32>
  %rows = prec_train.gather %x, %token : (tensor<8x4xf32>, tensor<16xi32>) -> tensor<16x4xf32>
  // split_experts_c2
  // expected-error @+1 {{ep=2 must divide the number of experts, but got 3 of 'w'}}
  %h = prec_train.grouped_matmul %rows, %w, %ends : (tensor<16x4xf32>, tensor<3x4x6xf32>, tensor<3xi32>) -> tensor<16x6xf32>
  return %h : tensor<16x6xf32>
}

// -----

func.func @step(%x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %ids: tensor<16xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %w: tensor<4x4x6xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %ends: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ends"})
    -> (tensor<16x6xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "y"}) attributes {prec.entry = "step"} {
  %rows = tensor.concat dim(0) %x, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  // split_experts_c4
  // expected-error @+1 {{experts must be divided among ranks by rows of sorted pairs of a token and an expert, but its rows are no lookup of such}}
  %h = prec_train.grouped_matmul %rows, %w, %ends : (tensor<16x4xf32>, tensor<4x4x6xf32>, tensor<4xi32>) -> tensor<16x6xf32>
  return %h : tensor<16x6xf32>
}

// -----

func.func @step(%x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %ids: tensor<16xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %w: tensor<4x4x6xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %ends: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ends"})
    -> (tensor<16x6xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "y"}) attributes {prec.entry = "step"} {
  %two = arith.constant dense<2> : tensor<16xi32>
  %sorted = prec_train.sort_ids %ids below 4 : (tensor<16xi32>) -> tensor<2x16xi32>
  %second = tensor.extract_slice %sorted[1, 0] [1, 16] [1, 1] : tensor<2x16xi32> to tensor<1x16xi32>
  %order = tensor.collapse_shape %second [[0, 1]] : tensor<1x16xi32> into tensor<16xi32>
  %token = arith.divsi %order, %two : tensor<16xi32>
  %rows = prec_train.gather %x, %token : (tensor<8x4xf32>, tensor<16xi32>) -> tensor<16x4xf32>
  // split_experts_c4
  // expected-error @+1 {{experts must be divided among ranks by rows of sorted pairs of a token and an expert, but 'prec_train.softmax' is not computed row by row}}
  %soft = prec_train.softmax %rows : (tensor<16x4xf32>) -> tensor<16x4xf32>
  %h = prec_train.grouped_matmul %soft, %w, %ends : (tensor<16x4xf32>, tensor<4x4x6xf32>, tensor<4xi32>) -> tensor<16x6xf32>
  %places = prec_train.sort_ids %order below 16 : (tensor<16xi32>) -> tensor<2x16xi32>
  %of = tensor.extract_slice %places[1, 0] [1, 16] [1, 1] : tensor<2x16xi32> to tensor<1x16xi32>
  %inverse = tensor.collapse_shape %of [[0, 1]] : tensor<1x16xi32> into tensor<16xi32>
  %p = prec_train.gather %h, %inverse : (tensor<16x6xf32>, tensor<16xi32>) -> tensor<16x6xf32>
  return %p : tensor<16x6xf32>
}

// -----

func.func @step(%x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %ids: tensor<16xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %w: tensor<4x4x6xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %ends: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ends"})
    -> (tensor<16x6xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "y"}) attributes {prec.entry = "step"} {
  %two = arith.constant dense<2> : tensor<16xi32>
  %sorted = prec_train.sort_ids %ids below 4 : (tensor<16xi32>) -> tensor<2x16xi32>
  %second = tensor.extract_slice %sorted[1, 0] [1, 16] [1, 1] : tensor<2x16xi32> to tensor<1x16xi32>
  %order = tensor.collapse_shape %second [[0, 1]] : tensor<1x16xi32> into tensor<16xi32>
  %token = arith.divsi %order, %two : tensor<16xi32>
  %rows = prec_train.gather %x, %token : (tensor<8x4xf32>, tensor<16xi32>) -> tensor<16x4xf32>
  // split_experts_c5
  // expected-error @+1 {{rows of experts that are divided among ranks must be read by lookups of their pairs, but got another reader: 'func.return'}}
  %h = prec_train.grouped_matmul %rows, %w, %ends : (tensor<16x4xf32>, tensor<4x4x6xf32>, tensor<4xi32>) -> tensor<16x6xf32>
  return %h : tensor<16x6xf32>
}

// -----

func.func @step(%x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %ids: tensor<16xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %w: tensor<4x4x6xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %ends: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ends"})
    -> (tensor<4x6xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "y"}) attributes {prec.entry = "step"} {
  %two = arith.constant dense<2> : tensor<16xi32>
  %sorted = prec_train.sort_ids %ids below 4 : (tensor<16xi32>) -> tensor<2x16xi32>
  %second = tensor.extract_slice %sorted[1, 0] [1, 16] [1, 1] : tensor<2x16xi32> to tensor<1x16xi32>
  %order = tensor.collapse_shape %second [[0, 1]] : tensor<1x16xi32> into tensor<16xi32>
  %token = arith.divsi %order, %two : tensor<16xi32>
  %rows = prec_train.gather %x, %token : (tensor<8x4xf32>, tensor<16xi32>) -> tensor<16x4xf32>
  %h = prec_train.grouped_matmul %rows, %w, %ends : (tensor<16x4xf32>, tensor<4x4x6xf32>, tensor<4xi32>) -> tensor<16x6xf32>
  %g = prec_train.grouped_matmul_grad %rows, %h, %ends : (tensor<16x4xf32>, tensor<16x6xf32>, tensor<4xi32>) -> tensor<4x4x6xf32>
  // split_experts_c6
  // expected-error @+1 {{what updates experts that are divided among ranks must be computed of slices, but got a sum over experts}}
  %s = prec_train.reduce sum %g dims [0] : (tensor<4x4x6xf32>) -> tensor<4x6xf32>
  return %s : tensor<4x6xf32>
}

// -----

// split_experts_c7
// expected-error @+1 {{what a step returns of experts that are divided among ranks must be a slice of a state, but result 0 is not}}
func.func @step(%x: tensor<8x4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %ids: tensor<16xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %w: tensor<4x4x6xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %ends: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ends"})
    -> (tensor<4x4x6xf32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "y"}) attributes {prec.entry = "step"} {
  %two = arith.constant dense<2> : tensor<16xi32>
  %sorted = prec_train.sort_ids %ids below 4 : (tensor<16xi32>) -> tensor<2x16xi32>
  %second = tensor.extract_slice %sorted[1, 0] [1, 16] [1, 1] : tensor<2x16xi32> to tensor<1x16xi32>
  %order = tensor.collapse_shape %second [[0, 1]] : tensor<1x16xi32> into tensor<16xi32>
  %token = arith.divsi %order, %two : tensor<16xi32>
  %rows = prec_train.gather %x, %token : (tensor<8x4xf32>, tensor<16xi32>) -> tensor<16x4xf32>
  %h = prec_train.grouped_matmul %rows, %w, %ends : (tensor<16x4xf32>, tensor<4x4x6xf32>, tensor<4xi32>) -> tensor<16x6xf32>
  %g = prec_train.grouped_matmul_grad %rows, %h, %ends : (tensor<16x4xf32>, tensor<16x6xf32>, tensor<4xi32>) -> tensor<4x4x6xf32>
  return %g : tensor<4x4x6xf32>
}
