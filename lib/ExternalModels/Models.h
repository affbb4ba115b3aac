//===- Models.h - common external models of PrecisionOpInterface *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_EXTERNALMODELS_MODELS_H
#define PREC_LIB_EXTERNALMODELS_MODELS_H

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// Elements of the first result that has a static shape; 1 for a scalar and 0
/// where nobody knows.
inline double getResultElements(Operation *op) {
  if (op->getNumResults() == 0)
    return 0;
  auto type = dyn_cast<ShapedType>(op->getResult(0).getType());
  if (!type)
    return 1;
  return type.hasStaticShape() ? double(type.getNumElements()) : 0;
}

/// An operation whose structure and arithmetic follow from its name alone.
template <typename OpTy, Structure structure, uint32_t arithmetic = ArithNone>
struct FixedModel : PrecisionOpInterface::ExternalModel<
                        FixedModel<OpTy, structure, arithmetic>, OpTy> {
  Structure getStructure(Operation *) const { return structure; }
  uint32_t getArithmetic(Operation *) const { return arithmetic; }
  double getFlops(Operation *op) const {
    return structure == Structure::Elementwise ? getResultElements(op) : 0;
  }
};

template <Structure structure, uint32_t arithmetic, typename... Ops>
void attachFixed(MLIRContext *context) {
  (Ops::template attachInterface<FixedModel<Ops, structure, arithmetic>>(
       *context),
   ...);
}

/// An operation that moves elements.
template <typename OpTy, Movement movement>
struct MovementModel
    : PrecisionOpInterface::ExternalModel<MovementModel<OpTy, movement>, OpTy> {
  Structure getStructure(Operation *) const {
    return movement == Movement::Gather ? Structure::Gather : Structure::Layout;
  }
  Movement getMovement(Operation *) const { return movement; }
};

template <Movement movement, typename... Ops>
void attachMovement(MLIRContext *context) {
  (Ops::template attachInterface<MovementModel<Ops, movement>>(*context), ...);
}

} // namespace prec

#endif // PREC_LIB_EXTERNALMODELS_MODELS_H
