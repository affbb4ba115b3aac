// RUN: prec-opt %s --pass-pipeline="builtin.module(func.func(prec-chunk-loss{bytes=1024}))" --split-input-file --verify-diagnostics | FileCheck %s

// Logits are computed of views of 16 rows each, their gradient after them; its
// terms are added up in f32 and rounded once, numbers of rows are joined.
// CHECK-LABEL: func.func @step
// CHECK: %[[N:.*]] = prec_train.reduce sum %arg2
// CHECK: %[[H0:.*]] = tensor.extract_slice %arg0[0, 0] [16, 8] [1, 1]
// CHECK: %[[L0:.*]] = prec_train.matmul %[[H0]], %arg1 {transpose_b} : (tensor<16x8xbf16>, tensor<32x8xbf16>) -> tensor<16x32xbf16>
// CHECK: %[[S0:.*]] = prec_train.reduce sum
// CHECK: prec_train.broadcast %[[N]]
// CHECK: %[[G0:.*]] = arith.truncf {{.*}} : tensor<16x32xf32> to tensor<16x32xbf16>
// CHECK: %[[R0:.*]] = tensor.extract_slice %arg0[0, 0] [16, 8] [1, 1]
// CHECK: %[[W0:.*]] = prec_train.matmul %[[G0]], %[[R0]] {{.*}} -> tensor<32x8xf32>
// CHECK: %[[X0:.*]] = prec_train.matmul %[[G0]], %arg1 {{.*}} -> tensor<16x8xbf16>
// CHECK: %[[H1:.*]] = tensor.extract_slice %arg0[16, 0] [16, 8] [1, 1]
// CHECK: %[[L1:.*]] = prec_train.matmul %[[H1]], %arg1
// CHECK: %[[S1:.*]] = prec_train.reduce sum
// CHECK: %[[W1:.*]] = prec_train.matmul {{.*}} -> tensor<32x8xf32>
// CHECK: %[[W:.*]] = arith.addf %[[W0]], %[[W1]]
// CHECK: %[[X1:.*]] = prec_train.matmul
// CHECK-DAG: %[[S:.*]] = tensor.concat dim(0) %[[S0]], %[[S1]] : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
// CHECK-DAG: %[[X:.*]] = tensor.concat dim(0) %[[X0]], %[[X1]] {{.*}}backward{{.*}} -> tensor<32x8xbf16>
// CHECK: %[[D:.*]] = arith.truncf %[[W]] {{.*}} to tensor<32x8xbf16>
// CHECK: %[[T:.*]] = prec_train.reduce sum %[[S]]
// CHECK: return %[[T]], %[[D]], %[[X]]
func.func @step(%h: tensor<32x8xbf16>, %w: tensor<32x8xbf16>, %v: tensor<32xf32>) -> (tensor<f32>, tensor<32x8xbf16>, tensor<32x8xbf16>) attributes {prec.entry = "step"} {
  %n = prec_train.reduce sum %v dims [0] : (tensor<32xf32>) -> tensor<f32>
  %l = prec_train.matmul %h, %w {transpose_b} : (tensor<32x8xbf16>, tensor<32x8xbf16>) -> tensor<32x32xbf16>
  %e = arith.extf %l : tensor<32x32xbf16> to tensor<32x32xf32>
  %s = prec_train.reduce sum %e dims [1] : (tensor<32x32xf32>) -> tensor<32xf32>
  %t = prec_train.reduce sum %s dims [0] : (tensor<32xf32>) -> tensor<f32>
  %b = prec_train.broadcast %n dims [] : (tensor<f32>) -> tensor<32x32xf32>
  %p = arith.mulf %e, %b : tensor<32x32xf32>
  %g = arith.truncf %p {prec_train.phase = #prec_train.phase<backward>} : tensor<32x32xf32> to tensor<32x32xbf16>
  %d = prec_train.matmul %g, %h {transpose_a, prec_train.phase = #prec_train.phase<backward>} : (tensor<32x32xbf16>, tensor<32x8xbf16>) -> tensor<32x8xbf16>
  %x = prec_train.matmul %g, %w {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x32xbf16>, tensor<32x8xbf16>) -> tensor<32x8xbf16>
  return %t, %d, %x : tensor<f32>, tensor<32x8xbf16>, tensor<32x8xbf16>
}

// -----

// In FP8 a scale that is known before is no obstacle; copies in the other
// layout are made of a chunk.
// CHECK-LABEL: func.func @fp8
// CHECK: prec.quantize {{.*}} : tensor<16x32xf32> to tensor<16x32xf8E5M2>
// CHECK: prec_train.transpose {{.*}} : (tensor<16x32xf8E5M2>) -> tensor<32x16xf8E5M2>
// CHECK: prec_train.transpose {{.*}} : (tensor<16x16xf8E4M3FN>) -> tensor<16x16xf8E4M3FN>
// CHECK: prec.scaled_matmul {{.*}} -> tensor<32x16xf32>
// CHECK: prec.quantize
// CHECK: arith.addf
func.func @fp8(%h: tensor<32x16xf8E4M3FN>, %w: tensor<32x16xf8E4M3FN>, %s: tensor<f32>) -> tensor<32x16xf32> {
  %l = prec.scaled_matmul %h scale %s, %w scale %s <fast> : (tensor<32x16xf8E4M3FN>, tensor<32x16xf8E4M3FN>) -> tensor<32x32xf32>
  %q = prec.quantize %l, %s {prec_train.phase = #prec_train.phase<backward>} : tensor<32x32xf32> to tensor<32x32xf8E5M2>
  %t = prec_train.transpose %q permutation [1, 0] {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x32xf8E5M2>) -> tensor<32x32xf8E5M2>
  %u = prec_train.transpose %h permutation [1, 0] : (tensor<32x16xf8E4M3FN>) -> tensor<16x32xf8E4M3FN>
  %d = prec.scaled_matmul %t scale %s, %u scale %s <fast> {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x32xf8E5M2>, tensor<16x32xf8E4M3FN>) -> tensor<32x16xf32>
  return %d : tensor<32x16xf32>
}

// -----

// A product that another one follows makes no logits; what is small stays whole.
// CHECK-LABEL: func.func @hidden
// CHECK-NOT: tensor.concat
// CHECK: return
func.func @hidden(%x: tensor<32x8xf32>, %w: tensor<8x32xf32>) -> tensor<32x2xf32> {
  %h = prec_train.matmul %x, %w : (tensor<32x8xf32>, tensor<8x32xf32>) -> tensor<32x32xf32>
  %e = math.exp %h : tensor<32x32xf32>
  %s = tensor.extract_slice %w[0, 0] [8, 2] [1, 1] : tensor<8x32xf32> to tensor<8x2xf32>
  %t = prec_train.matmul %w, %s {transpose_a} : (tensor<8x32xf32>, tensor<8x2xf32>) -> tensor<32x2xf32>
  %y = prec_train.matmul %e, %t : (tensor<32x32xf32>, tensor<32x2xf32>) -> tensor<32x2xf32>
  return %y : tensor<32x2xf32>
}

// -----

// The largest value of the whole gradient gives its scale.
func.func @scale(%h: tensor<32x8xf32>, %w: tensor<32x8xf32>) -> tensor<32xf32> {
  // expected-remark @+1 {{logits of 4.00 KiB are not computed in chunks: what all of it gives is read here}}
  %l = prec_train.matmul %h, %w {transpose_b} : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x32xf32>
  %r = prec_train.reduce max %l dims [1] : (tensor<32x32xf32>) -> tensor<32xf32>
  %a = prec_train.reduce max %r dims [0] : (tensor<32xf32>) -> tensor<f32>
  // expected-note @+1 {{here}}
  %q = prec.quantize %l, %a : tensor<32x32xf32> to tensor<32x32xf8E5M2>
  %e = arith.extf %q : tensor<32x32xf8E5M2> to tensor<32x32xf32>
  %s = prec_train.reduce sum %e dims [1] : (tensor<32x32xf32>) -> tensor<32xf32>
  return %s : tensor<32xf32>
}

// -----

func.func @output(%h: tensor<32x8xf32>, %w: tensor<32x8xf32>) -> tensor<32x32xf32> {
  // expected-remark @+1 {{logits of 4.00 KiB are not computed in chunks: all of it is read here at once}}
  %l = prec_train.matmul %h, %w {transpose_b} : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x32xf32>
  // expected-note @+1 {{here}}
  return %l : tensor<32x32xf32>
}

// -----

func.func @columns(%h: tensor<32x8xf32>, %w: tensor<32x8xf32>) -> tensor<32xf32> {
  // expected-remark @+1 {{logits of 4.00 KiB are not computed in chunks: all of it is read here at once}}
  %l = prec_train.matmul %h, %w {transpose_b} : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x32xf32>
  // expected-note @+1 {{here}}
  %s = prec_train.reduce sum %l dims [0] : (tensor<32x32xf32>) -> tensor<32xf32>
  return %s : tensor<32xf32>
}

// -----

func.func @both(%h: tensor<32x8xf32>, %w: tensor<32x8xf32>) -> tensor<32xf32> {
  // expected-remark @+1 {{logits of 4.00 KiB are not computed in chunks: its rows and its columns are read here}}
  %l = prec_train.matmul %h, %w {transpose_b} : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x32xf32>
  %t = prec_train.transpose %l permutation [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
  // expected-note @+1 {{here}}
  %m = arith.addf %l, %t : tensor<32x32xf32>
  %s = prec_train.reduce sum %m dims [1] : (tensor<32x32xf32>) -> tensor<32xf32>
  return %s : tensor<32xf32>
}

// -----

func.func @odd(%h: tensor<31x8xf32>, %w: tensor<32x8xf32>) -> tensor<31xf32> {
  // expected-remark @+2 {{logits of 3.88 KiB are not computed in chunks: its rows have no equal parts of multiples of 16}}
  // expected-note @+1 {{here}}
  %l = prec_train.matmul %h, %w {transpose_b} : (tensor<31x8xf32>, tensor<32x8xf32>) -> tensor<31x32xf32>
  %s = prec_train.reduce sum %l dims [1] : (tensor<31x32xf32>) -> tensor<31xf32>
  return %s : tensor<31xf32>
}

// -----

// A head's bias is added to the rows of every chunk, each once.
// CHECK-LABEL: func.func @biased
// CHECK-COUNT-2: prec_train.matmul %{{.*}}, %arg1 bias %arg2 {transpose_b} : (tensor<16x8xbf16>, tensor<32x8xbf16>, tensor<32xbf16>) -> tensor<16x32xbf16>
// CHECK-NOT: prec_train.matmul
// CHECK: return
func.func @biased(%h: tensor<32x8xbf16>, %w: tensor<32x8xbf16>, %b: tensor<32xbf16>) -> tensor<32xf32> {
  %l = prec_train.matmul %h, %w bias %b {transpose_b} : (tensor<32x8xbf16>, tensor<32x8xbf16>, tensor<32xbf16>) -> tensor<32x32xbf16>
  %e = arith.extf %l : tensor<32x32xbf16> to tensor<32x32xf32>
  %s = prec_train.reduce sum %e dims [1] : (tensor<32x32xf32>) -> tensor<32xf32>
  return %s : tensor<32xf32>
}
