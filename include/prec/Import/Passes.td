//===- Passes.td - passes of the Import phase --------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_IMPORT_PASSES_TD
#define PREC_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToTrain : Pass<"prec-convert-linalg-to-train", "::mlir::func::FuncOp"> {
  let summary = "write linalg on tensors as prec_train, arith, math and tensor operations";
  let description = [{
    For graphs of other compilers, before `--prec-raise-composites`: named and generic operations alike, judged by
    iterators, maps and payload.

    | linalg, and tensor | becomes |
    |---|---|
    | contractions of floats, batched or not, whatever their maps | `prec_train.matmul`, with transpositions and reshapes as needed |
    | convolutions over one to three dimensions, of any layout, grouped or depthwise, also as `linalg.generic` | `prec_train.conv`; zeros of a `tensor.pad` become its own |
    | loops without reductions: elementwise, broadcasts, transpositions, fills | the payload's operations on tensors, `prec_train.broadcast`, `prec_train.transpose` |
    | reductions that add, or take the largest or smallest | the same, then `prec_train.reduce` |
    | pooling and other windows, places by a division, diagonals, and other reductions (products, argmax) | written out: slices for each of at most 1024 places, combined or concatenated |
    | `tensor.extract` in payloads, `tensor.gather` | `prec_train.gather`; slices where places are known |
    | `tensor.scatter` | `prec_train.scatter_add`, and a selection |
    | `scf.for` that adds rows of one tensor, or elements, to places of another | `prec_train.scatter_add` |
    | `linalg.softmax` | `prec_train.softmax` |
    | `tensor.pad`, `tensor.insert_slice` | `tensor.concat` |
    | `scf.if` in payloads that looks nothing up | `arith.select` |

    f64 stays f64. Where the largest or smallest is taken, NaN is skipped (`arith.maximumf` propagates it). What a
    payload does besides computing its results, such as `cf.assert`, goes; indices are checked by
    `--prec-check-indices`. What is not converted is an error at its place: tensors of index or complex numbers, dynamic shapes, matmuls of
    whole numbers, scalar arguments, `linalg.pack`, other loops and branches of scf, and the like. `linalg.index` becomes `prec_train.iota` of i32. Calls
    must be inlined before.

    ```mlir
    %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%zero : tensor<4x16xf32>) -> tensor<4x16xf32>
    ```
    becomes
    ```mlir
    %y = prec_train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def SplitExperts : Pass<"prec-split-experts", "::mlir::ModuleOp"> {
  let summary = "divide experts among ranks (expert parallelism)";
  let description = [{
    For a mesh with several ranks along `ep`; without these it changes nothing. Each rank has tokens of its own, and a
    block of the experts of every layer. Of N ranks with T tokens each that choose K experts:

    - tokens, and the experts that they choose, are gathered from all ranks, once a token;
    - a rank sorts the pairs of a token and one of its own experts, by expert, rank and token, and computes these rows;
    - rows are weighed and those of a token added up, [N T, H]; each rank gets back those of its tokens, and adds them up
      in the order of ranks;
    - gradients go the same way, so that gradients of a rank's matrices are of all tokens.

    A rank has rows for T K `room` pairs, in multiples of 16, at most for all. Where its experts are chosen more often a
    result of role guard is 0 on all ranks. Then a step changes nothing, and the *crowded step* runs: the same, divided
    with rows for all pairs, in a module with the attribute `prec.crowded` within this one. There is none where all pairs
    have rows anyway. In it `prec_train.expert_rows` marks what computes rows, and what gathers tokens of all ranks.

    ```mlir
    %r = prec_train.gather %x, %token : (tensor<8x4xf32>, tensor<16xi32>) -> tensor<16x4xf32>
    %y = prec_train.grouped_matmul %r, %w, %ends : (tensor<16x4xf32>, tensor<4x4x6xf32>, tensor<4xi32>) -> tensor<16x6xf32>
    ```
    becomes, on two ranks,
    ```mlir
    %a = prec_train.exchange all_gather %x over "ep" : (tensor<8x4xf32>) -> tensor<2x8x4xf32>
    %t = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x8x4xf32> into tensor<16x4xf32>
    %r = prec_train.gather %t, %own_token : (tensor<16x4xf32>, tensor<32xi32>) -> tensor<32x4xf32>
    %y = prec_train.grouped_matmul %r, %w, %own_ends : (tensor<32x4xf32>, tensor<2x4x6xf32>, tensor<2xi32>) -> tensor<32x6xf32>
    ```

    Fails where there are no experts, where their number is no multiple of the ranks, where matrices are no parameters,
    and where rows are computed by something else than row by row.
  }];
  let options = [
    Option<"mesh", "mesh", "std::string", "\"ep=1\"", "ranks along each axis, such as ep=2">,
    Option<"room", "room", "double", "1.25", "rows that a rank has room for, over those that it gets if all get alike">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def SplitLayers : Pass<"prec-split-layers", "::mlir::ModuleOp"> {
  let summary = "divide layers among ranks (tensor parallelism)";
  let description = [{
    For a mesh with several ranks along `tp`; without these it changes nothing. All of them compute the same batch. A
    parameter is divided by what reads it: the weight of a product by columns where the product's other operand is
    whole, by rows where it is divided already. Attention is divided by heads. A product that contracts a divided
    dimension has a term of its sum on each rank; `prec_train.all_reduce` adds these up, once for all who read the sum,
    behind reshapes and additions of other such sums. Tables are divided by rows, which a rank looks up those of that it
    has; a loss reads logits that are divided by columns. What is not computed of slices (heads that cannot be divided
    by the number of ranks, an operation of whole rows) keeps the parameters whole that it reads slices of, with that
    reason.

    With `rows`, norms of whole rows, sums with a residual and what is elementwise behind a sum of terms are computed of
    a rank's rows, where the number of ranks divides the first dimension that is not 1. A rank's slice of the sum is
    `exchange own_slice` behind the `all_reduce`, which `--prec-decompose` makes one of; rows are read whole behind
    `exchange all_gather`. Without it every rank computes them of all rows.

    Arguments become slices, which `prec_train.shard` and `prec_train.shard_dim` say; files hold whole tensors.

    ```mlir
    %h = prec_train.matmul %x, %a {transpose_b} : (tensor<4x8xf32>, tensor<32x8xf32>) -> tensor<4x32xf32>
    %y = prec_train.matmul %h, %b {transpose_b} : (tensor<4x32xf32>, tensor<8x32xf32>) -> tensor<4x8xf32>
    ```
    becomes, on two ranks,
    ```mlir
    %h = prec_train.matmul %x, %a {transpose_b} : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    %p = prec_train.matmul %h, %b {transpose_b} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
    %y = prec_train.all_reduce %p over "tp" {ranks = 2 : i64, reason = "..."} : tensor<4x8xf32>
    ```

    Fails where nothing can be divided, and where the module has a mesh or another function already.
  }];
  let options = [Option<"mesh", "mesh", "std::string", "\"tp=1\"", "ranks along each axis, such as tp=2">,
                 Option<"rows", "rows", "bool", "true",
                        "between products ranks have rows of what no operation there mixes, instead of all rows">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def RaiseComposites : Pass<"prec-raise-composites", "::mlir::func::FuncOp"> {
  let summary = "find composites and their gradients among primitives";
  let description = [{
    Needs an imported graph: f32, one block. Replaces what is, by its
    mathematics, a composite of `prec_train` by that composite, whatever framework
    wrote it and in which order: `rms_norm`, `layer_norm`, `softmax` (all of
    the last dimension), `rope` and `cross_entropy`, each with its gradient.
    The gradient is looked for where the region of the composite's inputs meets
    an incoming gradient; terms that were added to the gradient of a residual
    stay outside. A rotation whose sequence is not the last dimension but one
    is transposed to have it there, and back. Values that are computed alike of constants alone,
    such as a table that each layer makes for itself, become one. Guarantees nothing: what is not recognized stays primitive,
    and is right as it is. Neither names nor locations are looked at. Last, sums of tensors that are zero but for pieces
    that do not overlap, as gradients of what is cut into pieces, become concatenations of these pieces. And a value of
    the forward that the backward reads, but could compute again by a few elementwise operations from what it reads
    anyway, is computed again.

    ```mlir
    %0 = arith.mulf %x, %x : tensor<4x8xf32>
    %1 = prec_train.reduce sum %0 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %2 = arith.divf %1, %eight : tensor<4xf32>
    %3 = arith.addf %2, %eps : tensor<4xf32>
    %4 = math.rsqrt %3 : tensor<4xf32>
    %5 = prec_train.broadcast %4 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %6 = arith.mulf %x, %5 : tensor<4x8xf32>
    %7 = prec_train.broadcast %g dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %8 = arith.mulf %6, %7 : tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %y, %rstd = prec_train.rms_norm %x, %g {eps = 9.99999997E-7 : f32} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
    ```
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "remark how many of each composite were found">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def VerifyImported : Pass<"prec-verify-imported", "::mlir::ModuleOp"> {
  let summary = "check that a function is a training step";
  let description = [{
    What the phases after Import, and whoever runs the step module, rely on:
    there is a function `@step` with a body; each of its arguments has a role
    and a path of its own; optimizer state names its parameter and its slot;
    each result is the one scalar f32 loss, a metric, or an updated value that
    is donated to an argument; a bias is an addition, no operand of a product.
    The passes themselves ask for none of it.

    ```mlir
    func.func @step(%p: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"})
        -> (tensor<f32> {prec_train.role = #prec_train.role<loss>},
            tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64})
    ```
  }];
}

def VerifySizes : Pass<"prec-verify-sizes"> {
  let summary = "refuse tensors of more bytes than a process can address";
  let description = [{
    A tensor of static shape takes at most 2^48 bytes, so that passes can count
    elements, bytes and operations in 64 bits. Every pipeline of the compiler
    begins with it, and so does each run of prec-opt.
  }];
}

#endif // PREC_IMPORT_PASSES_TD
