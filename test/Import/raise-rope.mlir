// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// rotate_half with doubled tables: the halves of a table are one value, so only
// it remains, made once for all who read it.
// CHECK-LABEL: func.func @rotate_half
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x6x8xf32>, %[[DY:.*]]: tensor<2x4x6x8xf32>, %[[F:.*]]: tensor<1x6x4xf32>)
// CHECK-DAG: %[[COS:.*]] = math.cos %[[F]]
// CHECK-DAG: %[[C:.*]] = tensor.collapse_shape %[[COS]]
// CHECK-DAG: %[[SIN:.*]] = math.sin %[[F]]
// CHECK-DAG: %[[S:.*]] = tensor.collapse_shape %[[SIN]]
// CHECK: %[[Y:.*]] = prec_train.rope %[[X]], %[[C]], %[[S]] : (tensor<2x4x6x8xf32>, tensor<6x4xf32>, tensor<6x4xf32>)
// CHECK: %[[DX:.*]] = prec_train.rope %[[DY]], %[[C]], %[[S]] {inverse, prec_train.phase = #prec_train.phase<backward>}
// CHECK-NEXT: return %[[Y]], %[[DX]]
func.func @rotate_half(%x: tensor<2x4x6x8xf32>, %dy: tensor<2x4x6x8xf32>, %f: tensor<1x6x4xf32>)
    -> (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>) {
  %zero = arith.constant dense<0.0> : tensor<2x4x6x4xf32>
  %emb = tensor.concat dim(2) %f, %f : (tensor<1x6x4xf32>, tensor<1x6x4xf32>) -> tensor<1x6x8xf32>
  %cos = math.cos %emb : tensor<1x6x8xf32>
  %sin = math.sin %emb : tensor<1x6x8xf32>
  %0 = tensor.collapse_shape %cos [[0, 1], [2]] : tensor<1x6x8xf32> into tensor<6x8xf32>
  %c = prec_train.broadcast %0 dims [2, 3] : (tensor<6x8xf32>) -> tensor<2x4x6x8xf32>
  %1 = tensor.collapse_shape %sin [[0, 1], [2]] : tensor<1x6x8xf32> into tensor<6x8xf32>
  %s = prec_train.broadcast %1 dims [2, 3] : (tensor<6x8xf32>) -> tensor<2x4x6x8xf32>
  %2 = arith.mulf %x, %c : tensor<2x4x6x8xf32>
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 4] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %neg = arith.negf %hi : tensor<2x4x6x4xf32>
  %rot = tensor.concat dim(3) %neg, %lo : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  %3 = arith.mulf %rot, %s : tensor<2x4x6x8xf32>
  %y = arith.addf %2, %3 : tensor<2x4x6x8xf32>
  %4 = arith.mulf %dy, %s {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x6x8xf32>
  %dlo = tensor.extract_slice %4[0, 0, 0, 0] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %dhi = tensor.extract_slice %4[0, 0, 0, 4] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %dneg = arith.negf %dlo : tensor<2x4x6x4xf32>
  %a = tensor.concat dim(3) %zero, %dneg : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  %b = tensor.concat dim(3) %dhi, %zero : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  %5 = arith.addf %a, %b {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x6x8xf32>
  %6 = arith.mulf %dy, %c {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x6x8xf32>
  %dx = arith.addf %5, %6 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x6x8xf32>
  return %y, %dx : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>
}

// -----

// Halves with half tables, as JAX models write it; the sine comes first.
// CHECK-LABEL: func.func @halves
// CHECK: %[[Y:.*]] = prec_train.rope %arg0, %arg1, %arg2 :
// CHECK-NEXT: return %[[Y]]
func.func @halves(%x: tensor<2x4x6x8xf32>, %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> tensor<2x4x6x8xf32> {
  %c = prec_train.broadcast %cos dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %s = prec_train.broadcast %sin dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 4] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %0 = arith.mulf %lo, %c : tensor<2x4x6x4xf32>
  %1 = arith.mulf %s, %hi : tensor<2x4x6x4xf32>
  %2 = arith.subf %0, %1 : tensor<2x4x6x4xf32>
  %3 = arith.mulf %lo, %s : tensor<2x4x6x4xf32>
  %4 = arith.mulf %c, %hi : tensor<2x4x6x4xf32>
  %5 = arith.addf %3, %4 : tensor<2x4x6x4xf32>
  %y = tensor.concat dim(3) %2, %5 : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A table that is scaled after it was doubled.
// CHECK-LABEL: func.func @scaled_table
// CHECK: %[[COS:.*]] = math.cos %arg1 : tensor<6x4xf32>
// CHECK: %[[C:.*]] = arith.mulf %[[COS]], %{{.*}} : tensor<6x4xf32>
// CHECK: prec_train.rope %arg0, %[[C]], %{{.*}}
// CHECK-NOT: concat
func.func @scaled_table(%x: tensor<2x6x8xf32>, %f: tensor<6x4xf32>) -> tensor<2x6x8xf32> {
  %k = arith.constant dense<1.25> : tensor<6x8xf32>
  %emb = tensor.concat dim(1) %f, %f : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  %cos = math.cos %emb : tensor<6x8xf32>
  %sin = math.sin %emb : tensor<6x8xf32>
  %kc = arith.mulf %cos, %k : tensor<6x8xf32>
  %ks = arith.mulf %sin, %k : tensor<6x8xf32>
  %c = prec_train.broadcast %kc dims [1, 2] : (tensor<6x8xf32>) -> tensor<2x6x8xf32>
  %s = prec_train.broadcast %ks dims [1, 2] : (tensor<6x8xf32>) -> tensor<2x6x8xf32>
  %2 = arith.mulf %x, %c : tensor<2x6x8xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 4] [1, 1, 1] : tensor<2x6x8xf32> to tensor<2x6x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 4] [2, 6, 4] [1, 1, 1] : tensor<2x6x8xf32> to tensor<2x6x4xf32>
  %neg = arith.negf %hi : tensor<2x6x4xf32>
  %rot = tensor.concat dim(2) %neg, %lo : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x8xf32>
  %3 = arith.mulf %rot, %s : tensor<2x6x8xf32>
  %y = arith.addf %2, %3 : tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}

// -----

// The halves of these tables differ.
// CHECK-LABEL: func.func @different_halves
// CHECK-NOT: prec_train.rope
func.func @different_halves(%x: tensor<2x6x8xf32>, %f: tensor<6x4xf32>, %h: tensor<6x4xf32>) -> tensor<2x6x8xf32> {
  %emb = tensor.concat dim(1) %f, %h : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  %cos = math.cos %emb : tensor<6x8xf32>
  %sin = math.sin %emb : tensor<6x8xf32>
  %c = prec_train.broadcast %cos dims [1, 2] : (tensor<6x8xf32>) -> tensor<2x6x8xf32>
  %s = prec_train.broadcast %sin dims [1, 2] : (tensor<6x8xf32>) -> tensor<2x6x8xf32>
  %2 = arith.mulf %x, %c : tensor<2x6x8xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 4] [1, 1, 1] : tensor<2x6x8xf32> to tensor<2x6x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 4] [2, 6, 4] [1, 1, 1] : tensor<2x6x8xf32> to tensor<2x6x4xf32>
  %neg = arith.negf %hi : tensor<2x6x4xf32>
  %rot = tensor.concat dim(2) %neg, %lo : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x8xf32>
  %3 = arith.mulf %rot, %s : tensor<2x6x8xf32>
  %y = arith.addf %2, %3 : tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}

// -----

// Both halves take the sine with the same sign: no rotation.
// CHECK-LABEL: func.func @reflection
// CHECK-NOT: prec_train.rope
func.func @reflection(%x: tensor<2x4x6x8xf32>, %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> tensor<2x4x6x8xf32> {
  %c = prec_train.broadcast %cos dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %s = prec_train.broadcast %sin dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x4x6x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 4] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %0 = arith.mulf %lo, %c : tensor<2x4x6x4xf32>
  %1 = arith.mulf %s, %hi : tensor<2x4x6x4xf32>
  %2 = arith.addf %0, %1 : tensor<2x4x6x4xf32>
  %3 = arith.mulf %lo, %s : tensor<2x4x6x4xf32>
  %4 = arith.mulf %c, %hi : tensor<2x4x6x4xf32>
  %5 = arith.addf %3, %4 : tensor<2x4x6x4xf32>
  %y = tensor.concat dim(3) %2, %5 : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// A table for each batch element is none of [sequence, half].
// CHECK-LABEL: func.func @table_of_batch
// CHECK-NOT: prec_train.rope
func.func @table_of_batch(%x: tensor<2x4x6x8xf32>, %cos: tensor<2x6x4xf32>, %sin: tensor<2x6x4xf32>) -> tensor<2x4x6x8xf32> {
  %c = prec_train.broadcast %cos dims [0, 2, 3] : (tensor<2x6x4xf32>) -> tensor<2x4x6x4xf32>
  %s = prec_train.broadcast %sin dims [0, 2, 3] : (tensor<2x6x4xf32>) -> tensor<2x4x6x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 4] [2, 4, 6, 4] [1, 1, 1, 1] : tensor<2x4x6x8xf32> to tensor<2x4x6x4xf32>
  %0 = arith.mulf %lo, %c : tensor<2x4x6x4xf32>
  %1 = arith.mulf %s, %hi : tensor<2x4x6x4xf32>
  %2 = arith.subf %0, %1 : tensor<2x4x6x4xf32>
  %3 = arith.mulf %lo, %s : tensor<2x4x6x4xf32>
  %4 = arith.mulf %c, %hi : tensor<2x4x6x4xf32>
  %5 = arith.addf %3, %4 : tensor<2x4x6x4xf32>
  %y = tensor.concat dim(3) %2, %5 : (tensor<2x4x6x4xf32>, tensor<2x4x6x4xf32>) -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// The table's rows go with another dimension, which is as large as the last but
// one: it is the sequence.
// CHECK-LABEL: func.func @table_of_heads
// CHECK: %[[X:.*]] = prec_train.transpose %arg0 permutation [0, 2, 1, 3]
// CHECK: %[[Y:.*]] = prec_train.rope %[[X]], %arg1, %arg2
// CHECK: prec_train.transpose %[[Y]] permutation [0, 2, 1, 3]
func.func @table_of_heads(%x: tensor<2x6x6x8xf32>, %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> tensor<2x6x6x8xf32> {
  %c = prec_train.broadcast %cos dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x6x4xf32>
  %s = prec_train.broadcast %sin dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x6x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [2, 6, 6, 4] [1, 1, 1, 1] : tensor<2x6x6x8xf32> to tensor<2x6x6x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 4] [2, 6, 6, 4] [1, 1, 1, 1] : tensor<2x6x6x8xf32> to tensor<2x6x6x4xf32>
  %0 = arith.mulf %lo, %c : tensor<2x6x6x4xf32>
  %1 = arith.mulf %s, %hi : tensor<2x6x6x4xf32>
  %2 = arith.subf %0, %1 : tensor<2x6x6x4xf32>
  %3 = arith.mulf %lo, %s : tensor<2x6x6x4xf32>
  %4 = arith.mulf %c, %hi : tensor<2x6x6x4xf32>
  %5 = arith.addf %3, %4 : tensor<2x6x6x4xf32>
  %y = tensor.concat dim(3) %2, %5 : (tensor<2x6x6x4xf32>, tensor<2x6x6x4xf32>) -> tensor<2x6x6x8xf32>
  return %y : tensor<2x6x6x8xf32>
}

// -----

// Heads after the sequence, as JAX models have them, and transposed for the
// attention, before and after.
// CHECK-LABEL: func.func @heads_last
// CHECK-NEXT: %[[Y:.*]] = prec_train.rope %arg0, %arg1, %arg2 : (tensor<2x4x6x8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @heads_last(%heads: tensor<2x4x6x8xf32>, %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> tensor<2x4x6x8xf32> {
  %x = prec_train.transpose %heads permutation [0, 2, 1, 3] : (tensor<2x4x6x8xf32>) -> tensor<2x6x4x8xf32>
  %c = prec_train.broadcast %cos dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x4x4xf32>
  %s = prec_train.broadcast %sin dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x4x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [2, 6, 4, 4] [1, 1, 1, 1] : tensor<2x6x4x8xf32> to tensor<2x6x4x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 4] [2, 6, 4, 4] [1, 1, 1, 1] : tensor<2x6x4x8xf32> to tensor<2x6x4x4xf32>
  %0 = arith.mulf %lo, %c : tensor<2x6x4x4xf32>
  %1 = arith.mulf %s, %hi : tensor<2x6x4x4xf32>
  %2 = arith.subf %0, %1 : tensor<2x6x4x4xf32>
  %3 = arith.mulf %lo, %s : tensor<2x6x4x4xf32>
  %4 = arith.mulf %c, %hi : tensor<2x6x4x4xf32>
  %5 = arith.addf %3, %4 : tensor<2x6x4x4xf32>
  %y = tensor.concat dim(3) %2, %5 : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>) -> tensor<2x6x4x8xf32>
  %t = prec_train.transpose %y permutation [0, 2, 1, 3] : (tensor<2x6x4x8xf32>) -> tensor<2x4x6x8xf32>
  return %t : tensor<2x4x6x8xf32>
}

// -----

// Rows of the cosine go with the sequence, those of the sine with the heads.
// CHECK-LABEL: func.func @mixed_tables
// CHECK-NOT: prec_train.rope
func.func @mixed_tables(%x: tensor<2x6x6x8xf32>, %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> tensor<2x6x6x8xf32> {
  %c = prec_train.broadcast %cos dims [1, 3] : (tensor<6x4xf32>) -> tensor<2x6x6x4xf32>
  %s = prec_train.broadcast %sin dims [2, 3] : (tensor<6x4xf32>) -> tensor<2x6x6x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0, 0] [2, 6, 6, 4] [1, 1, 1, 1] : tensor<2x6x6x8xf32> to tensor<2x6x6x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 0, 4] [2, 6, 6, 4] [1, 1, 1, 1] : tensor<2x6x6x8xf32> to tensor<2x6x6x4xf32>
  %0 = arith.mulf %lo, %c : tensor<2x6x6x4xf32>
  %1 = arith.mulf %s, %hi : tensor<2x6x6x4xf32>
  %2 = arith.subf %0, %1 : tensor<2x6x6x4xf32>
  %3 = arith.mulf %lo, %s : tensor<2x6x6x4xf32>
  %4 = arith.mulf %c, %hi : tensor<2x6x6x4xf32>
  %5 = arith.addf %3, %4 : tensor<2x6x6x4xf32>
  %y = tensor.concat dim(3) %2, %5 : (tensor<2x6x6x4xf32>, tensor<2x6x6x4xf32>) -> tensor<2x6x6x8xf32>
  return %y : tensor<2x6x6x8xf32>
}
