// RUN: prec-opt %s --prec-pad-products --split-input-file | FileCheck %s

// Rows of zeros behind a weight are a state of the step; the gradient of the logits is padded once for both products.
// CHECK-LABEL: func.func @init
// CHECK-SAME: -> (tensor<10x512xbf16> {prec_train.param_of = "head.weight", prec_train.path = "head.weight", prec_train.role = #prec_train.role<work_weight>, prec_train.slot = "bf16_zeros"})
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<10x512xbf16>
// CHECK: return %[[Z]]
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1024x512xbf16>
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<1030x512xbf16>
// CHECK-SAME: %[[ZEROS:[a-z0-9]+]]: tensor<10x512xbf16> {{{.*}}prec_train.slot = "bf16_zeros"}
// CHECK: %[[P:.*]] = tensor.concat dim(0) %[[W]], %[[ZEROS]]
// CHECK: %[[L:.*]] = prec_train.matmul %[[X]], %[[P]] {transpose_b} : {{.*}} -> tensor<1024x1040xbf16>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[L]][0, 0] [1024, 1030] [1, 1]
// CHECK: %[[D:.*]] = math.tanh %[[S]]
// CHECK: %[[C:.*]] = tensor.concat dim(1) %[[D]], %{{.*}} -> tensor<1024x1040xbf16>
// CHECK: prec_train.matmul %[[C]], %[[P]] {{.*}} -> tensor<1024x512xbf16>
// CHECK: %[[G:.*]] = prec_train.matmul %[[C]], %[[X]] {{.*}} -> tensor<1040x512xbf16>
// CHECK: tensor.extract_slice %[[G]][0, 0] [1030, 512] [1, 1]
func.func @step(%x: tensor<1024x512xbf16>,
                %w: tensor<1030x512xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "head.weight",
                                           prec_train.param_of = "head.weight", prec_train.slot = "bf16"})
    -> (tensor<1024x512xbf16>, tensor<1030x512xbf16>) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<1024x512xbf16>, tensor<1030x512xbf16>) -> tensor<1024x1030xbf16>
  %d = math.tanh %y : tensor<1024x1030xbf16>
  %dx = prec_train.matmul %d, %w {prec_train.phase = #prec_train.phase<backward>} : (tensor<1024x1030xbf16>, tensor<1030x512xbf16>) -> tensor<1024x512xbf16>
  %dw = prec_train.matmul %d, %x {transpose_a, prec_train.phase = #prec_train.phase<backward>} : (tensor<1024x1030xbf16>, tensor<1024x512xbf16>) -> tensor<1030x512xbf16>
  return %dx, %dw : tensor<1024x512xbf16>, tensor<1030x512xbf16>
}

// -----

// A contracted size that 8 does not divide is padded in both operands, and nothing is cut off.
// CHECK-LABEL: func.func @step
// CHECK-COUNT-2: tensor.concat dim(1)
// CHECK: prec_train.matmul {{.*}} : (tensor<4096x592xbf16>, tensor<512x592xbf16>) -> tensor<4096x512xbf16>
// CHECK-NOT: tensor.extract_slice
func.func @step(%x: tensor<4096x588xbf16>, %w: tensor<512x588xbf16>) -> tensor<4096x512xbf16> attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w {transpose_b} : (tensor<4096x588xbf16>, tensor<512x588xbf16>) -> tensor<4096x512xbf16>
  return %y : tensor<4096x512xbf16>
}

// -----

// Small products, sizes to which much would be added, aligned ones, other formats and rows that are contracted stay.
// CHECK-LABEL: func.func @step
// CHECK-NOT: tensor.concat
func.func @step(%a: tensor<64x512xbf16>, %b: tensor<1030x512xbf16>, %c: tensor<65536x4096xbf16>, %d: tensor<10x4096xbf16>,
                %e: tensor<4096x512xbf16>, %f: tensor<1000x512xbf16>, %g: tensor<1024x512xf32>, %h: tensor<1030x512xf32>,
                %i: tensor<4095x1024xbf16>, %j: tensor<4095x512xbf16>)
    -> (tensor<64x1030xbf16>, tensor<65536x10xbf16>, tensor<4096x1000xbf16>, tensor<1024x1030xf32>, tensor<1024x512xbf16>) attributes {prec.entry = "step"} {
  %0 = prec_train.matmul %a, %b {transpose_b} : (tensor<64x512xbf16>, tensor<1030x512xbf16>) -> tensor<64x1030xbf16>
  %1 = prec_train.matmul %c, %d {transpose_b} : (tensor<65536x4096xbf16>, tensor<10x4096xbf16>) -> tensor<65536x10xbf16>
  %2 = prec_train.matmul %e, %f {transpose_b} : (tensor<4096x512xbf16>, tensor<1000x512xbf16>) -> tensor<4096x1000xbf16>
  %3 = prec_train.matmul %g, %h {transpose_b} : (tensor<1024x512xf32>, tensor<1030x512xf32>) -> tensor<1024x1030xf32>
  %4 = prec_train.matmul %i, %j {transpose_a} : (tensor<4095x1024xbf16>, tensor<4095x512xbf16>) -> tensor<1024x512xbf16>
  return %0, %1, %2, %3, %4 : tensor<64x1030xbf16>, tensor<65536x10xbf16>, tensor<4096x1000xbf16>, tensor<1024x1030xf32>, tensor<1024x512xbf16>
}
