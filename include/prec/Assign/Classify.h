//===- Classify.h - finds classes, phases, directions -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_CLASSIFY_H
#define PREC_ASSIGN_CLASSIFY_H

#include "prec/Assign/Classification.h"

namespace prec {

/// Linear in the number of operations and uses. Uses structure, shapes and
/// origins only: no names, no links between forward and backward.
Classification classify(const Graph &graph);

} // namespace prec

#endif // PREC_ASSIGN_CLASSIFY_H
