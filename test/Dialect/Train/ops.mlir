// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s
// RUN: prec-opt %s --emit-bytecode | prec-opt | FileCheck %s

// CHECK-LABEL: func.func @matmul(
func.func @matmul(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %a: tensor<2x8x4xbf16>, %b: tensor<2x16x8xbf16>) {
  // CHECK: = prec_train.matmul %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %0 = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  // CHECK: = prec_train.matmul %arg2, %arg3 {transpose_a, transpose_b} : (tensor<2x8x4xbf16>, tensor<2x16x8xbf16>) -> tensor<2x4x16xf32>
  %1 = prec_train.matmul %a, %b {transpose_a, transpose_b} : (tensor<2x8x4xbf16>, tensor<2x16x8xbf16>) -> tensor<2x4x16xf32>
  return
}

// CHECK-LABEL: func.func @reduce(
func.func @reduce(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // CHECK: = prec_train.reduce sum %arg0 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %0 = prec_train.reduce sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK: = prec_train.reduce max %arg0 dims [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  %1 = prec_train.reduce max %x dims [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  // CHECK: = prec_train.reduce min %arg1 dims [0] : (tensor<4xi32>) -> tensor<i32>
  %2 = prec_train.reduce min %i dims [0] : (tensor<4xi32>) -> tensor<i32>
  // CHECK: = prec_train.reduce sum %arg0 dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = prec_train.reduce sum %x dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @movement(
func.func @movement(%s: tensor<f32>, %x: tensor<8xf32>, %m: tensor<4x8xbf16>, %p: tensor<4xi1>) {
  // CHECK: = prec_train.broadcast %arg0 dims [] : (tensor<f32>) -> tensor<4x8xf32>
  %0 = prec_train.broadcast %s dims [] : (tensor<f32>) -> tensor<4x8xf32>
  // CHECK: = prec_train.broadcast %arg1 dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = prec_train.broadcast %x dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: = prec_train.broadcast %arg3 dims [0] : (tensor<4xi1>) -> tensor<4x8xi1>
  %2 = prec_train.broadcast %p dims [0] : (tensor<4xi1>) -> tensor<4x8xi1>
  // CHECK: = prec_train.transpose %arg2 permutation [1, 0] : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
  %3 = prec_train.transpose %m permutation [1, 0] : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
  // CHECK: = prec_train.iota dim 1 : tensor<4x8xi32>
  %4 = prec_train.iota dim 1 : tensor<4x8xi32>
  // CHECK: = prec_train.iota dim 0 : tensor<8xf32>
  %5 = prec_train.iota dim 0 : tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @gather(
func.func @gather(%t: tensor<16x8xbf16>, %i: tensor<2x4xi32>, %z: tensor<16x8xf32>, %u: tensor<2x4x8xbf16>, %v: tensor<16xf32>) {
  // CHECK: = prec_train.gather %arg0, %arg1 : (tensor<16x8xbf16>, tensor<2x4xi32>) -> tensor<2x4x8xbf16>
  %0 = prec_train.gather %t, %i : (tensor<16x8xbf16>, tensor<2x4xi32>) -> tensor<2x4x8xbf16>
  // CHECK: = prec_train.gather %arg4, %arg1 : (tensor<16xf32>, tensor<2x4xi32>) -> tensor<2x4xf32>
  %1 = prec_train.gather %v, %i : (tensor<16xf32>, tensor<2x4xi32>) -> tensor<2x4xf32>
  // CHECK: = prec_train.scatter_add %arg2, %arg1, %arg3 : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xbf16>) -> tensor<16x8xf32>
  %2 = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xbf16>) -> tensor<16x8xf32>
  // CHECK: %[[S:.*]] = prec_train.sort_ids %arg1 below 16 : (tensor<2x4xi32>) -> tensor<2x8xi32>
  %3 = prec_train.sort_ids %i below 16 : (tensor<2x4xi32>) -> tensor<2x8xi32>
  // CHECK: = prec_train.scatter_add %arg2, %arg1, %arg3 sorted %[[S]] : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xbf16>, tensor<2x8xi32>) -> tensor<16x8xf32>
  %4 = prec_train.scatter_add %z, %i, %u sorted %3 : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xbf16>, tensor<2x8xi32>) -> tensor<16x8xf32>
  return
}

// CHECK-LABEL: func.func @norms(
func.func @norms(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %r: tensor<4xf32>, %dy: tensor<4x8xbf16>) {
  // CHECK: = prec_train.rms_norm %arg0, %arg1 {eps = 1.250000e-01 : f32} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xbf16>, tensor<4xf32>)
  %0:2 = prec_train.rms_norm %x, %g {eps = 1.250000e-01 : f32} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xbf16>, tensor<4xf32>)
  // CHECK: = prec_train.rms_norm_grad %arg3, %arg0, %arg1, %arg2 : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  %1:2 = prec_train.rms_norm_grad %dy, %x, %g, %r : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  // CHECK: = prec_train.layer_norm %arg0, %arg1, %arg1 {eps = 1.250000e-01 : f32} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  %2:3 = prec_train.layer_norm %x, %g, %g {eps = 1.250000e-01 : f32} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: = prec_train.layer_norm_grad %arg3, %arg0, %arg1, %arg2, %arg2 : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %3:3 = prec_train.layer_norm_grad %dy, %x, %g, %r, %r : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<2x4x8xf32>, %dy: tensor<2x4x8xf32>) {
  // CHECK: = prec_train.softmax %arg0 : (tensor<2x4x8xf32>) -> tensor<2x4x8xbf16>
  %0 = prec_train.softmax %x : (tensor<2x4x8xf32>) -> tensor<2x4x8xbf16>
  // CHECK: = prec_train.softmax_grad %arg1, %arg0 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %1 = prec_train.softmax_grad %dy, %x : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// CHECK-LABEL: func.func @cross_entropy(
func.func @cross_entropy(%x: tensor<4x16xf32>, %i: tensor<4xi32>, %d: tensor<f32>, %max: tensor<4xf32>, %log: tensor<4xf32>) {
  // CHECK: = prec_train.cross_entropy %arg0, %arg1 {ignore_index = -100 : i32} : (tensor<4x16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  %0:3 = prec_train.cross_entropy %x, %i {ignore_index = -100 : i32} : (tensor<4x16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: = prec_train.cross_entropy_grad %arg2, %arg0, %arg1, %arg3, %arg4 {ignore_index = -100 : i32} : (tensor<f32>, tensor<4x16xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x16xbf16>
  %1 = prec_train.cross_entropy_grad %d, %x, %i, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<4x16xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x16xbf16>
  return
}

// CHECK-LABEL: func.func @attention(
func.func @attention(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x2x6x16xbf16>, %l: tensor<2x4x8xf32>) {
  // CHECK: = prec_train.attention %arg0, %arg1, %arg1 {causal, scale = 2.500000e-01 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  %0:2 = prec_train.attention %q, %k, %k {causal, scale = 2.500000e-01 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  // CHECK: = prec_train.attention_grad %arg0, %arg0, %arg1, %arg1, %arg0, %arg2 {scale = 2.500000e-01 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  %1:3 = prec_train.attention_grad %q, %q, %k, %k, %q, %l {scale = 2.500000e-01 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x6x16xbf16>, tensor<2x2x6x16xbf16>)
  return
}

// CHECK-LABEL: func.func @dropout(
func.func @dropout(%x: tensor<4x8xbf16>, %s: tensor<i32>) {
  // CHECK: = prec_train.dropout %arg0, %arg1 {probability = 1.000000e-01 : f32, stream = 3 : i32} : (tensor<4x8xbf16>, tensor<i32>) -> tensor<4x8xbf16>
  %0 = prec_train.dropout %x, %s {probability = 1.0e-01 : f32, stream = 3 : i32} : (tensor<4x8xbf16>, tensor<i32>) -> tensor<4x8xbf16>
  return
}

// CHECK-LABEL: func.func @rope(
func.func @rope(%x: tensor<2x4x8x16xf32>, %c: tensor<8x8xf32>) {
  // CHECK: = prec_train.rope %arg0, %arg1, %arg1 : (tensor<2x4x8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x16xbf16>
  %0 = prec_train.rope %x, %c, %c : (tensor<2x4x8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x16xbf16>
  // CHECK: = prec_train.rope %arg0, %arg1, %arg1 {inverse} : (tensor<2x4x8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x16xf32>
  %1 = prec_train.rope %x, %c, %c {inverse} : (tensor<2x4x8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x16xf32>
  return
}

// CHECK-LABEL: func.func @embedding(
func.func @embedding(%t: tensor<16x8xf32>, %i: tensor<2x4xi32>, %dy: tensor<2x4x8xbf16>) {
  // CHECK: = prec_train.embedding %arg0, %arg1 : (tensor<16x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xbf16>
  %0 = prec_train.embedding %t, %i : (tensor<16x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xbf16>
  // CHECK: = prec_train.embedding_grad %arg2, %arg1 : (tensor<2x4x8xbf16>, tensor<2x4xi32>) -> tensor<16x8xf32>
  %1 = prec_train.embedding_grad %dy, %i : (tensor<2x4x8xbf16>, tensor<2x4xi32>) -> tensor<16x8xf32>
  return
}

// CHECK-LABEL: func.func @optimizer(
func.func @optimizer(%p: tensor<4x8xf32>, %g: tensor<4x8xbf16>, %s: tensor<f32>) {
  // CHECK: = prec_train.global_norm %arg0, %arg1 : (tensor<4x8xf32>, tensor<4x8xbf16>) -> tensor<f32>
  %0 = prec_train.global_norm %p, %g : (tensor<4x8xf32>, tensor<4x8xbf16>) -> tensor<f32>
  // CHECK: = prec_train.clip %arg2, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = prec_train.clip %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: = prec_train.adamw %arg0, %arg1, %arg0, %arg0, %arg2, %arg2, %arg2, %arg2, %arg2, %arg2, %arg2, %{{.*}} : (tensor<4x8xf32>, {{.*}}, tensor<i1>) -> (
  %ok = arith.constant dense<true> : tensor<i1>
  %3:3 = prec_train.adamw %p, %g, %p, %p, %s, %s, %s, %s, %s, %s, %s, %ok : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  // CHECK: = prec_train.adamw %arg0, %arg1, %arg0, %arg0, %arg2, %arg2, %arg2, %arg2, %arg2, %arg2, %arg2 : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  %2:3 = prec_train.adamw %p, %g, %p, %p, %s, %s, %s, %s, %s, %s, %s : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @matmul_bias(
func.func @matmul_bias(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %b: tensor<16xbf16>, %c: tensor<16xf32>) {
  // CHECK: = prec_train.matmul %arg0, %arg1 bias %arg2 {transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<16xbf16>) -> tensor<4x16xbf16>
  %0 = prec_train.matmul %x, %w bias %b {transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<16xbf16>) -> tensor<4x16xbf16>
  // CHECK: = prec_train.matmul %arg0, %arg1 bias %arg3 {transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<16xf32>) -> tensor<4x16xf32>
  %1 = prec_train.matmul %x, %w bias %c {transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<16xf32>) -> tensor<4x16xf32>
  return
}

// CHECK-LABEL: func.func @attention_masks(
func.func @attention_masks(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x2x8x16xbf16>, %l: tensor<2x4x8xf32>, %keys: tensor<2x1x1x8xf32>, %all: tensor<2x4x8x8xbf16>) {
  // CHECK: = prec_train.attention %arg0, %arg1, %arg1, %arg3 {causal, scale = 2.500000e-01 : f32, window = 4 : i64} : (tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x1x1x8xf32>) -> (
  %0:2 = prec_train.attention %q, %k, %k, %keys {causal, scale = 0.25 : f32, window = 4 : i64} : (tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x1x1x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  // CHECK: = prec_train.attention %arg0, %arg1, %arg1, %arg4 {scale = 2.500000e-01 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (
  %1:2 = prec_train.attention %q, %k, %k, %all {scale = 0.25 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  // CHECK: = prec_train.attention_grad %arg0, %arg0, %arg1, %arg1, %arg0, %arg2, %arg3 {scale = 2.500000e-01 : f32} : ({{.*}}, tensor<2x4x8xf32>, tensor<2x1x1x8xf32>) -> (
  %2:3 = prec_train.attention_grad %q, %q, %k, %k, %q, %l, %keys {scale = 0.25 : f32} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>, tensor<2x1x1x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x16xbf16>)
  // CHECK: = prec_train.attention_grad %arg0, %arg0, %arg1, %arg1, %arg0, %arg2 {causal, scale = 2.500000e-01 : f32, window = 1 : i64} : (
  %3:3 = prec_train.attention_grad %q, %q, %k, %k, %q, %l {causal, scale = 0.25 : f32, window = 1 : i64} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) -> (tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x16xbf16>)
  return
}
