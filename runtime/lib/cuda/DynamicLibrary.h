//===- DynamicLibrary.h - NVIDIA's libraries, opened when used --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime links no CUDA library. Each is opened by its soname, first where
// the dynamic linker looks, then in the given folders.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CUDA_DYNAMICLIBRARY_H
#define PREC_RT_CUDA_DYNAMICLIBRARY_H

#include "Status.h"

#include <string>
#include <vector>

namespace prec::rt {

class DynamicLibrary {
public:
  DynamicLibrary() = default;

  /// Opens `soname`, and says what it is (`title`, "cuBLASLt 13.0 or newer")
  /// when it is not found. In each folder of `searchPaths` the folder itself,
  /// its lib and the lib of its subfolders are tried, in sorted order.
  static Result<DynamicLibrary>
  open(const std::string &title, const std::string &soname,
       const std::vector<std::string> &searchPaths);

  /// Address of a function, or an error that names it.
  Result<void *> find(const char *function) const;

  void *native() const { return handle; }

private:
  std::string soname;
  // Never closed: the libraries keep threads and exit handlers of their own,
  // and opening one again returns the same handle.
  void *handle = nullptr;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_DYNAMICLIBRARY_H
