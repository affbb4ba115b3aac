// RUN: prec-opt %s --inline | FileCheck %s
// RUN: prec-opt %s --inline --assign-precision="recipe=bf16 target=cpu" --verify-precision | FileCheck %s --check-prefix=TAGGED

// Functions that a step calls become part of it, whatever dialect they compute in.

// CHECK-LABEL: func.func @step
// CHECK-NOT: call
// CHECK: prec_train.matmul
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: arith.truncf
// CHECK: return
// TAGGED: prec_train.matmul {{.*}}bf16
func.func @step(%x: tensor<4x4xf32>) -> tensor<4x4xbf16> attributes {prec.entry = "step"} {
  %y = func.call @product(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = func.call @activation(%y) : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  return %z : tensor<4x4xbf16>
}
func.func private @product(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = prec_train.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<4x4xf32>) {
    ^bb0(%o: f32):
      %d = arith.addf %o, %o : f32
      linalg.yield %d : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
func.func private @activation(%x: tensor<4x4xf32>) -> tensor<4x4xbf16> {
  %0 = math.exp %x : tensor<4x4xf32>
  %1 = arith.truncf %0 : tensor<4x4xf32> to tensor<4x4xbf16>
  return %1 : tensor<4x4xbf16>
}
