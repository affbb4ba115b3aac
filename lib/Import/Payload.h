//===- Payload.h - what elementwise operations compute ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_PAYLOAD_H
#define PREC_LIB_IMPORT_PAYLOAD_H

#include "prec/Support/LLVM.h"

#include "Import/Algebra.h"

#include "mlir/IR/Operation.h"

namespace prec {

/// The result of an elementwise operation for operands at one index; nothing
/// where the algebra does not know the operation. Truth values are 0 and 1.
Algebra::MaybePoly applyPayload(Algebra &algebra, Operation *op,
                                ArrayRef<Poly> operands);

} // namespace prec

#endif // PREC_LIB_IMPORT_PAYLOAD_H
