//===- Passes.td - phases that depend on a target ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_PIPELINES_PASSES
#define PREC_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"

def ScheduleForTarget : Pass<"prec-schedule", "::mlir::ModuleOp"> {
  let summary = "all passes of the phase Schedule, for a target";
  let description = [{
    Runs what `prec-compile` runs after materializing: primitives, dispatches, a place for every value. What a target
    needs is asked of it when the pass runs, so this is a pass and no list of passes: targets belong to the context.

    Needs what `--prec-materialize` leaves. Fails over a target that the context does not have.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "whose kernels are formed: cpu (the default), or a GPU such as sm_90a">,
    Option<"machine", "machine", "std::string", "\"\"",
           "file of another device of the target, by which kernels are formed">,
    Option<"decomposeAttention", "decompose-attention", "bool", "false",
           "compute attention without a library">,
    Option<"decomposeConvolutions", "decompose-convolutions", "bool", "false",
           "compute convolutions without a library">,
    Option<"chunkLoss", "chunk-loss", "int64_t", "0",
           "compute logits of more bytes in chunks of at most so many; 0: never">,
    Option<"overlapExchanges", "overlap-exchanges", "bool", "true",
           "exchanges between ranks run beside other commands">,
    Option<"exchangeBucket", "exchange-bucket", "int64_t", "67108864",
           "bytes that a rank gets of the others by exchanges that begin together">,
  ];
}

def CodegenForTarget : Pass<"prec-codegen", "::mlir::ModuleOp"> {
  let summary = "the phase Codegen: kernels of dispatches, for a target";
  let description = [{
    Runs the passes of the target's code generator, such as `--prec-codegen-cpu`. As for `--prec-schedule`, the target is
    one of the context's, and so may be another compiler's own; it must be the one that was scheduled for.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "what kernels are for: cpu (the default), or a GPU such as sm_90a">,
    Option<"deterministicAttention", "deterministic-attention", "bool", "true",
           "generate gradients of attention where a library would sum in an order of every run's own">,
  ];
}

def MaterializeCrowded : Pass<"prec-materialize-crowded", "::mlir::ModuleOp"> {
  let summary = "entry points with room for all rows of experts";
  let description = [{
    For a materialized module with a crowded step within it (`--prec-split-experts`), which is tagged and not
    materialized yet. Runs the passes of `prec-materialize` on that one, without what they have to say; has its backward
    compute rows of experts, and tokens of other ranks, again instead of keeping them (`prec_train.expert_rows` marks
    what computes them); and makes the entry points `crowded_step` and, with `accumulate`, `crowded_accumulate` of it
    beside those of the module. Other functions of it are the same as the module's, and are dropped. States have the
    same names and places in both. Without a crowded step it changes nothing.

    Fails where the crowded step has no tags, where it reads or returns a state that the step does not have, or where
    updates are not guarded: what runs again must find the state as it was.
  }];
  let options = [
    Option<"text", "options", "std::string", "\"\"", "those of prec-materialize">,
  ];
}

#endif // PREC_PIPELINES_PASSES
