// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" | FileCheck %s
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a summary=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SUMMARY --allow-empty
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" --explain=conv -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: prec-opt %s --assign-precision="recipe=fp32 target=sm_90a" | FileCheck %s --check-prefix=WIDE
// RUN: prec-opt %s --prec-classify | FileCheck %s --check-prefix=CLASS

// A convolution reads bf16 where other contractions read fp8, and says why.

func.func @step(%x: tensor<2x8x8x16xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<32x3x3x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "conv.weight"},
                %h: tensor<32x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "inner.weight"},
                %o: tensor<16x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "head.weight"})
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"}) attributes {prec.entry = "step"} {
  // CHECK: prec_train.conv
  // CHECK-SAME: operand_tags = [#prec.tag<bf16, rule = "convolution: no target convolves fp8 or fp4: reads bf16">
  // CLASS: prec_train.conv {{.*}}prec.class = #prec.class<convolution>
  // WIDE: prec_train.conv
  // WIDE-SAME: operand_tags = [#prec.tag<f32
  // EXPLAIN: prec_train.conv, convolution, forward, fprop, 128x32x144 (MxNxK)
  // EXPLAIN: operand 0: bf16
  // EXPLAIN: because convolution: no target convolves fp8 or fp4: reads bf16
  // SUMMARY: convolution 1 bf16 -> bf16 read in 16 or 32 bits, summed in FP32: no target convolves FP8
  %y = prec_train.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>,
                               dilations = array<i64: 1, 1>, groups = 1 : i32}
    : (tensor<2x8x8x16xf32>, tensor<32x3x3x16xf32>) -> tensor<2x8x8x32xf32> loc("conv")
  %rows = tensor.collapse_shape %y [[0, 1, 2], [3]] : tensor<2x8x8x32xf32> into tensor<128x32xf32>
  // CHECK: prec_train.matmul
  // CHECK-SAME: operand_tags = [#prec.tag<e4m3
  %z = prec_train.matmul %rows, %h : (tensor<128x32xf32>, tensor<32x16xf32>) -> tensor<128x16xf32>
  %a = math.tanh %z : tensor<128x16xf32>
  %l = prec_train.matmul %a, %o : (tensor<128x16xf32>, tensor<16x16xf32>) -> tensor<128x16xf32>
  %loss = prec_train.reduce sum %l dims [0, 1] : (tensor<128x16xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
