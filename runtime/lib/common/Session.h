//===- Session.h - a step module in use -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An opened module with its device: what may be set, in which order, and what
// a step does besides running commands. Used from one thread at a time.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_SESSION_H
#define PREC_RT_COMMON_SESSION_H

#include "Communicator.h"
#include "ModuleFile.h"
#include "Slice.h"

#include <functional>

namespace prec::rt {

struct StepResult {
  double loss;
  /// Whether loss, metrics and all that the guard reads are neither NaN nor
  /// infinite.
  bool finite;
  int64_t step; ///< of the step just done, from 1; of eval: steps done so far
  /// What the guard of a step found not to be finite, or which index to be no
  /// row of its table: the step changed nothing.
  const std::string *notFinite = nullptr;
  bool isIndex = false; ///< what notFinite names
  /// How often experts had no room for their rows in it, so that it, or a
  /// micro-batch of it, ran again with room for all.
  int64_t crowded = 0;

  /// What is wrong with what notFinite names.
  std::string fault() const {
    return *notFinite + (isIndex ? " is out of range" : " is not finite");
  }
};

/// Dense, row-major, borrowed.
struct TensorRef {
  DType dtype;
  std::vector<int64_t> shape;
  void *data;
  Place place{};

  int64_t bytes() const {
    int64_t size = byteSize(dtype);
    for (int64_t dim : shape)
      size *= dim;
    return size;
  }
};

/// What a binding is about to be set to: bytes as stored, or memory of the GPU
/// that is copied as it is.
struct StagedValue {
  std::vector<char> bytes;
  const void *memory = nullptr;
};

/// How far a training is; sessions of one state have one.
struct TrainingProgress {
  bool weightsChanged = false; ///< since `init` made work weights of them
  bool isInitialized = false;  ///< whether `init` has run in this training
  int64_t steps = 0;           ///< done
  int64_t microBatches = 0;    ///< accumulated since the last step
  int64_t crowded = 0;         ///< runs again since the last step
};

/// Tensors on a GPU that were handed in.
struct CopyStatistics {
  int64_t deviceCopies = 0, deviceBytes = 0;
  int64_t throughHostCopies = 0, throughHostBytes = 0;
};

class Session {
public:
  static Result<std::unique_ptr<Session>> open(const std::string &path,
                                               OpenOptions options = {});
  /// Of a module that is read already, and may be loaded.
  static Result<std::unique_ptr<Session>> open(std::shared_ptr<ModuleFile> file,
                                               OpenOptions options = {});

  const ModuleFile &module() const { return *file; }
  std::shared_ptr<ModuleFile> sharedModule() const { return file; }
  const Manifest &manifest() const { return file->manifest(); }
  Device &device() { return *target; }

  const Buffer &bufferOf(const Binding &binding) const {
    return manifest().buffers[binding.buffer];
  }
  /// What this rank has of a binding's tensor.
  Slice sliceOf(const Binding &binding) const {
    return prec::rt::sliceOf(manifest(), binding, ranks ? ranks->rank() : 0);
  }
  /// Null where the module is run by one process.
  Communicator *communicator() const { return ranks.get(); }
  /// The same ranks, for what they save: maybe on another thread.
  Communicator *fileCommunicator() const { return fileRanks.get(); }
  /// Index of a binding by name (weights also by alias), or -1.
  int find(std::string_view name) const;

  /// Whether a binding takes values of this dtype and shape; tells all that
  /// differs.
  Status check(int binding, DType dtype,
               const std::vector<int64_t> &shape) const;
  /// Sets a binding from host memory, converted exactly to the stored dtype.
  /// Token ids are checked against the vocabulary.
  Status set(int binding, DType dtype, const std::vector<int64_t> &shape,
             const void *data);
  /// The two halves of `set`: only `write` changes anything, and it takes what
  /// `encode` gave.
  Result<std::vector<char>> encode(int binding, DType dtype,
                                   const std::vector<int64_t> &shape,
                                   const void *data) const;
  Status write(int binding, const std::vector<char> &bytes);
  Status get(int binding, DType dtype, void *data, int64_t bytes);

  /// The same with tensors that may be on the module's GPU.
  Result<StagedValue> stage(int binding, const TensorRef &value);
  /// Work that reads the staged memory is started, not waited for.
  Status write(int binding, const StagedValue &value);
  Status set(int binding, const TensorRef &value);
  Status get(int binding, const TensorRef &target);
  /// The bytes of a tensor that is not on the host.
  Result<std::vector<char>> fetch(int binding, const TensorRef &value,
                                  const char *why);
  /// Whether a value of the stored dtype is taken as it is.
  static bool isUnchecked(const Binding &binding) {
    return !binding.vocabulary && !binding.range && binding.role != Role::hyper;
  }
  /// Whether the caller has checked what a batch has on the GPU.
  void trustBatches(bool trusted) { areBatchesTrusted = trusted; }
  const CopyStatistics &statistics() const { return copies; }
  /// `name` with or without its group suffix: "lr" sets "lr" and every "lr.N".
  Status setHyper(std::string_view name, double value);
  bool hasHyper(std::string_view name) const;

  /// Normal(0, stddev) for parameters of two or more dimensions, zeros for
  /// biases, ones for other vectors; a new training (see restart).
  Status initializeRandom(uint64_t seed, float stddev);
  /// The bytes alone of one of these weights.
  Status fillRandom(const Binding &binding, uint64_t seed, float stddev);

  /// Zeroes optimizer state and the step count: a new training from the
  /// present weights.
  Status restart();

  /// Runs entry point `init` if weights changed since its last run.
  Status initialize();
  /// Runs entry point `restore`, if there is one: work weights from weights and
  /// scale state that were loaded.
  Status restore();
  /// Work weights from weights that somebody has written without telling; scale
  /// state that belongs to no weight goes on.
  Status refresh();

  /// `meanwhile` runs on the host while the device computes.
  Result<StepResult> step(const std::function<void()> &meanwhile = {});
  /// The two halves of a step: only the second waits for the device.
  Status startStep();
  Result<StepResult> finishStep();
  /// Whether a step was started and not finished.
  bool isStepStarted() const { return isStarted; }
  /// Starts an entry point of a step, or `eval`, and copies of these outputs
  /// behind it, and waits for nothing: what guards found is the caller's to
  /// read. `setInputs` sets the batch, once nothing else is to be refused.
  Status enqueue(const std::string &entryPoint,
                 const std::vector<std::pair<int, TensorRef>> &outputs,
                 const std::function<Status()> &setInputs);
  /// A step of a module that was compiled to measure its quantizations.
  Result<StepResult> sample();
  Result<StepResult> eval();

  /// A step in parts, of a module that has them: one `accumulate` or more, each
  /// with the loss of its own micro-batch, then `apply` with the result of the
  /// step. New weights in between begin the step again.
  Result<StepResult> accumulate(const std::function<void()> &meanwhile = {});
  Result<StepResult> apply();
  /// Whether a step was begun by `accumulate` and waits for `apply`.
  bool isWithinStep() const { return progress->microBatches > 0; }
  /// Refuses what may only happen between steps.
  Status checkBetweenSteps(const char *what) const;
  /// Refuses to end a step that was not begun.
  Status checkApply() const;

  /// A step whose commands run one by one; `seconds` has an entry for each.
  Result<StepResult> profileStep(std::vector<double> &seconds);

  /// Mean seconds of every command over `rounds` steps, by the device's own
  /// clock. Commands may run more than once in a round, so the state is lost,
  /// but not so often that values degenerate: subnormals would be slow.
  Status timeStep(int rounds, std::vector<double> &seconds);

  /// Whether everything is set that `entryPoint` reads, but for the batch where
  /// that is about to be set.
  Status checkInputs(const char *entryPoint, bool exceptBatch = false) const;
  /// Whether all weights are set.
  Status checkWeights(const char *before) const;

  /// Before a call of a program that ranks make together: it succeeds on all
  /// of them, or fails on all, where the call of one is another one, or fails
  /// with `own`, or its hyper-parameters are others. Of a process alone `own`.
  Status agreeOnCall(const std::string &entryPoint, Status own);

  /// Everything a step does before its commands run, and after.
  Status beginStep(const char *entryPoint = "step");
  Result<StepResult> endStep();

  /// StepResult::notFinite of the last step.
  const std::string *notFinite() const { return badTensor; }

  int64_t stepsDone() const { return progress->steps; }
  void setStepsDone(int64_t count) { progress->steps = count; }
  /// Whether whole numbers as they are stored are those that a binding may
  /// hold.
  Status checkNumbers(const Binding &binding, const char *data) const;
  /// For loaders that write a binding's bytes themselves: makes the work
  /// weights of a staged weight, whose bytes are lost afterwards.
  Status finishWrite(int binding);
  /// For loaders that write work weights of a staged weight instead of it.
  void markWritten(int binding);

private:
  explicit Session(std::shared_ptr<ModuleFile> file) : file(std::move(file)) {}
  /// Whether all ranks have opened the same, and what they exchange over.
  Status joinRanks(const std::shared_ptr<Communicator> &all);
  std::string describeHypers() const;
  /// Of steps or micro-batches, which a session counts itself.
  static bool isCount(const Binding &binding);
  Status prepare();
  /// Goes on with the state of another session.
  Status adopt(const Session &other);
  /// Whether the place of an output is one that it can be copied to.
  Status checkOutput(int binding, const TensorRef &to) const;
  Status checkPlace(int binding, const Place &place) const;
  Status checkSet(const char *what, const char *before,
                  const std::function<bool(const Binding &)> &isNeeded) const;
  Status uploadScalar(const Binding &binding, float value);
  /// `microBatch` of the step that is being taken; negative in an evaluation.
  Status uploadCounts(int64_t microBatch);
  /// Starts an entry point, whose end `meanwhile` does not wait for.
  Status run(const char *entryPoint, const std::function<void()> &meanwhile);
  /// Runs the entry point again where it found no room for rows of experts, and
  /// so changed nothing, by the one that has room for all. Waits for the
  /// device.
  Status runAgainIfCrowded(const std::string &entryPoint);
  Result<StepResult> readLoss();
  Result<StepResult> readResult();
  /// The first of what a binding of role guard names that is at fault, if any
  /// is.
  Result<const std::string *> readGuard(const Binding &binding);
  /// Sets what is at fault in a step; of a part of one `indicesOnly`.
  Status readGuards(StepResult &result, bool indicesOnly);

  std::shared_ptr<ModuleFile> file;
  std::shared_ptr<Communicator> ranks, fileRanks; ///< of several
  std::unique_ptr<Device> target;
  std::vector<bool> written;     ///< by binding
  std::vector<bool> isFetchTold; ///< to the log, by binding
  CopyStatistics copies;
  std::map<int, float> hypers; ///< what was uploaded, by buffer
  bool areBatchesTrusted = false;
  bool isStarted = false;
  std::shared_ptr<TrainingProgress> progress =
      std::make_shared<TrainingProgress>();
  const std::string *badTensor = nullptr;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_SESSION_H
