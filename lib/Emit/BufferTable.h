//===- BufferTable.h - the manifest's list of buffers -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_EMIT_BUFFERTABLE_H
#define PREC_LIB_EMIT_BUFFERTABLE_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Support/LLVM.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

namespace prec {

/// Numbers each distinct (segment, offset, type) once, in order of first use.
class BufferTable {
public:
  unsigned add(sched::PlacementAttr placement, RankedTensorType type);
  llvm::json::Array toJson() const;

private:
  using Key = std::pair<sched::PlacementAttr, RankedTensorType>;
  llvm::MapVector<Key, unsigned> buffers;
};

/// The manifest's name of an element type.
StringRef dtypeName(Type elementType);

} // namespace prec

#endif // PREC_LIB_EMIT_BUFFERTABLE_H
