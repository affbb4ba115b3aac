// RUN: prec-opt %s --prec-raise-composites | FileCheck %s

// The gate of x * sigmoid(x) is computed again: the backward reads x anyway.
// CHECK-LABEL: func.func @gate(
// CHECK: %[[X:.*]] = prec_train.matmul
// CHECK: %[[S:.*]] = arith.divf
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[S]]
// CHECK: prec_train.reduce sum %[[Y]]
// CHECK: %[[NEG:.*]] = arith.negf %[[X]] {prec_train.phase = #prec_train.phase<backward>}
// CHECK: %[[EXP:.*]] = math.exp %[[NEG]]
// CHECK: %[[ADD:.*]] = arith.addf %[[EXP]]
// CHECK: %[[AGAIN:.*]] = arith.divf %{{.*}}, %[[ADD]]
// CHECK: arith.mulf %{{.*}}, %[[AGAIN]]
// CHECK-NOT: %[[S]]
// CHECK: return
func.func @gate(%a: tensor<128x64xf32>, %w: tensor<64x128xf32>, %dy: tensor<128x128xf32>) -> (
    tensor<f32> {prec_train.role = #prec_train.role<loss>}, tensor<64x128xf32> {prec_train.role = #prec_train.role<updated>}) {
  %one = arith.constant dense<1.0> : tensor<128x128xf32>
  %x = prec_train.matmul %a, %w : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %0 = arith.negf %x : tensor<128x128xf32>
  %1 = math.exp %0 : tensor<128x128xf32>
  %2 = arith.addf %1, %one : tensor<128x128xf32>
  %s = arith.divf %one, %2 : tensor<128x128xf32>
  %y = arith.mulf %x, %s : tensor<128x128xf32>
  %loss = prec_train.reduce sum %y dims [0, 1] : (tensor<128x128xf32>) -> tensor<f32>
  %3 = arith.mulf %dy, %s {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xf32>
  %4 = arith.subf %one, %s {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xf32>
  %5 = arith.mulf %x, %4 {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xf32>
  %6 = arith.addf %5, %one {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xf32>
  %dx = arith.mulf %3, %6 {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xf32>
  %dw = prec_train.matmul %a, %dx {transpose_a, prec_train.phase = #prec_train.phase<backward>} : (tensor<128x64xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  return %loss, %dw : tensor<f32>, tensor<64x128xf32>
}

// Where the backward reads two values of x, which take more than x, but not x itself: x is kept for both. Phases are
// found without being said.
// CHECK-LABEL: func.func @source(
// CHECK: %[[X:.*]] = prec_train.matmul
// CHECK: prec_train.reduce
// CHECK-DAG: arith.cmpf ogt, %[[X]]
// CHECK-DAG: math.tanh %[[X]]
// CHECK: arith.select
// CHECK: return
func.func @source(%a: tensor<128x64xf32>, %w: tensor<64x128xf32>, %dy: tensor<128x128xf32>) -> (
    tensor<f32> {prec_train.role = #prec_train.role<loss>}, tensor<64x128xf32> {prec_train.role = #prec_train.role<updated>}) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = prec_train.matmul %a, %w : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %m = arith.cmpf ogt, %x, %zero : tensor<128x128xf32>
  %t = math.tanh %x : tensor<128x128xf32>
  %y = arith.select %m, %t, %zero : tensor<128x128xi1>, tensor<128x128xf32>
  %loss = prec_train.reduce sum %y dims [0, 1] : (tensor<128x128xf32>) -> tensor<f32>
  %0 = arith.mulf %dy, %t : tensor<128x128xf32>
  %dx = arith.select %m, %0, %zero : tensor<128x128xi1>, tensor<128x128xf32>
  %dw = prec_train.matmul %a, %dx {transpose_a} : (tensor<128x64xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  return %loss, %dw : tensor<f32>, tensor<64x128xf32>
}

// What the backward multiplies matrices by is kept, and so is what is computed of it alone, of which nothing else is
// kept; so are small values and those that are repeated.
// CHECK-LABEL: func.func @kept(
// CHECK: prec_train.matmul
// CHECK: %[[T:.*]] = math.tanh
// CHECK: %[[ROW:.*]] = math.exp {{.*}} : tensor<128xf32>
// CHECK: prec_train.reduce
// CHECK-NOT: math.tanh
// CHECK-NOT: math.exp
// CHECK: prec_train.matmul %[[T]]
// CHECK: return
func.func @kept(%a: tensor<128x64xf32>, %w: tensor<64x128xf32>, %b: tensor<128xf32>, %dy: tensor<128x128xf32>) -> (
    tensor<f32> {prec_train.role = #prec_train.role<loss>}, tensor<128x128xf32> {prec_train.role = #prec_train.role<updated>}) {
  %x = prec_train.matmul %a, %w : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %t = math.tanh %x : tensor<128x128xf32>
  %e = math.exp %b : tensor<128xf32>
  %r = prec_train.broadcast %e dims [1] : (tensor<128xf32>) -> tensor<128x128xf32>
  %y = arith.mulf %t, %r : tensor<128x128xf32>
  %loss = prec_train.reduce sum %y dims [0, 1] : (tensor<128x128xf32>) -> tensor<f32>
  %0 = arith.mulf %dy, %t : tensor<128x128xf32>
  %1 = prec_train.broadcast %e dims [1] : (tensor<128xf32>) -> tensor<128x128xf32>
  %2 = arith.mulf %0, %1 : tensor<128x128xf32>
  %dw = prec_train.matmul %t, %2 {transpose_a} : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %loss, %dw : tensor<f32>, tensor<128x128xf32>
}

// Long expressions are kept.
// CHECK-LABEL: func.func @long(
// CHECK-COUNT-17: math.sin
// CHECK: prec_train.reduce
// CHECK-NOT: math.sin
// CHECK: return
func.func @long(%x: tensor<128x128xf32>, %dy: tensor<128x128xf32>) -> (
    tensor<f32> {prec_train.role = #prec_train.role<loss>}, tensor<128x128xf32> {prec_train.role = #prec_train.role<updated>}) {
  %1 = math.sin %x : tensor<128x128xf32>
  %2 = math.sin %1 : tensor<128x128xf32>
  %3 = math.sin %2 : tensor<128x128xf32>
  %4 = math.sin %3 : tensor<128x128xf32>
  %5 = math.sin %4 : tensor<128x128xf32>
  %6 = math.sin %5 : tensor<128x128xf32>
  %7 = math.sin %6 : tensor<128x128xf32>
  %8 = math.sin %7 : tensor<128x128xf32>
  %9 = math.sin %8 : tensor<128x128xf32>
  %10 = math.sin %9 : tensor<128x128xf32>
  %11 = math.sin %10 : tensor<128x128xf32>
  %12 = math.sin %11 : tensor<128x128xf32>
  %13 = math.sin %12 : tensor<128x128xf32>
  %14 = math.sin %13 : tensor<128x128xf32>
  %15 = math.sin %14 : tensor<128x128xf32>
  %16 = math.sin %15 : tensor<128x128xf32>
  %17 = math.sin %16 : tensor<128x128xf32>
  %loss = prec_train.reduce sum %17 dims [0, 1] : (tensor<128x128xf32>) -> tensor<f32>
  %dx = arith.mulf %dy, %17 : tensor<128x128xf32>
  return %loss, %dx : tensor<f32>, tensor<128x128xf32>
}

// Without a loss nothing is known of phases.
// CHECK-LABEL: func.func @no_loss(
// CHECK-COUNT-1: math.tanh
// CHECK-NOT: math.tanh
// CHECK: return
func.func @no_loss(%x: tensor<128x128xf32>, %dy: tensor<128x128xf32>) -> (tensor<f32>, tensor<128x128xf32>) {
  %t = math.tanh %x : tensor<128x128xf32>
  %loss = prec_train.reduce sum %t dims [0, 1] : (tensor<128x128xf32>) -> tensor<f32>
  %dx = arith.mulf %dy, %t : tensor<128x128xf32>
  return %loss, %dx : tensor<f32>, tensor<128x128xf32>
}

// What a product of the backward reads is kept; a mask that follows from it is computed of the value that the gradient
// behind the mask reads, too.
// CHECK-LABEL: func.func @read_beside(
// CHECK: %[[X:.*]] = prec_train.matmul
// CHECK: %[[Y:.*]] = arith.maximumf
// CHECK: prec_train.reduce
// CHECK: %[[AGAIN:.*]] = arith.maximumf
// CHECK: %[[M:.*]] = arith.cmpf ogt, %[[AGAIN]]
// CHECK: prec_train.matmul %{{.*}}, %[[Y]]
func.func @read_beside(%a: tensor<128x128xf32>, %w: tensor<128x128xf32>, %dy: tensor<128x128xf32>) -> (
    tensor<f32> {prec_train.role = #prec_train.role<loss>}, tensor<128x128xf32> {prec_train.role = #prec_train.role<updated>},
    tensor<128x128xf32> {prec_train.role = #prec_train.role<updated>}) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = prec_train.matmul %a, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %s = arith.mulf %x, %dy : tensor<128x128xf32>
  %y = arith.maximumf %s, %zero : tensor<128x128xf32>
  %loss = prec_train.reduce sum %y dims [0, 1] : (tensor<128x128xf32>) -> tensor<f32>
  %m = arith.cmpf ogt, %y, %zero : tensor<128x128xf32>
  %g = arith.select %m, %dy, %zero : tensor<128x128xi1>, tensor<128x128xf32>
  %dx = arith.mulf %g, %x : tensor<128x128xf32>
  %dw = prec_train.matmul %dx, %y {transpose_a} : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %loss, %dx, %dw : tensor<f32>, tensor<128x128xf32>, tensor<128x128xf32>
}
