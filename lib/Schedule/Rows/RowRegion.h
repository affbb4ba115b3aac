//===- RowRegion.h - what can be computed part by part ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_ROWS_ROWREGION_H
#define PREC_LIB_SCHEDULE_ROWS_ROWREGION_H

#include "prec/Support/LLVM.h"

#include "Schedule/Rows/RowFlow.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace prec {

/// The operations that follow from the rows of one value, and that compute any
/// equal part of the rows from nothing but that part. It ends in products that
/// read such rows: in rows of theirs, or in terms that are added up.
struct RowRegion {
  struct Member {
    Operation *op;
    RowFlow flow;
    bool isCopied; ///< others may still read what the operation computes
  };
  int64_t parts = 1;
  /// In block order.
  SmallVector<Member> members;
  /// Operations between members that wait for what members compute.
  SmallVector<Operation *> waiting;
  llvm::DenseMap<Value, int64_t> dims; ///< of values that members compute
};

/// Why there is no region, and where.
struct RowRefusal {
  std::string reason;
  Operation *where;
};

/// The region of the result of `seed`, of whose dimension 0 `parts` are made.
/// Values outside that members compute have one number a row, or end the
/// region. Linear in the operations behind `seed`.
std::optional<RowRegion> findRowRegion(Operation *seed, int64_t parts,
                                       RowRefusal &refusal);

/// Replaces the members of `region` by as many copies as there are parts, one
/// part after the other.
void computeInParts(const RowRegion &region);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_ROWS_ROWREGION_H
