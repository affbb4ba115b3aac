//===- ElfFile.h - sections of a shared object, unloaded --------*- C++ -*-===//
#ifndef PREC_RT_COMMON_ELFFILE_H
#define PREC_RT_COMMON_ELFFILE_H

#include "MappedFile.h"

#include <map>

namespace prec::rt {

/// A 64-bit little-endian ELF shared object of this machine, read but not
/// loaded. Opening checks every header and segment against the file's size,
/// since the dynamic loader maps a truncated file and faults later.
class ElfFile {
public:
  static Result<ElfFile> open(const std::string &path);

  bool hasSection(std::string_view name) const;
  /// Bytes of a section; empty if there is none of this name.
  std::string_view section(std::string_view name) const;

private:
  Status parse();

  MappedFile file;
  std::map<std::string, std::string_view, std::less<>> sections;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_ELFFILE_H
