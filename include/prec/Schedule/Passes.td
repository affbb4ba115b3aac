//===- Passes.td - passes of the Schedule phase ------------*- tablegen -*-===//
#ifndef PREC_SCHEDULE_PASSES_TD
#define PREC_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def Decompose : Pass<"decompose", "::mlir::ModuleOp"> {
  let summary = "write composites as primitives with explicit f32 arithmetic";
  let description = [{
    Needs a materialized graph (types say the formats). Guarantees that the
    only operations of `train` left are `matmul`, `attention`,
    `attention_grad` and data movement (`reduce`, `broadcast`, `transpose`,
    `iota`, `gather`, `scatter_add`), and of `prec` `quantize`, `dequantize` and
    `scaled_matmul`; everything else is `arith` and `math` on tensors.

    A composite computes in f32: operands of another format are extended
    first, results of another format are rounded once, by an `arith.truncf` on
    the result, and nowhere between. Phase, sequence number and location of a
    composite pass to its primitives. Constants are splats, one a value and
    type, at the head of the function; scalars that every parameter's optimizer
    update shares are computed once.

    `attention-decompose` also writes attention as matrix products and a
    softmax, for targets without a library for it: query heads that share a
    key/value head become rows of one product, so keys and values are never
    repeated in memory.

    ```mlir
    %a = prec.amax %x : tensor<4x8xbf16>
    ```
    becomes
    ```mlir
    %0 = arith.extf %x : tensor<4x8xbf16> to tensor<4x8xf32>
    %1 = math.absf %0 : tensor<4x8xf32>
    %2 = train.reduce max %1 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %a = train.reduce max %2 dims [0] : (tensor<4xf32>) -> tensor<f32>
    ```
  }];
  let options = [
    Option<"attentionDecompose", "attention-decompose", "bool", "false",
           "also decompose attention and its gradient">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::train::TrainDialect"];
}

def FormDispatches : Pass<"form-dispatches", "::mlir::func::FuncOp"> {
  let summary = "group primitives into kernels and library calls";
  let description = [{
    Needs primitives (`--decompose`). Guarantees that the function holds only
    operations of `sched`, reshapes (views of the same bytes) and its
    terminator, in an order that keeps to the program where dependences allow.

    Roundings, reductions and whatever a library call or the caller reads are
    computed once; every other elementwise value is recomputed where it is
    read. A kernel collects what walks the same iteration space. No rounding is
    added or removed.

    Fails on an operation that no kernel computes.
  }];
  let dependentDialects = ["::mlir::sched::SchedDialect", "::mlir::train::TrainDialect"];
}

#endif // PREC_SCHEDULE_PASSES_TD
