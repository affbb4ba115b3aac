//===- AtomicFile.cpp - files that are there in full or not ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AtomicFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace prec::rt;

static std::string parentOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status AtomicFile::fail(const char *rule) const {
  int code = errno;
  return Status::ofErrno(code,
                         path + ": " + rule + ", but got: " + strerror(code));
}

Result<AtomicFile> AtomicFile::create(const std::string &path) {
  struct stat existing;
  if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode))
    return Status::fileError(path + ": must be a regular file, but is none");
  std::string stem = path + ".writing." + std::to_string(getpid()) + "-";
  std::string temporary;
  int file = -1;
  // A process of another container may have this one's number.
  for (int64_t again = 0; file < 0; ++again) {
    temporary = stem + std::to_string(again);
    file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  0644);
    if (file < 0 && errno != EEXIST)
      break;
  }
  AtomicFile created(path, temporary, file);
  if (created.file >= 0)
    return created;
  created.temporary.clear();
  return created.fail("must be writable");
}

Result<AtomicFile> AtomicFile::join(const std::string &path,
                                    const std::string &temporary) {
  AtomicFile joined(path, temporary,
                    ::open(temporary.c_str(), O_WRONLY | O_CLOEXEC));
  joined.isOwn = false;
  if (joined.file >= 0)
    return joined;
  return joined.fail("must be on a file system that all ranks share");
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path(std::move(other.path)),
      temporary(std::exchange(other.temporary, {})),
      file(std::exchange(other.file, -1)), isOwn(other.isOwn) {}

AtomicFile::~AtomicFile() {
  if (file >= 0)
    ::close(file);
  if (isOwn && !temporary.empty())
    unlink(temporary.c_str());
}

Status AtomicFile::write(const char *bytes, int64_t count) {
  while (count > 0) {
    ssize_t done = ::write(file, bytes, count);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return fail("must be written in full");
    bytes += done;
    count -= done;
  }
  return {};
}

Status AtomicFile::writeAt(int64_t offset, const char *bytes, int64_t count) {
  while (count > 0) {
    ssize_t done = ::pwrite(file, bytes, count, offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return fail("must be written in full");
    bytes += done;
    offset += done;
    count -= done;
  }
  return {};
}

Status AtomicFile::finish() {
  bool good = fsync(file) == 0;
  good &= ::close(file) == 0;
  file = -1;
  return good ? Status() : fail("must be written in full");
}

Status AtomicFile::commit() {
  if (!isOwn)
    return {};
  if (rename(temporary.c_str(), path.c_str()) != 0)
    return fail("must be replaceable");
  temporary.clear();
  // The new name must outlive a power cut as well.
  int folder = ::open(parentOf(path).c_str(), O_RDONLY | O_DIRECTORY);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
  return {};
}

Status prec::rt::writeAtomically(const std::string &path,
                                 std::string_view bytes) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  PREC_RT_RETURN_IF_ERROR(
      file->write(bytes.data(), static_cast<int64_t>(bytes.size())));
  PREC_RT_RETURN_IF_ERROR(file->finish());
  return file->commit();
}
