//===- BenchPlan.h - what a benchmark runs, and in which memory -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of a bench module read and write buffers of their own, more than
// any memory holds. A plan gives them windows of a few pools instead, one for
// each dtype and use, which are filled with realistic values once. A command is
// repeated with other windows each time, until it comes back to one that no
// cache holds any more: so every operand comes from memory, as in a step, and
// nothing has to be flushed.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RUN_BENCHPLAN_H
#define PREC_RUN_BENCHPLAN_H

#include "Manifest.h"

namespace prec::run {

/// What a command does with a window, and so what must be in it.
enum class PoolUse {
  value,   ///< read: normal deviates
  scale,   ///< inverse scales of a product
  written, ///< nothing in particular
  changed, ///< read and written: small positive numbers, which stay so
  ends,    ///< where groups of rows end: as many rows in each
};

struct Pool {
  rt::DType dtype;
  PoolUse use;
  int64_t rows = 0, groups = 0; ///< of ends
  int buffer = -1;              ///< of the plan's manifest: all of its bytes
};

/// Commands of one signature, one after the other in an entry point.
struct BenchEntry {
  std::string signature; ///< of several commands joined by " ; "
  std::string entryPoint;
  int64_t repetitions = 0;   ///< of the commands in the entry point
  int64_t bytes = 0;         ///< that one repetition moves
  double flops = 0;          ///< of one repetition's products
  std::vector<size_t> items; ///< of the module's list `bench`
};

struct BenchPlan {
  rt::Manifest manifest; ///< what a device runs
  std::vector<Pool> pools;
  std::vector<BenchEntry> entries;
  std::vector<std::string> notes; ///< what does not fit
};

/// Where groups of as many rows each end, or of one more where that does not
/// divide.
std::vector<int32_t> makeEnds(int64_t rows, int64_t groups);

/// Bytes of the pools are at most `memoryBytes`; commands that need more are
/// left out, with a note. `cacheBytes` is the size of the device's last cache.
rt::Result<BenchPlan> planBench(const rt::Manifest &module, int64_t cacheBytes,
                                int64_t memoryBytes);

} // namespace prec::run

#endif // PREC_RUN_BENCHPLAN_H
