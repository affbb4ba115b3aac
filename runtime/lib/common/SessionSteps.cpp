//===- SessionSteps.cpp - steps of a session -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step checks that all inputs are written, runs `init` if weights have
// changed, uploads the step count, runs its commands, and reads loss, metrics
// and guards back; so nothing runs in an order that the module does not allow.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "HyperRange.h"
#include "Ranks.h"

#include <chrono>
#include <cmath>
#include <utility>

using namespace prec::rt;

static bool isStepCount(const Binding &binding) {
  return binding.role == Role::hyper && withoutGroup(binding.name) == "step";
}

/// Of a step that draws random numbers: other ones in every micro-batch.
static bool isMicroBatchCount(const Binding &binding) {
  return binding.role == Role::hyper && binding.name == "micro_batch";
}

bool Session::isCount(const Binding &binding) {
  return isStepCount(binding) || isMicroBatchCount(binding);
}

Status Session::checkBetweenSteps(const char *what) const {
  if (!isWithinStep())
    return {};
  return Status::invalidState(std::string(what) +
                              " must come between steps, but got " +
                              std::to_string(progress->microBatches) +
                              " micro-batches that are not applied");
}

Status Session::uploadCounts(int64_t microBatch) {
  // That of every rank with batches of its own is another one; none is below 0.
  if (ranks && microBatch >= 0)
    microBatch = microBatch * manifest().dataRanks() +
                 manifest().dataGroup(ranks->rank()).own;
  for (const Binding &binding : manifest().bindings)
    if (isStepCount(binding))
      PREC_RT_RETURN_IF_ERROR(
          uploadScalar(binding, static_cast<float>(progress->steps + 1)));
    else if (isMicroBatchCount(binding))
      PREC_RT_RETURN_IF_ERROR(
          uploadScalar(binding, static_cast<float>(microBatch)));
  return {};
}

Status Session::beginStep(const char *entryPoint) {
  PREC_RT_RETURN_IF_ERROR(checkInputs(entryPoint));
  PREC_RT_RETURN_IF_ERROR(checkBetweenSteps("a whole step"));
  PREC_RT_RETURN_IF_ERROR(initialize());
  progress->crowded = 0;
  return uploadCounts(0);
}

Result<StepResult> Session::readResult() {
  StepResult result{0, true, progress->steps, nullptr};
  for (const Binding &binding : manifest().bindings) {
    if ((binding.role != Role::loss && binding.role != Role::metric) ||
        !manifest().buffers[binding.buffer].shape.empty())
      continue;
    float value = 0;
    PREC_RT_RETURN_IF_ERROR(
        target->download(binding.buffer, &value, sizeof value));
    result.finite &= std::isfinite(value);
    if (binding.role == Role::loss)
      result.loss = value;
  }
  return result;
}

/// Whether it says of indices whether they are rows of a table.
static bool isIndexCheck(const Binding &binding) {
  return binding.role == Role::guard &&
         std::string_view(binding.name).substr(0, kIndexCheck.size()) ==
             kIndexCheck;
}

Status Session::runAgainIfCrowded(const std::string &entryPoint) {
  const std::string crowded = std::string(kCrowded) + entryPoint;
  if (!manifest().entryPoints.count(crowded))
    return {};
  for (const Binding &binding : manifest().bindings) {
    if (binding.role != Role::guard || binding.name != kExpertRoom)
      continue;
    // What all ranks have agreed on, so that all of them do it, or none.
    float hasRoom = 0;
    PREC_RT_RETURN_IF_ERROR(
        target->download(binding.buffer, &hasRoom, sizeof hasRoom));
    if (hasRoom == 1)
      continue;
    file->image().options.log(PREC_RT_LOG_DEBUG,
                              "rows of experts had no room: '" + crowded +
                                  "' runs in place of '" + entryPoint + "'");
    ++progress->crowded;
    return target->run(crowded);
  }
  return {};
}

Result<const std::string *> Session::readGuard(const Binding &binding) {
  float first = 0;
  PREC_RT_RETURN_IF_ERROR(
      target->download(binding.buffer, &first, sizeof first));
  if (first >= 0 && first < binding.tensors.size())
    return &binding.tensors[static_cast<size_t>(first)];
  return nullptr;
}

Status Session::readGuards(StepResult &result, bool indicesOnly) {
  // What an index beside its table makes of the loss is no other fault.
  for (bool ofIndices : {true, false})
    for (const Binding &binding : manifest().bindings) {
      if (binding.role != Role::guard || isIndexCheck(binding) != ofIndices ||
          (indicesOnly && !ofIndices) || result.notFinite)
        continue;
      Result<const std::string *> bad = readGuard(binding);
      if (!bad.ok())
        return bad.status();
      result.notFinite = *bad;
      result.isIndex = *bad && ofIndices;
    }
  result.finite &= !result.notFinite;
  return {};
}

Result<StepResult> Session::readLoss() {
  Result<StepResult> result = readResult();
  if (!result.ok())
    return result;
  // Metrics such as the gradient norm are the step's, so only the loss counts.
  result->finite = std::isfinite(result->loss);
  PREC_RT_RETURN_IF_ERROR(readGuards(*result, /*indicesOnly=*/true));
  return result;
}

Result<StepResult> Session::endStep() {
  ++progress->steps;
  Result<StepResult> result = readResult();
  if (!result.ok())
    return result;
  result->crowded = std::exchange(progress->crowded, 0);
  PREC_RT_RETURN_IF_ERROR(readGuards(*result, /*indicesOnly=*/false));
  badTensor = result->notFinite;
  const std::vector<Binding> &bindings = manifest().bindings;
  bool isGuarded =
      std::any_of(bindings.begin(), bindings.end(), [](const Binding &binding) {
        return binding.role == Role::guard && !isIndexCheck(binding);
      });
  if (result->isIndex && !isGuarded)
    return Status::badValue(result->fault() + " in step " +
                            std::to_string(progress->steps) +
                            ", and no guard kept it from changing weights");
  return result;
}

Status Session::run(const char *entryPoint,
                    const std::function<void()> &meanwhile) {
  PREC_RT_RETURN_IF_ERROR(target->run(entryPoint));
  if (meanwhile)
    meanwhile();
  return {};
}

Result<StepResult> Session::step(const std::function<void()> &meanwhile) {
  PREC_RT_RETURN_IF_ERROR(beginStep());
  PREC_RT_RETURN_IF_ERROR(run("step", meanwhile));
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded("step"));
  return endStep();
}

Status Session::startStep() {
  PREC_RT_RETURN_IF_ERROR(beginStep());
  PREC_RT_RETURN_IF_ERROR(target->run("step"));
  isStarted = true;
  return {};
}

Result<StepResult> Session::finishStep() {
  if (!isStarted)
    return Status::invalidState(
        "a step must be begun before it is waited for, but got none");
  isStarted = false;
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded("step"));
  return endStep();
}

Status Session::checkOutput(int index, const TensorRef &to) const {
  const Binding &binding = manifest().bindings[index];
  const Buffer &buffer = bufferOf(binding);
  if (buffer.segment != Segment::output)
    return Status::invalidArgument("an output must be a loss, a metric or a "
                                   "guard, but got " +
                                   std::string(name(binding.role)) + " " +
                                   quote(binding.name));
  PREC_RT_RETURN_IF_ERROR(check(index, to.dtype, to.shape));
  if (to.dtype != buffer.dtype)
    return Status::invalidArgument(quote(binding.name) + " must be read as " +
                                   std::string(name(buffer.dtype)) +
                                   ", but got " + std::string(name(to.dtype)));
  PREC_RT_RETURN_IF_ERROR(checkPlace(index, to.place));
  if (to.place == target->place())
    return to.place.isHost() ? Status()
                             : target->checkMemory(to.data, to.bytes());
  return Status::invalidArgument(
      quote(binding.name) +
      " must be read into memory of the GPU, as nothing waits for it, but is "
      "on " +
      formatPlace(to.place));
}

Status Session::enqueue(const std::string &entryPoint,
                        const std::vector<std::pair<int, TensorRef>> &outputs,
                        const std::function<Status()> &setInputs) {
  const bool isStep = entryPoint == "step", isApply = entryPoint == "apply";
  const bool isPart = entryPoint == "accumulate";
  if (!isStep && !isApply && !isPart && entryPoint != "eval")
    return Status::invalidArgument(
        "an entry point must be step, accumulate, apply or eval, but got '" +
        entryPoint + "'");
  for (const auto &[index, to] : outputs)
    PREC_RT_RETURN_IF_ERROR(checkOutput(index, to));
  PREC_RT_RETURN_IF_ERROR(setInputs());
  if (isStep) {
    PREC_RT_RETURN_IF_ERROR(beginStep());
  } else {
    PREC_RT_RETURN_IF_ERROR(checkInputs(entryPoint.c_str()));
    PREC_RT_RETURN_IF_ERROR(isApply ? checkApply() : initialize());
    int64_t part = isPart ? progress->microBatches : isApply ? 0 : -1;
    PREC_RT_RETURN_IF_ERROR(uploadCounts(part));
  }
  PREC_RT_RETURN_IF_ERROR(target->run(entryPoint));
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded(entryPoint));
  progress->microBatches = isPart    ? progress->microBatches + 1
                           : isApply ? 0
                                     : progress->microBatches;
  progress->steps += isStep || isApply;
  for (const auto &[index, to] : outputs) {
    int buffer = manifest().bindings[index].buffer;
    PREC_RT_RETURN_IF_ERROR(to.place.isHost()
                                ? target->download(buffer, to.data, to.bytes())
                                : target->copyOut(buffer, to.data, to.bytes()));
  }
  return {};
}

Result<StepResult> Session::sample() {
  PREC_RT_RETURN_IF_ERROR(beginStep("sample"));
  PREC_RT_RETURN_IF_ERROR(target->run("sample"));
  return endStep();
}

Result<StepResult> Session::profileStep(std::vector<double> &seconds) {
  using Clock = std::chrono::steady_clock;
  PREC_RT_RETURN_IF_ERROR(beginStep());
  PREC_RT_RETURN_IF_ERROR(target->synchronize());
  seconds.clear();
  for (const Command &command : manifest().commands("step")) {
    Clock::time_point start = Clock::now();
    PREC_RT_RETURN_IF_ERROR(target->runCommand(command));
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - start).count());
  }
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded("step"));
  return endStep();
}

Status Session::timeStep(int rounds, std::vector<double> &seconds) {
  const std::vector<Command> &commands = manifest().commands("step");
  PREC_RT_RETURN_IF_ERROR(beginStep());
  seconds.assign(commands.size(), 0);
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < commands.size(); ++i) {
      // Once before, so that loading it is not measured.
      Result<std::vector<double>> milliseconds =
          target->timeCommands({&commands[i], &commands[i]});
      if (!milliseconds.ok())
        return milliseconds.status();
      seconds[i] += milliseconds->back() * 1e-3 / rounds;
    }
  return {};
}

Result<StepResult> Session::eval() {
  PREC_RT_RETURN_IF_ERROR(checkInputs("eval"));
  PREC_RT_RETURN_IF_ERROR(initialize());
  // Nothing is dropped.
  PREC_RT_RETURN_IF_ERROR(uploadCounts(-1));
  PREC_RT_RETURN_IF_ERROR(target->run("eval"));
  // A step that was begun by micro-batches counts its own.
  const int64_t ofStep = progress->crowded;
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded("eval"));
  Result<StepResult> result = readLoss();
  if (result.ok())
    result->crowded = progress->crowded - ofStep;
  progress->crowded = ofStep;
  if (result.ok() && result->isIndex)
    return Status::badValue(result->fault());
  return result;
}

Result<StepResult> Session::accumulate(const std::function<void()> &meanwhile) {
  PREC_RT_RETURN_IF_ERROR(checkInputs("accumulate"));
  PREC_RT_RETURN_IF_ERROR(initialize());
  PREC_RT_RETURN_IF_ERROR(uploadCounts(progress->microBatches));
  PREC_RT_RETURN_IF_ERROR(run("accumulate", meanwhile));
  const int64_t before = isWithinStep() ? progress->crowded : 0;
  progress->crowded = before;
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded("accumulate"));
  ++progress->microBatches;
  Result<StepResult> result = readLoss();
  if (result.ok())
    result->crowded = progress->crowded - before;
  return result;
}

Status Session::checkApply() const {
  if (isWithinStep())
    return {};
  return Status::invalidState(
      "a step must have a micro-batch before it is applied, "
      "but got none");
}

Result<StepResult> Session::apply() {
  PREC_RT_RETURN_IF_ERROR(checkInputs("apply"));
  PREC_RT_RETURN_IF_ERROR(checkApply());
  PREC_RT_RETURN_IF_ERROR(uploadCounts(0));
  PREC_RT_RETURN_IF_ERROR(target->run("apply"));
  progress->microBatches = 0;
  return endStep();
}
