// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>) {
  // custom_c1
  // expected-error @+1 {{'launch' must hold three numbers of blocks, three of threads and the bytes of shared memory, but got [1, 1, 1]}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1], parameters = ["in 0"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c1
  // expected-error @+1 {{'launch' must hold three numbers of blocks, three of threads and the bytes of shared memory, but got [1, 1, 1, 0, 1, 1, 0]}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 0, 1, 1, 0], parameters = ["in 0"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c1
  // expected-error @+1 {{'launch' must hold three numbers of blocks, three of threads and the bytes of shared memory, but got [1, 1, 1, 1, 1, 1, -1]}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 1, 1, 1, -1], parameters = ["in 0"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c1
  // expected-error @+1 {{'symbol' must be a name that does not begin with 'prec_', but got ""}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "", launch = [1, 1, 1, 1, 1, 1, 0], parameters = ["in 0"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c1
  // expected-error @+1 {{'symbol' must be a name that does not begin with 'prec_', but got "prec_k"}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "prec_k", launch = [1, 1, 1, 1, 1, 1, 0], parameters = ["in 0"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c1
  // expected-error @+1 {{'parameters' must be strings, but got [1]}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 1, 1, 1, 0], parameters = [1]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c2
  // expected-error @+1 {{'reads' must have one type for each of 1, but got [f32, f32]}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32, f32], makes = [f32], gradients = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c2
  // expected-error @+1 {{'makes' must have one type for each of 1, but got []}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [], gradients = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c3
  // expected-error @+1 {{'reads' must be f32, bf16, f16, i1, i8, i16, i32 or i64, and what the value is or may become, but got 'f64' for 'tensor<4xf32>'}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f64], makes = [f32], gradients = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c3
  // expected-error @+1 {{'reads' must be f32, bf16, f16, i1, i8, i16, i32 or i64, and what the value is or may become, but got 'i32' for 'tensor<4xf32>'}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [i32], makes = [f32], gradients = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c3
  // expected-error @+1 {{'makes' must be f32, bf16, f16, i1, i8, i16, i32 or i64, and what the value is or may become, but got 'f32' for 'tensor<4xbf16>'}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>} : (tensor<4xf32>) -> tensor<4xbf16>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c3
  // expected-error @+1 {{'makes' must be f32, bf16, f16, i1, i8, i16, i32 or i64, and what the value is or may become, but got 'i32' for 'tensor<4xi1>'}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [i32], gradients = array<i64>} : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c4
  // expected-error @+1 {{'function' must be a name, but got none}}
  %y = prec_train.custom %x {function = "", settings = "", reads = [f32], makes = [f32], gradients = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f() {
  // custom_c5
  // expected-error @+1 {{an operation of the user's own must have an operand and a result, but got 0 and 1}}
  %y = prec_train.custom  {function = "f", settings = "", reads = [], makes = [f32], gradients = array<i64>} : () -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c6
  // expected-error @+1 {{a parameter of a kernel must be 'in N', 'out N', 'i32 N', 'i64 N', 'f32 X' or 'f64 X', but got "in 1"}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 1, 1, 1, 0], parameters = ["in 1"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c6
  // expected-error @+1 {{a parameter of a kernel must be 'in N', 'out N', 'i32 N', 'i64 N', 'f32 X' or 'f64 X', but got "out 1"}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 1, 1, 1, 0], parameters = ["out 1"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c6
  // expected-error @+1 {{a parameter of a kernel must be 'in N', 'out N', 'i32 N', 'i64 N', 'f32 X' or 'f64 X', but got "in"}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 1, 1, 1, 0], parameters = ["in"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c6
  // expected-error @+1 {{a parameter of a kernel must be 'in N', 'out N', 'i32 N', 'i64 N', 'f32 X' or 'f64 X', but got "i32 2147483648"}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 1, 1, 1, 0], parameters = ["i32 2147483648"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c6
  // expected-error @+1 {{a parameter of a kernel must be 'in N', 'out N', 'i32 N', 'i64 N', 'f32 X' or 'f64 X', but got "i32 x"}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 1, 1, 1, 0], parameters = ["i32 x"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c6
  // expected-error @+1 {{a parameter of a kernel must be 'in N', 'out N', 'i32 N', 'i64 N', 'f32 X' or 'f64 X', but got "f32"}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 1, 1, 1, 0], parameters = ["f32"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c6
  // expected-error @+1 {{a parameter of a kernel must be 'in N', 'out N', 'i32 N', 'i64 N', 'f32 X' or 'f64 X', but got "u8 1"}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 1, 1, 1, 0], parameters = ["u8 1"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c6
  // expected-error @+1 {{a parameter of a kernel must be 'in N', 'out N', 'i32 N', 'i64 N', 'f32 X' or 'f64 X', but got "f64 x"}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64>, kernels = [#prec_train.kernel<image = "k", target = "", symbol = "k", launch = [1, 1, 1, 1, 1, 1, 0], parameters = ["f64 x"]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c7
  // expected-error @+1 {{'gradients' must be numbers of operands of floats, but got 1}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [f32], makes = [f32], gradients = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // custom_c7
  // expected-error @+1 {{'gradients' must be numbers of operands of floats, but got 0}}
  %y = prec_train.custom %x {function = "f", settings = "", reads = [i32], makes = [f32], gradients = array<i64: 0>} : (tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // sched_call_c1
  // expected-error @+1 {{floats must be of the types in 'reads' and 'makes', but got 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %y = prec_sched.call %x {function = "f", settings = "", reads = [f32], makes = [bf16]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // sched_call_c1
  // expected-error @+1 {{floats must be of the types in 'reads' and 'makes', but got 'tensor<4xf32>' and 'tensor<4xbf16>'}}
  %y = prec_sched.call %x {function = "f", settings = "", reads = [f16], makes = [bf16]} : (tensor<4xf32>) -> tensor<4xbf16>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // custom_c4
  // expected-error @+1 {{'function' must be a name, but got none}}
  %y = prec_sched.call %x {function = "", settings = "", reads = [f32], makes = [f32]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// train_c1
// expected-error @+1 {{prec_train attributes must be known here and of their kind, but got 'prec_train.images' = {a = 1 : i64}}}
module attributes {prec_train.images = {a = 1}} {}
