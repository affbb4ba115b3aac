//===- Passes.td - tags to types and operations ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_MATERIALIZE_PASSES_TD
#define PREC_MATERIALIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerProducts : Pass<"prec-lower-products", "::mlir::func::FuncOp"> {
  let summary = "write products of other dialects that read fp8 or fp4 as prec_train.matmul";
  let description = [{
    Needs tags. A contraction of another compiler's dialect, known by PrecisionOpInterface, becomes what its
    DecomposeOpInterface builds, if it is to read FP8 or FP4: only `prec_train.matmul` has a scaled form. Its tags move to
    the matmul. Contractions in wider formats stay until `--prec-decompose`.

    Fails where an operation decomposes into no matmul or into several, or the matmul reads what is computed of an
    operand.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
                           "::prec::train::TrainDialect"];
}

def FlattenProducts : Pass<"prec-flatten-products", "::mlir::func::FuncOp"> {
  let summary = "drop batch dimensions of 1 of products that read fp8 or fp4";
  let description = [{
    Needs tags. Legality asks how many matrices a product multiplies, scaled
    products whether there are batch dimensions: this makes it one question.

    ```mlir
    %y = prec_train.matmul %x, %w : (tensor<1x32x64xf32>, tensor<1x64x48xf32>) -> tensor<1x32x48xf32>
    ```
    becomes
    ```mlir
    %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x32x64xf32> into tensor<32x64xf32>
    %b = tensor.collapse_shape %w [[0, 1], [2]] : tensor<1x64x48xf32> into tensor<64x48xf32>
    %c = prec_train.matmul %a, %b : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
    %y = tensor.expand_shape %c [[0, 1], [2]] output_shape [1, 32, 48] : tensor<32x48xf32> into tensor<1x32x48xf32>
    ```

    An operand that is a matrix with such dimensions added is read as the matrix.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def MergeContractions : Pass<"prec-merge-contractions", "::mlir::ModuleOp"> {
  let summary = "make linear layers that read one value one contraction";
  let description = [{
    Needs a tagged `@step`. Layers `x * w^T` of one `x`, like query, key and
    value, become one: their weights one below the other, slices of the columns
    of the result for their outputs. So do layers `x * w`, whose weights are
    side by side, where they are read in fp8 with one scale, unless `columns` is
    false.

    ```mlir
    %q = prec_train.matmul %x, %wq {transpose_b} : (tensor<4x64xf32>, tensor<8x64xf32>) -> tensor<4x8xf32>
    %k = prec_train.matmul %x, %wk {transpose_b} : (tensor<4x64xf32>, tensor<8x64xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %w = tensor.concat dim(0) %wq, %wk : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<16x64xf32>
    %qk = prec_train.matmul %x, %w {transpose_b} : (tensor<4x64xf32>, tensor<16x64xf32>) -> tensor<4x16xf32>
    %q = tensor.extract_slice %qk[0, 0] [4, 8] [1, 1] : tensor<4x16xf32> to tensor<4x8xf32>
    %k = tensor.extract_slice %qk[0, 8] [4, 8] [1, 1] : tensor<4x16xf32> to tensor<4x8xf32>
    ```

    In the backward the gradients of the outputs lie side by side. One product
    gives the gradients of the weights, its rows (columns of layers `x * w`);
    one the gradient of `x`, which
    was a sum of several: it is accumulated in f32 and rounded once.

    Parameters stay what they are. `--prec-split-weights` makes one fp8 or fp4 copy of
    joined weights, with the scale of all of them; other copies, and weights that
    are read as they are, `--prec-form-dispatches` lays one behind the other.

    A layer is merged with those whose weights and products have the same
    formats, scalings and accumulators, so that no rule for a module is
    overridden; trained ones with trained ones, frozen ones with frozen ones. It
    stays alone where

    - its outputs are the columns of its weight, and that is not read in fp8 with
      one scale;
    - its weight is read elsewhere, too (tied weights);
    - the gradients of `x` are read otherwise than in one sum;
    - something in the backward reads the gradient of a weight before the last
      one is there;
    - it is frozen and read in fp8 or fp4: copies of those are made one weight
      at a time;
    - scales are of blocks and the outputs of a weight no multiple of 128;
    - a weight that others follow takes no multiple of 256 bytes, in a format
      wider than fp8.

    Nothing is merged in a module with `prec.separate_layers`, which recipes ask for.

    `explain` says so in a remark of each layer that reads what others read.
  }];
  let options = [
    Option<"explain", "explain", "bool", "false", "remark on layers that stay alone">,
    Option<"columns", "columns", "bool", "true",
           "also merge layers whose outputs are columns of their weights">,
  ];
  let statistics = [Statistic<"merged", "merged", "groups of layers that were merged">];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def NarrowMasters : Pass<"prec-narrow-masters", "::mlir::ModuleOp"> {
  let summary = "keep masters in the format of their tags";
  let description = [{
    Needs a tagged `@step`. A parameter whose tag is narrower than f32 (`bf16`,
    by `master-dtype=bf16` or a rule) gets its type; the optimizer reads it as
    it is and its update is rounded to nearest, or where the module's
    `prec.master_rounding` says so by `prec.stochastic_round` (with the optimizer's
    count of steps as its seed) or `prec.precision_aware_update`; everything else
    reads it through one `arith.extf`. A copy in the master's own format is never
    made: what reads bf16 reads the master.

    ```mlir
    func.func @step(%w: tensor<4x4xbf16> {prec_train.role = #prec_train.role<parameter>, ...}, ...) attributes {prec.entry = "step"} {
      %0 = arith.extf %w : tensor<4x4xbf16> to tensor<4x4xf32>
      ...
      %new, %m1, %v1 = prec_train.adamw %w, ... : (tensor<4x4xbf16>, ...) -> (tensor<4x4xbf16>, ...)
    ```

    Runs before `--prec-split-weights`. Fails where something else than an optimizer
    updates such a parameter. Loss and moments stay f32.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::prec::train::TrainDialect"];
}

def SplitWeights : Pass<"prec-split-weights", "::mlir::ModuleOp"> {
  let summary = "give parameters work weights in the formats they are read in";
  let description = [{
    Needs a tagged `@step` whose parameters carry `prec_train.role` and `prec_train.path`.
    For every parameter that forward or backward read in another format than
    f32, `@step` gets arguments at the end of its list:

    | slot | role | what |
    |---|---|---|
    | `bf16` (or `f16`) | `work_weight` | the rounded master |
    | `e4m3`, `e5m2` | `work_weight` | the quantized master as it is stored |
    | `e4m3_t`, `e5m2_t` | `work_weight` | its transposed copy |
    | `e4m3_scale`, `e5m2_scale` | `scale_state` | inverse scale of both, or those of the rows or blocks of the first |
    | `e4m3_t_scale`, `e5m2_t_scale` | `scale_state` | those of the rows or blocks of the transposed copy |
    | `e2m1`, `e2m1_t`, `e2m1_scale`, `e2m1_t_scale` | | the same in FP4, whose blocks have their inverse scales in e4m3 |
    | `e2m1_tensor_scale` | `scale_state` | inverse scale of the tensor around those of both copies' blocks |
    | `e4m3_quantization`, `e5m2_quantization` | `scale_state` | the scale that made both, of earlier amaxes (delayed scaling) |

    Weights that products read joined (`tensor.concat`, see
    `--prec-merge-contractions`) have such copies in common, in fp8 and fp4: of all
    their rows, with one scale of the tensor. `prec_train.tensors` names them.

    Only slots that something reads exist. A transposed copy whose rows or blocks
    are scaled is quantized on its own; another has the bytes of the direct copy,
    and with `keep-transposed=false` it is left to `--prec-insert-casts` where there
    is a direct one. Which of the two FP8 copies a
    contraction reads follows from its transpose flags: it wants the
    contracted dimension last. The optimizer keeps reading the master; from its
    updated value the new copies are computed, in phase optimizer, and
    returned as results donated to their arguments. A frozen parameter that is
    read in a single format, wider than FP8, gets that type itself and has no
    copies. One that is read as copies alone is no argument of `@step`: a
    function of its own, named `load.` and its path, makes the copies from an
    argument of role `staged_parameter`, which nothing keeps. With
    `keep-frozen`, or where something reads it as it is, it stays an argument
    and has copies that only `@init` writes.

    Layout operations read a copy through `arith.extf`, which `--prec-insert-casts`
    takes away with their type.

    `@init` computes all copies from the masters; its arguments and results
    carry the same names as those of `@step`. A step without copies has no
    `@init`. Where earlier amaxes made the scales, `@restore` computes the
    copies from the masters and the scales of a saved state.

    With `trained=false` only frozen parameters have copies, and every step makes
    what it reads of the others by casts, which `--prec-insert-casts` puts in.

    Fails on an FP8 or FP4 tag of anything but an operand of a matrix product
    without batch dimensions, and on a parameter without a path. Assignment knows
    formats that no phase after it computes yet: moments narrower than f32 are
    errors here and in `--prec-insert-casts`, never a fallback. So is a weight that is
    read with two scalings.
  }];
  let options = [
    Option<"keepFrozen", "keep-frozen", "bool", "false",
           "keep frozen parameters beside their copies, as --switch-precision needs">,
    Option<"keepTransposed", "keep-transposed", "bool", "true",
           "keep transposed copies beside direct ones with the same bytes">,
    Option<"trained", "trained", "bool", "true",
           "keep copies of trained parameters, too, instead of casts where they are read">,
  ];
  let statistics = [
    Statistic<"workWeights", "work-weights", "work weights that were made">,
    Statistic<"workScales", "work-scales", "their scales">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::prec::PrecDialect", "::prec::train::TrainDialect"];
}

def InsertCasts : Pass<"prec-insert-casts", "::mlir::func::FuncOp"> {
  let summary = "turn tags into types, casts and quantizations";
  let description = [{
    After it types say the formats and every rounding is an operation; all tags
    and classes are erased.

    - Elementwise `arith` and `math` compute in f32: operands come through
      `arith.extf`, a result with a narrower tag goes through `arith.truncf`.
      So do reductions.
    - Layout operations and gathers move their tagged format; operands of
      another format are converted first. Constants are converted at compile
      time.
    - Composites, `prec_train.matmul` and the optimizer take values as they are
      stored (or as an operand tag says) and return their tagged types; they
      compute in f32 and round once.
    - A contraction with FP8 operand tags becomes `prec.scaled_matmul`, its
      operands quantized (`prec.amax`, `prec.update_scale` or, with delayed
      scaling, `prec.delayed_scale`, `prec.quantize`) and transposed where the
      contracted dimension is not last: after it is quantized where one scale is
      of the tensor, before it where rows or blocks have scales, which the other
      layout's are not. `prec.amax` of the module says how an amax becomes a
      scale.
    - A lookup with `prec.quantized_tokens` becomes one of quantized tokens, and
      so does the exchange that gathers those of all ranks, with their scales
      where these are of rows or blocks. A scale of all tokens that is made of
      this step's amax is of all ranks. It is an error where something else than
      products of experts in FP8 reads such rows.
    - One cast a (value, format), one scale a (value, format), one quantization
      a (value, format, layout), whoever uses it. Values that differ only by a
      reshape are the same value here.
    - `arith.extf` of `arith.truncf` is a rounding and stays; the converse never
      arises.

    Arguments keep their types; one with a narrower tag is rounded once at its
    first use.
  }];
  let statistics = [
    Statistic<"widened", "extensions", "casts to a wider format that were inserted">,
    Statistic<"narrowed", "roundings", "casts to a narrower format that were inserted">,
    Statistic<"quantized", "quantizations", "quantizations that were inserted">,
    Statistic<"scaled", "scaled-products", "products of quantized operands">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::prec::PrecDialect",
                           "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def VerifyMaterialized : Pass<"prec-verify-materialized", "::mlir::ModuleOp"> {
  let summary = "check what Schedule relies on";
  let description = [{
    1. No tag and no class is left.
    2. Operations are of `arith`, `math`, `tensor`, `prec_train`, `prec` and `func`.
    3. Elementwise arithmetic and reductions have f32 operands and results.
    4. `prec_train.matmul` reads two operands of one format, and that is not FP8.
    5. FP8 values come from `prec.quantize` or are work weights; only layout
       operations, `prec.scaled_matmul`, `prec.dequantize` and the return read
       them.
    6. The scale of every FP8 operand is the inverse scale of its own quantization, and
       where it is of rows or blocks, of its own layout.
    7. Every cast, scale and quantization has a use.
    8. No two of them do the same to the same value.
    9. No value is widened and narrowed back, or dequantized and quantized back.
    10. Statistics (rstd, mean, lse), loss, masters and moments are f32.
    11. Every work weight and scale of `@step` is read, and `@init` has a result
        of its name and type.
  }];
}

def CarryAmax : Pass<"prec-carry-amax", "::mlir::ModuleOp"> {
  let summary = "make the amaxes of earlier steps state of @step";
  let description = [{
    Delayed scaling takes a tensor's scale from the amaxes of earlier steps. For
    every `prec.delayed_scale` in `@step` an amax history becomes state: a row
    of an argument of role `scale_state`, `history` entries long (`prec.amax` of
    the module), the most recent first. Tensors of one format whose scales are
    made alike share an argument, up to 64 of them.

    At the start of `@step` `prec.history_scale` makes the scales; at its end
    `prec.record_amax` puts this step's amaxes before the earlier ones and the
    result is donated to the argument. A step that fails before its end leaves
    the histories as they were.

    For each of these arguments `@step` returns a vector of role `amax_ratios`:
    this step's amaxes by the largest values that the scales it quantized with
    have room for, of the tensors in `prec_train.tensors`. Two metrics are of all of
    them: `fp8_saturated`, how many exceed that by more than half an ulp, so
    that elements saturate, and `fp8_amax_ratio`, the largest.

    `@init` begins the histories: a master's work weights are scaled by its own
    amax, which is the first entry; all other tensors have seen nothing, and
    their scale is 1 in the first step.

    `prec.amax` is gone from the module afterwards: its scales say what it said.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::prec::PrecDialect", "::mlir::tensor::TensorDialect",
                           "::prec::train::TrainDialect"];
}

def SwitchPrecision : Pass<"switch-precision", "::mlir::ModuleOp"> {
  let summary = "let an input say which operands of products are quantized";
  let description = [{
    For finding what a low precision breaks: one module, many ways to run it.
    Runs between `--prec-verify-materialized` and `--prec-carry-amax`, where it is asked
    for, behind `--prec-split-weights=keep-frozen`. Every `prec.scaled_matmul` of `@step` becomes a `prec_train.matmul` in f32,
    whose result is rounded to the same format. Either operand is what its
    quantization leaves of it (`prec.fake_quantize`, `prec.dequantize`), or,
    where its element of the argument `switches` is more than 0.5, what would be
    quantized: of a work weight that is the master.

    `switches` is an f32 vector of role `switches`; `prec_train.tensors` names the
    operands by PATH/DIRECTION/OPERAND. State stays what it is, so that
    checkpoints of the same step without switches load, with the frozen weights
    that it does not keep beside them. Sums are in f32, in
    another order than those of the product: with all switches off the step is
    that of the other module up to roundings.

    Fails where there is no such product, and where an operand is an argument
    that is no work weight.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::prec::PrecDialect", "::mlir::tensor::TensorDialect",
                           "::prec::train::TrainDialect"];
}

def InsertLossScaling : Pass<"prec-insert-loss-scaling", "::mlir::ModuleOp"> {
  let summary = "scale the gradient of the loss, unscale those of weights";
  let description = [{
    Does what `prec.loss_scaling` of the module asks and takes it away; without
    it nothing. Needs types, not tags (`--prec-insert-casts`).

    The gradient with which every `prec_train.cross_entropy_grad` of `@step` begins is
    multiplied by the scale. Whatever the optimizer or the caller reads of a
    gradient is multiplied by the inverse of it, in f32, before norm and
    clipping. Both are powers of two: the products are exact unless they overflow
    or underflow. A static scale is a constant:

    ```mlir
    %d = prec_train.cross_entropy_grad %one, %x, %l, %lse {ignore_index = -100 : i32} : ...
    %p:3 = prec_train.adamw %w, %dw, ...
    ```
    becomes
    ```mlir
    %s = arith.mulf %one, %scale : tensor<f32>
    %d = prec_train.cross_entropy_grad %s, %x, %l, %lse {ignore_index = -100 : i32} : ...
    %b = prec_train.broadcast %inverse dims [] : (tensor<f32>) -> tensor<8x4xf32>
    %u = arith.mulf %dw, %b : tensor<8x4xf32>
    %p:3 = prec_train.adamw %w, %u, ...
    ```

    A dynamic scale is state: `loss_scale` and `loss_scale_good_steps`, scalars
    of role `scale_state` that `@init` begins, and `prec.update_loss_scale`
    computes from a `prec.finite_guard` of loss and gradients. The scale of the
    step is a result of role `metric`.

    Fails if the step has no `prec_train.cross_entropy_grad`, if a gradient that an
    update reads does not scale with the loss, if one goes through something that
    is not linear in it, and if a dynamic scale has no update to guard.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::prec::PrecDialect", "::prec::train::TrainDialect"];
}

def CheckIndices : Pass<"prec-check-indices", "::mlir::ModuleOp"> {
  let summary = "keep every index of @step within its table";
  let description = [{
    Of `prec_train.gather`, `prec_train.embedding`, `prec_train.scatter_add`, the gradients of
    embeddings, and the labels of cross entropies. What is known of their indices decides:

    - Elements of batch arguments and buffers that reach them unchanged are
      checked by whoever feeds the step: `prec_train.vocabulary` of the argument is
      at most the number of rows, and labels have their `prec_train.ignore_index`.
      What a buffer holds at import is checked here.
    - Constants, `prec_train.iota` and what arithmetic makes of such numbers are
      known to lie in the table; nothing is done.
    - All others are checked by the step itself: a result `index_check.N` of role
      `guard` is 1, or 0 if an index is no row of its table, which `prec_train.tensors`
      names. `--prec-guard-updates` makes such a step change nothing. An index that
      gives an address is that of the nearest row then.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::prec::PrecDialect", "::mlir::tensor::TensorDialect",
                           "::prec::train::TrainDialect"];
}

def GuardUpdates : Pass<"prec-guard-updates", "::mlir::ModuleOp"> {
  let summary = "make a step that is not finite change nothing";
  let description = [{
    Needs every result of `@step` that replaces an argument.
    A `prec.finite_guard` of the loss and of all gradients that updates read says
    whether the step is good; the one that loss scaling inserted, or a new one.
    Of an update that is no optimizer's the new value itself is guarded. What
    `--prec-check-indices` returns is part of the verdict, too.

    - Every result that replaces an argument becomes the argument itself in a bad
      step, by the guard of its optimizer or an `arith.select`, so that a kernel
      that updates in place writes what it has read. Loss scale and counters go
      on.
    - Work weights and scales are computed from the guarded values and so stay
      what they were. A work weight that is not is an error.
    - `skipped_steps`, a scalar of role `scale_state`, counts the bad steps, and
      the optimizer's count of steps is that of the others.
    - The result `first_not_finite`, of role `guard`, is the index of the first
      tensor in `prec_train.tensors` that is not finite, their number in a good step.

    A step that updates nothing is left alone. With `enabled=false` every step
    is, and dynamic loss scaling is an error.
  }];
  let options = [
    Option<"enabled", "enabled", "bool", "true", "guard the updates">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::prec::PrecDialect", "::prec::train::TrainDialect"];
}

def CountLostUpdates : Pass<"prec-count-lost-updates", "::mlir::ModuleOp"> {
  let summary = "report which part of the updates did not reach the masters";
  let description = [{
    Behind `--prec-guard-updates`. `@step` gets results of role `metric`: for every
    parameter that an optimizer updates `lost_updates.PATH`, the part of its
    elements whose new master is the old one, bit for bit, although `update` of
    the optimizer is not zero; and `lost_updates`, the same of all of them. A
    step that the guard skips loses none.

    Elements are counted in f32: exactly, up to 2^24 of them.

    Fails where `@step` updates no parameter, or one by something else than an
    optimizer.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::prec::train::TrainDialect"];
}

def CollectNumerics : Pass<"prec-collect-numerics", "::mlir::ModuleOp"> {
  let summary = "make a copy of @step that measures what its quantizations and updates do";
  let description = [{
    Behind all passes that change `@step`. `@sample` is a copy of it, with the
    same arguments and results: a step that runs it trains as `@step` does, bit
    for bit. It has a further result of role `numerics` for every
    `prec.quantize` that a contraction reads: an f32 vector of

    | element | of the tensor that is quantized |
    |---|---|
    | 0 | amax: the largest magnitude |
    | 1 | the mean of the squares of its elements, divided by the square of amax |
    | 2 | the same of their errors: element less `prec.fake_quantize` of it |
    | 3 | which part of the elements is not zero and becomes zero |
    | 4 | which part is beyond the largest value that its scale has room for, by more than half an ulp, and saturates |

    `prec_train.uses` lists the operands that read it by `path`, `direction` and
    `operand`, with `format` and `scaling`. What quantizes work weights is
    measured where it is, behind the update: as the next step reads them. Copies
    of frozen weights, which no step makes, are not measured.

    There is another result of role `numerics` for every parameter that an
    optimizer updates, which `prec_train.param_of` names: an f32 vector of

    | element | of the parameter |
    |---|---|
    | 0, 1 | amax of what it is before the update, and the mean of the squares, divided by the square of amax |
    | 2, 3 | the same of its gradient, multiplied by `grad_scale` as the optimizer does it: unscaled and clipped |
    | 4, 5 | the same of its `update`: what the step means to add, before it is rounded to the master's format |

    Elements are counted in f32: exactly, up to 2^24 of them.

    Fails where `@step` neither quantizes what a contraction reads nor updates a
    parameter by an optimizer, and where there is an `@sample`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect", "::prec::PrecDialect",
                           "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def SplitAccumulation : Pass<"prec-split-accumulation", "::mlir::ModuleOp"> {
  let summary = "split @step into micro-batches and an update";
  let description = [{
    Where it is asked for. Beside `@step`, which stays as it
    is, makes of copies of it:

    - `@accumulate`: forward and backward of one micro-batch. Losses and
      gradients are added up in f32, each times the weight of the micro-batch,
      amaxes that a history records have their maximum taken, and micro-batches
      are counted. It returns its own loss and changes no weight, moment or
      scale.
    - `@apply`: what the optimizer does, with means over the micro-batches for
      losses and gradients: unscaling, norm, clipping, guard, update, work
      copies, histories. It ends the step: the count is zero again.

    A micro-batch weighs as much as it has labels that count, by those of the
    first that has any: where all have as many, weights are 1. So the step is
    that of all micro-batches in one batch. One without labels that count adds
    nothing; where all are such, the step is that of the first.

    That holds of a loss that is a sum of cross entropies of the same labels,
    times and plus what does not depend on the batch. Of any other, and with
    `equal-weights`, all micro-batches weigh the same: means are divided by
    their number, and `prec_train.equal_micro_batches` of the module says why.

    The frontier between them is found, not marked: a value that depends on a
    batch argument, is computed outside of phase optimizer and read inside of
    it or returned. A gradient narrower than f32 is widened before it is added.
    A mean over one micro-batch is its value, so `@accumulate` and `@apply` are
    then `@step`.

    Sums, maxima, weights and the count are arguments of both (`prec_train.path`
    "accumulated"), state that no binding names. The first micro-batch of a step
    that has labels overwrites what an earlier one left; `@init` zeroes the count
    and the sum of weights.

    Each micro-batch rounds at random by bits of its own: to the seed of every
    `prec.quantize` that has one `@accumulate` adds 2^20 times the count, so that
    the first micro-batch draws what `@step` does.

    ```mlir
    %w:3 = prec_train.adamw %p, %dw, %m, %v, ...
    ```
    becomes, in `@accumulate` and `@apply`,
    ```mlir
    %part = arith.mulf %dw, %weight : tensor<8x4xf32>
    %more = arith.addf %sum, %part : tensor<8x4xf32>
    %next = arith.select %first, %dw, %more : tensor<8x4xi1>, tensor<8x4xf32>
    ```
    ```mlir
    %mean = arith.divf %sum, %weights : tensor<8x4xf32>
    %w:3 = prec_train.adamw %p, %mean, %m, %v, ...
    ```

    Fails where forward or backward update a state by themselves or read an
    update, where the optimizer reads something of the batch that is no float or
    reads a narrow gradient by anything but an optimizer, norm, guard or a cast, and
    where nothing is updated.
  }];
  let options = [
    Option<"equalWeights", "equal-weights", "bool", "false", "all micro-batches weigh the same, however many of their labels count">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::prec::PrecDialect", "::mlir::tensor::TensorDialect",
                           "::prec::train::TrainDialect"];
}

def PartitionStep : Pass<"prec-partition-step", "::mlir::ModuleOp"> {
  let summary = "make a step the part that one of several ranks computes of it";
  let description = [{
    For a mesh of several ranks along the axes `dp` (data parallelism) and `ep`
    (expert parallelism), which together are as one axis here. Every rank
    runs the step on a batch of its own; all leave it with the same weights.

    - What the update reads of the batch (losses, gradients; found as
      `--prec-split-accumulation` does) becomes the mean over all ranks, the value
      that one process has with as many micro-batches, in the same bits: gradients
      are sent in the format that they have, multiplied by their rank's weight and
      added up in f32 in the order of ranks. Amaxes become the largest of all.
    - Trained parameters and their optimizer states are held in shards, a slice of
      one dimension for each rank (ZeRO stage 1): of the one with the most factors
      of two, up to 64. Where that does not make slices of one length, and where the
      optimizer does not update each element alone, they are held whole, and updated
      by every rank. What shards become (casts, quantizations) is computed of shards,
      and gathered where something reads the whole.
    - Gradients of experts that are divided along `ep` (`--prec-split-experts`) are
      of the tokens of all these ranks, and are added up along `dp` alone. As ranks
      may have other numbers of labels, the gradients of their losses are weighed by
      these before the backward. Micro-batches that ranks take at the same time
      are one in this, with a weight that is the same on all of them. One whose
      experts had no room for their rows (where the module has a crowded step)
      leaves all sums as they are.
    - Norms, guards and amaxes are of all shards; sums are of slices first, so their
      bits do not depend on the number of ranks.

    ```mlir
    %w:3 = prec_train.adamw %p, %dw, %m, %v, ... : (tensor<8x4xf32>, tensor<8x4xbf16>, ...)
    %q = prec.quantize %w#0, %s : tensor<8x4xf32> to tensor<8x4xf8E4M3FN>
    ```
    becomes, on two ranks,
    ```mlir
    %parts = prec_train.exchange all_to_all %slices over "dp" : (tensor<2x4x4xbf16>) -> tensor<2x4x4xbf16>
    ... // %mean = (first part + weight * second part) / weights
    %w:3 = prec_train.adamw %p, %mean, %m, %v, ... : (tensor<4x4xf32>, tensor<4x4xf32>, ...)
    %l = prec.quantize %w#0, %s : tensor<4x4xf32> to tensor<4x4xf8E4M3FN>
    %q = prec_train.exchange all_gather %l over "dp" : (tensor<4x4xf8E4M3FN>) -> tensor<2x4x4xf8E4M3FN>
    ```

    With `zero=2` micro-batches are added up over all ranks as they come: each rank
    gets what the others have of its shard of a micro-batch's gradient, and keeps
    that shard of the sum alone. With `zero=1` a rank adds up its own micro-batches,
    and sums are exchanged once a step, in `apply`. With `zero=3` sums are those of
    `zero=2`, and what forward and backward read of a parameter is gathered in front
    of the first reader of each: `--prec-split-weights=trained=false` leaves casts of
    masters there. With `wire=bf16` what is divided
    among ranks and in f32 is rounded to bf16 before it is sent, also a rank's own
    part, so that all ranks' parts are alike; they are added up in f32 as ever. With
    `wire=fp8` it is quantized to e4m3, whatever it is in, with a scale for each 128
    consecutive elements of a slice, and multiplied by these where it is added up;
    what is divided along another dimension than the first, or into what has no whole
    blocks, is sent as it is.

    Roundings at random of a rank's batch draw the bits of the micro-batch of its
    number. Fails where `--prec-split-accumulation` does, where the module has a
    mesh already, where another function than the step updates parameters
    (`apply`, `sample`), and for `zero=2` without micro-batches.
  }];
  let options = [
    Option<"mesh", "mesh", "std::string", "\"dp=1\"", "ranks along each axis, such as dp=2">,
    Option<"zero", "zero", "unsigned", "1", "stage of ZeRO: 1; 2, where ranks hold shards of sums over micro-batches, too; or 3, where weights are whole while they are read">,
    Option<"wire", "wire", "std::string", "\"own\"", "format in which gradients are sent: own, bf16 (those in f32), or fp8">,
    Option<"equalWeights", "equal-weights", "bool", "false", "all ranks weigh the same, however many of their labels count">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
                           "::prec::PrecDialect", "::prec::train::TrainDialect"];
}

def AgreeRanks : Pass<"prec-agree-ranks", "::mlir::ModuleOp"> {
  let summary = "make ranks that have parts of layers decide alike";
  let description = [{
    For layers that `--prec-split-layers` has divided. Guards look at the largest magnitude that any rank has of a
    gradient, and amaxes are recorded of whole tensors, so that all ranks skip a step or none, and have the same scales
    from step to step. Scales that a step computes and uses itself are those of slices. Rows that are gathered in front
    of products in FP8 are quantized first, where they have one scale, nothing else reads them and that is fewer bytes.
    In the end the pass checks that all ranks return the same, but for slices of states. Fails where layers are not
    divided as `mesh` says.

    With `experts` the same for ranks that have experts of their own (`--prec-split-experts`), behind
    `--prec-partition-step`: guards agree on gradients of experts, and states may be slices along `ep` or shards of all
    ranks that have batches of their own. Scales of experts belong to the rank that has these.
  }];
  let options = [Option<"mesh", "mesh", "std::string", "\"tp=1\"", "ranks along each axis, such as tp=2">,
                 Option<"experts", "experts", "bool", "false", "for ranks along ep instead of tp">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::prec::PrecDialect",
                           "::prec::train::TrainDialect"];
}

def PadNarrowProducts : Pass<"prec-pad-narrow-products", "::mlir::func::FuncOp"> {
  let summary = "give products that read fp8 sizes that these take";
  let description = [{
    Needs tags. FP8 products take sizes that are multiples of 16. Where one size of
    a product that is to read FP8 with scales of tensors is none, as of a head of
    50,257 classes, its operands get zeros behind their rows or columns, and the
    result is read as a slice; sums stay the same. The size becomes the next
    multiple of 128, in which kernels quantize and transpose, or of 16, if no more
    than a part in 32 is added. `--assign-precision` permits what this can pad.

    ```mlir
    %y = prec_train.matmul %x, %w {transpose_b} : (tensor<64x64xf32>, tensor<250x64xf32>) -> tensor<64x250xf32>
    ```
    becomes
    ```mlir
    %p = tensor.concat dim(0) %w, %zeros : (tensor<250x64xf32>, tensor<6x64xf32>) -> tensor<256x64xf32>
    %l = prec_train.matmul %x, %p {transpose_b} : (tensor<64x64xf32>, tensor<256x64xf32>) -> tensor<64x256xf32>
    %y = tensor.extract_slice %l[0, 0] [64, 250] [1, 1] : tensor<64x256xf32> to tensor<64x250xf32>
    ```

    The copies of a weight that `--prec-split-weights` makes have the zeros; master,
    moments and gradient keep their size.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::prec::PrecDialect",
                           "::prec::train::TrainDialect"];
}

def PadProducts : Pass<"prec-pad-products", "::mlir::ModuleOp"> {
  let summary = "give large products sizes that tensor cores can take";
  let description = [{
    Needs a materialized `@step`. A product of 16-bit matrices whose stored rows
    are not multiples of 16 bytes is slow on a GPU, by a factor of 2 to 7 for
    logits of 50,257 classes. Operands of such products get zeros behind their
    rows and columns, up to the next multiple of 16, and the results are read as
    slices; values stay the same.

    ```mlir
    %y = prec_train.matmul %x, %w {transpose_b} : (tensor<4096x1024xbf16>, tensor<1030x1024xbf16>) -> tensor<4096x1030xbf16>
    ```
    becomes
    ```mlir
    %p = tensor.concat dim(0) %w, %zeros : (tensor<1030x1024xbf16>, tensor<10x1024xbf16>) -> tensor<1040x1024xbf16>
    %l = prec_train.matmul %x, %p {transpose_b} : (tensor<4096x1024xbf16>, tensor<1040x1024xbf16>) -> tensor<4096x1040xbf16>
    %y = tensor.extract_slice %l[0, 0] [4096, 1030] [1, 1] : tensor<4096x1040xbf16> to tensor<4096x1030xbf16>
    ```

    The zeros behind a weight are an argument of role `work_weight` in the slot
    `<slot>_zeros`, which `@init` returns and nothing changes; behind other
    operands they are constants. A product stays as it is if it has less than
    1e9 floating point operations, or if more than a part in 32 of a size were
    added.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect"];
}

def FoldBias : Pass<"prec-fold-bias", "::mlir::func::FuncOp"> {
  let summary = "let the library add a bias to a product's sums";
  let description = [{
    Needs a materialized graph, and comes before memory is fitted, so that where
    a step rounds does not depend on what is recomputed. A vector that is added
    to every row of a product becomes its bias, which cuBLASLt adds to the sums
    in f32 before it rounds them, where

    - nothing else reads the product, which is one matrix, nor the sum; of a
      product that is cut into the results of several layers that holds of each,
      and their biases become one;
    - the sum is rounded to the product's own format, or that is f32: the
      product's rounding in front of the addition goes;
    - the vector has the format that cuBLASLt takes: the product's, or bf16 where
      an f32 product has scaled operands, whose scales are of tensors. In the
      forward an f32 vector is rounded to the format of a narrower product, unless
      `round-f32=false`: instead of the product, the bias is rounded in front of
      the sum.

    Anything else stays an addition of the kernel that reads the product, such
    as one whose sum goes on in f32, as to the residual stream, and costs no
    traffic there.

    ```mlir
    %y = prec_train.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
    %r = prec_train.broadcast %b dims [1] : (tensor<16xbf16>) -> tensor<4x16xbf16>
    %s = arith.extf %y : tensor<4x16xbf16> to tensor<4x16xf32>
    %t = arith.extf %r : tensor<4x16xbf16> to tensor<4x16xf32>
    %u = arith.addf %s, %t : tensor<4x16xf32>
    %v = arith.truncf %u : tensor<4x16xf32> to tensor<4x16xbf16>
    ```
    becomes
    ```mlir
    %v = prec_train.matmul %x, %w bias %b : (tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xbf16>) -> tensor<4x16xbf16>
    ```
  }];
  let options = [
    Option<"roundF32", "round-f32", "bool", "true", "round f32 biases of narrower products to these products' format">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::prec::PrecDialect",
                           "::mlir::tensor::TensorDialect", "::prec::train::TrainDialect"];
}

def QuantizeMoments : Pass<"prec-quantize-moments", "::mlir::ModuleOp"> {
  let summary = "store moments in 8 bits between steps";
  let description = [{
    Last of the phase. Where `prec.moments` of the module is `dynamic8`, in every
    function that has an optimizer: a state of the shape of its parameter becomes
    an argument of codes (i8, `SLOT_codes`) and one of the largest magnitudes of
    blocks of 256 elements (f32, `SLOT_absmax`), decoded before the optimizer
    and coded behind it. The optimizer computes in f32 as ever. In a step that
    the guard skips, codes and magnitudes stay what they were.

    Moments of parameters of less than 4096 elements stay f32, as in
    bitsandbytes; so do those of which 256 is no divisor, and a remark says so.

    ```mlir
    %m = prec.dynamic_dequantize %codes, %absmax signed : tensor<64x64xi8>, tensor<16xf32> to tensor<64x64xf32>
    %p:3 = prec_train.adamw %w, %dw, %m, %v, ...
    %c, %a = prec.dynamic_quantize %p#1 signed : tensor<64x64xf32> to tensor<64x64xi8>, tensor<16xf32>
    ```

    Fails where a state is read by something else than its optimizer, or its
    update is not the optimizer's. Without `dynamic8` takes the attribute away.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::prec::PrecDialect", "::prec::train::TrainDialect"];
}

#endif // PREC_MATERIALIZE_PASSES_TD
