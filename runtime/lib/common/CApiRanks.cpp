//===- CApiRanks.cpp - ranks of prec-rt.h --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CApi.h"

#include "Launcher.h"
#include "Slice.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace prec::rt;

prec_rt_error *prec_rt_find_launch(const char *rendezvous,
                                   prec_rt_launch *launch) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven({{launch, "a place for the launch"}}));
    PREC_RT_RETURN_IF_ERROR(checkSize(launch->size, "a launch"));
    Result<Launch> found = findLaunch(rendezvous ? rendezvous : "");
    if (!found.ok())
      return found.status();
    prec_rt_launch result{};
    result.rank = found->rank;
    result.world_size = found->size;
    result.local_rank = found->localRank;
    if (found->address.size() >= sizeof result.address)
      return Status::invalidArgument(
          "the address of rank 0 must have less than " +
          std::to_string(sizeof result.address) + " bytes, but got " +
          std::to_string(found->address.size()));
    found->launcher.copy(result.launcher, sizeof result.launcher - 1);
    found->address.copy(result.address, sizeof result.address - 1);
    writeSized(result, *launch);
    return {};
  });
}

prec_rt_error *prec_rt_connect(const prec_rt_connect_options *given,
                               prec_rt_communicator **communicator) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven(
        {{given, "options"}, {communicator, "a place for the communicator"}}));
    prec_rt_connect_options options{};
    PREC_RT_RETURN_IF_ERROR(readSized(*given, options, "options"));
    RankOptions ranks;
    ranks.rank = options.rank;
    ranks.size = options.world_size;
    ranks.address = options.address ? options.address : "";
    constexpr double mostSeconds = 1e6;
    if (std::isnan(options.timeout_s) || options.timeout_s < 0 ||
        options.timeout_s > mostSeconds)
      return Status::invalidArgument("timeout_s must be in [0, 1e6], but got " +
                                     std::to_string(options.timeout_s));
    if (options.timeout_s > 0)
      ranks.timeout = std::chrono::milliseconds(
          static_cast<int64_t>(std::ceil(options.timeout_s * 1e3)));
    Result<std::shared_ptr<Communicator>> connected = connectRanks(ranks);
    if (!connected.ok())
      return connected.status();
    std::shared_ptr<Communicator> ofCaller = (*connected)->apart();
    *communicator =
        new prec_rt_communicator{std::move(*connected), std::move(ofCaller)};
    return {};
  });
}

prec_rt_error *prec_rt_all_gather(prec_rt_communicator *communicator,
                                  const void *in, void *out, size_t bytes) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven({{communicator, "a communicator"}}));
    if (bytes != 0)
      PREC_RT_RETURN_IF_ERROR(
          checkGiven({{in, "bytes to send"}, {out, "a place for bytes"}}));
    const auto ranks = static_cast<size_t>(communicator->ofCaller->size());
    if (bytes > std::numeric_limits<int64_t>::max() / ranks)
      return Status::invalidArgument(
          "bytes of all ranks must be fewer than 2^63, but got " +
          std::to_string(bytes) + " of each");
    return communicator->ofCaller->allGather(in, out,
                                             static_cast<int64_t>(bytes));
  });
}

void prec_rt_disconnect(prec_rt_communicator *communicator,
                        const char *reason) {
  if (communicator)
    communicator->ranks->leave(reason ? reason : "");
  delete communicator;
}

static Status checkRankOf(const prec_rt_module *module, int32_t rank) {
  const int64_t ranks = module->session->manifest().numRanks();
  if (rank >= 0 && rank < ranks)
    return {};
  return Status::invalidArgument("rank must be in [0, " +
                                 std::to_string(ranks) + "), but got " +
                                 std::to_string(rank)); // slice_c1
}

/// The first rank that has the same number as `rank` among those that
/// `numberOf` counts.
static int32_t findFirst(int32_t rank,
                         const std::function<int64_t(int32_t)> &numberOf) {
  int32_t first = 0;
  while (numberOf(first) != numberOf(rank))
    ++first;
  return first;
}

prec_rt_error *prec_rt_find_slice(const prec_rt_module *module, size_t index,
                                  int32_t rank, int32_t *first) {
  return guarded(
      module, {{first, "a place for the rank"}},
      [&]() -> Status {
        PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
        PREC_RT_RETURN_IF_ERROR(checkRankOf(module, rank));
        const Manifest &manifest = module->session->manifest();
        const auto &shard = manifest.bindings[index].shard;
        *first = findFirst(rank, [&](int32_t of) {
          return shard ? manifest.groupOf(shard->axis, of).own : 0;
        });
        return {};
      },
      WithinStep::yes);
}

prec_rt_error *prec_rt_find_batch(const prec_rt_module *module, int32_t rank,
                                  int32_t *first) {
  return guarded(
      module, {{first, "a place for the rank"}},
      [&]() -> Status {
        PREC_RT_RETURN_IF_ERROR(checkRankOf(module, rank));
        const Manifest &manifest = module->session->manifest();
        *first = findFirst(
            rank, [&](int32_t of) { return manifest.dataGroup(of).own; });
        return {};
      },
      WithinStep::yes);
}

prec_rt_error *prec_rt_place_slice(const prec_rt_module *module, size_t index,
                                   int32_t rank, const void *slice,
                                   size_t slice_bytes, void *whole,
                                   size_t whole_bytes) {
  return guarded(
      module, {},
      [&]() -> Status {
        PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
        PREC_RT_RETURN_IF_ERROR(checkRankOf(module, rank));
        const Manifest &manifest = module->session->manifest();
        const Binding &binding = manifest.bindings[index];
        const Buffer &buffer = module->session->bufferOf(binding);
        const Slice place = sliceOf(manifest, binding, rank);
        const int64_t size = byteSize(buffer.dtype);
        const int64_t elements = countElements(manifest.wholeShape(binding));
        const auto own = static_cast<size_t>(place.elements() * size),
                   all = static_cast<size_t>(elements * size);
        if (slice_bytes != own || whole_bytes != all)
          return Status::invalidArgument(
              "a slice and its tensor must have " + std::to_string(own) +
              " and " + std::to_string(all) + " bytes, but got " +
              std::to_string(slice_bytes) + " and " +
              std::to_string(whole_bytes)); // slice_c2
        if (own == 0)
          return {};
        PREC_RT_RETURN_IF_ERROR(checkGiven(
            {{slice, "a slice"}, {whole, "a place for the tensor"}}));
        placeSlice(place, static_cast<const char *>(slice), size,
                   static_cast<char *>(whole));
        return {};
      },
      WithinStep::yes);
}
