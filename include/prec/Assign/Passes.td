//===- Passes.td - deciding precision ----------------------*- tablegen -*-===//
#ifndef PREC_ASSIGN_PASSES
#define PREC_ASSIGN_PASSES

include "mlir/Pass/PassBase.td"

def Classify : Pass<"classify", "::mlir::ModuleOp"> {
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
  let dependentDialects = ["::mlir::prec::PrecDialect"];
}

def AssignPrecision : Pass<"assign-precision", "::mlir::ModuleOp"> {
  let summary = "decides the format of every tensor and of every contraction's operands";
  let description = [{
    Tags every result that is a tensor of floats with its storage format, every
    such argument of a function with `prec.tag`, and the operands of
    contractions (and what attentions, norms and embeddings read) with the
    format of that use. Every tag names its rule. Sets `prec.recipe` and
    `prec.target` on the module.

    An FP8 use that the target cannot run becomes the recipe's fallback format,
    with the reason in its tag and in a warning.

    Needs tensors of f32, bf16 or f16 and a known recipe and target; fails before
    it changes anything otherwise. `--verify-precision` states what holds after.
  }];
  let options = [
    Option<"recipe", "recipe", "std::string", "\"\"",
           "name of a built-in recipe: fp32, bf16, fp8-hybrid (the default)">,
    Option<"recipeFile", "recipe-file", "std::string", "\"\"",
           "file with a recipe of one's own, instead of a built-in one">,
    Option<"target", "target", "std::string", "\"\"",
           "whose contractions are legal: sm_80, sm_89, sm_90a (the default), cpu">,
    Option<"summary", "summary", "bool", "false",
           "print formats by tensors, bytes and FLOPs, and a line for every class, to stderr">,
    Option<"mapFile", "map-file", "std::string", "\"\"",
           "file that the decisions are written to, as JSON">,
  ];
  let dependentDialects = ["::mlir::prec::PrecDialect"];
}

def VerifyPrecision : Pass<"verify-precision", "::mlir::ModuleOp"> {
  let summary = "checks what assignment guarantees";
  let description = [{
    - Every argument and result that is a tensor of floats has a tag that is not
      FP8: FP8 belongs to uses.
    - Both operands of every contraction have a tag; formats, result and sizes
      are legal on the module's target; other operands are not FP8.
    - Master weights, optimizer state and the loss are f32.
    - `prec.recipe` and `prec.target` are set and the target is known.

    Changes nothing.
  }];
}

#endif // PREC_ASSIGN_PASSES
