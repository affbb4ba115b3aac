// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// Guards that JAX code has, each with one thing that makes it another function.

// A variance is kept above a bound that it can be below of.
// CHECK-LABEL: func.func @bounded_variance
// CHECK-NOT: prec_train.layer_norm
func.func @bounded_variance(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %bound = arith.constant dense<0.1> : tensor<4xf32>
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = prec_train.reduce sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mean = arith.divf %0, %n : tensor<4xf32>
  %mb = prec_train.broadcast %mean dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %c = arith.subf %x, %mb : tensor<4x8xf32>
  %sq = arith.mulf %c, %c : tensor<4x8xf32>
  %1 = prec_train.reduce sum %sq dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = arith.divf %1, %n : tensor<4xf32>
  %var = arith.maximumf %2, %bound : tensor<4xf32>
  %3 = arith.addf %var, %eps : tensor<4xf32>
  %4 = math.rsqrt %3 : tensor<4xf32>
  %5 = prec_train.broadcast %4 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = arith.mulf %c, %5 : tensor<4x8xf32>
  %gb = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %7 = arith.mulf %6, %gb : tensor<4x8xf32>
  %bb = prec_train.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = arith.addf %7, %bb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Rows that do not vary get another deviation.
// CHECK-LABEL: func.func @guarded_variance
// CHECK-NOT: prec_train.layer_norm
func.func @guarded_variance(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %seven = arith.constant dense<7.0> : tensor<4xf32>
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = prec_train.reduce sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mean = arith.divf %0, %n : tensor<4xf32>
  %mb = prec_train.broadcast %mean dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %c = arith.subf %x, %mb : tensor<4x8xf32>
  %sq = arith.mulf %c, %c : tensor<4x8xf32>
  %1 = prec_train.reduce sum %sq dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %var = arith.divf %1, %n : tensor<4xf32>
  %3 = arith.addf %var, %eps : tensor<4xf32>
  %4 = math.rsqrt %3 : tensor<4xf32>
  %5 = prec_train.broadcast %4 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = arith.mulf %c, %5 : tensor<4x8xf32>
  %gb = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %7 = arith.mulf %6, %gb : tensor<4x8xf32>
  %none = arith.cmpf oeq, %var, %zero : tensor<4xf32>
  %add = arith.select %none, %seven, %zero : tensor<4xi1>, tensor<4xf32>
  %ab = prec_train.broadcast %add dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %8 = arith.addf %7, %ab : tensor<4x8xf32>
  %bb = prec_train.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = arith.addf %8, %bb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Labels below 0 count from another end than the last column: the labels are
// what was selected, not what it was selected from.
// CHECK-LABEL: func.func @other_end
// CHECK: %[[L:.*]] = arith.select %{{.*}}, %{{.*}}, %arg1
// CHECK: prec_train.cross_entropy %arg0, %[[L]]
func.func @other_end(%x: tensor<4x8xf32>, %labels: tensor<4xi32>) -> tensor<f32> {
  %zeros = arith.constant dense<0> : tensor<4xi32>
  %seven = arith.constant dense<7> : tensor<4xi32>
  %four = arith.constant dense<4.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %e = math.exp %x : tensor<4x8xf32>
  %sum = prec_train.reduce sum %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %lse = math.log %sum : tensor<4xf32>
  %below = arith.cmpi slt, %labels, %zeros : tensor<4xi32>
  %end = arith.addi %labels, %seven : tensor<4xi32>
  %index = arith.select %below, %end, %labels : tensor<4xi1>, tensor<4xi32>
  %i = prec_train.iota dim 0 : tensor<8xi32>
  %ib = prec_train.broadcast %i dims [1] : (tensor<8xi32>) -> tensor<4x8xi32>
  %lb = prec_train.broadcast %index dims [0] : (tensor<4xi32>) -> tensor<4x8xi32>
  %hit = arith.cmpi eq, %lb, %ib : tensor<4x8xi32>
  %sel = arith.select %hit, %x, %zero : tensor<4x8xi1>, tensor<4x8xf32>
  %p = prec_train.reduce sum %sel dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %nll = arith.subf %lse, %p : tensor<4xf32>
  %total = prec_train.reduce sum %nll dims [0] : (tensor<4xf32>) -> tensor<f32>
  %loss = arith.divf %total, %four : tensor<f32>
  return %loss : tensor<f32>
}

// -----

// NaN is no number that could be left out.
// CHECK-LABEL: func.func @not_a_number
// CHECK: %[[Y:.*]] = prec_train.softmax %arg0
// CHECK: %[[Z:.*]] = arith.addf %[[Y]]
// CHECK: return %[[Z]]
func.func @not_a_number(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %nan = arith.constant dense<0x7FC00000> : tensor<4x8xf32>
  %e = math.exp %x : tensor<4x8xf32>
  %sum = prec_train.reduce sum %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %sb = prec_train.broadcast %sum dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %y = arith.divf %e, %sb : tensor<4x8xf32>
  %z = arith.addf %y, %nan : tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}
