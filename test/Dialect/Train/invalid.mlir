// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<8xf32>, %w: tensor<8x4xf32>) {
  // matmul_c1
  // expected-error @+1 {{operands and result must have one rank of at least 2, but got 'tensor<8xf32>', 'tensor<8x4xf32>' and 'tensor<4xf32>'}}
  %0 = prec_train.matmul %x, %w : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4x8xf32>, %w: tensor<8x4xf32>) {
  // matmul_c1
  // expected-error @+1 {{operands and result must have one rank of at least 2, but got 'tensor<2x4x8xf32>', 'tensor<8x4xf32>' and 'tensor<2x4x4xf32>'}}
  %0 = prec_train.matmul %x, %w : (tensor<2x4x8xf32>, tensor<8x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4x8xf32>, %w: tensor<3x8x4xf32>) {
  // matmul_c2
  // expected-error @+1 {{batch dimensions must be equal, but got 'tensor<2x4x8xf32>', 'tensor<3x8x4xf32>' and 'tensor<2x4x4xf32>'}}
  %0 = prec_train.matmul %x, %w : (tensor<2x4x8xf32>, tensor<3x8x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // matmul_c3
  // expected-error @+1 {{contracted dimensions must be equal, but got 8 and 4}}
  %0 = prec_train.matmul %x, %w {transpose_b} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8x4xf32>, %w: tensor<8x16xf32>) {
  // matmul_c4
  // expected-error @+1 {{result must be 4x16, but got 'tensor<8x16xf32>'}}
  %0 = prec_train.matmul %x, %w {transpose_a} : (tensor<8x4xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // reduce_c1
  // expected-error @+1 {{dims must be distinct dimensions of the input, but got [1, 1]}}
  %0 = prec_train.reduce sum %x dims [1, 1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // reduce_c1
  // expected-error @+1 {{dims must be distinct dimensions of the input, but got [2]}}
  %0 = prec_train.reduce sum %x dims [2] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // reduce_c1
  // expected-error @+1 {{dims must be distinct dimensions of the input, but got [-1]}}
  %0 = prec_train.reduce sum %x dims [-1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // reduce_c2
  // expected-error @+1 {{result must be 'tensor<8xf32>', but got 'tensor<4xf32>'}}
  %0 = prec_train.reduce sum %x dims [0] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xbf16>) {
  // reduce_c2
  // expected-error @+1 {{result must be 'tensor<8xbf16>', but got 'tensor<8xf32>'}}
  %0 = prec_train.reduce max %x dims [0] : (tensor<4x8xbf16>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // broadcast_c1
  // expected-error @+1 {{dims must have one entry for each of 1 input dimensions, but got 2}}
  %0 = prec_train.broadcast %x dims [0, 1] : (tensor<8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // broadcast_c2
  // expected-error @+1 {{dims must ascend within the result's dimensions, but got 0}}
  %0 = prec_train.broadcast %x dims [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // broadcast_c2
  // expected-error @+1 {{dims must ascend within the result's dimensions, but got 2}}
  %0 = prec_train.broadcast %x dims [2] : (tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // broadcast_c2
  // expected-error @+1 {{dims must ascend within the result's dimensions, but got -1}}
  %0 = prec_train.broadcast %x dims [-1] : (tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // broadcast_c3
  // expected-error @+1 {{sizes must be equal, but got 8 and 4}}
  %0 = prec_train.broadcast %x dims [0] : (tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xbf16>) {
  // broadcast_c4
  // expected-error @+1 {{element type must not change, but got 'tensor<8xbf16>' and 'tensor<4x8xf32>'}}
  %0 = prec_train.broadcast %x dims [1] : (tensor<8xbf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // transpose_c1
  // expected-error @+1 {{permutation must be one of the input's dimensions, but got [0, 0]}}
  %0 = prec_train.transpose %x permutation [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // transpose_c1
  // expected-error @+1 {{permutation must be one of the input's dimensions, but got []}}
  %0 = prec_train.transpose %x permutation [] : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // transpose_c2
  // expected-error @+1 {{result must be 'tensor<8x4xf32>', but got 'tensor<4x8xf32>'}}
  %0 = prec_train.transpose %x permutation [1, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f() {
  // iota_c1
  // expected-error @+1 {{dim must be a dimension of the result, but got 1}}
  %0 = prec_train.iota dim 1 : tensor<8xi32>
  return
}

// -----

func.func @f() {
  // iota_c1
  // expected-error @+1 {{dim must be a dimension of the result, but got -1}}
  %0 = prec_train.iota dim -1 : tensor<8xi32>
  return
}

// -----

func.func @f(%t: tensor<f32>, %i: tensor<4xi32>) {
  // gather_c1
  // expected-error @+1 {{table must have rows, but got 'tensor<f32>'}}
  %0 = prec_train.gather %t, %i : (tensor<f32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%t: tensor<16x8xf32>, %i: tensor<4xi32>) {
  // gather_c2
  // expected-error @+1 {{result must be 'tensor<4x8xf32>', but got 'tensor<8x4xf32>'}}
  %0 = prec_train.gather %t, %i : (tensor<16x8xf32>, tensor<4xi32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%t: tensor<16x8xf32>, %i: tensor<4xi32>) {
  // gather_c2
  // expected-error @+1 {{result must be 'tensor<4x8xf32>', but got 'tensor<4x8xbf16>'}}
  %0 = prec_train.gather %t, %i : (tensor<16x8xf32>, tensor<4xi32>) -> tensor<4x8xbf16>
  return
}

// -----

func.func @f(%z: tensor<16x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>) {
  // scatter_add_c1
  // expected-error @+1 {{result must have the type of init, but got 'tensor<16x8xbf16>' and 'tensor<16x8xf32>'}}
  %0 = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<16x8xbf16>
  return
}

// -----

func.func @f(%z: tensor<16x8xf32>, %i: tensor<4xi32>, %u: tensor<5x8xf32>) {
  // scatter_add_c2
  // expected-error @+1 {{updates must be one row of init for each index, but got 'tensor<5x8xf32>'}}
  %0 = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<5x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @f(%z: tensor<16x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>, %s: tensor<4xi32>) {
  // scatter_add_c3
  // expected-error @+1 {{sorted ids must be 'tensor<2x4xi32>', but got 'tensor<4xi32>'}}
  %0 = prec_train.scatter_add %z, %i, %u sorted %s : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xf32>, tensor<4xi32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @f(%i: tensor<2x4xi32>) {
  // sort_ids_c1
  // expected-error @+1 {{bound must be positive, but got 0}}
  %0 = prec_train.sort_ids %i below 0 : (tensor<2x4xi32>) -> tensor<2x8xi32>
  return
}

// -----

func.func @f(%i: tensor<2x4xi32>) {
  // sort_ids_c2
  // expected-error @+1 {{result must be 'tensor<2x8xi32>', but got 'tensor<2x2x4xi32>'}}
  %0 = prec_train.sort_ids %i below 16 : (tensor<2x4xi32>) -> tensor<2x2x4xi32>
  return
}

// -----

func.func @f(%z: tensor<f32>, %i: tensor<4xi32>, %u: tensor<4xf32>) {
  // scatter_add_c2
  // expected-error @+1 {{updates must be one row of init for each index, but got 'tensor<4xf32>'}}
  %0 = prec_train.scatter_add %z, %i, %u : (tensor<f32>, tensor<4xi32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2x4x8xf32>, %w: tensor<2x8x16xf32>, %b: tensor<16xf32>) {
  // matmul_c5
  // expected-error @+1 {{a product with a bias must be one matrix, but got 'tensor<2x4x16xf32>'}}
  %0 = prec_train.matmul %x, %w bias %b : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xf32>) {
  // matmul_c6
  // expected-error @+1 {{bias must be 'tensor<16xbf16>', but got 'tensor<16xf32>'}}
  %0 = prec_train.matmul %x, %w bias %b : (tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xf32>) -> tensor<4x16xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<4xbf16>) {
  // matmul_c6
  // expected-error @+1 {{bias must be 'tensor<16xbf16>', but got 'tensor<4xbf16>'}}
  %0 = prec_train.matmul %x, %w bias %b : (tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<4xbf16>) -> tensor<4x16xbf16>
  return
}
