// RUN: prec-opt %s --prec-decompose | %primitives | FileCheck %s

// CHECK-LABEL: func @softmax
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xbf16>)
// CHECK: %[[XF:.*]] = arith.extf %[[X]]
// CHECK: %[[MAX:.*]] = prec_train.reduce max %[[XF]] dims [1]
// CHECK: %[[MB:.*]] = prec_train.broadcast %[[MAX]] dims [0]
// CHECK: %[[D:.*]] = arith.subf %[[XF]], %[[MB]]
// CHECK: %[[E:.*]] = math.exp %[[D]]
// CHECK: %[[S:.*]] = prec_train.reduce sum %[[E]] dims [1]
// CHECK: %[[SB:.*]] = prec_train.broadcast %[[S]] dims [0]
// CHECK: %[[P:.*]] = arith.divf %[[E]], %[[SB]]
// CHECK: arith.truncf %[[P]]
func.func @softmax(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %y = prec_train.softmax %x : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// CHECK-LABEL: func @softmax_grad
// CHECK-SAME: (%[[DY:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xf32>)
// CHECK: %[[P:.*]] = arith.mulf %[[DY]], %[[Y]]
// CHECK: %[[S:.*]] = prec_train.reduce sum %[[P]] dims [1]
// CHECK: %[[SB:.*]] = prec_train.broadcast %[[S]] dims [0]
// CHECK: %[[D:.*]] = arith.subf %[[DY]], %[[SB]]
// CHECK: arith.mulf %[[Y]], %[[D]]
func.func @softmax_grad(%dy: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %dx = prec_train.softmax_grad %dy, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %dx : tensor<4x8xf32>
}

// The label's logit comes from a comparison with the column index; a row whose
// label is ignored adds nothing, and the divisor is never 0.
// CHECK-LABEL: func @cross_entropy
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xbf16>, %[[L:.*]]: tensor<4xi32>)
// CHECK-DAG: %[[IGNORE:.*]] = arith.constant dense<-100> : tensor<4xi32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[XF:.*]] = arith.extf %[[X]]
// CHECK: %[[MAX:.*]] = prec_train.reduce max %[[XF]] dims [1]
// CHECK: %[[SUM:.*]] = prec_train.reduce sum %{{.*}} dims [1]
// CHECK: %[[COLUMN:.*]] = prec_train.iota dim 1 : tensor<4x8xi32>
// CHECK: %[[LB:.*]] = prec_train.broadcast %[[L]] dims [0]
// CHECK: %[[HOT:.*]] = arith.cmpi eq, %[[COLUMN]], %[[LB]]
// CHECK: %[[SEL:.*]] = arith.select %[[HOT]], %[[XF]]
// CHECK: %[[PICKED:.*]] = prec_train.reduce sum %[[SEL]] dims [1]
// CHECK: %[[LOG:.*]] = math.log %[[SUM]]
// CHECK: %[[VALID:.*]] = arith.cmpi ne, %[[L]], %[[IGNORE]]
// CHECK: %[[BELOW:.*]] = arith.subf %[[MAX]], %[[PICKED]]
// CHECK: %[[ROW:.*]] = arith.addf %[[LOG]], %[[BELOW]]
// CHECK: %[[COUNTED:.*]] = arith.select %[[VALID]], %[[ROW]]
// CHECK: %[[TOTAL:.*]] = prec_train.reduce sum %[[COUNTED]] dims [0]
// CHECK: %[[ONES:.*]] = arith.select %[[VALID]]
// CHECK: %[[COUNT:.*]] = prec_train.reduce sum %[[ONES]] dims [0]
// CHECK: %[[ATLEAST:.*]] = arith.maximumf %[[COUNT]], %[[ONE]]
// CHECK: %[[LOSS:.*]] = arith.divf %[[TOTAL]], %[[ATLEAST]]
// CHECK: return %[[LOSS]], %[[MAX]], %[[LOG]]
func.func @cross_entropy(%x: tensor<4x8xbf16>, %l: tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>) {
  %y, %m, %e = prec_train.cross_entropy %x, %l {ignore_index = -100 : i32} : (tensor<4x8xbf16>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return %y, %m, %e : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @cross_entropy_grad
// CHECK-SAME: (%[[D:.*]]: tensor<f32>, %[[X:.*]]: tensor<4x8xbf16>, %[[L:.*]]: tensor<4xi32>, %[[M:.*]]: tensor<4xf32>, %[[E:.*]]: tensor<4xf32>)
// CHECK: %[[XF:.*]] = arith.extf %[[X]]
// CHECK: %[[VALID:.*]] = arith.cmpi ne, %[[L]]
// CHECK: %[[W:.*]] = arith.divf %[[D]]
// CHECK: %[[MB:.*]] = prec_train.broadcast %[[M]] dims [0]
// CHECK: %[[BELOW:.*]] = arith.subf %[[XF]], %[[MB]]
// CHECK: %[[EB:.*]] = prec_train.broadcast %[[E]] dims [0]
// CHECK: %[[S:.*]] = arith.subf %[[BELOW]], %[[EB]]
// CHECK: %[[P:.*]] = math.exp %[[S]]
// CHECK: %[[HOT:.*]] = arith.cmpi eq
// CHECK: %[[HF:.*]] = arith.select %[[HOT]]
// CHECK: %[[DIFF:.*]] = arith.subf %[[P]], %[[HF]]
// CHECK: %[[WB:.*]] = prec_train.broadcast %[[W]] dims []
// CHECK: %[[G:.*]] = arith.mulf %[[DIFF]], %[[WB]]
// CHECK: %[[VB:.*]] = prec_train.broadcast %[[VALID]] dims [0] : (tensor<4xi1>) -> tensor<4x8xi1>
// CHECK: %[[R:.*]] = arith.select %[[VB]], %[[G]]
// CHECK: arith.truncf %[[R]]
// CHECK-NOT: arith.truncf
func.func @cross_entropy_grad(%d: tensor<f32>, %x: tensor<4x8xbf16>, %l: tensor<4xi32>, %max: tensor<4xf32>, %log: tensor<4xf32>) -> tensor<4x8xbf16> {
  %y = prec_train.cross_entropy_grad %d, %x, %l, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<4x8xbf16>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}
