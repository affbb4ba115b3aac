//===- SafetensorsWriter.cpp - writes safetensors files -------------------===//

#include "Safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace prec::rt;

namespace {

class OutputFile {
public:
  explicit OutputFile(const std::string &path)
      : file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    0644)) {}
  ~OutputFile() {
    if (file >= 0)
      ::close(file);
  }
  bool ok() const { return file >= 0; }
  bool write(const char *bytes, int64_t count) {
    while (count > 0) {
      ssize_t done = ::write(file, bytes, count);
      if (done < 0 && errno == EINTR)
        continue;
      if (done <= 0)
        return false;
      bytes += done;
      count -= done;
    }
    return true;
  }
  /// Some file systems report a full disk only now.
  bool finish() {
    bool good = fsync(file) == 0;
    good &= ::close(file) == 0;
    file = -1;
    return good;
  }

private:
  int file;
};

} // namespace

static std::string parentOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

static std::string makeHeader(const std::vector<SafetensorsOutput> &tensors,
                              const std::map<std::string, std::string> &extra) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!extra.empty())
    header["__metadata__"] = extra;
  int64_t offset = 0;
  for (const SafetensorsOutput &tensor : tensors) {
    int64_t bytes = byteSize(tensor.dtype);
    for (int64_t dim : tensor.shape)
      bytes *= dim;
    header[tensor.name] = {{"dtype", safetensorsName(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text =
      header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

Result<SafetensorsWriter>
SafetensorsWriter::write(const std::string &path,
                         std::vector<SafetensorsOutput> tensors,
                         const std::map<std::string, std::string> &metadata) {
  // Wide dtypes first keeps every tensor aligned, as the reference writer does.
  std::sort(tensors.begin(), tensors.end(), [](const auto &a, const auto &b) {
    return std::make_pair(-byteSize(a.dtype), std::string_view(a.name)) <
           std::make_pair(-byteSize(b.dtype), std::string_view(b.name));
  });
  std::string temporary = path + ".writing." + std::to_string(getpid());
  auto fail = [&](const char *rule) {
    int code = errno;
    return Status::error(path + ": " + rule + ", but got: " + strerror(code));
  };
  // A rename would take the place of a device or a pipe.
  struct stat existing;
  if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode))
    return Status::error(path + ": must be a regular file, but is none");
  unlink(temporary.c_str());
  OutputFile file(temporary);
  if (!file.ok())
    return fail("must be writable");
  SafetensorsWriter writer(path, temporary);
  std::string header = makeHeader(tensors, metadata);
  char size[8];
  for (int i = 0; i < 8; ++i)
    size[i] = static_cast<char>(header.size() >> (8 * i));
  if (!file.write(size, 8) || !file.write(header.data(), header.size()))
    return fail("must be written in full");
  constexpr int64_t chunkSize = 16 << 20;
  std::vector<char> chunk;
  for (const SafetensorsOutput &tensor : tensors) {
    int64_t bytes = byteSize(tensor.dtype);
    for (int64_t dim : tensor.shape)
      bytes *= dim;
    for (int64_t offset = 0; offset < bytes; offset += chunkSize) {
      chunk.resize(std::min(chunkSize, bytes - offset));
      PREC_RT_RETURN_IF_ERROR(tensor.read(chunk.data(), chunk.size(), offset));
      if (!file.write(chunk.data(), chunk.size()))
        return fail("must be written in full");
    }
  }
  if (!file.finish())
    return fail("must be written in full");
  return writer;
}

SafetensorsWriter::SafetensorsWriter(SafetensorsWriter &&other) noexcept
    : path(std::move(other.path)),
      temporary(std::exchange(other.temporary, {})) {}

SafetensorsWriter::~SafetensorsWriter() {
  if (!temporary.empty())
    unlink(temporary.c_str());
}

Status SafetensorsWriter::commit() {
  if (rename(temporary.c_str(), path.c_str()) != 0)
    return Status::error(path +
                         ": must be replaceable, but got: " + strerror(errno));
  temporary.clear();
  // The new name must outlive a power cut as well.
  int folder = ::open(parentOf(path).c_str(), O_RDONLY | O_DIRECTORY);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
  return {};
}
