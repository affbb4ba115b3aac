// RUN: prec-opt %s --prec-insert-casts --prec-verify-materialized --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-insert-casts --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=FOLD

#f32 = #prec.tag<f32, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">

// Elementwise operations compute in f32; a bf16 result is rounded once and
// every reader sees the rounded value, through one widening. No foreign folder
// takes the rounding away.

// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[E:.*]] = math.exp %[[X]] : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[E]] : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[R]] : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[W]], %[[W]] : tensor<4xf32>
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[A]], %[[W]] {prec_train.phase = #prec_train.phase<backward>} : tensor<4xf32>
// CHECK-NEXT: %[[MR:.*]] = arith.truncf %[[M]] {prec_train.phase = #prec_train.phase<backward>} : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: %[[MW:.*]] = arith.extf %[[MR]]
// CHECK-NEXT: return %[[MW]]

// FOLD-LABEL: func.func @elementwise(
// FOLD: math.exp
// FOLD-NEXT: arith.truncf
// FOLD-NEXT: arith.extf
// FOLD-NEXT: arith.addf
// FOLD-NEXT: arith.mulf
// FOLD-NEXT: arith.truncf
// FOLD-NEXT: arith.extf
// FOLD-NEXT: return
func.func @elementwise(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = math.exp %x {prec.result_tags = [#bf16], prec.class = #prec.class<elementwise>} : tensor<4xf32>
  %a = arith.addf %e, %e {prec.result_tags = [#f32]} : tensor<4xf32>
  %m = arith.mulf %a, %e {prec.result_tags = [#bf16], prec_train.phase = #prec_train.phase<backward>} : tensor<4xf32>
  return %m : tensor<4xf32>
}

// -----

#f32 = #prec.tag<f32, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">

// Comparison and selection; integers stay as they are.

// CHECK-LABEL: func.func @select(
// CHECK: %[[R:.*]] = arith.truncf %{{.*}}
// CHECK: %[[W:.*]] = arith.extf %[[R]]
// CHECK: %[[C:.*]] = arith.cmpf ogt, %[[W]], %{{.*}} : tensor<4xf32>
// CHECK: %[[S:.*]] = arith.select %[[C]], %[[W]], %{{.*}} : tensor<4xi1>, tensor<4xf32>
// CHECK: %[[SR:.*]] = arith.truncf %[[S]]
// CHECK: arith.sitofp %{{.*}} : tensor<4xi32> to tensor<4xf32>
// CHECK-NEXT: arith.truncf
func.func @select(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant {prec.result_tags = [#bf16]} dense<0.0> : tensor<4xf32>
  %e = math.exp %x {prec.result_tags = [#bf16]} : tensor<4xf32>
  %c = arith.cmpf ogt, %e, %zero {prec.result_tags = [unit]} : tensor<4xf32>
  %s = arith.select %c, %e, %zero {prec.result_tags = [#bf16]} : tensor<4xi1>, tensor<4xf32>
  %j = arith.addi %i, %i {prec.result_tags = [unit]} : tensor<4xi32>
  %f = arith.sitofp %j {prec.result_tags = [#bf16]} : tensor<4xi32> to tensor<4xf32>
  return %s, %f : tensor<4xf32>, tensor<4xf32>
}

// -----

#f32 = #prec.tag<f32, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">

// Layout operations move bf16; a constant beside it is rounded at compile
// time, a f32 value is rounded once for two of them.

// CHECK-LABEL: func.func @layout(
// CHECK: %[[PAD:.*]] = arith.constant dense<1.000980e-02> : tensor<2x2xbf16>
// CHECK-NOT: arith.constant
// CHECK: %[[N:.*]] = arith.negf
// CHECK: %[[R:.*]] = arith.truncf %[[N]]
// CHECK: tensor.concat dim(1) %[[R]], %[[PAD]] : (tensor<2x4xbf16>, tensor<2x2xbf16>) -> tensor<2x6xbf16>
// CHECK: prec_train.transpose %{{.*}} permutation [1, 0] : (tensor<2x6xbf16>) -> tensor<6x2xbf16>
// CHECK: tensor.collapse_shape %{{.*}} : tensor<6x2xbf16> into tensor<12xbf16>
// CHECK: tensor.expand_shape %{{.*}} : tensor<12xbf16> into tensor<3x4xbf16>
// CHECK: tensor.extract_slice %{{.*}} : tensor<3x4xbf16> to tensor<1x4xbf16>
// CHECK: prec_train.broadcast %[[R]] dims [1, 2] : (tensor<2x4xbf16>) -> tensor<3x2x4xbf16>
// CHECK: tensor.extract_slice %[[N]]{{.*}} : tensor<2x4xf32> to tensor<1x4xf32>
func.func @layout(%x: tensor<2x4xf32>) -> (tensor<1x4xf32>, tensor<3x2x4xf32>, tensor<1x4xf32>) {
  %pad = arith.constant dense<0.01> : tensor<2x2xf32>
  %n = arith.negf %x {prec.result_tags = [#f32]} : tensor<2x4xf32>
  %c = tensor.concat dim(1) %n, %pad {prec.result_tags = [#bf16]} : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
  %t = prec_train.transpose %c permutation [1, 0] {result_tags = [#bf16]} : (tensor<2x6xf32>) -> tensor<6x2xf32>
  %o = tensor.collapse_shape %t [[0, 1]] {prec.result_tags = [#bf16]} : tensor<6x2xf32> into tensor<12xf32>
  %e = tensor.expand_shape %o [[0, 1]] output_shape [3, 4] {prec.result_tags = [#bf16]} : tensor<12xf32> into tensor<3x4xf32>
  %s = tensor.extract_slice %e[0, 0] [1, 4] [1, 1] {prec.result_tags = [#bf16]} : tensor<3x4xf32> to tensor<1x4xf32>
  %b = prec_train.broadcast %n dims [1, 2] {result_tags = [#bf16]} : (tensor<2x4xf32>) -> tensor<3x2x4xf32>
  %f = tensor.extract_slice %n[0, 0] [1, 4] [1, 1] {prec.result_tags = [#f32]} : tensor<2x4xf32> to tensor<1x4xf32>
  return %s, %b, %f : tensor<1x4xf32>, tensor<3x2x4xf32>, tensor<1x4xf32>
}

// -----

#f32 = #prec.tag<f32, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">

// Reductions are in f32 and rounded once; an argument tagged bf16 is rounded
// where it enters, and keeps its type.

// CHECK-LABEL: func.func @reduce(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[X]]
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[R]]
// CHECK-NEXT: %[[S:.*]] = prec_train.reduce {{ *}}sum %[[W]] dims [0] : (tensor<4x8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[SR:.*]] = arith.truncf %[[S]] : tensor<8xf32> to tensor<8xbf16>
// CHECK-NEXT: prec_train.reduce {{ *}}max %[[W]]
// CHECK-NEXT: %[[SW:.*]] = arith.extf %[[SR]]
// CHECK-NEXT: return %[[SW]]
func.func @reduce(%x: tensor<4x8xf32> {prec.tag = #bf16}) -> (tensor<8xf32>, tensor<4xf32>) {
  %s = prec_train.reduce sum %x dims [0] {result_tags = [#bf16]} : (tensor<4x8xf32>) -> tensor<8xf32>
  %m = prec_train.reduce max %x dims [1] {result_tags = [#f32]} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %s, %m : tensor<8xf32>, tensor<4xf32>
}

// -----

#f32 = #prec.tag<f32, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">

// Composites read what is stored and return their tagged types; statistics,
// loss and moments stay f32.

// CHECK-LABEL: func.func @composites(
// CHECK: %[[T:.*]] = arith.truncf %{{.*}} : tensor<16x8xf32> to tensor<16x8xbf16>
// CHECK: %[[X:.*]] = prec_train.embedding %[[T]], %{{.*}} : (tensor<16x8xbf16>, tensor<4xi32>) -> tensor<4x8xbf16>
// CHECK: prec_train.rms_norm %[[X]], %{{.*}} : (tensor<4x8xbf16>, tensor<8xf32>) -> (tensor<4x8xbf16>, tensor<4xf32>)
// CHECK: %[[L:.*]] = prec_train.matmul %{{.*}}, %[[T]] {transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>) -> tensor<4x16xbf16>
// CHECK: prec_train.cross_entropy %[[L]], %{{.*}} : (tensor<4x16xbf16>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
// CHECK: %[[D:.*]] = prec_train.cross_entropy_grad {{.*}} -> tensor<4x16xbf16>
// CHECK: prec_train.matmul %[[D]], %{{.*}} {transpose_a} : (tensor<4x16xbf16>, tensor<4x8xbf16>) -> tensor<16x8xbf16>
// CHECK: prec_train.embedding_grad {{.*}} : (tensor<4x8xbf16>, tensor<4xi32>) -> tensor<16x8xbf16>
// CHECK: prec_train.global_norm {{.*}} : (tensor<16x8xbf16>, tensor<16x8xbf16>) -> tensor<f32>
// CHECK: prec_train.adamw {{.*}} : (tensor<16x8xf32>, tensor<16x8xbf16>, tensor<16x8xf32>, tensor<16x8xf32>,
// CHECK-SAME: -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>)
func.func @composites(%t: tensor<16x8xf32> {prec.tag = #bf16}, %p: tensor<16x8xf32>, %g: tensor<8xf32>, %i: tensor<4xi32>, %s: tensor<f32>) -> (tensor<f32>, tensor<16x8xf32>, tensor<f32>) {
  %x = prec_train.embedding %t, %i {result_tags = [#bf16]} : (tensor<16x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %n:2 = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32, result_tags = [#bf16, #f32]} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  %l = prec_train.matmul %n#0, %t {transpose_b, result_tags = [#bf16], operand_tags = [#bf16, #bf16]} : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %c:3 = prec_train.cross_entropy %l, %i {ignore_index = -100 : i32, result_tags = [#f32, #f32, #f32]} : (tensor<4x16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  %d = prec_train.cross_entropy_grad %s, %l, %i, %c#1, %c#2 {ignore_index = -100 : i32, result_tags = [#bf16]} : (tensor<f32>, tensor<4x16xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x16xf32>
  %w = prec_train.matmul %d, %n#0 {transpose_a, result_tags = [#bf16], operand_tags = [#bf16, #bf16]} : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %e = prec_train.embedding_grad %n#0, %i {result_tags = [#bf16]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<16x8xf32>
  %norm = prec_train.global_norm %w, %e {result_tags = [#f32]} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<f32>
  %u:3 = prec_train.adamw %p, %w, %p, %p, %s, %s, %s, %s, %s, %s, %s {result_tags = [#f32, #f32, #f32]} : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>)
  return %c#0, %u#0, %norm : tensor<f32>, tensor<16x8xf32>, tensor<f32>
}

// -----

#f32 = #prec.tag<f32, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">

// A f32 value that contractions read in bf16 is rounded once for all of them,
// whatever reshapes lie between; its other readers keep the f32 value. Scatter
// and gather.

// CHECK-LABEL: func.func @contractions(
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[E]]
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[C]] : tensor<8x4xf32> to tensor<8x4xbf16>
// CHECK-NEXT: prec_train.matmul %[[R]], %[[R]] {transpose_b} : (tensor<8x4xbf16>, tensor<8x4xbf16>) -> tensor<8x8xf32>
// CHECK-NOT: arith.truncf
// CHECK: prec_train.matmul %[[R]], %[[R]] {transpose_a} : (tensor<8x4xbf16>, tensor<8x4xbf16>) -> tensor<4x4xbf16>
// CHECK: math.absf %[[E]]
// CHECK: prec_train.scatter_add %{{.*}}, %{{.*}}, %{{.*}} : (tensor<16x4xbf16>, tensor<8xi32>, tensor<8x4xbf16>) -> tensor<16x4xbf16>
// CHECK: prec_train.gather %{{.*}} : (tensor<16x4xbf16>, tensor<2xi32>) -> tensor<2x4xbf16>
func.func @contractions(%x: tensor<2x4x4xf32>, %i: tensor<8xi32>, %j: tensor<2xi32>) -> (tensor<8x8xf32>, tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x4xf32>
  %e = math.exp %x {prec.result_tags = [#f32]} : tensor<2x4x4xf32>
  %c = tensor.collapse_shape %e [[0, 1], [2]] {prec.result_tags = [#f32]} : tensor<2x4x4xf32> into tensor<8x4xf32>
  %y = prec_train.matmul %c, %c {transpose_b, result_tags = [#f32], operand_tags = [#bf16, #bf16]} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %c2 = tensor.collapse_shape %e [[0, 1], [2]] {prec.result_tags = [#f32]} : tensor<2x4x4xf32> into tensor<8x4xf32>
  %z = prec_train.matmul %c2, %c {transpose_a, result_tags = [#bf16], operand_tags = [#bf16, #bf16]} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %a = math.absf %e {prec.result_tags = [#f32]} : tensor<2x4x4xf32>
  %u = prec_train.matmul %c, %z {result_tags = [#bf16], operand_tags = [#bf16, #bf16]} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %s = prec_train.scatter_add %zero, %i, %u {result_tags = [#bf16]} : (tensor<16x4xf32>, tensor<8xi32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %g = prec_train.gather %s, %j {result_tags = [#bf16]} : (tensor<16x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %y, %z, %a, %g : tensor<8x8xf32>, tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">

// A work weight widened for a layout operation is read as it is.

// CHECK-LABEL: func.func @widened(
// CHECK-SAME: %[[W:.*]]: tensor<8x4xbf16>
// CHECK-NEXT: tensor.extract_slice %[[W]]{{.*}} : tensor<8x4xbf16> to tensor<2x4xbf16>
// CHECK-NEXT: prec_train.gather %[[W]], %{{.*}} : (tensor<8x4xbf16>, tensor<2xi32>) -> tensor<2x4xbf16>
func.func @widened(%w: tensor<8x4xbf16>, %i: tensor<2xi32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %f = arith.extf %w : tensor<8x4xbf16> to tensor<8x4xf32>
  %s = tensor.extract_slice %f[0, 0] [2, 4] [1, 1] {prec.result_tags = [#bf16]} : tensor<8x4xf32> to tensor<2x4xf32>
  %g = prec_train.gather %f, %i {result_tags = [#bf16]} : (tensor<8x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %s, %g : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

#f32 = #prec.tag<f32, rule = "r">

// A graph that came with narrow arithmetic computes in f32 too.

// CHECK-LABEL: func.func @narrow(
// CHECK: %[[W:.*]] = arith.extf %{{.*}} : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[W]], %[[W]] : tensor<4xf32>
// CHECK-NEXT: %[[AR:.*]] = arith.truncf %[[A]]
// CHECK-NEXT: %[[AW:.*]] = arith.extf %[[AR]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[AW]] : tensor<4xf32>
// CHECK-NEXT: %[[ER:.*]] = arith.truncf %[[E]]
// CHECK-NEXT: return %[[ER]]
func.func @narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %a = arith.addf %x, %x {prec.result_tags = [#prec.tag<bf16, rule = "r">]} : tensor<4xbf16>
  %e = math.exp %a {prec.result_tags = [#f32]} : tensor<4xbf16>
  return %e : tensor<4xbf16>
}

// -----

#f32 = #prec.tag<f32, rule = "r">

// Under f32 only the tags go.

// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>)
// CHECK-NEXT: %[[E:.*]] = math.exp %[[X]] : tensor<4x4xf32>
// CHECK-NEXT: %[[M:.*]] = prec_train.matmul %[[E]], %[[X]] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: return %[[M]]
func.func @plain(%x: tensor<4x4xf32> {prec.tag = #f32}) -> tensor<4x4xf32> {
  %e = math.exp %x {prec.result_tags = [#f32], prec.class = #prec.class<elementwise>} : tensor<4x4xf32>
  %m = prec_train.matmul %e, %x {prec.class = #prec.class<contraction>, result_tags = [#f32], operand_tags = [#f32, #f32]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">

// An operation of the user's own reads and makes its own types; its results are
// rounded to their tags behind it.

// CHECK-LABEL: func.func @custom(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
// CHECK: %[[H:.*]] = arith.truncf %[[X]] : tensor<4xf32> to tensor<4xf16>
// CHECK: %[[Y:.*]]:2 = prec_train.custom %[[X]], %[[H]], %[[I]] {{.*}} : (tensor<4xf32>, tensor<4xf16>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xbf16>)
// CHECK: %[[R:.*]] = arith.truncf %[[Y]]#0 : tensor<4xf32> to tensor<4xbf16>
// CHECK: %[[W:.*]] = arith.extf %[[R]] : tensor<4xbf16> to tensor<4xf32>
// CHECK: %[[V:.*]] = arith.extf %[[Y]]#1 : tensor<4xbf16> to tensor<4xf32>
// CHECK: return %[[W]], %[[V]]
func.func @custom(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y:2 = prec_train.custom %x, %x, %i {function = "f", settings = "", reads = [f32, f16, i64], makes = [f32, bf16], gradients = array<i64>,
    result_tags = [#bf16, #bf16], prec.class = #prec.class<custom>} : (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}
