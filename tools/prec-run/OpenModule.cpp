//===- OpenModule.cpp - a module of the command line ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenModule.h"

#include "prec-rt/devices.h"

using namespace prec::rt;
using namespace prec::run;

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
