//===- LeftOut.cpp - parts of LLVM that this program has not --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lld initializes every backend of LLVM before it links, and adds the passes of
// Polly, for files of bitcode, which it is never given here. Backends are half
// of LLVM's size: functions that do nothing, in the place of those of backends
// that no target of prec needs, keep them out.
//
//===----------------------------------------------------------------------===//
#include "llvm/Plugins/PassPlugin.h"

#define PREC_LEFT_OUT(FUNCTION)                                                \
  extern "C" void FUNCTION();                                                  \
  extern "C" void FUNCTION() {}
#include "BackendsLeftOut.inc"
#undef PREC_LEFT_OUT

llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "left out", "0", [](llvm::PassBuilder &) {}};
}
