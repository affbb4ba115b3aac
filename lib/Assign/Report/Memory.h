//===- Memory.h - what an assignment stores ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_REPORT_MEMORY_H
#define PREC_LIB_ASSIGN_REPORT_MEMORY_H

#include "prec/Assign/Assignment.h"
#include "prec/Memory/MemoryTable.h"

namespace prec {

/// Every tensor of floats that a step under this assignment holds, positions
/// being numbers of nodes. Counts
/// - masters and moments as they are passed in, but for frozen parameters that
///   everything reads in other formats: copies in these are all of them,
/// - a work weight for each format that is not its master's, and for
///   FP8 one for each layout (what fprop contracts along K, dgrad along N),
/// - an FP8 copy of an activation or gradient for each format and layout, from
///   the value itself to the last contraction that reads it,
/// - stored values from their operation to the last that reads them, views and
///   values in registers looked through.
/// The optimizer updates in place. Sizes that are unknown count nothing.
std::vector<MemoryItem> collectMemory(const Graph &graph,
                                      const Classification &facts,
                                      const Assignment &assignment);

/// By value: whether it is a frozen parameter that nothing reads in the format
/// it has, so that copies in others are all that is kept of it.
std::vector<bool> findCopiesAlone(const Graph &graph,
                                  const Classification &facts,
                                  const Assignment &assignment);

} // namespace prec

#endif // PREC_LIB_ASSIGN_REPORT_MEMORY_H
