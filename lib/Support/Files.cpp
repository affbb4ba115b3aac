//===- Files.cpp - reading and writing whole files ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <unistd.h>

using namespace prec;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

Expected<std::string> prec::readFile(StringRef fileName) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(fileName);
  if (!file)
    return llvm::createStringError(file.getError(),
                                   "cannot read '" + fileName +
                                       "': " + file.getError().message());
  return (*file)->getBuffer().str();
}

static Error makeWriteError(StringRef fileName, std::error_code code) {
  return llvm::createStringError(code, "cannot write '" + fileName +
                                           "': " + code.message());
}

static std::error_code
writeTemporary(int descriptor,
               llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/false);
  write(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  if (!code && ::fsync(descriptor) != 0)
    code = std::error_code(errno, std::generic_category());
  return code;
}

static Error writeInPlace(StringRef fileName,
                          llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code code;
  llvm::raw_fd_ostream os(fileName, code);
  if (!code) {
    write(os);
    os.close();
    code = os.error();
    os.clear_error();
  }
  return code ? makeWriteError(fileName, code) : Error::success();
}

Error prec::writeFileAtomically(
    StringRef fileName, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (fileName == "-") {
    write(llvm::outs());
    llvm::outs().flush();
    return Error::success();
  }
  // A rename would take the place of a device or a pipe.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(fileName, status) &&
      status.type() != llvm::sys::fs::file_type::regular_file)
    return writeInPlace(fileName, write);
  Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(fileName + ".%%%%%%.tmp");
  if (!file)
    return makeWriteError(fileName, llvm::errorToErrorCode(file.takeError()));
  std::error_code code = writeTemporary(file->FD, write);
  if (!code)
    code = llvm::errorToErrorCode(file->keep(fileName));
  if (!code)
    return Error::success();
  llvm::consumeError(file->discard());
  return makeWriteError(fileName, code);
}
