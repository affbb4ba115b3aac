//===- BufferTable.h - the manifest's list of buffers -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_EMIT_BUFFERTABLE_H
#define PREC_LIB_EMIT_BUFFERTABLE_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Support/LLVM.h"
#include "prec-rt/manifest.h"

#include "llvm/ADT/MapVector.h"

namespace prec {

/// Numbers each distinct (segment, offset, type) once, in order of first use.
class BufferTable {
public:
  unsigned add(sched::PlacementAttr placement, RankedTensorType type);
  std::vector<rt::Buffer> list() const;

private:
  using Key = std::pair<sched::PlacementAttr, RankedTensorType>;
  llvm::MapVector<Key, unsigned> buffers;
};

/// Of an element type that a scheduled graph may have.
rt::DType getDType(Type elementType);

} // namespace prec

#endif // PREC_LIB_EMIT_BUFFERTABLE_H
