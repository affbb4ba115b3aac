//===- MemoryTable.h - where the bytes of a step go -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of "Why FP32 Master Weights Cost Terabytes" for any step: weights,
// masters, moments, gradients and what lives during a step, by format, and
// what a rank of ZeRO-1 holds. docs/Memory.md explains its rows.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_MEMORY_MEMORYTABLE_H
#define PREC_MEMORY_MEMORYTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prec {

/// What bytes are for, in the order of the table.
enum class MemoryClass : uint8_t {
  /// Work weights in 8 bits or less, one for each layout that
  /// contractions read.
  ForwardWeights,
  /// Work weights in 16 bits.
  Weights16,
  Masters,
  Moments,
  /// Of weights.
  Gradients,
  /// Values of the forward that the backward reads.
  Activations,
  /// Copies of activations and gradients that contractions read in FP8.
  QuantizedCopies,
  /// What else a step stores on its way.
  Temporaries,
};
inline constexpr unsigned kNumMemoryClasses = 8;

/// "forward weights", "masters", ...
llvm::StringRef stringifyMemoryClass(MemoryClass memoryClass);
/// ZeRO-1 splits masters and moments over its ranks.
inline bool isSharded(MemoryClass memoryClass) {
  return memoryClass == MemoryClass::Masters ||
         memoryClass == MemoryClass::Moments;
}

/// Positions in a step, both included.
struct LiveRange {
  uint32_t first, last;
};

struct MemoryItem {
  MemoryClass memoryClass;
  /// As in tags.
  std::string format;
  double elements = 0;
  /// None for what lives from step to step.
  std::optional<LiveRange> live;
  /// Where it comes from in the user's model; may be empty.
  std::string path;
  /// Whether it is all that is kept of a parameter, of several such the first.
  bool isParameter = false;
  /// The part of it that meets one token: of experts those that are chosen.
  double activePart = 1;
  /// Whether ranks that ZeRO-1 splits states over hold it whole: frozen, or a
  /// slice already.
  bool isWhole = false;
};

/// All items of one class and format.
struct MemoryRow {
  MemoryClass memoryClass;
  std::string format;
  int64_t tensors = 0;
  double elements = 0;
  /// Of all tensors, whether or not they live at the same time.
  double bytes = 0;
  /// Of those that live at the peak of a step, on one rank.
  double peakBytes = 0;
};

struct MemoryTable {
  std::vector<MemoryRow> rows;
  int64_t ranks = 1;
  /// Elements of all masters, and of parameters that have none.
  double parameters = 0;
  /// Of these, what meets one token.
  double activeParameters = 0;
  /// Sums of rows.
  double bytes = 0, peakBytes = 0;
  /// Where in a step the most bytes live; 0 if nothing has a live range.
  uint32_t peak = 0;
};

/// Moments in codes of 8 bits, with an f32 for each block of so many.
inline constexpr llvm::StringLiteral kDynamic8 = "dynamic8";
inline constexpr double kDynamicBlock = 256;

/// Bytes of elements of a format, or of `dynamic8`; e2m1 is packed. Scales of
/// formats are not counted: less than a byte for every 32 elements.
double getBytes(llvm::StringRef format, double elements);

/// Sums items by class and format and finds the peak of what lives during a
/// step. Masters and moments are split over `ranks`.
MemoryTable makeMemoryTable(llvm::ArrayRef<MemoryItem> items,
                            int64_t ranks = 1);

/// "671 GB", three digits, units of 1000.
std::string printBytes(double bytes);
void printMemoryTable(llvm::raw_ostream &os, const MemoryTable &table);
/// As JSON, with the items that have a live range; docs/Memory.md has the
/// format.
void writeMemoryTable(llvm::json::OStream &json, const MemoryTable &table,
                      llvm::ArrayRef<MemoryItem> items);

} // namespace prec

#endif // PREC_MEMORY_MEMORYTABLE_H
