//===- TrainEnums.td - enumerations of the prec_train dialect *- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_TRAINENUMS_TD
#define PREC_DIALECT_TRAIN_TRAINENUMS_TD

include "mlir/IR/EnumAttr.td"

// As prec-rt/enums.def has them, but for results that replace an argument.
def Train_Role : I32EnumAttr<"Role", "what an argument or result is to the step", [
    I32EnumAttrCase<"Parameter", 0, "parameter">,
    I32EnumAttrCase<"FrozenParameter", 1, "frozen_parameter">,
    I32EnumAttrCase<"Buffer", 2, "buffer">,
    I32EnumAttrCase<"OptimizerState", 3, "optimizer_state">,
    I32EnumAttrCase<"WorkWeight", 4, "work_weight">,
    I32EnumAttrCase<"ScaleState", 5, "scale_state">,
    I32EnumAttrCase<"Batch", 6, "batch">,
    I32EnumAttrCase<"Hyper", 7, "hyper">,
    I32EnumAttrCase<"Loss", 8, "loss">,
    I32EnumAttrCase<"Metric", 9, "metric">,
    I32EnumAttrCase<"Guard", 10, "guard">,
    I32EnumAttrCase<"Numerics", 11, "numerics">,
    I32EnumAttrCase<"AmaxRatios", 12, "amax_ratios">,
    I32EnumAttrCase<"Switches", 13, "switches">,
    I32EnumAttrCase<"StagedParameter", 14, "staged_parameter">,
    I32EnumAttrCase<"Updated", 15, "updated">]> {
  let cppNamespace = "::prec::train";
  let genSpecializedAttr = 0;
}

def Train_Phase : I32EnumAttr<"Phase", "part of the step an operation belongs to", [
    I32EnumAttrCase<"Forward", 0, "forward">,
    I32EnumAttrCase<"Backward", 1, "backward">,
    I32EnumAttrCase<"Recompute", 2, "recompute">,
    I32EnumAttrCase<"Optimizer", 3, "optimizer">]> {
  let cppNamespace = "::prec::train";
  let genSpecializedAttr = 0;
}

def Train_ReduceKind : I32EnumAttr<"ReduceKind", "how elements are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::prec::train";
  let genSpecializedAttr = 0;
}

def Train_ExchangeKind : I32EnumAttr<"ExchangeKind", "what ranks give each other", [
    I32EnumAttrCase<"AllGather", 0, "all_gather">,
    I32EnumAttrCase<"AllToAll", 1, "all_to_all">,
    I32EnumAttrCase<"OwnSlice", 2, "own_slice">]> {
  let cppNamespace = "::prec::train";
  let genSpecializedAttr = 0;
}

#endif // PREC_DIALECT_TRAIN_TRAINENUMS_TD
