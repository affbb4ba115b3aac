//===- ToolContext.h - what a tool is a part of -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool NAME is a function NAME_main(argc, argv, context): what the main
// function of its executable calls, or prec-tools, which is all tools.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_TOOLS_TOOLCONTEXT_H
#define PREC_TOOLS_TOOLCONTEXT_H

#include <string>

namespace prec {

struct ToolContext {
  /// A program that links when it is called as ld.lld; empty: none is known.
  std::string linker;
};

} // namespace prec

#endif // PREC_TOOLS_TOOLCONTEXT_H
