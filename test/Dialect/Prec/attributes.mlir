// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s
// RUN: prec-opt %s --emit-bytecode | prec-opt | FileCheck %s

// CHECK: prec.amax = #prec.amax<history = 16, algorithm = most_recent, margin = 1, power_of_two = true, activation = 2.500000e-01 : f64, weight = 0.000000e+00 : f64, gradient = 5.000000e-01 : f64>
// CHECK-SAME: prec.loss_scaling = #prec.loss_scaling<static, scale = 1024, interval = 7, growth = 4.000000e+00 : f64, backoff = 2.500000e-01 : f64>
// CHECK-SAME: prec.master_rounding = #prec.master_rounding<precision_aware, iterations = 8, tolerance = 2.500000e-01 : f64>
// CHECK-SAME: prec.recipe = "fp8-hybrid", prec.target = "sm_90a"
module attributes {
    prec.amax = #prec.amax<history = 16, algorithm = most_recent, margin = 1, power_of_two = true, activation = 0.25 : f64, weight = 0.0 : f64, gradient = 0.5 : f64>,
    prec.loss_scaling = #prec.loss_scaling<static, scale = 1024, interval = 7, growth = 4.0 : f64, backoff = 0.25 : f64>,
    prec.master_rounding = #prec.master_rounding<precision_aware, iterations = 8, tolerance = 0.25 : f64>,
    prec.recipe = "fp8-hybrid", prec.target = "sm_90a"} {
  // CHECK-LABEL: func.func private @every_case()
  // CHECK-SAME: accumulators = [#prec.accumulator<full>, #prec.accumulator<fast>, #prec.accumulator<promoted>]
  // CHECK-SAME: classes = [#prec.class<contraction>, #prec.class<head>, #prec.class<embedding>, #prec.class<norm>, #prec.class<softmax>, #prec.class<attention>, #prec.class<residual>, #prec.class<reduction>, #prec.class<loss>, #prec.class<router>, #prec.class<rotary>, #prec.class<optimizer>, #prec.class<clipping>, #prec.class<elementwise>, #prec.class<layout>, #prec.class<index>]
  // CHECK-SAME: formats = [#prec<format f32>, #prec<format bf16>, #prec<format f16>, #prec<format e4m3>, #prec<format e5m2>, #prec<format e2m1>]
  func.func private @every_case() attributes {
    accumulators = [#prec.accumulator<full>, #prec.accumulator<fast>, #prec.accumulator<promoted>],
    classes = [#prec.class<contraction>, #prec.class<head>, #prec.class<embedding>, #prec.class<norm>, #prec.class<softmax>,
               #prec.class<attention>, #prec.class<residual>, #prec.class<reduction>, #prec.class<loss>, #prec.class<router>,
               #prec.class<rotary>, #prec.class<optimizer>, #prec.class<clipping>, #prec.class<elementwise>, #prec.class<layout>,
               #prec.class<index>],
    formats = [#prec<format f32>, #prec<format bf16>, #prec<format f16>, #prec<format e4m3>, #prec<format e5m2>, #prec<format e2m1>]}

  // Defaults are not printed; the order of fields is fixed.
  // CHECK-LABEL: func.func private @tags(
  // CHECK-SAME: %{{.+}}: tensor<4xf32> {prec.tag = #prec.tag<f32, rule = "a">}
  // CHECK-SAME: %{{.+}}: tensor<4xf32> {prec.tag = #prec.tag<bf16, rule = "b: \22quoted\22">}
  // CHECK-SAME: %{{.+}}: tensor<4xf32> {prec.tag = #prec.tag<f16, accumulator = promoted, rule = "c">}
  // CHECK-SAME: %{{.+}}: tensor<4xf32> {prec.tag = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "d">}
  // CHECK-SAME: %{{.+}}: tensor<4xf32> {prec.tag = #prec.tag<e5m2, scaling = tensor_current, rule = "e">}
  // CHECK-SAME: {prec.tag = #prec.tag<e4m3, scaling = tensor_delayed, rule = "f">}
  // CHECK-SAME: {prec.tag = #prec.tag<e4m3, scaling = row, rule = "g">}
  // CHECK-SAME: {prec.tag = #prec.tag<e4m3, scaling = block_1x128, rule = "h">}
  // CHECK-SAME: {prec.tag = #prec.tag<e4m3, scaling = block_128x128, rule = "i">}
  // CHECK-SAME: {prec.tag = #prec.tag<e4m3, scaling = mx_1x32, rule = "j">}
  // CHECK-SAME: {prec.tag = #prec.tag<e2m1, scaling = nvfp4_1x16, rule = "k">}
  func.func private @tags(
      %a: tensor<4xf32> {prec.tag = #prec.tag<f32, scaling = none, accumulator = full, rule = "a">},
      %b: tensor<4xf32> {prec.tag = #prec.tag<bf16, rule = "b: \"quoted\"">},
      %c: tensor<4xf32> {prec.tag = #prec.tag<f16, rule = "c", accumulator = promoted>},
      %d: tensor<4xf32> {prec.tag = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "d">},
      %e: tensor<4xf32> {prec.tag = #prec.tag<e5m2, scaling = tensor_current, rule = "e">},
      %f: tensor<4xf32> {prec.tag = #prec.tag<e4m3, scaling = tensor_delayed, rule = "f">},
      %g: tensor<4xf32> {prec.tag = #prec.tag<e4m3, scaling = row, rule = "g">},
      %h: tensor<4xf32> {prec.tag = #prec.tag<e4m3, scaling = block_1x128, rule = "h">},
      %i: tensor<4xf32> {prec.tag = #prec.tag<e4m3, scaling = block_128x128, rule = "i">},
      %j: tensor<4xf32> {prec.tag = #prec.tag<e4m3, scaling = mx_1x32, rule = "j">},
      %k: tensor<4xf32> {prec.tag = #prec.tag<e2m1, scaling = nvfp4_1x16, rule = "k">}) {
    return
  }

  // CHECK-LABEL: func.func @uses(
  func.func @uses(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
    // Inherent on prec_train operations; unit where nothing was to decide.
    // CHECK: prec_train.embedding %{{.+}}, %{{.+}} {operand_tags = [#prec.tag<bf16, rule = "r">, unit], prec.class = #prec.class<embedding>, result_tags = [#prec.tag<f32, rule = "r">]}
    %0 = prec_train.embedding %x, %i {prec.class = #prec.class<embedding>, operand_tags = [#prec.tag<bf16, rule = "r">, unit], result_tags = [#prec.tag<f32, rule = "r">]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
    // Discardable on all others.
    // CHECK: arith.addf {{.+}} {prec.operand_tags = [unit, #prec.tag<bf16, rule = "r">], prec.result_tags = [#prec.tag<bf16, rule = "r">]}
    %1 = arith.addf %x, %0 {prec.operand_tags = [unit, #prec.tag<bf16, rule = "r">], prec.result_tags = [#prec.tag<bf16, rule = "r">]} : tensor<4x8xf32>
    // CHECK: prec.amax {{.+}} {prec.result_tags = [#prec.tag<f32, rule = "r">]}
    %2 = prec.amax %x {prec.result_tags = [#prec.tag<f32, rule = "r">]} : tensor<4x8xf32>
    return
  }
}
