//===- Ptxas.cpp - NVIDIA's assembler -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/MachineCode/Ptxas.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace prec;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

std::string prec::findPtxas() {
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  if (auto path =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *path;
  return {};
}

/// An unused name for a file, which `remover` then owns.
static Error nameTemporary(StringRef suffix, SmallString<128> &path,
                           llvm::FileRemover &remover) {
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("prec-kernels", suffix, path))
    return createStringError(error, "kernels need a temporary file, but got '" +
                                        error.message() + "'");
  remover.setFile(path);
  return Error::success();
}

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

static Error writePtx(StringRef path, StringRef ptx) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error)
    os << ptx;
  os.close();
  if (!error && !os.has_error())
    return Error::success();
  os.clear_error();
  return createStringError("kernels need a temporary file, but got one that "
                           "cannot be written");
}

/// What `options.ptxas` prints; an error begins with `rule`.
static Expected<std::string> run(const GpuOptions &options,
                                 ArrayRef<StringRef> arguments,
                                 const Twine &rule) {
  SmallString<128> logPath;
  llvm::FileRemover removeLog;
  if (Error error = nameTemporary("log", logPath, removeLog))
    return error;
  SmallVector<StringRef> command{options.ptxas};
  llvm::append_range(command, arguments);
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(logPath),
                                          StringRef(logPath)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(options.ptxas, command, std::nullopt,
                                         redirects, 0, 0, &message);
  std::string log = readFile(logPath);
  if (status == 0)
    return log;
  return createStringError(rule + ", but got status " + Twine(status) + ": " +
                           (message.empty() ? log : message));
}

// The text already says what is fused.
static constexpr StringRef kFlags[] = {"-O3", "-fmad=false", "-v"};

Expected<std::string> prec::describePtxas(const GpuOptions &options) {
  if (options.ptxas.empty())
    return std::string();
  Expected<std::string> version =
      run(options, {"--version"}, "ptxas must say its version");
  if (!version)
    return version.takeError();
  return *version + llvm::join(ArrayRef<StringRef>(kFlags), " ");
}

/// What `log` says of one of several kernels: from where it names the kernel to
/// where it names the next.
static StringRef logOf(StringRef log, StringRef symbol) {
  constexpr StringLiteral opening =
      "ptxas info    : Compiling entry function '";
  size_t begin = log.find((opening + symbol + "'").str());
  if (begin == StringRef::npos)
    return "";
  return log.slice(begin, log.find(opening, begin + 1));
}

Error prec::assemble(const GpuOptions &options, ArrayRef<GpuImage *> images) {
  std::vector<SmallString<128>> paths(images.size() + 1);
  std::vector<llvm::FileRemover> removers(paths.size());
  for (size_t i = 0; i < images.size(); ++i) {
    if (Error error = nameTemporary("ptx", paths[i], removers[i]))
      return error;
    if (Error error = writePtx(paths[i], images[i]->ptx))
      return error;
  }
  if (Error error = nameTemporary("cubin", paths.back(), removers.back()))
    return error;
  std::string arch = "-arch=" + options.chip;
  SmallVector<StringRef> arguments{arch};
  llvm::append_range(arguments, kFlags);
  llvm::append_range(arguments, ArrayRef(paths).drop_back());
  llvm::append_range(arguments, ArrayRef<StringRef>{"-o", paths.back()});
  std::string names = llvm::join(
      llvm::map_range(images, [](GpuImage *image) { return image->symbol; }),
      "', '");
  std::string rule = (images.size() == 1 ? "ptxas must assemble kernel '"
                                         : "ptxas must assemble kernels '") +
                     names + "'";
  Expected<std::string> log = run(options, arguments, rule);
  if (!log)
    return log.takeError();
  std::string cubin = readFile(paths.back());
  if (cubin.empty())
    return createStringError(rule + ", but got no cubin");
  for (GpuImage *image : images) {
    image->log = images.size() == 1 ? *log : logOf(*log, image->symbol).str();
    image->cubin = cubin;
  }
  return Error::success();
}
