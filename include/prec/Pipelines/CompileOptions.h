//===- CompileOptions.h - what a compilation is asked for -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_PIPELINES_COMPILEOPTIONS_H
#define PREC_PIPELINES_COMPILEOPTIONS_H

#include "prec/Assign/Passes.h"
#include "prec/Emit/StepModule.h"
#include "prec/Support/LLVM.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace prec {

/// How a GPU sums the gradients of attention.
enum class AttentionBackward {
  /// The same bits in every run: by generated kernels where there are some for
  /// the chip and the shape, else by cuDNN's deterministic algorithm.
  Deterministic,
  Fast, ///< by cuDNN's fastest algorithm, in an order of every run's own
};

/// What becomes of linear layers that read one value.
enum class MergeLayers {
  Off,
  On,
  Explain, ///< and a remark says why one was not merged
};

/// What gradients of micro-batches are weighted by.
enum class MicroBatchWeights {
  Labels, ///< labels that count, where the loss is a mean over them
  Equal,
};

struct CompileOptions {
  /// Of --assign-precision; legality is the step module's target's if none is
  /// named. Must be defaults, and `assignText` empty, for a graph that is
  /// assigned already.
  AssignPrecisionOptions assign;
  std::string assignText;     ///< more of them, as prec-opt takes them
  std::string target = "cpu"; ///< "cpu", "sm_90a", ...
  /// Machine file of another device of the target that is scheduled for; empty:
  /// the target's own.
  std::string machine;
  std::string output = "step.so";
  /// Recipes, names or files (.json), whose steps are measured: the module
  /// holds each distinct command of them and does not train. Empty: a step.
  std::vector<std::string> bench;
  std::string ptxas; ///< empty: searched for
  /// A program that links when it is called as ld.lld; empty: searched for.
  std::string linker;
  /// Links in place of a program, such as lld in the process of the compiler.
  LinkFunction link;
  /// Folder where compiled GPU kernels are kept and looked for; empty: nowhere.
  std::string kernelCache;
  /// Bytes of it beyond which those that were used least recently are removed;
  /// 0: any number.
  int64_t kernelCacheSize = int64_t(1) << 30;
  std::string graphHash; ///< recorded in the manifest
  /// Phases (import, assign, materialize, schedule, codegen) after which the IR
  /// is written to the output's name with the suffix `.PHASE.mlir`.
  std::vector<std::string> dumpAfter;
  /// Files that what lives in memory is written to, as pages or as JSON.
  std::vector<std::string> memoryReports;
  bool decomposeAttention = false;    ///< no library call for attention
  bool decomposeConvolutions = false; ///< none for convolutions
  AttentionBackward attentionBackward = AttentionBackward::Deterministic;
  /// A step whose loss or gradients are not finite changes nothing.
  bool guardUpdates = true;
  /// The step reports which part of the updates did not reach the masters.
  bool countLostUpdates = false;
  /// Linear layers that read one value become one contraction.
  MergeLayers mergeContractions = MergeLayers::On;
  /// Operands of products in fp8 and fp4 can be raised when the module is run.
  bool switchable = false;
  /// FP32 biases of narrower products are rounded to their format, in which the
  /// library adds them.
  bool roundBiases = true;
  /// Large products get sizes that tensor cores can take.
  bool padProducts = true;
  /// Entry point sample: a step that measures its quantizations.
  bool collectNumerics = false;
  /// Entry points accumulate and apply, for steps of several micro-batches.
  bool accumulate = false;
  MicroBatchWeights microBatchWeights = MicroBatchWeights::Labels;
  /// Ranks that train together, along each axis: "dp=2". Empty: one process.
  std::string mesh;
  /// Between products of divided layers ranks have rows of what no operation
  /// there mixes, instead of all rows.
  bool sequenceParallel = true;
  /// Rows that a rank's experts have room for, over those that they get if all
  /// experts get alike.
  double expertRoom = 1.25;
  /// Stage of ZeRO: 1; 2 with `accumulate`, where ranks hold shards of sums
  /// over micro-batches, too; 3, where weights are whole while they are read.
  unsigned zero = 1;
  /// In which gradients are sent to other ranks: "own", "bf16" or "fp8".
  std::string exchangeWire = "own";
  /// Exchanges between ranks run beside other commands, and begin together
  /// until a rank gets so many bytes of the others.
  bool overlapExchanges = true;
  int64_t exchangeBucket = int64_t(64) << 20;
  /// Transposed FP8 copies of weights are kept, for the optimizer to write, or
  /// made in the backward from the copies that the forward reads; without it
  /// they are kept, where `maxMemory` does not ask for less.
  std::optional<bool> keepTransposedWeights;
  /// Activations are recomputed until state and workspace fit in so many bytes.
  std::optional<int64_t> maxMemory;
  /// Sums of gradients are kept until they share launches; not where
  /// `maxMemory` asks for less memory than that takes.
  bool sumsWait = true;
  /// Logits of more bytes are computed in chunks of at most so many; without
  /// it, where `maxMemory` asks for less memory than whole logits take.
  std::optional<int64_t> chunkLoss;
  bool timing = false; ///< report time and memory of each phase on stderr
  /// Called with the name of each phase when it begins.
  std::function<void(llvm::StringRef phase)> onPhase;
};

} // namespace prec

#endif // PREC_PIPELINES_COMPILEOPTIONS_H
