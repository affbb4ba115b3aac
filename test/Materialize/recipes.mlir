// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision=recipe=fp8-hybrid --prec-split-weights --prec-insert-casts --prec-verify-materialized | FileCheck %s
// RUN: prec-opt %examples/gpt2_tiny.mlir --prec-raise-composites --assign-precision=recipe=fp8-hybrid --prec-split-weights --prec-insert-casts --prec-verify-materialized | FileCheck %s --check-prefix=GPT2
// RUN: prec-opt %examples/llama_tiny.mlir --prec-raise-composites --assign-precision=recipe=fp32 --prec-split-weights --prec-insert-casts --prec-verify-materialized | FileCheck %s --check-prefix=FP32

// The first layer of Llama: Q, K and V read one quantized input; the residual
// and the norms stay bf16.

// CHECK-LABEL: func.func @init(
// CHECK-LABEL: func.func @step(
// CHECK: %[[X:.*]] = prec_train.embedding {{.*}} -> tensor<2x32x64xbf16>
// CHECK: %[[N:.*]], %{{.*}} = prec_train.rms_norm %[[X]], %{{.*}} : (tensor<2x32x64xbf16>, tensor<64xbf16>) -> (tensor<2x32x64xbf16>, tensor<2x32xf32>)
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[N]]
// CHECK: %[[Q:.*]] = prec.quantize %[[C]]
// CHECK-COUNT-3: prec.scaled_matmul %[[Q]] scale
// CHECK-NOT: prec.scaled_matmul %[[Q]] scale
// CHECK: prec_train.attention {{.*}}bf16
// CHECK: prec_train.matmul {{.*}} : (tensor<64x64xbf16>, tensor<256x64xbf16>) -> tensor<64x256xbf16>
// CHECK: prec_train.cross_entropy {{.*}} : (tensor<64x256xbf16>, tensor<64xi32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>)

// GPT-2 keeps its weights [in, out]: the forward reads the transposed copy.

// GPT2-LABEL: func.func @step(
// GPT2-SAME: %[[WT:[a-z0-9]+]]: tensor<192x64xf8E4M3FN> {prec_train.param_of = "transformer.h.0.attn.c_attn.weight", {{[^}]*}}prec_train.slot = "e4m3_t"}
// GPT2: prec.scaled_matmul %{{.*}}, %[[WT]] scale {{.*}} : (tensor<64x64xf8E4M3FN>, tensor<192x64xf8E4M3FN>) -> tensor<64x192xbf16>

// FP32-NOT: bf16
// FP32-NOT: f8E
// FP32-NOT: @init
// FP32: func.func @step(
// FP32-NOT: bf16
// FP32-NOT: f8E
// FP32: return
