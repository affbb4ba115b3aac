//===- PickedElement.h - an element of a row by its index -------*- C++ -*-===//
#ifndef PREC_LIB_CODEGEN_PICKEDELEMENT_H
#define PREC_LIB_CODEGEN_PICKEDELEMENT_H

#include "DispatchShape.h"
#include "GpuKernels.h"

namespace mlir::prec {

/// Reads the element that `op` picks of `row`, instead of summing.
LogicalResult bindPicked(GpuKernel &gpu, train::ReduceOp op,
                         const PickedElement &found, const Digit &row);

} // namespace mlir::prec

#endif // PREC_LIB_CODEGEN_PICKEDELEMENT_H
