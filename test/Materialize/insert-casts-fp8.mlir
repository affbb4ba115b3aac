// RUN: prec-opt %s --prec-insert-casts --prec-verify-materialized --split-input-file | FileCheck %s

#bf16 = #prec.tag<bf16, rule = "r">
#fwd = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#sav = #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "r">
#grad = #prec.tag<e5m2, scaling = tensor_current, accumulator = promoted, rule = "r">

// Q and K share one quantized input, whatever reshape they read it through;
// the transposed copy for the weight gradients lies beside it. dY is quantized
// once for both of its products.

// CHECK-LABEL: func.func @shared(
// CHECK: %[[N:.*]], %{{.*}} = prec_train.rms_norm
// CHECK-NEXT: %[[C:.*]] = tensor.collapse_shape %[[N]]
// CHECK-NEXT: %[[A:.*]] = prec.amax %[[C]] : tensor<16x32xbf16>
// CHECK-NEXT: %[[S:.*]], %[[D:.*]] = prec.update_scale %[[A]] for {{ *}}e4m3
// CHECK-NEXT: %[[Q:.*]] = prec.quantize %[[C]], %[[S]] : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN>
// CHECK-NEXT: %[[T:.*]] = prec_train.transpose %[[Q]] permutation [1, 0] : (tensor<16x32xf8E4M3FN>) -> tensor<32x16xf8E4M3FN>
// CHECK-NEXT: prec.scaled_matmul %[[Q]] scale %[[D]], %{{.*}} scale %{{.*}} <fast> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xbf16>
// CHECK-NOT: prec.quantize
// CHECK: prec.scaled_matmul %[[Q]] scale %[[D]], %{{.*}} scale %{{.*}} <fast> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xbf16>
// CHECK: %[[GA:.*]] = prec.amax %[[G:.*]] {prec_train.phase = #prec_train.phase<backward>} : tensor<16x48xbf16>
// CHECK-NEXT: %[[GS:.*]], %[[GD:.*]] = prec.update_scale %[[GA]] for {{ *}}e5m2
// CHECK-NEXT: %[[GQ:.*]] = prec.quantize %[[G]], %[[GS]] {{.*}} to tensor<16x48xf8E5M2>
// CHECK-NEXT: %[[GT:.*]] = prec_train.transpose %[[GQ]] permutation [1, 0]
// CHECK-NEXT: prec.scaled_matmul %[[GQ]] scale %[[GD]], %{{.*}} <promoted> {{.*}}: (tensor<16x48xf8E5M2>, tensor<32x48xf8E4M3FN>) -> tensor<16x32xbf16>
// CHECK-NEXT: prec.scaled_matmul %[[GT]] scale %[[GD]], %[[T]] scale %[[D]] <promoted> {{.*}}: (tensor<48x16xf8E5M2>, tensor<32x16xf8E4M3FN>) -> tensor<48x32xbf16>
// CHECK-NOT: prec.quantize
// CHECK-NOT: prec_train.transpose
func.func @shared(%x: tensor<2x8x32xf32>, %g: tensor<32xf32>,
                  %wq: tensor<48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "q", prec_train.slot = "e4m3"},
                  %wk: tensor<48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "k", prec_train.slot = "e4m3"},
                  %wqt: tensor<32x48xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "q", prec_train.slot = "e4m3_t"},
                  %sq: tensor<f32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "q", prec_train.slot = "e4m3_scale"},
                  %sk: tensor<f32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "k", prec_train.slot = "e4m3_scale"})
    -> (tensor<16x32xf32>, tensor<48x32xf32>) {
  %n:2 = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32, result_tags = [#bf16, unit]} : (tensor<2x8x32xf32>, tensor<32xf32>) -> (tensor<2x8x32xf32>, tensor<2x8xf32>)
  %c = tensor.collapse_shape %n#0 [[0, 1], [2]] {prec.result_tags = [#bf16]} : tensor<2x8x32xf32> into tensor<16x32xf32>
  %q = prec_train.matmul %c, %wq {transpose_b, result_tags = [#bf16], operand_tags = [#fwd, #fwd]} : (tensor<16x32xf32>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xf32>
  %c1 = tensor.collapse_shape %n#0 [[0, 1], [2]] {prec.result_tags = [#bf16]} : tensor<2x8x32xf32> into tensor<16x32xf32>
  %k = prec_train.matmul %c1, %wk {transpose_b, result_tags = [#bf16], operand_tags = [#fwd, #fwd]} : (tensor<16x32xf32>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xf32>
  %dy = arith.mulf %q, %k {prec.result_tags = [#bf16], prec_train.phase = #prec_train.phase<backward>} : tensor<16x48xf32>
  %dx = prec_train.matmul %dy, %wqt {transpose_b, result_tags = [#bf16], operand_tags = [#grad, #sav], prec_train.phase = #prec_train.phase<backward>} : (tensor<16x48xf32>, tensor<32x48xf8E4M3FN>) -> tensor<16x32xf32>
  %dw = prec_train.matmul %dy, %c1 {transpose_a, result_tags = [#bf16], operand_tags = [#grad, #sav], prec_train.phase = #prec_train.phase<backward>} : (tensor<16x48xf32>, tensor<16x32xf32>) -> tensor<48x32xf32>
  return %dx, %dw : tensor<16x32xf32>, tensor<48x32xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = full, rule = "r">
#e5m2 = #prec.tag<e5m2, scaling = tensor_current, accumulator = full, rule = "r">

// One scale a value and format: two reshapes of other sizes quantize twice with
// the same scale, two formats have two scales. A f32 value is scaled as it is stored.

// CHECK-LABEL: func.func @scales(
// CHECK-SAME: %[[X:.*]]: tensor<16x32xf32>, %[[B:.*]]: tensor<32x32xf32>)
// CHECK: %[[A:.*]] = prec.amax %[[X]] : tensor<16x32xf32>
// CHECK: %[[S:.*]], %[[D:.*]] = prec.update_scale %[[A]] for {{ *}}e4m3
// CHECK: prec.quantize %[[X]], %[[S]] : tensor<16x32xf32> to tensor<16x32xf8E4M3FN>
// CHECK: %[[AB:.*]] = prec.amax %[[B]]
// CHECK: prec.update_scale %[[AB]] for {{ *}}e4m3
// CHECK: prec.quantize %[[B]]
// CHECK: prec_train.transpose
// CHECK: prec.scaled_matmul {{.*}} <full> {{.*}} -> tensor<16x32xf32>
// CHECK: %[[V:.*]] = tensor.expand_shape
// CHECK: prec.quantize %[[V]], %[[S]] : tensor<4x128xf32> to tensor<4x128xf8E4M3FN>
// CHECK-NOT: prec.amax
// CHECK: %[[S5:.*]], %{{.*}} = prec.update_scale %[[A]] for {{ *}}e5m2
// CHECK: prec.quantize %[[V]], %[[S5]] : tensor<4x128xf32> to tensor<4x128xf8E5M2>
func.func @scales(%x: tensor<16x32xf32>, %b: tensor<32x32xf32>) -> (tensor<16x32xf32>, tensor<4x4xf32>) {
  %y = prec_train.matmul %x, %b {operand_tags = [#e4m3, #e4m3]} : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<16x32xf32> into tensor<512xf32>
  %v = tensor.expand_shape %flat [[0, 1]] output_shape [4, 128] : tensor<512xf32> into tensor<4x128xf32>
  %z = prec_train.matmul %v, %v {transpose_b, operand_tags = [#e4m3, #e5m2]} : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x4xf32>
  return %y, %z : tensor<16x32xf32>, tensor<4x4xf32>
}

// -----

#late = #prec.tag<e4m3, scaling = tensor_delayed, accumulator = full, rule = "r">
#late5 = #prec.tag<e5m2, scaling = tensor_delayed, accumulator = full, rule = "r">
#now = #prec.tag<e4m3, scaling = tensor_current, accumulator = full, rule = "r">

// One history a value and format, named after its first reader and unique; a
// current scale of the same value has the same amax. `prec.amax` says how an
// amax becomes a scale, with an epsilon for each kind of operand.

// CHECK-LABEL: func.func @delayed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<16x32xf32>
// CHECK: %[[A:.*]] = prec.amax %[[X]]
// CHECK: %[[S:.*]], %[[D:.*]] = prec.delayed_scale %[[A]] of "fc/activation" for {{ *}}e4m3 {margin = 2 : i64, power_of_two}
// CHECK: %[[Q:.*]] = prec.quantize %[[X]], %[[S]]
// CHECK: prec.delayed_scale %{{.*}} of "fc/activation.1" for {{ *}}e4m3
// CHECK: prec.scaled_matmul %[[Q]] scale %[[D]]
// CHECK: prec.update_scale %[[A]] for {{ *}}e4m3 {margin = 2 : i64, power_of_two}
// CHECK: prec.delayed_scale %{{.*}} of "fc/gradient" for {{ *}}e5m2 {epsilon = 9.99999997E-7 : f32, first_amax = 3.906250e-03 : f32, margin = 2 : i64, power_of_two
module attributes {prec.amax = #prec.amax<history = 4, algorithm = max, margin = 2, power_of_two = true, activation = 1.0e-12 : f64, weight = 1.0e-12 : f64, gradient = 1.0e-6 : f64>} {
  func.func @delayed(%x: tensor<16x32xf32>, %b: tensor<32x32xf32>, %c: tensor<32x32xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) {
    %y = prec_train.matmul %x, %b {operand_tags = [#late, #late]} : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> loc("fc")
    %z = prec_train.matmul %x, %c {operand_tags = [#now, #now]} : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> loc("other")
    %g = arith.negf %y {prec_train.phase = #prec_train.phase<backward>} : tensor<16x32xf32>
    %d = prec_train.matmul %g, %c {operand_tags = [#late5, #now]} : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> loc("fc")
    return %y, %z, %d : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
  }
}

// -----

#row = #prec.tag<e4m3, scaling = row, accumulator = full, rule = "r">

// A scale for each row along the contracted dimension. The other layout is
// transposed before it is quantized: its rows have scales of their own. dY is
// a gradient in both.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<16x32xbf16>
// CHECK: %[[A:.*]] = prec.amax %[[X]] : tensor<16x32xbf16> by row tensor<16xf32>
// CHECK-NEXT: %[[S:.*]], %[[D:.*]] = prec.update_scale %[[A]] for {{ *}}e4m3 by row tensor<16xf32>
// CHECK-NEXT: %[[Q:.*]] = prec.quantize %[[X]], %[[S]] : tensor<16x32xbf16> to tensor<16x32xf8E4M3FN> by row tensor<16xf32>
// CHECK-NEXT: prec.scaled_matmul %[[Q]] scale %[[D]], %[[W:.*]] scale %[[WD:.*]] <full> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xf32> by row tensor<16xf32>, row tensor<48xf32>
// CHECK: %[[G:.*]] = math.exp
// CHECK-NEXT: %[[GA:.*]] = prec.amax %[[G]] {{.*}}: tensor<16x48xf32> by row tensor<16xf32>
// CHECK-NEXT: %[[GS:.*]], %[[GD:.*]] = prec.update_scale %[[GA]] for {{ *}}e4m3 {epsilon = 9.99999997E-7 : f32
// CHECK-NEXT: %[[GQ:.*]] = prec.quantize %[[G]], %[[GS]]
// CHECK-NEXT: prec.scaled_matmul %[[GQ]] scale %[[GD]], %[[WT:.*]] scale %[[WTD:.*]] <full> {{.*}}: (tensor<16x48xf8E4M3FN>, tensor<32x48xf8E4M3FN>) -> tensor<16x32xf32> by row tensor<16xf32>, row tensor<32xf32>
// CHECK-NEXT: %[[GT:.*]] = prec_train.transpose %[[G]] permutation [1, 0] {{.*}}: (tensor<16x48xf32>) -> tensor<48x16xf32>
// CHECK-NEXT: %[[GTA:.*]] = prec.amax %[[GT]] {{.*}}: tensor<48x16xf32> by row tensor<48xf32>
// CHECK-NEXT: %[[GTS:.*]], %[[GTD:.*]] = prec.update_scale %[[GTA]] for {{ *}}e4m3 {epsilon = 9.99999997E-7 : f32
// CHECK-NEXT: %[[GTQ:.*]] = prec.quantize %[[GT]], %[[GTS]]
// CHECK-NEXT: %[[XT:.*]] = prec_train.transpose %[[X]] permutation [1, 0] {{.*}}: (tensor<16x32xbf16>) -> tensor<32x16xbf16>
// CHECK-NEXT: %[[XTA:.*]] = prec.amax %[[XT]] {{.*}}: tensor<32x16xbf16> by row tensor<32xf32>
// CHECK-NEXT: %[[XTS:.*]], %[[XTD:.*]] = prec.update_scale %[[XTA]]
// CHECK-NEXT: %[[XTQ:.*]] = prec.quantize %[[XT]], %[[XTS]]
// CHECK-NEXT: prec.scaled_matmul %[[GTQ]] scale %[[GTD]], %[[XTQ]] scale %[[XTD]] <full> {{.*}}: (tensor<48x16xf8E4M3FN>, tensor<32x16xf8E4M3FN>) -> tensor<48x32xf32> by row tensor<48xf32>, row tensor<32xf32>
// CHECK-NOT: prec.quantize
module attributes {prec.amax = #prec.amax<history = 4, algorithm = max, margin = 0, power_of_two = false, activation = 1.0e-12 : f64, weight = 1.0e-12 : f64, gradient = 1.0e-6 : f64>} {
  func.func @rows(%x: tensor<16x32xbf16>,
                  %w: tensor<48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
                  %wt: tensor<32x48xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3_t"},
                  %s: tensor<48xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"},
                  %st: tensor<32xf32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_t_scale"})
      -> (tensor<16x32xf32>, tensor<48x32xf32>, tensor<48x32xf32>) {
    %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#row, #row]} : (tensor<16x32xbf16>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xf32>
    %g = math.exp %y {prec_train.phase = #prec_train.phase<backward>} : tensor<16x48xf32>
    %dx = prec_train.matmul %g, %wt {transpose_b, operand_tags = [#row, #row], prec_train.phase = #prec_train.phase<backward>} : (tensor<16x48xf32>, tensor<32x48xf8E4M3FN>) -> tensor<16x32xf32>
    %dw = prec_train.matmul %g, %x {transpose_a, operand_tags = [#row, #row], prec_train.phase = #prec_train.phase<backward>} : (tensor<16x48xf32>, tensor<16x32xbf16>) -> tensor<48x32xf32>
    %dw2 = prec_train.matmul %g, %x {transpose_a, operand_tags = [#row, #row], prec_train.phase = #prec_train.phase<backward>} : (tensor<16x48xf32>, tensor<16x32xbf16>) -> tensor<48x32xf32>
    return %dx, %dw, %dw2 : tensor<16x32xf32>, tensor<48x32xf32>, tensor<48x32xf32>
  }
}

// -----

#x = #prec.tag<e4m3, scaling = block_1x128, accumulator = promoted, rule = "r">
#w = #prec.tag<e4m3, scaling = block_128x128, accumulator = promoted, rule = "r">

// Blocks of 1x128 and 128x128 along the contracted dimension. Two reshapes of
// one value to one matrix share a quantization, another matrix has its own.

// CHECK-LABEL: func.func @blocks(
// CHECK: %[[C:.*]] = tensor.collapse_shape
// CHECK: %[[A:.*]] = prec.amax %[[C]] : tensor<32x320xf32> by block_1x128 tensor<32x3xf32>
// CHECK-NEXT: %[[S:.*]], %[[D:.*]] = prec.update_scale %[[A]] for {{ *}}e4m3 by block_1x128 tensor<32x3xf32> to tensor<3x32xf32>
// CHECK-NEXT: %[[Q:.*]] = prec.quantize %[[C]], %[[S]] : tensor<32x320xf32> to tensor<32x320xf8E4M3FN> by block_1x128 tensor<32x3xf32>
// CHECK-NEXT: %[[WA:.*]] = prec.amax %[[W:.*]] : tensor<160x320xf32> by block_128x128 tensor<2x3xf32>
// CHECK-NEXT: %[[WS:.*]], %[[WD:.*]] = prec.update_scale %[[WA]] for {{ *}}e4m3 by block_128x128 tensor<2x3xf32> to tensor<2x1x4xf32>
// CHECK-NEXT: %[[WQ:.*]] = prec.quantize %[[W]], %[[WS]]
// CHECK-NEXT: prec.scaled_matmul %[[Q]] scale %[[D]], %[[WQ]] scale %[[WD]] <promoted> : (tensor<32x320xf8E4M3FN>, tensor<160x320xf8E4M3FN>) -> tensor<32x160xf32> by block_1x128 tensor<3x32xf32>, block_128x128 tensor<2x1x4xf32>
// CHECK-NEXT: prec.scaled_matmul %[[Q]] scale %[[D]], %[[Q]] scale %[[D]] <promoted> : (tensor<32x320xf8E4M3FN>, tensor<32x320xf8E4M3FN>) -> tensor<32x32xf32> by block_1x128 tensor<3x32xf32>, block_1x128 tensor<3x32xf32>
// CHECK: %[[V:.*]] = tensor.expand_shape
// CHECK-NEXT: prec.amax %[[V]] : tensor<16x640xf32> by block_1x128 tensor<16x5xf32>
func.func @blocks(%x: tensor<2x16x320xf32>, %w: tensor<160x320xf32>) -> (tensor<32x160xf32>, tensor<32x32xf32>, tensor<16x16xf32>) {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x16x320xf32> into tensor<32x320xf32>
  %y = prec_train.matmul %c, %w {transpose_b, operand_tags = [#x, #w]} : (tensor<32x320xf32>, tensor<160x320xf32>) -> tensor<32x160xf32>
  %d = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x16x320xf32> into tensor<32x320xf32>
  %z = prec_train.matmul %c, %d {transpose_b, operand_tags = [#x, #x]} : (tensor<32x320xf32>, tensor<32x320xf32>) -> tensor<32x32xf32>
  %f = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x16x320xf32> into tensor<10240xf32>
  %v = tensor.expand_shape %f [[0, 1]] output_shape [16, 640] : tensor<10240xf32> into tensor<16x640xf32>
  %u = prec_train.matmul %v, %v {transpose_b, operand_tags = [#x, #x]} : (tensor<16x640xf32>, tensor<16x640xf32>) -> tensor<16x16xf32>
  return %y, %z, %u : tensor<32x160xf32>, tensor<32x32xf32>, tensor<16x16xf32>
}

// -----

#fwd = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#sav = #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "r">
#grad = #prec.tag<e5m2, scaling = tensor_current, accumulator = promoted, rule = "r">

// A work weight without a transposed copy is transposed where it is read so.

// CHECK-LABEL: func.func @direct(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<48x32xf8E4M3FN>
// CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<f32>
// CHECK: prec.scaled_matmul %{{.*}} scale %{{.*}}, %[[W]] scale %[[S]] <fast>
// CHECK: prec.quantize %{{.*}} to tensor<16x48xf8E5M2>
// CHECK: %[[T:.*]] = prec_train.transpose %[[W]] permutation [1, 0] {prec_train.phase = #prec_train.phase<backward>} : (tensor<48x32xf8E4M3FN>) -> tensor<32x48xf8E4M3FN>
// CHECK-NEXT: prec.scaled_matmul %{{.*}} scale %{{.*}}, %[[T]] scale %[[S]] <promoted>
func.func @direct(%x: tensor<16x32xf32>, %dy: tensor<16x48xf32>,
                  %w: tensor<48x32xf8E4M3FN> {prec_train.role = #prec_train.role<work_weight>, prec_train.param_of = "w", prec_train.slot = "e4m3"},
                  %s: tensor<f32> {prec_train.role = #prec_train.role<scale_state>, prec_train.param_of = "w", prec_train.slot = "e4m3_scale"})
    -> (tensor<16x48xf32>, tensor<16x32xf32>) {
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#fwd, #fwd]} : (tensor<16x32xf32>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xf32>
  %dx = prec_train.matmul %dy, %w {prec_train.phase = #prec_train.phase<backward>, operand_tags = [#grad, #sav]} : (tensor<16x48xf32>, tensor<48x32xf8E4M3FN>) -> tensor<16x32xf32>
  return %y, %dx : tensor<16x48xf32>, tensor<16x32xf32>
}
