// RUN: prec-opt %s --prec-agree-ranks=mesh=tp=2 | FileCheck %s

module attributes {prec_train.mesh = {tp = 2 : i64}} {
// Rows are quantized where they are, and gathered as bytes, once for two products. The largest amax of all ranks makes the
// scale of current scaling.
// CHECK-LABEL: func.func @step(
// CHECK: %[[ROWS:.*]] = prec_train.exchange own_slice
// CHECK: %[[OWN:.*]] = prec.amax %[[ROWS]] : tensor<2x8xbf16>
// CHECK: %[[BOTH:.*]] = prec_train.exchange all_gather %[[OWN]] over "tp" {{.*}}: (tensor<f32>) -> tensor<2xf32>
// CHECK: %[[MOST:.*]] = prec_train.reduce max %[[BOTH]] dims [0] : (tensor<2xf32>) -> tensor<f32>
// CHECK: %[[S:.*]], %{{.*}} = prec.update_scale %[[MOST]] for e4m3
// CHECK: %[[Q:.*]] = prec.quantize %[[ROWS]], %[[S]] : tensor<2x8xbf16> to tensor<2x8xf8E4M3FN>
// CHECK: %[[G:.*]] = prec_train.exchange all_gather %[[Q]] over "tp" {{.*}}: (tensor<2x8xf8E4M3FN>) -> tensor<2x2x8xf8E4M3FN>
// CHECK: %[[W:.*]] = tensor.collapse_shape %[[G]] {{\[}}[0, 1], [2]] : tensor<2x2x8xf8E4M3FN> into tensor<4x8xf8E4M3FN>
// CHECK: prec.dequantize %[[W]]
// CHECK-NOT: tensor<2x2x8xbf16>
// What is read in BF16, too, is sent in that; so is what has scales of rows.
// CHECK: prec_train.exchange all_gather %[[ROWS]] over "tp" {mixed, {{.*}}} : (tensor<2x8xbf16>) -> tensor<2x2x8xbf16>
// CHECK: prec_train.exchange all_gather %[[ROWS]] over "tp" {{[{].*}}rows} : (tensor<2x8xbf16>) -> tensor<2x2x8xbf16>
func.func @step(%x: tensor<2x2x8xbf16> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<4x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"})
    -> (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xf8E4M3FN>) attributes {prec.entry = "step"} {
  %rows = prec_train.exchange own_slice %x over "tp" : (tensor<2x2x8xbf16>) -> tensor<2x8xbf16>
  %g = prec_train.exchange all_gather %rows over "tp" : (tensor<2x8xbf16>) -> tensor<2x2x8xbf16>
  %c = tensor.collapse_shape %g [[0, 1], [2]] : tensor<2x2x8xbf16> into tensor<4x8xbf16>
  %m = prec.amax %c : tensor<4x8xbf16>
  %s, %i = prec.update_scale %m for e4m3
  %q = prec.quantize %c, %s : tensor<4x8xbf16> to tensor<4x8xf8E4M3FN>
  %a = prec.dequantize %q, %i : tensor<4x8xf8E4M3FN> to tensor<4x8xbf16>
  %g1 = prec_train.exchange all_gather %rows over "tp" {mixed} : (tensor<2x8xbf16>) -> tensor<2x2x8xbf16>
  %c1 = tensor.collapse_shape %g1 [[0, 1], [2]] : tensor<2x2x8xbf16> into tensor<4x8xbf16>
  %q1 = prec.quantize %c1, %s : tensor<4x8xbf16> to tensor<4x8xf8E4M3FN>
  %b = prec.dequantize %q1, %i : tensor<4x8xf8E4M3FN> to tensor<4x8xbf16>
  %g2 = prec_train.exchange all_gather %rows over "tp" {rows} : (tensor<2x8xbf16>) -> tensor<2x2x8xbf16>
  %c2 = tensor.collapse_shape %g2 [[0, 1], [2]] : tensor<2x2x8xbf16> into tensor<4x8xbf16>
  %m2 = prec.amax %c2 : tensor<4x8xbf16> by row tensor<4xf32>
  %s2, %i2 = prec.update_scale %m2 for e4m3 by row tensor<4xf32>
  %q2 = prec.quantize %c2, %s2 : tensor<4x8xbf16> to tensor<4x8xf8E4M3FN> by row tensor<4xf32>
  return %a, %b, %c1, %q2 : tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xf8E4M3FN>
}
}
