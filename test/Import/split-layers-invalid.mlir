// RUN: prec-opt %s --prec-split-layers=mesh=tp=2 --split-input-file --verify-diagnostics=only-expected
// RUN: not prec-opt %s --prec-split-layers=mesh=tp --split-input-file 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not prec-opt %s --prec-split-layers=mesh=pp=2 --split-input-file 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not prec-opt %s --prec-split-layers=mesh=tp=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not prec-opt %s --prec-split-layers=mesh=tp=2,tp=2 --split-input-file 2>&1 | FileCheck %s --check-prefix=MESH

// mesh_c1
// MESH: a mesh must be dp=N, of N ranks that have batches of their own, ep=N, of N that have experts of their own, too, tp=N, of N that have parts of layers, or several of them, such as dp=M,tp=N, but got '

// split_layers_c1
// expected-error @+1 {{layers must be divided once, but got the mesh {tp = 2 : i64}}}
module attributes {prec_train.mesh = {tp = 2 : i64}} {
func.func @step() attributes {prec.entry = "step"} {
  return
}
}

// -----

func.func @step() attributes {prec.entry = "step"} {
  return
}

// split_layers_c2
// expected-error @+1 {{a module whose layers are divided must have a step alone, but got another function}}
func.func @more(%x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}) -> tensor<4xf32> attributes {prec.entry = "eval"} {
  return %x : tensor<4xf32>
}

// -----

// split_layers_c3
// expected-error @+1 {{layers must be divided by tp=2, but got none that can be: 3 slices cannot be divided by 2}}
func.func @step(%x: tensor<4x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %a: tensor<3x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"})
    -> tensor<4x3xf32> attributes {prec.entry = "step"} {
  %h = prec_train.matmul %x, %a {transpose_b} : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  return %h : tensor<4x3xf32>
}

// -----

func.func @step(%x: tensor<4x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %a: tensor<4x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"},
                %b: tensor<8x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "b"})
    -> tensor<4x8xf32> attributes {prec.entry = "step"} {
  %h = prec_train.matmul %x, %a {transpose_b} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %y = prec_train.matmul %h, %b {transpose_b} : (tensor<4x4xf32>, tensor<8x4xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
module attributes {prec.crowded} {
// split_layers_c4
// expected-error @+1 {{a crowded step must be divided as the step, but got slices of 0 parameters for those of 2}}
func.func @step(%x: tensor<8x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}) -> tensor<8x8xf32>
    attributes {prec.entry = "step"} {
  return %x : tensor<8x8xf32>
}
}
