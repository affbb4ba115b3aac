// RUN: sed 's/COLUMNS/50257/g;s/LAST/50256/g' %s | prec-opt --prec-raise-composites | FileCheck %s
// RUN: sed 's/COLUMNS/128256/g;s/LAST/128255/g' %s | prec-opt --prec-raise-composites | FileCheck %s
// RUN: sed 's/COLUMNS/400000/g;s/LAST/399999/g' %s | prec-opt --prec-raise-composites | FileCheck %s
// RUN: sed 's/COLUMNS/5000000/g;s/LAST/4999999/g' %s | prec-opt --prec-raise-composites | FileCheck %s

// Labels below 0 count from the end of vocabularies of any size.
// CHECK-LABEL: func.func @loss_bounded(
// CHECK: prec_train.cross_entropy %{{.*}}, %{{.*}} {ignore_index = -2147483648 : i32}
func.func @loss_bounded(%x: tensor<3xCOLUMNSxf32>, %labels: tensor<3xi32>) -> tensor<f32> {
  %zero = arith.constant dense<0> : tensor<3xi32>
  %eight = arith.constant dense<COLUMNS> : tensor<3xi32>
  %seven = arith.constant dense<LAST> : tensor<3xi32>
  %negative = arith.cmpi slt, %labels, %zero : tensor<3xi32>
  %added = arith.addi %labels, %eight : tensor<3xi32>
  %wrapped = arith.select %negative, %added, %labels : tensor<3xi1>, tensor<3xi32>
  %low = arith.cmpi sge, %wrapped, %zero : tensor<3xi32>
  %high = arith.cmpi sle, %wrapped, %seven : tensor<3xi32>
  %in = arith.andi %low, %high : tensor<3xi1>
  %above = arith.maxsi %wrapped, %zero : tensor<3xi32>
  %class = arith.minsi %above, %seven : tensor<3xi32>
  %classes = prec_train.broadcast %class dims [0] : (tensor<3xi32>) -> tensor<3xCOLUMNSxi32>
  %columns = prec_train.iota dim 1 : tensor<3xCOLUMNSxi32>
  %onehot = arith.cmpi eq, %classes, %columns : tensor<3xCOLUMNSxi32>
  %zeros = arith.constant dense<0.0> : tensor<3xCOLUMNSxf32>
  %masked = arith.select %onehot, %x, %zeros : tensor<3xCOLUMNSxi1>, tensor<3xCOLUMNSxf32>
  %at = prec_train.reduce sum %masked dims [1] : (tensor<3xCOLUMNSxf32>) -> tensor<3xf32>
  %nan = arith.constant dense<0x7FC00000> : tensor<3xf32>
  %picked = arith.select %in, %at, %nan : tensor<3xi1>, tensor<3xf32>
  %max = prec_train.reduce max %x dims [1] : (tensor<3xCOLUMNSxf32>) -> tensor<3xf32>
  %magnitude = math.absf %max : tensor<3xf32>
  %infinity = arith.constant dense<0x7F800000> : tensor<3xf32>
  %finite = arith.cmpf one, %magnitude, %infinity : tensor<3xf32>
  %none = arith.constant dense<0.0> : tensor<3xf32>
  %shift = arith.select %finite, %max, %none : tensor<3xi1>, tensor<3xf32>
  %shifts = prec_train.broadcast %shift dims [0] : (tensor<3xf32>) -> tensor<3xCOLUMNSxf32>
  %shifted = arith.subf %x, %shifts : tensor<3xCOLUMNSxf32>
  %exp = math.exp %shifted : tensor<3xCOLUMNSxf32>
  %sum = prec_train.reduce sum %exp dims [1] : (tensor<3xCOLUMNSxf32>) -> tensor<3xf32>
  %log = math.log %sum : tensor<3xf32>
  %lse = arith.addf %log, %shift : tensor<3xf32>
  %row = arith.subf %lse, %picked : tensor<3xf32>
  %rows = prec_train.reduce sum %row dims [0] : (tensor<3xf32>) -> tensor<f32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %loss = arith.divf %rows, %three : tensor<f32>
  return %loss : tensor<f32>
}
