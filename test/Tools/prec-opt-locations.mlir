// RUN: prec-opt %s --cse -o %t.mlir && FileCheck %s < %t.mlir
// RUN: prec-opt %s --cse -o %t.mlir --mlir-print-debuginfo=false && FileCheck %s --check-prefix=WITHOUT < %t.mlir
// RUN: prec-opt %s --cse | FileCheck %s --check-prefix=WITHOUT
// RUN: prec-opt %s --emit-bytecode -o %t.mlirbc && prec-opt %t.mlirbc -o %t.mlir && FileCheck %s < %t.mlir
// RUN: sed 's/ loc(.*//' %s | prec-opt - -o %t.mlir && FileCheck %s --check-prefix=WITHOUT < %t.mlir

// Modules' paths are names of locations: a file that is written keeps them.
// CHECK-DAG: arith.negf %{{.*}} : tensor<4xf32> loc(#[[LOC:.*]])
// CHECK-DAG: #[[LOC]] = loc("layers.0.mlp")
// WITHOUT: func.func @f
// WITHOUT-NOT: loc(
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = arith.negf %x : tensor<4xf32> loc("layers.0.mlp")
  %b = math.exp %a : tensor<4xf32>
  return %b : tensor<4xf32>
}
