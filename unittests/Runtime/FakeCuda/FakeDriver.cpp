//===- FakeDriver.cpp - a stand-in for libcuda.so.1 -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeDriver.h"

#include "NormalDeviate.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

// Machines on which a module cannot run.
#ifndef FAKE_CUDA_VERSION
#define FAKE_CUDA_VERSION 13000
#endif
#ifndef FAKE_GPU_COUNT
#define FAKE_GPU_COUNT 2
#endif
#ifndef FAKE_COMPUTE_MAJOR
#define FAKE_COMPUTE_MAJOR 9
#endif
/// Whether processes reach each other's memory.
#ifndef FAKE_MAPS_MEMORY
#define FAKE_MAPS_MEMORY true
#endif
#ifndef FAKE_MEMORY
#define FAKE_MEMORY (size_t(256) << 20)
#endif

namespace {
struct Work {
  std::function<void()> function;
  double milliseconds;
};
constexpr size_t totalMemory = FAKE_MEMORY;

/// Its primary context, too.
struct Gpu {
  std::map<CUdeviceptr, size_t> allocations;
  size_t used = 0;
  int contexts = 0; ///< pushed
  int retained = 0;
};

// One process.
struct State {
  Gpu gpus[FAKE_GPU_COUNT > 0 ? FAKE_GPU_COUNT : 1];
  double clock = 0;
  int visible = FAKE_GPU_COUNT;
  FakeCounts counts{};
  std::mutex mutex; ///< of what work of several threads counts
} state;
thread_local std::vector<Gpu *> entered;

/// Memory of another process, at addresses of this one that hold nothing.
struct Mapped {
  size_t bytes;
  pid_t process;
  uintptr_t there;
};
std::map<CUdeviceptr, Mapped> mappings;

/// What a handle says.
struct Handle {
  pid_t process;
  uintptr_t address;
  size_t bytes;
};
static_assert(sizeof(Handle) <= sizeof(CUipcMemHandle));
} // namespace

/// One that has waited for another stream is a branch of it: what is put there
/// is as late as it may be, which is when the other waits for it.
struct CUstream_st {
  Gpu *gpu = nullptr;
  int64_t work = 0;
  bool recording = false;
  std::vector<Work> recorded;
  CUstream_st *line = nullptr;   ///< of a branch
  CUstream_st *branch = nullptr; ///< of a line
  std::deque<Work> late;
  size_t done = 0; ///< of all late work that there was
};
struct CUevent_st {
  double time = -1;
  CUstream_st *stream = nullptr;
  size_t upTo = 0; ///< of the late work of a branch
};
struct CUgraph_st {
  std::vector<Work> work;
};
struct CUgraphExec_st {
  std::vector<Work> work;
};
struct CUmod_st {
  std::string text;
};
struct CUfunc_st {
  std::string name;
  int dynamicShared = 0; ///< granted, in bytes
};

static Gpu *current() { return entered.empty() ? nullptr : entered.back(); }

/// Whose memory it is.
static Gpu *ownerOf(CUdeviceptr address, size_t bytes) {
  for (Gpu &gpu : state.gpus) {
    auto it = gpu.allocations.upper_bound(address);
    if (it == gpu.allocations.begin())
      continue;
    --it;
    if (address + bytes <= it->first + it->second)
      return &gpu;
  }
  return nullptr;
}

/// No GPU reaches into another one.
bool fake::isAllocated(CUdeviceptr address, size_t bytes) {
  Gpu *owner = ownerOf(address, bytes);
  return owner && owner == current();
}

static bool isClearing = false;

bool fake::clearsLast() { return isClearing; }

void fake::enqueue(CUstream stream, std::function<void()> work,
                   double milliseconds) {
  isClearing = false;
  // A real driver says so, where it does.
  if (stream->gpu != current())
    abort();
  if (stream->line) {
    stream->late.push_back({std::move(work), milliseconds});
    return;
  }
  if (stream->recording) {
    stream->recorded.push_back({std::move(work), milliseconds});
    return;
  }
  work();
  std::lock_guard<std::mutex> lock(state.mutex);
  ++stream->work;
  ++state.counts.work;
  state.clock += milliseconds;
}

static void *host(CUdeviceptr address) {
  return reinterpret_cast<void *>(address);
}

/// The memory of another process that an address stands for, or null.
static const std::pair<const CUdeviceptr, Mapped> *
findMapping(CUdeviceptr address, size_t bytes) {
  auto it = mappings.upper_bound(address);
  if (it == mappings.begin())
    return nullptr;
  --it;
  return address + bytes <= it->first + it->second.bytes ? &*it : nullptr;
}

/// One of a process that has ended reaches nobody.
static void writeThere(const Mapped &mapped, size_t offset, CUdeviceptr source,
                       size_t bytes) {
  iovec from{host(source), bytes},
      to{reinterpret_cast<void *>(mapped.there + offset), bytes};
  (void)!process_vm_writev(mapped.process, &from, 1, &to, 1, 0);
}

/// A word that another process or thread writes.
static std::atomic_ref<uint32_t> wordAt(CUdeviceptr address) {
  return std::atomic_ref<uint32_t>(*static_cast<uint32_t *>(host(address)));
}

extern "C" {
CUresult cuDriverGetVersion(int *version) {
  *version = FAKE_CUDA_VERSION;
  return CUDA_SUCCESS;
}
CUresult cuInit(unsigned) {
  return FAKE_GPU_COUNT ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}
CUresult cuGetErrorName(CUresult result, const char **text) {
  *text = result == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE"
                                             : "CUDA_ERROR_FAKE";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "fake";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  *count = state.visible;
  return CUDA_SUCCESS;
}
/// Not the number itself.
CUresult cuDeviceGet(CUdevice *device, int index) {
  if (index < 0 || index >= FAKE_GPU_COUNT)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 40 + index;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *text, int length, CUdevice) {
  strncpy(text, "Fake GPU", static_cast<size_t>(length));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
               ? FAKE_COMPUTE_MAJOR
           : attribute == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE ? 4096
                                                            : 0;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  Gpu &gpu = state.gpus[device - 40];
  *context = reinterpret_cast<CUcontext>(&gpu);
  ++gpu.retained;
  return CUDA_SUCCESS;
}
/// What a real driver does not tell: the last one must leave nothing behind.
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  Gpu &gpu = state.gpus[device - 40];
  if (--gpu.retained == 0 && (!gpu.allocations.empty() || gpu.contexts != 0))
    abort();
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  entered.push_back(reinterpret_cast<Gpu *>(context));
  ++current()->contexts;
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext *) {
  --current()->contexts;
  entered.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = reinterpret_cast<CUcontext>(current());
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  if (!current())
    return CUDA_ERROR_INVALID_CONTEXT;
  *device = 40 + static_cast<int>(current() - state.gpus);
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  Gpu *owner = ownerOf(address, 1);
  if (!owner)
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID) {
    *static_cast<unsigned long long *>(data) = address;
    return CUDA_SUCCESS;
  }
  *static_cast<int *>(data) = static_cast<int>(owner - state.gpus);
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo(size_t *free, size_t *total) {
  if (!current())
    return CUDA_ERROR_INVALID_CONTEXT;
  *free = totalMemory - current()->used;
  *total = totalMemory;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (!current())
    return CUDA_ERROR_INVALID_CONTEXT;
  Gpu &gpu = *current();
  if (bytes > totalMemory - gpu.used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  memset(memory, 0x7b, bytes);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  gpu.allocations[*address] = bytes;
  gpu.used += bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  if (!current())
    abort();
  Gpu &gpu = *current();
  auto it = gpu.allocations.find(address);
  if (it == gpu.allocations.end())
    abort();
  gpu.used -= it->second;
  gpu.allocations.erase(it);
  free(host(address));
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t bytes,
                         CUstream stream) {
  if (!fake::isAllocated(address, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  fake::enqueue(stream, [=] { memset(host(address), value, bytes); }, 0.001);
  isClearing = true;
  return CUDA_SUCCESS;
}
CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count,
                          CUstream stream) {
  if (!fake::isAllocated(address, count * sizeof value))
    return CUDA_ERROR_INVALID_VALUE;
  fake::enqueue(
      stream,
      [=] {
        for (size_t i = 0; i < count; ++i)
          wordAt(address + i * sizeof value) = value;
      },
      0.001);
  return CUDA_SUCCESS;
}
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes,
                              CUdeviceptr address) {
  Gpu *owner = ownerOf(address, 1);
  if (!owner)
    return CUDA_ERROR_NOT_FOUND;
  auto found = std::prev(owner->allocations.upper_bound(address));
  *base = found->first;
  *bytes = found->second;
  return CUDA_SUCCESS;
}
CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
  if (!FAKE_MAPS_MEMORY)
    return CUDA_ERROR_NOT_SUPPORTED;
  Gpu *owner = ownerOf(address, 1);
  if (!owner || owner->allocations.count(address) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  // Where the kernel asks for a word of permission.
  (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  Handle own{getpid(), address, owner->allocations[address]};
  memcpy(handle, &own, sizeof own);
  return CUDA_SUCCESS;
}
CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle,
                            unsigned) {
  Handle other;
  memcpy(&other, &handle, sizeof other);
  if (other.process == getpid())
    return CUDA_ERROR_INVALID_CONTEXT;
  void *place = mmap(nullptr, other.bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(place);
  mappings[*address] = {other.bytes, other.process, other.address};
  return CUDA_SUCCESS;
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  auto found = mappings.find(address);
  if (found == mappings.end())
    abort();
  munmap(host(address), found->second.bytes);
  mappings.erase(found);
  return CUDA_SUCCESS;
}
CUresult cuStreamBatchMemOp(CUstream stream, unsigned count,
                            CUstreamBatchMemOpParams *work, unsigned) {
  for (const CUstreamBatchMemOpParams &one : std::span(work, count)) {
    const CUdeviceptr address = one.waitValue.address;
    const cuuint32_t value = one.waitValue.value;
    if (!fake::isAllocated(address, sizeof value))
      return CUDA_ERROR_INVALID_VALUE;
    const bool waits = one.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32;
    fake::enqueue(
        stream,
        [=] {
          while (waits && wordAt(address) != value)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
          if (!waits)
            wordAt(address) = value;
        },
        0.001);
  }
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void *source, size_t bytes,
                           CUstream stream) {
  if (!fake::isAllocated(target, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  fake::enqueue(stream, [=] { memcpy(host(target), source, bytes); }, 0.001);
  state.counts.hostBytes += static_cast<int64_t>(bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void *target, CUdeviceptr source, size_t bytes,
                           CUstream stream) {
  if (!fake::isAllocated(source, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  fake::enqueue(stream, [=] { memcpy(target, host(source), bytes); }, 0.001);
  state.counts.hostBytes += static_cast<int64_t>(bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes,
                           CUstream stream) {
  if (!fake::isAllocated(source, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (const auto *found = findMapping(target, bytes)) {
    fake::enqueue(
        stream,
        [=, mapped = found->second, offset = target - found->first] {
          writeThere(mapped, offset, source, bytes);
        },
        0.01);
    return CUDA_SUCCESS;
  }
  if (!fake::isAllocated(target, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  fake::enqueue(
      stream, [=] { memcpy(host(target), host(source), bytes); }, 0.001);
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *, void **values) {
  std::string text = static_cast<const char *>(image);
  if (text.find(".visible .entry") == std::string::npos) {
    if (count > 0)
      strcpy(static_cast<char *>(values[0]), "fake compiler: no entry");
    return CUDA_ERROR_INVALID_PTX;
  }
  *module = new CUmod_st{text};
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  delete module;
  return CUDA_SUCCESS;
}
/// Bytes of an image's one static array in shared memory, if it has one.
static int staticShared(const std::string &image) {
  const std::string declaration = "\n.shared .align 4 .b8 own[";
  size_t found = image.find(declaration);
  return found == std::string::npos
             ? 0
             : static_cast<int>(std::strtol(
                   image.c_str() + found + declaration.size(), nullptr, 10));
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  if (module->text.find(std::string(".entry ") + name) == std::string::npos)
    return CUDA_ERROR_NOT_FOUND;
  static std::map<std::string, CUfunc_st> functions;
  functions[name] = {name, 48 * 1024 - staticShared(module->text)};
  *function = &functions[name];
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute,
                            int value) {
  if (value > 227 * 1024)
    return CUDA_ERROR_INVALID_VALUE;
  function->dynamicShared = value;
  return CUDA_SUCCESS;
}
CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *extents, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  if (rank != 4 || reinterpret_cast<uintptr_t>(address) % 16)
    return CUDA_ERROR_INVALID_VALUE;
  // What a fake kernel reads: the type, the address, extents, strides, the box.
  std::fill_n(map->opaque, CU_TENSOR_MAP_NUM_QWORDS, 0);
  map->opaque[0] = static_cast<cuuint64_t>(type);
  map->opaque[1] = reinterpret_cast<uintptr_t>(address);
  std::copy_n(extents, 4, map->opaque + 2);
  std::copy_n(strides, 3, map->opaque + 6);
  std::copy_n(box, 4, map->opaque + 9);
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned shared, CUstream stream,
                        void **arguments, void **) {
  if (gridX * gridY * gridZ == 0 || blockX * blockY * blockZ == 0 ||
      static_cast<int>(shared) > function->dynamicShared)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t threads = uint64_t(gridX) * gridY * gridZ * blockX;
  auto pointer = [&](int i) {
    return reinterpret_cast<float *>(*static_cast<CUdeviceptr *>(arguments[i]));
  };
  auto integer = [&](int i) { return *static_cast<uint64_t *>(arguments[i]); };
  auto number = [&](int i) { return *static_cast<float *>(arguments[i]); };
  if (function->name == "prec_fill_normal") {
    float *target = pointer(0), mean = number(8), stddev = number(9);
    uint64_t count = integer(1), length = integer(2), run = integer(3),
             begin = integer(4), stride = integer(5), first = integer(6),
             seed = integer(7);
    fake::enqueue(
        stream,
        [=] {
          for (uint64_t i = 0; i < threads && i < count; ++i)
            target[i / length * run + begin + i % length] =
                prec::rt::normalDeviate(
                    seed, i / length * stride + first + i % length, mean,
                    stddev);
        },
        0.01);
    return CUDA_SUCCESS;
  }
  if (function->name == "prec_test_maps") {
    // Four tensor maps and six pointers, of which the fourth is written: what
    // it was given, after what is there of the launches before it.
    std::vector<cuuint64_t> given;
    for (int i = 0; i < 4; ++i) {
      auto *map = static_cast<CUtensorMap *>(arguments[i]);
      given.insert(given.end(), map->opaque, map->opaque + 13);
    }
    for (int i = 4; i < 10; ++i)
      given.push_back(integer(i));
    auto *target = reinterpret_cast<cuuint64_t *>(pointer(7));
    fake::enqueue(
        stream,
        [=] {
          cuuint64_t launches = target[0]++;
          std::copy(given.begin(), given.end(),
                    target + 1 + launches * given.size());
        },
        0.01);
    return CUDA_SUCCESS;
  }
  float *x = pointer(0), *y = pointer(1); // prec_test_add
  fake::enqueue(
      stream,
      [=] {
        for (uint64_t i = 0; i < threads; ++i)
          y[i] = std::fma(x[i], 2.0f, y[i]);
      },
      0.01);
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *stream, unsigned) {
  if (!current())
    return CUDA_ERROR_INVALID_CONTEXT;
  *stream = new CUstream_st();
  (*stream)->gpu = current();
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  *context = reinterpret_cast<CUcontext>(stream->gpu);
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream stream) {
  if (stream->line)
    stream->line->branch = nullptr;
  if (stream->branch)
    stream->branch->line = nullptr;
  delete stream;
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  return stream->recording ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                           : CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  CUstream_st *other = event->stream;
  if (!other)
    return CUDA_ERROR_INVALID_VALUE;
  if (other->line != stream) {
    stream->line = other;
    other->branch = stream;
    return CUDA_SUCCESS;
  }
  for (; other->done < event->upTo; ++other->done) {
    Work work = std::move(other->late.front());
    other->late.pop_front();
    fake::enqueue(stream, std::move(work.function), work.milliseconds);
  }
  return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  stream->recording = true;
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  stream->recording = false;
  if (stream->branch && !stream->branch->late.empty())
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  *graph = new CUgraph_st{std::move(stream->recorded)};
  stream->recorded.clear();
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent *event, unsigned) {
  *event = new CUevent_st();
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  event->time = state.clock;
  event->stream = stream;
  event->upTo = stream->done + stream->late.size();
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  *milliseconds = static_cast<float>(to->time - from->time);
  return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph,
                            unsigned long long) {
  *exec = new CUgraphExec_st{graph->work};
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  delete exec;
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  for (const Work &work : exec->work)
    fake::enqueue(stream, work.function, work.milliseconds);
  return CUDA_SUCCESS;
}
void fakeCudaCounts(FakeCounts *counts) { *counts = state.counts; }
int64_t fakeCudaWorkOf(CUstream stream) { return stream->work; }
void fakeCudaShow(int gpus) { state.visible = gpus; }
int64_t fakeCudaAllocations(int index) {
  return static_cast<int64_t>(state.gpus[index].allocations.size());
}
}
