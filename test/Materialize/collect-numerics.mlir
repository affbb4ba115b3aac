// RUN: prec-opt %s --prec-collect-numerics --split-input-file | FileCheck %s

// A copy of the step that returns five numbers more for each quantization and FP8 format, and says which operands it is.

// CHECK-LABEL: func.func @step
// CHECK-NOT: prec.fake_quantize
// CHECK-LABEL: func.func @sample
// CHECK-SAME: tensor<5xf32> {prec_train.path = "numerics/layer/fprop/0", prec_train.role = #prec_train.role<numerics>,
// CHECK-SAME: prec_train.uses = [{direction = "fprop", format = "e4m3", operand = 0 : i64, path = "layer", scaling = "tensor_current"}]}
// CHECK-SAME: tensor<5xf32> {prec_train.path = "numerics/layer/fprop/0/e5m2", prec_train.role = #prec_train.role<numerics>,
// CHECK-SAME: prec_train.uses = [{direction = "fprop", format = "e5m2", operand = 0 : i64, path = "layer", scaling = "tensor_current"}]}
// CHECK-SAME: tensor<5xf32> {prec_train.path = "numerics/layer/dgrad/1", prec_train.role = #prec_train.role<numerics>,
// CHECK-SAME: prec_train.uses = [{direction = "dgrad", format = "e4m3", operand = 1 : i64, path = "layer", scaling = "tensor_current"},
// CHECK-SAME: {direction = "fprop", format = "e4m3", operand = 1 : i64, path = "layer", scaling = "tensor_current"}]}
// CHECK: %[[Q:.*]] = prec.quantize %[[X:.*]], %[[S:.*]] : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
// The other format: 57344 / 448.
// CHECK: arith.constant {{.*}}dense<1.280000e+02>
// CHECK: %[[MORE:.*]] = arith.mulf %[[S]]
// CHECK: %[[S5:.*]] = arith.minimumf %[[MORE]]
// CHECK: prec.fake_quantize %{{.*}}, %[[S5]] for {{ *}}e5m2 {{.*}} : tensor<16x32xf32> to tensor<16x32xf32>
// CHECK: tensor.concat dim(0) {{.*}} -> tensor<5xf32>
// CHECK: %[[W:.*]] = arith.extf %[[X]]
// CHECK: %[[A:.*]] = prec.amax %[[W]]
// CHECK: %[[U:.*]] = prec_train.broadcast
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
func.func @step(%x: tensor<16x32xbf16>, %w: tensor<48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %q: tensor<48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
                %t: tensor<32x48xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3_t"},
                %d: tensor<f32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"},
                %g: tensor<16x48xf8E5M2>)
    -> (tensor<16x48xbf16>, tensor<16x32xbf16>, tensor<48x32xf8E4M3FN> {prec_train.donated_to = 2 : i64, prec_train.role = #prec_train.role<updated>},
        tensor<32x48xf8E4M3FN> {prec_train.donated_to = 3 : i64, prec_train.role = #prec_train.role<updated>}) attributes {prec.entry = "step"} {
  %a = prec.amax %x : tensor<16x32xbf16>
  %s, %f = prec.update_scale %a for e4m3
  %xq = prec.quantize %x, %s : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
  %y = prec.scaled_matmul %xq scale %f, %q scale %d <full> {prec.direction = "fprop"} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xbf16> loc("layer")
  %dx = prec.scaled_matmul %g scale %f, %t scale %d <full> {prec.direction = "dgrad", prec_train.phase = #prec_train.phase<backward>} : (tensor<16x48xf8E5M2>, tensor<32x48xf8E4M3FN>) -> tensor<16x32xbf16> loc("layer")
  %aw = prec.amax %w : tensor<48x32xf32>
  %sw, %fw = prec.update_scale %aw for e4m3
  %new = prec.quantize %w, %sw {prec_train.phase = #prec_train.phase<optimizer>} : tensor<48x32xf32> to tensor<48x32xf8E4M3FN>
  %newt = prec_train.transpose %new permutation [1, 0] : (tensor<48x32xf8E4M3FN>) -> tensor<32x48xf8E4M3FN>
  return %y, %dx, %new, %newt : tensor<16x48xbf16>, tensor<16x32xbf16>, tensor<48x32xf8E4M3FN>, tensor<32x48xf8E4M3FN>
}

// -----

// A wgrad, with scales of rows.

// CHECK-LABEL: func.func @sample
// CHECK-SAME: prec_train.uses = [{direction = "wgrad", format = "e5m2", operand = 0 : i64, path = "layer", scaling = "row"}]
func.func @step(%g: tensor<16x32xbf16>, %x: tensor<48x32xf8E4M3FN>, %d: tensor<48xf32>, %m: tensor<16x48xf32>)
    -> tensor<16x48xf32> attributes {prec.entry = "step"} {
  %a = prec.amax %g : tensor<16x32xbf16> by row tensor<16xf32>
  %s, %f = prec.update_scale %a for e5m2 by row tensor<16xf32>
  %q = prec.quantize %g, %s : tensor<16x32xbf16> to tensor<16x32xf8E5M2> by row tensor<16xf32>
  %y = prec.scaled_matmul %q scale %f, %x scale %d <full> {prec.direction = "wgrad", prec_train.phase = #prec_train.phase<backward>} : (tensor<16x32xf8E5M2>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xbf16> by row tensor<16xf32>, row tensor<48xf32> loc("layer")
  %w = arith.extf %y {prec_train.phase = #prec_train.phase<backward>} : tensor<16x48xbf16> to tensor<16x48xf32>
  %u = arith.addf %w, %m {prec_train.phase = #prec_train.phase<optimizer>} : tensor<16x48xf32>
  return %u : tensor<16x48xf32>
}

// -----

// Two products of one module, as those of experts: operands of one name.

// CHECK-LABEL: func.func @sample
// CHECK-SAME: prec_train.path = "numerics/layer/fprop/0"
// CHECK-SAME: prec_train.path = "numerics/layer/fprop/0/e5m2"
// CHECK-SAME: prec_train.path = "numerics/layer/fprop/0:2"
// CHECK-SAME: prec_train.path = "numerics/layer/fprop/0/e5m2:2"
func.func @step(%x: tensor<16x32xbf16>, %g: tensor<16x32xbf16>, %w: tensor<48x32xf8E4M3FN>, %s: tensor<f32>)
    -> (tensor<16x48xbf16>, tensor<16x48xbf16>) attributes {prec.entry = "step"} {
  %xq = prec.quantize %x, %s : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
  %gq = prec.quantize %g, %s : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
  %y = prec.scaled_matmul %xq scale %s, %w scale %s <full> {prec.direction = "fprop"} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xbf16> loc("layer")
  %z = prec.scaled_matmul %gq scale %s, %w scale %s <full> {prec.direction = "fprop"} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xbf16> loc("layer")
  return %y, %z : tensor<16x48xbf16>, tensor<16x48xbf16>
}

// -----

// A parameter before its update, its scaled gradient, and what the update means to add; of none that something else updates.

// CHECK-LABEL: func.func @step
// CHECK-NOT: prec.amax
// CHECK-LABEL: func.func @sample
// CHECK-SAME: %[[W:[^:]*]]: tensor<4x8xbf16>
// CHECK-SAME: (tensor<4x8xbf16> {prec_train.donated_to = 0 : i64, {{[^}]*}}}, tensor<8xf32> {prec_train.donated_to = 1 : i64, {{[^}]*}}},
// CHECK-SAME: tensor<6xf32> {prec_train.param_of = "w", prec_train.path = "numerics/w", prec_train.role = #prec_train.role<numerics>}) attributes {prec.entry = "sample"} {
// CHECK: %[[WIDE:.*]] = arith.extf %[[W]]
// CHECK: %[[A:.*]] = prec.amax %[[WIDE]]
// CHECK: %[[ATLEAST:.*]] = arith.maximumf %[[A]]
// CHECK: %[[UNIT:.*]] = prec_train.broadcast %[[ATLEAST]]
// CHECK: %[[R:.*]] = arith.divf %[[WIDE]], %[[UNIT]]
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[R]], %[[R]]
// CHECK: %[[ROWS:.*]] = prec_train.reduce sum %[[SQUARE]] dims [1]
// CHECK: %[[SUM:.*]] = prec_train.reduce sum %[[ROWS]] dims [0]
// CHECK: %[[COUNT:.*]] = arith.constant {{.*}}dense<3.200000e+01>
// CHECK: %[[MEAN:.*]] = arith.divf %[[SUM]], %[[COUNT]]
// CHECK: %[[S:.*]] = prec_train.broadcast %arg6
// CHECK: %[[G:.*]] = arith.mulf %arg2, %[[S]]
// CHECK: prec.amax %[[G]]
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %[[U:.*]] = prec_train.adamw %[[W]], %arg2
// CHECK: prec.amax %[[U]]
// CHECK: tensor.concat dim(0) {{.*}} -> tensor<6xf32>
func.func @step(%w: tensor<4x8xbf16> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %b: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "b"},
                %g: tensor<4x8xf32>, %m: tensor<4x8xf32>, %n: tensor<8xf32>, %s: tensor<f32>, %scale: tensor<f32>)
    -> (tensor<4x8xbf16> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64},
        tensor<8xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %p:3 = prec_train.adamw %w, %g, %m, %m, %s, %s, %s, %s, %s, %s, %scale : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>)
  %q = arith.subf %b, %n : tensor<8xf32>
  return %p#0, %q : tensor<4x8xbf16>, tensor<8xf32>
}
