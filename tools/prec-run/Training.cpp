//===- Training.cpp - trains a session on token files ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The training loop of prec-run. Before anything is written, all that can be
// wrong with the files is checked and reported together. A step: go on with
// another module if that is due, set the learning rate, take the step
// (micro-batches, or a sample of numerics), while the next batch is encoded;
// then judge it. A skipped step is counted, and too many in a row end the run.
// A checkpoint is taken only behind a good step, is written in the background,
// and is confirmed by the next good one, since weights with which no loss is
// finite show only there. At the end the state is proven by an evaluation and
// saved, whatever ended the run, unless it is no better than what is saved.
//
//===----------------------------------------------------------------------===//

#include "Training.h"

#include "AtomicFile.h"
#include "BackgroundSave.h"
#include "LearningRate.h"
#include "MetricsFile.h"
#include "ModuleSchedule.h"
#include "NumericsFile.h"
#include "Profile.h"
#include "Progress.h"
#include "RunRanks.h"
#include "SaveFolder.h"
#include "StopSignal.h"
#include "TokenFile.h"
#include "TrainingOptions.h"
#include "Weights.h"

#include <cmath>
#include <set>
#include <utility>

using namespace prec::rt;
using namespace prec::run;

/// None if a signal ends the run in the meantime.
static Result<std::optional<double>> heldOutLoss(Session &session,
                                                 const TokenFile &tokens,
                                                 int64_t batches,
                                                 int64_t tokensPerBatch) {
  double sum = 0;
  for (int64_t i = 0; i < batches; ++i) {
    // Ranks go on until all of them stop.
    if (!session.communicator() && stopSignal())
      return std::optional<double>();
    PREC_RT_RETURN_IF_ERROR(tokens.setBatch(session, i * tokensPerBatch));
    Result<StepResult> result = session.eval();
    if (!result.ok())
      return result.status();
    sum += result->loss;
  }
  return std::optional(sum / batches);
}

namespace {

/// What is wrong, a line each.
class Problems {
public:
  void add(const Status &status) {
    if (!status.ok())
      text += (text.empty() ? "" : "\n") + status.message();
  }
  Status status() const {
    return text.empty() ? Status() : Status::badValue(text);
  }

private:
  std::string text;
};

/// From which ratio to the largest value of its scale on an amax is a spike,
/// not a history that grows.
constexpr float kSpike = 2;

/// A run of skipped steps that no lower loss scale will end.
constexpr int64_t kMaxSkipped = 32;

/// Skipped steps whose batches are kept: the first tell what is wrong.
constexpr int64_t kMaxKept = 8;

/// The state of a run that its parts share.
struct Run {
  ModuleSchedule modules;
  const Options &options;
  int64_t tokensPerBatch = 0;
  const CheckpointLock *place = nullptr; ///< to save in, if anywhere
  int64_t position = 0;                  ///< of this rank's next batch
  int64_t skipped = 0;                   ///< steps in a row
  int64_t taken = 0, good = 0; ///< steps of this run, and those not skipped
  int64_t crowded = 0;         ///< of these, steps that ran again
  int64_t done = 0;            ///< tokens consumed by whole steps of all ranks
  std::string order{};         ///< in which tokens are read, if it is shuffled
  /// The last batches that were set, and that of the last good step: a file of
  /// tokens may be gone when a state is to be proven.
  TokenFile::Batch batch{}, goodBatch{};
  std::string fault{}; ///< of the last skipped step
  bool isSaveDue = false;
  std::optional<double> best{}; ///< held-out loss
  int64_t kept = 0;             ///< steps whose batches are in files
  /// Encoded while the batch before was computed.
  std::optional<Result<TokenFile::Batch>> ahead{};
  Numerics numerics{};
  std::set<std::string> outgrown{}; ///< tensors that were warned of

  Session &session() const { return modules.session(); }
  /// Behind the last whole step.
  DataPlace reached() const { return {done, order}; }

  /// Tokens that a rank consumes in a step.
  int64_t tokensPerStep() const {
    return options.microBatches * tokensPerBatch;
  }
  /// Begins a step behind those before: ranks take the micro-batches of one
  /// process in turns, in the order of ranks.
  void beginAt(int64_t consumed) {
    done = consumed;
    position = consumed + options.dataRank * tokensPerBatch;
  }
  /// Goes on behind a batch that was set.
  void nextBatch() { position += options.dataRanks * tokensPerBatch; }
};

} // namespace

/// The held-out loss; none if a signal ends the run in the meantime.
static Result<std::optional<double>> evaluate(Run &run, const TokenFile &tokens,
                                              MetricsFile &metrics,
                                              Progress &progress) {
  progress.pause();
  Result<std::optional<double>> loss = heldOutLoss(
      run.session(), tokens, run.options.evalBatches, run.tokensPerBatch);
  if (!loss.ok() || !*loss)
    return loss;
  char text[80];
  snprintf(text, sizeof text, "step %lld  held-out loss %.4f",
           static_cast<long long>(run.session().stepsDone()), **loss);
  progress.note(text);
  progress.resume();
  PREC_RT_RETURN_IF_ERROR(metrics.eval(run.session().stepsDone(), **loss));
  return loss;
}

static bool isSampled(const Run &run) {
  int64_t step = run.session().stepsDone() + 1;
  return !run.options.numerics.empty() && step % run.options.sampleEvery == 0;
}

static Status setNextBatch(Run &run, const TokenFile &tokens) {
  if (!run.ahead)
    run.ahead = tokens.encode(run.session(), run.position);
  Result<TokenFile::Batch> batch = *std::exchange(run.ahead, std::nullopt);
  if (!batch.ok())
    return batch.status();
  run.nextBatch();
  run.batch = std::move(*batch);
  return writeBatch(run.session(), run.batch);
}

/// One step, of as many batches as asked for.
static Result<StepResult> takeStep(Run &run, const TokenFile &tokens) {
  Session &session = run.session();
  bool isLast = session.stepsDone() + 1 == run.options.steps;
  for (int64_t i = 0; i < run.options.microBatches; ++i) {
    PREC_RT_RETURN_IF_ERROR(setNextBatch(run, tokens));
    auto encodeNext = [&]() {
      if (!isLast || i + 1 < run.options.microBatches)
        run.ahead = tokens.encode(session, run.position);
    };
    if (isSampled(run))
      return session.sample();
    if (run.options.microBatches == 1)
      return session.step(encodeNext);
    Result<StepResult> result = session.accumulate(encodeNext);
    if (!result.ok())
      return result;
  }
  return session.apply();
}

/// Writes the batches of a skipped step, which read up to `run.position`.
static Status keepBatches(Run &run, const TokenFile &tokens, int64_t step,
                          Progress &progress) {
  const std::string &folder = run.options.badBatches;
  if (folder.empty() || run.kept == kMaxKept)
    return {};
  ++run.kept;
  Result<bool> made = makeCheckpointFolder(folder);
  if (!made.ok())
    return made.status();
  int64_t count = run.options.microBatches;
  for (int64_t i = 0; i < count; ++i) {
    std::string path = folder + "/step-" + std::to_string(step) +
                       (count > 1 ? "." + std::to_string(i) : "") + ".bin";
    PREC_RT_RETURN_IF_ERROR(tokens.saveBatch(
        run.session(), run.position - (count - i) * run.tokensPerBatch, path));
    progress.note("step " + std::to_string(step) + " read " + path);
  }
  return {};
}

/// Warns of each tensor once whose scale, of earlier steps, had far too little
/// room for this one.
static Status warnOfSpikes(Run &run, const StepResult &result,
                           Progress &progress) {
  for (const Binding &binding : run.session().manifest().bindings) {
    if (binding.role != Role::amaxRatios)
      continue;
    std::vector<float> ratios(binding.tensors.size());
    PREC_RT_RETURN_IF_ERROR(run.session().device().download(
        binding.buffer, ratios.data(), ratios.size() * sizeof(float)));
    for (size_t i = 0; i < ratios.size(); ++i) {
      if (!(ratios[i] >= kSpike) ||
          !run.outgrown.insert(binding.tensors[i]).second)
        continue;
      char text[32];
      snprintf(text, sizeof text, "%.3g", ratios[i]);
      progress.note("step " + std::to_string(result.step) + " saturates " +
                    binding.tensors[i] + ": its amax is " + text +
                    " times what the scale of earlier steps has room for");
    }
  }
  return {};
}

/// Says once that experts had no room for their rows.
static void countCrowded(Run &run, const StepResult &result,
                         Progress &progress) {
  if (result.crowded == 0)
    return;
  if (++run.crowded == 1)
    progress.note("step " + std::to_string(result.step) +
                  " ran again with room for all rows of experts, as a rank got "
                  "more than it has room for (prec-compile --expert-room); "
                  "metrics count such runs as crowded");
}

/// Says what a step that is not finite means for the run.
static Status checkFinite(Run &run, const TokenFile &tokens,
                          const StepResult &result, Progress &progress) {
  if (result.notFinite) {
    run.fault = result.fault();
    progress.note("step " + std::to_string(result.step) +
                  " skipped: " + run.fault);
    PREC_RT_RETURN_IF_ERROR(keepBatches(run, tokens, result.step, progress));
    if (++run.skipped < kMaxSkipped)
      return {};
    progress.finish();
    return Status::badValue(
        (result.isIndex ? "indices must be rows of their tables in one of "
                        : "loss and gradients must be finite in one of ") +
        std::to_string(kMaxSkipped) +
        " steps in a row, but got none up to step " +
        std::to_string(result.step) + ": " + *result.notFinite + " is not");
  }
  run.skipped = 0;
  if (result.finite) {
    ++run.good;
    run.goodBatch = std::move(run.batch);
    return {};
  }
  progress.finish();
  return Status::badValue("loss and metrics must be finite, but got loss " +
                          std::to_string(result.loss) + " in step " +
                          std::to_string(result.step));
}

/// Goes on with another module where that is due.
static Status advance(Run &run, MetricsFile &metrics, Progress &progress) {
  progress.pause();
  Result<std::string> said = run.modules.advance(run.skipped);
  if (!said.ok())
    return said.status();
  progress.resume();
  if (said->empty())
    return {};
  // Of the module before.
  run.ahead.reset();
  run.goodBatch.clear();
  run.skipped = 0;
  progress.note(*said);
  return metrics.recipe(run.session().stepsDone() + 1,
                        run.session().manifest().recipe);
}

/// Adds what a sampled step measured, and writes all of it: a run that ends
/// badly is one whose numerics are of interest. A step that changed nothing is
/// none of them.
static Status keepSample(Run &run, const StepResult &result,
                         Progress &progress) {
  if (result.notFinite)
    return {};
  Result<std::vector<std::string>> leftOut =
      addSample(run.session(), result, run.numerics);
  if (!leftOut.ok())
    return leftOut.status();
  for (const std::string &name : *leftOut)
    progress.note("step " + std::to_string(result.step) + " leaves out " +
                  name + ": it is not finite");
  return writeAtomically(run.options.numerics, run.numerics.toJson());
}

/// What the step takes of the device's memory, by what it is for.
static std::string describeMemory(Session &session) {
  constexpr double gib = 1 << 30;
  const auto &sizes = session.manifest().segmentSize;
  std::pair<const char *, int64_t> parts[] = {
      {"state", sizes[static_cast<size_t>(Segment::state)]},
      {"inputs and outputs", sizes[static_cast<size_t>(Segment::input)] +
                                 sizes[static_cast<size_t>(Segment::output)]},
      {"workspace", sizes[static_cast<size_t>(Segment::workspace)]},
      {"constants", sizes[static_cast<size_t>(Segment::constants)]},
      {"libraries", session.device().libraryBytes()}};
  int64_t all = 0;
  std::string text;
  char number[64];
  for (auto [name, bytes] : parts) {
    all += bytes;
    snprintf(number, sizeof number, "%s %.2f", name,
             static_cast<double>(bytes) / gib);
    text += (text.empty() ? "" : ", ") + std::string(number);
  }
  snprintf(number, sizeof number,
           "device memory %.2f GiB: ", static_cast<double>(all) / gib);
  return number + text;
}

/// Whether the state is one to go on from: a good step may write weights with
/// which no loss is finite, which only the next one would show. So the loss is
/// asked for again of the batch that had a finite one before the update.
static Status proveState(Run &run, const TokenFile &tokens) {
  Session &session = run.session();
  if (run.good == 0)
    return Status::badValue(
        "one of the steps of a run must not be skipped for it "
        "to be saved, but all " +
        std::to_string(run.taken) + " were: " + run.fault);
  if (!session.manifest().entryPoints.count("eval"))
    return {};
  if (run.goodBatch.empty())
    PREC_RT_RETURN_IF_ERROR(
        tokens.setBatch(session, run.done - run.tokensPerBatch));
  else
    PREC_RT_RETURN_IF_ERROR(writeBatch(session, run.goodBatch));
  Result<StepResult> result = session.eval();
  if (!result.ok())
    return result.status();
  if (std::isfinite(result->loss))
    return {};
  return Status::badValue(
      "the loss must be finite behind the last update for it "
      "to be saved, but got " +
      std::to_string(result->loss) + " in step " +
      std::to_string(session.stepsDone()) + ": a lower learning rate may help");
}

/// Saves what the run has come to, whatever ended it.
static Status saveEnd(Run &run, const std::optional<TokenFile> &tokens) {
  if (!run.place)
    return {};
  KeepRule keep{run.options.keep};
  if (!run.modules.hasSession())
    return writeCheckpoint(toCheckpoint(run.modules.left(), run.reached()),
                           *run.place, keep);
  Communicator *ranks = run.options.open.ranks.get();
  if (run.taken > 0) {
    Status proven = proveState(run, *tokens);
    PREC_RT_RETURN_IF_ERROR(ranks ? agree(*ranks, proven) : proven);
  }
  Result<Checkpoint> checkpoint =
      makeCheckpoint(run.session(), run.reached(), /*mayBeWithin=*/true);
  if (!checkpoint.ok())
    return checkpoint.status();
  return writeCheckpoint(*checkpoint, *run.place, keep);
}

/// Evaluates where that is due, and saves a state that is better than all
/// before.
static Status evaluateStep(Run &run, const TokenFile &heldOut,
                           MetricsFile &metrics, Progress &progress,
                           BackgroundSave &background) {
  Result<std::optional<double>> loss =
      evaluate(run, heldOut, metrics, progress);
  if (!loss.ok())
    return loss.status();
  bool isBetter = *loss && std::isfinite(**loss) && run.skipped == 0 &&
                  (!run.best || **loss < *run.best);
  if (!run.options.keepBest || !isBetter || run.taken == 0)
    return {};
  run.best = *loss;
  run.isSaveDue = false;
  PREC_RT_RETURN_IF_ERROR(background.start(run.session(), run.reached(),
                                           KeepRule{run.options.keep, *loss}));
  // The held-out loss is finite.
  background.confirm();
  return {};
}

/// One step, and all that is said and kept of it.
static Status trainStep(Run &run, const TokenFile &tokens,
                        const std::optional<TokenFile> &heldOut,
                        MetricsFile &metrics, LearningRate &learningRate,
                        Progress &progress, BackgroundSave &background) {
  const Options &options = run.options;
  PREC_RT_RETURN_IF_ERROR(advance(run, metrics, progress));
  PREC_RT_RETURN_IF_ERROR(
      learningRate.set(run.session(), run.session().stepsDone() + 1));
  bool sampled = isSampled(run);
  Result<StepResult> result = takeStep(run, tokens);
  if (!result.ok())
    return result.status();
  ++run.taken;
  run.done += options.dataRanks * run.tokensPerStep();
  progress.step(result->step, result->loss);
  countCrowded(run, *result, progress);
  // First what it means for the state: all else may fail.
  Status finite = checkFinite(run, tokens, *result, progress);
  PREC_RT_RETURN_IF_ERROR(
      metrics.step(run.session(), *result, learningRate.current(), run.done,
                   progress.stepSeconds(), progress.tokensPerSecond()));
  PREC_RT_RETURN_IF_ERROR(finite);
  PREC_RT_RETURN_IF_ERROR(warnOfSpikes(run, *result, progress));
  if (sampled)
    PREC_RT_RETURN_IF_ERROR(keepSample(run, *result, progress));
  bool isGood = run.skipped == 0;
  if (isGood)
    background.confirm();
  if (Status status = background.takeError(); !status.ok())
    progress.note("a checkpoint is not written, and training goes on: " +
                  status.message());
  bool isLast = result->step == options.steps;
  bool due = options.evalEvery > 0 && result->step % options.evalEvery == 0;
  run.isSaveDue |=
      options.saveEvery > 0 && result->step % options.saveEvery == 0;
  if (heldOut && (isLast || due))
    PREC_RT_RETURN_IF_ERROR(
        evaluateStep(run, *heldOut, metrics, progress, background));
  if (isLast || !run.isSaveDue || !isGood)
    return {};
  run.isSaveDue = false;
  return background.start(run.session(), run.reached(), KeepRule{options.keep});
}

/// Whether a signal ends the run: of ranks all, once it came to one.
static Status findStop(const Run &run, bool &isStopped) {
  isStopped = stopSignal() != 0;
  if (!run.options.open.ranks)
    return {};
  Result<bool> stopped =
      agreeOnStep(*run.options.open.ranks, {run.session().stepsDone(), run.done,
                                            run.skipped > 0, isStopped});
  if (!stopped.ok())
    return stopped.status();
  isStopped = *stopped;
  return {};
}

static Status trainSteps(Run &run, const std::optional<TokenFile> &tokens,
                         const std::optional<TokenFile> &heldOut,
                         MetricsFile &metrics) {
  const Options &options = run.options;
  LearningRate learningRate(options, run.session());
  BackgroundSave background(run.place);
  Progress progress(run.session().stepsDone() + 1, options.steps,
                    run.tokensPerStep() * options.dataRanks,
                    /*isSilent=*/!options.speaks());
  if (run.session().stepsDone() < options.steps)
    progress.note(describeMemory(run.session()));
  std::string equal = run.session().manifest().whyEqualMicroBatches();
  if (options.microBatches > 1 && !equal.empty())
    progress.note("micro-batches all weigh the same, however many labels they "
                  "have: " +
                  equal);
  if (heldOut)
    PREC_RT_RETURN_IF_ERROR(
        evaluateStep(run, *heldOut, metrics, progress, background));
  bool isStopped = stopSignal() != 0;
  while (run.session().stepsDone() < options.steps && !isStopped) {
    Status status = trainStep(run, *tokens, heldOut, metrics, learningRate,
                              progress, background);
    if (status.ok())
      status = findStop(run, isStopped);
    if (!status.ok()) {
      progress.finish();
      return status;
    }
  }
  background.finish();
  if (Status status = background.takeError(); !status.ok())
    progress.note("a checkpoint is not written: " + status.message());
  if (run.crowded > 0)
    progress.note(std::to_string(run.crowded) + " of " +
                  std::to_string(run.taken) +
                  " steps ran again with room for all rows of experts");
  if (isStopped)
    progress.note("a signal ends the run after step " +
                  std::to_string(run.session().stepsDone()));
  if (!options.numerics.empty() && run.numerics.empty())
    progress.note("no sampled step was finite: " + options.numerics +
                  " is not written");
  progress.finish();
  return {};
}

/// Trains, and saves in the end, however that came about.
static Status trainAndSave(Run &run, const std::optional<TokenFile> &tokens,
                           const std::optional<TokenFile> &heldOut,
                           MetricsFile &metrics) {
  const Options &options = run.options;
  Status trained = trainSteps(run, tokens, heldOut, metrics);
  if (trained.ok())
    return saveEnd(run, tokens);
  // Nothing that is new, or nothing that would be better; and ranks may not all
  // be there any longer.
  if (!run.place || run.good == 0 || options.open.ranks ||
      (!run.modules.hasSession() && run.skipped > 0))
    return trained;
  Status saved = saveEnd(run, tokens);
  if (!saved.ok())
    return Status::withCode(trained.code(),
                            trained.message() + "\n" +
                                "the state is not saved: " + saved.message());
  fprintf(stderr,
          "prec-run: note: the state behind the last whole step is "
          "saved in %s\n",
          run.options.save.c_str());
  return trained;
}

Status prec::run::train(std::unique_ptr<Session> first,
                        const Options &options) {
  PREC_RT_RETURN_IF_ERROR(checkOptions(options));
  Result<ModuleSchedule> modules =
      ModuleSchedule::open(std::move(first), options);
  if (!modules.ok())
    return modules.status();
  if (!options.resume.empty()) {
    Result<int64_t> steps = readCheckpointStep(options.resume);
    if (!steps.ok())
      return steps.status();
    PREC_RT_RETURN_IF_ERROR(modules->beginAfter(*steps));
  }
  Run run{std::move(*modules), options};
  Session &session = run.session();
  // Everything that is wrong with the files, before anything is written.
  Problems problems;
  problems.add(checkMicroBatches(session, options));
  problems.add(LearningRate::check(session, options));
  std::optional<TokenFile> tokens, heldOut;
  for (const auto &[source, file] :
       {std::pair{options.trainingTokens(), &tokens},
        std::pair{options.heldOutTokens(), &heldOut}}) {
    if (source.paths.empty())
      continue;
    Result<TokenFile> opened = TokenFile::open(source);
    if (opened.ok())
      *file = std::move(*opened);
    else
      problems.add(opened.status());
  }
  std::optional<MachineRates> machine;
  if (!options.profileMachine.empty()) {
    Result<MachineRates> rates = readMachineRates(options.profileMachine);
    if (rates.ok())
      machine = std::move(*rates);
    else
      problems.add(rates.status());
  }
  DataPlace data;
  problems.add(setWeights(session, options, data));
  run.order = data.order;
  problems.add(checkNumerics(session, options));
  if (tokens || heldOut) {
    Result<int64_t> size = tokensPerBatch(session);
    if (!size.ok())
      return size.status();
    run.tokensPerBatch = *size;
  }
  run.beginAt(data.position);
  int64_t batches = (options.steps - session.stepsDone()) *
                        options.microBatches * options.dataRanks +
                    (options.profile ? options.dataRanks : 0);
  if (tokens) {
    if (!options.resume.empty())
      problems.add(tokens->checkOrder(session, data.order));
    Result<std::string> order = tokens->describeOrder(session);
    if (order.ok())
      run.order = std::move(*order);
    else
      problems.add(order.status());
    problems.add(tokens->check(session, run.done, batches));
  }
  if (heldOut)
    problems.add(heldOut->check(session, 0, options.evalBatches));
  PREC_RT_RETURN_IF_ERROR(problems.status());
  SaveFolder folder;
  PREC_RT_RETURN_IF_ERROR(folder.make(options.save, options.speaks()));
  run.place = folder.place();
  if (options.keepBest && !options.resume.empty()) {
    Result<std::optional<double>> best = readBestLoss(options.save);
    if (!best.ok())
      return best.status();
    run.best = *best;
  }
  Result<MetricsFile> metrics = MetricsFile::open(
      options.speaks() ? options.metrics : "", !options.resume.empty());
  if (!metrics.ok())
    return metrics.status();
  if (run.place)
    catchStopSignals();
  PREC_RT_RETURN_IF_ERROR(trainAndSave(run, tokens, heldOut, *metrics));
  if (!options.profile || stopSignal())
    return {};
  PREC_RT_RETURN_IF_ERROR(tokens->setBatch(run.session(), run.position));
  return profileStep(run.session(), options, machine, *metrics);
}
