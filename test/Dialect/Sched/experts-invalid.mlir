// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<64x16xf32>, %y: tensor<64x32xf32>, %e: tensor<4xi32>) {
  // sched_grouped_c1
  // expected-error @+1 {{transpose_b must be of matrices, but got 'tensor<64x32xf32>'}}
  %0 = prec_sched.grouped_gemm %x, %y, %e {transpose_b} : (tensor<64x16xf32>, tensor<64x32xf32>, tensor<4xi32>) -> tensor<4x16x32xf32>
  return
}

// -----

func.func @f(%x: tensor<64x16xf32>, %w: tensor<4x16x32xbf16>, %e: tensor<4xi32>) {
  // sched_grouped_c2
  // expected-error @+1 {{operands must have one format, but got 'tensor<64x16xf32>' and 'tensor<4x16x32xbf16>'}}
  %0 = prec_sched.grouped_gemm %x, %w, %e : (tensor<64x16xf32>, tensor<4x16x32xbf16>, tensor<4xi32>) -> tensor<64x32xf32>
  return
}

// -----

func.func @f(%x: tensor<64x16xf32>, %w: tensor<4x16x32xf32>, %e: tensor<4xi32>) {
  // grouped_c3
  // expected-error @+1 {{matrices must have shape [4, 32, 16], but got [4, 16, 32]}}
  %0 = prec_sched.grouped_gemm %x, %w, %e {transpose_b} : (tensor<64x16xf32>, tensor<4x16x32xf32>, tensor<4xi32>) -> tensor<64x32xf32>
  return
}

// -----

func.func @f(%x: tensor<64x16xf8E4M3FN>, %w: tensor<4x32x16xf8E4M3FN>, %e: tensor<4xi32>) {
  // sched_grouped_c3
  // expected-error @+1 {{scaled operands must be contiguous along K (transpose_b) and have two inverse scales, but got 0 for}}
  %0 = prec_sched.grouped_gemm %x, %w, %e {transpose_b} : (tensor<64x16xf8E4M3FN>, tensor<4x32x16xf8E4M3FN>, tensor<4xi32>) -> tensor<64x32xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xf8E4M3FN>, %w: tensor<4x32x32xf8E4M3FN>, %s: tensor<4xf32>, %e: tensor<4xi32>) {
  // sched_grouped_c4
  // expected-error @+1 {{scaled operands must agree in what is contracted, but got}}
  %0 = prec_sched.grouped_gemm %x, %w, %e scales %s, %s {lhs_scaling = #prec<scaling tensor_current>, rhs_scaling = #prec<scaling tensor_current>, transpose_b} : (tensor<64x16xf8E4M3FN>, tensor<4x32x32xf8E4M3FN>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<64x32xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xf8E4M3FN>, %w: tensor<4x32x16xf8E4M3FN>, %s: tensor<4xf32>, %t: tensor<5xf32>, %e: tensor<4xi32>) {
  // sched_grouped_c5
  // expected-error @+1 {{inverse tensor_current scales of 'tensor<4x32x16xf8E4M3FN>' must be 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %0 = prec_sched.grouped_gemm %x, %w, %e scales %s, %t {lhs_scaling = #prec<scaling tensor_current>, rhs_scaling = #prec<scaling tensor_current>, transpose_b} : (tensor<64x16xf8E4M3FN>, tensor<4x32x16xf8E4M3FN>, tensor<4xi32>, tensor<4xf32>, tensor<5xf32>) -> tensor<64x32xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xbf16>, %w: tensor<4x32x16xbf16>, %s: tensor<4xf32>, %e: tensor<4xi32>) {
  // sched_grouped_c6
  // expected-error @+1 {{only fp8 operands must have scales, but got some for 'tensor<64x16xbf16>'}}
  %0 = prec_sched.grouped_gemm %x, %w, %e scales %s, %s {transpose_b} : (tensor<64x16xbf16>, tensor<4x32x16xbf16>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<64x32xbf16>
  return
}
