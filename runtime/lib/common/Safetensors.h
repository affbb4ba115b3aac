//===- Safetensors.h - reads and writes safetensors files -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader trusts nothing: every rule of the format is checked before a byte
// of data is handed out, and all that is wrong with the tensors is reported,
// one line each.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_SAFETENSORS_H
#define PREC_RT_COMMON_SAFETENSORS_H

#include "AtomicFile.h"
#include "Manifest.h"
#include "InputFile.h"
#include "Slice.h"

#include <functional>
#include <memory>

namespace prec::rt {

/// Bytes; that of the format's own reader.
constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;

struct SafetensorsEntry {
  std::string name;
  std::string dtypeName;      ///< as in the file: "BF16"
  std::optional<DType> dtype; ///< none if the runtime has no such dtype
  std::vector<int64_t> shape;
  std::string_view data;
};

class Communicator;

class SafetensorsFile {
public:
  static Result<SafetensorsFile> open(const std::string &path);

  const std::vector<SafetensorsEntry> &entries() const { return tensors; }
  const std::map<std::string, std::string> &metadata() const { return extra; }

private:
  Status parse(const InputFile &file);

  std::unique_ptr<char[]> memory; ///< all tensors' data
  std::vector<SafetensorsEntry> tensors;
  std::map<std::string, std::string> extra;
};

struct SafetensorsOutput {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape; ///< of the whole tensor
  /// Delivers `bytes` bytes at `offset` of what this process has of the tensor.
  std::function<Status(void *target, int64_t bytes, int64_t offset)> read;
  /// What that is; none where it is all of it.
  std::optional<Slice> slice{};

  int64_t bytes() const;
  /// Of what this process has.
  int64_t ownBytes() const;
};

/// All but the last step: what is returned waits for its `commit`. With `ranks`
/// all of them write one file, with the same tensors: rank 0 creates it and
/// writes what all have, each writes its slices. It succeeds on all or on none,
/// and only rank 0's commit does something.
Result<AtomicFile>
writeSafetensors(const std::string &path,
                 std::vector<SafetensorsOutput> tensors,
                 const std::map<std::string, std::string> &metadata,
                 Communicator *ranks = nullptr);

std::string_view safetensorsName(DType dtype);

} // namespace prec::rt

#endif // PREC_RT_COMMON_SAFETENSORS_H
