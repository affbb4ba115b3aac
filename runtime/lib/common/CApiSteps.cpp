//===- CApiSteps.cpp - steps and checkpoints of prec-rt.h ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CApi.h"

#include "Batch.h"
#include "Checkpoint.h"
#include "JsonFields.h"
#include "Shuffle.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <limits>

using namespace prec::rt;

/// The largest number of steps that can be counted in a double, as manifests
/// do.
static constexpr int64_t kMostSteps = int64_t(1) << 53;

/// Sets the batch of a run of `entryPoint` that will not be refused.
static Status setBatch(prec_rt_module *module, const char *entryPoint,
                       const prec_rt_tensor *batch, size_t count) {
  if (count == 0)
    return {};
  PREC_RT_RETURN_IF_ERROR(checkGiven({{batch, "a batch"}}));
  std::vector<BatchInput> inputs;
  for (size_t i = 0; i < count; ++i) {
    PREC_RT_RETURN_IF_ERROR(
        checkGiven({{batch[i].name, "the name of a batch's tensor"}}));
    if (Status status = checkTensor(batch[i]); !status.ok())
      return status.prefixed("'" + std::string(batch[i].name) + "': ");
    inputs.push_back({refer(batch[i]), batch[i].name});
  }
  return setBatch(*module->session, inputs, entryPoint, module->padBatches);
}

/// Of several ranks each sets its own, and all go on or none.
static Status beginCall(prec_rt_module *module, const char *entryPoint,
                        const prec_rt_tensor *batch, size_t count) {
  return module->session->agreeOnCall(
      entryPoint, setBatch(module, entryPoint, batch, count));
}

/// Before anything runs whose result would be lost.
static Status checkResult(const prec_rt_step_result *result) {
  return result ? checkSize(result->size, "a step's result") : Status();
}

static Status deliver(const Result<StepResult> &result,
                      prec_rt_step_result *target) {
  if (!result.ok())
    return result.status();
  if (target)
    writeSized({0, result->loss, result->step, result->finite,
                result->notFinite != nullptr,
                static_cast<int32_t>(result->crowded), 0},
               *target);
  return {};
}

prec_rt_error *prec_rt_set_hyper(prec_rt_module *module, const char *name,
                                 double value) {
  return guarded(module, {{name, "a name"}},
                 [&] { return module->session->setHyper(name, value); });
}

prec_rt_error *prec_rt_init_random(prec_rt_module *module, uint64_t seed,
                                   double stddev) {
  return guarded(module, {}, [&] {
    return module->session->initializeRandom(seed, stddev);
  });
}

prec_rt_error *prec_rt_init(prec_rt_module *module) {
  return guarded(module, {}, [&] { return module->session->initialize(); });
}

prec_rt_error *prec_rt_refresh(prec_rt_module *module) {
  return guarded(module, {}, [&] { return module->session->refresh(); });
}

prec_rt_error *prec_rt_restore(prec_rt_module *module) {
  return guarded(module, {}, [&] { return module->session->restore(); });
}

prec_rt_error *prec_rt_get_steps(const prec_rt_module *module, int64_t *steps) {
  return guarded(
      module, {{steps, "a place for the number of steps"}},
      [&]() -> Status {
        *steps = module->session->stepsDone();
        return {};
      },
      WithinStep::yes);
}

prec_rt_error *prec_rt_set_steps(prec_rt_module *module, int64_t steps) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(
        module->session->checkBetweenSteps("a number of steps"));
    if (steps < 0 || steps > kMostSteps)
      return Status::invalidArgument("a number of steps must be in [0, 2^53], "
                                     "but got " +
                                     std::to_string(steps));
    module->session->setStepsDone(steps);
    return {};
  });
}

void prec_rt_trust_batches(prec_rt_module *module, int32_t enabled) {
  if (module)
    module->session->trustBatches(enabled != 0);
}

void prec_rt_pad_batches(prec_rt_module *module, int32_t enabled) {
  if (module)
    module->padBatches = enabled != 0;
}

prec_rt_error *prec_rt_step(prec_rt_module *module, const prec_rt_tensor *batch,
                            size_t count, prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkResult(result));
    PREC_RT_RETURN_IF_ERROR(beginCall(module, "step", batch, count));
    return deliver(module->session->step(), result);
  });
}

prec_rt_error *prec_rt_step_async(prec_rt_module *module,
                                  const prec_rt_tensor *batch, size_t count) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(beginCall(module, "step", batch, count));
    return module->session->startStep();
  });
}

prec_rt_error *prec_rt_wait(prec_rt_module *module,
                            prec_rt_step_result *result) {
  return guarded(
      module, {},
      [&]() -> Status {
        PREC_RT_RETURN_IF_ERROR(checkResult(result));
        return deliver(module->session->finishStep(), result);
      },
      WithinStep::yes);
}

prec_rt_error *prec_rt_enqueue(prec_rt_module *module, const char *entry_point,
                               const prec_rt_tensor *batch, size_t count,
                               const prec_rt_tensor *outputs,
                               size_t num_outputs) {
  return guarded(module, {{entry_point, "an entry point"}}, [&]() -> Status {
    std::vector<std::pair<int, TensorRef>> places;
    if (num_outputs)
      PREC_RT_RETURN_IF_ERROR(checkGiven({{outputs, "outputs"}}));
    for (size_t i = 0; i < num_outputs; ++i) {
      PREC_RT_RETURN_IF_ERROR(
          checkGiven({{outputs[i].name, "the name of an output"}}));
      PREC_RT_RETURN_IF_ERROR(checkTensor(outputs[i]));
      int index = module->session->find(outputs[i].name);
      if (index < 0)
        return Status::invalidArgument(
            "an output must be one of the module's bindings, but got '" +
            std::string(outputs[i].name) + "'");
      places.emplace_back(index, refer(outputs[i]));
    }
    return module->session->enqueue(entry_point, places, [&] {
      return beginCall(module, entry_point, batch, count);
    });
  });
}

prec_rt_error *prec_rt_sample(prec_rt_module *module,
                              const prec_rt_tensor *batch, size_t count,
                              prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkResult(result));
    PREC_RT_RETURN_IF_ERROR(beginCall(module, "sample", batch, count));
    return deliver(module->session->sample(), result);
  });
}

prec_rt_error *prec_rt_accumulate(prec_rt_module *module,
                                  const prec_rt_tensor *batch, size_t count,
                                  prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkResult(result));
    PREC_RT_RETURN_IF_ERROR(beginCall(module, "accumulate", batch, count));
    return deliver(module->session->accumulate(), result);
  });
}

prec_rt_error *prec_rt_apply(prec_rt_module *module,
                             prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkResult(result));
    PREC_RT_RETURN_IF_ERROR(module->session->agreeOnCall("apply", {}));
    return deliver(module->session->apply(), result);
  });
}

const char *prec_rt_not_finite(const prec_rt_module *module) {
  const std::string *tensor = module ? module->session->notFinite() : nullptr;
  return tensor ? tensor->c_str() : nullptr;
}

prec_rt_error *prec_rt_eval(prec_rt_module *module, const prec_rt_tensor *batch,
                            size_t count, prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkResult(result));
    PREC_RT_RETURN_IF_ERROR(beginCall(module, "eval", batch, count));
    return deliver(module->session->eval(), result);
  });
}

prec_rt_error *prec_rt_profile(prec_rt_module *module,
                               const prec_rt_tensor *batch, size_t count,
                               prec_rt_step_result *result, char **json) {
  return guarded(module, {{json, "a place for the profile"}}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkResult(result));
    PREC_RT_RETURN_IF_ERROR(beginCall(module, "step", batch, count));
    std::vector<double> seconds;
    PREC_RT_RETURN_IF_ERROR(
        deliver(module->session->profileStep(seconds), result));
    nlohmann::json entries = nlohmann::json::array();
    const std::vector<Command> &commands =
        module->session->manifest().commands("step");
    for (size_t i = 0; i < commands.size(); ++i)
      entries.push_back({{"name", commands[i].name},
                         {"path", commands[i].path},
                         {"phase", commands[i].phase},
                         {"op", name(commands[i].kind)},
                         {"seconds", seconds[i]}});
    *json = strdup(writeJson(entries, -1).c_str());
    return *json ? Status() : Status::outOfMemory("must not run out of memory");
  });
}

void prec_rt_free(char *text) { free(text); }

prec_rt_error *prec_rt_load(prec_rt_module *module, const char *path) {
  return guarded(module, {{path, "a path"}}, [&]() -> Status {
    Result<int64_t> rounded = loadWeights(*module->session, path);
    return rounded.ok() ? Status() : rounded.status();
  });
}

prec_rt_error *prec_rt_save(prec_rt_module *module, const char *path) {
  return guarded(module, {{path, "a path"}},
                 [&] { return saveWeights(*module->session, path); });
}

prec_rt_error *prec_rt_save_checkpoint(prec_rt_module *module,
                                       const char *folder,
                                       int64_t data_position) {
  return guarded(module, {{folder, "a folder"}}, [&] {
    return saveCheckpoint(*module->session, folder, {data_position});
  });
}

prec_rt_error *prec_rt_load_checkpoint(prec_rt_module *module,
                                       const char *folder, const char *weights,
                                       int64_t *data_position) {
  return guarded(module, {{folder, "a folder"}}, [&]() -> Status {
    Result<LoadedCheckpoint> loaded =
        loadCheckpoint(*module->session, folder, weights ? weights : "");
    if (!loaded.ok())
      return loaded.status();
    if (data_position)
      *data_position = loaded->data.position;
    module->notes.clear();
    for (const std::string &note : loaded->notes(folder)) {
      module->notes += (module->notes.empty() ? "" : "\n") + note;
      module->session->module().image().options.log(PREC_RT_LOG_WARNING, note);
    }
    return {};
  });
}

prec_rt_error *prec_rt_shuffle(uint64_t seed, int64_t count, int64_t first,
                               int64_t number, int64_t *windows) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven({{windows, "a place for windows"}}));
    if (count < 1 || first < 0 || number < 0 ||
        number > std::numeric_limits<int64_t>::max() - first)
      return Status::invalidArgument(
          "an order must be of at least one window and of places from 0 on, "
          "but got " +
          std::to_string(count) + " windows and " + std::to_string(number) +
          " places from " + std::to_string(first));
    for (int64_t i = 0; i < number; ++i)
      windows[i] = windowAt(seed, count, first + i);
    return {};
  });
}

const char *prec_rt_notes(const prec_rt_module *module) {
  return module ? module->notes.c_str() : "";
}
