// RUN: prec-opt %examples/llama_tiny.mlir --assign-precision="recipe=fp8-hybrid target=cpu map-file=%t.json summary=true" -o %t.mlir 2> %t.summary
// RUN: python3 %S/Inputs/check_map.py %t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=SUMMARY < %t.summary

// CHECK: values {{[0-9]+}} uses {{[0-9]+}}
// CHECK-DAG: FP32 92 1.3 MiB
// CHECK-DAG: BF16 103 1.1 MiB
// CHECK-DAG: FP8 36 212.0 KiB
// SUMMARY: FP8 {{ *}}36 212.0 KiB
// SUMMARY: BF16 103 1.1 MiB
// SUMMARY: FP32 92 1.3 MiB
