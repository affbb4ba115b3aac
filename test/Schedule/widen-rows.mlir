// RUN: prec-opt %s --prec-widen-rows --split-input-file | FileCheck %s

// A softmax of the first columns, whose gradient is padded for the next product: all of it is computed for all columns.
// Sums of its columns are a slice of all sums, and a vector of the columns gets zeros.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<4x8xf32>, %[[B:[a-z0-9]+]]: tensor<6xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4x8xf32>
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<0xFF800000> : tensor<4x8xf32>
// CHECK-DAG: %[[SIX:.*]] = arith.constant dense<6> : tensor<4x8xi32>
// CHECK: tensor.concat dim(0) %[[B]], %{{.*}} : (tensor<6xf32>, tensor<2xf32>) -> tensor<8xf32>
// CHECK: %[[X:.*]] = arith.addf %[[P]], %{{.*}} : tensor<4x8xf32>
// CHECK: %[[I:.*]] = prec_train.iota dim 1 : tensor<4x8xi32>
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[I]], %[[SIX]]
// CHECK: %[[M:.*]] = arith.select %[[IN]], %[[X]], %[[LOW]]
// CHECK: prec_train.reduce max %[[M]] dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
// CHECK: %[[E:.*]] = math.exp %{{.*}} : tensor<4x8xf32>
// CHECK: %[[G:.*]] = arith.select %{{.*}}, %[[E]], %[[ZERO]]
// CHECK: %[[S:.*]] = prec_train.reduce sum %[[G]] dims [0] : (tensor<4x8xf32>) -> tensor<8xf32>
// CHECK: %[[R:.*]] = tensor.extract_slice %[[S]][0] [6] [1] : tensor<8xf32> to tensor<6xf32>
// CHECK: return %[[G]], %[[R]]
func.func @softmax(%p: tensor<4x8xf32>, %b: tensor<6xf32>) -> (tensor<4x8xf32>, tensor<6xf32>) attributes {prec.entry = "step"} {
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %l = tensor.extract_slice %p[0, 0] [4, 6] [1, 1] : tensor<4x8xf32> to tensor<4x6xf32>
  %r = prec_train.broadcast %b dims [1] : (tensor<6xf32>) -> tensor<4x6xf32>
  %x = arith.addf %l, %r : tensor<4x6xf32>
  %m = prec_train.reduce max %x dims [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %n = prec_train.broadcast %m dims [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %y = arith.subf %x, %n : tensor<4x6xf32>
  %e = math.exp %y : tensor<4x6xf32>
  %c = tensor.concat dim(1) %e, %zeros : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %s = prec_train.reduce sum %e dims [0] : (tensor<4x6xf32>) -> tensor<6xf32>
  return %c, %s : tensor<4x8xf32>, tensor<6xf32>
}

// -----

// Through reshapes that leave columns what they are.
// CHECK-LABEL: func.func @reshaped
// CHECK: tensor.expand_shape %{{.*}} into tensor<2x2x8xf32>
// CHECK: %[[E:.*]] = math.exp %{{.*}} : tensor<2x2x8xf32>
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[E]] {{.*}} into tensor<4x8xf32>
// CHECK: arith.select %{{.*}}, %[[C]], %{{.*}} : tensor<4x8xi1>, tensor<4x8xf32>
func.func @reshaped(%p: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {prec.entry = "step"} {
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %l = tensor.extract_slice %p[0, 0] [4, 6] [1, 1] : tensor<4x8xf32> to tensor<4x6xf32>
  %x = tensor.expand_shape %l [[0, 1], [2]] output_shape [2, 2, 6] : tensor<4x6xf32> into tensor<2x2x6xf32>
  %e = math.exp %x : tensor<2x2x6xf32>
  %y = tensor.collapse_shape %e [[0, 1], [2]] : tensor<2x2x6xf32> into tensor<4x6xf32>
  %c = tensor.concat dim(1) %y, %zeros : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// Without zeros behind it, with ones, or with an operand from elsewhere, a slice stays one.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: arith.select
// CHECK: return
func.func @stays(%p: tensor<4x8xf32>, %q: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x8xf32>, tensor<4x8xf32>) attributes {prec.entry = "step"} {
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %ones = arith.constant dense<1.0> : tensor<4x2xf32>
  %a = tensor.extract_slice %p[0, 0] [4, 6] [1, 1] : tensor<4x8xf32> to tensor<4x6xf32>
  %b = math.exp %a : tensor<4x6xf32>
  %c = tensor.concat dim(1) %b, %ones : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %d = arith.addf %a, %q : tensor<4x6xf32>
  %e = tensor.concat dim(1) %d, %zeros : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  return %b, %c, %e : tensor<4x6xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Slices whose elements become scalars have no columns to be widened.
// CHECK-LABEL: func.func @scalar
// CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1xf32> into tensor<f32>
func.func @scalar(%p: tensor<2xf32>) -> tensor<f32> attributes {prec.entry = "step"} {
  %l = tensor.extract_slice %p[0] [1] [1] : tensor<2xf32> to tensor<1xf32>
  %s = tensor.collapse_shape %l [] : tensor<1xf32> into tensor<f32>
  return %s : tensor<f32>
}
