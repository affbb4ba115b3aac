//===- Cudnn.cpp - cuDNN, opened when used --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens cuDNN for those who build its graphs (Sdpa.cpp, Conv.cpp). It opens
// other libraries by name alone, so these are opened first, from the folders
// that the user names.
//
//===----------------------------------------------------------------------===//

#include "Cudnn.h"

using namespace prec::rt;

// The frontend looks its functions up in this handle, which it wants defined
// by its user. It is set once, to a library that stays open.
namespace cudnn_frontend {
extern void *cudnn_dlhandle;
void *cudnn_dlhandle = nullptr;
} // namespace cudnn_frontend

/// The oldest version that this was run with.
static constexpr size_t requiredCudnn = 91400;

static std::string versionText(size_t version) {
  return std::to_string(version / 10000) + "." +
         std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

template <typename Function>
static Status find(const DynamicLibrary &library, const char *name,
                   Function &function) {
  Result<void *> address = library.find(name);
  if (!address.ok())
    return address.status();
  function = reinterpret_cast<Function>(*address);
  return Status();
}

Cudnn::~Cudnn() {
  if (handle)
    (void)destroy(handle);
}

Status Cudnn::open(const std::string &what,
                   const std::vector<std::string> &searchPaths,
                   CUstream stream) {
  // cuDNN and its frontend open these by soname only: loaded here first, from
  // the search paths, they are found.
  Result<DynamicLibrary> cudart = DynamicLibrary::open(
      "the CUDA 13 runtime, which cuDNN's " + what + " needs,",
      "libcudart.so.13", searchPaths);
  for (const char *soname :
       {"libcublasLt.so.13", "libcublas.so.13", "libnvrtc.so.13"}) {
    Result<DynamicLibrary> helper =
        DynamicLibrary::open(soname, soname, searchPaths);
    if (!helper.ok())
      missing += "; " + helper.status().message();
  }
  Result<DynamicLibrary> cudnn = DynamicLibrary::open(
      "cuDNN " + versionText(requiredCudnn) + " or newer, which the module's " +
          what + " needs,",
      "libcudnn.so.9", searchPaths);
  if (!cudnn.ok())
    return cudnn.status();
  if (!cudart.ok())
    return cudart.status();

  decltype(&::cudnnGetVersion) getVersion = nullptr;
  decltype(&::cudnnCreate) create = nullptr;
  decltype(&::cudnnSetStream) setStream = nullptr;
  decltype(&::cudnnGetErrorString) errorString = nullptr;
  PREC_RT_RETURN_IF_ERROR(find(*cudnn, "cudnnGetVersion", getVersion));
  PREC_RT_RETURN_IF_ERROR(find(*cudnn, "cudnnCreate", create));
  PREC_RT_RETURN_IF_ERROR(find(*cudnn, "cudnnDestroy", destroy));
  PREC_RT_RETURN_IF_ERROR(find(*cudnn, "cudnnSetStream", setStream));
  PREC_RT_RETURN_IF_ERROR(find(*cudnn, "cudnnGetErrorString", errorString));
  size_t found = getVersion();
  if (found < requiredCudnn)
    return Status::deviceError(what + " needs cuDNN " +
                               versionText(requiredCudnn) +
                               " or newer, but got " + versionText(found));
  version = versionText(found);
  cudnn_frontend::cudnn_dlhandle = cudnn->native();

  cudnnStatus_t status = create(&handle);
  if (status == CUDNN_STATUS_SUCCESS)
    status = setStream(handle, stream);
  if (status != CUDNN_STATUS_SUCCESS)
    return Status::deviceError("opening cuDNN " + version +
                               " must succeed, but got " + errorString(status) +
                               missing);
  return Status();
}
