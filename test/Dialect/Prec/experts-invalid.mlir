// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<64x16xbf16>, %e: tensor<2x2xi32>) {
  // groups_c1
  // expected-error @+1 {{ends must be one for each group, of something that has elements, but got 'tensor<2x2xi32>' of 'tensor<64x16xbf16>'}}
  %0 = prec.group_amax %x, %e : (tensor<64x16xbf16>, tensor<2x2xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<64x16xbf16>, %e: tensor<4xi32>) {
  // group_amax_c1
  // expected-error @+1 {{amaxes must be one for each group of rows of a matrix, but got 'tensor<5xf32>' for 'tensor<64x16xbf16>' and 'tensor<4xi32>'}}
  %0 = prec.group_amax %x, %e : (tensor<64x16xbf16>, tensor<4xi32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %e: tensor<4xi32>) {
  // group_scales_c1
  // expected-error @+1 {{scales must be one for each group, and one for each row, but got 'tensor<4xf32>' and 'tensor<4x4xf32>' for 'tensor<4xi32>'}}
  %0 = prec.group_scales %x, %e : (tensor<4xf32>, tensor<4xi32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<64xbf16>, %e: tensor<4xi32>) {
  // align_groups_c1
  // expected-error @+1 {{groups must be of rows of a matrix, but got 'tensor<64xbf16>'}}
  %0 = prec.align_groups %x, %e : (tensor<64xbf16>, tensor<4xi32>) -> tensor<512xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xbf16>, %e: tensor<4xi32>) {
  // align_groups_c2
  // expected-error @+1 {{result must be 'tensor<512x16xbf16>', but got 'tensor<128x16xbf16>'}}
  %0 = prec.align_groups %x, %e : (tensor<64x16xbf16>, tensor<4xi32>) -> tensor<128x16xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xf8E4M3FN>, %w: tensor<16xf8E4M3FN>, %s: tensor<4xf32>, %e: tensor<4xi32>) {
  // scaled_grouped_c1
  // expected-error @+1 {{lhs must be rows, and rhs rows or a matrix of each group, but got 'tensor<64x16xf8E4M3FN>' and 'tensor<16xf8E4M3FN>'}}
  %0 = prec.scaled_grouped_matmul %x scale %s, %w scale %s, %e <fast> by tensor_current, tensor_current
    : (tensor<64x16xf8E4M3FN>, tensor<4xf32>, tensor<16xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<64x32xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xf8E4M3FN>, %w: tensor<4x16x32xf8E4M3FN>, %s: tensor<4xf32>, %e: tensor<4xi32>) {
  // scaled_grouped_c2
  // expected-error @+1 {{operands must agree in their last dimension, of aligned groups or with a matrix of each group, but got 'tensor<64x16xf8E4M3FN>' and 'tensor<4x16x32xf8E4M3FN>' for 4 groups}}
  %0 = prec.scaled_grouped_matmul %x scale %s, %w scale %s, %e <fast> by tensor_current, tensor_current
    : (tensor<64x16xf8E4M3FN>, tensor<4xf32>, tensor<4x16x32xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<64x16xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xf8E4M3FN>, %y: tensor<32x16xf8E4M3FN>, %s: tensor<4xf32>, %e: tensor<4xi32>) {
  // scaled_grouped_c2
  // expected-error @+1 {{operands must agree in their last dimension, of aligned groups}}
  %0 = prec.scaled_grouped_matmul %x scale %s, %y scale %s, %e <fast> by tensor_current, tensor_current
    : (tensor<64x16xf8E4M3FN>, tensor<4xf32>, tensor<32x16xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<4x64x32xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xf8E4M3FN>, %w: tensor<4x32x16xf8E4M3FN>, %s: tensor<4xf32>, %e: tensor<4xi32>) {
  // scaled_grouped_c3
  // expected-error @+1 {{result must be 'tensor<64x32xbf16>', but got 'tensor<64x16xbf16>'}}
  %0 = prec.scaled_grouped_matmul %x scale %s, %w scale %s, %e <fast> by tensor_current, tensor_current
    : (tensor<64x16xf8E4M3FN>, tensor<4xf32>, tensor<4x32x16xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<64x16xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xf8E5M2>, %w: tensor<4x32x16xf8E5M2>, %s: tensor<4xf32>, %e: tensor<4xi32>) {
  // scaled_grouped_c4
  // expected-error @+1 {{one operand must be e4m3, but got e5m2 twice}}
  %0 = prec.scaled_grouped_matmul %x scale %s, %w scale %s, %e <fast> by tensor_current, tensor_current
    : (tensor<64x16xf8E5M2>, tensor<4xf32>, tensor<4x32x16xf8E5M2>, tensor<4xf32>, tensor<4xi32>) -> tensor<64x32xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xf8E4M3FN>, %w: tensor<4x32x16xf8E4M3FN>, %s: tensor<4xf32>, %t: tensor<128xf32>, %e: tensor<4xi32>) {
  // scaled_grouped_c5
  // expected-error @+1 {{both operands must be scaled by group, by row or by block, but got tensor_current and row}}
  %0 = prec.scaled_grouped_matmul %x scale %s, %w scale %t, %e <fast> by tensor_current, row
    : (tensor<64x16xf8E4M3FN>, tensor<4xf32>, tensor<4x32x16xf8E4M3FN>, tensor<128xf32>, tensor<4xi32>) -> tensor<64x32xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x128xf8E4M3FN>, %w: tensor<4x32x128xf8E4M3FN>, %s: tensor<1x64xf32>, %t: tensor<1x1x4xf32>, %e: tensor<4xi32>) {
  // scaled_grouped_c6
  // expected-error @+1 {{32 rows of an expert are no multiple of 128, so that blocks would be of two experts}}
  %0 = prec.scaled_grouped_matmul %x scale %s, %w scale %t, %e <promoted> by block_1x128, block_128x128
    : (tensor<64x128xf8E4M3FN>, tensor<1x64xf32>, tensor<4x32x128xf8E4M3FN>, tensor<1x1x4xf32>, tensor<4xi32>) -> tensor<64x32xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x128xf8E4M3FN>, %w: tensor<4x32x128xf8E4M3FN>, %s: tensor<4xf32>, %e: tensor<4xi32>) {
  // scaled_grouped_c6
  // expected-error @+1 {{mx_1x32 is of no grouped product}}
  %0 = prec.scaled_grouped_matmul %x scale %s, %w scale %s, %e <full> by mx_1x32, mx_1x32
    : (tensor<64x128xf8E4M3FN>, tensor<4xf32>, tensor<4x32x128xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<64x32xbf16>
  return
}

// -----

func.func @f(%x: tensor<64x16xf8E4M3FN>, %w: tensor<4x32x16xf8E4M3FN>, %s: tensor<4xf32>, %t: tensor<f32>, %e: tensor<4xi32>) {
  // scaled_grouped_c7
  // expected-error @+1 {{inverse tensor_current scales of 'tensor<64x16xf8E4M3FN>' must be 'tensor<4xf32>', but got 'tensor<f32>'}}
  %0 = prec.scaled_grouped_matmul %x scale %t, %w scale %s, %e <fast> by tensor_current, tensor_current
    : (tensor<64x16xf8E4M3FN>, tensor<f32>, tensor<4x32x16xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<64x32xbf16>
  return
}

// -----

func.func @f(%a: tensor<2x2xf32>) {
  // delayed_c2
  // expected-error @+1 {{an amax must be of a tensor, or one of each expert, but got 'tensor<2x2xf32>'}}
  %0, %1 = prec.delayed_scale %a of "t" for e4m3 : tensor<2x2xf32>
  return
}

// -----

func.func @f(%h: tensor<4x16xf32>, %a: tensor<3xf32>) {
  // record_amax_c2
  // expected-error @+1 {{amaxes must be one for each row of 'tensor<4x16xf32>', but got 3}}
  %0, %1 = prec.record_amax %h, %a : tensor<4x16xf32> of tensor<3xf32>
  return
}
