// RUN: prec-opt %s --assign-precision="recipe=bf16 target=cpu" --verify-precision | FileCheck %s

// CHECK-LABEL: @layout
func.func @layout(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>) -> tensor<8x32xf32> {
  // An elementwise value is rounded where something else reads it, layout looked through.
  // CHECK: math.tanh {{.*}}#prec.tag<f32, rule = "elementwise intermediate
  %a = math.tanh %x : tensor<8x32xf32>
  // CHECK: math.exp {{.*}}#prec.tag<bf16, rule = "read by a contraction
  %b = math.exp %a : tensor<8x32xf32>
  // CHECK: tensor.expand_shape {{.*}}#prec.tag<bf16, rule = "layout
  %c = tensor.expand_shape %b [[0, 1], [2]] output_shape [2, 4, 32] : tensor<8x32xf32> into tensor<2x4x32xf32>
  %d = tensor.collapse_shape %c [[0, 1], [2]] : tensor<2x4x32xf32> into tensor<8x32xf32>
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<bf16, rule = "bf16 fprop: activation read in bf16; {{[^"]*}}">, #prec.tag<bf16,
  %e = prec_train.matmul %d, %w : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  // What only the caller reads stays as the caller takes it.
  // CHECK: math.tanh {{.*}}#prec.tag<f32, rule = "elementwise result stays
  %f = math.tanh %e : tensor<8x32xf32>
  return %f : tensor<8x32xf32>
}

// A join has the widest format of what it joins; constants adapt.
// CHECK-LABEL: @concat
func.func @concat(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<8x32xf32>
  %y = prec_train.matmul %x, %w : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  // CHECK: tensor.concat {{.*}}#prec.tag<bf16, rule = "layout
  %a = tensor.concat dim(1) %y, %zero : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
  %n = arith.negf %y : tensor<8x32xf32>
  // CHECK: tensor.concat {{.*}}#prec.tag<f32, rule = "layout
  %b = tensor.concat dim(1) %y, %n : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
  return %a, %b : tensor<8x64xf32>, tensor<8x64xf32>
}

// CHECK-LABEL: @squares
func.func @squares(%x: tensor<8x32xf32>, %y: tensor<8x32xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: arith.mulf {{.*}}#prec.tag<f32, rule = "squares stay f32 up to their sum">
  %a = arith.mulf %x, %x : tensor<8x32xf32>
  // CHECK: prec_train.reduce {{.*}}#prec.tag<f32, rule = "reduction: sums over many elements stay FP32">
  %b = prec_train.reduce sum %a dims [1] : (tensor<8x32xf32>) -> tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#prec.tag<bf16, rule = "read by a reduction
  %c = arith.mulf %x, %y : tensor<8x32xf32>
  %d = prec_train.reduce sum %c dims [1] : (tensor<8x32xf32>) -> tensor<8xf32>
  return %b, %d : tensor<8xf32>, tensor<8xf32>
}

// What is narrower already is not widened.
// CHECK-LABEL: @typed
// CHECK-SAME: prec.tag = #prec.tag<bf16, rule = "input: {{[^"]*}}">
func.func @typed(%x: tensor<8x32xbf16>) -> tensor<8x32xbf16> {
  // CHECK: math.tanh {{.*}}#prec.tag<bf16, rule = "the graph already says bf16">
  %y = math.tanh %x : tensor<8x32xbf16>
  return %y : tensor<8x32xbf16>
}
