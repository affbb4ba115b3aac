// RUN: prec-opt %s --prec-decompose --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// A primitive keeps the path of its composite, and tells its name.
// CHECK-LABEL: func.func @norm
// CHECK: arith.mulf {{.*}} {prec_train.graph_op = "rms_norm"} {{.*}} loc("model.norm")
// CHECK: math.rsqrt {{.*}} {prec_train.graph_op = "rms_norm"} {{.*}} loc("model.norm")
// Without a path there is none.
// CHECK: math.exp {{.*}} {prec_train.graph_op = "softmax"} {{.*}} loc("x.py":3:1)
// What is no composite stays as it was.
// CHECK: arith.negf %{{[0-9]+}} : {{.*}} loc("model.last")
func.func @norm(%x: tensor<4x8xf32>, %gamma: tensor<8xf32>) -> tensor<4x8xf32> {
  %y, %r = prec_train.rms_norm %x, %gamma {eps = 1.0e-05 : f32} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) loc("model.norm")
  %s = prec_train.softmax %y : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("x.py":3:1)
  %n = arith.negf %s : tensor<4x8xf32> loc("model.last")
  return %n : tensor<4x8xf32>
}
