// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<64x16xf32>, %w: tensor<16x32xf32>, %e: tensor<4xi32>) {
  // grouped_c1
  // expected-error @+1 {{rows of both sides must have rank 2, matrices 3 and ends 1, but got 'tensor<64x16xf32>', 'tensor<64x32xf32>', 'tensor<16x32xf32>' and 'tensor<4xi32>'}}
  %0 = prec_train.grouped_matmul %x, %w, %e : (tensor<64x16xf32>, tensor<16x32xf32>, tensor<4xi32>) -> tensor<64x32xf32>
  return
}

// -----

func.func @f(%x: tensor<0x16xf32>, %w: tensor<4x16x32xf32>, %e: tensor<4xi32>) {
  // grouped_c2
  // expected-error @+1 {{a grouped product must have no size of 0, but got 'tensor<0x16xf32>'}}
  %0 = prec_train.grouped_matmul %x, %w, %e : (tensor<0x16xf32>, tensor<4x16x32xf32>, tensor<4xi32>) -> tensor<0x32xf32>
  return
}

// -----

func.func @f(%x: tensor<64x16xf32>, %w: tensor<4x16x32xf32>, %e: tensor<4xi32>) {
  // grouped_c3
  // expected-error @+1 {{matrices must have shape [4, 32, 16], but got [4, 16, 32]}}
  %0 = prec_train.grouped_matmul %x, %w, %e {transpose_b} : (tensor<64x16xf32>, tensor<4x16x32xf32>, tensor<4xi32>) -> tensor<64x32xf32>
  return
}

// -----

func.func @f(%x: tensor<64x16xf32>, %w: tensor<4x16x32xf32>, %e: tensor<4xi32>) {
  // grouped_c4
  // expected-error @+1 {{both sides must have as many rows, but got 'tensor<64x16xf32>' and 'tensor<63x32xf32>'}}
  %0 = prec_train.grouped_matmul %x, %w, %e : (tensor<64x16xf32>, tensor<4x16x32xf32>, tensor<4xi32>) -> tensor<63x32xf32>
  return
}

// -----

func.func @f(%x: tensor<64x16xf32>, %y: tensor<64x32xf32>, %e: tensor<4xi32>) {
  // grouped_c3
  // expected-error @+1 {{matrices must have shape [4, 16, 32], but got [4, 32, 16]}}
  %0 = prec_train.grouped_matmul_grad %x, %y, %e : (tensor<64x16xf32>, tensor<64x32xf32>, tensor<4xi32>) -> tensor<4x32x16xf32>
  return
}

// -----

func.func @f(%x: tensor<64x16xf64>, %w: tensor<4x16x32xf64>, %e: tensor<4xi32>) {
  // expected-error @+1 {{op operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<64x16xf64>'}}
  %0 = prec_train.grouped_matmul %x, %w, %e : (tensor<64x16xf64>, tensor<4x16x32xf64>, tensor<4xi32>) -> tensor<64x32xf64>
  return
}
