// RUN: prec-opt %s -split-input-file -verify-diagnostics --assign-precision="recipe=fp8-hybrid target=sm_90a" --verify-precision | FileCheck %s

// expected-warning @+1 {{2 contractions of shape (MxNxK) 30x32x64, 30x16x32 read bf16: M = 30 is not a multiple of 16, as FP8 on sm_90a needs}}
func.func @rows(%x: tensor<30x64xf32>, %w: tensor<64x32xf32>, %v: tensor<32x16xf32>) -> tensor<30x16xf32> {
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<bf16, rule = "fp8-hybrid fprop would read e4m3 x e4m3, but M = 30 is not a multiple of 16, as FP8 on sm_90a needs: reads bf16">
  %y = prec_train.matmul %x, %w : (tensor<30x64xf32>, tensor<64x32xf32>) -> tensor<30x32xf32>
  %z = prec_train.matmul %y, %v : (tensor<30x32xf32>, tensor<32x16xf32>) -> tensor<30x16xf32>
  return %z : tensor<30x16xf32>
}

// -----

// expected-warning @+1 {{1 contraction of shape (MxNxK) 32x24x64 reads bf16: N = 24 is not a multiple of 16, as FP8 on sm_90a needs}}
func.func @columns(%x: tensor<32x64xf32>, %w: tensor<64x24xf32>) -> tensor<32x24xf32> {
  %y = prec_train.matmul %x, %w : (tensor<32x64xf32>, tensor<64x24xf32>) -> tensor<32x24xf32>
  return %y : tensor<32x24xf32>
}

// -----

// expected-warning @+1 {{1 contraction of shape (MxNxK) 32x16x40 reads bf16: K = 40 is not a multiple of 16}}
func.func @depth(%x: tensor<32x40xf32>, %w: tensor<40x16xf32>) -> tensor<32x16xf32> {
  %y = prec_train.matmul %x, %w : (tensor<32x40xf32>, tensor<40x16xf32>) -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// -----

// expected-warning @+1 {{1 contraction of shape (MxNxK) 4x32x16x64 reads bf16: FP8 has no batched product (batch 4)}}
func.func @batch(%x: tensor<4x32x64xf32>, %w: tensor<4x64x16xf32>) -> tensor<4x32x16xf32> {
  %y = prec_train.matmul %x, %w : (tensor<4x32x64xf32>, tensor<4x64x16xf32>) -> tensor<4x32x16xf32>
  return %y : tensor<4x32x16xf32>
}

// -----

// expected-warning @+1 {{reads bf16: FP8 needs positive sizes known at compile time}}
func.func @dynamic(%x: tensor<?x64xf32>, %w: tensor<64x16xf32>, %o: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// Legal: no warning.
func.func @legal(%x: tensor<32x64xf32>, %w: tensor<64x16xf32>) -> tensor<32x16xf32> {
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<e4m3,
  %y = prec_train.matmul %x, %w : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// -----

// expected-warning @+1 {{reads bf16: FP8 has matrix products only}}
func.func @convolution(%x: tensor<1x16x16x16xf32>, %w: tensor<3x3x16x32xf32>, %o: tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x16x16x16xf32>, tensor<3x3x16x32xf32>) outs(%o : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  return %y : tensor<1x14x14x32xf32>
}

// -----

// Integers have no precision to decide.
func.func @integers(%x: tensor<4x4xi32>, %o: tensor<4x4xi32>) -> tensor<4x4xi32> {
  // CHECK: linalg.matmul ins
  %y = linalg.matmul ins(%x, %x : tensor<4x4xi32>, tensor<4x4xi32>) outs(%o : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %y : tensor<4x4xi32>
}
