//===- Diff.h - what differs between two assignments ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_EXPLAIN_DIFF_H
#define PREC_EXPLAIN_DIFF_H

#include "prec/Explain/PrecisionMap.h"

namespace prec {

/// The same argument or operation in both; null where one lacks it.
template <typename T> struct Aligned {
  const T *before = nullptr, *after = nullptr;

  const T &any() const { return before ? *before : *after; }
};
using AlignedValue = Aligned<MapValue>;
using AlignedOperation = Aligned<MapOperation>;

/// Pairs what has the same path and name, the n-th with the n-th; in the order
/// of `before`, then of `after`. Null functions have nothing.
std::vector<AlignedValue> alignArguments(const MapFunction *before,
                                         const MapFunction *after);
std::vector<AlignedOperation> alignOperations(const MapFunction *before,
                                              const MapFunction *after);
/// By name.
std::vector<Aligned<MapFunction>> alignFunctions(const PrecisionMap &before,
                                                 const PrecisionMap &after);

enum class DifferenceKind { Format, Reason, OnlyBefore, OnlyAfter };
llvm::StringRef stringifyDifferenceKind(DifferenceKind kind);

struct Difference {
  DifferenceKind kind = DifferenceKind::Format;
  std::string function, path;
  /// Empty for arguments.
  std::string operation, tensorClass, phase, direction;
  /// "argument", "result 0", "operand 1".
  std::string what;
  std::optional<MapDecision> before, after;
  /// Why what won before lost after; empty where that is not known.
  std::string why;
};

struct MapDiff {
  std::string recipes[2], targets[2];
  int64_t numDecisions = 0;
  std::vector<Difference> differences;

  int64_t count(DifferenceKind kind) const;
};

MapDiff diffMaps(const PrecisionMap &before, const PrecisionMap &after);

/// Differences of format, equal ones of several layers as one, and a count of
/// the rest.
void printDiff(llvm::raw_ostream &os, const MapDiff &diff);
/// docs/schemas/precision-diff.schema.json.
void writeDiff(llvm::raw_ostream &os, const MapDiff &diff);

} // namespace prec

#endif // PREC_EXPLAIN_DIFF_H
