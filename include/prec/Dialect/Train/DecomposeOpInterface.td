//===- DecomposeOpInterface.td - composites as primitives --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_DECOMPOSEOPINTERFACE_TD
#define PREC_DIALECT_TRAIN_DECOMPOSEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def DecomposeOpInterface : OpInterface<"DecomposeOpInterface"> {
  let cppNamespace = "::prec::train";
  let description = [{
    A composite that `--prec-decompose` writes as primitives: operations of `arith`, `math` and `tensor`, and those of
    `prec_train` that move, reduce or look up. An operation that implements it, of whatever dialect, needs nothing else
    of Schedule and of code generation. Operands may have any float format.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the primitives in front of the operation; returns what replaces its results, or nothing where it stays.
      }], "::llvm::SmallVector<::mlir::Value, 3>", "decompose", (ins "::prec::PrimitiveBuilder &":$builder)>,
  ];
}

#endif // PREC_DIALECT_TRAIN_DECOMPOSEOPINTERFACE_TD
