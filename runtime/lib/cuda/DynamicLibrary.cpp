//===- DynamicLibrary.cpp - NVIDIA's libraries, opened when used ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DynamicLibrary.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>

using namespace prec::rt;
namespace fs = std::filesystem;

namespace {

struct Package {
  const char *soname, *name;
};

} // namespace

/// Packages of Python that hold a library.
static constexpr Package kPackages[] = {
    {"libcublasLt.so.13", "nvidia-cublas"},
    {"libcublas.so.13", "nvidia-cublas"},
    {"libcudart.so.13", "nvidia-cuda-runtime"},
    {"libcudnn.so.9", "nvidia-cudnn-cu13"},
    {"libnccl.so.2", "nvidia-nccl-cu13"},
    {"libnvrtc.so.13", "nvidia-cuda-nvrtc"}};

/// Places in which `folder` may hold the library, best first.
static std::vector<fs::path> candidates(const fs::path &folder,
                                        const std::string &soname) {
  std::vector<fs::path> found = {folder / soname, folder / "lib" / soname};
  std::vector<fs::path> nested;
  std::error_code ignored; // a folder that cannot be read holds no library
  for (fs::directory_iterator it(folder, ignored), end; it != end;
       it.increment(ignored))
    nested.push_back(it->path() / "lib" / soname);
  std::sort(nested.begin(), nested.end());
  found.insert(found.end(), nested.begin(), nested.end());
  return found;
}

Result<DynamicLibrary>
DynamicLibrary::open(const std::string &title, const std::string &soname,
                     const std::vector<std::string> &searchPaths) {
  DynamicLibrary library;
  library.soname = soname;
  // Global, since cuDNN's parts find cuBLASLt and NVRTC as loaded symbols.
  const int flags = RTLD_NOW | RTLD_GLOBAL;
  library.handle = dlopen(soname.c_str(), flags);
  if (library.handle)
    return library;
  const char *reason = dlerror();
  std::string firstError = reason ? reason : "no reason given";
  for (const std::string &folder : searchPaths) {
    for (const fs::path &path : candidates(folder, soname)) {
      std::error_code ignored; // not there: the next candidate
      if (!fs::exists(path, ignored))
        continue;
      library.handle = dlopen(path.c_str(), flags);
      if (library.handle)
        return library;
      reason = dlerror();
      return Status::deviceError(title + " must be loadable, but got " +
                                 (reason ? reason : path.string()));
    }
  }
  std::string message = title + " must be installed, but got " + firstError;
  for (const Package &package : kPackages)
    if (soname == package.soname)
      message += std::string(" (pip install ") + package.name + " has it)";
  if (!searchPaths.empty()) {
    message += "; searched also";
    for (const std::string &folder : searchPaths)
      message += " " + folder;
  }
  return Status::deviceError(std::move(message));
}

Result<void *> DynamicLibrary::find(const char *function) const {
  if (void *address = dlsym(handle, function))
    return address;
  return Status::deviceError(soname + " must have the function " + function +
                             ", but got a version without it");
}
