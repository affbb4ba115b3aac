//===- PrecisionOpInterface.td - an op's numeric structure -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_PRECISIONOPINTERFACE_TD
#define PREC_DIALECT_PREC_PRECISIONOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def PrecisionOpInterface : OpInterface<"PrecisionOpInterface"> {
  let cppNamespace = "::prec";
  let description = [{
    What an operation says of itself: its structure, how it moves elements, what it reads of its operands, how many
    terms one result element accumulates, and its arithmetic. Passes do not list operations, they ask these questions
    (`describe`, `isReshape`, `movesElements` in Describe.h). Classes (residual, head, ...) come from the graph around
    an operation, not from here. Upstream operations implement it by external models (lib/ExternalModels).
  }];
  let methods = [
    InterfaceMethod<"Numeric structure.", "::prec::Structure", "getStructure">,
    InterfaceMethod<"How result elements come from operands where nothing is computed.",
      "::prec::Movement", "getMovement", (ins), [{}],
      [{ return ::prec::Movement::None; }]>,
    InterfaceMethod<"What is read of an operand.",
      "::prec::OperandRead", "getOperandRead", (ins "::mlir::OpOperand &":$operand), [{}],
      [{ return ::prec::OperandRead::Elements; }]>,
    InterfaceMethod<"How many operands, the first ones, results are computed of; none where the reads tell it.",
      "std::optional<unsigned>", "getNumInputs", (ins), [{}], [{ return std::nullopt; }]>,
    InterfaceMethod<"Whether a contraction's input 0 or 1 has the contracted dimension last.",
      "bool", "isContractedLast", (ins "unsigned":$input), [{}], [{ return true; }]>,
    InterfaceMethod<"Longest chain of additions behind one result element.",
      "int64_t", "getAccumulationLength", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<"Floating-point operations, counting a multiply-add as two.",
      "double", "getFlops", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<"Sizes of a contraction: M, N, K, batch. Zeros for others.",
      "::prec::ContractionShape", "getContractionShape", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<"Whether a contraction slides one operand over the other: its shape is that of the product that it "
                    "amounts to, and it reads no FP8 or FP4.",
      "bool", "isConvolution", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"The format that it takes operand `index` in and no other, or makes result `index` in; none where a "
                    "recipe decides it.",
      "std::optional<::prec::Format>", "getOwnFormat", (ins "bool":$isResult, "unsigned":$index), [{}],
      [{ return std::nullopt; }]>,
    InterfaceMethod<"Whether groups of rows of a contraction meet a matrix each: its shape is that of the product of all "
                    "rows.",
      "bool", "isGrouped", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"What the payload computes, a set of `Arithmetic` bits.",
      "uint32_t", "getArithmetic", (ins), [{}],
      [{ return ::prec::ArithNone; }]>,
  ];
  let verify = [{ return ::prec::verifyTags($_op); }];
}

#endif // PREC_DIALECT_PREC_PRECISIONOPINTERFACE_TD
