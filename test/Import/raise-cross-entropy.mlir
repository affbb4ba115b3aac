// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s

// Every label counts. The gradient of the logarithm and that of the logit at
// the label are added; the loss's own gradient is 1 and nowhere to be seen.
// CHECK-LABEL: func.func @optax
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0
// CHECK: %[[L:.*]] = tensor.collapse_shape %arg1
// CHECK: %[[LOSS:.*]], %[[MAX:.*]], %[[LOG:.*]] = prec_train.cross_entropy %[[X]], %[[L]] {ignore_index = -2147483648 : i32}
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[DX:.*]] = prec_train.cross_entropy_grad %[[ONE]], %[[X]], %[[L]], %[[MAX]], %[[LOG]] {ignore_index = -2147483648 : i32}
// CHECK: %[[SHAPED:.*]] = tensor.expand_shape %[[DX]]
// CHECK-NEXT: return %[[LOSS]], %[[SHAPED]]
func.func @optax(%x: tensor<2x3x8xf32>, %labels: tensor<2x3xi32>) -> (tensor<f32>, tensor<2x3x8xf32>) {
  %six = arith.constant dense<6.0> : tensor<f32>
  %minus = arith.constant dense<-0.166666672> : tensor<2x3xf32>
  %plus = arith.constant dense<0.166666672> : tensor<2x3xf32>
  %zero = arith.constant dense<0.0> : tensor<2x3x8xf32>
  %m = prec_train.reduce max %x dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %mb = prec_train.broadcast %m dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %s = arith.subf %x, %mb : tensor<2x3x8xf32>
  %e = math.exp %s : tensor<2x3x8xf32>
  %sum = prec_train.reduce sum %e dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %log = math.log %sum : tensor<2x3xf32>
  %lse = arith.addf %log, %m : tensor<2x3xf32>
  %i = prec_train.iota dim 0 : tensor<8xi32>
  %ib = prec_train.broadcast %i dims [2] : (tensor<8xi32>) -> tensor<2x3x8xi32>
  %lb = prec_train.broadcast %labels dims [0, 1] : (tensor<2x3xi32>) -> tensor<2x3x8xi32>
  %hit = arith.cmpi eq, %lb, %ib : tensor<2x3x8xi32>
  %sel = arith.select %hit, %x, %zero : tensor<2x3x8xi1>, tensor<2x3x8xf32>
  %p = prec_train.reduce sum %sel dims [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  %nll = arith.subf %lse, %p : tensor<2x3xf32>
  %total = prec_train.reduce sum %nll dims [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %loss = arith.divf %total, %six : tensor<f32>
  // backward: d lse = 1/6, d p = -1/6
  %g = arith.divf %plus, %sum : tensor<2x3xf32>
  %gb = prec_train.broadcast %g dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %ge = arith.mulf %gb, %e : tensor<2x3x8xf32>
  %h = arith.uitofp %hit : tensor<2x3x8xi1> to tensor<2x3x8xf32>
  %gm = prec_train.broadcast %minus dims [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %gp = arith.mulf %h, %gm : tensor<2x3x8xf32>
  %dx = arith.addf %gp, %ge : tensor<2x3x8xf32>
  return %loss, %dx : tensor<f32>, tensor<2x3x8xf32>
}

// -----

// Ignored labels: replaced by 0, masked, and not counted; none is an empty mean.
// CHECK-LABEL: func.func @ignored
// CHECK: %[[LOSS:.*]], %{{.*}}, %{{.*}} = prec_train.cross_entropy %arg0, %arg1 {ignore_index = -100 : i32}
// CHECK: %[[DX:.*]] = prec_train.cross_entropy_grad %arg2, %arg0, %arg1, %{{.*}}, %{{.*}} {ignore_index = -100 : i32}
// CHECK-NEXT: return %[[LOSS]], %[[DX]]
func.func @ignored(%x: tensor<4x8xf32>, %labels: tensor<4xi32>, %dloss: tensor<f32>) -> (tensor<f32>, tensor<4x8xf32>) {
  %ignore = arith.constant dense<-100> : tensor<4xi32>
  %none = arith.constant dense<0> : tensor<4xi32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %m = prec_train.reduce max %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mb = prec_train.broadcast %m dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %s = arith.subf %x, %mb : tensor<4x8xf32>
  %e = math.exp %s : tensor<4x8xf32>
  %sum = prec_train.reduce sum %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %log = math.log %sum : tensor<4xf32>
  %logb = prec_train.broadcast %log dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %logp = arith.subf %s, %logb : tensor<4x8xf32>
  %valid = arith.cmpi ne, %labels, %ignore : tensor<4xi32>
  %safe = arith.select %valid, %labels, %none : tensor<4xi1>, tensor<4xi32>
  %i = prec_train.iota dim 1 : tensor<4x8xi32>
  %lb = prec_train.broadcast %safe dims [0] : (tensor<4xi32>) -> tensor<4x8xi32>
  %hit = arith.cmpi eq, %lb, %i : tensor<4x8xi32>
  %h = arith.uitofp %hit : tensor<4x8xi1> to tensor<4x8xf32>
  %hp = arith.mulf %h, %logp : tensor<4x8xf32>
  %p = prec_train.reduce sum %hp dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %nll = arith.negf %p : tensor<4xf32>
  %masked = arith.select %valid, %nll, %zero : tensor<4xi1>, tensor<4xf32>
  %total = prec_train.reduce sum %masked dims [0] : (tensor<4xf32>) -> tensor<f32>
  %v = arith.uitofp %valid : tensor<4xi1> to tensor<4xf32>
  %count = prec_train.reduce sum %v dims [0] : (tensor<4xf32>) -> tensor<f32>
  %some = arith.maximumf %count, %one : tensor<f32>
  %loss = arith.divf %total, %some : tensor<f32>
  %g = arith.divf %dloss, %some : tensor<f32>
  %gb = prec_train.broadcast %g dims [] : (tensor<f32>) -> tensor<4xf32>
  %gv = arith.mulf %gb, %v : tensor<4xf32>
  %gvb = prec_train.broadcast %gv dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %softmax = math.exp %logp : tensor<4x8xf32>
  %d = arith.subf %softmax, %h : tensor<4x8xf32>
  %dx = arith.mulf %d, %gvb : tensor<4x8xf32>
  return %loss, %dx : tensor<f32>, tensor<4x8xf32>
}

// -----

// Labels of columns are compared with the indices of rows.
// CHECK-LABEL: func.func @crossed
// CHECK-NOT: prec_train.cross_entropy
func.func @crossed(%x: tensor<8x8xf32>, %labels: tensor<8xi32>) -> tensor<f32> {
  %eight = arith.constant dense<8.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %e = math.exp %x : tensor<8x8xf32>
  %sum = prec_train.reduce sum %e dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %lse = math.log %sum : tensor<8xf32>
  %i = prec_train.iota dim 0 : tensor<8xi32>
  %ib = prec_train.broadcast %i dims [0] : (tensor<8xi32>) -> tensor<8x8xi32>
  %lb = prec_train.broadcast %labels dims [1] : (tensor<8xi32>) -> tensor<8x8xi32>
  %hit = arith.cmpi eq, %lb, %ib : tensor<8x8xi32>
  %sel = arith.select %hit, %x, %zero : tensor<8x8xi1>, tensor<8x8xf32>
  %p = prec_train.reduce sum %sel dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %nll = arith.subf %lse, %p : tensor<8xf32>
  %total = prec_train.reduce sum %nll dims [0] : (tensor<8xf32>) -> tensor<f32>
  %loss = arith.divf %total, %eight : tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Ignored labels are masked, but counted.
// CHECK-LABEL: func.func @counted
// CHECK-NOT: prec_train.cross_entropy
func.func @counted(%x: tensor<4x8xf32>, %labels: tensor<4xi32>) -> tensor<f32> {
  %ignore = arith.constant dense<-100> : tensor<4xi32>
  %four = arith.constant dense<4.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %e = math.exp %x : tensor<4x8xf32>
  %sum = prec_train.reduce sum %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %lse = math.log %sum : tensor<4xf32>
  %i = prec_train.iota dim 0 : tensor<8xi32>
  %ib = prec_train.broadcast %i dims [1] : (tensor<8xi32>) -> tensor<4x8xi32>
  %lb = prec_train.broadcast %labels dims [0] : (tensor<4xi32>) -> tensor<4x8xi32>
  %hit = arith.cmpi eq, %lb, %ib : tensor<4x8xi32>
  %sel = arith.select %hit, %x, %zero : tensor<4x8xi1>, tensor<4x8xf32>
  %p = prec_train.reduce sum %sel dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %nll = arith.subf %lse, %p : tensor<4xf32>
  %valid = arith.cmpi ne, %labels, %ignore : tensor<4xi32>
  %masked = arith.select %valid, %nll, %zeros : tensor<4xi1>, tensor<4xf32>
  %total = prec_train.reduce sum %masked dims [0] : (tensor<4xf32>) -> tensor<f32>
  %loss = arith.divf %total, %four : tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Labels that are no columns would be bounded, and give NaN: for labels that are columns all of that is nothing.
// CHECK-LABEL: func.func @loss_bounded(
// CHECK-SAME: %[[X:.*]]: tensor<3x8xf32>, %[[L:.*]]: tensor<3xi32>
// CHECK: %[[LOSS:.*]], %{{.*}}, %{{.*}} = prec_train.cross_entropy %[[X]], %[[L]] {ignore_index = -2147483648 : i32}
// CHECK: return %[[LOSS]]
func.func @loss_bounded(%x: tensor<3x8xf32>, %labels: tensor<3xi32>) -> tensor<f32> {
  %zero = arith.constant dense<0> : tensor<3xi32>
  %eight = arith.constant dense<8> : tensor<3xi32>
  %seven = arith.constant dense<7> : tensor<3xi32>
  %negative = arith.cmpi slt, %labels, %zero : tensor<3xi32>
  %added = arith.addi %labels, %eight : tensor<3xi32>
  %wrapped = arith.select %negative, %added, %labels : tensor<3xi1>, tensor<3xi32>
  %low = arith.cmpi sge, %wrapped, %zero : tensor<3xi32>
  %high = arith.cmpi sle, %wrapped, %seven : tensor<3xi32>
  %in = arith.andi %low, %high : tensor<3xi1>
  %above = arith.maxsi %wrapped, %zero : tensor<3xi32>
  %class = arith.minsi %above, %seven : tensor<3xi32>
  %classes = prec_train.broadcast %class dims [0] : (tensor<3xi32>) -> tensor<3x8xi32>
  %columns = prec_train.iota dim 1 : tensor<3x8xi32>
  %onehot = arith.cmpi eq, %classes, %columns : tensor<3x8xi32>
  %zeros = arith.constant dense<0.0> : tensor<3x8xf32>
  %masked = arith.select %onehot, %x, %zeros : tensor<3x8xi1>, tensor<3x8xf32>
  %at = prec_train.reduce sum %masked dims [1] : (tensor<3x8xf32>) -> tensor<3xf32>
  %nan = arith.constant dense<0x7FC00000> : tensor<3xf32>
  %picked = arith.select %in, %at, %nan : tensor<3xi1>, tensor<3xf32>
  %max = prec_train.reduce max %x dims [1] : (tensor<3x8xf32>) -> tensor<3xf32>
  %magnitude = math.absf %max : tensor<3xf32>
  %infinity = arith.constant dense<0x7F800000> : tensor<3xf32>
  %finite = arith.cmpf one, %magnitude, %infinity : tensor<3xf32>
  %none = arith.constant dense<0.0> : tensor<3xf32>
  %shift = arith.select %finite, %max, %none : tensor<3xi1>, tensor<3xf32>
  %shifts = prec_train.broadcast %shift dims [0] : (tensor<3xf32>) -> tensor<3x8xf32>
  %shifted = arith.subf %x, %shifts : tensor<3x8xf32>
  %exp = math.exp %shifted : tensor<3x8xf32>
  %sum = prec_train.reduce sum %exp dims [1] : (tensor<3x8xf32>) -> tensor<3xf32>
  %log = math.log %sum : tensor<3xf32>
  %lse = arith.addf %log, %shift : tensor<3xf32>
  %row = arith.subf %lse, %picked : tensor<3xf32>
  %rows = prec_train.reduce sum %row dims [0] : (tensor<3xf32>) -> tensor<f32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %loss = arith.divf %rows, %three : tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Columns 4 to 7 become column 3: the labels are what was bounded.
// CHECK-LABEL: func.func @loss_of_half(
// CHECK: %[[L:.*]] = arith.minsi %arg1
// CHECK: prec_train.cross_entropy %arg0, %[[L]]
func.func @loss_of_half(%x: tensor<3x8xf32>, %labels: tensor<3xi32>) -> tensor<f32> {
  %three = arith.constant dense<3> : tensor<3xi32>
  %class = arith.minsi %labels, %three : tensor<3xi32>
  %classes = prec_train.broadcast %class dims [0] : (tensor<3xi32>) -> tensor<3x8xi32>
  %columns = prec_train.iota dim 1 : tensor<3x8xi32>
  %onehot = arith.cmpi eq, %classes, %columns : tensor<3x8xi32>
  %zeros = arith.constant dense<0.0> : tensor<3x8xf32>
  %masked = arith.select %onehot, %x, %zeros : tensor<3x8xi1>, tensor<3x8xf32>
  %picked = prec_train.reduce sum %masked dims [1] : (tensor<3x8xf32>) -> tensor<3xf32>
  %max = prec_train.reduce max %x dims [1] : (tensor<3x8xf32>) -> tensor<3xf32>
  %shifts = prec_train.broadcast %max dims [0] : (tensor<3xf32>) -> tensor<3x8xf32>
  %shifted = arith.subf %x, %shifts : tensor<3x8xf32>
  %exp = math.exp %shifted : tensor<3x8xf32>
  %sum = prec_train.reduce sum %exp dims [1] : (tensor<3x8xf32>) -> tensor<3xf32>
  %log = math.log %sum : tensor<3xf32>
  %lse = arith.addf %log, %max : tensor<3xf32>
  %row = arith.subf %lse, %picked : tensor<3xf32>
  %rows = prec_train.reduce sum %row dims [0] : (tensor<3xf32>) -> tensor<f32>
  %count = arith.constant dense<3.0> : tensor<f32>
  %loss = arith.divf %rows, %count : tensor<f32>
  return %loss : tensor<f32>
}
