// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=cpu explain=all" -o /dev/null 2>&1 | FileCheck %s

// What something is chosen by is kept as a router's scores are, whatever class computes it; the recipe says so of that
// class.

// CHECK: prec_train.softmax, softmax, forward
// CHECK-NEXT: result: 8x4, f32
// CHECK-NEXT: because router:
// CHECK-NEXT: would change with: a recipe-file= whose keep_high has another 'stores' for class router
func.func @chosen(%x: tensor<8x16xf32>, %gate: tensor<4x16xf32>, %bias: tensor<8x4xf32>, %experts: tensor<4x16xf32>) -> tensor<8x16xf32> {
  %none = arith.constant dense<4> : tensor<8x4xi32>
  %products = prec_train.matmul %x, %gate {transpose_b} : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
  %sums = arith.addf %products, %bias : tensor<8x4xf32>
  %scores = prec_train.softmax %sums : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %largest = prec_train.reduce max %scores dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %all = prec_train.broadcast %largest dims [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %is = arith.cmpf oeq, %scores, %all : tensor<8x4xf32>
  %places = prec_train.iota dim 1 : tensor<8x4xi32>
  %where = arith.select %is, %places, %none : tensor<8x4xi1>, tensor<8x4xi32>
  %chosen = prec_train.reduce min %where dims [1] : (tensor<8x4xi32>) -> tensor<8xi32>
  %rows = prec_train.gather %experts, %chosen : (tensor<4x16xf32>, tensor<8xi32>) -> tensor<8x16xf32>
  %y = arith.mulf %x, %rows : tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
