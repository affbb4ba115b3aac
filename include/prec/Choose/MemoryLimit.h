//===- MemoryLimit.h - labels within a number of bytes ----------*- C++ -*-===//
//
// A limit on a second sum (bytes) couples all decisions. Priced per byte it
// falls apart again (Everett, "Generalized Lagrange Multiplier Method", 1963):
// bisection finds the price at which the limit just holds, the best price's
// least total is a lower bound, and what room is left is filled by the parts
// that gain most per byte.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_CHOOSE_MEMORYLIMIT_H
#define PREC_CHOOSE_MEMORYLIMIT_H

#include "prec/Choose/Labelling.h"

namespace mlir::prec {

/// A problem whose labels and shared costs also take bytes, none negative.
struct LimitedProblem {
  LabellingProblem problem;
  /// By decision and label, and by shared cost.
  std::vector<llvm::SmallVector<int64_t, 3>> bytes;
  std::vector<int64_t> sharedBytes;

  int64_t countBytes(llvm::ArrayRef<uint32_t> labels) const;
};

struct LimitedLabelling {
  /// The bound is of labellings within the limit.
  Labelling labelling;
  int64_t bytes = 0;
  /// False if nothing found fits: the labelling is then the smallest found.
  bool fits = true;
  /// No labelling takes fewer bytes.
  int64_t leastBytes = 0;
  /// Cost per byte at which the limit just holds; 0 where it does not bind.
  double bytePrice = 0;
};

/// The problem whose costs include bytes at a price, rounded down.
LabellingProblem addBytePrice(const LimitedProblem &problem, double price);

LimitedLabelling chooseLabelsWithin(const LimitedProblem &problem,
                                    int64_t maxBytes);

} // namespace mlir::prec

#endif // PREC_CHOOSE_MEMORYLIMIT_H
