// RUN: prec-opt %s --prec-convert-linalg-to-train | FileCheck %s
// RUN: prec-opt %s --linalg-generalize-named-ops --prec-convert-linalg-to-train | FileCheck %s

// Named and generic operations become the same.

// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x16xf32>, %[[V:.*]]: tensor<16x8xf32>
// CHECK-NEXT: %[[A:.*]] = prec_train.matmul %[[X]], %[[W]]{{.*}} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT: %[[B:.*]] = prec_train.matmul %[[X]], %[[V]] {transpose_b} : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[B]], %[[A]] : tensor<4x16xf32>
// CHECK-NEXT: return %[[S]]
func.func @product(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %v: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.matmul {prec_train.phase = #prec_train.phase<backward>} ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
  %z = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %v : tensor<4x8xf32>, tensor<16x8xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %z : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK: %[[M:.*]] = prec_train.reduce max %[[X]] dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
// CHECK: %[[R:.*]] = prec_train.broadcast %[[M]] dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK: %[[D:.*]] = arith.subf %[[X]], %[[R]] : tensor<4x8xf32>
// CHECK: %[[E:.*]] = math.exp %[[D]] : tensor<4x8xf32>
// CHECK: prec_train.reduce sum %[[E]] dims [1]
// CHECK-NOT: linalg
// CHECK-NOT: tensor.empty
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %none = linalg.fill ins(%least : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.reduce {arith.maximumf} ins(%x : tensor<4x8xf32>) outs(%none : tensor<4xf32>) dimensions = [1]
  %r = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) dimensions = [1]
  %d = linalg.sub ins(%x, %r : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = linalg.exp ins(%d : tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce {arith.addf} ins(%p : tensor<4x8xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
  return %s : tensor<4xf32>
}

// Loops that run for no place change nothing.
// CHECK-LABEL: func.func @none_of(
// CHECK-SAME: %{{.*}}: tensor<0x4xf32>, %[[INIT:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[INIT]]
func.func @none_of(%x: tensor<0x4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<0x4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %more = arith.cmpf ogt, %p, %o : f32
    %larger = arith.select %more, %p, %o : f32
    linalg.yield %larger : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
