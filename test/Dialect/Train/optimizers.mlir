// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s
// RUN: prec-opt %s --emit-bytecode | prec-opt | FileCheck %s

// CHECK-LABEL: func.func @sgd(
// CHECK: = prec_train.sgd %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4x8xf32>
func.func @sgd(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %h: tensor<f32>) {
  %0 = prec_train.sgd %p, %g, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @sgd_guarded(
// CHECK: = prec_train.sgd %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
func.func @sgd_guarded(%p: tensor<4x8xf32>, %g: tensor<4x8xbf16>, %h: tensor<f32>, %ok: tensor<i1>) {
  %0:2 = prec_train.sgd %p, %g, %h, %h, %h, %h, %ok : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @sgd_momentum(
// CHECK: = prec_train.sgd_momentum %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
func.func @sgd_momentum(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  %0:2 = prec_train.sgd_momentum %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @sgd_momentum_guarded(
// CHECK: = prec_train.sgd_momentum %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
func.func @sgd_momentum_guarded(%p: tensor<4x8xf32>, %g: tensor<4x8xbf16>, %s0: tensor<4x8xf32>, %h: tensor<f32>, %ok: tensor<i1>) {
  %0:3 = prec_train.sgd_momentum %p, %g, %s0, %h, %h, %h, %h, %h, %h, %ok : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @lion(
// CHECK: = prec_train.lion %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
func.func @lion(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  %0:2 = prec_train.lion %p, %g, %s0, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @lion_guarded(
// CHECK: = prec_train.lion %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
func.func @lion_guarded(%p: tensor<4x8xf32>, %g: tensor<4x8xbf16>, %s0: tensor<4x8xf32>, %h: tensor<f32>, %ok: tensor<i1>) {
  %0:3 = prec_train.lion %p, %g, %s0, %h, %h, %h, %h, %h, %h, %ok : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @adafactor(
// CHECK: = prec_train.adafactor %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>)
func.func @adafactor(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x1xf32>, %s1: tensor<1x8xf32>, %h: tensor<f32>) {
  %0:3 = prec_train.adafactor %p, %g, %s0, %s1, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>)
  return
}

// CHECK-LABEL: func.func @adafactor_guarded(
// CHECK: = prec_train.adafactor %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<4x8xf32>)
func.func @adafactor_guarded(%p: tensor<4x8xf32>, %g: tensor<4x8xbf16>, %s0: tensor<4x1xf32>, %s1: tensor<1x8xf32>, %h: tensor<f32>, %ok: tensor<i1>) {
  %0:4 = prec_train.adafactor %p, %g, %s0, %s1, %h, %h, %h, %h, %h, %h, %h, %h, %ok : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @adafactor_unfactored(
// CHECK: = prec_train.adafactor_unfactored %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
func.func @adafactor_unfactored(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  %0:2 = prec_train.adafactor_unfactored %p, %g, %s0, %h, %h, %h, %h, %h, %h, %h, %h : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @adafactor_unfactored_guarded(
// CHECK: = prec_train.adafactor_unfactored %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
func.func @adafactor_unfactored_guarded(%p: tensor<4x8xf32>, %g: tensor<4x8xbf16>, %s0: tensor<4x8xf32>, %h: tensor<f32>, %ok: tensor<i1>) {
  %0:3 = prec_train.adafactor_unfactored %p, %g, %s0, %h, %h, %h, %h, %h, %h, %h, %h, %ok : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// CHECK-LABEL: func.func @nesterov(
// CHECK: = prec_train.sgd_momentum {{.*}} {nesterov} :
func.func @nesterov(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %h: tensor<f32>) {
  %0:2 = prec_train.sgd_momentum %p, %g, %s0, %h, %h, %h, %h, %h, %h {nesterov} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}
