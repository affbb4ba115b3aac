// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 4, 8, 6], but got [2, 8, 8, 6]}}
  %0 = prec_sched.conv <fprop> %a, %b {strides = array<i64: 2, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xbf16>) {
  // sched_conv_c1
  // expected-error @+1 {{operands must have one format, but got 'tensor<2x8x8x4xf32>' and 'tensor<6x3x3x4xbf16>'}}
  %0 = prec_sched.conv <fprop> %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xbf16>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 4, 8, 6], but got [2, 8, 8, 6]}}
  %0 = prec_sched.conv <dgrad> %a, %b {strides = array<i64: 2, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xbf16>) {
  // sched_conv_c1
  // expected-error @+1 {{operands must have one format, but got 'tensor<2x8x8x6xf32>' and 'tensor<6x3x3x4xbf16>'}}
  %0 = prec_sched.conv <dgrad> %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xbf16>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 4, 8, 6], but got [2, 8, 8, 6]}}
  %0 = prec_sched.conv <wgrad> %a, %b {strides = array<i64: 2, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xbf16>) {
  // sched_conv_c1
  // expected-error @+1 {{operands must have one format, but got 'tensor<2x8x8x6xf32>' and 'tensor<2x8x8x4xbf16>'}}
  %0 = prec_sched.conv <wgrad> %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xbf16>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // placements_c1
  // expected-error @+1 {{placements must be one for each of 1 results, but got 0}}
  %0 = prec_sched.conv <fprop> %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32, placements = []}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}
