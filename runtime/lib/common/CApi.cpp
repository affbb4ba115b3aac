//===- CApi.cpp - prec-rt.h over Session ----------------------------------===//

#include "prec-rt/prec-rt.h"

#include "Batch.h"
#include "Checkpoint.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <cstring>
#include <new>

using namespace prec::rt;

struct prec_rt_module {
  std::unique_ptr<Session> session;
  bool padBatches = false;
  std::string notes{};
};

struct prec_rt_error {
  std::string message;
};

static_assert(static_cast<int>(DType::i64) == PREC_RT_I64);
static_assert(static_cast<int>(DType::f8E5M2) == PREC_RT_F8E5M2);
static_assert(static_cast<int>(DType::f8E8M0FNU) == PREC_RT_F8E8M0FNU);
static_assert(static_cast<int>(Role::metric) == PREC_RT_METRIC);
static_assert(static_cast<int>(Role::guard) == PREC_RT_GUARD);
static_assert(static_cast<int>(Role::switches) == PREC_RT_SWITCHES);
static_assert(static_cast<int>(Role::stagedParameter) ==
              PREC_RT_STAGED_PARAMETER);
static_assert(static_cast<int>(Role::workWeight) == PREC_RT_WORK_WEIGHT);

/// Runs a call's body; exceptions (of the standard library, for want of
/// memory) must not cross into C.
template <typename Body> static prec_rt_error *guarded(Body body) {
  try {
    Status status = body();
    return status.ok() ? nullptr : new prec_rt_error{status.message()};
  } catch (const std::exception &exception) {
    return new prec_rt_error{std::string("must not run out of resources, but "
                                         "got: ") +
                             exception.what()};
  }
}

static Status checkIndex(const prec_rt_module *module, size_t index) {
  size_t count = module->session->manifest().bindings.size();
  if (index < count)
    return {};
  return Status::error("binding must be below " + std::to_string(count) +
                       ", but got " + std::to_string(index));
}

static Status checkDType(prec_rt_dtype dtype) {
  if (dtype >= PREC_RT_F32 && dtype <= PREC_RT_F8E8M0FNU)
    return {};
  return Status::error("dtype must be one of prec_rt_dtype, but got " +
                       std::to_string(dtype));
}

static Status setBinding(Session &session, int index,
                         const prec_rt_tensor &value) {
  PREC_RT_RETURN_IF_ERROR(checkDType(value.dtype));
  return session.set(
      index, static_cast<DType>(value.dtype),
      std::vector<int64_t>(value.shape, value.shape + value.rank), value.data);
}

/// Sets the batch of a run of `entryPoint` that will not be refused.
static Status setBatch(prec_rt_module *module, const char *entryPoint,
                       const prec_rt_tensor *batch, size_t count) {
  if (count == 0)
    return {};
  std::vector<BatchInput> inputs;
  for (size_t i = 0; i < count; ++i) {
    PREC_RT_RETURN_IF_ERROR(checkDType(batch[i].dtype));
    inputs.push_back({batch[i].name,
                      static_cast<DType>(batch[i].dtype),
                      {batch[i].shape, batch[i].shape + batch[i].rank},
                      batch[i].data});
  }
  return setBatch(*module->session, inputs, entryPoint, module->padBatches);
}

static Status deliver(const Result<StepResult> &result,
                      prec_rt_step_result *target) {
  if (!result.ok())
    return result.status();
  if (target)
    *target = {result->loss, result->step, result->finite,
               result->notFinite != nullptr};
  return {};
}

const char *prec_rt_error_message(const prec_rt_error *error) {
  return error->message.c_str();
}

void prec_rt_error_destroy(prec_rt_error *error) { delete error; }

uint32_t prec_rt_abi(void) { return PREC_RT_ABI; }

prec_rt_error *prec_rt_open(const char *path, prec_rt_module **module) {
  return prec_rt_open_with(path, nullptr, 0, module);
}

prec_rt_error *prec_rt_open_with(const char *path,
                                 const char *const *library_folders,
                                 size_t count, prec_rt_module **module) {
  return guarded([&]() -> Status {
    if (!path || !module)
      return Status::error("a module's path and a place for it must be given, "
                           "but got null");
    std::vector<std::string> folders(library_folders, library_folders + count);
    Result<std::unique_ptr<Session>> session =
        Session::open(path, std::move(folders));
    if (!session.ok())
      return session.status();
    *module = new prec_rt_module{std::move(*session)};
    return {};
  });
}

void prec_rt_close(prec_rt_module *module) { delete module; }

const char *prec_rt_manifest(const prec_rt_module *module, size_t *size) {
  std::string_view text = module->session->module().manifestText();
  *size = text.size();
  return text.data();
}

size_t prec_rt_num_bindings(const prec_rt_module *module) {
  return module->session->manifest().bindings.size();
}

prec_rt_error *prec_rt_get_binding(const prec_rt_module *module, size_t index,
                                   prec_rt_binding *binding) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    const Binding &source = module->session->manifest().bindings[index];
    const Buffer &buffer = module->session->bufferOf(source);
    *binding = {source.name.c_str(),
                static_cast<prec_rt_role>(source.role),
                static_cast<prec_rt_dtype>(buffer.dtype),
                buffer.shape.size(),
                buffer.shape.data(),
                source.parameter.c_str(),
                source.slot.c_str()};
    return {};
  });
}

prec_rt_error *prec_rt_find_binding(const prec_rt_module *module,
                                    const char *name, size_t *index) {
  return guarded([&]() -> Status {
    int found = module->session->find(name);
    if (found < 0)
      return Status::error("name must be one of the module's bindings, but "
                           "got '" +
                           std::string(name) + "'");
    *index = found;
    return {};
  });
}

prec_rt_error *prec_rt_set(prec_rt_module *module, size_t index,
                           const prec_rt_tensor *value) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    return setBinding(*module->session, index, *value);
  });
}

prec_rt_error *prec_rt_get(prec_rt_module *module, size_t index,
                           prec_rt_dtype dtype, void *data, size_t size) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    PREC_RT_RETURN_IF_ERROR(checkDType(dtype));
    return module->session->get(index, static_cast<DType>(dtype), data, size);
  });
}

prec_rt_error *prec_rt_set_hyper(prec_rt_module *module, const char *name,
                                 double value) {
  return guarded([&] { return module->session->setHyper(name, value); });
}

prec_rt_error *prec_rt_init_random(prec_rt_module *module, uint64_t seed,
                                   double stddev) {
  return guarded(
      [&] { return module->session->initializeRandom(seed, stddev); });
}

prec_rt_error *prec_rt_init(prec_rt_module *module) {
  return guarded([&] { return module->session->initialize(); });
}

void prec_rt_pad_batches(prec_rt_module *module, int32_t enabled) {
  module->padBatches = enabled != 0;
}

prec_rt_error *prec_rt_step(prec_rt_module *module, const prec_rt_tensor *batch,
                            size_t count, prec_rt_step_result *result) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "step", batch, count));
    return deliver(module->session->step(), result);
  });
}

prec_rt_error *prec_rt_sample(prec_rt_module *module,
                              const prec_rt_tensor *batch, size_t count,
                              prec_rt_step_result *result) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "sample", batch, count));
    return deliver(module->session->sample(), result);
  });
}

prec_rt_error *prec_rt_accumulate(prec_rt_module *module,
                                  const prec_rt_tensor *batch, size_t count,
                                  prec_rt_step_result *result) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "accumulate", batch, count));
    return deliver(module->session->accumulate(), result);
  });
}

prec_rt_error *prec_rt_apply(prec_rt_module *module,
                             prec_rt_step_result *result) {
  return guarded(
      [&]() -> Status { return deliver(module->session->apply(), result); });
}

const char *prec_rt_not_finite(const prec_rt_module *module) {
  const std::string *tensor = module->session->notFinite();
  return tensor ? tensor->c_str() : nullptr;
}

prec_rt_error *prec_rt_eval(prec_rt_module *module, const prec_rt_tensor *batch,
                            size_t count, prec_rt_step_result *result) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "eval", batch, count));
    return deliver(module->session->eval(), result);
  });
}

prec_rt_error *prec_rt_profile(prec_rt_module *module,
                               const prec_rt_tensor *batch, size_t count,
                               prec_rt_step_result *result, char **json) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "step", batch, count));
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
    *json = strdup(entries.dump().c_str());
    return *json ? Status() : Status::error("must not run out of memory");
  });
}

void prec_rt_free(char *text) { free(text); }

prec_rt_error *prec_rt_load(prec_rt_module *module, const char *path) {
  return guarded([&]() -> Status {
    Result<int64_t> rounded = loadWeights(*module->session, path);
    return rounded.ok() ? Status() : rounded.status();
  });
}

prec_rt_error *prec_rt_save(prec_rt_module *module, const char *path) {
  return guarded([&] { return saveWeights(*module->session, path); });
}

prec_rt_error *prec_rt_save_checkpoint(prec_rt_module *module,
                                       const char *folder,
                                       int64_t data_position) {
  return guarded(
      [&] { return saveCheckpoint(*module->session, folder, data_position); });
}

prec_rt_error *prec_rt_load_checkpoint(prec_rt_module *module,
                                       const char *folder,
                                       int64_t *data_position) {
  return prec_rt_load_checkpoint_with(module, folder, "", data_position);
}

prec_rt_error *prec_rt_load_checkpoint_with(prec_rt_module *module,
                                            const char *folder,
                                            const char *weights,
                                            int64_t *data_position) {
  return guarded([&]() -> Status {
    Result<LoadedCheckpoint> loaded =
        loadCheckpoint(*module->session, folder, weights);
    if (!loaded.ok())
      return loaded.status();
    if (data_position)
      *data_position = loaded->dataPosition;
    module->notes.clear();
    for (const std::string &note : loaded->notes(folder))
      module->notes += (module->notes.empty() ? "" : "\n") + note;
    return {};
  });
}

const char *prec_rt_notes(const prec_rt_module *module) {
  return module->notes.c_str();
}
