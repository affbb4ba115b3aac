//===- FakeNccl.cpp - a stand-in for libnccl.so.2 -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves bytes between processes, or threads of one, by files of a folder that
// is the name of the communicator: one for each exchange and each pair of
// ranks, which whoever receives it deletes. Its work runs when that of the
// stand-in for the driver does.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include <nccl.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

/// Whether ranks have no other way than this one; else nobody may ask for it.
#ifndef FAKE_MOVES_BYTES
#define FAKE_MOVES_BYTES true
#endif

namespace fs = std::filesystem;

struct ncclComm {
  fs::path folder;
  int size = 1, rank = 0;
  int64_t exchanges = 0;
  std::atomic<bool> isAborted = false;
};

namespace {
struct Part {
  int peer;
  const char *send;
  char *receive;
  size_t bytes;
};

/// Of the thread: what was asked for since its group began.
struct Group {
  int depth = 0;
  std::shared_ptr<ncclComm> communicator;
  cudaStream_t stream = nullptr;
  std::vector<Part> parts;
};
thread_local Group group;

/// All that live: a graph may outlive what the caller destroyed.
struct Living {
  std::mutex mutex;
  std::vector<std::shared_ptr<ncclComm>> all;
};
Living &living() {
  static Living one;
  return one;
}

std::shared_ptr<ncclComm> find(ncclComm_t communicator) {
  std::lock_guard<std::mutex> lock(living().mutex);
  for (const auto &one : living().all)
    if (one.get() == communicator)
      return one;
  return nullptr;
}

/// A group may have several parts for one rank, which come in their order.
fs::path fileOf(const ncclComm &all, int64_t number, int from, int to,
                int part) {
  return all.folder / (std::to_string(number) + "." + std::to_string(from) +
                       "." + std::to_string(to) + "." + std::to_string(part));
}

void exchange(ncclComm &all, const std::vector<Part> &parts) {
  const int64_t number = all.exchanges++;
  std::map<int, int> sent, received;
  for (const Part &part : parts) {
    if (!part.send)
      continue;
    fs::path path = fileOf(all, number, all.rank, part.peer, sent[part.peer]++);
    fs::path unfinished = path.string() + ".new";
    std::ofstream(unfinished, std::ios::binary)
        .write(part.send, static_cast<std::streamsize>(part.bytes));
    std::error_code ignored; // the folder is gone with its rank 0
    fs::rename(unfinished, path, ignored);
  }
  for (const Part &part : parts) {
    if (!part.receive)
      continue;
    fs::path path =
        fileOf(all, number, part.peer, all.rank, received[part.peer]++);
    while (!fs::exists(path)) {
      if (all.isAborted)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::ifstream(path, std::ios::binary)
        .read(part.receive, static_cast<std::streamsize>(part.bytes));
    fs::remove(path);
  }
}

ncclResult_t launch(const std::shared_ptr<ncclComm> &all,
                    std::vector<Part> parts, cudaStream_t stream) {
  fake::enqueue(
      reinterpret_cast<CUstream>(stream),
      [all, parts = std::move(parts)] { exchange(*all, parts); }, 0.01);
  return all->isAborted ? ncclSystemError : ncclSuccess;
}

bool isDevice(const void *memory, size_t bytes) {
  return fake::isAllocated(reinterpret_cast<CUdeviceptr>(memory), bytes);
}
} // namespace

extern "C" {
ncclResult_t ncclGetVersion(int *version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
const char *ncclGetErrorString(ncclResult_t) { return "fake"; }
const char *ncclGetLastError(ncclComm_t) { return "nothing\nbetter"; }
ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  std::string folder = fs::temp_directory_path() / "prec-nccl.XXXXXX";
  if (!mkdtemp(folder.data()) || folder.size() >= sizeof id->internal)
    return ncclSystemError;
  strcpy(id->internal, folder.c_str());
  return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t *communicator, int size,
                              ncclUniqueId id, int rank) {
  auto made = std::make_shared<ncclComm>();
  made->folder = id.internal;
  made->size = size, made->rank = rank;
  std::lock_guard<std::mutex> lock(living().mutex);
  living().all.push_back(made);
  *communicator = made.get();
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  std::shared_ptr<ncclComm> found = find(communicator);
  if (!found)
    return ncclInvalidArgument;
  found->isAborted = true;
  std::error_code ignored;
  if (found->rank == 0)
    fs::remove_all(found->folder, ignored);
  std::lock_guard<std::mutex> lock(living().mutex);
  std::erase(living().all, found);
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator,
                                   ncclResult_t *error) {
  *error = find(communicator) ? ncclSuccess : ncclInvalidArgument;
  return ncclSuccess;
}
ncclResult_t ncclAllGather(const void *send, void *receive, size_t count,
                           ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
  std::shared_ptr<ncclComm> all = find(communicator);
  if (!FAKE_MOVES_BYTES || !all || type != ncclInt8 || !isDevice(send, count) ||
      !isDevice(receive, count * static_cast<size_t>(all->size)))
    return ncclInvalidArgument;
  std::vector<Part> parts;
  for (int peer = 0; peer < all->size; ++peer)
    parts.push_back(
        {peer, static_cast<const char *>(send),
         static_cast<char *>(receive) + count * static_cast<size_t>(peer),
         count});
  if (group.depth == 0)
    return launch(all, std::move(parts), stream);
  group.communicator = all;
  group.stream = stream;
  group.parts.insert(group.parts.end(), parts.begin(), parts.end());
  return ncclSuccess;
}
static ncclResult_t join(const Part &part, ncclDataType_t type,
                         ncclComm_t communicator, cudaStream_t stream) {
  std::shared_ptr<ncclComm> all = find(communicator);
  const void *memory = part.send ? part.send : part.receive;
  if (!FAKE_MOVES_BYTES || !all || type != ncclInt8 ||
      !isDevice(memory, part.bytes) || group.depth == 0)
    return ncclInvalidArgument;
  group.communicator = all;
  group.stream = stream;
  group.parts.push_back(part);
  return ncclSuccess;
}
ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t communicator, cudaStream_t stream) {
  return join({peer, static_cast<const char *>(send), nullptr, count}, type,
              communicator, stream);
}
ncclResult_t ncclRecv(void *receive, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t communicator, cudaStream_t stream) {
  return join({peer, nullptr, static_cast<char *>(receive), count}, type,
              communicator, stream);
}
ncclResult_t ncclGroupStart() {
  ++group.depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (--group.depth > 0 || group.parts.empty())
    return ncclSuccess;
  Group done = std::move(group);
  group = Group{};
  return launch(done.communicator, std::move(done.parts), done.stream);
}
}
