//===- LookedUpRows.h - other rows of what is computed by rows --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_DECOMPOSE_LOOKEDUPROWS_H
#define PREC_LIB_SCHEDULE_DECOMPOSE_LOOKEDUPROWS_H

#include "prec/Dialect/Train/PrimitiveBuilder.h"

namespace prec {

/// The rows of `table` that the one-dimensional `ids` name.
Value gatherRows(Value table, Value ids, PrimitiveBuilder &b);

/// The rows `ids` of `matrix`, computed of looked up rows; null where it is not
/// made of such, or of tables that have more bytes than `stored`, which is
/// computed of its elements.
Value computeLookedUp(Value stored, Value matrix, Value ids,
                      PrimitiveBuilder &b);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_DECOMPOSE_LOOKEDUPROWS_H
