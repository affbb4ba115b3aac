//===- MappedFile.cpp - a file as read-only memory ------------------------===//

#include "MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace prec::rt;

Result<MappedFile> MappedFile::open(const std::string &path) {
  auto fail = [&](const std::string &message) {
    return Status::error(path + ": " + message);
  };
  // Non-blocking, or a fifo of this name would hold us forever.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return fail(std::string("must be readable, but got: ") + strerror(errno));
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(file);
    return fail("must be a regular file, but is not");
  }
  MappedFile result;
  if (info.st_size > 0) {
    void *start = mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (start == MAP_FAILED) {
      int code = errno;
      close(file);
      return fail(std::string("must be mappable, but got: ") + strerror(code));
    }
    result.view = std::string_view(static_cast<char *>(start), info.st_size);
  }
  close(file);
  return result;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : view(std::exchange(other.view, {})) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(view, other.view);
  return *this;
}

MappedFile::~MappedFile() {
  if (!view.empty())
    munmap(const_cast<char *>(view.data()), view.size());
}
