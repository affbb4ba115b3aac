//===- PrecisionOpInterface.td - an op's numeric structure -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_PRECISIONOPINTERFACE_TD
#define PREC_DIALECT_PREC_PRECISIONOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def PrecisionOpInterface : OpInterface<"PrecisionOpInterface"> {
  let cppNamespace = "::prec";
  let description = [{
    What the assigner must know of an operation: its structure, how many terms
    one result element accumulates, and its arithmetic. Classes (residual,
    head, ...) come from the graph around it, not from here. Upstream
    operations implement it by external models (lib/ExternalModels).
  }];
  let methods = [
    InterfaceMethod<"Numeric structure.", "::prec::Structure", "getStructure">,
    InterfaceMethod<"Longest chain of additions behind one result element.",
      "int64_t", "getAccumulationLength", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<"Floating-point operations, counting a multiply-add as two.",
      "double", "getFlops", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<"Sizes of a contraction: M, N, K, batch. Zeros for others.",
      "::prec::ContractionShape", "getContractionShape", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<"What the payload computes, a set of `Arithmetic` bits.",
      "uint32_t", "getArithmetic", (ins), [{}],
      [{ return ::prec::ArithNone; }]>,
  ];
  let verify = [{ return ::prec::verifyTags($_op); }];
}

#endif // PREC_DIALECT_PREC_PRECISIONOPINTERFACE_TD
