//===- Run.cpp - measures what the steps of a graph run -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a bench module with prec-compile and measures it with prec-run, as a
// user could by hand on two machines. Both are found beside this program, where
// a build has the runtime, or on the path; the program that is all tools is
// prec-compile where it is called so.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "prec/Support/LLVM.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace prec;
using llvm::Error;
using llvm::StringRef;

/// The program that is the tool when it is called by its name.
static llvm::Expected<std::string> findTool(StringRef name,
                                            const std::string &self) {
  SmallString<256> folder(self);
  llvm::sys::path::remove_filename(folder);
  for (StringRef place : {"", "../runtime"}) {
    SmallString<256> path(folder);
    llvm::sys::path::append(path, place, name);
    if (llvm::sys::fs::can_execute(path))
      return path.str().str();
  }
  bool isCompiler = name != "prec-run";
  if (isCompiler && llvm::sys::path::filename(self) == "prec-tools")
    return self;
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name);
  if (found)
    return *found;
  return llvm::createStringError(name + " must be beside prec-bench or on the "
                                        "path, but is not");
}

static Error runTool(StringRef name, const std::string &self,
                     const std::vector<std::string> &words) {
  llvm::Expected<std::string> program = findTool(name, self);
  if (!program)
    return program.takeError();
  SmallVector<StringRef> arguments = {name};
  arguments.append(words.begin(), words.end());
  std::string message;
  int code = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, {}, 0,
                                       0, &message);
  if (code == 0)
    return Error::success();
  // It has said itself what is wrong.
  return llvm::createStringError(message.empty()
                                     ? name + " must succeed, but failed"
                                     : name + ": " + message);
}

static Error run(const RunOptions &options, const std::string &self) {
  SmallVector<StringRef> recipes = {"bf16"};
  for (const std::string &recipe : options.recipes)
    if (!llvm::is_contained(recipes, recipe))
      recipes.push_back(recipe);
  SmallString<128> module(options.module);
  llvm::FileRemover remover;
  if (module.empty()) {
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("prec-bench", "so", module))
      return llvm::createStringError("a temporary file must be made, but " +
                                     code.message());
    remover.setFile(module);
  }
  std::vector<std::string> compile = {
      options.graph, "--bench=" + llvm::join(recipes, ","),
      "--target=" + options.target, "-o", module.str().str()};
  if (!options.assign.empty())
    compile.push_back("--assign=" + options.assign);
  if (!options.ptxas.empty())
    compile.push_back("--ptxas=" + options.ptxas);
  if (Error error = runTool("prec-compile", self, compile))
    return error;
  std::vector<std::string> measure = {module.str().str(),
                                      "--bench",
                                      options.output,
                                      "--budget",
                                      std::to_string(options.budget),
                                      "--interval",
                                      std::to_string(options.interval)};
  if (options.resume)
    measure.push_back("--bench-resume");
  if (options.threads)
    measure.insert(measure.end(),
                   {"--threads", std::to_string(options.threads)});
  for (const std::string &folder : options.cudaLibraries)
    measure.insert(measure.end(), {"--cuda-libraries", folder});
  return runTool("prec-run", self, measure);
}

int prec::runRun(const RunOptions &options, const char *program) {
  std::string self = llvm::sys::fs::getMainExecutable(
      program, reinterpret_cast<void *>(&runRun));
  if (Error error = run(options, self)) {
    llvm::errs() << "prec-bench: " << llvm::toString(std::move(error)) << "\n";
    return 2;
  }
  return 0;
}
