// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s

// CHECK: module attributes {prec_train.images = {scale.ptx = ".version 7.0\0A"}}
module attributes {prec_train.images = {"scale.ptx" = ".version 7.0\0A"}} {
// CHECK-LABEL: func.func @custom
func.func @custom(%x: tensor<4x8xf32>, %i: tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4xi32>) {
  // CHECK: prec_train.custom %{{.*}}, %{{.*}} {function = "mylib::scale.default", gradients = array<i64: 0>, kernels = [#prec_train.kernel<image = "scale.ptx", target = "", symbol = "scale", launch = [4, 1, 1, 256, 1, 1, 0], parameters = ["in 0", "in 1", "out 0", "out 1", "i32 -32", "i64 5", "f32 0.5", "f64 1e-300"]>], makes = [bf16, i64], reads = [bf16, i64], settings = "[]"}
  %y:2 = prec_train.custom %x, %i {function = "mylib::scale.default", settings = "[]", reads = [bf16, i64], makes = [bf16, i64], gradients = array<i64: 0>,
    kernels = [#prec_train.kernel<image = "scale.ptx", target = "", symbol = "scale", launch = [4, 1, 1, 256, 1, 1, 0], parameters = ["in 0", "in 1", "out 0", "out 1", "i32 -32", "i64 5", "f32 0.5", "f64 1e-300"]>]}
    : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4xi32>)
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @call
func.func @call(%x: tensor<4x8xbf16>, %i: tensor<4xi32>) -> tensor<4x8xf16> {
  // CHECK: prec_sched.call %{{.*}}, %{{.*}} {function = "mylib::scale.default", id = 3 : i64, makes = [f16], placements = [#prec_sched.placement<workspace, 256>], reads = [bf16, i64], settings = "[]"}
  %y = prec_sched.call %x, %i {function = "mylib::scale.default", settings = "[]", reads = [bf16, i64], makes = [f16], id = 3 : i64,
    placements = [#prec_sched.placement<workspace, 256>]} : (tensor<4x8xbf16>, tensor<4xi32>) -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}
}
