//===- LookupOpInterface.td - what is read or written by index -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_LOOKUPOPINTERFACE_TD
#define PREC_DIALECT_TRAIN_LOOKUPOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def LookupOpInterface : OpInterface<"LookupOpInterface"> {
  let cppNamespace = "::prec::train";
  let description = [{
    An operation that an operand of indices tells which rows of a table it reads or writes. `--prec-check-indices` sees
    to it that each index is a row; an operation that does not implement this is taken to have no indices.
  }];
  let methods = [
    InterfaceMethod<"The indices, and what they must be.", "::prec::train::Lookup", "getLookup">,
  ];
}

#endif // PREC_DIALECT_TRAIN_LOOKUPOPINTERFACE_TD
