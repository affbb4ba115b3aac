// RUN: prec-opt %s --prec-form-dispatches | FileCheck %s

// A rounding that the backward reads in a part of what it puts side by side and
// transposes is computed again there, from the product that is kept anyway: the
// forward writes nothing for it.
// CHECK-LABEL: func.func @step
// CHECK: %[[BOTH:.*]] = prec_sched.gemm
// CHECK: prec_sched.dispatch <elementwise> "elementwise"(%[[BOTH]]) {{.*}} : (tensor<128x256xbf16>) -> tensor<128x128xbf16> {
// CHECK: prec_sched.gemm
// CHECK: prec_sched.dispatch <transpose> "transpose"(%[[BOTH]], %{{.*}}) {{.*}} : (tensor<128x256xbf16>, tensor<128x128xbf16>) -> (tensor<128x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>) {
// CHECK: %[[GATE:.*]] = math.exp
// CHECK: arith.truncf %[[GATE]]
// CHECK: tensor.concat dim(1)
func.func @step(%x: tensor<128x64xbf16>, %w: tensor<64x256xbf16>, %v: tensor<128x128xbf16>)
    -> (tensor<128x128xbf16>, tensor<128x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>) attributes {prec.entry = "step"} {
  %both = prec_train.matmul %x, %w : (tensor<128x64xbf16>, tensor<64x256xbf16>) -> tensor<128x256xbf16>
  %gate = tensor.extract_slice %both[0, 0] [128, 128] [1, 1] : tensor<128x256xbf16> to tensor<128x128xbf16>
  %up = tensor.extract_slice %both[0, 128] [128, 128] [1, 1] : tensor<128x256xbf16> to tensor<128x128xbf16>
  %0 = arith.extf %gate : tensor<128x128xbf16> to tensor<128x128xf32>
  %1 = math.exp %0 : tensor<128x128xf32>
  %act = arith.truncf %1 : tensor<128x128xf32> to tensor<128x128xbf16>
  %2 = arith.extf %act : tensor<128x128xbf16> to tensor<128x128xf32>
  %3 = arith.extf %up : tensor<128x128xbf16> to tensor<128x128xf32>
  %4 = arith.mulf %2, %3 : tensor<128x128xf32>
  %y = arith.truncf %4 : tensor<128x128xf32> to tensor<128x128xbf16>
  %out = prec_train.matmul %y, %v : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x128xbf16>

  %5 = arith.extf %out {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xbf16> to tensor<128x128xf32>
  %6 = arith.extf %act {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xbf16> to tensor<128x128xf32>
  %7 = arith.mulf %5, %6 {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xf32>
  %dup = arith.truncf %7 {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xf32> to tensor<128x128xbf16>
  %8 = arith.extf %up {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xbf16> to tensor<128x128xf32>
  %9 = arith.mulf %5, %8 {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xf32>
  %dgate = arith.truncf %9 {prec_train.phase = #prec_train.phase<backward>} : tensor<128x128xf32> to tensor<128x128xbf16>
  %d = tensor.concat dim(1) %dgate, %dup {prec_train.phase = #prec_train.phase<backward>} : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x256xbf16>
  %10 = arith.extf %d {prec_train.phase = #prec_train.phase<backward>} : tensor<128x256xbf16> to tensor<128x256xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %q = prec.quantize %10, %one {prec_train.phase = #prec_train.phase<backward>} : tensor<128x256xf32> to tensor<128x256xf8E4M3FN>
  %t = prec_train.transpose %q permutation [1, 0] {prec_train.phase = #prec_train.phase<backward>} : (tensor<128x256xf8E4M3FN>) -> tensor<256x128xf8E4M3FN>
  return %out, %q, %t : tensor<128x128xbf16>, tensor<128x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>
}

// A view of what is put side by side is another kernel's: one that walks the
// sum writes it where it lies in the whole, not where it lies in the view.
// CHECK-LABEL: func.func @views
// CHECK: %[[SUM:.*]] = prec_sched.dispatch <elementwise> {{.*}} : (tensor<16x64xf32>) -> tensor<16x64xf32> {
// CHECK: prec_sched.dispatch <elementwise> {{.*}}(%[[SUM]], %{{.*}}) {{.*}} -> tensor<2x16x64xf32> {
func.func @views(%x: tensor<16x64xf32>, %y: tensor<16x64xf32>) -> (tensor<16x64xf32>, tensor<2x16x64xf32>) {
  %sum = arith.addf %x, %x : tensor<16x64xf32>
  %both = tensor.concat dim(1) %sum, %y : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x128xf32>
  %view = tensor.expand_shape %both [[0], [1, 2]] output_shape [16, 2, 64] : tensor<16x128xf32> into tensor<16x2x64xf32>
  %turned = prec_train.transpose %view permutation [1, 0, 2] : (tensor<16x2x64xf32>) -> tensor<2x16x64xf32>
  return %sum, %turned : tensor<16x64xf32>, tensor<2x16x64xf32>
}
