// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=sm_90a" --verify-precision | FileCheck %s

// CHECK: module attributes {prec.recipe = "fp8-hybrid", prec.target = "sm_90a"}
// CHECK-LABEL: @step
// CHECK-SAME: %[[TABLE:.*]]: tensor<64x16xf32> {prec.tag = #prec.tag<f32, rule = "master weight: an update far below the weight must survive (DeepSeek-V3 map)">}
// CHECK-SAME: tensor<32xi32>, %{{.*}}: tensor<32xi32>, %{{.*}}: tensor<64x16xf32> {prec.tag = #prec.tag<f32, rule = "optimizer state: squared gradients underflow in less (DeepSeek-V3 map)">}
func.func @step(%table: tensor<64x16xf32>, %w: tensor<16x16xf32>, %g: tensor<16xf32>, %ids: tensor<32xi32>, %labels: tensor<32xi32>,
                %tm: tensor<64x16xf32>, %tv: tensor<64x16xf32>, %wm: tensor<16x16xf32>, %wv: tensor<16x16xf32>,
                %gm: tensor<16xf32>, %gv: tensor<16xf32>, %h: tensor<f32>) -> (tensor<f32>, tensor<64x16xf32>, tensor<16x16xf32>, tensor<16xf32>) attributes {prec.entry = "step"} {
  // CHECK: arith.constant {{.*}}#prec.tag<f32, rule = "constant: exact in f32">
  %one = arith.constant dense<1.0> : tensor<f32>
  // CHECK: prec_train.embedding {{.*}}operand_tags = [#prec.tag<bf16, rule = "embedding: a token seen once must still give a meaningful gradient (DeepSeek-V3 map)">, unit], result_tags = [#prec.tag<bf16,
  %x = prec_train.embedding %table, %ids : (tensor<64x16xf32>, tensor<32xi32>) -> tensor<32x16xf32>
  // A norm reads its input as stored and gamma's work weight; its statistic is f32.
  // CHECK: prec_train.rms_norm {{.*}}operand_tags = [unit, #prec.tag<bf16, rule = "norm: {{[^"]*}}">], result_tags = [#prec.tag<bf16, rule = "norm: {{[^"]*}}">, #prec.tag<f32, rule = "norm statistic: sums over many elements stay FP32">]
  %n, %r = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32} : (tensor<32x16xf32>, tensor<16xf32>) -> (tensor<32x16xf32>, tensor<32xf32>)
  // fprop
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "fp8-hybrid fprop: activation read in e4m3; {{[^"]*}}">, #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "fp8-hybrid fprop: weight read in e4m3; {{[^"]*}}">], prec.direction = "fprop", result_tags = [#prec.tag<bf16, rule = "contraction result: {{[^"]*}}">]
  %y = prec_train.matmul %n, %w {transpose_b} : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  // Read by the backward too, so memory holds it.
  // CHECK: math.tanh {{.*}}#prec.tag<bf16, rule = "saved for the backward: {{[^"]*}}">
  %t = math.tanh %y : tensor<32x16xf32>
  // CHECK: arith.addf {{.*}}#prec.tag<bf16, rule = "residual: the stream stays bf16 over all layers, {{[^"]*}} (DeepSeek-V3 map)">
  %s = arith.addf %x, %t : tensor<32x16xf32>
  %n2, %r2 = prec_train.rms_norm %s, %g {eps = 1.0e-05 : f32} : (tensor<32x16xf32>, tensor<16xf32>) -> (tensor<32x16xf32>, tensor<32xf32>)
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<bf16, rule = "head: {{[^"]*}}">, #prec.tag<bf16, rule = "head: {{[^"]*}}">], result_tags = [#prec.tag<bf16, rule = "head: {{[^"]*}}">]
  %logits = prec_train.matmul %n2, %table {transpose_b} : (tensor<32x16xf32>, tensor<64x16xf32>) -> tensor<32x64xf32>
  // CHECK: prec_train.cross_entropy {{.*}}result_tags = [#prec.tag<f32, rule = "loss: {{[^"]*}}">, #prec.tag<f32, rule = "loss: {{[^"]*}}">, #prec.tag<f32, rule = "loss: {{[^"]*}}">]
  %loss, %max, %log = prec_train.cross_entropy %logits, %labels {ignore_index = -100 : i32} : (tensor<32x64xf32>, tensor<32xi32>) -> (tensor<f32>, tensor<32xf32>, tensor<32xf32>)
  // CHECK: prec_train.cross_entropy_grad {{.*}}result_tags = [#prec.tag<bf16, rule = "gradient of the logits: {{[^"]*}}">]
  %dl = prec_train.cross_entropy_grad %one, %logits, %labels, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<32x64xf32>, tensor<32xi32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32x64xf32>
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<bf16, {{.*}}result_tags = [#prec.tag<bf16, rule = "weight gradient: {{[^"]*}}">]
  %dt1 = prec_train.matmul %dl, %n2 {transpose_a} : (tensor<32x64xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
  %dn2 = prec_train.matmul %dl, %table : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  // CHECK: prec_train.rms_norm_grad {{.*}}operand_tags = [unit, unit, #prec.tag<bf16, {{.*}}>, unit], result_tags = [#prec.tag<bf16, rule = "norm: {{[^"]*}}">, #prec.tag<bf16, rule = "weight gradient: {{[^"]*}}">]
  %ds, %dg2 = prec_train.rms_norm_grad %dn2, %s, %g, %r2 : (tensor<32x16xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<32xf32>) -> (tensor<32x16xf32>, tensor<16xf32>)
  // CHECK: arith.mulf {{.*}}#prec.tag<f32, rule = "elementwise intermediate stays f32 in registers">
  %tt = arith.mulf %t, %t : tensor<32x16xf32>
  // CHECK: arith.mulf {{.*}}#prec.tag<f32, rule = "elementwise intermediate stays f32 in registers">
  %dtt = arith.mulf %ds, %tt : tensor<32x16xf32>
  // CHECK: arith.subf {{.*}}#prec.tag<bf16, rule = "read by a contraction: gradients need range more than mantissa (DeepSeek-V3 map)">
  %dy = arith.subf %ds, %dtt : tensor<32x16xf32>
  // wgrad
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<e5m2, scaling = tensor_current, accumulator = promoted, rule = "fp8-hybrid wgrad: gradient read in e5m2; {{[^"]*}}">, #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "fp8-hybrid wgrad: activation read in e4m3; {{[^"]*}}">], prec.direction = "wgrad", result_tags = [#prec.tag<bf16, rule = "weight gradient: {{[^"]*}}">]
  %dw = prec_train.matmul %dy, %n {transpose_a} : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
  // dgrad
  // CHECK: prec_train.matmul {{.*}}operand_tags = [#prec.tag<e5m2, scaling = tensor_current, accumulator = promoted, rule = "fp8-hybrid dgrad: gradient read in e5m2; {{[^"]*}}">, #prec.tag<e4m3, scaling = tensor_current, accumulator = promoted, rule = "fp8-hybrid dgrad: weight read in e4m3; {{[^"]*}}">], prec.direction = "dgrad", result_tags = [#prec.tag<bf16, rule = "contraction result: {{[^"]*}}">]
  %dn = prec_train.matmul %dy, %w : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %dx1, %dg1 = prec_train.rms_norm_grad %dn, %x, %g, %r : (tensor<32x16xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<32xf32>) -> (tensor<32x16xf32>, tensor<16xf32>)
  // CHECK: arith.addf {{.*}}#prec.tag<bf16, rule = "residual: {{[^"]*}}">
  %dx = arith.addf %ds, %dx1 : tensor<32x16xf32>
  // CHECK: prec_train.embedding_grad {{.*}}result_tags = [#prec.tag<bf16, rule = "weight gradient: {{[^"]*}}">]
  %dt2 = prec_train.embedding_grad %dx, %ids : (tensor<32x16xf32>, tensor<32xi32>) -> tensor<64x16xf32>
  // CHECK: arith.addf {{.*}}#prec.tag<bf16, rule = "weight gradient: {{[^"]*}}">
  %dt = arith.addf %dt1, %dt2 : tensor<64x16xf32>
  %dg = arith.addf %dg1, %dg2 : tensor<16xf32>
  // CHECK: prec_train.global_norm {{.*}}#prec.tag<f32, rule = "clipping: {{[^"]*}}">
  %norm = prec_train.global_norm %dt, %dw, %dg : (tensor<64x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<f32>
  %clip = prec_train.clip %norm, %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: prec_train.adamw {{.*}}result_tags = [#prec.tag<f32, rule = "updated master weight: {{[^"]*}}">, #prec.tag<f32, rule = "updated optimizer state: {{[^"]*}}">, #prec.tag<f32, {{.*}}>]
  %a:3 = prec_train.adamw %table, %dt, %tm, %tv, %h, %h, %h, %h, %h, %h, %clip : (tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>)
  %b:3 = prec_train.adamw %w, %dw, %wm, %wv, %h, %h, %h, %h, %h, %h, %clip : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>)
  %c:3 = prec_train.adamw %g, %dg, %gm, %gv, %h, %h, %h, %h, %h, %h, %clip : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  return %loss, %a#0, %b#0, %c#0 : tensor<f32>, tensor<64x16xf32>, tensor<16x16xf32>, tensor<16xf32>
}
