//===- CudaPrimaryContext.cpp - the GPU and the stream of a module --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which GPU a module runs on, and on which stream. The options may name a GPU
// by its number; else it is that of the stream that they give, else that of the
// calling thread's current context, else the one that has the number of the
// rank among those of the computer, else the first one. The primary context of
// that GPU is retained, so that other libraries of the process share its
// memory. The stream is the caller's, which must be of that context, or one
// that is created here.
//
//===----------------------------------------------------------------------===//

#include "CudaPrimaryContext.h"

#include "Communicator.h"

using namespace prec::rt;

/// The number of the GPU of a context, as devices are handles.
static Result<int> indexOf(const CudaDriver &driver, CUcontext context,
                           int count) {
  CudaContextScope scope(driver, context);
  PREC_RT_RETURN_IF_ERROR(scope.status());
  CUdevice device = 0, other = 0;
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuCtxGetDevice(&device), "reading a context's GPU"));
  for (int i = 0; i < count; ++i) {
    PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuDeviceGet(&other, i),
                                         "opening GPU " + std::to_string(i)));
    if (other == device)
      return i;
  }
  return Status::deviceError("a context must be of a GPU of this process, but "
                             "got one of another");
}

/// The ranks of a computer have a GPU each, unless a launcher shows each rank
/// its own GPU alone.
static Result<int> gpuOfRank(const Communicator *ranks, int count) {
  if (!ranks || ranks->size() == 1 || count == 1)
    return 0;
  if (ranks->rankOfHost() < count)
    return ranks->rankOfHost();
  return Status::invalidArgument(
      "a computer must have a GPU for each of its ranks, but got " +
      std::to_string(count) + " GPUs and " +
      std::to_string(ranks->ranksOfHost()) + " ranks");
}

static Result<int> chooseGpu(const CudaDriver &driver,
                             const OpenOptions &options) {
  int count = 0;
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuDeviceGetCount(&count), "counting the GPUs"));
  if (options.device >= count)
    return Status::invalidArgument("a device must be one of " +
                                   std::to_string(count) +
                                   " GPUs, from 0, "
                                   "but got " +
                                   std::to_string(options.device));
  if (options.device != PREC_RT_ANY_DEVICE)
    return options.device;
  CUcontext context = nullptr;
  if (options.stream)
    PREC_RT_RETURN_IF_ERROR(driver.check(
        driver.cuStreamGetCtx(static_cast<CUstream>(options.stream), &context),
        "reading the context of the stream"));
  else
    PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuCtxGetCurrent(&context),
                                         "reading the current context"));
  return context ? indexOf(driver, context, count)
                 : gpuOfRank(options.ranks.get(), count);
}

Result<CudaPrimaryContext>
CudaPrimaryContext::retain(const CudaDriver &driver,
                           const OpenOptions &options) {
  Result<int> index = chooseGpu(driver, options);
  if (!index.ok())
    return index.status();
  CudaPrimaryContext result;
  result.index = *index;
  const std::string gpu = "GPU " + std::to_string(*index);
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuDeviceGet(&result.device, *index), "opening " + gpu));
  char name[256] = "";
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuDeviceGetName(name, sizeof(name), result.device),
                   "reading the GPU's name"));
  result.info.name = name;
  const std::pair<CUdevice_attribute, int &> attributes[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, result.info.major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, result.info.minor},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, result.info.cacheBytes}};
  for (const auto &[attribute, value] : attributes)
    PREC_RT_RETURN_IF_ERROR(driver.check(
        driver.cuDeviceGetAttribute(&value, attribute, result.device),
        "reading the GPU's architecture"));
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuDevicePrimaryCtxRetain(&result.context, result.device),
      "opening " + gpu + " (" + result.info.name + ")"));
  result.release = driver.cuDevicePrimaryCtxRelease;
  return result;
}

/// In the place of destruction, of a stream that is the caller's.
static CUresult leaveStream(CUstream) { return CUDA_SUCCESS; }

Result<CudaStream>
CudaPrimaryContext::openStream(const CudaDriver &driver,
                               const OpenOptions &options) const {
  auto given = static_cast<CUstream>(options.stream);
  if (!given) {
    CUstream created = nullptr;
    PREC_RT_RETURN_IF_ERROR(
        driver.check(driver.cuStreamCreate(&created, CU_STREAM_NON_BLOCKING),
                     "creating a stream"));
    return CudaStream(created, driver.cuStreamDestroy);
  }
  CUcontext owner = nullptr;
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuStreamGetCtx(given, &owner),
                                       "reading the context of the stream"));
  if (owner != context)
    return Status::invalidArgument(
        "a stream must be of the primary context of GPU " +
        std::to_string(index) + ", but got one of another");
  return CudaStream(given, leaveStream);
}
