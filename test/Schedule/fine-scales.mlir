// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-rowwise target=cpu" --prec-split-weights --prec-insert-casts --prec-verify-materialized --prec-decompose --prec-form-dispatches --prec-plan-memory --prec-verify-schedule | FileCheck %s
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=fp8-block target=cpu" --prec-split-weights --prec-insert-casts --prec-verify-materialized --prec-decompose --prec-form-dispatches --prec-plan-memory --prec-verify-schedule | FileCheck %s --check-prefix=BLOCK

// The whole step by rows and by blocks: amaxes, scales and roundings are in
// kernels, the products have inverse scales of every row, or of blocks of the 176 k
// of the last one. Rows are scaled where their norm is computed.

// CHECK-LABEL: func.func @step(
// CHECK: prec_sched.dispatch <row>
// CHECK: prec_train.reduce sum
// CHECK: prec_train.reduce max {{.*}} dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
// CHECK: prec.quantize {{.*}} to tensor<64x64xf8E4M3FN>
// CHECK: prec_sched.gemm {{.*}} <fast> {{.*}} : (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x64xbf16>
// CHECK-NOT: prec.amax
// CHECK-NOT: prec.update_scale
// CHECK: prec_sched.gemm {{.*}} <promoted> {{.*}} : (tensor<176x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<176xf32>, tensor<64xf32>) -> tensor<176x64xbf16>

// BLOCK-LABEL: func.func @step(
// BLOCK-NOT: prec.amax
// BLOCK-NOT: prec.update_scale
// BLOCK: prec_sched.gemm {{.*}} <promoted> {{.*}} : (tensor<64x176xf8E4M3FN>, tensor<64x176xf8E4M3FN>, tensor<2x64xf32>, tensor<1x1x4xf32>) -> tensor<64x64xbf16>
