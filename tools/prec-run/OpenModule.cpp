//===- OpenModule.cpp - a module of the command line ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenModule.h"

#include "prec-rt/devices.h"

#include <dlfcn.h>

using namespace prec::rt;
using namespace prec::run;

/// The functions of a library, which stays loaded: they are the program's until
/// it ends.
static Status loadFunctions(const std::string &path, HostFunctions &functions) {
  // Without a slash the linker would look elsewhere.
  const std::string name =
      path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Status::badFile("--functions must be a library that can be loaded, "
                           "but got: " +
                           std::string(dlerror()));
  auto list = reinterpret_cast<prec_rt_functions>(
      dlsym(library, PREC_RT_FUNCTIONS_SYMBOL));
  if (!list)
    return Status::badFile("--functions must export " PREC_RT_FUNCTIONS_SYMBOL
                           ", but does not: " +
                           path);
  size_t count = 0;
  const prec_rt_function *given = list(&count);
  for (size_t i = 0; i < count; ++i) {
    if (!given[i].name || !given[i].call)
      return Status::badFile("functions of a library must have names and be "
                             "given, but number " +
                             std::to_string(i) + " is not: " + path);
    if (!functions.insert({given[i].name, {given[i].call, given[i].user}})
             .second)
      return Status::badFile("functions must have names of their own, but got "
                             "two of '" +
                             std::string(given[i].name) + "'");
  }
  return {};
}

Result<std::unique_ptr<Session>> prec::run::openModule(const std::string &path,
                                                       const Options &options) {
  Result<std::unique_ptr<ModuleFile>> file = ModuleFile::read(path);
  if (!file.ok())
    return file.status();
  return openModule(std::shared_ptr<ModuleFile>(std::move(*file)), options);
}

Result<std::unique_ptr<Session>>
prec::run::openModule(std::shared_ptr<ModuleFile> file,
                      const Options &options) {
  OpenOptions open = options.open;
  for (const std::string &path : options.functions)
    PREC_RT_RETURN_IF_ERROR(loadFunctions(path, open.functions));
  // Of a module alone, an option of another target is refused where it opens.
  if (!options.compare.empty() || !options.verify.empty()) {
    // Kernels of a table are called by threads of this process.
    const DeviceKind *kind = findDeviceKind(file->manifest().target.kind);
    if (kind && kind->calls == KernelCalls::table)
      open.device = PREC_RT_ANY_DEVICE;
    else
      open.threads = 0;
  }
  return Session::open(std::move(file), std::move(open));
}
