// RUN: prec-opt %s --prec-decompose=attention-library=cudnn -verify-diagnostics | %primitives | FileCheck %s
// RUN: prec-opt %s --prec-decompose=attention-library=cudnn-large-heads 2>&1 | FileCheck %s --check-prefixes=LARGE,MESSAGE
// MESSAGE: heads of 8n <= 256 elements, but got 'tensor<1x2x8x264xbf16>'

// CHECK-LABEL: func @taken
// CHECK: prec_train.attention
func.func @taken(%q: tensor<1x2x8x16xbf16>) -> tensor<1x2x8x16xbf16> {
  %o, %l = prec_train.attention %q, %q, %q {scale = 0.25 : f32, causal} : (tensor<1x2x8x16xbf16>, tensor<1x2x8x16xbf16>, tensor<1x2x8x16xbf16>) -> (tensor<1x2x8x16xbf16>, tensor<1x2x8xf32>)
  return %o : tensor<1x2x8x16xbf16>
}

// Said once a function.
// CHECK-LABEL: func @format
// CHECK-NOT: prec_train.attention
func.func @format(%q: tensor<1x2x8x16xf32>) -> tensor<1x2x8x16xf32> {
  // expected-warning @+1 {{cuDNN has attention in bf16 or f16 with heads of 8n <= 128 elements, but got 'tensor<1x2x8x16xf32>': attention is decomposed, and its scores are kept}}
  %o, %l = prec_train.attention %q, %q, %q {scale = 0.25 : f32, causal} : (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>) -> (tensor<1x2x8x16xf32>, tensor<1x2x8xf32>)
  %p, %m = prec_train.attention %o, %o, %o {scale = 0.25 : f32, causal} : (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>) -> (tensor<1x2x8x16xf32>, tensor<1x2x8xf32>)
  return %p : tensor<1x2x8x16xf32>
}

// CHECK-LABEL: func @head
// CHECK-NOT: prec_train.attention
func.func @head(%q: tensor<1x2x8x12xbf16>) -> tensor<1x2x8x12xbf16> {
  // expected-warning @+1 {{but got 'tensor<1x2x8x12xbf16>'}}
  %o, %l = prec_train.attention %q, %q, %q {scale = 0.25 : f32} : (tensor<1x2x8x12xbf16>, tensor<1x2x8x12xbf16>, tensor<1x2x8x12xbf16>) -> (tensor<1x2x8x12xbf16>, tensor<1x2x8xf32>)
  return %o : tensor<1x2x8x12xbf16>
}

// Hopper has more.
// CHECK-LABEL: func @large
// CHECK-NOT: prec_train.attention
// LARGE-LABEL: func @large
// LARGE: prec_train.attention
func.func @large(%q: tensor<1x2x8x256xbf16>) -> tensor<1x2x8x256xbf16> {
  // expected-warning @+1 {{heads of 8n <= 128 elements, but got 'tensor<1x2x8x256xbf16>'}}
  %o, %l = prec_train.attention %q, %q, %q {scale = 0.25 : f32} : (tensor<1x2x8x256xbf16>, tensor<1x2x8x256xbf16>, tensor<1x2x8x256xbf16>) -> (tensor<1x2x8x256xbf16>, tensor<1x2x8xf32>)
  return %o : tensor<1x2x8x256xbf16>
}

// CHECK-LABEL: func @largest
// CHECK-NOT: prec_train.attention
// LARGE-LABEL: func @largest
// LARGE-NOT: prec_train.attention
func.func @largest(%q: tensor<1x2x8x264xbf16>) -> tensor<1x2x8x264xbf16> {
  // expected-warning @+1 {{but got 'tensor<1x2x8x264xbf16>'}}
  %o, %l = prec_train.attention %q, %q, %q {scale = 0.25 : f32} : (tensor<1x2x8x264xbf16>, tensor<1x2x8x264xbf16>, tensor<1x2x8x264xbf16>) -> (tensor<1x2x8x264xbf16>, tensor<1x2x8xf32>)
  return %o : tensor<1x2x8x264xbf16>
}
