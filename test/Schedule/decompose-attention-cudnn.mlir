// RUN: prec-opt %s --prec-decompose=attention-library=cudnn -verify-diagnostics | %primitives | FileCheck %s

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
