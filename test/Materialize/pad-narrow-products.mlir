// RUN: prec-opt %s --prec-pad-narrow-products --split-input-file | FileCheck %s

// A head of 250 classes in FP8: its weight and the gradient of the logits have zeros behind them, once for the products
// that read them, and results are read as slices. A weight's zeros have no tag.
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<64x64xf32>
// CHECK: %[[W:.*]] = tensor.concat dim(0) %arg1, %{{.*}} : (tensor<250x64xf32>, tensor<6x64xf32>) -> tensor<256x64xf32>
// CHECK: %[[L:.*]] = prec_train.matmul %[[X]], %[[W]] {{.*}} -> tensor<64x256xf32>
// CHECK: tensor.extract_slice %[[L]][0, 0] [64, 250] [1, 1]
// CHECK: %[[D:.*]] = math.tanh
// CHECK: %[[C:.*]] = tensor.concat dim(1) %[[D]], %{{.*}} -> tensor<64x256xf32>
// CHECK: prec_train.matmul %[[C]], %[[W]] {{.*}} -> tensor<64x64xf32>
// CHECK: %[[G:.*]] = prec_train.matmul %[[C]], %[[X]] {{.*}} -> tensor<256x64xf32>
// CHECK: tensor.extract_slice %[[G]][0, 0] [250, 64] [1, 1]
#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#e5m2 = #prec.tag<e5m2, scaling = tensor_current, accumulator = promoted, rule = "r">
#p4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">
func.func @step(%x: tensor<64x64xf32>, %w: tensor<250x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "head.weight"})
    -> (tensor<64x64xf32>, tensor<250x64xf32>) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#e4m3, #e4m3], result_tags = [#bf16]} : (tensor<64x64xf32>, tensor<250x64xf32>) -> tensor<64x250xf32>
  %d = math.tanh %y {result_tags = [#bf16]} : tensor<64x250xf32>
  %dx = prec_train.matmul %d, %w {operand_tags = [#e5m2, #p4m3], result_tags = [#bf16]} : (tensor<64x250xf32>, tensor<250x64xf32>) -> tensor<64x64xf32>
  %dw = prec_train.matmul %d, %x {transpose_a, operand_tags = [#e5m2, #p4m3], result_tags = [#bf16]} : (tensor<64x250xf32>, tensor<64x64xf32>) -> tensor<250x64xf32>
  return %dx, %dw : tensor<64x64xf32>, tensor<250x64xf32>
}

// -----

// Products of 16 bits, sizes that FP8 takes, and those to which much were added stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tensor.concat
#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#bf16 = #prec.tag<bf16, rule = "r">
func.func @others(%x: tensor<64x64xf32>, %a: tensor<250x64xf32>, %b: tensor<256x64xf32>, %c: tensor<30x64xf32>)
    -> (tensor<64x250xf32>, tensor<64x256xf32>, tensor<64x30xf32>) {
  %0 = prec_train.matmul %x, %a {transpose_b, operand_tags = [#bf16, #bf16], result_tags = [#bf16]} : (tensor<64x64xf32>, tensor<250x64xf32>) -> tensor<64x250xf32>
  %1 = prec_train.matmul %x, %b {transpose_b, operand_tags = [#e4m3, #e4m3], result_tags = [#bf16]} : (tensor<64x64xf32>, tensor<256x64xf32>) -> tensor<64x256xf32>
  %2 = prec_train.matmul %x, %c {transpose_b, operand_tags = [#e4m3, #e4m3], result_tags = [#bf16]} : (tensor<64x64xf32>, tensor<30x64xf32>) -> tensor<64x30xf32>
  return %0, %1, %2 : tensor<64x250xf32>, tensor<64x256xf32>, tensor<64x30xf32>
}
