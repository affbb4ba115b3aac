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
