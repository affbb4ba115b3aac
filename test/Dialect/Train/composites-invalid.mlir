// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%q: tensor<4x8xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c1
  // expected-error @+1 {{query and key must be [B,H,S,D], but got 'tensor<4x8xf32>' and 'tensor<2x2x6x16xf32>'}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32} : (tensor<4x8xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<4x8xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c1
  // expected-error @+1 {{query and key must be [B,H,S,D], but got 'tensor<2x4x8x16xf32>' and 'tensor<4x8xf32>'}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<4x8xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x3x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c2
  // expected-error @+1 {{key/value heads must divide query heads, but got 3 and 4}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x3x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x0x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c2
  // expected-error @+1 {{key/value heads must divide query heads, but got 0 and 4}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x0x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x32xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c3
  // expected-error @+1 {{key must have shape [2, 2, 6, 16], but got [2, 2, 6, 32]}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x6x32xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<3x5xf32>) {
  // attention_c4
  // expected-error @+1 {{value must have shape [2, 2, 6, 16], but got [3, 5]}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<3x5xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c5
  // expected-error @+1 {{output must have shape [2, 4, 8, 16], but got [3, 5]}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<3x5xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c6
  // expected-error @+1 {{lse must have shape [2, 4, 8], but got [3, 5]}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%d: tensor<2x4x8x16xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<4x8xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_c1
  // expected-error @+1 {{query and key must be [B,H,S,D], but got 'tensor<2x4x8x16xf32>' and 'tensor<4x8xf32>'}}
  %0:3 = prec_train.attention_grad %d, %q, %k, %v, %y, %l {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<4x8xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%d: tensor<3x5xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_grad_c1
  // expected-error @+1 {{grad must have shape [2, 4, 8, 16], but got [3, 5]}}
  %0:3 = prec_train.attention_grad %d, %q, %k, %v, %y, %l {scale = 1.0 : f32} : (tensor<3x5xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%d: tensor<2x4x8x16xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_grad_c2
  // expected-error @+1 {{grad_query must have shape [2, 4, 8, 16], but got [3, 5]}}
  %0:3 = prec_train.attention_grad %d, %q, %k, %v, %y, %l {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<3x5xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%d: tensor<2x4x8x16xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_grad_c3
  // expected-error @+1 {{grad_key must have shape [2, 2, 6, 16], but got [3, 5]}}
  %0:3 = prec_train.attention_grad %d, %q, %k, %v, %y, %l {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<3x5xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%d: tensor<2x4x8x16xf32>, %q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>, %y: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_grad_c4
  // expected-error @+1 {{grad_value must have shape [2, 2, 6, 16], but got [3, 5]}}
  %0:3 = prec_train.attention_grad %d, %q, %k, %v, %y, %l {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %s: tensor<i32>) {
  // dropout_c1
  // expected-error @+1 {{probability must be in [0, 1), but got 1.000000e+00 : f32}}
  %0 = prec_train.dropout %x, %s {probability = 1.0 : f32, stream = 0 : i32} : (tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %s: tensor<i32>) {
  // dropout_c2
  // expected-error @+1 {{result must have shape [8], but got [4]}}
  %0 = prec_train.dropout %x, %s {probability = 0.5 : f32, stream = 0 : i32} : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %c: tensor<4x4xf32>, %s: tensor<4x4xf32>) {
  // rope_c1
  // expected-error @+1 {{input must be [...,S,D] with even D, but got 'tensor<8xf32>'}}
  %0 = prec_train.rope %x, %c, %s : (tensor<8xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x7xf32>, %c: tensor<4x4xf32>, %s: tensor<4x4xf32>) {
  // rope_c1
  // expected-error @+1 {{input must be [...,S,D] with even D, but got 'tensor<4x7xf32>'}}
  %0 = prec_train.rope %x, %c, %s : (tensor<4x7xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<3x5xf32>, %s: tensor<4x4xf32>) {
  // rope_c2
  // expected-error @+1 {{cos must have shape [4, 4], but got [3, 5]}}
  %0 = prec_train.rope %x, %c, %s : (tensor<4x8xf32>, tensor<3x5xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<4x4xf32>, %s: tensor<3x5xf32>) {
  // rope_c3
  // expected-error @+1 {{sin must have shape [4, 4], but got [3, 5]}}
  %0 = prec_train.rope %x, %c, %s : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<3x5xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<4x4xf32>, %s: tensor<4x4xf32>) {
  // rope_c4
  // expected-error @+1 {{result must have shape [4, 8], but got [3, 5]}}
  %0 = prec_train.rope %x, %c, %s : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%t: tensor<16xf32>, %i: tensor<4xi32>) {
  // embedding_c1
  // expected-error @+1 {{table must be a matrix, but got 'tensor<16xf32>'}}
  %0 = prec_train.embedding %t, %i : (tensor<16xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%t: tensor<16x8xf32>, %i: tensor<4xi32>) {
  // divided_c1
  // expected-error @+1 {{what is divided must have an axis and at least two ranks, but got axis <<NULL ATTRIBUTE>> and ranks 2}}
  %0 = prec_train.embedding %t, %i {ranks = 2 : i64} : (tensor<16x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // divided_c1
  // expected-error @+1 {{what is divided must have an axis and at least two ranks, but got axis "tp" and ranks 0}}
  %0 = prec_train.embedding_grad %d, %i {axis = "tp", ranks = 0 : i64} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @f(%t: tensor<16x8xf32>, %i: tensor<4xi32>) {
  // embedding_c2
  // expected-error @+1 {{result must have shape [4, 8], but got [3, 5]}}
  %0 = prec_train.embedding %t, %i : (tensor<16x8xf32>, tensor<4xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%d: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // embedding_grad_c1
  // expected-error @+1 {{grad_table must be a matrix, but got 'tensor<16xf32>'}}
  %0 = prec_train.embedding_grad %d, %i : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<16xf32>
  return
}

// -----

func.func @f(%d: tensor<3x5xf32>, %i: tensor<4xi32>) {
  // embedding_grad_c2
  // expected-error @+1 {{grad must have shape [4, 8], but got [3, 5]}}
  %0 = prec_train.embedding_grad %d, %i : (tensor<3x5xf32>, tensor<4xi32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @f() {
  // global_norm_c1
  // expected-error @+1 {{at least one input must be given, but got none}}
  %0 = prec_train.global_norm : () -> tensor<f32>
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<3x5xf32>, %m: tensor<4x8xf32>, %v: tensor<4x8xf32>, %s: tensor<f32>) {
  // optimizer_c1
  // expected-error @+1 {{gradient must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.adamw %p, %g, %m, %v, %s, %s, %s, %s, %s, %s, %s : (tensor<4x8xf32>, tensor<3x5xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %m: tensor<3x5xf32>, %v: tensor<4x8xf32>, %s: tensor<f32>) {
  // adamw_c1
  // expected-error @+1 {{exp_avg must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.adamw %p, %g, %m, %v, %s, %s, %s, %s, %s, %s, %s : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %m: tensor<4x8xf32>, %v: tensor<3x5xf32>, %s: tensor<f32>) {
  // adamw_c3
  // expected-error @+1 {{exp_avg_sq must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.adamw %p, %g, %m, %v, %s, %s, %s, %s, %s, %s, %s : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %m: tensor<4x8xf32>, %v: tensor<4x8xf32>, %s: tensor<f32>) {
  // optimizer_c2
  // expected-error @+1 {{new_parameter must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.adamw %p, %g, %m, %v, %s, %s, %s, %s, %s, %s, %s : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<3x5xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %m: tensor<4x8xf32>, %v: tensor<4x8xf32>, %s: tensor<f32>) {
  // adamw_c2
  // expected-error @+1 {{new_exp_avg must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.adamw %p, %g, %m, %v, %s, %s, %s, %s, %s, %s, %s : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<3x5xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %m: tensor<4x8xf32>, %v: tensor<4x8xf32>, %s: tensor<f32>) {
  // adamw_c4
  // expected-error @+1 {{new_exp_avg_sq must have shape [4, 8], but got [3, 5]}}
  %0:3 = prec_train.adamw %p, %g, %m, %v, %s, %s, %s, %s, %s, %s, %s : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%p: tensor<4x8xf32>, %s: tensor<f32>) {
  // optimizer_c3
  // expected-error @+1 {{update must have shape [4, 8], but got [3, 5]}}
  %0:4 = prec_train.adamw %p, %p, %p, %p, %s, %s, %s, %s, %s, %s, %s : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x5xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>) {
  // attention_c7
  // expected-error @+1 {{a window must be of causal attention, but got 4 without causal}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32, window = 4 : i64} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>) {
  // attention_c8
  // expected-error @+1 {{a window must have at least one key, but got 0}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32, causal, window = 0 : i64} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>) {
  // attention_c9
  // expected-error @+1 {{a window must come with a key for each query, but got 8 queries and 6 keys}}
  %0:2 = prec_train.attention %q, %k, %v {scale = 1.0 : f32, causal, window = 4 : i64} : (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<2x1x8xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<2x1x8xf32>'}}
  %0:2 = prec_train.attention %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x1x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<2x1x1x6xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<2x1x1x6xf32>'}}
  %0:2 = prec_train.attention %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x1x1x6xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<2x2x1x8xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<2x2x1x8xf32>'}}
  %0:2 = prec_train.attention %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x1x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<3x1x1x8xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<3x1x1x8xf32>'}}
  %0:2 = prec_train.attention %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<3x1x1x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<1x1x6x8xbf16>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<1x1x6x8xbf16>'}}
  %0:2 = prec_train.attention %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<1x1x6x8xbf16>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %v: tensor<2x2x8x16xf32>, %b: tensor<1x1x1x1xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<1x1x1x1xf32>'}}
  %0:2 = prec_train.attention %q, %k, %v, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<1x1x1x1xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_c7
  // expected-error @+1 {{a window must be of causal attention, but got 4 without causal}}
  %0:3 = prec_train.attention_grad %q, %q, %k, %k, %q, %l {scale = 1.0 : f32, window = 4 : i64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_c8
  // expected-error @+1 {{a window must have at least one key, but got 0}}
  %0:3 = prec_train.attention_grad %q, %q, %k, %k, %q, %l {scale = 1.0 : f32, causal, window = 0 : i64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x6x16xf32>, %l: tensor<2x4x8xf32>) {
  // attention_c9
  // expected-error @+1 {{a window must come with a key for each query, but got 8 queries and 6 keys}}
  %0:3 = prec_train.attention_grad %q, %q, %k, %k, %q, %l {scale = 1.0 : f32, causal, window = 4 : i64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x8x16xf32>, %l: tensor<2x4x8xf32>, %b: tensor<2x1x8xf32>) {
  // attention_c10
  // expected-error @+1 {{bias must be [2|1, 4|1, 8|1, 8], but got 'tensor<2x1x8xf32>'}}
  %0:3 = prec_train.attention_grad %q, %q, %k, %k, %q, %l, %b {scale = 1.0 : f32} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>)
  return
}
