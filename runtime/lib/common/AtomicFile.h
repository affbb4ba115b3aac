//===- AtomicFile.h - files that are there in full or not -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_ATOMICFILE_H
#define PREC_RT_COMMON_ATOMICFILE_H

#include "Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace prec::rt {

/// Written beside its target (`path`.writing.PID-N, a name of its own even
/// among threads and containers), synced, and then renamed: a process that is
/// killed and a full disk leave what was there before. Nothing remains without
/// `commit`. Messages begin with the path.
class AtomicFile {
public:
  /// Fails where the target is no regular file: a rename would take the place
  /// of a device or a pipe.
  static Result<AtomicFile> create(const std::string &path);

  /// Of a process that writes a part of the file that another one has created,
  /// whose temporary name is given: it neither removes nor commits it.
  static Result<AtomicFile> join(const std::string &path,
                                 const std::string &temporary);

  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  Status write(const char *bytes, int64_t count);
  /// At so many bytes from the start, wherever `write` is.
  Status writeAt(int64_t offset, const char *bytes, int64_t count);
  /// Waits until all is on the disk: some file systems report a full one only
  /// now.
  Status finish();
  /// Puts the file in its place, after `finish`.
  Status commit();
  /// The name that it has until then.
  const std::string &temporaryPath() const { return temporary; }

private:
  AtomicFile(std::string path, std::string temporary, int file)
      : path(std::move(path)), temporary(std::move(temporary)), file(file) {}
  Status fail(const char *rule) const;

  std::string path, temporary;
  int file = -1;
  bool isOwn = true; ///< to be removed or committed
};

/// An AtomicFile of these bytes.
Status writeAtomically(const std::string &path, std::string_view bytes);

} // namespace prec::rt

#endif // PREC_RT_COMMON_ATOMICFILE_H
