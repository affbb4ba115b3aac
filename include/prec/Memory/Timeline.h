//===- Timeline.h - what lives in memory while a step runs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --prec-plan-memory decided, as numbers alone: which bytes are taken from
// which command to which. docs/Memory.md tells what the report and the page
// say.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_MEMORY_TIMELINE_H
#define PREC_MEMORY_TIMELINE_H

#include "prec/Memory/MemoryTable.h"

namespace prec {

/// What a buffer is for; those that live from step to step come first.
enum class BufferClass : uint8_t {
  Parameters,
  /// Moments and what else an optimizer keeps.
  OptimizerState,
  /// Copies of weights in the formats that contractions read.
  WorkWeights,
  /// Scales, histories, counters.
  OtherState,
  /// Batch, hyper-parameters, loss and metrics.
  InputsAndOutputs,
  /// What a loader of frozen weights reads.
  StagedParameters,
  /// Computed in the forward for the backward.
  Activations,
  /// Computed again in the backward.
  RecomputedActivations,
  /// Computed for the optimizer.
  WeightGradients,
  Temporaries,
};
inline constexpr unsigned kNumBufferClasses = 10;

/// "parameters", "optimizer state", ...
llvm::StringRef stringifyBufferClass(BufferClass bufferClass);

/// What lives from step to step.
struct ResidentBuffer {
  BufferClass what;
  /// Of the parameter or state, as the framework has it.
  std::string name;
  /// "16x32xf32".
  std::string type;
  llvm::StringRef segment;
  int64_t offset, bytes;
};

/// A part of the workspace during a part of the step.
struct TimelineBuffer {
  BufferClass what;
  std::string type;
  int64_t offset, bytes;
  /// Commands, both included; the first computes it.
  LiveRange live;
};

struct TimelineCommand {
  std::string name;
  /// Of the module that it belongs to; may be empty.
  std::string path;
  llvm::StringRef phase;
};

struct FunctionTimeline {
  std::string function;
  /// Bytes of workspace from the first to behind the last that is used.
  int64_t arenaBytes = 0;
  std::vector<TimelineCommand> commands;
  std::vector<TimelineBuffer> buffers;
  /// Bytes of workspace that live at each command.
  std::vector<int64_t> liveBytes;
};

struct MemoryTimeline {
  /// Names and sizes.
  std::vector<std::pair<llvm::StringRef, int64_t>> segments;
  std::vector<ResidentBuffer> residents;
  std::vector<FunctionTimeline> functions;
};

/// As docs/schemas/memory.schema.json has it; `indent` is 0 for one line.
void writeTimeline(llvm::raw_ostream &os, const MemoryTimeline &timeline,
                   unsigned indent = 2);

/// One HTML document that needs nothing else.
void writeTimelinePage(llvm::raw_ostream &os, const MemoryTimeline &timeline);

} // namespace prec

#endif // PREC_MEMORY_TIMELINE_H
