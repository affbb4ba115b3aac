// RUN: prec-opt %s --prec-lay-out-attention --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-lay-out-attention=attention-library=cudnn --split-input-file | FileCheck %s --check-prefix=CUDNN

// A transposition in front of attention and one behind it cost nothing.
// CHECK-LABEL: func.func @both_sides(
// CHECK-NOT: prec_train.transpose
// CHECK: %[[Y:.*]], %{{.*}} = prec_sched.sdpa %arg0, %arg0, %arg0 {causal, scale = 2.500000e-01 : f32, views = [#prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>]} : {{.*}} -> (tensor<32x32xbf16>, tensor<4x2x8xf32>)
// CHECK-NEXT: %[[E:.*]] = tensor.expand_shape %[[Y]]
// CHECK-NEXT: %[[C:.*]] = tensor.collapse_shape %[[E]]
// CHECK-NEXT: return %[[C]]
func.func @both_sides(%x: tensor<4x8x2x16xbf16>) -> tensor<4x8x32xbf16> {
  %t = prec_train.transpose %x permutation [0, 2, 1, 3] : (tensor<4x8x2x16xbf16>) -> tensor<4x2x8x16xbf16>
  %y, %lse = prec_train.attention %t, %t, %t {causal, scale = 0.25 : f32} : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8xf32>)
  %b = prec_train.transpose %y permutation [0, 2, 1, 3] : (tensor<4x2x8x16xbf16>) -> tensor<4x8x2x16xbf16>
  %c = tensor.collapse_shape %b [[0], [1], [2, 3]] : tensor<4x8x2x16xbf16> into tensor<4x8x32xbf16>
  return %c : tensor<4x8x32xbf16>
}

// -----

// Columns of one matrix, all of which the backward reads: they stay there.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: prec_train.transpose
// CHECK-NOT: tensor.extract_slice
// CHECK: %[[Y:.*]], %[[LSE:.*]] = prec_sched.sdpa %arg0, %arg0, %arg0 {causal, scale = 2.500000e-01 : f32, views = [#prec_sched.view<[4, 2, 8, 16] strides[768, 16, 96, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[768, 16, 96, 1] offset 32>, #prec_sched.view<[4, 2, 8, 16] strides[768, 16, 96, 1] offset 64>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>]}
// CHECK: prec_sched.sdpa_grad %arg1, %arg0, %arg0, %arg0, %[[Y]], %[[LSE]] {causal, prec_train.phase = #prec_train.phase<backward>, scale = 2.500000e-01 : f32, views = [#prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[768, 16, 96, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[768, 16, 96, 1] offset 32>, #prec_sched.view<[4, 2, 8, 16] strides[768, 16, 96, 1] offset 64>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 128, 16, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 128, 16, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>]} : {{.*}} -> (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<32x32xbf16>)
// CHECK-NOT: prec_train.transpose
func.func @columns(%m: tensor<32x96xbf16>, %d: tensor<32x32xbf16>) -> (tensor<32x32xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<32x32xbf16>) {
  %e = tensor.expand_shape %m [[0, 1], [2]] output_shape [4, 8, 96] : tensor<32x96xbf16> into tensor<4x8x96xbf16>
  %q0 = tensor.extract_slice %e[0, 0, 0] [4, 8, 32] [1, 1, 1] : tensor<4x8x96xbf16> to tensor<4x8x32xbf16>
  %k0 = tensor.extract_slice %e[0, 0, 32] [4, 8, 32] [1, 1, 1] : tensor<4x8x96xbf16> to tensor<4x8x32xbf16>
  %v0 = tensor.extract_slice %e[0, 0, 64] [4, 8, 32] [1, 1, 1] : tensor<4x8x96xbf16> to tensor<4x8x32xbf16>
  %q1 = tensor.expand_shape %q0 [[0], [1], [2, 3]] output_shape [4, 8, 2, 16] : tensor<4x8x32xbf16> into tensor<4x8x2x16xbf16>
  %k1 = tensor.expand_shape %k0 [[0], [1], [2, 3]] output_shape [4, 8, 2, 16] : tensor<4x8x32xbf16> into tensor<4x8x2x16xbf16>
  %v1 = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [4, 8, 2, 16] : tensor<4x8x32xbf16> into tensor<4x8x2x16xbf16>
  %q = prec_train.transpose %q1 permutation [0, 2, 1, 3] : (tensor<4x8x2x16xbf16>) -> tensor<4x2x8x16xbf16>
  %k = prec_train.transpose %k1 permutation [0, 2, 1, 3] : (tensor<4x8x2x16xbf16>) -> tensor<4x2x8x16xbf16>
  %v = prec_train.transpose %v1 permutation [0, 2, 1, 3] : (tensor<4x8x2x16xbf16>) -> tensor<4x2x8x16xbf16>
  %y, %lse = prec_train.attention %q, %k, %v {causal, scale = 0.25 : f32} : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8xf32>)
  %b = prec_train.transpose %y permutation [0, 2, 1, 3] : (tensor<4x2x8x16xbf16>) -> tensor<4x8x2x16xbf16>
  %c = tensor.collapse_shape %b [[0, 1], [2, 3]] : tensor<4x8x2x16xbf16> into tensor<32x32xbf16>
  %d0 = tensor.expand_shape %d [[0, 1], [2, 3]] output_shape [4, 8, 2, 16] : tensor<32x32xbf16> into tensor<4x8x2x16xbf16>
  %d1 = prec_train.transpose %d0 permutation [0, 2, 1, 3] : (tensor<4x8x2x16xbf16>) -> tensor<4x2x8x16xbf16>
  %dq, %dk, %dv = prec_train.attention_grad %d1, %q, %k, %v, %y, %lse {causal, scale = 0.25 : f32, prec_train.phase = #prec_train.phase<backward>} : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8xf32>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>)
  %g0 = prec_train.transpose %dv permutation [0, 2, 1, 3] : (tensor<4x2x8x16xbf16>) -> tensor<4x8x2x16xbf16>
  %g = tensor.collapse_shape %g0 [[0, 1], [2, 3]] : tensor<4x8x2x16xbf16> into tensor<32x32xbf16>
  return %c, %dq, %dk, %g : tensor<32x32xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<32x32xbf16>
}

// -----

// The backward reads a third of a product: the product is not kept for that.
// CHECK-LABEL: func.func @part(
// CHECK: %[[V:.*]] = tensor.extract_slice
// CHECK-NEXT: prec_sched.sdpa %arg2, %arg2, %[[V]] {scale = 2.500000e-01 : f32, views = [#prec_sched.view<[4, 2, 8, 16] strides[256, 128, 16, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 128, 16, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 128, 16, 1]>]}
// CHECK-NEXT: prec_sched.sdpa_grad %{{.*}}, %arg2, %arg2, %[[V]],
func.func @part(%a: tensor<32x8xbf16>, %w: tensor<8x96xbf16>, %q: tensor<4x2x8x16xbf16>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>) {
  %m = prec_train.matmul %a, %w : (tensor<32x8xbf16>, tensor<8x96xbf16>) -> tensor<32x96xbf16>
  %v0 = tensor.extract_slice %m[0, 64] [32, 32] [1, 1] : tensor<32x96xbf16> to tensor<32x32xbf16>
  %v1 = tensor.expand_shape %v0 [[0, 1], [2, 3]] output_shape [4, 8, 2, 16] : tensor<32x32xbf16> into tensor<4x8x2x16xbf16>
  %v = prec_train.transpose %v1 permutation [0, 2, 1, 3] : (tensor<4x8x2x16xbf16>) -> tensor<4x2x8x16xbf16>
  %y, %lse = prec_train.attention %q, %q, %v {scale = 0.25 : f32} : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8xf32>)
  %dq, %dk, %dv = prec_train.attention_grad %y, %q, %q, %v, %y, %lse {scale = 0.25 : f32, prec_train.phase = #prec_train.phase<backward>} : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8xf32>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>)
  return %y, %dv : tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>
}

// -----

// Without a backward it is read where it is.
// CHECK-LABEL: func.func @part_forward(
// CHECK: %[[M:.*]] = prec_train.matmul
// CHECK-NEXT: prec_sched.sdpa %arg2, %arg2, %[[M]] {scale = 2.500000e-01 : f32, views = [#prec_sched.view<[4, 2, 8, 16] strides[256, 128, 16, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 128, 16, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[768, 16, 96, 1] offset 64>, #prec_sched.view<[4, 2, 8, 16] strides[256, 128, 16, 1]>]}
func.func @part_forward(%a: tensor<32x8xbf16>, %w: tensor<8x96xbf16>, %q: tensor<4x2x8x16xbf16>) -> tensor<4x2x8x16xbf16> {
  %m = prec_train.matmul %a, %w : (tensor<32x8xbf16>, tensor<8x96xbf16>) -> tensor<32x96xbf16>
  %v0 = tensor.extract_slice %m[0, 64] [32, 32] [1, 1] : tensor<32x96xbf16> to tensor<32x32xbf16>
  %v1 = tensor.expand_shape %v0 [[0, 1], [2, 3]] output_shape [4, 8, 2, 16] : tensor<32x32xbf16> into tensor<4x8x2x16xbf16>
  %v = prec_train.transpose %v1 permutation [0, 2, 1, 3] : (tensor<4x8x2x16xbf16>) -> tensor<4x2x8x16xbf16>
  %y, %lse = prec_train.attention %q, %q, %v {scale = 0.25 : f32} : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8xf32>)
  return %y : tensor<4x2x8x16xbf16>
}

// -----

// Columns that do not begin at a multiple of 16 bytes are copied.
// CHECK-LABEL: func.func @unaligned(
// CHECK: %[[V:.*]] = tensor.extract_slice
// CHECK-NEXT: prec_sched.sdpa %[[V]], %[[V]], %[[V]] {scale = 2.500000e-01 : f32} :
func.func @unaligned(%m: tensor<4x2x8x20xbf16>) -> tensor<4x2x8x16xbf16> {
  %v = tensor.extract_slice %m[0, 0, 0, 4] [4, 2, 8, 16] [1, 1, 1, 1] : tensor<4x2x8x20xbf16> to tensor<4x2x8x16xbf16>
  %y, %lse = prec_train.attention %v, %v, %v {scale = 0.25 : f32} : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8xf32>)
  return %y : tensor<4x2x8x16xbf16>
}

// -----

// rope and elementwise operations are computed in the order of what they read
// and of who reads them.
// CHECK-LABEL: func.func @through(
// CHECK-NOT: prec_train.transpose
// CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<4x8x2x16xf32>
// CHECK: %[[S:.*]] = arith.mulf %arg0, %[[TWO]] : tensor<4x8x2x16xf32>
// CHECK: %[[COS:.*]] = prec_train.broadcast %arg1 dims [0, 2] : (tensor<8x8xf32>) -> tensor<8x2x8xf32>
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[COS]] {{\[}}[0, 1], [2]] : tensor<8x2x8xf32> into tensor<16x8xf32>
// CHECK: %[[IN:.*]] = tensor.collapse_shape %[[S]] {{\[}}[0], [1, 2], [3]] : tensor<4x8x2x16xf32> into tensor<4x16x16xf32>
// CHECK: %[[R:.*]] = prec_train.rope %[[IN]], %[[FLAT]], %{{.*}} :
// CHECK: %[[E:.*]] = tensor.expand_shape %[[R]]
// CHECK: %[[Q:.*]] = arith.truncf %[[E]]
// CHECK: %[[Y:.*]], %{{.*}} = prec_sched.sdpa %[[Q]], %[[Q]], %[[Q]] {scale = 2.500000e-01 : f32, views = [#prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>]}
// CHECK: %[[O:.*]] = tensor.expand_shape %[[Y]]
// CHECK: %[[Z:.*]] = math.exp %[[O]] : tensor<4x8x2x16xbf16>
// CHECK: return %[[Z]]
func.func @through(%x: tensor<4x8x2x16xf32>, %cos: tensor<8x8xf32>, %sin: tensor<8x8xf32>) -> tensor<4x8x2x16xbf16> {
  %two = arith.constant dense<2.0> : tensor<4x2x8x16xf32>
  %t = prec_train.transpose %x permutation [0, 2, 1, 3] : (tensor<4x8x2x16xf32>) -> tensor<4x2x8x16xf32>
  %s = arith.mulf %t, %two : tensor<4x2x8x16xf32>
  %r = prec_train.rope %s, %cos, %sin : (tensor<4x2x8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<4x2x8x16xf32>
  %q = arith.truncf %r : tensor<4x2x8x16xf32> to tensor<4x2x8x16xbf16>
  %y, %lse = prec_train.attention %q, %q, %q {scale = 0.25 : f32} : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8xf32>)
  %z = math.exp %y : tensor<4x2x8x16xbf16>
  %b = prec_train.transpose %z permutation [0, 2, 1, 3] : (tensor<4x2x8x16xbf16>) -> tensor<4x8x2x16xbf16>
  return %b : tensor<4x8x2x16xbf16>
}

// -----

// What is read by others in the order of attention as well is not turned, and
// a result is written as most of it is read.
// CHECK-LABEL: func.func @others(
// CHECK: %[[T:.*]] = prec_train.transpose %arg0
// CHECK: %[[Q:.*]] = math.exp %[[T]]
// CHECK: prec_sched.sdpa %[[Q]], %[[Q]], %[[Q]] {scale = 2.500000e-01 : f32} :
func.func @others(%x: tensor<4x8x2x16xbf16>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x8x2x16xbf16>, tensor<4x2x8x16xbf16>) {
  %t = prec_train.transpose %x permutation [0, 2, 1, 3] : (tensor<4x8x2x16xbf16>) -> tensor<4x2x8x16xbf16>
  %q = math.exp %t : tensor<4x2x8x16xbf16>
  %y, %lse = prec_train.attention %q, %q, %q {scale = 0.25 : f32} : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8xf32>)
  %e = arith.addf %y, %q : tensor<4x2x8x16xbf16>
  %b = prec_train.transpose %y permutation [0, 2, 1, 3] : (tensor<4x2x8x16xbf16>) -> tensor<4x8x2x16xbf16>
  return %q, %y, %b, %e : tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x8x2x16xbf16>, tensor<4x2x8x16xbf16>
}

// -----

// CHECK-LABEL: func.func @f32(
// CHECK: prec_sched.sdpa
// CUDNN-LABEL: func.func @f32(
// CUDNN: prec_train.attention
func.func @f32(%q: tensor<4x2x8x16xf32>) -> tensor<4x2x8x16xf32> {
  %y, %lse = prec_train.attention %q, %q, %q {scale = 0.25 : f32} : (tensor<4x2x8x16xf32>, tensor<4x2x8x16xf32>, tensor<4x2x8x16xf32>) -> (tensor<4x2x8x16xf32>, tensor<4x2x8xf32>)
  return %y : tensor<4x2x8x16xf32>
}

// -----

// A bias is read as it lies, whatever made it.
// CHECK-LABEL: func.func @bias(
// CHECK: %[[T:.*]] = prec_train.transpose %arg1
// CHECK: prec_sched.sdpa %arg0, %arg0, %arg0, %{{.*}} {causal, scale = 2.500000e-01 : f32, views = [#prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 16, 32, 1]>, #prec_sched.view<[4, 2, 8, 16] strides[256, 128, 16, 1]>], window = 4 : i64} : {{.*}} tensor<1x2x8x8xf32>)
func.func @bias(%x: tensor<4x8x2x16xbf16>, %b: tensor<8x8x2xf32>) -> tensor<4x2x8x16xbf16> {
  %t = prec_train.transpose %x permutation [0, 2, 1, 3] : (tensor<4x8x2x16xbf16>) -> tensor<4x2x8x16xbf16>
  %h = prec_train.transpose %b permutation [2, 0, 1] : (tensor<8x8x2xf32>) -> tensor<2x8x8xf32>
  %e = tensor.expand_shape %h [[0, 1], [2], [3]] output_shape [1, 2, 8, 8] : tensor<2x8x8xf32> into tensor<1x2x8x8xf32>
  %y, %lse = prec_train.attention %t, %t, %t, %e {causal, scale = 0.25 : f32, window = 4 : i64} : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<1x2x8x8xf32>) -> (tensor<4x2x8x16xbf16>, tensor<4x2x8xf32>)
  return %y : tensor<4x2x8x16xbf16>
}
