// Passes leave functions alone that are no graphs: scalars, unknown and dynamic
// shapes, control flow, regions, operations without results.

// RUN: prec-opt %s -o %t.before.mlir
// RUN: prec-opt %s --prec-batch-reductions -o %t.mlir && diff %t.before.mlir %t.mlir
// RUN: prec-opt %s --prec-form-dispatches -o %t.mlir && diff %t.before.mlir %t.mlir
// RUN: prec-opt %s --prec-recompute-activations=count=3 -o %t.mlir && diff %t.before.mlir %t.mlir
// RUN: prec-opt %s --prec-defer-transposes --prec-fold-scatter-add --prec-chunk-loss=bytes=1024 --prec-lay-out-attention --prec-decompose -o %t.mlir && diff %t.before.mlir %t.mlir
// RUN: prec-opt %s --prec-join-arguments --prec-plan-memory --prec-verify-schedule -o %t.mlir && diff %t.before.mlir %t.mlir
// RUN: prec-opt %s --prec-flatten-products --prec-fold-bias --prec-quantize-moments -o %t.mlir && diff %t.before.mlir %t.mlir
// RUN: prec-opt %s --prec-codegen-cpu -o /dev/null

func.func private @external(tensor<4xf32>) -> tensor<4xf32>

func.func @scalar(%a: f32) -> f32 {
  %b = arith.addf %a, %a : f32
  return %b : f32
}

func.func @index(%a: index) -> index {
  return %a : index
}

func.func @nothing() {
  return
}

func.func @dynamic(%x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %d = tensor.dim %x, %n : tensor<?x4xf32>
  %e = tensor.empty(%d) : tensor<?x4xf32>
  %y = arith.addf %x, %e : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  %y = math.exp %x : tensor<*xf32>
  return %y : tensor<*xf32>
}

func.func @indices(%x: tensor<4xindex>, %z: tensor<4xcomplex<f32>>) -> (tensor<4xindex>, tensor<4xcomplex<f32>>) {
  return %x, %z : tensor<4xindex>, tensor<4xcomplex<f32>>
}

func.func @branches(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %c, ^a, ^b(%x : tensor<4xf32>)
^a:
  %y = arith.negf %x : tensor<4xf32>
  cf.br ^b(%y : tensor<4xf32>)
^b(%z: tensor<4xf32>):
  return %z : tensor<4xf32>
}

func.func @region(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = scf.if %c -> (tensor<4xf32>) {
    %n = arith.negf %x : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

func.func @generic(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %y : tensor<4xf32>
}

func.func @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  call @nothing() : () -> ()
  return %x : tensor<4xf32>
}
