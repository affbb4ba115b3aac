//===- PickedElement.h - an element of a row by its index -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_EMITTER_PICKEDELEMENT_H
#define PREC_LIB_CODEGEN_EMITTER_PICKEDELEMENT_H

#include "prec/Support/LLVM.h"

#include "Codegen/Gpu/GpuKernels.h"

namespace prec {

/// What a sum over rows picks of each: the element at the position that `index`
/// has for the row, zero if there is none.
struct PickedElement {
  Value element, index;
};
std::optional<PickedElement> findPicked(train::ReduceOp op);

/// Reads the element that `op` picks of `row`, instead of summing.
LogicalResult bindPicked(GpuKernel &gpu, train::ReduceOp op,
                         const PickedElement &found, const Digit &row);

} // namespace prec

#endif // PREC_LIB_CODEGEN_EMITTER_PICKEDELEMENT_H
