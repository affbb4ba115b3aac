//===- ElfFile.h - sections of a shared object, unloaded --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_ELFFILE_H
#define PREC_RT_COMMON_ELFFILE_H

#include "Status.h"

#include <map>
#include <string>
#include <string_view>

namespace prec::rt {

/// The sections of a 64-bit little-endian ELF shared object of this machine,
/// read but not loaded. Every header and segment is checked against the file's
/// size, since the dynamic loader maps a truncated file and faults later.
class ElfSections {
public:
  /// `bytes` is the whole file, and outlives the result, which points into it.
  static Result<ElfSections> parse(std::string_view bytes);

  bool has(std::string_view name) const;
  /// Bytes of a section; empty if there is none of this name.
  std::string_view find(std::string_view name) const;

private:
  Status read(std::string_view bytes);

  std::map<std::string, std::string_view, std::less<>> sections;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_ELFFILE_H
