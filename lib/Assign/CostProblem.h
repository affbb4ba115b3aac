//===- CostProblem.h - a graph's precision as a labelling -------*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_COSTPROBLEM_H
#define PREC_LIB_ASSIGN_COSTPROBLEM_H

#include "HeldValues.h"
#include "prec/Assign/Assignment.h"
#include "prec/Assign/CostModel.h"
#include "prec/Choose/MemoryLimit.h"

namespace mlir::prec {

/// How a contraction of the backward gets an operand of the forward.
enum class Hold : uint8_t {
  /// It reads none, or nothing is said of memory.
  Unsaid,
  /// The quantised copy that it reads is held.
  Quantized,
  /// The quantised copy that the forward reads is held and transposed.
  Transposed,
  /// The value is held as it is stored, and quantised again if need be.
  Stored,
  /// It is computed again from what is held anyway.
  Recomputed
};
/// "the copy that it reads is held" and so on.
llvm::StringRef describeHold(Hold hold);

/// Every contraction that can run is a decision, its permitted candidates in
/// their order are the labels; with memory, each as often as there are ways to
/// hold its operand. What several of them share is paid once: the pass over a
/// tensor to quantise it, each layout that is written of it, work copies of
/// weights, storing what nobody else reads, the bytes that hold it.
struct CostProblem {
  /// Without memory all bytes are 0.
  LimitedProblem limited;
  /// By decision: which of the assignment's choices it is.
  std::vector<uint32_t> choices;
  /// By decision and label: which candidate of the choice it is, and how its
  /// operand is held.
  std::vector<SmallVector<unsigned, 3>> candidates;
  std::vector<SmallVector<Hold, 3>> holds;
  /// By decision: times were measured.
  std::vector<bool> isMeasured;

  const LabellingProblem &getLabelling() const { return limited.problem; }
};

/// `storage` has the decided formats of values, by value; `held` is null if
/// memory does not count. Linear in the number of operations and uses, but for
/// logarithms.
CostProblem buildCostProblem(const Graph &graph, const Classification &facts,
                             ArrayRef<ContractionChoice> choices,
                             ArrayRef<Decision> storage, const Target &target,
                             const CostModel &model,
                             const HeldValues *held = nullptr);

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_COSTPROBLEM_H
