//===- PrecEnums.td - enumerations of the prec dialect -----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_PRECENUMS_TD
#define PREC_DIALECT_PREC_PRECENUMS_TD

include "mlir/IR/EnumAttr.td"

def Prec_Format : I32EnumAttr<"Format", "number format", [
    I32EnumAttrCase<"F32", 0, "f32">,
    I32EnumAttrCase<"BF16", 1, "bf16">,
    I32EnumAttrCase<"F16", 2, "f16">,
    I32EnumAttrCase<"E4M3", 3, "e4m3">,
    I32EnumAttrCase<"E5M2", 4, "e5m2">,
    I32EnumAttrCase<"E2M1", 5, "e2m1">]> {
  let cppNamespace = "::prec";
  let genSpecializedAttr = 0;
}

// Materializing makes those behind `forward` beside a step.
def Prec_Entry : I32EnumAttr<"Entry", "what a function is called for from outside", [
    I32EnumAttrCase<"Step", 0, "step">,
    I32EnumAttrCase<"Eval", 1, "eval">,
    I32EnumAttrCase<"Forward", 2, "forward">,
    I32EnumAttrCase<"Init", 3, "init">,
    I32EnumAttrCase<"Restore", 4, "restore">,
    I32EnumAttrCase<"Sample", 5, "sample">,
    I32EnumAttrCase<"Accumulate", 6, "accumulate">,
    I32EnumAttrCase<"Apply", 7, "apply">,
    I32EnumAttrCase<"CrowdedStep", 8, "crowded_step">,
    I32EnumAttrCase<"CrowdedEval", 9, "crowded_eval">,
    I32EnumAttrCase<"CrowdedAccumulate", 10, "crowded_accumulate">]> {
  let cppNamespace = "::prec";
  let genSpecializedAttr = 0;
}

def Prec_Accumulator : I32EnumAttr<"Accumulator", "how a contraction accumulates", [
    I32EnumAttrCase<"Full", 0, "full">,
    I32EnumAttrCase<"Fast", 1, "fast">,
    I32EnumAttrCase<"Promoted", 2, "promoted">]> {
  let cppNamespace = "::prec";
  let genSpecializedAttr = 0;
}

def Prec_AmaxAlgorithm : I32EnumAttr<"AmaxAlgorithm", "which amax of a history makes the scale", [
    I32EnumAttrCase<"Max", 0, "max">,
    I32EnumAttrCase<"MostRecent", 1, "most_recent">]> {
  let cppNamespace = "::prec";
  let genSpecializedAttr = 0;
}

def Prec_LossScalingMode : I32EnumAttr<"LossScalingMode", "how the loss is scaled before the backward", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Static", 1, "static">,
    I32EnumAttrCase<"Dynamic", 2, "dynamic">]> {
  let cppNamespace = "::prec";
  let genSpecializedAttr = 0;
}

def Prec_MasterRounding : I32EnumAttr<"MasterRounding", "how updated masters narrower than f32 are rounded", [
    I32EnumAttrCase<"Nearest", 0, "nearest">,
    I32EnumAttrCase<"Stochastic", 1, "stochastic">,
    I32EnumAttrCase<"PrecisionAware", 2, "precision_aware">]> {
  let cppNamespace = "::prec";
  let genSpecializedAttr = 0;
}

def Prec_MomentStorage : I32EnumAttr<"MomentStorage", "how moments are stored between steps", [
    I32EnumAttrCase<"F32", 0, "f32">,
    I32EnumAttrCase<"Dynamic8", 1, "dynamic8">]> {
  let cppNamespace = "::prec";
  let genSpecializedAttr = 0;
}

def Prec_TensorClass : I32EnumAttr<"TensorClass", "class of an operation, found by analysis", [
    I32EnumAttrCase<"Contraction", 0, "contraction">,
    I32EnumAttrCase<"Head", 1, "head">,
    I32EnumAttrCase<"Embedding", 2, "embedding">,
    I32EnumAttrCase<"Norm", 3, "norm">,
    I32EnumAttrCase<"Softmax", 4, "softmax">,
    I32EnumAttrCase<"Attention", 5, "attention">,
    I32EnumAttrCase<"Residual", 6, "residual">,
    I32EnumAttrCase<"Reduction", 7, "reduction">,
    I32EnumAttrCase<"Loss", 8, "loss">,
    I32EnumAttrCase<"Router", 9, "router">,
    I32EnumAttrCase<"Rotary", 10, "rotary">,
    I32EnumAttrCase<"Optimizer", 11, "optimizer">,
    I32EnumAttrCase<"Clipping", 12, "clipping">,
    I32EnumAttrCase<"Elementwise", 13, "elementwise">,
    I32EnumAttrCase<"Layout", 14, "layout">,
    I32EnumAttrCase<"Index", 15, "index">,
    I32EnumAttrCase<"Convolution", 16, "convolution">,
    I32EnumAttrCase<"Custom", 17, "custom">,
    I32EnumAttrCase<"Contrastive", 18, "contrastive">]> {
  let cppNamespace = "::prec";
  let genSpecializedAttr = 0;
}

#endif // PREC_DIALECT_PREC_PRECENUMS_TD
