// RUN: prec-opt %s --assign-precision="target=cpu recipe=bf16 master-dtype=bf16 memory-table=true" -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TAGS --input-file=%t

// How far a step of a normalized optimizer goes is known from its rate alone;
// of SGD nothing is known.
// CHECK: warning: bf16 masters stall, in 1 place: lion (a step of 1e-08,
// CHECK-NOT: masters stall

// States are moments, whatever the optimizer.
// CHECK: Memory of @lion
// CHECK: moments           f32            1           4   16.4 kB
// CHECK: Memory of @sgd
// CHECK: moments           f32            1           4   16.4 kB
// CHECK: Memory of @adafactor
// CHECK: moments           f32            2       0.125     512 B

// TAGS-LABEL: func.func @lion(
// TAGS-SAME: tensor<64x64xf32> {prec.tag = #prec.tag<bf16, rule = "master weight: master_dtype{{[^"]*}}">
// TAGS-SAME: tensor<64x64xf32> {prec.tag = #prec.tag<f32, rule = "optimizer state: {{[^"]*}}">
// TAGS: prec_train.lion {{.*}}result_tags = [#prec.tag<bf16, rule = "updated master weight: {{[^"]*}}">, #prec.tag<f32, rule = "updated optimizer state: {{[^"]*}}">]
func.func @lion(%w: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "lion"}, %m: tensor<64x64xf32>,
                %g: tensor<64x64xf32>, %lr: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr", prec_train.default = 1.0e-08 : f64},
                %s: tensor<f32>)
    -> (tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}, tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}) {
  %p:2 = prec_train.lion %w, %g, %m, %lr, %s, %s, %s, %s, %s : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>)
  return %p#0, %p#1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// TAGS-LABEL: func.func @sgd(
func.func @sgd(%w: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "sgd"}, %m: tensor<64x64xf32>,
               %g: tensor<64x64xf32>, %lr: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr", prec_train.default = 1.0e-08 : f64},
               %s: tensor<f32>)
    -> (tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}, tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}) {
  %p:2 = prec_train.sgd_momentum %w, %g, %m, %lr, %s, %s, %s, %s, %s : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>)
  return %p#0, %p#1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// TAGS-LABEL: func.func @adafactor(
// TAGS-SAME: tensor<64x1xf32> {prec.tag = #prec.tag<f32, rule = "optimizer state: {{[^"]*}}">
// TAGS-SAME: tensor<1x64xf32> {prec.tag = #prec.tag<f32, rule = "optimizer state: {{[^"]*}}">
func.func @adafactor(%w: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "adafactor"}, %r: tensor<64x1xf32>, %c: tensor<1x64xf32>,
                     %g: tensor<64x64xf32>, %s: tensor<f32>)
    -> (tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64}, tensor<64x1xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64},
        tensor<1x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 2 : i64}) {
  %p:3 = prec_train.adafactor %w, %g, %r, %c, %s, %s, %s, %s, %s, %s, %s, %s : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x1xf32>, tensor<1x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x1xf32>, tensor<1x64xf32>)
  return %p#0, %p#1, %p#2 : tensor<64x64xf32>, tensor<64x1xf32>, tensor<1x64xf32>
}
