//===- SealedFile.cpp - bytes of a file that stay as they are -------------===//

#include "SealedFile.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace prec::rt;

namespace {

/// A descriptor that is closed at the end.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  int get() const { return number; }
  int release() { return std::exchange(number, -1); }

private:
  int number;
};

} // namespace

static Status makeError(const std::string &rule) {
  return Status::error(rule + ", but got: " + strerror(errno));
}

/// Where there is no memory file, or none that may hold code.
static int createPrivateFile() {
  char name[] = "/tmp/prec-module-XXXXXX";
  int file = mkostemp(name, O_CLOEXEC);
  if (file >= 0)
    unlink(name);
  return file;
}

static Status copy(int from, int to) {
  std::vector<char> chunk(1 << 20);
  for (;;) {
    ssize_t count = read(from, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeError("must be readable");
    if (count == 0)
      return {};
    for (ssize_t done = 0; done < count;) {
      ssize_t written = write(to, chunk.data() + done, count - done);
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return makeError("must fit in memory");
      done += written;
    }
  }
}

Status SealedFile::map() {
  struct stat info;
  if (fstat(file, &info) != 0)
    return makeError("must fit in memory");
  if (info.st_size == 0)
    return {};
  void *start = mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (start == MAP_FAILED)
    return makeError("must be mappable");
  view = std::string_view(static_cast<char *>(start), info.st_size);
  return {};
}

Result<SealedFile> SealedFile::read(const std::string &path) {
  auto fail = [&](const Status &status) {
    return Status::error(path + ": " + status.message());
  };
  // Non-blocking, or a fifo of this name would hold us forever.
  Descriptor source(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (source.get() < 0)
    return fail(makeError("must be readable"));
  struct stat info;
  if (fstat(source.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return fail(Status::error("must be a regular file, but is not"));
  // The name is what profilers and debuggers show.
  std::string name = path.substr(path.rfind('/') + 1).substr(0, 200);
  Descriptor target(
      memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  bool isMemory = target.get() >= 0;
  Descriptor other(isMemory ? -1 : createPrivateFile());
  Descriptor &copied = isMemory ? target : other;
  if (copied.get() < 0)
    return fail(makeError("must be copied to memory or /tmp"));
  if (Status status = copy(source.get(), copied.get()); !status.ok())
    return fail(status);
  if (isMemory &&
      fcntl(copied.get(), F_ADD_SEALS,
            F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail(makeError("must be sealed in memory"));
  SealedFile result;
  result.file = copied.release();
  if (Status status = result.map(); !status.ok())
    return fail(status);
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
  std::string name = "/proc/self/fd/" + std::to_string(file);
  while (isTaken(name)) {
    int next = fcntl(file, F_DUPFD_CLOEXEC, file + 1);
    if (next < 0)
      return makeError("must have a descriptor of its own");
    close(file);
    file = next;
    name = "/proc/self/fd/" + std::to_string(file);
  }
  return name;
}

SealedFile::SealedFile(SealedFile &&other) noexcept
    : file(std::exchange(other.file, -1)), view(std::exchange(other.view, {})) {
}

SealedFile &SealedFile::operator=(SealedFile &&other) noexcept {
  std::swap(file, other.file);
  std::swap(view, other.view);
  return *this;
}

SealedFile::~SealedFile() {
  if (!view.empty())
    munmap(const_cast<char *>(view.data()), view.size());
  if (file >= 0)
    close(file);
}
