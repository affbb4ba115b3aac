// RUN: prec-opt %s --switch-precision --split-input-file | FileCheck %s

// Either operand of a product is as it is or as its quantization leaves it; of a work weight as the master is or as the copy is.

// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[X:[^:]*]]: tensor<16x32xbf16>
// CHECK-SAME: %[[W:[^:]*]]: tensor<32x48xf32>
// CHECK-SAME: %[[COPY:[^:]*]]: tensor<48x32xf8E4M3FN>
// CHECK-SAME: %[[SCALE_INV:[^:]*]]: tensor<f32>
// CHECK-SAME: %[[SWITCHES:[^:]*]]: tensor<2xf32> {prec_train.path = "switches", prec_train.role = #prec_train.role<switches>, prec_train.tensors = ["layer/fprop/0", "layer/fprop/1"]}
// CHECK: %[[A:.*]] = prec.amax %[[X]]
// CHECK: %[[S:.*]], %{{.*}} = prec.update_scale %[[A]]
// CHECK-NOT: prec.quantize
// CHECK: %[[HIGH:.*]] = arith.extf %[[X]]
// CHECK: %[[LOW:.*]] = prec.fake_quantize %[[HIGH]], %[[S]] for {{ *}}e4m3
// CHECK: %[[MASTER:.*]] = prec_train.transpose %[[W]]
// CHECK: %[[STORED:.*]] = prec.dequantize %[[COPY]], %[[SCALE_INV]]
// CHECK: tensor.extract_slice %[[SWITCHES]][0] [1] [1]
// CHECK: arith.cmpf ogt
// CHECK: %[[L:.*]] = arith.select %{{.*}}, %[[HIGH]], %[[LOW]]
// CHECK: tensor.extract_slice %[[SWITCHES]][1] [1] [1]
// CHECK: %[[R:.*]] = arith.select %{{.*}}, %[[MASTER]], %[[STORED]]
// CHECK: %[[P:.*]] = prec_train.matmul %[[L]], %[[R]] {transpose_b} : (tensor<16x32xf32>, tensor<48x32xf32>) -> tensor<16x48xf32>
// CHECK: arith.truncf %[[P]]
func.func @step(%x: tensor<16x32xbf16>, %w: tensor<32x48xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %q: tensor<48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "e4m3_t"},
                %d: tensor<f32> {prec_train.role = #prec_train.role<scale_state>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "e4m3_scale"})
    -> tensor<16x48xbf16> attributes {prec.entry = "step"} {
  %a = prec.amax %x : tensor<16x32xbf16>
  %s, %f = prec.update_scale %a for e4m3
  %xq = prec.quantize %x, %s : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
  %y = prec.scaled_matmul %xq scale %f, %q scale %d <full> {prec.direction = "fprop"} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xbf16> loc("layer")
  return %y : tensor<16x48xbf16>
}
