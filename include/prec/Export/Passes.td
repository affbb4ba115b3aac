//===- Passes.td - passes that write graphs for hosts ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_EXPORT_PASSES_TD
#define PREC_EXPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertPrecToLinalg : Pass<"prec-convert-prec-to-linalg", "::mlir::ModuleOp"> {
  let summary = "write a materialized graph in operations of upstream dialects alone";
  let description = [{
    For hosts that generate code themselves, which then need nothing of prec. Needs what `--prec-decompose` leaves
    where it keeps no library call; the pipeline `prec-to-linalg` runs both.

    | of prec | becomes |
    |---|---|
    | `prec.quantize` | `x * scale` in f32, clamped to the largest finite value of the format, `arith.truncf`; NaN of e2m1 is 6 |
    | `prec.dequantize` | `arith.extf`, `* scale_inv`, `arith.truncf` |
    | `prec.scaled_matmul`, scales of tensors or rows | `linalg.matmul` of the narrow operands with f32 sums, which the inverse scales multiply |
    | the same, scales of f32 blocks | `linalg.batch_matmul` with sums of each block of the contracted dimension, which inverse scales multiply before they are added |
    | the same, microscaled | `linalg.generic` over blocks whose payload scales both elements (`arith.scaling_extf` where inverse scales are e8m0), multiplies and adds |
    | `prec_train.matmul` | `linalg.matmul`, `linalg.batch_matmul` or `linalg.contract` with f32 sums, `arith.truncf` |
    | `prec_train.reduce`, `broadcast`, `transpose` | the operations of these names of linalg; sums in f32 |
    | `prec_train.iota`, `gather` | `linalg.generic` with `linalg.index`, with `tensor.extract`; an index outside of the table is the nearest one |
    | `prec_train.scatter_add` | `scf.for` over the updates, one row at a time; `prec_train.sort_ids` goes |
    | arith, math and tensor operations | stay as they are, on tensors |

    Elementwise arithmetic stays on tensors, one operation for each rounding, because that is what loses nothing:
    `--convert-elementwise-to-linalg` makes `linalg.generic` of it where a host wants that, and no pass makes tensors of
    a payload. Packed e2m1, two in an i8, is unpacked where a product reads it.

    Scales that are carried between steps, loss scales and seeds of random bits are arguments and results as in the
    graph. Attributes of prec are no part of the result: of functions, arguments and results those become
    `prec_host.NAME` that can be said by upstream attributes (roles, paths, defaults, what a result is donated to), all
    others go. What cannot be written is an error at its place, and nothing is changed then: composites, calls of the
    user's own functions, a schedule.

    ```mlir
    %q = prec.quantize %x, %s : tensor<4x8xf32> to tensor<4x8xf8E4M3FN>
    ```
    becomes
    ```mlir
    %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4x8xf32>) dimensions = [0, 1]
    %m = arith.mulf %x, %b : tensor<4x8xf32>
    %l = arith.maximumf %m, %least : tensor<4x8xf32>
    %c = arith.minimumf %l, %largest : tensor<4x8xf32>
    %q = arith.truncf %c : tensor<4x8xf32> to tensor<4x8xf8E4M3FN>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // PREC_EXPORT_PASSES_TD
