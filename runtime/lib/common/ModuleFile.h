//===- ModuleFile.h - an opened step module ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_MODULEFILE_H
#define PREC_RT_COMMON_MODULEFILE_H

#include "Device.h"
#include "ElfFile.h"
#include "SealedFile.h"
#include "Sha256.h"

namespace prec::rt {

/// The file, its manifest and, once it is loaded, its code. Heap-allocated,
/// since devices keep the address of `image()`.
class ModuleFile {
public:
  /// Reads the file once and checks its hash, then manifest and sections. Runs
  /// nothing of what is in it.
  static Result<std::unique_ptr<ModuleFile>> read(const std::string &path);
  /// The same of a copy of `bytes`, which errors call `name`.
  static Result<std::unique_ptr<ModuleFile>> copy(std::string_view bytes,
                                                  const std::string &name);

  /// Loads the code of the bytes that were read, unless it is loaded. From here
  /// on the module is a program that runs with the rights of this process.
  Status load();

  /// For the devices that are created from here on.
  void setOptions(OpenOptions options) {
    contents.options = std::move(options);
  }

  ModuleFile(const ModuleFile &) = delete;
  ModuleFile &operator=(const ModuleFile &) = delete;
  ~ModuleFile();

  const std::string &path() const { return contents.path; }
  const Manifest &manifest() const { return parsed; }
  std::string_view manifestText() const;
  const ModuleImage &image() const { return contents; }
  const Sha256::Digest &hash() const { return digest; }
  int64_t fileSize() const { return file.bytes().size(); }

  /// The device that the module's target names, not yet prepared; after `load`.
  Result<std::unique_ptr<Device>> createDevice() const;

private:
  explicit ModuleFile(SealedFile file) : file(std::move(file)) {}
  static Result<std::unique_ptr<ModuleFile>>
  make(Result<SealedFile> file, const std::string &name, bool isFile);
  Status parse();
  Status checkHash();
  Status loadCode();

  SealedFile file;
  ElfSections sections;
  Sha256::Digest digest{};
  Manifest parsed;
  ModuleImage contents;
  void *handle = nullptr;
};

/// In hexadecimal digits.
std::string formatHash(const Sha256::Digest &digest);

} // namespace prec::rt

#endif // PREC_RT_COMMON_MODULEFILE_H
