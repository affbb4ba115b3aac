//===- SealedFile.cpp - bytes of a file that stay as they are -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SealedFile.h"

#include "InputFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace prec::rt;

static Status makeError(const std::string &rule) {
  return Status::ofErrno(errno, rule + ", but got: " + strerror(errno));
}

static Status withPath(const std::string &path, const Status &status) {
  return status.prefixed(path + ": ");
}

/// Where there is no memory file, or none that may hold code.
static Descriptor createPrivateFile() {
  // mkostemp puts other characters in place of the last six.
  char name[] = "/tmp/prec-module-XXXXXX";
  Descriptor file(mkostemp(name, O_CLOEXEC));
  if (file.isOpen())
    unlink(name);
  return file;
}

template <typename Source>
static Status copyBytes(const Source &source, int64_t size,
                        const std::string &path, int to) {
  std::vector<char> chunk(1 << 20);
  for (int64_t offset = 0; offset < size;) {
    int64_t count = std::min<int64_t>(chunk.size(), size - offset);
    PREC_RT_RETURN_IF_ERROR(source(offset, chunk.data(), count));
    for (int64_t done = 0; done < count;) {
      ssize_t written = write(to, chunk.data() + done, count - done);
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return withPath(path, makeError("must fit in memory"));
      done += written;
    }
    offset += count;
  }
  return {};
}

Status SealedFile::map() {
  struct stat info;
  if (fstat(file.get(), &info) != 0)
    return makeError("must fit in memory");
  if (info.st_size == 0)
    return {};
  void *start =
      mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED)
    return makeError("must be mappable");
  view = std::string_view(static_cast<char *>(start), info.st_size);
  return {};
}

Result<SealedFile> SealedFile::read(const std::string &path) {
  Result<InputFile> source = InputFile::open(path);
  if (!source.ok())
    return source.status();
  return fill(
      [&](int64_t offset, char *target, int64_t count) {
        return source->read(offset, target, count);
      },
      source->size(), path);
}

Result<SealedFile> SealedFile::copy(std::string_view bytes,
                                    const std::string &name) {
  return fill(
      [&](int64_t offset, char *target, int64_t count) {
        memcpy(target, bytes.data() + offset, count);
        return Status();
      },
      static_cast<int64_t>(bytes.size()), name);
}

Result<SealedFile> SealedFile::fill(const Source &source, int64_t size,
                                    const std::string &path) {
  SealedFile result;
  // The name is what profilers and debuggers show.
  std::string name = path.substr(path.rfind('/') + 1).substr(0, 200);
  result.file =
      Descriptor(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  bool isMemory = result.file.isOpen();
  if (!isMemory)
    result.file = createPrivateFile();
  if (!result.file.isOpen())
    return withPath(path, makeError("must be copied to memory or /tmp"));
  PREC_RT_RETURN_IF_ERROR(copyBytes(source, size, path, result.file.get()));
  if (isMemory &&
      fcntl(result.file.get(), F_ADD_SEALS,
            F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return withPath(path, makeError("must be sealed in memory"));
  if (Status status = result.map(); !status.ok())
    return withPath(path, status);
  return result;
}

/// glibc looks for a loaded object of the name before it looks at the file: an
/// object that cannot be unloaded keeps the name of a descriptor that was
/// closed and is used again.
static bool isTaken(const std::string &name) {
  void *stale = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (stale)
    dlclose(stale);
  return stale != nullptr;
}

Result<std::string> SealedFile::makeLoadName() {
  auto makeName = [&] { return "/proc/self/fd/" + std::to_string(file.get()); };
  while (isTaken(makeName())) {
    Descriptor next(fcntl(file.get(), F_DUPFD_CLOEXEC, file.get() + 1));
    if (!next.isOpen())
      return makeError("must have a descriptor of its own");
    file = std::move(next);
  }
  return makeName();
}

SealedFile::SealedFile(SealedFile &&other) noexcept
    : file(std::move(other.file)), view(std::exchange(other.view, {})) {}

SealedFile &SealedFile::operator=(SealedFile &&other) noexcept {
  std::swap(file, other.file);
  std::swap(view, other.view);
  return *this;
}

SealedFile::~SealedFile() {
  if (!view.empty())
    munmap(const_cast<char *>(view.data()), view.size());
}
