// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=cpu memory-table=true" 2>&1 | FileCheck %s
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_100a" --explain=experts -o /dev/null 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" --explain=experts -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOPPER
// RUN: prec-opt %s --assign-precision="recipe=fp8-block target=cpu" --explain=experts -o /dev/null 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: prec-opt %s --assign-precision="recipe=mxfp8 target=cpu" --explain=experts -o /dev/null 2>&1 | FileCheck %s --check-prefix=MICRO

// Two of four experts for each of 32 tokens: rows and matrices read what dense
// products do; half of the matrices meet a token.

// CHECK: Memory of @step
// CHECK: parameters: 7808, active for a token: 4736
// CHECK: prec_train.grouped_matmul {{.*}}operand_tags = [#prec.tag<e4m3, scaling = tensor_current, accumulator = fast{{.*}}>, #prec.tag<e4m3, scaling = tensor_current, accumulator = fast
// CHECK: prec_train.grouped_matmul {{.*}}operand_tags = [#prec.tag<e5m2, scaling = tensor_current, accumulator = promoted{{.*}}>, #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted
// CHECK: prec_train.grouped_matmul_grad {{.*}}operand_tags = [#prec.tag<e5m2, scaling = tensor_current, accumulator = promoted{{.*}}>, #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted

// GPU: winner: bf16 x bf16 -> bf16
// GPU: beat: {{ *}}e4m3 x e4m3
// GPU-NEXT: because legality: no kernel of sm_100a multiplies groups in fp8 or fp4
// GPU-NEXT: would change with: another target= that has this product: sm_90a, cpu

// HOPPER-COUNT-3: winner: {{e4m3|e5m2}} x e4m3 -> bf16

// Matrices of 48 rows in blocks of 128 would share them.
// BLOCK: beat: {{ *}}e4m3 x e4m3
// BLOCK-NEXT: because legality: 48 rows of an expert are no multiple of 128, so that blocks would be of two experts

// MICRO: beat: {{ *}}e4m3 x e4m3
// MICRO-NEXT: because legality: mx_1x32 is of no grouped product
func.func @step(%x: tensor<32x32xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %router: tensor<4x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "router.weight"},
                %w: tensor<4x48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "experts.weight"},
                %ids: tensor<64xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %e: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ends"},
                %head: tensor<32x48xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "head.weight"},
                %lr: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"}, tensor<32x4xf32>, tensor<64x32xf32>,
        tensor<4x48x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "experts.weight", prec_train.donated_to = 2 : i64}) attributes {prec.entry = "step"} {
  %logits = prec_train.matmul %x, %router {transpose_b} : (tensor<32x32xf32>, tensor<4x32xf32>) -> tensor<32x4xf32>
  %rows = prec_train.gather %x, %ids : (tensor<32x32xf32>, tensor<64xi32>) -> tensor<64x32xf32>
  %y = prec_train.grouped_matmul %rows, %w, %e {transpose_b} : (tensor<64x32xf32>, tensor<4x48x32xf32>, tensor<4xi32>) -> tensor<64x48xf32> loc("experts")
  %z = prec_train.matmul %y, %head {transpose_b} : (tensor<64x48xf32>, tensor<32x48xf32>) -> tensor<64x32xf32>
  %loss = prec_train.reduce sum %z dims [0, 1] : (tensor<64x32xf32>) -> tensor<f32>
  %dy = arith.mulf %y, %y {prec_train.phase = #prec_train.phase<backward>} : tensor<64x48xf32>
  %dx = prec_train.grouped_matmul %dy, %w, %e {prec_train.phase = #prec_train.phase<backward>} : (tensor<64x48xf32>, tensor<4x48x32xf32>, tensor<4xi32>) -> tensor<64x32xf32> loc("experts")
  %dw = prec_train.grouped_matmul_grad %dy, %rows, %e {prec_train.phase = #prec_train.phase<backward>} : (tensor<64x48xf32>, tensor<64x32xf32>, tensor<4xi32>) -> tensor<4x48x32xf32> loc("experts")
  %new = prec_train.sgd %w, %dw, %lr, %lr, %lr, %lr {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<4x48x32xf32>, tensor<4x48x32xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4x48x32xf32>
  return %loss, %logits, %dx, %new : tensor<f32>, tensor<32x4xf32>, tensor<64x32xf32>, tensor<4x48x32xf32>
}
