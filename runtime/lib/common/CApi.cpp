//===- CApi.cpp - prec-rt.h over Session ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "prec-rt/prec-rt.h"

#include "Batch.h"
#include "Checkpoint.h"
#include "JsonFields.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace prec::rt;

struct prec_rt_module {
  std::unique_ptr<Session> session;
  bool padBatches = false;
  std::string notes{};
  std::atomic_flag isUsed{}; ///< by a call that has not returned
};

struct prec_rt_error {
  std::string message;
};

/// What a call cannot do without, by its name.
using Given = std::initializer_list<std::pair<const void *, const char *>>;

static Status checkGiven(Given given) {
  for (auto [pointer, what] : given)
    if (!pointer)
      return Status::error(std::string(what) + " must be given, but got null");
  return {};
}

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

/// The body of a call on a module, which takes one at a time.
template <typename Body>
static prec_rt_error *guarded(const prec_rt_module *module, Given given,
                              Body body) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven({{module, "a module"}}));
    PREC_RT_RETURN_IF_ERROR(checkGiven(given));
    auto &isUsed = const_cast<prec_rt_module *>(module)->isUsed;
    if (isUsed.test_and_set(std::memory_order_acquire))
      return Status::error("a module must be used from one thread at a time, "
                           "but another call on it has not returned");
    struct Release {
      std::atomic_flag &flag;
      ~Release() { flag.clear(std::memory_order_release); }
    } release{isUsed};
    return body();
  });
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

/// No buffer has more dimensions.
static constexpr size_t kMaxRank = 64;

static Status checkTensor(const prec_rt_tensor &value) {
  PREC_RT_RETURN_IF_ERROR(checkDType(value.dtype));
  if (value.rank > kMaxRank)
    return Status::error("rank must be at most " + std::to_string(kMaxRank) +
                         ", but got " + std::to_string(value.rank));
  if (value.rank > 0 && !value.shape)
    return Status::error("a tensor's shape must be given, but got null");
  int64_t elements = 1;
  for (size_t i = 0; i < value.rank; ++i)
    if (value.shape[i] < 0 ||
        __builtin_mul_overflow(elements, value.shape[i], &elements))
      return Status::error(
          "a tensor's shape must be of dimensions that are not negative and of "
          "at most 2^63 elements, but got " +
          formatShape({value.shape, value.shape + value.rank}));
  if (elements > 0 && !value.data)
    return Status::error("a tensor's data must be given, but got null");
  return {};
}

static Status setBinding(Session &session, int index,
                         const prec_rt_tensor &value) {
  PREC_RT_RETURN_IF_ERROR(checkTensor(value));
  return session.set(
      index, static_cast<DType>(value.dtype),
      std::vector<int64_t>(value.shape, value.shape + value.rank), value.data);
}

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
      return Status::error("'" + std::string(batch[i].name) +
                           "': " + status.message());
    inputs.push_back(
        {batch[i].name, static_cast<DType>(batch[i].dtype),
         std::vector<int64_t>(batch[i].shape, batch[i].shape + batch[i].rank),
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
  return error ? error->message.c_str() : "";
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
    PREC_RT_RETURN_IF_ERROR(
        checkGiven({{path, "a module's path"}, {module, "a place for it"}}));
    if (count)
      PREC_RT_RETURN_IF_ERROR(
          checkGiven({{library_folders, "folders of libraries"}}));
    std::vector<std::string> folders;
    for (size_t i = 0; i < count; ++i) {
      PREC_RT_RETURN_IF_ERROR(
          checkGiven({{library_folders[i], "a folder of libraries"}}));
      folders.emplace_back(library_folders[i]);
    }
    Result<std::unique_ptr<Session>> session =
        Session::open(path, std::move(folders));
    if (!session.ok())
      return session.status();
    auto opened = std::make_unique<prec_rt_module>();
    opened->session = std::move(*session);
    *module = opened.release();
    return {};
  });
}

void prec_rt_close(prec_rt_module *module) { delete module; }

const char *prec_rt_manifest(const prec_rt_module *module, size_t *size) {
  if (!module || !size)
    return nullptr;
  std::string_view text = module->session->module().manifestText();
  *size = text.size();
  return text.data();
}

size_t prec_rt_num_bindings(const prec_rt_module *module) {
  return module ? module->session->manifest().bindings.size() : 0;
}

prec_rt_error *prec_rt_get_binding(const prec_rt_module *module, size_t index,
                                   prec_rt_binding *binding) {
  return guarded(
      module, {{binding, "a place for the binding"}}, [&]() -> Status {
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
  return guarded(module, {{name, "a name"}, {index, "a place for the index"}},
                 [&]() -> Status {
                   int found = module->session->find(name);
                   if (found < 0)
                     return Status::error(
                         "name must be one of the module's bindings, but "
                         "got '" +
                         std::string(name) + "'");
                   *index = found;
                   return {};
                 });
}

prec_rt_error *prec_rt_set(prec_rt_module *module, size_t index,
                           const prec_rt_tensor *value) {
  return guarded(module, {{value, "a value"}}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    return setBinding(*module->session, index, *value);
  });
}

prec_rt_error *prec_rt_get(prec_rt_module *module, size_t index,
                           prec_rt_dtype dtype, void *data, size_t size) {
  return guarded(module, {{data, "a place for the data"}}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    PREC_RT_RETURN_IF_ERROR(checkDType(dtype));
    return module->session->get(index, static_cast<DType>(dtype), data, size);
  });
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

void prec_rt_pad_batches(prec_rt_module *module, int32_t enabled) {
  if (module)
    module->padBatches = enabled != 0;
}

prec_rt_error *prec_rt_step(prec_rt_module *module, const prec_rt_tensor *batch,
                            size_t count, prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "step", batch, count));
    return deliver(module->session->step(), result);
  });
}

prec_rt_error *prec_rt_sample(prec_rt_module *module,
                              const prec_rt_tensor *batch, size_t count,
                              prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "sample", batch, count));
    return deliver(module->session->sample(), result);
  });
}

prec_rt_error *prec_rt_accumulate(prec_rt_module *module,
                                  const prec_rt_tensor *batch, size_t count,
                                  prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "accumulate", batch, count));
    return deliver(module->session->accumulate(), result);
  });
}

prec_rt_error *prec_rt_apply(prec_rt_module *module,
                             prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
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
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "eval", batch, count));
    return deliver(module->session->eval(), result);
  });
}

prec_rt_error *prec_rt_profile(prec_rt_module *module,
                               const prec_rt_tensor *batch, size_t count,
                               prec_rt_step_result *result, char **json) {
  return guarded(module, {{json, "a place for the profile"}}, [&]() -> Status {
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
    *json = strdup(writeJson(entries, -1).c_str());
    return *json ? Status() : Status::error("must not run out of memory");
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
    return saveCheckpoint(*module->session, folder, data_position);
  });
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
  return guarded(module, {{folder, "a folder"}, {weights, "a path of weights"}},
                 [&]() -> Status {
                   Result<LoadedCheckpoint> loaded =
                       loadCheckpoint(*module->session, folder, weights);
                   if (!loaded.ok())
                     return loaded.status();
                   if (data_position)
                     *data_position = loaded->dataPosition;
                   module->notes.clear();
                   for (const std::string &note : loaded->notes(folder))
                     module->notes +=
                         (module->notes.empty() ? "" : "\n") + note;
                   return {};
                 });
}

const char *prec_rt_notes(const prec_rt_module *module) {
  return module ? module->notes.c_str() : "";
}
