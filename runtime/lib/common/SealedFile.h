//===- SealedFile.h - bytes of a file that stay as they are -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_SEALEDFILE_H
#define PREC_RT_COMMON_SEALEDFILE_H

#include "Descriptor.h"
#include "Status.h"

#include <functional>
#include <string>
#include <string_view>

namespace prec::rt {

/// A copy in memory of what a file held when it was read. Whoever checks it,
/// maps it or loads it as an object sees the same bytes, whatever becomes of
/// the file in the meantime.
class SealedFile {
public:
  /// Reads a regular file once: into a memory file that is sealed against
  /// changes, or where the system has none into a file in /tmp without a name.
  /// Messages begin with the path.
  static Result<SealedFile> read(const std::string &path);
  /// The same of bytes in memory; messages begin with `name`.
  static Result<SealedFile> copy(std::string_view bytes,
                                 const std::string &name);

  SealedFile() = default;
  SealedFile(SealedFile &&other) noexcept;
  SealedFile &operator=(SealedFile &&other) noexcept;
  ~SealedFile();

  std::string_view bytes() const { return view; }
  /// Under which dlopen finds these bytes; no other object is loaded under it.
  Result<std::string> makeLoadName();

private:
  using Source = std::function<Status(int64_t offset, char *, int64_t count)>;
  static Result<SealedFile> fill(const Source &source, int64_t size,
                                 const std::string &path);
  Status map();

  Descriptor file;
  std::string_view view;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_SEALEDFILE_H
