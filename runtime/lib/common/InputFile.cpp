//===- InputFile.cpp - a file that is read in parts -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InputFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace prec::rt;

Result<InputFile> InputFile::open(const std::string &path) {
  InputFile result;
  result.path = path;
  // Non-blocking, or a fifo of this name would hold us forever.
  result.file =
      Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!result.file.isOpen())
    return Status::ofErrno(
        errno, path + ": must be readable, but got: " + strerror(errno));
  struct stat info;
  if (fstat(result.file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return Status::fileError(path + ": must be a regular file, but is not");
  result.length = info.st_size;
  return result;
}

Status InputFile::read(int64_t offset, void *target, int64_t count) const {
  char *next = static_cast<char *>(target);
  while (count > 0) {
    ssize_t done = pread(file.get(), next, count, offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return Status::ofErrno(
          errno, path + ": must be readable, but got: " + strerror(errno));
    if (done == 0)
      return Status::fileError(path +
                               ": must stay as it is while it is read, but "
                               "byte " +
                               std::to_string(offset) + " of " +
                               std::to_string(length) + " is gone");
    next += done, offset += done, count -= done;
  }
  return {};
}

Result<std::string> prec::rt::readTextFile(const std::string &path,
                                           int64_t limit) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status();
  if (file->size() > limit)
    return Status::badFile(path + ": must have at most " +
                           std::to_string(limit) + " bytes, but got " +
                           std::to_string(file->size()));
  std::string text(file->size(), '\0');
  PREC_RT_RETURN_IF_ERROR(file->read(0, text.data(), file->size()));
  return text;
}
