//===- StepFloor.h - what a step takes at least -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The floor of a step is the time of its products and attention, replayed one
// right behind the other with the module's own algorithms, and the unavoidable
// bytes of all other commands by the rate of a copy.
//
// Unavoidable is what an ideal fusion still has to move. A product (attention
// is one here) is a level above the deepest level that it reads from; any other
// command is at the deepest that it reads from. What a step finds when it
// begins is at level 0. The other commands of a level need nothing of later
// levels, so they could be one kernel, which
//  - reads once what it does not write itself, however many commands read it;
//  - writes what a product, another level or anything after the step reads. Of
//    what is written several times that is the last value, or an earlier one
//    that is read from elsewhere.
// Only values that flow from one command to another count as dependences: that
// buffers share bytes with earlier ones forces no order on an ideal kernel. A
// fill has no level: zeros are made again where they are read, and are written
// for products alone, or to last.
//
// A floor, not a plan: whole reductions count as fused with what needs them,
// and what is computed again counts as computed at the level of its inputs.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RUN_STEPFLOOR_H
#define PREC_RUN_STEPFLOOR_H

#include "Manifest.h"

namespace prec::run {

struct StepFloor {
  int rounds = 0; ///< of a step and the replay
  /// Mean seconds by command of entry point "step"; none of what is not
  /// replayed.
  std::vector<std::optional<double>> replayed;
  std::vector<int64_t> bytes; ///< unavoidable, by command
  double bytesPerSecond = 0;  ///< of a copy, read and written
  double stepSeconds = 0;     ///< mean of whole steps, their commands not timed

  double replayedSeconds() const;
  int64_t totalBytes() const;
  double seconds() const {
    return replayedSeconds() + totalBytes() / bytesPerSecond;
  }
};

/// Whether a command is replayed: whether its kind is product, of experts as
/// well, or attention.
bool isReplayed(rt::CommandKind kind);

/// By command of entry point "step"; 0 of those that are replayed. A byte
/// belongs to the first command of its level that moves it. Of a buffer counts
/// what the command needs of it (`parts`), and as a whole what it writes.
std::vector<int64_t> computeUnavoidableBytes(const rt::Manifest &manifest);

} // namespace prec::run

#endif // PREC_RUN_STEPFLOOR_H
