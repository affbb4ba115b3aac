//===- OpenModule.h - a module of the command line --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_OPENMODULE_H
#define PREC_RUN_OPENMODULE_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// With --device and --threads as far as they are of the module's target: where
/// modules of several targets are compared, each takes what is its own.
rt::Result<std::unique_ptr<rt::Session>> openModule(const std::string &path,
                                                    const Options &options);
/// Of a module that is read already, and may be loaded.
rt::Result<std::unique_ptr<rt::Session>>
openModule(std::shared_ptr<rt::ModuleFile> file, const Options &options);

} // namespace prec::run

#endif // PREC_RUN_OPENMODULE_H
