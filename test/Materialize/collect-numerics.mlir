// RUN: prec-opt %s --collect-numerics --split-input-file | FileCheck %s

// A copy of the step that returns five numbers more for each quantisation, and says which operands it is.

// CHECK-LABEL: func.func @step
// CHECK-NOT: prec.fake_quantize
// CHECK-LABEL: func.func @sample
// CHECK-SAME: tensor<5xf32> {train.path = "numerics/layer/fprop/0", train.role = #train.role<numerics>,
// CHECK-SAME: train.uses = [{direction = "fprop", format = "e4m3", operand = 0 : i64, path = "layer", scaling = "tensor_current"}]}
// CHECK-SAME: tensor<5xf32> {train.path = "numerics/layer/dgrad/1", train.role = #train.role<numerics>,
// CHECK-SAME: train.uses = [{direction = "dgrad", format = "e4m3", operand = 1 : i64, path = "layer", scaling = "tensor_current"},
// CHECK-SAME: {direction = "fprop", format = "e4m3", operand = 1 : i64, path = "layer", scaling = "tensor_current"}]}
// CHECK: %[[Q:.*]] = prec.quantize %[[X:.*]], %[[S:.*]] : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
// CHECK: %[[W:.*]] = arith.extf %[[X]]
// CHECK: %[[A:.*]] = prec.amax %[[W]]
// CHECK: %[[U:.*]] = train.broadcast
// CHECK: %[[F:.*]] = prec.fake_quantize %[[W]], %[[S]] for {{ *}}e4m3 {{.*}} : tensor<16x32xf32> to tensor<16x32xf32>
// CHECK: %[[R:.*]] = arith.divf %[[W]], %[[U]]
// CHECK: %[[D:.*]] = arith.subf %[[W]], %[[F]]
// CHECK: %[[E:.*]] = arith.divf %[[D]], %[[U]]
// The largest value that a scale has room for.
// CHECK: %[[HUGE:.*]] = arith.constant {{.*}}dense<3.40282347E+38>
// CHECK: %[[TOP:.*]] = prec.fake_quantize %[[HUGE]], %[[S]]
// 464 / 448
// CHECK: arith.constant {{.*}}dense<1.03571427>
// CHECK: %[[LIMIT:.*]] = arith.mulf %[[TOP]]
// CHECK: %[[ZERO:.*]] = arith.cmpf oeq, %[[F]]
// CHECK: arith.cmpf une, %[[W]]
// CHECK: %[[ABS:.*]] = math.absf %[[W]]
// CHECK: arith.cmpf ogt, %[[ABS]], %[[LIMIT]]
// CHECK: tensor.concat dim(0) {{.*}} -> tensor<5xf32>
// CHECK: prec.scaled_matmul %[[Q]]
func.func @step(%x: tensor<16x32xbf16>, %w: tensor<48x32xf32> {train.role = #train.role<parameter>, train.path = "w"},
                %q: tensor<48x32xf8E4M3FN> {train.role = #train.role<work_weight>, train.param_of = "w", train.slot = "e4m3"},
                %t: tensor<32x48xf8E4M3FN> {train.role = #train.role<work_weight>, train.param_of = "w", train.slot = "e4m3_t"},
                %d: tensor<f32> {train.role = #train.role<scale_state>, train.param_of = "w", train.slot = "e4m3_scale"},
                %g: tensor<16x48xf8E5M2>)
    -> (tensor<16x48xbf16>, tensor<16x32xbf16>, tensor<48x32xf8E4M3FN> {train.donated_to = 2 : i64, train.role = #train.role<updated>},
        tensor<32x48xf8E4M3FN> {train.donated_to = 3 : i64, train.role = #train.role<updated>}) {
  %a = prec.amax %x : tensor<16x32xbf16>
  %s, %f = prec.update_scale %a for e4m3
  %xq = prec.quantize %x, %s : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
  %y = prec.scaled_matmul %xq scale %f, %q scale %d <full> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xbf16> loc("layer")
  %dx = prec.scaled_matmul %g scale %f, %t scale %d <full> {train.phase = #train.phase<backward>} : (tensor<16x48xf8E5M2>, tensor<32x48xf8E4M3FN>) -> tensor<16x32xbf16> loc("layer")
  %aw = prec.amax %w : tensor<48x32xf32>
  %sw, %fw = prec.update_scale %aw for e4m3
  %new = prec.quantize %w, %sw {train.phase = #train.phase<optimizer>} : tensor<48x32xf32> to tensor<48x32xf8E4M3FN>
  %newt = train.transpose %new permutation [1, 0] : (tensor<48x32xf8E4M3FN>) -> tensor<32x48xf8E4M3FN>
  return %y, %dx, %new, %newt : tensor<16x48xbf16>, tensor<16x32xbf16>, tensor<48x32xf8E4M3FN>, tensor<32x48xf8E4M3FN>
}

// -----

// A product of a gradient and an activation that an update reads is a wgrad; scales of rows are told by their shape.

// CHECK-LABEL: func.func @sample
// CHECK-SAME: train.uses = [{direction = "wgrad", format = "e5m2", operand = 0 : i64, path = "layer", scaling = "row"}]
func.func @step(%g: tensor<16x32xbf16>, %x: tensor<48x32xf8E4M3FN>, %d: tensor<48xf32>, %m: tensor<16x48xf32>)
    -> tensor<16x48xf32> {
  %a = prec.amax %g : tensor<16x32xbf16> by tensor<16xf32>
  %s, %f = prec.update_scale %a for e5m2 by tensor<16xf32>
  %q = prec.quantize %g, %s : tensor<16x32xbf16> to tensor<16x32xf8E5M2> by tensor<16xf32>
  %y = prec.scaled_matmul %q scale %f, %x scale %d <full> {train.phase = #train.phase<backward>} : (tensor<16x32xf8E5M2>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xbf16> by tensor<16xf32>, tensor<48xf32> loc("layer")
  %w = arith.extf %y {train.phase = #train.phase<backward>} : tensor<16x48xbf16> to tensor<16x48xf32>
  %u = arith.addf %w, %m {train.phase = #train.phase<optimizer>} : tensor<16x48xf32>
  return %u : tensor<16x48xf32>
}
