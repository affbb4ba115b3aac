// RUN: prec-opt %s --prec-form-dispatches --split-input-file --verify-diagnostics | FileCheck %s

// A residual addition, the norm of its result and the rounding are one kernel.
// CHECK-LABEL: func.func @norm
// CHECK: %[[R:.*]]:2 = prec_sched.dispatch <row> {{.*}}(%arg0, %arg1)
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @norm(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) {
  %s = arith.addf %x, %y : tensor<4x8xf32>
  %sum = arith.truncf %s : tensor<4x8xf32> to tensor<4x8xbf16>
  %e = arith.extf %sum : tensor<4x8xbf16> to tensor<4x8xf32>
  %sq = arith.mulf %e, %e : tensor<4x8xf32>
  %ms = prec_train.reduce sum %sq dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %r = math.rsqrt %ms : tensor<4xf32>
  %b = prec_train.broadcast %r dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %n = arith.mulf %e, %b : tensor<4x8xf32>
  %out = arith.truncf %n : tensor<4x8xf32> to tensor<4x8xbf16>
  return %sum, %out : tensor<4x8xbf16>, tensor<4x8xbf16>
}

// -----

// A rounding and its transposed copy for a library call are one kernel;
// reshapes are views outside.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: prec_sched.dispatch <elementwise>
// CHECK: prec_sched.dispatch <transpose>
// CHECK: arith.truncf
// CHECK: tensor.collapse_shape
// CHECK: prec_sched.gemm
func.func @transposed(%x: tensor<2x16x32xf32>, %w: tensor<16x32xbf16>) -> tensor<32x32xf32> {
  %b = arith.truncf %x : tensor<2x16x32xf32> to tensor<2x16x32xbf16>
  %t = prec_train.transpose %b permutation [0, 2, 1] : (tensor<2x16x32xbf16>) -> tensor<2x32x16xbf16>
  %s = tensor.extract_slice %b[0, 0, 0] [1, 16, 32] [1, 1, 1] : tensor<2x16x32xbf16> to tensor<1x16x32xbf16>
  %c = tensor.collapse_shape %t [[0, 1], [2]] : tensor<2x32x16xbf16> into tensor<64x16xbf16>
  %g = prec_train.matmul %c, %w : (tensor<64x16xbf16>, tensor<16x32xbf16>) -> tensor<64x32xf32>
  %h = tensor.extract_slice %g[0, 0] [32, 32] [1, 1] : tensor<64x32xf32> to tensor<32x32xf32>
  return %h : tensor<32x32xf32>
}

// -----

// Amaxes of tiles and both layouts of what is put side by side come from one
// read; the partial sums over many rows are those of groups of them.
// CHECK-LABEL: func.func @tiles
// CHECK: prec_sched.dispatch <transpose> {{.*}} -> (tensor<1x1xf32>, tensor<128x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>)
// CHECK: tensor.concat
// CHECK: prec_sched.yield
// CHECK: prec_sched.dispatch <column>
// CHECK: prec_train.reduce sum {{.*}} dims [1] : (tensor<64x128x32xf32>) -> tensor<64x32xf32>
// CHECK: prec_sched.dispatch <column>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @tiles(%x: tensor<128x128xf32>, %s: tensor<f32>, %n: tensor<8192x32xf32>) -> (tensor<1x1xf32>, tensor<128x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>, tensor<32xf32>) {
  %y = arith.truncf %x : tensor<128x128xf32> to tensor<128x128xbf16>
  %d = arith.addf %x, %x : tensor<128x128xf32>
  %z = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xbf16>
  %w = arith.extf %y : tensor<128x128xbf16> to tensor<128x128xf32>
  %a = math.absf %w : tensor<128x128xf32>
  %e = tensor.expand_shape %a [[0, 1], [2, 3]] output_shape [1, 128, 1, 128] : tensor<128x128xf32> into tensor<1x128x1x128xf32>
  %m = prec_train.reduce max %e dims [1, 3] : (tensor<1x128x1x128xf32>) -> tensor<1x1xf32>
  %p = prec.quantize %y, %s : tensor<128x128xbf16> to tensor<128x128xf8E4M3FN>
  %q = prec.quantize %z, %s : tensor<128x128xbf16> to tensor<128x128xf8E4M3FN>
  %c = tensor.concat dim(1) %p, %q : (tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN>) -> tensor<128x256xf8E4M3FN>
  %t = prec_train.transpose %c permutation [1, 0] : (tensor<128x256xf8E4M3FN>) -> tensor<256x128xf8E4M3FN>
  %b = prec_train.reduce sum %n dims [0] : (tensor<8192x32xf32>) -> tensor<32xf32>
  return %m, %c, %t, %b : tensor<1x1xf32>, tensor<128x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>, tensor<32xf32>
}

// -----

// Two reductions over the same rows share a kernel, one over columns does not.
// CHECK-LABEL: func.func @reductions
// CHECK-DAG: prec_sched.dispatch <row>
// CHECK-DAG: prec_sched.dispatch <column>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @reductions(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %a = prec_train.reduce sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %b = prec_train.reduce max %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %c = prec_train.reduce sum %x dims [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}

// -----

// The backward of a norm: partial sums over groups of rows are computed by the
// kernel that reduces the rows, and read once. What no such kernel reads is
// divided into fewer groups.
// CHECK-LABEL: func.func @norm_grad
// CHECK: prec_sched.dispatch <row> {{.*}}(%arg0, %arg1) {{.*}} -> (tensor<4096x64xbf16>, tensor<128x64xf32>, tensor<128x64xf32>)
// CHECK-DAG: prec_train.reduce sum {{.*}} dims [1] : (tensor<4096x64xf32>) -> tensor<4096xf32>
// CHECK-DAG: prec_train.reduce sum {{.*}} dims [1] : (tensor<128x32x64xf32>) -> tensor<128x64xf32>
// CHECK: prec_sched.yield
// CHECK: prec_sched.dispatch <column>
// CHECK: prec_train.reduce sum {{.*}} dims [0] : (tensor<128x64xf32>) -> tensor<64xf32>
// CHECK: prec_train.reduce sum {{.*}} dims [0] : (tensor<128x64xf32>) -> tensor<64xf32>
// CHECK: prec_sched.dispatch <column>
// CHECK: prec_train.reduce sum {{.*}} dims [1] : (tensor<32x128x64xf32>) -> tensor<32x64xf32>
// CHECK: prec_sched.dispatch <column>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @norm_grad(%dy: tensor<4096x64xbf16>, %n: tensor<4096x64xf32>, %z: tensor<4096x64xf32>)
    -> (tensor<4096x64xbf16>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %g = arith.extf %dy : tensor<4096x64xbf16> to tensor<4096x64xf32>
  %p = arith.mulf %g, %n : tensor<4096x64xf32>
  %m = prec_train.reduce sum %p dims [1] : (tensor<4096x64xf32>) -> tensor<4096xf32>
  %b = prec_train.broadcast %m dims [0] : (tensor<4096xf32>) -> tensor<4096x64xf32>
  %d = arith.subf %g, %b : tensor<4096x64xf32>
  %dx = arith.truncf %d : tensor<4096x64xf32> to tensor<4096x64xbf16>
  %weight = prec_train.reduce sum %p dims [0] : (tensor<4096x64xf32>) -> tensor<64xf32>
  %bias = prec_train.reduce sum %g dims [0] : (tensor<4096x64xf32>) -> tensor<64xf32>
  %other = prec_train.reduce sum %z dims [0] : (tensor<4096x64xf32>) -> tensor<64xf32>
  return %dx, %weight, %bias, %other : tensor<4096x64xbf16>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// Not in one kernel: partial sums that are rounded.
// CHECK-LABEL: func.func @narrow_columns
// CHECK-DAG: prec_sched.dispatch <row>
// CHECK-DAG: prec_sched.dispatch <column>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @narrow_columns(%x: tensor<128x32x64xbf16>) -> (tensor<128x32xbf16>, tensor<128x64xbf16>) {
  %a = prec_train.reduce max %x dims [2] : (tensor<128x32x64xbf16>) -> tensor<128x32xbf16>
  %b = prec_train.reduce max %x dims [1] : (tensor<128x32x64xbf16>) -> tensor<128x64xbf16>
  return %a, %b : tensor<128x32xbf16>, tensor<128x64xbf16>
}

// -----

func.func @composite(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{operation must be a primitive to be scheduled, but got one that no kernel computes}}
  %y = prec_train.softmax %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Terms of one product are added by the library, those of different products
// are not; what products compute is joined without a kernel.
// CHECK-LABEL: func.func @terms
// CHECK: %[[A:.*]] = prec_sched.gemm %arg0, %arg1 <full>
// CHECK: %[[P:.*]] = prec_sched.gemm
// CHECK: %[[B:.*]] = prec_sched.gemm %arg1, %arg0 init %[[A]] <full>
// CHECK: %[[Q:.*]] = prec_sched.gemm
// CHECK: %[[C:.*]] = prec_sched.gemm %arg1, %arg1 <full>
// CHECK: %[[J:.*]] = tensor.concat dim(0) %[[P]], %[[Q]]
// CHECK: prec_sched.dispatch <row> {{.*}}(%[[B]], %[[C]])
// CHECK: prec_sched.dispatch <elementwise> {{.*}}, %[[J]])
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @terms(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> tensor<32x16xf32> {
  %a = prec_train.matmul %x, %y {prec_train.seq = 1 : i64} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %p = prec_train.matmul %x, %x {prec_train.seq = 3 : i64} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = prec_train.matmul %y, %x {prec_train.seq = 1 : i64} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %s = arith.addf %a, %b : tensor<16x16xf32>
  %q = prec_train.matmul %x, %x {transpose_a, prec_train.seq = 3 : i64} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = prec_train.matmul %y, %y {prec_train.seq = 2 : i64} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %t = arith.addf %s, %c : tensor<16x16xf32>
  %j = tensor.concat dim(0) %p, %q : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %r = prec_train.reduce sum %t dims [1] : (tensor<16x16xf32>) -> tensor<16xf32>
  %u = prec_train.broadcast %r dims [1] : (tensor<16xf32>) -> tensor<32x16xf32>
  %z = arith.addf %j, %u : tensor<32x16xf32>
  return %z : tensor<32x16xf32>
}

// -----

// What is too little to be worth a launch shares one with strangers that need
// not wait for more, and shares none with those that would.
// CHECK-LABEL: func.func @launches
// CHECK: prec_sched.dispatch <elementwise> {{.*}}(%arg0, %arg1) {{.*}} -> (tensor<16x16xbf16>, tensor<256xbf16>)
// CHECK: %[[G:.*]] = prec_sched.gemm
// CHECK: prec_sched.dispatch <elementwise> {{.*}}(%[[G]]) {{.*}} -> tensor<16x16xbf16>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @launches(%x: tensor<16x16xf32>, %y: tensor<256xf32>, %w: tensor<16x16xf32>) -> (tensor<16x16xbf16>, tensor<256xbf16>, tensor<16x16xbf16>) {
  %a = arith.truncf %x : tensor<16x16xf32> to tensor<16x16xbf16>
  %b = arith.truncf %y : tensor<256xf32> to tensor<256xbf16>
  %g = prec_train.matmul %w, %w : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = arith.truncf %g : tensor<16x16xf32> to tensor<16x16xbf16>
  return %a, %b, %c : tensor<16x16xbf16>, tensor<256xbf16>, tensor<16x16xbf16>
}

// -----

// A bias goes to the library with the product, through a view of its bytes.
// CHECK-LABEL: func.func @bias
// CHECK: %[[B:.*]] = tensor.collapse_shape %arg2
// CHECK: prec_sched.gemm %arg0, %arg1 bias %[[B]] <full> {transpose_b} : (tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
// CHECK: prec_sched.gemm %arg3, %arg3 scale(%arg4, %arg4) bias %[[B]] <fast> {transpose_b} : {{.*}} -> tensor<16x16xbf16>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @bias(%x: tensor<16x16xbf16>, %w: tensor<16x16xbf16>, %v: tensor<2x8xbf16>, %q: tensor<16x16xf8E4M3FN>, %s: tensor<f32>) -> (tensor<16x16xbf16>, tensor<16x16xbf16>) {
  %b = tensor.collapse_shape %v [[0, 1]] : tensor<2x8xbf16> into tensor<16xbf16>
  %y = prec_train.matmul %x, %w bias %b {transpose_b} : (tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %z = prec.scaled_matmul %q scale %s, %q scale %s bias %b <fast> : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>, tensor<16xbf16>) -> tensor<16x16xbf16>
  return %y, %z : tensor<16x16xbf16>, tensor<16x16xbf16>
}

// -----

// Sorted once for both tables.
// CHECK-LABEL: func @sorted_once
// CHECK-SAME: (%[[T:.*]]: tensor<16x8xf32>, %[[I:.*]]: tensor<2x4xi32>, %[[U:.*]]: tensor<2x4x8xf32>)
// CHECK-DAG: %[[S:.*]] = prec_sched.dispatch <sort> "sort_ids"(%[[I]]) {graph_ops = ["sort_ids"], inplace = array<i64: -1>} : (tensor<2x4xi32>) -> tensor<2x8xi32>
// CHECK-DAG: prec_train.sort_ids %{{.*}} below 16
// CHECK-DAG: %[[Z:.*]] = prec_sched.fill : tensor<16x8xf32>
// CHECK-DAG: %[[C:.*]] = prec_sched.copy %[[T]] : tensor<16x8xf32>
// CHECK-DAG: prec_sched.dispatch <scatter_add> "scatter_add"(%[[Z]], %[[I]], %[[U]], %[[S]]) {graph_ops = ["scatter_add"], inplace = array<i64: 0>}
// CHECK-DAG: prec_sched.dispatch <scatter_add> "scatter_add.1"(%[[C]], %[[I]], %[[U]], %[[S]]) {graph_ops = ["scatter_add"], inplace = array<i64: 0>}
// CHECK-NOT: prec_train.sort_ids
func.func @sorted_once(%t: tensor<16x8xf32>, %i: tensor<2x4xi32>, %u: tensor<2x4x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x8xf32>
  %s = prec_train.sort_ids %i below 16 : (tensor<2x4xi32>) -> tensor<2x8xi32>
  %a = prec_train.scatter_add %z, %i, %u sorted %s : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xf32>, tensor<2x8xi32>) -> tensor<16x8xf32>
  %b = prec_train.scatter_add %t, %i, %u sorted %s : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xf32>, tensor<2x8xi32>) -> tensor<16x8xf32>
  return %a, %b : tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

// A kernel computes a square's operand once, however often it is squared: nothing but the result is stored.
// CHECK-LABEL: func.func @squares
// CHECK: prec_sched.dispatch <elementwise> {{.*}} -> tensor<8x512xbf16>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @squares(%x: tensor<8x512xbf16>) -> tensor<8x512xbf16> {
  %0 = arith.extf %x : tensor<8x512xbf16> to tensor<8x512xf32>
  %1 = arith.mulf %0, %0 : tensor<8x512xf32>
  %2 = arith.mulf %1, %1 : tensor<8x512xf32>
  %3 = arith.mulf %2, %2 : tensor<8x512xf32>
  %4 = arith.mulf %3, %3 : tensor<8x512xf32>
  %5 = arith.mulf %4, %4 : tensor<8x512xf32>
  %6 = arith.mulf %5, %5 : tensor<8x512xf32>
  %y = arith.truncf %6 : tensor<8x512xf32> to tensor<8x512xbf16>
  return %y : tensor<8x512xbf16>
}
