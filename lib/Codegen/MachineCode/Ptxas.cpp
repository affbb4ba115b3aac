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

Error prec::assemble(const GpuOptions &options, GpuImage &image) {
  SmallString<128> ptxPath, cubinPath;
  llvm::FileRemover removePtx, removeCubin;
  if (Error error = nameTemporary("ptx", ptxPath, removePtx))
    return error;
  if (Error error = nameTemporary("cubin", cubinPath, removeCubin))
    return error;
  if (Error error = writePtx(ptxPath, image.ptx))
    return error;
  std::string arch = "-arch=" + options.chip;
  SmallVector<StringRef> arguments{arch};
  llvm::append_range(arguments, kFlags);
  llvm::append_range(arguments, ArrayRef<StringRef>{ptxPath, "-o", cubinPath});
  std::string rule = "ptxas must assemble kernel '" + image.symbol + "'";
  Expected<std::string> log = run(options, arguments, rule);
  if (!log)
    return log.takeError();
  image.log = std::move(*log);
  image.cubin = readFile(cubinPath);
  if (image.cubin.empty())
    return createStringError(rule + ", but got no cubin");
  return Error::success();
}
