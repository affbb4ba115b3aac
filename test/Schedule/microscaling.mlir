// RUN: prec-opt %examples/llama_tiny.mlir --raise-composites --assign-precision="recipe=mxfp8 target=cpu" --split-weights --insert-casts --verify-materialized --decompose --form-dispatches --plan-memory --verify-schedule | FileCheck %s
// RUN: prec-opt %examples/llama_tiny.mlir --raise-composites --assign-precision="recipe=nvfp4 target=cpu" --split-weights --insert-casts --verify-materialized --decompose --form-dispatches --plan-memory --verify-schedule | FileCheck %s --check-prefix=FP4

// The whole step: blocks are scaled and rounded in kernels, the products read
// factors in e8m0, or packed data with factors in e4m3 and two of tensors.
// Nothing unpacked is stored.

// CHECK-LABEL: func.func @step(
// CHECK-NOT: prec.amax
// CHECK-NOT: prec.block_scale
// CHECK: train.reduce max {{.*}} dims [2] : (tensor<64x2x32xf32>) -> tensor<64x2xf32>
// CHECK: sched.gemm {{.*}} <full> {{.*}} : (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<1x1x32x16xf8E8M0FNU>, tensor<1x1x32x16xf8E8M0FNU>) -> tensor<64x64xbf16>

// FP4-LABEL: func.func @step(
// FP4-NOT: prec.block_scale
// FP4-NOT: sched.yield {{.*}}xf4E2M1FN
// FP4: sched.gemm {{.*}} tensor_scales({{.*}}) <full> {{.*}} : (tensor<64x32xi8>, tensor<64x32xi8>, tensor<1x1x32x16xf8E4M3FN>, tensor<1x1x32x16xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<64x64xbf16>
