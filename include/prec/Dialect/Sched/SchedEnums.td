//===- SchedEnums.td - enumerations of the prec_sched dialect *- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_SCHED_SCHEDENUMS_TD
#define PREC_DIALECT_SCHED_SCHEDENUMS_TD

include "mlir/IR/EnumAttr.td"

def Sched_Family : I32EnumAttr<"Family", "kernel family of a dispatch", [
    I32EnumAttrCase<"Elementwise", 0, "elementwise">,
    I32EnumAttrCase<"Row", 1, "row">,
    I32EnumAttrCase<"Column", 2, "column">,
    I32EnumAttrCase<"Transpose", 3, "transpose">,
    I32EnumAttrCase<"ScatterAdd", 4, "scatter_add">,
    I32EnumAttrCase<"Sort", 5, "sort">]> {
  let cppNamespace = "::prec::sched";
  let genSpecializedAttr = 0;
}

// As prec-rt/enums.def has them.
def Sched_ConvDirection : I32EnumAttr<"ConvDirection", "what a convolution computes", [
    I32EnumAttrCase<"Fprop", 0, "fprop">,
    I32EnumAttrCase<"Dgrad", 1, "dgrad">,
    I32EnumAttrCase<"Wgrad", 2, "wgrad">]> {
  let cppNamespace = "::prec::sched";
  let genSpecializedAttr = 0;
}

def Sched_Segment : I32EnumAttr<"Segment", "memory a value lives in", [
    I32EnumAttrCase<"State", 0, "state">,
    I32EnumAttrCase<"Input", 1, "input">,
    I32EnumAttrCase<"Output", 2, "output">,
    I32EnumAttrCase<"Workspace", 3, "workspace">,
    I32EnumAttrCase<"Constants", 4, "constants">]> {
  let cppNamespace = "::prec::sched";
  let genSpecializedAttr = 0;
}

#endif // PREC_DIALECT_SCHED_SCHEDENUMS_TD
