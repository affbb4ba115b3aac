//===- Options.h - what prec-opt adds to an optimizer's options -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_TOOLS_PRECOPT_OPTIONS_H
#define PREC_TOOLS_PRECOPT_OPTIONS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"

#include <string>

namespace prec {

/// LLVM's own options, which are there before a tool adds any, are taken as
/// ever, but listed by --help-hidden alone.
inline void hideOptionsOfLlvm() {
  for (auto [name, option] : llvm::cl::getRegisteredOptions())
    if (!name.starts_with("help") && name != "version")
      option->setHiddenFlag(llvm::cl::Hidden);
}

/// Registers itself with the command line, so it lives where main does.
struct PrecOptOptions {
  /// --help lists categories by their names, and this one first.
  llvm::cl::OptionCategory category{"Compiling with prec"};
  llvm::cl::opt<std::string> explain{
      "explain", llvm::cl::value_desc("TENSOR|PATH|all"),
      llvm::cl::desc("Print why --assign-precision decided as it did"),
      llvm::cl::cat(category)};
  /// For --help: DiffPrecisionOptions reads it.
  llvm::cl::opt<bool> diffPrecision{
      "diff-precision",
      llvm::cl::desc(
          "Say what differs between two tagged graphs or precision "
          "maps: BEFORE AFTER [-o FILE.json or FILE.html]; exits with 0 if "
          "nothing does, 1 if something does, 2 if it cannot tell"),
      llvm::cl::cat(category)};
  /// MLIR's own option takes what follows.
  llvm::cl::opt<std::string> input{llvm::cl::Positional, llvm::cl::init("-"),
                                   llvm::cl::desc("<input file>"),
                                   llvm::cl::cat(category)};

  /// Passes are listed here, too: all are one option, which has their names.
  void adoptPasses() {
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto pass = options.find("assign-precision"); pass != options.end())
      pass->second->addCategory(category);
  }
};

/// The command line of --diff-precision, on its own: MLIR's parser would end
/// the process with 1, which means a difference here.
struct DiffPrecisionOptions {
  llvm::cl::OptionCategory category{"Precision"};
  llvm::cl::opt<bool> diffPrecision{
      "diff-precision",
      llvm::cl::desc("Say what differs between two tagged graphs or precision "
                     "maps"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> before{llvm::cl::Positional, llvm::cl::Required,
                                    llvm::cl::desc("BEFORE"),
                                    llvm::cl::cat(category)};
  llvm::cl::opt<std::string> after{llvm::cl::Positional, llvm::cl::Required,
                                   llvm::cl::desc("AFTER"),
                                   llvm::cl::cat(category)};
  llvm::cl::opt<std::string> output{
      "o", llvm::cl::init("-"), llvm::cl::value_desc("FILE"),
      llvm::cl::desc("Text, or what .json or .html in the name says"),
      llvm::cl::cat(category)};

  /// Whether the command line asks for a difference.
  static bool isAsked(int argc, char **argv) {
    return llvm::any_of(llvm::ArrayRef(argv, argc).drop_front(),
                        [](llvm::StringRef argument) {
                          return argument == "--diff-precision" ||
                                 argument == "-diff-precision";
                        });
  }
};

} // namespace prec

#endif // PREC_TOOLS_PRECOPT_OPTIONS_H
