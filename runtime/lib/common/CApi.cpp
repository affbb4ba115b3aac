//===- CApi.cpp - prec-rt.h over Session ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C ABI over Session. Every call has the same frame (`guarded`): pointers
// that must not be null are checked, exceptions become an error object, a
// module takes one call at a time (a second thread gets an error instead of
// waiting), and between the halves of a step only the calls that may run there
// do. Structures begin with their size, by which callers of an older or newer
// version are understood: fields that the caller does not have keep their
// defaults, and fields that are not known here must be zero.
//
//===----------------------------------------------------------------------===//

#include "prec-rt/prec-rt.h"

#include "Batch.h"
#include "Checkpoint.h"
#include "DlpackViews.h"
#include "JsonFields.h"
#include "Launcher.h"
#include "Ranks.h"
#include "Shuffle.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

using namespace prec::rt;

struct prec_rt_communicator {
  std::shared_ptr<Communicator> ranks;
  std::shared_ptr<Communicator> ofCaller; ///< what the program exchanges
};

/// Where in its tensor a slice is.
struct SlicePlace {
  std::vector<int64_t> whole;
  std::vector<int64_t> start; ///< empty where it is of several parts
};

struct prec_rt_module {
  std::shared_ptr<Session> session;      ///< views have it, too
  std::map<size_t, SlicePlace> places{}; ///< by binding that is a slice
  bool padBatches = false;
  std::string notes{};
  std::atomic_flag isUsed{}; ///< by a call that has not returned
};

struct prec_rt_error {
  Code code;
  std::string message;
};

/// What a call cannot do without, by its name.
using Given = std::initializer_list<std::pair<const void *, const char *>>;

static Status checkGiven(Given given) {
  for (auto [pointer, what] : given)
    if (!pointer)
      return Status::invalidArgument(std::string(what) +
                                     " must be given, but got null");
  return {};
}

/// Runs a call's body; exceptions (of the standard library, for want of
/// memory) must not cross into C.
template <typename Body> static prec_rt_error *guarded(Body body) {
  try {
    Status status = body();
    return status.ok() ? nullptr
                       : new prec_rt_error{status.code(), status.message()};
  } catch (const std::exception &exception) {
    return new prec_rt_error{Code::outOfMemory,
                             std::string("must not run out of resources, but "
                                         "got: ") +
                                 exception.what()};
  }
}

/// Whether a call may run between the halves of a step.
enum class WithinStep { no, yes };

/// The body of a call on a module, which takes one at a time.
template <typename Body>
static prec_rt_error *guarded(const prec_rt_module *module, Given given,
                              Body body, WithinStep within = WithinStep::no) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven({{module, "a module"}}));
    PREC_RT_RETURN_IF_ERROR(checkGiven(given));
    auto &isUsed = const_cast<prec_rt_module *>(module)->isUsed;
    if (isUsed.test_and_set(std::memory_order_acquire))
      return Status::busy("a module must be used from one thread at a time, "
                          "but another call on it has not returned");
    struct Release {
      std::atomic_flag &flag;
      ~Release() { flag.clear(std::memory_order_release); }
    } release{isUsed};
    if (within == WithinStep::no && module->session->isStepStarted())
      return Status::busy("a step that was begun must be waited for before "
                          "another call on the module, but was not");
    return body();
  });
}

/// Reads a structure that begins with its size: what the caller does not have
/// stays as it is in `into`, and what is not known here must be zero.
template <typename Struct>
static Status readSized(const Struct &given, Struct &into, const char *what) {
  const size_t size = given.size, known = sizeof(Struct);
  // Fields begin at multiples of eight, or two of four bytes share one.
  if (size < sizeof(size_t) || size % 8 != 0)
    return Status::invalidArgument(std::string("the size of ") + what +
                                   " must be " + std::to_string(known) +
                                   ", or that of another version, but got " +
                                   std::to_string(size));
  const auto *bytes = reinterpret_cast<const unsigned char *>(&given);
  for (size_t i = known; i < size; ++i)
    if (bytes[i])
      return Status::unsupported(
          std::string(what) + " must be those of this version, of " +
          std::to_string(known) + " bytes, or zero behind these, but got " +
          std::to_string(bytes[i]) + " in byte " + std::to_string(i));
  memcpy(static_cast<void *>(&into), bytes, std::min(size, known));
  into.size = known;
  return {};
}

static Status checkSize(size_t size, const char *what) {
  if (size >= sizeof(size_t))
    return {};
  return Status::invalidArgument(std::string("the size of ") + what +
                                 " must be set by the caller, but got " +
                                 std::to_string(size));
}

/// Writes as much of a structure as the caller has room for, but its size.
template <typename Struct>
static void writeSized(const Struct &from, Struct &to) {
  const size_t size = to.size, known = sizeof(Struct), head = sizeof(size_t);
  auto *bytes = reinterpret_cast<unsigned char *>(&to);
  memcpy(bytes + head, reinterpret_cast<const unsigned char *>(&from) + head,
         std::min(size, known) - head);
  if (size > known)
    memset(bytes + known, 0, size - known);
}

static Status checkIndex(const prec_rt_module *module, size_t index) {
  size_t count = module->session->manifest().bindings.size();
  if (index < count)
    return {};
  return Status::invalidArgument("binding must be below " +
                                 std::to_string(count) + ", but got " +
                                 std::to_string(index));
}

static Status checkDType(prec_rt_dtype dtype) {
  if (dtype >= PREC_RT_F32 && dtype <= PREC_RT_F8E8M0FNU)
    return {};
  return Status::invalidArgument(
      "dtype must be one of prec_rt_dtype, but got " + std::to_string(dtype));
}

/// The largest number of steps that can be counted in a double, as manifests
/// do.
static constexpr int64_t kMostSteps = int64_t(1) << 53;

/// No buffer has more dimensions.
static constexpr size_t kMaxRank = 64;

static Status checkTensor(const prec_rt_tensor &value) {
  PREC_RT_RETURN_IF_ERROR(checkDType(value.dtype));
  if (value.rank > kMaxRank)
    return Status::invalidArgument("rank must be at most " +
                                   std::to_string(kMaxRank) + ", but got " +
                                   std::to_string(value.rank));
  if (value.rank > 0 && !value.shape)
    return Status::invalidArgument(
        "a tensor's shape must be given, but got null");
  int64_t elements = 1;
  for (size_t i = 0; i < value.rank; ++i)
    if (value.shape[i] < 0 ||
        __builtin_mul_overflow(elements, value.shape[i], &elements))
      return Status::invalidArgument(
          "a tensor's shape must be of dimensions that are not negative and of "
          "at most 2^63 elements, but got " +
          formatShape({value.shape, value.shape + value.rank}));
  // Dimensions of one element, and all of an empty tensor, may have any.
  int64_t dense = 1;
  for (size_t i = value.strides ? value.rank : 0; i-- > 0;) {
    if (elements > 0 && value.shape[i] != 1 && value.strides[i] != dense)
      return Status::invalidArgument(
          "a tensor must be dense and row-major, but got strides " +
          formatShape({value.strides, value.strides + value.rank}) +
          " of shape " + formatShape({value.shape, value.shape + value.rank}));
    dense *= value.shape[i];
  }
  if (value.device_kind != PREC_RT_HOST && value.device_kind != PREC_RT_CUDA)
    return Status::invalidArgument(
        "a tensor's device kind must be one of prec_rt_device_kind, but got " +
        std::to_string(value.device_kind));
  if (value.device_index < 0 ||
      (value.device_kind == PREC_RT_HOST && value.device_index != 0))
    return Status::invalidArgument(
        "a tensor's device index must be that of a GPU, and 0 on the host, but "
        "got " +
        std::to_string(value.device_index));
  if (value.reserved != 0)
    return Status::invalidArgument(
        "the reserved field of a tensor must be 0, but got " +
        std::to_string(value.reserved));
  if (elements > 0 && !value.data)
    return Status::invalidArgument(
        "a tensor's data must be given, but got null");
  return {};
}

static TensorRef refer(const prec_rt_tensor &value) {
  return {static_cast<DType>(value.dtype),
          std::vector<int64_t>(value.shape, value.shape + value.rank),
          value.data,
          {value.device_kind, value.device_index}};
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
      return status.prefixed("'" + std::string(batch[i].name) + "': ");
    inputs.push_back({refer(batch[i]), batch[i].name});
  }
  return setBatch(*module->session, inputs, entryPoint, module->padBatches);
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

const char *prec_rt_error_message(const prec_rt_error *error) {
  return error ? error->message.c_str() : "";
}

prec_rt_code prec_rt_error_code(const prec_rt_error *error) {
  return error ? static_cast<prec_rt_code>(error->code) : PREC_RT_OK;
}

void prec_rt_error_destroy(prec_rt_error *error) { delete error; }

uint32_t prec_rt_abi(void) { return PREC_RT_ABI; }

static Status readFolders(const prec_rt_options &options,
                          std::vector<std::string> &folders) {
  if (options.num_library_folders)
    PREC_RT_RETURN_IF_ERROR(
        checkGiven({{options.library_folders, "folders of libraries"}}));
  for (size_t i = 0; i < options.num_library_folders; ++i) {
    PREC_RT_RETURN_IF_ERROR(
        checkGiven({{options.library_folders[i], "a folder of libraries"}}));
    folders.emplace_back(options.library_folders[i]);
  }
  return {};
}

static Status readFunctions(const prec_rt_options &options,
                            HostFunctions &functions) {
  if (options.num_functions)
    PREC_RT_RETURN_IF_ERROR(checkGiven({{options.functions, "functions"}}));
  for (size_t i = 0; i < options.num_functions; ++i) {
    const prec_rt_function &given = options.functions[i];
    PREC_RT_RETURN_IF_ERROR(
        checkGiven({{given.name, "the name of a function"}}));
    if (!given.call)
      return Status::invalidArgument(std::string("function '") + given.name +
                                     "' must be given, but got null");
    if (!functions.insert({given.name, {given.call, given.user}}).second)
      return Status::invalidArgument(
          std::string("functions must have names of their own, but got two of "
                      "'") +
          given.name + "'");
  }
  return {};
}

/// The rank may be left out, or is that of the communicator.
static Status checkRank(const prec_rt_options &options) {
  const Communicator *ranks =
      options.communicator ? options.communicator->ranks.get() : nullptr;
  int rank = ranks ? ranks->rank() : 0, size = ranks ? ranks->size() : 1;
  if ((options.rank == 0 && options.world_size == 0) ||
      (options.rank == rank && options.world_size == size))
    return {};
  return Status::invalidArgument(
      "rank and world_size must be 0, or those of the communicator, " +
      std::to_string(rank) + " of " + std::to_string(size) + ", but got " +
      std::to_string(options.rank) + " of " +
      std::to_string(options.world_size));
}

static Result<OpenOptions> readOptions(const prec_rt_options *given) {
  prec_rt_options options = PREC_RT_OPTIONS_INIT;
  if (given)
    PREC_RT_RETURN_IF_ERROR(readSized(*given, options, "options"));
  OpenOptions result;
  PREC_RT_RETURN_IF_ERROR(readFolders(options, result.libraryFolders));
  PREC_RT_RETURN_IF_ERROR(checkRank(options));
  PREC_RT_RETURN_IF_ERROR(readFunctions(options, result.functions));
  if (options.device < PREC_RT_ANY_DEVICE)
    return Status::invalidArgument(
        "a device must be the number of a GPU or PREC_RT_ANY_DEVICE, but got " +
        std::to_string(options.device));
  if (!options.allocate != !options.deallocate)
    return Status::invalidArgument(
        "allocate and deallocate must be given together, but got one of them");
  if (options.communicator)
    result.ranks = options.communicator->ranks;
  result.device = options.device;
  result.threads = options.threads;
  result.stream = options.stream;
  result.allocator = {options.allocate, options.deallocate,
                      options.allocator_user};
  if (options.log)
    result.log = [log = options.log, user = options.log_user](
                     prec_rt_log_level level, const std::string &text) {
      log(level, text.c_str(), user);
    };
  if (options.algorithm_file)
    result.algorithmFile = options.algorithm_file;
  if (options.state_of)
    result.stateOf = options.state_of->session;
  return result;
}

prec_rt_error *prec_rt_find_launch(const char *rendezvous,
                                   prec_rt_launch *launch) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven({{launch, "a place for the launch"}}));
    PREC_RT_RETURN_IF_ERROR(checkSize(launch->size, "a launch"));
    Result<Launch> found = findLaunch(rendezvous ? rendezvous : "");
    if (!found.ok())
      return found.status();
    prec_rt_launch result{};
    result.rank = found->rank;
    result.world_size = found->size;
    result.local_rank = found->localRank;
    if (found->address.size() >= sizeof result.address)
      return Status::invalidArgument(
          "the address of rank 0 must have less than " +
          std::to_string(sizeof result.address) + " bytes, but got " +
          std::to_string(found->address.size()));
    found->launcher.copy(result.launcher, sizeof result.launcher - 1);
    found->address.copy(result.address, sizeof result.address - 1);
    writeSized(result, *launch);
    return {};
  });
}

prec_rt_error *prec_rt_connect(const prec_rt_connect_options *given,
                               prec_rt_communicator **communicator) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven(
        {{given, "options"}, {communicator, "a place for the communicator"}}));
    prec_rt_connect_options options{};
    PREC_RT_RETURN_IF_ERROR(readSized(*given, options, "options"));
    RankOptions ranks;
    ranks.rank = options.rank;
    ranks.size = options.world_size;
    ranks.address = options.address ? options.address : "";
    constexpr double mostSeconds = 1e6;
    if (std::isnan(options.timeout_s) || options.timeout_s < 0 ||
        options.timeout_s > mostSeconds)
      return Status::invalidArgument("timeout_s must be in [0, 1e6], but got " +
                                     std::to_string(options.timeout_s));
    if (options.timeout_s > 0)
      ranks.timeout = std::chrono::milliseconds(
          static_cast<int64_t>(std::ceil(options.timeout_s * 1e3)));
    Result<std::shared_ptr<Communicator>> connected = connectRanks(ranks);
    if (!connected.ok())
      return connected.status();
    std::shared_ptr<Communicator> ofCaller = (*connected)->apart();
    *communicator =
        new prec_rt_communicator{std::move(*connected), std::move(ofCaller)};
    return {};
  });
}

prec_rt_error *prec_rt_all_gather(prec_rt_communicator *communicator,
                                  const void *in, void *out, size_t bytes) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven({{communicator, "a communicator"}}));
    if (bytes != 0)
      PREC_RT_RETURN_IF_ERROR(
          checkGiven({{in, "bytes to send"}, {out, "a place for bytes"}}));
    const auto ranks = static_cast<size_t>(communicator->ofCaller->size());
    if (bytes > std::numeric_limits<int64_t>::max() / ranks)
      return Status::invalidArgument(
          "bytes of all ranks must be fewer than 2^63, but got " +
          std::to_string(bytes) + " of each");
    return communicator->ofCaller->allGather(in, out,
                                             static_cast<int64_t>(bytes));
  });
}

void prec_rt_disconnect(prec_rt_communicator *communicator,
                        const char *reason) {
  if (communicator)
    communicator->ranks->leave(reason ? reason : "");
  delete communicator;
}

static std::map<size_t, SlicePlace> findPlaces(const Session &session) {
  std::map<size_t, SlicePlace> places;
  const Manifest &manifest = session.manifest();
  for (size_t i = 0; i < manifest.bindings.size(); ++i) {
    const Binding &binding = manifest.bindings[i];
    if (!binding.shard)
      continue;
    const auto dim = static_cast<size_t>(binding.shard->dim);
    const std::vector<int64_t> &shape = session.bufferOf(binding).shape;
    SlicePlace place{manifest.wholeShape(binding), {}};
    const Communicator *ranks = session.communicator();
    if (binding.shard->parts.empty()) {
      place.start.resize(shape.size());
      place.start[dim] =
          shape[dim] *
          manifest.groupOf(binding.shard->axis, ranks ? ranks->rank() : 0).own;
    }
    places.emplace(i, std::move(place));
  }
  return places;
}

static Status openModule(Result<std::unique_ptr<ModuleFile>> file,
                         OpenOptions options, prec_rt_module **module) {
  if (!file.ok())
    return file.status();
  Result<std::unique_ptr<Session>> session = Session::open(
      std::shared_ptr<ModuleFile>(std::move(*file)), std::move(options));
  if (!session.ok())
    return session.status();
  auto opened = std::make_unique<prec_rt_module>();
  opened->session = std::move(*session);
  opened->places = findPlaces(*opened->session);
  *module = opened.release();
  return {};
}

/// `read` reads the module, when all else is known to be right.
template <typename Read>
static Status open(const prec_rt_options *given, prec_rt_module **module,
                   Read read) {
  Result<OpenOptions> options = readOptions(given);
  if (!options.ok())
    return options.status();
  return openModule(read(), std::move(*options), module);
}

prec_rt_error *prec_rt_open(const char *path, const prec_rt_options *options,
                            prec_rt_module **module) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(
        checkGiven({{path, "a module's path"}, {module, "a place for it"}}));
    return open(options, module, [&] { return ModuleFile::read(path); });
  });
}

prec_rt_error *prec_rt_open_memory(const void *bytes, size_t size,
                                   const char *name,
                                   const prec_rt_options *options,
                                   prec_rt_module **module) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven({{bytes, "a module's bytes"},
                                        {name, "a module's name"},
                                        {module, "a place for it"}}));
    return open(options, module, [&] {
      return ModuleFile::copy({static_cast<const char *>(bytes), size}, name);
    });
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
      module, {{binding, "a place for the binding"}},
      [&]() -> Status {
        PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
        PREC_RT_RETURN_IF_ERROR(checkSize(binding->size, "a binding"));
        const Binding &source = module->session->manifest().bindings[index];
        const Buffer &buffer = module->session->bufferOf(source);
        writeSized(
            {0, source.name.c_str(), static_cast<prec_rt_role>(source.role),
             static_cast<prec_rt_dtype>(buffer.dtype), buffer.shape.size(),
             buffer.shape.data(), source.parameter.c_str(), source.slot.c_str(),
             source.shard ? module->places.at(index).whole.data() : nullptr,
             source.shard && source.shard->parts.empty()
                 ? module->places.at(index).start.data()
                 : nullptr},
            *binding);
        return {};
      },
      WithinStep::yes);
}

prec_rt_error *prec_rt_find_binding(const prec_rt_module *module,
                                    const char *name, size_t *index) {
  return guarded(
      module, {{name, "a name"}, {index, "a place for the index"}},
      [&]() -> Status {
        int found = module->session->find(name);
        if (found < 0)
          return Status::invalidArgument(
              "name must be one of the module's bindings, but "
              "got '" +
              std::string(name) + "'");
        *index = found;
        return {};
      },
      WithinStep::yes);
}

prec_rt_error *prec_rt_set(prec_rt_module *module, size_t index,
                           const prec_rt_tensor *value) {
  return guarded(module, {{value, "a value"}}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    PREC_RT_RETURN_IF_ERROR(checkTensor(*value));
    return module->session->set(index, refer(*value));
  });
}

prec_rt_error *prec_rt_get(prec_rt_module *module, size_t index,
                           const prec_rt_tensor *target) {
  return guarded(module, {{target, "a target"}}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    PREC_RT_RETURN_IF_ERROR(checkTensor(*target));
    return module->session->get(index, refer(*target));
  });
}

prec_rt_error *prec_rt_get_statistics(const prec_rt_module *module,
                                      prec_rt_statistics *statistics) {
  return guarded(
      module, {{statistics, "a place for the statistics"}},
      [&]() -> Status {
        PREC_RT_RETURN_IF_ERROR(checkSize(statistics->size, "statistics"));
        const CopyStatistics &copies = module->session->statistics();
        writeSized({0, copies.deviceCopies, copies.deviceBytes,
                    copies.throughHostCopies, copies.throughHostBytes},
                   *statistics);
        return {};
      },
      WithinStep::yes);
}

void *prec_rt_stream(const prec_rt_module *module) {
  return module ? module->session->device().stream() : nullptr;
}

prec_rt_error *
prec_rt_from_dlpack(const struct DLManagedTensorVersioned *source,
                    const char *name, prec_rt_tensor *tensor) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven(
        {{source, "a DLPack tensor"}, {tensor, "a place for the tensor"}}));
    Result<prec_rt_tensor> described = describe(*source, name);
    if (!described.ok())
      return described.status();
    PREC_RT_RETURN_IF_ERROR(checkTensor(*described));
    *tensor = *described;
    return {};
  });
}

prec_rt_error *prec_rt_from_dlpack_legacy(const struct DLManagedTensor *source,
                                          const char *name,
                                          prec_rt_tensor *tensor) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven(
        {{source, "a DLPack tensor"}, {tensor, "a place for the tensor"}}));
    Result<prec_rt_tensor> described = describe(source->dl_tensor, name);
    if (!described.ok())
      return described.status();
    PREC_RT_RETURN_IF_ERROR(checkTensor(*described));
    *tensor = *described;
    return {};
  });
}

/// Hands out what `make` makes of a binding.
template <typename Managed, typename Make>
static prec_rt_error *view(prec_rt_module *module, size_t index,
                           Managed **target, Make make) {
  return guarded(module, {{target, "a place for the view"}}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    Result<Managed *> made = make(module->session, static_cast<int>(index));
    if (!made.ok())
      return made.status();
    *target = *made;
    return {};
  });
}

prec_rt_error *prec_rt_view(prec_rt_module *module, size_t index,
                            struct DLManagedTensorVersioned **target) {
  return view(module, index, target, viewBinding);
}

prec_rt_error *prec_rt_view_legacy(prec_rt_module *module, size_t index,
                                   struct DLManagedTensor **target) {
  return view(module, index, target, viewBindingLegacy);
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
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "step", batch, count));
    return deliver(module->session->step(), result);
  });
}

prec_rt_error *prec_rt_step_async(prec_rt_module *module,
                                  const prec_rt_tensor *batch, size_t count) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "step", batch, count));
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
      return setBatch(module, entry_point, batch, count);
    });
  });
}

prec_rt_error *prec_rt_sample(prec_rt_module *module,
                              const prec_rt_tensor *batch, size_t count,
                              prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkResult(result));
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "sample", batch, count));
    return deliver(module->session->sample(), result);
  });
}

prec_rt_error *prec_rt_accumulate(prec_rt_module *module,
                                  const prec_rt_tensor *batch, size_t count,
                                  prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkResult(result));
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "accumulate", batch, count));
    return deliver(module->session->accumulate(), result);
  });
}

prec_rt_error *prec_rt_apply(prec_rt_module *module,
                             prec_rt_step_result *result) {
  return guarded(module, {}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkResult(result));
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
    PREC_RT_RETURN_IF_ERROR(setBatch(module, "eval", batch, count));
    return deliver(module->session->eval(), result);
  });
}

prec_rt_error *prec_rt_profile(prec_rt_module *module,
                               const prec_rt_tensor *batch, size_t count,
                               prec_rt_step_result *result, char **json) {
  return guarded(module, {{json, "a place for the profile"}}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkResult(result));
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
