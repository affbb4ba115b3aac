//===- CApi.cpp - modules of prec-rt.h -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CApi.h"

#include <new>

using namespace prec::rt;

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
