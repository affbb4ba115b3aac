// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%q: tensor<4x8xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c1
  // expected-error @+1 {{query and key must be [B,H,S,D], but got 'tensor<4x8xf32>' and 'tensor<2x2x6x16xf32>'}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32} : (tensor<4x8xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<4x8xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c1
  // expected-error @+1 {{query and key must be [B,H,S,D], but got 'tensor<2x4x8x16xf32>' and 'tensor<4x8xf32>'}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<4x8xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x3x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c2
  // expected-error @+1 {{key/value heads must divide query heads, but got 3 and 4}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x3x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x0x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c2
  // expected-error @+1 {{key/value heads must divide query heads, but got 0 and 4}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x0x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x32xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c3
  // expected-error @+1 {{key must have shape [2, 2, 6, 16], but got [2, 2, 6, 32]}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x6x32xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<3x5xf32>) {
  // attention_c4
  // expected-error @+1 {{value must have shape [2, 2, 6, 16], but got [3, 5]}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<3x5xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c5
  // expected-error @+1 {{output must have shape [2, 4, 8, 16], but got [3, 5]}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<3x5xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c6
  // expected-error @+1 {{lse must have shape [2, 4, 8], but got [3, 5]}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%d: tensor<2x4x8x16xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<4x8xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_c1
  // expected-error @+1 {{query and key must be [B,H,S,D], but got 'tensor<2x4x8x16xf32>' and 'tensor<4x8xf32>'}}
  %0:3 = prec_sched.sdpa_grad %d, %q, %k, %v, %y, %l {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<4x8xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%d: tensor<3x5xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_grad_c1
  // expected-error @+1 {{grad must have shape [2, 4, 8, 16], but got [3, 5]}}
  %0:3 = prec_sched.sdpa_grad %d, %q, %k, %v, %y, %l {scale = 1.0 : f32} : (tensor<3x5xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%d: tensor<2x4x8x16xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_grad_c2
  // expected-error @+1 {{grad_query must have shape [2, 4, 8, 16], but got [3, 5]}}
  %0:3 = prec_sched.sdpa_grad %d, %q, %k, %v, %y, %l {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<3x5xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%d: tensor<2x4x8x16xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_grad_c3
  // expected-error @+1 {{grad_key must have shape [2, 2, 6, 16], but got [3, 5]}}
  %0:3 = prec_sched.sdpa_grad %d, %q, %k, %v, %y, %l {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<3x5xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%d: tensor<2x4x8x16xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_grad_c4
  // expected-error @+1 {{grad_value must have shape [2, 2, 6, 16], but got [3, 5]}}
  %0:3 = prec_sched.sdpa_grad %d, %q, %k, %v, %y, %l {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%m: tensor<12x96xbf16>) {
  // sdpa_c1
  // expected-error @+1 {{views must be one for each of 4 tensors but lse and bias, but got 3}}
  %0:2 = prec_sched.sdpa %m, %m, %m {scale = 1.0 : f32, views = [#prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 32>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 64>]} : (tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>) -> (tensor<12x32xbf16>, tensor<2x2x6xf32>)
  return
}

// -----

func.func @f(%m: tensor<12x96xbf16>) {
  // sdpa_c2
  // expected-error @+1 {{a view must be of elements that its tensor has, but got #prec_sched.view<[2, 2, 6, 16] strides[576, 16, 96, 1] offset 65> of 'tensor<12x96xbf16>'}}
  %0:2 = prec_sched.sdpa %m, %m, %m {scale = 1.0 : f32, views = [#prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 32>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 65>, #prec_sched.view<[2, 2, 6, 16] strides [192, 16, 32, 1]>]} : (tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>) -> (tensor<12x32xbf16>, tensor<2x2x6xf32>)
  return
}

// -----

func.func @f(%m: tensor<12x96xbf16>) {
  // sdpa_c3
  // expected-error @+1 {{the view of a result must be all of its tensor, but got #prec_sched.view<[2, 2, 6, 16] strides[96, 16, 32, 1]> of 'tensor<12x32xbf16>'}}
  %0:2 = prec_sched.sdpa %m, %m, %m {scale = 1.0 : f32, views = [#prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 32>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 64>, #prec_sched.view<[2, 2, 6, 16] strides [96, 16, 32, 1]>]} : (tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>) -> (tensor<12x32xbf16>, tensor<2x2x6xf32>)
  return
}

// -----

func.func @f(%m: tensor<12x96xbf16>) {
  // sdpa_c3
  // expected-error @+1 {{the view of a result must be all of its tensor, but got #prec_sched.view<[2, 2, 6, 16] strides[192, 16, 32, 1]> of 'tensor<13x32xbf16>'}}
  %0:2 = prec_sched.sdpa %m, %m, %m {scale = 1.0 : f32, views = [#prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 32>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 64>, #prec_sched.view<[2, 2, 6, 16] strides [192, 16, 32, 1]>]} : (tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>) -> (tensor<13x32xbf16>, tensor<2x2x6xf32>)
  return
}

// -----

func.func @f(%m: tensor<12x96xbf16>) {
  // attention_c4
  // expected-error @+1 {{value must have shape [2, 2, 6, 16], but got [2, 6, 2, 16]}}
  %0:2 = prec_sched.sdpa %m, %m, %m {scale = 1.0 : f32, views = [#prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 32>, #prec_sched.view<[2, 6, 2, 16] strides [192, 32, 16, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [192, 16, 32, 1]>]} : (tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>) -> (tensor<12x32xbf16>, tensor<2x2x6xf32>)
  return
}

// -----

func.func @f(%m: tensor<12x96xbf16>, %y: tensor<12x32xbf16>, %l: tensor<2x2x6xf32>) {
  // sdpa_c1
  // expected-error @+1 {{views must be one for each of 8 tensors but lse and bias, but got 7}}
  %0:3 = prec_sched.sdpa_grad %m, %m, %m, %m, %y, %l {scale = 1.0 : f32, views = [#prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 32>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 64>, #prec_sched.view<[2, 2, 6, 16] strides [192, 16, 32, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [192, 16, 32, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [192, 16, 32, 1]>]} : (tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x32xbf16>, tensor<2x2x6xf32>) -> (tensor<12x32xbf16>, tensor<12x32xbf16>, tensor<12x32xbf16>)
  return
}

// -----

func.func @f(%d: tensor<2x4x8x16xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // sdpa_grad_c1
  // expected-error @+1 {{kernels must be two, of queries and of keys, each with its launch, but got 2 and 1 launches}}
  %0:3 = prec_sched.sdpa_grad %d, %q, %k, %v, %y, %l {kernels = [@a, @b], launches = [#prec_sched.launch<grid = [1, 1, 1], block = [384, 1, 1]>], scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%m: tensor<12x96xbf16>, %y: tensor<12x32xbf16>, %l: tensor<2x2x6xf32>) {
  // attention_grad_c3
  // expected-error @+1 {{grad_key must have shape [2, 2, 6, 16], but got [2, 1, 12, 16]}}
  %0:3 = prec_sched.sdpa_grad %m, %m, %m, %m, %y, %l {scale = 1.0 : f32, views = [#prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 32>, #prec_sched.view<[2, 2, 6, 16] strides [576, 16, 96, 1] offset 64>, #prec_sched.view<[2, 2, 6, 16] strides [192, 16, 32, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [192, 16, 32, 1]>, #prec_sched.view<[2, 1, 12, 16] strides [192, 192, 16, 1]>, #prec_sched.view<[2, 2, 6, 16] strides [192, 16, 32, 1]>]} : (tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x96xbf16>, tensor<12x32xbf16>, tensor<2x2x6xf32>) -> (tensor<12x32xbf16>, tensor<12x32xbf16>, tensor<12x32xbf16>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>) {
  // attention_c7
  // expected-error @+1 {{a window must be of causal attention, but got 4 without causal}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32, window = 4 : i64} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>) {
  // attention_c8
  // expected-error @+1 {{a window must have at least one key, but got 0}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32, causal, window = 0 : i64} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c9
  // expected-error @+1 {{a window must come with a key for each query, but got 8 queries and 6 keys}}
  %0:2 = prec_sched.sdpa %q, %k, %v {scale = 1.0 : f32, causal, window = 4 : i64} : (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<2x1x8xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<2x1x8xf32>'}}
  %0:2 = prec_sched.sdpa %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x1x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<2x1x1x6xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<2x1x1x6xf32>'}}
  %0:2 = prec_sched.sdpa %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x1x1x6xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<2x2x1x8xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<2x2x1x8xf32>'}}
  %0:2 = prec_sched.sdpa %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x1x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<3x1x1x8xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<3x1x1x8xf32>'}}
  %0:2 = prec_sched.sdpa %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<3x1x1x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<1x1x6x8xbf16>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<1x1x6x8xbf16>'}}
  %0:2 = prec_sched.sdpa %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<1x1x6x8xbf16>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<1x1x1x1xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<1x1x1x1xf32>'}}
  %0:2 = prec_sched.sdpa %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<1x1x1x1xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_c7
  // expected-error @+1 {{a window must be of causal attention, but got 4 without causal}}
  %0:3 = prec_sched.sdpa_grad %q, %q, %k, %k, %q, %l {scale = 1.0 : f32, window = 4 : i64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_c8
  // expected-error @+1 {{a window must have at least one key, but got 0}}
  %0:3 = prec_sched.sdpa_grad %q, %q, %k, %k, %q, %l {scale = 1.0 : f32, causal, window = 0 : i64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_c9
  // expected-error @+1 {{a window must come with a key for each query, but got 8 queries and 6 keys}}
  %0:3 = prec_sched.sdpa_grad %q, %q, %k, %k, %q, %l {scale = 1.0 : f32, causal, window = 4 : i64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %l: tensor<2x4x8xf32>, %b: tensor<2x1x8xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<2x1x8xf32>'}}
  %0:3 = prec_sched.sdpa_grad %q, %q, %k, %k, %q, %l, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>)
  return
}
