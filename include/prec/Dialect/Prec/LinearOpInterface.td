//===- LinearOpInterface.td - what an op is linear in ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_LINEAROPINTERFACE_TD
#define PREC_DIALECT_PREC_LINEAROPINTERFACE_TD

include "mlir/IR/OpBase.td"

def LinearOpInterface : OpInterface<"LinearOpInterface"> {
  let cppNamespace = "::prec";
  let description = [{
    What becomes of a positive factor of an operation's operands. Loss scaling
    follows the gradient of the loss by it, and refuses what does not answer.
    The dialects prec_train and prec attach it to their operations when they are
    loaded, external models (lib/ExternalModels) to upstream ones.
  }];
  let methods = [
    InterfaceMethod<"The operands that may have the factor, and what the results have then.",
      "::prec::Linearity", "getLinearity">,
  ];
}

#endif // PREC_DIALECT_PREC_LINEAROPINTERFACE_TD
