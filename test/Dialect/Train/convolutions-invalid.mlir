// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<2x4xf32>, %b: tensor<6x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x4xf32>', 'tensor<6x4xf32>' and 'tensor<2x6xf32>'}}
  %0 = prec_train.conv %a, %b {strides = array<i64>, low = array<i64>, high = array<i64>, dilations = array<i64>, groups = 1 : i32}
    : (tensor<2x4xf32>, tensor<6x4xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2x2x2x2x4xf32>, %b: tensor<6x1x1x1x1x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x2x2x2x2x4xf32>', 'tensor<6x1x1x1x1x4xf32>' and 'tensor<2x2x2x2x2x6xf32>'}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x2x2x2x2x4xf32>, tensor<6x1x1x1x1x4xf32>) -> tensor<2x2x2x2x2x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x8x8x4xf32>', 'tensor<6x3x4xf32>' and 'tensor<2x8x8x6xf32>'}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x8x8x4xf32>', 'tensor<6x3x3x4xf32>' and 'tensor<2x64x6xf32>'}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x64x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c2
  // expected-error @+1 {{strides must be 2 numbers of at least 1, but got [1]}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c2
  // expected-error @+1 {{strides must be 2 numbers of at least 1, but got [0, 1]}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 0, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c2
  // expected-error @+1 {{low must be 2 numbers of at least 0, but got [-1, 1]}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: -1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c2
  // expected-error @+1 {{high must be 2 numbers of at least 0, but got [1, 1, 1]}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c2
  // expected-error @+1 {{dilations must be 2 numbers of at least 1, but got [1, 0]}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 0>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x0x3x4xf32>) {
  // conv_c3
  // expected-error @+1 {{a convolution must have no size of 0, but got 'tensor<2x8x8x4xf32>', 'tensor<6x0x3x4xf32>' and 'tensor<2x8x8x6xf32>'}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x0x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<0x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c3
  // expected-error @+1 {{a convolution must have no size of 0, but got 'tensor<0x8x8x4xf32>', 'tensor<6x3x3x4xf32>' and 'tensor<0x8x8x6xf32>'}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<0x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<0x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x1x8x4xf32>, %b: tensor<6x5x3x4xf32>) {
  // conv_c3
  // expected-error @+1 {{a convolution must have no size of 0, but got 'tensor<2x1x8x4xf32>', 'tensor<6x5x3x4xf32>' and 'tensor<2x0x8x6xf32>'}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x1x8x4xf32>, tensor<6x5x3x4xf32>) -> tensor<2x0x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c4
  // expected-error @+1 {{groups must divide 4 channels and 6 outputs, but got 4}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 4 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c4
  // expected-error @+1 {{groups must divide 4 channels and 6 outputs, but got 0}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 0 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c5
  // expected-error @+1 {{weight must have 2 channels, but got 'tensor<6x3x3x4xf32>'}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 4, 8, 6], but got [2, 8, 8, 6]}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 2, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 8, 8, 6], but got [2, 8, 8, 7]}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x7xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 8, 8, 6], but got [3, 8, 8, 6]}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<3x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 0, 8, 6], but got [2, 8, 8, 6]}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 5, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x6xf32>, %b: tensor<6x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x4xf32>', 'tensor<6x4xf32>' and 'tensor<2x6xf32>'}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64>, low = array<i64>, high = array<i64>, dilations = array<i64>, groups = 1 : i32}
    : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2x2x2x2x6xf32>, %b: tensor<6x1x1x1x1x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x2x2x2x2x4xf32>', 'tensor<6x1x1x1x1x4xf32>' and 'tensor<2x2x2x2x2x6xf32>'}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x2x2x2x2x6xf32>, tensor<6x1x1x1x1x4xf32>) -> tensor<2x2x2x2x2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x8x8x4xf32>', 'tensor<6x3x4xf32>' and 'tensor<2x8x8x6xf32>'}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x64x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x8x8x4xf32>', 'tensor<6x3x3x4xf32>' and 'tensor<2x64x6xf32>'}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x64x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c2
  // expected-error @+1 {{strides must be 2 numbers of at least 1, but got [1]}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c2
  // expected-error @+1 {{strides must be 2 numbers of at least 1, but got [0, 1]}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 0, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c2
  // expected-error @+1 {{low must be 2 numbers of at least 0, but got [-1, 1]}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: -1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c2
  // expected-error @+1 {{high must be 2 numbers of at least 0, but got [1, 1, 1]}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c2
  // expected-error @+1 {{dilations must be 2 numbers of at least 1, but got [1, 0]}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 0>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x0x3x4xf32>) {
  // conv_c3
  // expected-error @+1 {{a convolution must have no size of 0, but got 'tensor<2x8x8x4xf32>', 'tensor<6x0x3x4xf32>' and 'tensor<2x8x8x6xf32>'}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x0x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<0x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c3
  // expected-error @+1 {{a convolution must have no size of 0, but got 'tensor<0x8x8x4xf32>', 'tensor<6x3x3x4xf32>' and 'tensor<0x8x8x6xf32>'}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<0x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<0x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x0x8x6xf32>, %b: tensor<6x5x3x4xf32>) {
  // conv_c3
  // expected-error @+1 {{a convolution must have no size of 0, but got 'tensor<2x1x8x4xf32>', 'tensor<6x5x3x4xf32>' and 'tensor<2x0x8x6xf32>'}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x0x8x6xf32>, tensor<6x5x3x4xf32>) -> tensor<2x1x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c4
  // expected-error @+1 {{groups must divide 4 channels and 6 outputs, but got 4}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 4 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c4
  // expected-error @+1 {{groups must divide 4 channels and 6 outputs, but got 0}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 0 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c5
  // expected-error @+1 {{weight must have 2 channels, but got 'tensor<6x3x3x4xf32>'}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 4, 8, 6], but got [2, 8, 8, 6]}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 2, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x7xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 8, 8, 6], but got [2, 8, 8, 7]}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x7xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<3x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 8, 8, 6], but got [3, 8, 8, 6]}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<3x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<6x3x3x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 0, 8, 6], but got [2, 8, 8, 6]}}
  %0 = prec_train.conv_grad_input %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 5, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x6xf32>, %b: tensor<2x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x4xf32>', 'tensor<6x4xf32>' and 'tensor<2x6xf32>'}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64>, low = array<i64>, high = array<i64>, dilations = array<i64>, groups = 1 : i32}
    : (tensor<2x6xf32>, tensor<2x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2x2x2x2x6xf32>, %b: tensor<2x2x2x2x2x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x2x2x2x2x4xf32>', 'tensor<6x1x1x1x1x4xf32>' and 'tensor<2x2x2x2x2x6xf32>'}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x2x2x2x2x6xf32>, tensor<2x2x2x2x2x4xf32>) -> tensor<6x1x1x1x1x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x8x8x4xf32>', 'tensor<6x3x4xf32>' and 'tensor<2x8x8x6xf32>'}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x64x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c1
  // expected-error @+1 {{input, weight and output must have one rank of 3 to 5, but got 'tensor<2x8x8x4xf32>', 'tensor<6x3x3x4xf32>' and 'tensor<2x64x6xf32>'}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x64x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c2
  // expected-error @+1 {{strides must be 2 numbers of at least 1, but got [1]}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c2
  // expected-error @+1 {{strides must be 2 numbers of at least 1, but got [0, 1]}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 0, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c2
  // expected-error @+1 {{low must be 2 numbers of at least 0, but got [-1, 1]}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: -1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c2
  // expected-error @+1 {{high must be 2 numbers of at least 0, but got [1, 1, 1]}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c2
  // expected-error @+1 {{dilations must be 2 numbers of at least 1, but got [1, 0]}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 0>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c3
  // expected-error @+1 {{a convolution must have no size of 0, but got 'tensor<2x8x8x4xf32>', 'tensor<6x0x3x4xf32>' and 'tensor<2x8x8x6xf32>'}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x0x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<0x8x8x6xf32>, %b: tensor<0x8x8x4xf32>) {
  // conv_c3
  // expected-error @+1 {{a convolution must have no size of 0, but got 'tensor<0x8x8x4xf32>', 'tensor<6x3x3x4xf32>' and 'tensor<0x8x8x6xf32>'}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<0x8x8x6xf32>, tensor<0x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x0x8x6xf32>, %b: tensor<2x1x8x4xf32>) {
  // conv_c3
  // expected-error @+1 {{a convolution must have no size of 0, but got 'tensor<2x1x8x4xf32>', 'tensor<6x5x3x4xf32>' and 'tensor<2x0x8x6xf32>'}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x0x8x6xf32>, tensor<2x1x8x4xf32>) -> tensor<6x5x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c4
  // expected-error @+1 {{groups must divide 4 channels and 6 outputs, but got 4}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 4 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c4
  // expected-error @+1 {{groups must divide 4 channels and 6 outputs, but got 0}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 0 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c5
  // expected-error @+1 {{weight must have 2 channels, but got 'tensor<6x3x3x4xf32>'}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 4, 8, 6], but got [2, 8, 8, 6]}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 2, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x7xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 8, 8, 6], but got [2, 8, 8, 7]}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x7xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<3x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 8, 8, 6], but got [3, 8, 8, 6]}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<3x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x6xf32>, %b: tensor<2x8x8x4xf32>) {
  // conv_c6
  // expected-error @+1 {{output must have shape [2, 0, 8, 6], but got [2, 8, 8, 6]}}
  %0 = prec_train.conv_grad_weight %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 5, 1>, groups = 1 : i32}
    : (tensor<2x8x8x6xf32>, tensor<2x8x8x4xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x8x8x4xf8E4M3FN>, %b: tensor<6x3x3x4xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float values}}
  %0 = prec_train.conv %a, %b {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x4xf8E4M3FN>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  return
}
