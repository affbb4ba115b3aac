//===- CudaPeers.cpp - copies into other ranks' GPUs ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of one computer map each other's memory, and each writes what it has
// for another one where that rank wants it. Copy engines do this, so no
// multiprocessor is taken from the kernels that run meanwhile: a product that
// fills the GPU takes up to twice as long where a few are taken.
//
// Whoever writes must know that the place is free, and whoever reads that it is
// written. Each rank has a word for each other one and each of these:
//
//   rank a                                rank b
//   b.ready[a] = 1                        a.ready[b] = 1
//   wait for a.ready[b], make it 0        wait for b.ready[a], make it 0
//   copy blocks to b                      copy blocks to a
//   b.done[a] = 1                         a.done[b] = 1
//   wait for a.done[b], make it 0         wait for b.done[a], make it 0
//
// Writing words, waiting and copying are work of one stream, in this order, and
// parts of the CUDA graph that is recorded from it. Words need no numbers, and
// so a graph can be launched again: b tells a that it is ready for the next
// exchange only after it has seen that a is done with this one, which a says
// after it has made `ready` of this one 0. That holds for exchanges of one
// stream. So those of the branch (CudaBranch.h) have words of their own.
//
// A rank that ends leaves the others waiting. They are freed by whoever finds
// it out, who writes the words that they wait for.
//
// NCCL's collectives by copy engines (2.28) do the same with memory that it has
// allocated itself, meet twice for each tensor rather than for each group of
// them, and cannot be aborted while they wait.
//
//===----------------------------------------------------------------------===//

#include "CudaPeers.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace prec::rt;

/// Words of flags: a one to copy, then those of lanes, flags and ranks.
static constexpr int64_t kLanes = 2, kFlags = 2, kWord = sizeof(uint32_t);

static int64_t wordsOf(int64_t ranks) { return 1 + kLanes * kFlags * ranks; }

Result<std::unique_ptr<CudaPeers>> CudaPeers::open(const CudaDriver &driver,
                                                   Communicator &ranks) {
  std::unique_ptr<CudaPeers> result(new CudaPeers(driver, ranks));
  PREC_RT_RETURN_IF_ERROR(result->prepare());
  return result;
}

Status CudaPeers::prepare() {
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuCtxGetCurrent(&context), "finding the context"));
  CUstream stream = nullptr;
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                   "creating a stream for exchanges"));
  rescue = CudaStream(stream, driver.cuStreamDestroy);
  // Of the driver: what a caller's allocator gives cannot always be mapped.
  CUdeviceptr address = 0;
  const int64_t words = wordsOf(ranks.size());
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuMemAlloc(&address, static_cast<size_t>(words) * kWord),
      "allocating flags of ranks"));
  flags = DeviceMemory(address, driver.cuMemFree);
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuMemsetD32Async(address, 0, static_cast<size_t>(words), stream),
      "clearing flags of ranks"));
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuMemsetD32Async(address, 1, 1, stream),
                   "clearing flags of ranks"));
  return driver.check(driver.cuStreamSynchronize(stream),
                      "clearing flags of ranks");
}

CudaPeers::~CudaPeers() { unmapAllBut({}); }

//===----------------------------------------------------------------------===//
// Mapping
//===----------------------------------------------------------------------===//

CudaPeers::Exported CudaPeers::exported(CUdeviceptr address) const {
  Exported result{};
  CUdeviceptr base = 0;
  size_t bytes = 0;
  // Memory that cannot be mapped, such as that of a pool, is no error.
  if (driver.cuMemGetAddressRange(&base, &bytes, address) != CUDA_SUCCESS ||
      driver.cuPointerGetAttribute(&result.allocation,
                                   CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                   base) != CUDA_SUCCESS ||
      driver.cuIpcGetMemHandle(&result.handle, base) != CUDA_SUCCESS)
    return result;
  result.offset = static_cast<int64_t>(address - base);
  result.isExported = 1;
  return result;
}

void CudaPeers::unmapAllBut(const std::map<std::string, CUdeviceptr> &kept) {
  for (const auto &[key, address] : mapped)
    if (kept.count(key) == 0)
      (void)driver.cuIpcCloseMemHandle(address);
  mapped = kept;
}

bool CudaPeers::mapAll(const std::vector<Exported> &all, size_t regionCount) {
  std::map<std::string, CUdeviceptr> used;
  bool isWhole = true;
  places.assign(static_cast<size_t>(ranks.size()), {});
  for (size_t i = 0; i < all.size() && isWhole; ++i) {
    const size_t rank = i / regionCount;
    if (static_cast<int>(rank) == ranks.rank())
      continue;
    const Exported &region = all[i];
    std::string key =
        std::to_string(rank) + ":" + std::to_string(region.allocation);
    auto [place, isNew] = used.try_emplace(key, 0);
    if (isNew) {
      auto found = mapped.find(key);
      if (found != mapped.end())
        place->second = found->second;
      else if (!region.isExported ||
               driver.cuIpcOpenMemHandle(&place->second, region.handle,
                                         CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) !=
                   CUDA_SUCCESS)
        isWhole = false;
      else
        mapped.insert(*place);
    }
    if (isWhole)
      places[rank].push_back(place->second +
                             static_cast<CUdeviceptr>(region.offset));
    else
      used.erase(place);
  }
  unmapAllBut(used);
  return isWhole;
}

Result<bool> CudaPeers::reach(const std::vector<Region> &given) {
  areReached = false;
  if (ranks.ranksOfHost() != ranks.size()) {
    reason = "ranks are of several computers";
    return false;
  }
  regions = given;
  regions.push_back({flags.get(), wordsOf(ranks.size()) * kWord});
  std::vector<Exported> own(regions.size());
  std::transform(
      regions.begin(), regions.end(), own.begin(),
      [&](const Region &region) { return exported(region.address); });
  const auto count = own.size();
  std::vector<Exported> all(count * static_cast<size_t>(ranks.size()));
  PREC_RT_RETURN_IF_ERROR(ranks.allGather(
      own.data(), all.data(), static_cast<int64_t>(count * sizeof(Exported))));
  const char reaches = mapAll(all, count);
  std::vector<char> answers(static_cast<size_t>(ranks.size()));
  PREC_RT_RETURN_IF_ERROR(ranks.allGather(&reaches, answers.data(), 1));
  areReached = std::all_of(answers.begin(), answers.end(),
                           [](char answer) { return answer != 0; });
  if (areReached)
    return true;
  unmapAllBut({});
  auto hidden = std::find_if(all.begin(), all.end(), [](const Exported &one) {
    return !one.isExported;
  });
  auto blind = std::find(answers.begin(), answers.end(), 0);
  reason = hidden != all.end()
               ? "memory of rank " +
                     std::to_string((hidden - all.begin()) /
                                    static_cast<std::ptrdiff_t>(count)) +
                     " cannot be given to other processes (as expandable "
                     "segments of PyTorch's allocator)"
               : "rank " + std::to_string(blind - answers.begin()) +
                     " cannot map the memory of other GPUs (no peer access, "
                     "or another IPC namespace)";
  return false;
}

Result<CUdeviceptr> CudaPeers::placeOf(CUdeviceptr address, int64_t bytes,
                                       int64_t rank) const {
  for (size_t i = 0; i < regions.size(); ++i) {
    const auto offset = static_cast<int64_t>(address - regions[i].address);
    if (address >= regions[i].address && offset + bytes <= regions[i].bytes)
      return places[static_cast<size_t>(rank)][i] +
             static_cast<CUdeviceptr>(offset);
  }
  return Status::internal("what ranks exchange must be in a segment of the "
                          "module, but got an address outside");
}

//===----------------------------------------------------------------------===//
// Exchanging
//===----------------------------------------------------------------------===//

CUdeviceptr CudaPeers::flagAt(CUdeviceptr base, Lane lane, Flag flag,
                              int64_t rank) const {
  const int64_t word = 1 + (lane * kFlags + flag) * ranks.size() + rank;
  return base + static_cast<CUdeviceptr>(word * kWord);
}

Status CudaPeers::copy(CUdeviceptr to, CUdeviceptr from, int64_t bytes,
                       CUstream stream) {
  return driver.check(
      driver.cuMemcpyDtoDAsync(to, from, static_cast<size_t>(bytes), stream),
      "copying " + std::to_string(bytes) + " bytes between ranks");
}

Status CudaPeers::meet(const std::vector<int64_t> &peers, Lane lane, Flag flag,
                       CUstream stream) {
  // Of an axis with one rank.
  if (peers.empty())
    return {};
  for (int64_t peer : peers)
    PREC_RT_RETURN_IF_ERROR(
        copy(flagAt(places[static_cast<size_t>(peer)].back(), lane, flag,
                    ranks.rank()),
             flags.get(), kWord, stream));
  std::vector<CUstreamBatchMemOpParams> work;
  for (int64_t peer : peers) {
    CUstreamBatchMemOpParams wait{};
    wait.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    wait.waitValue.address = flagAt(flags.get(), lane, flag, peer);
    wait.waitValue.value = 1;
    wait.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    work.push_back(wait);
  }
  for (int64_t peer : peers) {
    CUstreamBatchMemOpParams reset{};
    reset.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    reset.writeValue.address = flagAt(flags.get(), lane, flag, peer);
    work.push_back(reset);
  }
  return driver.check(
      driver.cuStreamBatchMemOp(stream, static_cast<unsigned>(work.size()),
                                work.data(), 0),
      "waiting for ranks");
}

Status CudaPeers::exchange(const std::vector<CudaExchange> &all,
                           CUstream stream, Lane lane) {
  std::set<int64_t> others;
  for (const CudaExchange &one : all)
    for (int64_t place = 0; place < one.group.size; ++place)
      if (place != one.group.own)
        others.insert(one.group.rankAt(place));
  const std::vector<int64_t> peers(others.begin(), others.end());
  PREC_RT_RETURN_IF_ERROR(meet(peers, lane, ready, stream));
  for (const CudaExchange &one : all) {
    const CUdeviceptr target =
        one.out + static_cast<CUdeviceptr>(one.group.own * one.bytes);
    // First to the next rank, so that not all write to one at once; last to
    // this one.
    for (int64_t step = 1; step <= one.group.size; ++step) {
      const int64_t place = (one.group.own + step) % one.group.size;
      const CUdeviceptr from =
          one.in +
          (one.gathers ? 0 : static_cast<CUdeviceptr>(place * one.bytes));
      CUdeviceptr to = target;
      if (place != one.group.own) {
        Result<CUdeviceptr> there =
            placeOf(target, one.bytes, one.group.rankAt(place));
        if (!there.ok())
          return there.status();
        to = *there;
      }
      if (to != from)
        PREC_RT_RETURN_IF_ERROR(copy(to, from, one.bytes, stream));
    }
  }
  return meet(peers, lane, done, stream);
}

Status CudaPeers::release() {
  CudaContextScope scope(driver, context);
  PREC_RT_RETURN_IF_ERROR(scope.status());
  return driver.check(
      driver.cuMemsetD32Async(flags.get() + kWord, 1,
                              static_cast<size_t>(wordsOf(ranks.size()) - 1),
                              rescue.get()),
      "ending exchanges");
}
