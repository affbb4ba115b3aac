//===- InputFile.h - a file that is read in parts ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_INPUTFILE_H
#define PREC_RT_COMMON_INPUTFILE_H

#include "Descriptor.h"
#include "Status.h"

#include <cstdint>
#include <string>

namespace prec::rt {

/// Read and not mapped: a mapped file that somebody else cuts off ends the
/// process by a signal. Messages begin with the path.
class InputFile {
public:
  /// Only regular files.
  static Result<InputFile> open(const std::string &path);

  InputFile() = default;

  /// Bytes that it had when it was opened.
  int64_t size() const { return length; }
  /// Fills `target` with the `count` bytes from `offset` on, which lie in the
  /// file as it was opened; fails if it has become shorter.
  Status read(int64_t offset, void *target, int64_t count) const;

private:
  std::string path;
  Descriptor file;
  int64_t length = 0;
};

/// The whole text of a file of at most `limit` bytes.
Result<std::string> readTextFile(const std::string &path, int64_t limit);

} // namespace prec::rt

#endif // PREC_RT_COMMON_INPUTFILE_H
