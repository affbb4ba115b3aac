// RUN: prec-opt %examples/llama_tiny.mlir --assign-precision="recipe=fp8-hybrid target=cpu map-file=%t.json" -o %t.mlir
// RUN: python3 %S/Inputs/check_map.py %t.json | FileCheck %s

// CHECK: values {{[0-9]+}} uses {{[0-9]+}}
