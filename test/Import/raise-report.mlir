// RUN: prec-opt %s --prec-raise-composites=report=true --verify-diagnostics
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites=report=true 2>&1 | FileCheck %s
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites | FileCheck %s --check-prefix=GRAPH

// CHECK-DAG: raised rms_norm: 5 forward, 5 backward
// CHECK-DAG: raised rope: 4 forward, 4 backward

// GRAPH-NOT: math.rsqrt
// GRAPH-NOT: prec_train.reduce

// expected-remark @below {{raised softmax: 1 forward, 0 backward}}
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = math.exp %x : tensor<4x8xf32>
  %sum = prec_train.reduce sum %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %sb = prec_train.broadcast %sum dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %y = arith.divf %e, %sb : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Nothing found, nothing said.
func.func @none(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// A declaration has nothing to look at.
func.func private @declared(tensor<4x8xf32>) -> tensor<4x8xf32>
