// RUN: prec-opt %s --prec-classify | FileCheck %s

// One block of a network with its backward and optimizer. No names, phases or
// links: classes come from the data flow alone.

// CHECK-LABEL: @step
func.func @step(%table: tensor<64x16xf32>, %w: tensor<16x16xf32>, %g: tensor<16xf32>, %ids: tensor<32xi32>, %labels: tensor<32xi32>,
                %tm: tensor<64x16xf32>, %tv: tensor<64x16xf32>, %wm: tensor<16x16xf32>, %wv: tensor<16x16xf32>,
                %gm: tensor<16xf32>, %gv: tensor<16xf32>, %h: tensor<f32>) -> (tensor<f32>, tensor<64x16xf32>, tensor<16x16xf32>, tensor<16xf32>) attributes {prec.entry = "step"} {
  %one = arith.constant dense<1.0> : tensor<f32>
  // CHECK: prec_train.embedding {{.*}}prec.class = #prec.class<embedding>
  %x = prec_train.embedding %table, %ids : (tensor<64x16xf32>, tensor<32xi32>) -> tensor<32x16xf32>
  // CHECK: prec_train.rms_norm {{.*}}prec.class = #prec.class<norm>
  %n, %r = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32} : (tensor<32x16xf32>, tensor<16xf32>) -> (tensor<32x16xf32>, tensor<32xf32>)
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<contraction>
  %y = prec_train.matmul %n, %w {transpose_b} : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  // CHECK: math.tanh {{.*}}prec.class = #prec.class<elementwise>
  %t = math.tanh %y : tensor<32x16xf32>
  // CHECK: arith.addf {{.*}}prec.class = #prec.class<residual>
  %s = arith.addf %x, %t : tensor<32x16xf32>
  %n2, %r2 = prec_train.rms_norm %s, %g {eps = 1.0e-05 : f32} : (tensor<32x16xf32>, tensor<16xf32>) -> (tensor<32x16xf32>, tensor<32xf32>)
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<head>
  %logits = prec_train.matmul %n2, %table {transpose_b} : (tensor<32x16xf32>, tensor<64x16xf32>) -> tensor<32x64xf32>
  // CHECK: prec_train.cross_entropy {{.*}}prec.class = #prec.class<loss>
  %loss, %max, %log = prec_train.cross_entropy %logits, %labels {ignore_index = -100 : i32} : (tensor<32x64xf32>, tensor<32xi32>) -> (tensor<f32>, tensor<32xf32>, tensor<32xf32>)
  // CHECK: prec_train.cross_entropy_grad {{.*}}prec.class = #prec.class<loss>
  %dl = prec_train.cross_entropy_grad %one, %logits, %labels, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<32x64xf32>, tensor<32xi32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32x64xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<head>
  %dt1 = prec_train.matmul %dl, %n2 {transpose_a} : (tensor<32x64xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<head>
  %dn2 = prec_train.matmul %dl, %table : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  // CHECK: prec_train.rms_norm_grad {{.*}}prec.class = #prec.class<norm>
  %ds, %dg2 = prec_train.rms_norm_grad %dn2, %s, %g, %r2 : (tensor<32x16xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<32xf32>) -> (tensor<32x16xf32>, tensor<16xf32>)
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<elementwise>
  %tt = arith.mulf %t, %t : tensor<32x16xf32>
  %dtt = arith.mulf %ds, %tt : tensor<32x16xf32>
  %dy = arith.subf %ds, %dtt : tensor<32x16xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<contraction>
  %dw = prec_train.matmul %dy, %n {transpose_a} : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<contraction>
  %dn = prec_train.matmul %dy, %w : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %dx1, %dg1 = prec_train.rms_norm_grad %dn, %x, %g, %r : (tensor<32x16xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<32xf32>) -> (tensor<32x16xf32>, tensor<16xf32>)
  // CHECK: arith.addf {{.*}}prec.class = #prec.class<residual>
  %dx = arith.addf %ds, %dx1 : tensor<32x16xf32>
  // CHECK: prec_train.embedding_grad {{.*}}prec.class = #prec.class<embedding>
  %dt2 = prec_train.embedding_grad %dx, %ids : (tensor<32x16xf32>, tensor<32xi32>) -> tensor<64x16xf32>
  // A sum of gradients of a parameter is no residual.
  // CHECK: arith.addf {{.*}}prec.class = #prec.class<elementwise>
  %dt = arith.addf %dt1, %dt2 : tensor<64x16xf32>
  %dg = arith.addf %dg1, %dg2 : tensor<16xf32>
  // CHECK: prec_train.global_norm {{.*}}prec.class = #prec.class<clipping>
  %norm = prec_train.global_norm %dt, %dw, %dg : (tensor<64x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<f32>
  %clip = prec_train.clip %norm, %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: prec_train.adamw {{.*}}prec.class = #prec.class<optimizer>
  %a:3 = prec_train.adamw %table, %dt, %tm, %tv, %h, %h, %h, %h, %h, %h, %clip : (tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>)
  %b:3 = prec_train.adamw %w, %dw, %wm, %wv, %h, %h, %h, %h, %h, %h, %clip : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>)
  %c:3 = prec_train.adamw %g, %dg, %gm, %gv, %h, %h, %h, %h, %h, %h, %clip : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  return %loss, %a#0, %b#0, %c#0 : tensor<f32>, tensor<64x16xf32>, tensor<16x16xf32>, tensor<16xf32>
}
