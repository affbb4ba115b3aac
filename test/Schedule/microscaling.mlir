// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=mxfp8 target=cpu" --prec-split-weights --prec-insert-casts --prec-verify-materialized --prec-decompose --prec-form-dispatches --prec-plan-memory --prec-verify-schedule | FileCheck %s
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision="recipe=nvfp4 target=cpu" --prec-split-weights --prec-insert-casts --prec-verify-materialized --prec-decompose --prec-form-dispatches --prec-plan-memory --prec-verify-schedule | FileCheck %s --check-prefix=FP4

// The whole step: blocks are scaled and rounded in kernels, the products read
// inverse scales in e8m0, or packed data with inverse scales in e4m3 and two of tensors.
// Nothing unpacked is stored.

// CHECK-LABEL: func.func @step(
// CHECK-NOT: prec.amax
// CHECK-NOT: prec.block_scale
// CHECK: prec_train.reduce max {{.*}} dims [2] : (tensor<64x2x32xf32>) -> tensor<64x2xf32>
// CHECK: prec_sched.gemm {{.*}} <full> {{.*}} : (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<1x1x32x16xf8E8M0FNU>, tensor<1x1x32x16xf8E8M0FNU>) -> tensor<64x64xbf16>

// FP4-LABEL: func.func @step(
// FP4-NOT: prec.block_scale
// FP4-NOT: prec_sched.yield {{.*}}xf4E2M1FN
// FP4: prec_sched.gemm {{.*}} tensor_scales({{.*}}) <full> {{.*}} : (tensor<64x32xi8>, tensor<64x32xi8>, tensor<1x1x32x16xf8E4M3FN>, tensor<1x1x32x16xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<64x64xbf16>
