// RUN: prec-opt %s --pass-pipeline="builtin.module(func.func(prec-defer-transposes))" | FileCheck %s

// The transposed copy of what the backward keeps is computed just before it is
// read, with the forward's scale.

// CHECK-LABEL: func.func @kept(
// CHECK: %[[X:.*]] = math.exp %arg0
// CHECK: %[[Q:.*]] = prec.quantize %[[X]], %[[S:.*]] :
// CHECK-NOT: prec_train.transpose
// CHECK: prec.scaled_matmul %[[Q]]
// CHECK: %[[R:.*]] = prec.quantize %[[X]], %[[S]] {prec_train.phase = #prec_train.phase<recompute>}
// CHECK: %[[T:.*]] = prec_train.transpose %[[R]] permutation [1, 0] {prec_train.phase = #prec_train.phase<recompute>}
// CHECK: prec.scaled_matmul %{{.*}}, %[[T]]
func.func @kept(%a: tensor<64x128xbf16>, %w: tensor<32x128xf8E4M3FN>, %s: tensor<f32>, %d: tensor<32x64xf8E4M3FN>)
    -> (tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<64x128xbf16>) {
  %x = math.exp %a : tensor<64x128xbf16>
  %q = prec.quantize %x, %s : tensor<64x128xbf16> to tensor<64x128xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<64x128xf8E4M3FN>) -> tensor<128x64xf8E4M3FN>
  %y = prec.scaled_matmul %q scale %s, %w scale %s <fast> : (tensor<64x128xf8E4M3FN>, tensor<32x128xf8E4M3FN>) -> tensor<64x32xbf16>
  %g = prec.scaled_matmul %d scale %s, %t scale %s <promoted> {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x64xf8E4M3FN>, tensor<128x64xf8E4M3FN>) -> tensor<32x128xbf16>
  %r = arith.negf %x {prec_train.phase = #prec_train.phase<backward>} : tensor<64x128xbf16>
  return %y, %g, %r : tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<64x128xbf16>
}

// Behind the transposition that the backward makes of what it computes from the
// same values, and what reads the copy moves there.

// CHECK-LABEL: func.func @companion(
// CHECK-NOT: prec_train.transpose
// CHECK: %[[N:.*]] = arith.negf %[[X:.*]] {prec_train.phase = #prec_train.phase<backward>}
// CHECK: %[[P:.*]] = prec.quantize %[[N]]
// CHECK: prec_train.transpose %[[P]]
// CHECK-NEXT: %[[R:.*]] = prec.quantize %[[X]], %{{.*}} {prec_train.phase = #prec_train.phase<recompute>}
// CHECK-NEXT: %[[T:.*]] = prec_train.transpose %[[R]]
// CHECK-NEXT: prec.scaled_matmul %{{.*}}, %[[T]]
func.func @companion(%a: tensor<64x128xbf16>, %w: tensor<32x128xf8E4M3FN>, %s: tensor<f32>, %d: tensor<32x64xf8E4M3FN>)
    -> (tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<128x64xf8E4M3FN>) {
  %x = math.exp %a : tensor<64x128xbf16>
  %q = prec.quantize %x, %s : tensor<64x128xbf16> to tensor<64x128xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<64x128xf8E4M3FN>) -> tensor<128x64xf8E4M3FN>
  %y = prec.scaled_matmul %q scale %s, %w scale %s <fast> : (tensor<64x128xf8E4M3FN>, tensor<32x128xf8E4M3FN>) -> tensor<64x32xbf16>
  %g = prec.scaled_matmul %d scale %s, %t scale %s <promoted> {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x64xf8E4M3FN>, tensor<128x64xf8E4M3FN>) -> tensor<32x128xbf16>
  %n = arith.negf %x {prec_train.phase = #prec_train.phase<backward>} : tensor<64x128xbf16>
  %p = prec.quantize %n, %s {prec_train.phase = #prec_train.phase<backward>} : tensor<64x128xbf16> to tensor<64x128xf8E4M3FN>
  %u = prec_train.transpose %p permutation [1, 0] {prec_train.phase = #prec_train.phase<backward>} : (tensor<64x128xf8E4M3FN>) -> tensor<128x64xf8E4M3FN>
  return %y, %g, %u : tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<128x64xf8E4M3FN>
}

// Whatever the forward computed them of.

// CHECK-LABEL: func.func @companion_of_sum(
// CHECK-NOT: prec_train.transpose
// CHECK: %[[P:.*]] = prec.quantize %{{.*}} {prec_train.phase = #prec_train.phase<backward>}
// CHECK: prec_train.transpose %[[P]]
// CHECK-NEXT: %[[R:.*]] = prec.quantize
// CHECK-NEXT: prec_train.transpose %[[R]]
func.func @companion_of_sum(%a: tensor<64x128xbf16>, %v: tensor<128xbf16>, %w: tensor<32x128xf8E4M3FN>, %s: tensor<f32>, %d: tensor<32x64xf8E4M3FN>)
    -> (tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<128x64xf8E4M3FN>) {
  %b = prec_train.broadcast %v dims [1] : (tensor<128xbf16>) -> tensor<64x128xbf16>
  %z = arith.addf %a, %b : tensor<64x128xbf16>
  %x = arith.negf %z : tensor<64x128xbf16>
  %q = prec.quantize %x, %s : tensor<64x128xbf16> to tensor<64x128xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<64x128xf8E4M3FN>) -> tensor<128x64xf8E4M3FN>
  %y = prec.scaled_matmul %q scale %s, %w scale %s <fast> : (tensor<64x128xf8E4M3FN>, tensor<32x128xf8E4M3FN>) -> tensor<64x32xbf16>
  %g = prec.scaled_matmul %d scale %s, %t scale %s <promoted> {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x64xf8E4M3FN>, tensor<128x64xf8E4M3FN>) -> tensor<32x128xbf16>
  %n = arith.negf %x {prec_train.phase = #prec_train.phase<backward>} : tensor<64x128xbf16>
  %p = prec.quantize %n, %s {prec_train.phase = #prec_train.phase<backward>} : tensor<64x128xbf16> to tensor<64x128xf8E4M3FN>
  %u = prec_train.transpose %p permutation [1, 0] {prec_train.phase = #prec_train.phase<backward>} : (tensor<64x128xf8E4M3FN>) -> tensor<128x64xf8E4M3FN>
  return %y, %g, %u : tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<128x64xf8E4M3FN>
}

// Not behind one that needs what reads the copy: then where it is first read.

// CHECK-LABEL: func.func @companion_waits(
// CHECK: prec_train.transpose %{{.*}} {prec_train.phase = #prec_train.phase<recompute>}
// CHECK-NEXT: %[[G:.*]] = prec.scaled_matmul
// CHECK: arith.addf %[[G]]
// CHECK: prec_train.transpose %{{.*}} {prec_train.phase = #prec_train.phase<backward>}
func.func @companion_waits(%a: tensor<64x64xbf16>, %w: tensor<32x64xf8E4M3FN>, %s: tensor<f32>, %d: tensor<64x64xf8E4M3FN>)
    -> (tensor<64x32xbf16>, tensor<64x64xf8E4M3FN>) {
  %x = math.exp %a : tensor<64x64xbf16>
  %q = prec.quantize %x, %s : tensor<64x64xbf16> to tensor<64x64xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<64x64xf8E4M3FN>) -> tensor<64x64xf8E4M3FN>
  %y = prec.scaled_matmul %q scale %s, %w scale %s <fast> : (tensor<64x64xf8E4M3FN>, tensor<32x64xf8E4M3FN>) -> tensor<64x32xbf16>
  %g = prec.scaled_matmul %d scale %s, %t scale %s <promoted> {prec_train.phase = #prec_train.phase<backward>} : (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>) -> tensor<64x64xbf16>
  %n = arith.addf %g, %x {prec_train.phase = #prec_train.phase<backward>} : tensor<64x64xbf16>
  %p = prec.quantize %n, %s {prec_train.phase = #prec_train.phase<backward>} : tensor<64x64xbf16> to tensor<64x64xf8E4M3FN>
  %u = prec_train.transpose %p permutation [1, 0] {prec_train.phase = #prec_train.phase<backward>} : (tensor<64x64xf8E4M3FN>) -> tensor<64x64xf8E4M3FN>
  return %y, %u : tensor<64x32xbf16>, tensor<64x64xf8E4M3FN>
}

// A kernel of parts of several widths, as behind one product for queries and
// gates, has no room for a copy: one that reads two values stays in the
// forward.

// CHECK-LABEL: func.func @several_widths(
// CHECK: %[[Q:.*]] = prec.quantize
// CHECK: prec_train.transpose %[[Q]] permutation [1, 0] :
// CHECK-NOT: recompute
func.func @several_widths(%a: tensor<64x128xbf16>, %b: tensor<64x128xbf16>, %h: tensor<64x64xbf16>, %w: tensor<32x128xf8E4M3FN>, %s: tensor<f32>, %d: tensor<32x64xf8E4M3FN>)
    -> (tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<192x64xf8E4M3FN>) {
  %x = math.exp %a : tensor<64x128xbf16>
  %z = math.exp %b : tensor<64x128xbf16>
  %m = arith.mulf %x, %z : tensor<64x128xbf16>
  %q = prec.quantize %m, %s : tensor<64x128xbf16> to tensor<64x128xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<64x128xf8E4M3FN>) -> tensor<128x64xf8E4M3FN>
  %y = prec.scaled_matmul %q scale %s, %w scale %s <fast> : (tensor<64x128xf8E4M3FN>, tensor<32x128xf8E4M3FN>) -> tensor<64x32xbf16>
  %g = prec.scaled_matmul %d scale %s, %t scale %s <promoted> {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x64xf8E4M3FN>, tensor<128x64xf8E4M3FN>) -> tensor<32x128xbf16>
  %n = arith.addf %x, %z {prec_train.phase = #prec_train.phase<backward>} : tensor<64x128xbf16>
  %c = tensor.concat dim(1) %h, %n {prec_train.phase = #prec_train.phase<backward>} : (tensor<64x64xbf16>, tensor<64x128xbf16>) -> tensor<64x192xbf16>
  %p = prec.quantize %c, %s {prec_train.phase = #prec_train.phase<backward>} : tensor<64x192xbf16> to tensor<64x192xf8E4M3FN>
  %u = prec_train.transpose %p permutation [1, 0] {prec_train.phase = #prec_train.phase<backward>} : (tensor<64x192xf8E4M3FN>) -> tensor<192x64xf8E4M3FN>
  return %y, %g, %u : tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<192x64xf8E4M3FN>
}

// What nobody keeps is not kept for that, a product is not computed twice, and
// the forward may read the copy.

// CHECK-LABEL: func.func @stays(
// CHECK-NOT: recompute
func.func @stays(%a: tensor<64x128xbf16>, %b: tensor<128x128xbf16>, %w: tensor<32x128xf8E4M3FN>, %s: tensor<f32>, %d: tensor<32x64xf8E4M3FN>)
    -> (tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<32x128xbf16>, tensor<128x64xf8E4M3FN>, tensor<64x128xbf16>) {
  %x = prec_train.matmul %a, %b : (tensor<64x128xbf16>, tensor<128x128xbf16>) -> tensor<64x128xbf16>
  %q = prec.quantize %x, %s : tensor<64x128xbf16> to tensor<64x128xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<64x128xf8E4M3FN>) -> tensor<128x64xf8E4M3FN>
  %y = prec.scaled_matmul %q scale %s, %w scale %s <fast> : (tensor<64x128xf8E4M3FN>, tensor<32x128xf8E4M3FN>) -> tensor<64x32xbf16>
  %z = math.exp %a : tensor<64x128xbf16>
  %p = prec.quantize %z, %s : tensor<64x128xbf16> to tensor<64x128xf8E4M3FN>
  %u = prec_train.transpose %p permutation [1, 0] : (tensor<64x128xf8E4M3FN>) -> tensor<128x64xf8E4M3FN>
  %g = prec.scaled_matmul %d scale %s, %t scale %s <promoted> {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x64xf8E4M3FN>, tensor<128x64xf8E4M3FN>) -> tensor<32x128xbf16>
  %h = prec.scaled_matmul %d scale %s, %u scale %s <promoted> {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x64xf8E4M3FN>, tensor<128x64xf8E4M3FN>) -> tensor<32x128xbf16>
  %r = arith.negf %z {prec_train.phase = #prec_train.phase<backward>} : tensor<64x128xbf16>
  return %y, %g, %h, %u, %r : tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<32x128xbf16>, tensor<128x64xf8E4M3FN>, tensor<64x128xbf16>
}

// Nor is more than three times the copy read for it alone: here two tensors in
// f32.

// CHECK-LABEL: func.func @reads_much(
// CHECK-NOT: recompute
func.func @reads_much(%a: tensor<64x128xf32>, %b: tensor<64x128xf32>, %w: tensor<32x128xf8E4M3FN>, %s: tensor<f32>, %d: tensor<32x64xf8E4M3FN>)
    -> (tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<64x128xf32>, tensor<64x128xf32>) {
  %x = math.exp %a : tensor<64x128xf32>
  %z = math.exp %b : tensor<64x128xf32>
  %v = arith.mulf %x, %z : tensor<64x128xf32>
  %q = prec.quantize %v, %s : tensor<64x128xf32> to tensor<64x128xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] : (tensor<64x128xf8E4M3FN>) -> tensor<128x64xf8E4M3FN>
  %y = prec.scaled_matmul %q scale %s, %w scale %s <fast> : (tensor<64x128xf8E4M3FN>, tensor<32x128xf8E4M3FN>) -> tensor<64x32xbf16>
  %g = prec.scaled_matmul %d scale %s, %t scale %s <promoted> {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x64xf8E4M3FN>, tensor<128x64xf8E4M3FN>) -> tensor<32x128xbf16>
  %r = arith.negf %x {prec_train.phase = #prec_train.phase<backward>} : tensor<64x128xf32>
  %n = arith.negf %z {prec_train.phase = #prec_train.phase<backward>} : tensor<64x128xf32>
  return %y, %g, %r, %n : tensor<64x32xbf16>, tensor<32x128xbf16>, tensor<64x128xf32>, tensor<64x128xf32>
}
