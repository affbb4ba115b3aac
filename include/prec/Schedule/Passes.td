//===- Passes.td - passes of the Schedule phase ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SCHEDULE_PASSES_TD
#define PREC_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

class AttentionLibraryOption<string description>
    : Option<"attentionLibrary", "attention-library", "::prec::AttentionLibrary",
             "::prec::AttentionLibrary::Any", description,
             [{::llvm::cl::values(
                 clEnumValN(::prec::AttentionLibrary::Any, "any", "all of it"),
                 clEnumValN(::prec::AttentionLibrary::CuDnn, "cudnn", "what cuDNN takes"),
                 clEnumValN(::prec::AttentionLibrary::CuDnnLargeHeads, "cudnn-large-heads", "what cuDNN takes on Hopper"),
                 clEnumValN(::prec::AttentionLibrary::None, "none", "none of it"))}]>;

def Decompose : Pass<"prec-decompose", "::mlir::ModuleOp"> {
  let summary = "write composites as primitives with explicit f32 arithmetic";
  let description = [{
    Needs a materialized graph (types say the formats). Guarantees that the
    only operations of `prec_train` left are `matmul`, `attention`,
    `attention_grad`, `conv`, `conv_grad_input`, `conv_grad_weight`,
    `grouped_matmul`, `grouped_matmul_grad` and data
    movement (`reduce`, `broadcast`, `transpose`, `iota`, `gather`, `sort_ids`,
    `scatter_add`), and of `prec` `quantize`, `dequantize` and
    `scaled_matmul`; everything else is `arith` and `math` on tensors.

    A composite computes in f32: operands of another format are extended
    first, results of another format are rounded once, by an `arith.truncf` on
    the result, and nowhere between. Phase, sequence number and location of a
    composite pass to its primitives. Constants are splats, one a value and
    type, at the head of the function, but for the tables that codes of 8 bits
    are looked up in; scalars that every parameter's optimizer
    update shares are computed once.

    - Sums and maxima over all elements have two levels: the last dimension,
      then the others. Squares of a gradient are summed as it lies, whatever its
      order of dimensions, in rows of no fewer than 32 elements.
    - The gradient of an embedding is summed in f32 and rounded once.
    - `adamw` has the roundings of torch.optim.AdamW on a CPU, fused
      multiply-adds included; its scalars (1 - beta^step and the like) are
      computed in f64 from the f32 hyper parameters and rounded to f32. So have
      `sgd`, `sgd_momentum` and `lion`, and `adafactor` but for the order of its
      sums, of which norms go on in f64. There are no other f64 values.
    - The code of 8 bits of a number comes from a table by the upper bits of the
      number and one comparison; what a code stands for, from another.
    - An amax skips NaN, and is 0 where there is nothing else. That of 128
      elements is a reduction of a reshape; whole blocks and shorter last ones
      are reduced apart.
    - A quantization by scales of rows or blocks multiplies by them, repeated for
      each element; the `prec.quantize` that stays has a scale of 1.
    - FP4 is packed from here on, in arguments and results of functions as well:
      an i8 holds two e2m1 that follow each other in a row, the first in its low
      half.

    Attention stays where `attention-library` takes it; the rest is written as
    matrix products and a softmax, which keep the scores in memory: query heads
    that share a key/value head become rows of one product, so keys and values
    are never repeated. A bias is added to the scores, and what causality and a
    window hide is minus infinity. Attention that cuDNN does not take is
    reported once, as a warning. Convolutions stay, or with
    `decompose-convolutions` become slices, one for each place of the kernel,
    and a product. Grouped products stay, or with `decompose-grouped` become a
    product of all rows for each group.

    ```mlir
    %a = prec.amax %x : tensor<4x8xbf16>
    ```
    becomes
    ```mlir
    %0 = arith.extf %x : tensor<4x8xbf16> to tensor<4x8xf32>
    %1 = math.absf %0 : tensor<4x8xf32>
    %2 = prec_train.reduce max %1 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %3 = prec_train.reduce max %2 dims [0] : (tensor<4xf32>) -> tensor<f32>
    %a = arith.maxnumf %3, %zero : tensor<f32>
    ```
  }];
  let options = [
    AttentionLibraryOption<"attention that stays a library call">,
    Option<"decomposeConvolutions", "decompose-convolutions", "bool", "false",
           "write convolutions as slices and products">,
    Option<"decomposeGrouped", "decompose-grouped", "bool", "false",
           "write grouped products as a product of all rows for each group">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def LayOutAttention : Pass<"prec-lay-out-attention", "::mlir::func::FuncOp"> {
  let summary = "read and write attention's tensors where they are";
  let description = [{
    Needs a materialized graph. What `attention-library` takes of attention
    becomes `prec_sched.sdpa` and `prec_sched.sdpa_grad`; the rest stays. Library calls
    take strides, so transpositions and slices around them cost nothing:

    - an operand that is a transposition is read in the order of what is
      transposed, also if rope or elementwise operations come between, which are
      then computed in that order; they must have no other use;
    - a result that is transposed by those who read it, also behind rope or
      elementwise operations, is written as they want it; where they want
      different orders, in the one in which most elements are read. It is a
      matrix then, of the first two and the last two dimensions;
    - columns of a matrix are read in the matrix, unless the backward would keep
      more of it for that than attention reads.

    A slice is read in place where strides and offset are multiples of 16 bytes.
    A bias is read as it lies.

    ```mlir
    %t = prec_train.transpose %x permutation [0, 2, 1, 3] : (tensor<4x8x2x16xbf16>) -> tensor<4x2x8x16xbf16>
    %y, %lse = prec_train.attention %t, %t, %t {scale = 0.25 : f32} : ...
    ```
    becomes
    ```mlir
    %y, %lse = prec_sched.sdpa %x, %x, %x {scale = 0.25 : f32, views = [
      #prec_sched.view<[4, 2, 8, 16] strides [256, 16, 32, 1]>, ...]} : ...
    ```
  }];
  let options = [
    AttentionLibraryOption<"attention that is a library call">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::prec::sched::SchedDialect",
                           "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def DeferTransposes : Pass<"prec-defer-transposes", "::mlir::func::FuncOp"> {
  let summary = "make transposed copies for the backward in the backward";
  let description = [{
    Needs primitives (`--prec-decompose`). Products of FP8 matrices multiply along
    rows only, so the gradient of a weight reads a transposed copy of an
    activation. Where that copy is computed element by element from values that
    the backward keeps anyway (gate and up of SwiGLU, the input and the
    statistics of a norm, the output of attention), it is computed there, with
    the scale and so the bits that it had, instead of being kept from the
    forward: just before it is first read or, if the backward computes another
    transposed copy from the same values, behind that one, so that one kernel
    can write both from one read; what reads it moves with it.

    Copies stay in the forward if they would have to read more than three times
    their own bytes for themselves alone.

    ```mlir
    %q = prec.quantize %x, %s
    %t = prec_train.transpose %q permutation [1, 0]
    %y = prec.scaled_matmul %q ...
    %g = prec.scaled_matmul %d ..., %t ... {prec_train.phase = #prec_train.phase<backward>}
    ```
    becomes
    ```mlir
    %q = prec.quantize %x, %s
    %y = prec.scaled_matmul %q ...
    %r = prec.quantize %x, %s {prec_train.phase = #prec_train.phase<recompute>}
    %t = prec_train.transpose %r permutation [1, 0] {prec_train.phase = #prec_train.phase<recompute>}
    %g = prec.scaled_matmul %d ..., %t ... {prec_train.phase = #prec_train.phase<backward>}
    ```
    if the backward reads `%x`, too.
  }];
  let dependentDialects = ["::prec::train::TrainDialect"];
}

def RecomputeActivations : Pass<"prec-recompute-activations", "::mlir::func::FuncOp"> {
  let summary = "compute activations again in the backward instead of keeping them";
  let description = [{
    Needs a materialized graph. Of the operations whose results the backward
    reads, the `count` that save a byte at the least cost are computed again
    just before it first does, with all that they are computed from and that
    nobody keeps. Cost is memory traffic, and of contractions and attention also
    arithmetic, as many operations to a byte as the machine's file says. Operations that were copied have the
    phase `recompute` and give the same bits: values below 64 KiB, scales among
    them, are always kept.

    ```mlir
    %h = math.exp %x
    %y = prec_train.matmul %h, %w
    %g = arith.mulf %dh, %h {prec_train.phase = #prec_train.phase<backward>}
    ```
    becomes, with `count=1`,
    ```mlir
    %h = math.exp %x
    %y = prec_train.matmul %h, %w
    %r = math.exp %x {prec_train.phase = #prec_train.phase<recompute>}
    %g = arith.mulf %dh, %r {prec_train.phase = #prec_train.phase<backward>}
    ```
  }];
  let options = [
    Option<"count", "count", "unsigned", "0", "operations to compute again">,
    Option<"target", "target", "std::string", "\"sm_90a\"",
           "whose machine costs are of (sm_90a)">,
    Option<"machine", "machine", "std::string", "\"\"",
           "file of another device of the target, instead of its built-in one">,
  ];
  let dependentDialects = ["::prec::PrecDialect", "::prec::train::TrainDialect"];
}

def ChunkLoss : Pass<"prec-chunk-loss", "::mlir::func::FuncOp"> {
  let summary = "compute logits, loss and gradient in chunks of rows";
  let description = [{
    Needs primitives (`--prec-decompose`). Logits are what a product of the forward
    gives that no other product of it follows from. Those of more than `bytes`
    are computed in the fewest equal chunks of rows, multiples of 128 where all
    rows are and else of 16, that have at most so many, or in the most that there are; with them whatever gives a
    row from a row: losses, gradients, their quantized copies. A chunk ends in
    the products that read such rows: each gives rows of its result or, where
    it sums over rows, a term of it. Terms are added in f32 in the order of
    chunks and rounded once, as the whole sum was. One number a row is joined
    for what needs those of all rows, such as the loss; every number but those
    sums has the bits that it had. A chunk is done before the next begins.

    Logits stay whole, and a remark says why, where a chunk needs something of
    all rows: a scale of their gradient that comes from its largest value, an
    output of the step.

    ```mlir
    %l = prec_train.matmul %h, %w {transpose_b}
    %s = prec_train.reduce sum %l dims [1]
    %g = math.exp %l
    %d = prec_train.matmul %g, %h {transpose_a}
    ```
    becomes, in two chunks,
    ```mlir
    %h0 = tensor.extract_slice %h[0, 0] [16, 8] [1, 1]
    %l0 = prec_train.matmul %h0, %w {transpose_b}
    %s0 = prec_train.reduce sum %l0 dims [1]
    %g0 = math.exp %l0
    %d0 = prec_train.matmul %g0, %h0 {transpose_a}
    %h1 = tensor.extract_slice %h[16, 0] [16, 8] [1, 1]
    ...
    %d = arith.addf %d0, %d1
    %s = tensor.concat dim(0) %s0, %s1
    ```
  }];
  let options = [
    Option<"bytes", "bytes", "int64_t", "int64_t(1) << 30", "of a chunk's logits at most">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::prec::train::TrainDialect"];
}

def BatchReductions : Pass<"prec-batch-reductions", "::mlir::func::FuncOp"> {
  let summary = "finish several reductions at once";
  let description = [{
    Needs primitives (`--prec-decompose`). The last levels of up to 16 reductions to
    one number, of equally many partial results each, become one reduction of as
    many rows where nobody waits for their results: amaxes that later steps read,
    the norm's sums. What is computed of their results alone moves behind it.
    What is left of many takes some of the batch before it once more, so that
    all are one kernel. Every number has the bits that it had.

    ```mlir
    %a = prec_train.reduce max %x dims [0] : (tensor<8xf32>) -> tensor<f32>
    %b = prec_train.reduce max %y dims [0] : (tensor<8xf32>) -> tensor<f32>
    ```
    becomes
    ```mlir
    %c = tensor.concat dim(0) %x1, %y1 : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
    %r = prec_train.reduce max %c dims [1] : (tensor<2x8xf32>) -> tensor<2xf32>
    ```
    and extractions of the two numbers.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def WidenRows : Pass<"prec-widen-rows", "::mlir::func::FuncOp"> {
  let summary = "compute what is read of a padded product for all of its columns";
  let description = [{
    Needs primitives (`--prec-decompose`). Between a slice of the first columns of
    a matrix and a concatenation of columns with zeros, as `--prec-pad-products`
    makes them, what is elementwise or reduces rows is computed for all columns:
    reductions see neutral elements behind the slice, and the zeros are selected.

    ```mlir
    %l = tensor.extract_slice %p[0, 0] [4, 6] [1, 1] : tensor<4x8xf32> to tensor<4x6xf32>
    %e = math.exp %l : tensor<4x6xf32>
    %s = prec_train.reduce sum %e dims [1] : (tensor<4x6xf32>) -> tensor<4xf32>
    %c = tensor.concat dim(1) %e, %zeros : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %e = math.exp %p : tensor<4x8xf32>
    %i = prec_train.iota dim 1 : tensor<4x8xi32>
    %in = arith.cmpi slt, %i, %six : tensor<4x8xi32>
    %t = arith.select %in, %e, %zeros : tensor<4x8xi1>, tensor<4x8xf32>
    %s = prec_train.reduce sum %t dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    ```
    and the same selection in place of the concatenation. Every number has the
    bits that it had, but for the order of sums.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def FoldScatterAdd : Pass<"prec-fold-scatter-add", "::mlir::func::FuncOp"> {
  let summary = "add rows straight to the table that their sums are added to";
  let description = [{
    Needs primitives (`--prec-decompose`). Where the sums of a scatter-add into zeros
    are all rounded, the table has the rounded format from the start; where they
    are all added to another tensor of that format that an operation computes and
    nothing else reads, that tensor is the table. With tied weights it is the
    head's gradient: no table of zeros is filled, read and added, and rows whose
    id does not occur are not touched. Every number has the bits that it had,
    but for the sign of a zero in rows that are not touched.

    ```mlir
    %s = prec_train.scatter_add %zeros, %i, %u : (tensor<16x8xf32>, tensor<4xi32>, tensor<4x8xbf16>) -> tensor<16x8xf32>
    %t = arith.truncf %s : tensor<16x8xf32> to tensor<16x8xbf16>
    %w = prec_train.matmul %d, %h {transpose_a} : (tensor<4x16xbf16>, tensor<4x8xbf16>) -> tensor<16x8xbf16>
    %a = arith.extf %w : tensor<16x8xbf16> to tensor<16x8xf32>
    %b = arith.extf %t : tensor<16x8xbf16> to tensor<16x8xf32>
    %c = arith.addf %a, %b : tensor<16x8xf32>
    %g = arith.truncf %c : tensor<16x8xf32> to tensor<16x8xbf16>
    ```
    becomes
    ```mlir
    %w = prec_train.matmul %d, %h {transpose_a} : (tensor<4x16xbf16>, tensor<4x8xbf16>) -> tensor<16x8xbf16>
    %g = prec_train.scatter_add %w, %i, %u : (tensor<16x8xbf16>, tensor<4xi32>, tensor<4x8xbf16>) -> tensor<16x8xbf16>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::prec::train::TrainDialect"];
}

def CompactTables : Pass<"prec-compact-tables", "::mlir::func::FuncOp"> {
  let summary = "keep sums of few rows of a table side by side";
  let description = [{
    Needs primitives (`--prec-decompose`). Where a scatter-add into zeros has at most
    half as many ids as the table has rows, and its result is read by operations
    on single elements and by reductions, as the gradient of an embedding is by
    the optimizer and the norm, the sums are kept without the rows of zeros, in the
    order of the sorted ids. Readers look their rows up. A sum of squares of the
    table is one of the rows that there are: it alone may change, by the order in
    which they are added.

    ```mlir
    %t = prec_train.scatter_add %zeros, %i, %u sorted %s : (tensor<64x8xbf16>, tensor<4xi32>, tensor<4x8xbf16>, tensor<2x4xi32>) -> tensor<64x8xbf16>
    %w = arith.extf %t : tensor<64x8xbf16> to tensor<64x8xf32>
    ```
    becomes, with `%first` the number of each row's sums, and `%own` and `%order` those of the ids,
    ```mlir
    %c = prec_train.scatter_add %zeros, %own, %u sorted %order : (tensor<5x8xbf16>, tensor<4xi32>, tensor<4x8xbf16>, tensor<2x4xi32>) -> tensor<5x8xbf16>
    %n = arith.fptosi %first : tensor<64xf32> to tensor<64xi32>
    %t = prec_train.gather %c, %n : (tensor<5x8xbf16>, tensor<64xi32>) -> tensor<64x8xbf16>
    %w = arith.extf %t : tensor<64x8xbf16> to tensor<64x8xf32>
    ```
  }];
  let options = [Option<"leastBytes", "least-bytes", "int64_t", "67108864",
                        "bytes that a step moves less, at least, for its launches">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def SplitJoinedRows : Pass<"prec-split-joined-rows", "::mlir::func::FuncOp"> {
  let summary = "reduce and quantize matrices before they are put side by side";
  let description = [{
    Needs primitives (`--prec-decompose`). Where equal matrices that are rounded are
    put side by side, and read by nothing but largest or least elements of rows and
    operations on single elements, these are computed for each matrix. So the
    kernel that computes the matrices can reduce and quantize them. No bits change.

    ```mlir
    %c = tensor.concat dim(1) %a, %b : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x16xbf16>
    %m = prec_train.reduce max %c dims [1] : (tensor<4x16xbf16>) -> tensor<4xbf16>
    %q = prec.quantize %c, %one : tensor<4x16xbf16> to tensor<4x16xf8E5M2>
    ```
    becomes
    ```mlir
    %ma = prec_train.reduce max %a dims [1] : (tensor<4x8xbf16>) -> tensor<4xbf16>
    %mb = prec_train.reduce max %b dims [1] : (tensor<4x8xbf16>) -> tensor<4xbf16>
    %m = arith.maxnumf %ma, %mb : tensor<4xbf16>
    %qa = prec.quantize %a, %one : tensor<4x8xbf16> to tensor<4x8xf8E5M2>
    %qb = prec.quantize %b, %one : tensor<4x8xbf16> to tensor<4x8xf8E5M2>
    %q = tensor.concat dim(1) %qa, %qb : (tensor<4x8xf8E5M2>, tensor<4x8xf8E5M2>) -> tensor<4x16xf8E5M2>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def JoinMoments : Pass<"prec-join-moments", "::mlir::func::FuncOp"> {
  let summary = "take sums over columns and of squares about their mean in one pass";
  let description = [{
    Needs primitives (`--prec-decompose`). A sum over leading or middle dimensions of
    squares of `x - b`, where `b` follows from the sum of `x` over the same
    dimensions, would read `x` a second time. Both are taken of the differences
    from the first row of each group of rows, and the numbers of groups are put
    together afterwards, as is what `b` differs from the mean. No large mean
    cancels digits: of a group of n rows whose first differs from the mean by d,
    the relative error is that of a sum of squares times 1 + d^2 / variance,
    which is 2 in the mean over rows in any order and at most 1 + n.

    Tensors of fewer than 65,536 elements stay as they are.

    ```mlir
    %s = prec_train.reduce sum %x dims [0] : (tensor<1024x64xf32>) -> tensor<64xf32>
    %m = arith.divf %s, %n : tensor<64xf32>
    %b = prec_train.broadcast %m dims [1] : (tensor<64xf32>) -> tensor<1024x64xf32>
    %d = arith.subf %x, %b : tensor<1024x64xf32>
    %q = arith.mulf %d, %d : tensor<1024x64xf32>
    %v = prec_train.reduce sum %q dims [0] : (tensor<1024x64xf32>) -> tensor<64xf32>
    ```
    becomes, for each of eight groups `%g` of 128 rows, of which `%f` are the first ones,
    ```mlir
    %d = arith.subf %g, %f : tensor<8x128x64xf32>
    %q = arith.mulf %d, %d : tensor<8x128x64xf32>
    %s = prec_train.reduce sum %d dims [1] : (tensor<8x128x64xf32>) -> tensor<8x64xf32>
    %t = prec_train.reduce sum %q dims [1] : (tensor<8x128x64xf32>) -> tensor<8x64xf32>
    ```
    and the mean and `%v` from these.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"",
           "whose machine says how many groups (sm_90a)">,
    Option<"machine", "machine", "std::string", "\"\"",
           "file of another device of the target, instead of its built-in one">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def JoinArguments : Pass<"prec-join-arguments", "::mlir::ModuleOp"> {
  let summary = "lay arguments that are concatenated one behind the other";
  let description = [{
    Gives arguments that a function concatenates along the first dimension
    `prec_sched.behind`, the number of the one in front, by which SegmentLayout places
    them one behind the other: then nothing is copied for the concatenation.

    ```mlir
    func.func @step(%a: tensor<4x32xf32>, %x: tensor<8x32xf32>, %b: tensor<2x32xf32>) -> tensor<8x6xf32> attributes {prec.entry = "step"} {
      %w = tensor.concat dim(0) %a, %b : (tensor<4x32xf32>, tensor<2x32xf32>) -> tensor<6x32xf32>
    ```
    gives `%b` the attribute `prec_sched.behind = 0`.

    Arguments stay where they are, and a kernel copies them for the
    concatenation, where they are not state, where one is concatenated twice or
    beside others already (also in an earlier function: arguments of one name
    are the same bytes), or where the bytes of one that others follow are no
    multiple of 256.
  }];
  let dependentDialects = ["::prec::sched::SchedDialect"];
}

def FormDispatches : Pass<"prec-form-dispatches", "::mlir::func::FuncOp"> {
  let summary = "group primitives into kernels and library calls";
  let description = [{
    Needs primitives (`--prec-decompose`). Guarantees that the function holds only
    operations of `prec_sched`, reshapes (views of the same bytes), joins along the
    first dimension of what products compute or of arguments that lie one behind
    the other (`--prec-join-arguments`) and its terminator, in an order that keeps to
    the program where dependences allow.

    Roundings, reductions and whatever a library call or the caller reads are
    computed once; every other elementwise value is recomputed where it is
    read. A kernel collects what walks the same iteration space. A reduction over
    many rows is divided in two; the first one, over groups of rows, is computed
    where the rows are reduced if that kernel reads the same data and has room
    for it. No rounding is added or removed. Terms of one product (of one
    `prec_train.seq`) that are added one after the other in f32 are added by the
    library, each into the sum of those before it.

    What is stored, computed again or waited for is decided by costs, which
    are those of a machine (`schedule` in its file, targets/NAME.json).

    Fails on an operation that no kernel computes.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"",
           "whose machine costs are of (sm_90a)">,
    Option<"machine", "machine", "std::string", "\"\"",
           "file of another device of the target, instead of its built-in one">,
    Option<"sumsWait", "sums-wait", "bool", "true",
           "sums of gradients, of norms and biases, are kept until they share launches">,
  ];
  let statistics = [
    Statistic<"kernels", "kernels", "dispatches that were formed">,
    Statistic<"libraryCalls", "library-calls", "products, attentions and other calls of a library">,
  ];
  let dependentDialects = [
    "::prec::PrecDialect", "::prec::sched::SchedDialect",
    "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect",
  ];
}

def PrefetchGathers : Pass<"prec-prefetch-gathers", "::mlir::func::FuncOp"> {
  let summary = "gather what does not depend on the batch before it is read";
  let description = [{
    Needs functions of `prec_sched` operations, reshapes and joins
    (`--prec-form-dispatches`). Moves all-gathers of what the batch has no part in,
    and what makes their inputs, in front of commands that by the costs of the
    machine file take as long as the gather does: so `--prec-overlap-exchanges` can
    hide it. At most a few buckets are gathered before they are read. Nothing is
    moved back.

    ```mlir
    %y = prec_sched.gemm %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %w = prec_sched.exchange all_gather %p over "dp" : (tensor<32x64xf32>) -> tensor<2x32x64xf32>
    %z = prec_sched.gemm %y, %w ...
    ```
    becomes
    ```mlir
    %w = prec_sched.exchange all_gather %p over "dp" : (tensor<32x64xf32>) -> tensor<2x32x64xf32>
    %y = prec_sched.gemm %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %z = prec_sched.gemm %y, %w ...
    ```
  }];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "int64_t", "67108864",
           "as --prec-overlap-exchanges has it">,
    Option<"target", "target", "std::string", "\"sm_90a\"",
           "whose machine costs are of (sm_90a)">,
    Option<"machine", "machine", "std::string", "\"\"",
           "file of another device of the target, instead of its built-in one">,
  ];
}

def OverlapExchanges : Pass<"prec-overlap-exchanges", "::mlir::func::FuncOp"> {
  let summary = "let exchanges between ranks run beside other commands";
  let description = [{
    Needs functions of `prec_sched` operations, reshapes and joins
    (`--prec-form-dispatches`). Gives every exchange that sends something a
    `bucket`. Those of one bucket stand one behind the other, and begin together;
    buckets run one after the other, in the order of their numbers, beside the
    commands that stand behind them. A `prec_sched.await` stands in front of the
    first command that reads a result of a bucket, or where the exchanges have
    ended by the costs of the machine file: up to it nothing may overwrite their
    inputs, so that the memory plan of the one line of commands is right for
    both.

    A bucket is full once a rank gets `bucket-bytes` of the others by it, and
    begins then, or where somebody reads a result. Other commands keep their
    order. A remark says what exchanges take, and what of it others wait for.

    ```mlir
    %s0 = prec_sched.exchange all_to_all %g0 over "dp" {bucket = 0 : i64} : (tensor<2x4xbf16>) -> tensor<2x4xbf16>
    %s1 = prec_sched.exchange all_to_all %g1 over "dp" {bucket = 0 : i64} : (tensor<2x4xbf16>) -> tensor<2x4xbf16>
    %dx = prec_sched.gemm %dy, %w : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
    prec_sched.await 0 (%g0, %s0, %g1, %s1) : tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>
    ```

    Changes nothing where nothing is exchanged. Fails where an exchange has a
    bucket already.
  }];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "int64_t", "67108864",
           "bytes that a rank gets of the others by exchanges that begin together">,
    Option<"target", "target", "std::string", "\"sm_90a\"",
           "whose machine costs are of (sm_90a)">,
    Option<"machine", "machine", "std::string", "\"\"",
           "file of another device of the target, instead of its built-in one">,
  ];
  let dependentDialects = ["::prec::sched::SchedDialect"];
}

def PlanMemory : Pass<"prec-plan-memory", "::mlir::ModuleOp"> {
  let summary = "give every value its place in a segment of the step module";
  let description = [{
    Needs functions of `prec_sched` operations, reshapes and joins
    (`--prec-form-dispatches`). The pieces of a join lie one behind the other, so that
    it moves nothing. Guarantees that every `prec_sched` operation has `placements`
    and an `id`, and that every result of a function is where it is due:

    - arguments are in `state`, or in `input` if they are a batch or a hyper
      parameter; see SegmentLayout in MemoryPlan.h for their order, which those
      with `prec_sched.behind` leave;
    - a donated result is in the storage of its argument: computed straight
      into it if nobody reads the old value any more or if the operation may
      overwrite it in place, otherwise copied there by a `prec_sched.copy` as soon as
      the last reader is done;
    - results of @init are in the storage of the argument of @step with their
      path and slot; loss and metrics are in `output`;
    - everything else is in the arena `workspace`, which functions share. Values
      live from the operation that computes them to the last that reads them,
      in program order; a result that may overwrite a dying operand of its size
      takes its place. Besides what `inplace` and the `init` of a gemm permit,
      that is any dispatch by elements or rows whose input has the type of the
      result and is read element by element, or in reductions of its own row.

    `inplace` of a dispatch permits before this pass and states afterwards: an
    entry that was not used becomes -1, and one that was found here is set. Ids count in program order, first in
    @step, then in the other functions.

    `report` writes what lives where and from when to when: as a page to look at
    if the file's name ends in .html, else as JSON (docs/Memory.md).

    Fails on other operations, on memory that is planned already, and when the
    report cannot be written.
  }];
  let options = [
    Option<"report", "report", "std::string", "\"\"", "file that what lives in memory is written to: a page to look at if it ends in .html, else JSON">,
  ];
  let dependentDialects = ["::prec::sched::SchedDialect"];
}

def OrderRows : Pass<"prec-order-rows", "::mlir::func::FuncOp"> {
  let summary = "compute rows in the order of what they look up";
  let description = [{
    Needs dispatches (`--prec-form-dispatches`). A `row` dispatch that looks up
    rows of a table of more than 16 MiB, each several times, by positions that a
    sort found, gets the sort of these for its `order`, where that is computed
    before: rows that look up the same row follow each other, and memory is
    asked for it once.

    ```mlir
    %p = tensor.extract_slice %sort[1, 0] [1, 32] [1, 1] : tensor<2x32xi32> to tensor<1x32xi32>
    %q = tensor.extract_slice %sort_of_p[1, 0] [1, 32] [1, 1] : tensor<2x32xi32> to tensor<1x32xi32>
    %r = prec_sched.dispatch <row> "rows"(%table, %p, %q) {order = 2 : i64} : ...
    ```
  }];
}

def VerifySchedule : Pass<"prec-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "check that a planned module computes what it says";
  let description = [{
    Needs planned functions (`--prec-plan-memory`), whoever planned them. Runs the
    program on an abstract memory that remembers which value owns which bytes,
    and fails where

    - (c1) a function holds something else than `prec_sched` operations, reshapes and
      joins;
    - (c2) an operation has no id or no placements;
    - (c3) ids do not ascend in program order, or two functions share one;
    - (c4) an offset is negative or not a multiple of 256;
    - (c5) a result is outside the workspace, but not where a result of the
      function is due;
    - (c6) two results of an operation overlap;
    - (c7) a result overlaps an operand that it may not overwrite, or only in
      part;
    - (c8) an operation reads bytes that another value has overwritten;
    - (c9) a dispatch says that it works in place but does not, or the other
      way round;
    - (c10) a result of the function is not where it is due when the function
      returns;
    - (c11) an argument that nothing is donated to was overwritten;
    - (c12) arguments that share a name differ in type;
    - (c13) pieces that are joined do not lie one behind the other;
    - (c15) an exchange is of other ranks than the module's mesh has;
    - (c16) exchanges of one bucket do not stand one behind the other, or buckets
      do not count from 0 on in program order;
    - (c17) a bucket is not awaited once, behind its exchanges, with what these
      read and make;
    - (c18) a result of an exchange is read before its bucket is awaited.

    Changes nothing.
  }];
  let dependentDialects = ["::prec::sched::SchedDialect"];
}

#endif // PREC_SCHEDULE_PASSES_TD
