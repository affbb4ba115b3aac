//===- LinearOpInterface.h - what an op is linear in ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_LINEAROPINTERFACE_H
#define PREC_DIALECT_PREC_LINEAROPINTERFACE_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/Sequence.h"

namespace prec {

/// What becomes of a positive factor of an operation's operands.
struct Linearity {
  enum class Kind {
    Sum,     ///< results have it where all of `operands` have, or are zero
    Product, ///< results have it where one of `operands` has
    Scale,   ///< results are scales of quantized data, which do not have it
  };

  Kind kind;
  /// Those that may have the factor. No other may.
  SmallVector<unsigned, 4> operands;
};

} // namespace prec

#include "prec/Dialect/Prec/LinearOpInterface.h.inc"

namespace prec {

/// What is linear in the same operands, whatever its attributes: in
/// `operands`, or without any in all there are.
template <Linearity::Kind kind, unsigned... operands> struct LinearIn {
  template <typename OpTy>
  struct Model : LinearOpInterface::ExternalModel<Model<OpTy>, OpTy> {
    Linearity getLinearity(Operation *op) const {
      if constexpr (sizeof...(operands) > 0)
        return {kind, {operands...}};
      return {kind,
              llvm::to_vector<4>(llvm::seq<unsigned>(0, op->getNumOperands()))};
    }
  };

  template <typename... Ops> static void attach(MLIRContext *context) {
    (Ops::template attachInterface<Model<Ops>>(*context), ...);
  }
};

template <unsigned... operands>
using LinearInSum = LinearIn<Linearity::Kind::Sum, operands...>;
template <unsigned... operands>
using LinearInProduct = LinearIn<Linearity::Kind::Product, operands...>;

} // namespace prec

#endif // PREC_DIALECT_PREC_LINEAROPINTERFACE_H
