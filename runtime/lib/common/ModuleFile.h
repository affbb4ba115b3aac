//===- ModuleFile.h - an opened step module ---------------------*- C++ -*-===//
#ifndef PREC_RT_COMMON_MODULEFILE_H
#define PREC_RT_COMMON_MODULEFILE_H

#include "Device.h"
#include "ElfFile.h"

namespace prec::rt {

/// The file, its manifest and its loaded code. Heap-allocated, since devices
/// keep the address of `image()`.
class ModuleFile {
public:
  /// Reads and checks the manifest first, and only then loads the object.
  static Result<std::unique_ptr<ModuleFile>> open(const std::string &path);

  /// Folders for ModuleImage::librarySearchPaths; before createDevice.
  void setLibrarySearchPaths(std::vector<std::string> folders) {
    contents.librarySearchPaths = std::move(folders);
  }

  ModuleFile(const ModuleFile &) = delete;
  ModuleFile &operator=(const ModuleFile &) = delete;
  ~ModuleFile();

  const Manifest &manifest() const { return parsed; }
  std::string_view manifestText() const;
  const ModuleImage &image() const { return contents; }

  /// The device that the module's target names, not yet prepared.
  Result<std::unique_ptr<Device>> createDevice() const;

private:
  ModuleFile(ElfFile elf, Manifest manifest)
      : elf(std::move(elf)), parsed(std::move(manifest)) {}
  Status load(const std::string &path);

  ElfFile elf;
  Manifest parsed;
  ModuleImage contents;
  void *handle = nullptr;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_MODULEFILE_H
