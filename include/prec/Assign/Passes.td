//===- Passes.td - deciding precision ----------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_PASSES
#define PREC_ASSIGN_PASSES

include "mlir/Pass/PassBase.td"

def Classify : Pass<"prec-classify", "::mlir::ModuleOp"> {
  let summary = "finds the class of every operation";
  let description = [{
    Sets `prec.class` on every operation whose numeric structure is known
    (PrecisionOpInterface). Structure alone does not tell a residual addition
    from a bias or a head from a projection: classes come from an analysis of
    the whole graph, which uses shapes, data flow and the roles of arguments,
    but no names, so a graph gets the same classes with and without its paths,
    phases and links.

    Needs tensors of f32, bf16 or f16. Changes nothing else and is not needed by
    `--assign-precision`, which analyses for itself.

    ```mlir
    %h = arith.addf %x, %y : tensor<4x8xf32>  // {prec.class = #prec.class<residual>}
    ```
  }];
  let dependentDialects = ["::prec::PrecDialect"];
}

def AssignPrecision : Pass<"assign-precision", "::mlir::ModuleOp"> {
  let summary = "decides the format of every tensor and of every contraction's operands";
  let description = [{
    Tags every result that is a tensor of floats with its storage format, every
    such argument of a function with `prec.tag`, and the operands of
    contractions (and what attentions, norms and embeddings read) with the
    format of that use. Every tag names its rule. Sets `prec.recipe` and
    `prec.target` on the module.

    A recipe or a `matmul-dtype` that asks for products which the target lacks
    altogether is an error (FP8 on sm_80, say), unless `allow-fallback` is
    given. A use whose shape the target cannot run becomes the recipe's fallback
    format, with the reason in its tag and in a warning.

    The five dtypes are those of docs/Recipes.md. They belong to the recipe
    `bf16`, which is taken if no recipe is named and any of them is given; other
    recipes force formats and warn of each dtype that they override.

    A measured policy (`policy`, docs/Policy.md) chooses between FP8 and the
    fallback where both are permitted, and widens nothing. What it has no rule
    for reads the fallback, with a warning; rules and patterns that match
    nothing are warnings, too, and so is a policy that has nothing to decide.
    `summary` prints what the modules are called.

    Rules of a user's own (docs/Rules.md) pin, forbid or prefer formats; pins
    alone widen what recipe and keep-high rules permit, and legality binds them,
    too. Rules that contradict each other and pins that are illegal are errors at
    their places; a rule that matches nothing is a warning.

    `choose=cost` predicts the time of every product, quantization and
    transposition (docs/Choosing.md) and takes the permitted formats with which
    the whole step is fastest. A policy then gives times only, and must be of
    version 2. What is chosen is in the tags, what was predicted in remarks.

    Numeric bounds (docs/Bounds.md) veto FP8 where an operand would lose too much
    of what was measured (`numerics`) or an accumulator is too coarse; masters,
    moments, logits and stored values whose format loses too much are warnings,
    or errors with `bounds=refuse`.

    Of tokens that products of experts alone read in FP8 it also decides whether
    they are quantized before rows of them are looked up, which
    `prec.quantized_tokens` on the lookup says (docs/Scaling.md).

    Needs tensors of f32, bf16 or f16 and a known recipe and target; fails before
    it changes anything otherwise. `--verify-precision` states what holds after.
  }];
  let options = [
    Option<"recipe", "recipe", "std::string", "\"\"",
           "name of a built-in recipe: fp32, bf16, fp16, fp8-hybrid (the default), fp8-e4m3, fp8-rowwise, fp8-block, mxfp8, nvfp4">,
    Option<"recipeFile", "recipe-file", "std::string", "\"\"",
           "file with a recipe of one's own, instead of a built-in one">,
    Option<"target", "target", "std::string", "\"\"",
           "whose contractions are legal, such as sm_90a (the default) or cpu; an unknown one lists those that there are">,
    Option<"rules", "rules", "std::string", "\"\"",
           "file with rules of one's own: pin, forbid, prefer">,
    Option<"allowFallback", "allow-fallback", "bool", "false",
           "read the recipe's fallback where the target lacks its products, instead of an error">,
    Option<"modelDtype", "model-dtype", "std::string", "\"\"",
           "fp32 or bf16: weights outside of matmuls, and activations">,
    Option<"matmulDtype", "matmul-dtype", "std::string", "\"\"",
           "fp32, bf16 or e4m3: what forward matmuls read; defaults to model-dtype">,
    Option<"gradientDtype", "gradient-dtype", "std::string", "\"\"",
           "fp32, bf16 or e5m2: what backward matmuls read; defaults to matmul-dtype">,
    Option<"masterDtype", "master-dtype", "std::string", "\"\"",
           "fp32 or bf16: master weights; defaults to model-dtype">,
    Option<"loraDtype", "lora-dtype", "std::string", "\"\"",
           "fp32 (the default) or bf16: master weights of adapters">,
    ListOption<"reads", "reads", "std::string",
           "what contractions read instead, DIRECTION[.OPERAND]:FORMAT[/SCALING], such as wgrad:bf16">,
    Option<"tensorScaling", "tensor-scaling", "std::string", "\"\"",
           "current or delayed: where per-tensor scales come from">,
    Option<"expertScales", "expert-scales", "std::string", "\"\"",
           "own or shared: scales of tokens that experts read, where scales are of tensors">,
    Option<"skipFirstLayers", "skip-first-layers", "std::string", "\"\"",
           "number of first layers whose contractions read the fallback">,
    Option<"skipLastLayers", "skip-last-layers", "std::string", "\"\"",
           "number of last layers whose contractions read the fallback">,
    Option<"head", "head", "std::string", "\"\"",
           "in: the head reads what other contractions do; out: it is kept high">,
    Option<"padHead", "pad-head", "bool", "true",
           "zeros behind the vocabulary where FP8 takes no such size">,
    Option<"amaxHistory", "amax-history", "std::string", "\"\"",
           "steps of amax that delayed scaling remembers">,
    Option<"amaxAlgorithm", "amax-algorithm", "std::string", "\"\"",
           "max or most_recent: which amax of the history makes the scale">,
    Option<"amaxMargin", "amax-margin", "std::string", "\"\"",
           "powers of two that scales stay below the largest">,
    ListOption<"amaxEpsilon", "amax-epsilon", "std::string",
           "least amax that a scale is made of: NUMBER, or activation:NUMBER, weight:NUMBER, gradient:NUMBER">,
    Option<"powerOfTwoScales", "power-of-two-scales", "std::string", "\"\"",
           "true or false: round scales down to powers of two">,
    Option<"lossScaling", "loss-scaling", "std::string", "\"\"",
           "none, dynamic or a power of two">,
    Option<"masterRounding", "master-rounding", "std::string", "\"\"",
           "nearest, stochastic or precision_aware: how updated masters narrower than f32 are rounded">,
    Option<"roundingIterations", "rounding-iterations", "std::string", "\"\"",
           "norms that precision_aware rounding tries for each parameter">,
    Option<"roundingTolerance", "rounding-tolerance", "std::string", "\"\"",
           "relative error of the norm at which precision_aware rounding is content">,
    Option<"moments", "moments", "std::string", "\"\"",
           "f32 or dynamic8: how moments are stored between steps">,
    Option<"gradientFormat", "gradient-format", "std::string", "\"\"",
           "e5m2 or e4m3: what gradients are read in that the recipe reads in FP8; measured: of each the one that keeps more, by numerics">,
    Option<"policy", "policy", "std::string", "\"\"",
           "file with measurements that decide between FP8 and the fallback">,
    Option<"policyModules", "policy-modules", "std::string", "\"\"",
           "file that names modules for the policy, and sizes of parallelism">,
    Option<"policyGpu", "policy-gpu", "std::string", "\"\"",
           "GPU whose times a policy of version 2 is asked for, if it has several">,
    Option<"choose", "choose", "std::string", "\"recipe\"",
           "recipe: contractions read what recipe and policy say (the default); cost: the permitted formats with which the whole step is predicted to be fastest">,
    Option<"targetCosts", "target-costs", "std::string", "\"\"",
           "with choose=cost: file of FLOPs and bytes a second of another device than the target's built-in one">,
    Option<"leastGradientSnr", "least-gradient-snr", "std::string", "\"\"",
           "with choose=cost and numerics that have gradient noise: decibels of signal to noise that the gradient must keep">,
    Option<"numerics", "numerics", "std::string", "\"\"",
           "file with what tensors of the step were seen to hold">,
    Option<"bounds", "bounds", "std::string", "\"warn\"",
           "warn or refuse: what a broken numeric bound is; off: none is looked at">,
    ListOption<"assume", "assume", "std::string",
           "what bounds take where nothing was measured, NAME:NUMBER: learning-rate, weight-rms, gradient-rms, largest-logit, softmax-gap, beta2, epsilon, weight-decay; hyper parameters are else those that the graph records">,
    ListOption<"limits", "limits", "std::string",
           "from where on a loss is too much, NAME:NUMBER: underflow, overflow, sqnr, accumulation, moved, factor">,
    Option<"summary", "summary", "bool", "false",
           "print formats by tensors, bytes and FLOPs, and a line for every class, to stderr">,
    Option<"record", "record", "bool", "false",
           "keep what was beaten, and why, in the module (prec.decisions): --explain and --diff-precision read it">,
    Option<"mapFile", "map-file", "std::string", "\"\"",
           "file that the decisions are written to: a page to look at if it ends in .html, else JSON">,
    Option<"memoryTable", "memory-table", "bool", "false",
           "print where the bytes of a step go, to stderr">,
    Option<"memoryFile", "memory-file", "std::string", "\"\"",
           "file that the memory table is written to, as JSON">,
    Option<"ranks", "ranks", "int64_t", "1",
           "data-parallel ranks that ZeRO-1 splits masters and moments over, in the memory table">,
    Option<"explain", "explain", "std::string", "\"\"",
           "path of a tensor or module, pattern with *, or all: print why, to stderr (prec-opt: --explain=)">,
    Option<"explainFile", "explain-file", "std::string", "\"\"",
           "file that explain= is written to instead, as JSON if it ends in .json">,
  ];
  let statistics = [
    Statistic<"fp4Products", "products-fp4", "contractions both of whose operands are read in FP4">,
    Statistic<"fp8Products", "products-fp8", "contractions both of whose operands are read in FP8">,
    Statistic<"narrowProducts", "products-16", "contractions both of whose operands are read in BF16 or FP16">,
    Statistic<"otherProducts", "products-other", "contractions of FP32, or whose operands are read in formats of several sizes">,
    Statistic<"bf16Tensors", "tensors-bf16", "tensors that are stored in BF16">,
    Statistic<"f16Tensors", "tensors-f16", "tensors that are stored in FP16">,
    Statistic<"f32Tensors", "tensors-f32", "tensors that are stored in FP32">,
  ];
  let dependentDialects = ["::prec::PrecDialect"];
}

def ExplainPrecision : Pass<"explain-precision", "::mlir::ModuleOp"> {
  let summary = "says why a graph is tagged as it is";
  let description = [{
    Prints or writes what `--assign-precision` would have, from tags and from
    `prec.decisions`, which `--assign-precision=record=true` leaves in the
    module. Without it only formats and rules are known. A
    record that does not agree with the tags is an error.

    Fails without tags, and over a query that fits nothing. Changes nothing.
  }];
  let options = [
    Option<"explain", "explain", "std::string", "\"\"",
           "path of a tensor or module, pattern with *, or all: print why, to stderr">,
    Option<"explainFile", "explain-file", "std::string", "\"\"",
           "file that explain= is written to instead, as JSON if it ends in .json">,
    Option<"mapFile", "map-file", "std::string", "\"\"",
           "file that the decisions are written to: a page to look at if it ends in .html, else JSON">,
  ];
}

def VerifyPrecision : Pass<"verify-precision", "::mlir::ModuleOp"> {
  let summary = "checks what assignment guarantees";
  let description = [{
    - Every argument and result that is a tensor of floats has a tag that is not
      FP8 or FP4: these belong to uses.
    - Both operands of every contraction have a tag; formats, scalings, result
      and sizes are legal on the module's target; other operands are not FP8.
    - Master weights are f32 or bf16, optimizer state and the loss f32.
    - `prec.recipe` and `prec.target` are set and the target is known.

    Changes nothing.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "whose contractions must be legal, if not the module's target">,
  ];
}

def TagCrowded : Pass<"prec-tag-crowded", "::mlir::ModuleOp"> {
  let summary = "give the crowded step the formats of the step";
  let description = [{
    For a module with a crowded step (`--prec-split-experts`): the same operations with more rows, in a module within
    this one. What `--assign-precision` has decided for the step goes for it: each operation and argument gets the tags
    of the one at its place, and its module the attributes that say the recipe. Whatever was decided by sizes, such as
    by costs, is so decided once. Without one it changes nothing.

    Fails where the two do not have the same operations in the same order.
  }];
}

#endif // PREC_ASSIGN_PASSES
