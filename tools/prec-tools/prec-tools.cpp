//===- prec-tools.cpp - all tools as one program --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name that the program is called by, argv[0], says which tool it is; so
// code that tools share is there once. prec-compile has its modules linked by
// the same program, called as ld.lld.
//
//===----------------------------------------------------------------------===//
#include "Linker.h"
#include "ToolContext.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using prec::ToolContext;

#define PREC_TOOL(FUNCTION, NAME)                                              \
  int FUNCTION(int argc, char **argv, const ToolContext &context);
#include "Tools.inc"
#undef PREC_TOOL

namespace {

struct Tool {
  llvm::StringRef name;
  int (*main)(int argc, char **argv, const ToolContext &context);
};

} // namespace

static constexpr Tool kTools[] = {
#define PREC_TOOL(FUNCTION, NAME) {NAME, FUNCTION},
#include "Tools.inc"
#undef PREC_TOOL
};

int prec_tools_main(int argc, char **argv, const ToolContext &given) {
  llvm::StringRef name =
      argc > 0 ? llvm::sys::path::filename(argv[0]) : llvm::StringRef();
  if (name == "ld.lld")
    return prec::linkElf(argc, argv);
  const Tool *tool = llvm::find_if(
      kTools, [&](const Tool &candidate) { return candidate.name == name; });
  if (tool == std::end(kTools)) {
    llvm::errs() << "prec-tools: error: the program must be called as "
                 << llvm::join(
                        llvm::map_range(kTools,
                                        [](const Tool &t) { return t.name; }),
                        ", ")
                 << " or ld.lld, but got '" << name << "'\n";
    return 1;
  }
  ToolContext context = given;
  context.linker = llvm::sys::fs::getMainExecutable(
      argv[0], reinterpret_cast<void *>(&prec_tools_main));
  return tool->main(argc, argv, context);
}
