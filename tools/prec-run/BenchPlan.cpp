//===- BenchPlan.cpp - what a benchmark runs, and in which memory ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First the items of a bench module are grouped by signature, as what takes the
// same time is measured once. Then each group says how many bytes one of its
// repetitions needs of each pool, and how many repetitions pass before all of
// its bytes are three times what the cache holds. A pool is as large as the
// most that any group needs. Windows are taken from a pool in turn; a
// repetition that would not fit before the end of a pool begins at its start,
// so that windows of one repetition never overlap.
//
// Ends of groups of rows are numbers that a kernel goes by, so they have a pool
// for each number of rows and groups, with one window of as many rows in each
// group. Which operand has them a grouped product says; of a quantization they
// are the integers that it does not compute itself. Example: 64 rows of 4
// groups end at 16, 32, 48 and 64.
//
//===----------------------------------------------------------------------===//

#include "BenchPlan.h"

#include "CommandSignature.h"
#include "GroupRanges.h"
#include "ProfileModel.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <type_traits>

using namespace prec::rt;
using namespace prec::run;

static constexpr int64_t kAlignment = 256;
/// More caches than this pass between two uses of a window.
static constexpr int64_t kCaches = 3;
/// Of a small command; its entry point is one recorded graph of a GPU.
static constexpr int64_t kMostRepetitions = 64;
/// Behind the last pool, for the second row of a table that has one.
static constexpr int64_t kSlack = 1 << 20;
/// Bytes from where on two repetitions are enough: no cache holds one.
static constexpr int64_t kLarge = int64_t(1) << 29;

namespace {

/// What is in a pool; rows and groups of ends of groups.
struct PoolKey {
  DType dtype;
  PoolUse use;
  int64_t rows = 0, groups = 0;
  bool operator<(const PoolKey &other) const {
    return std::tie(dtype, use, rows, groups) <
           std::tie(other.dtype, other.use, other.rows, other.groups);
  }
};
/// Where a buffer begins in the bench module.
using Place = std::pair<Segment, int64_t>;

struct Window {
  PoolKey pool;
  int64_t bytes = 0;
};

int64_t align(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Visits a command's fields and replaces numbers of buffers.
class Renumber {
public:
  explicit Renumber(const std::map<int, int> &numbers) : numbers(numbers) {}

  template <typename Value, typename Presence, typename Check>
  void operator()(const char *, Value &value, const Value &, Presence, Check) {
    if constexpr (std::is_same_v<Check, BufferIndex>)
      replace(value);
    else if constexpr (std::is_same_v<Value, std::vector<Part>>)
      for (Part &part : value)
        replace(part.buffer);
  }

private:
  void replace(int &index) {
    // An operand that a command of this kind has none of.
    if (auto found = numbers.find(index); found != numbers.end())
      index = found->second;
  }
  void replace(std::optional<int> &index) {
    if (index)
      replace(*index);
  }
  void replace(std::vector<int> &indices) {
    for (int &index : indices)
      replace(index);
  }

  const std::map<int, int> &numbers;
};

class Planner {
public:
  Planner(const Manifest &module, int64_t cacheBytes)
      : module(module), commands(module.commands("step")),
        cacheBytes(cacheBytes) {}

  Result<BenchPlan> plan(int64_t memoryBytes);

private:
  /// A group of items, with the windows of the first of them.
  struct Group {
    BenchEntry entry;
    size_t first, count; ///< commands
    std::map<Place, Window> windows;
    std::map<PoolKey, int64_t> need; ///< bytes of one repetition
  };

  void group();
  void addGroup(Group &group);
  /// How many rows the groups have whose ends `buffer` holds.
  std::optional<int64_t> rowsOfEnds(const Group &group, const Command &command,
                                    int buffer) const;
  int64_t place(const std::vector<Group> &chosen);
  void write(const Group &group);
  Place placeOf(int buffer) const {
    const Buffer &window = module.buffers[static_cast<size_t>(buffer)];
    return {window.segment, window.offset};
  }
  int addBuffer(int64_t offset, DType dtype, std::vector<int64_t> shape) {
    Buffer buffer;
    buffer.segment = Segment::workspace;
    buffer.offset = offset;
    buffer.dtype = dtype;
    buffer.shape = std::move(shape);
    result.manifest.buffers.push_back(std::move(buffer));
    return static_cast<int>(result.manifest.buffers.size()) - 1;
  }

  const Manifest &module;
  const std::vector<Command> &commands;
  const int64_t cacheBytes;
  std::vector<Group> groups;
  std::map<PoolKey, std::pair<int64_t, int64_t>> pools; ///< offset, bytes
  BenchPlan result;
};

} // namespace

/// Buffers of inverse scales.
static std::vector<int> scalesOf(const Command &command) {
  std::vector<int> scales;
  if (command.kind == CommandKind::gemm)
    for (const std::optional<int> *scale :
         {&command.gemm.scaleA, &command.gemm.scaleB,
          &command.gemm.tensorScaleA, &command.gemm.tensorScaleB})
      if (*scale)
        scales.push_back(**scale);
  if (command.kind == CommandKind::groupedGemm)
    for (const std::optional<int> *scale :
         {&command.grouped.scaleA, &command.grouped.scaleB})
      if (*scale)
        scales.push_back(**scale);
  return scales;
}

/// Rows of a grouped product. Of aligned groups as many as fill what they have
/// room for: each group but the last may end a block early.
static int64_t rowsOf(const Manifest &module, const Grouped &grouped) {
  GroupedShape shape(module, grouped);
  if (!shape.isGradient || !shape.isScaled)
    return shape.rows;
  constexpr int64_t kBlock = PREC_GROUP_ALIGNMENT;
  int64_t room = shape.groups * (kBlock - 1) / kBlock * kBlock;
  return std::max(shape.rows - room, int64_t(1));
}

std::optional<int64_t> Planner::rowsOfEnds(const Group &group,
                                           const Command &command,
                                           int buffer) const {
  if (command.kind == CommandKind::groupedGemm)
    return buffer == command.grouped.ends
               ? std::optional(rowsOf(module, command.grouped))
               : std::nullopt;
  const BenchItem &item = module.bench[group.entry.items.front()];
  const Buffer &info = module.buffers[static_cast<size_t>(buffer)];
  if (item.kind != "quantization" || info.dtype != DType::i32 ||
      info.shape.size() != 1)
    return std::nullopt;
  return item.rows;
}

void Planner::addGroup(Group &group) {
  for (size_t i = group.first; i < group.first + group.count; ++i) {
    const Command &command = commands[i];
    std::vector<int> scales = scalesOf(command);
    auto add = [&](int buffer, bool isWritten) {
      const Buffer &info = module.buffers[static_cast<size_t>(buffer)];
      Window &window = group.windows[placeOf(buffer)];
      bool isNew = window.bytes == 0;
      if (std::optional<int64_t> rows = rowsOfEnds(group, command, buffer);
          rows && isNew && !isWritten) {
        window.pool = {info.dtype, PoolUse::ends, *rows, info.shape[0]};
        window.bytes = info.bytes();
      }
      if (window.pool.use == PoolUse::ends)
        return;
      bool isScale =
          std::find(scales.begin(), scales.end(), buffer) != scales.end();
      PoolUse use = isScale     ? PoolUse::scale
                    : isWritten ? PoolUse::written
                                : PoolUse::value;
      // What an earlier command of the group writes is read from there.
      if (!isNew && use != window.pool.use)
        use = window.pool.use == PoolUse::value ? PoolUse::changed
                                                : window.pool.use;
      window.pool = {info.dtype, use};
      window.bytes = std::max({window.bytes, info.bytes(), int64_t(1)});
    };
    for (int buffer : command.reads)
      add(buffer, false);
    for (int buffer : command.writes)
      add(buffer, true);
    Work work = computeWork(module, command);
    group.entry.bytes += work.bytes;
    group.entry.flops += work.flops.value_or(0);
  }
  for (const auto &[place, window] : group.windows)
    group.need[window.pool] += align(window.bytes);
}

void Planner::group() {
  std::map<std::string, size_t> known;
  for (size_t item = 0; item < module.bench.size(); ++item) {
    const BenchItem &bench = module.bench[item];
    Group next{{},
               static_cast<size_t>(bench.first),
               static_cast<size_t>(bench.count),
               {},
               {}};
    for (size_t i = next.first; i < next.first + next.count; ++i)
      next.entry.signature +=
          (i > next.first ? " ; " : "") + describeCommand(module, commands[i]);
    auto [found, isNew] = known.insert({next.entry.signature, groups.size()});
    if (!isNew) {
      groups[found->second].entry.items.push_back(item);
      continue;
    }
    next.entry.items = {item};
    addGroup(next);
    groups.push_back(std::move(next));
  }
  for (Group &next : groups) {
    int64_t bytes = 0;
    for (const auto &[pool, need] : next.need)
      bytes += need;
    int64_t fewest = bytes >= kLarge ? 2 : 8;
    next.entry.repetitions =
        std::clamp(kCaches * cacheBytes / std::max<int64_t>(bytes, 1) + 1,
                   fewest, kMostRepetitions);
  }
}

/// Lays out the pools of some groups; the bytes of all.
int64_t Planner::place(const std::vector<Group> &chosen) {
  pools.clear();
  for (const Group &next : chosen)
    for (const auto &[key, need] : next.need) {
      // No more than passes until a window may be used again.
      int64_t rotated =
          key.use == PoolUse::ends
              ? need
              : std::min(need * next.entry.repetitions, kCaches * cacheBytes);
      int64_t &bytes = pools[key].second;
      bytes = std::max({bytes, need, align(rotated)});
    }
  int64_t end = 0;
  for (auto &[key, range] : pools) {
    range.first = end;
    end += range.second;
  }
  return end + kSlack;
}

void Planner::write(const Group &group) {
  std::vector<Command> list;
  std::map<PoolKey, int64_t> taken;
  for (int64_t repetition = 0; repetition < group.entry.repetitions;
       ++repetition) {
    for (const auto &[key, need] : group.need)
      if (taken[key] + need > pools.at(key).second)
        taken[key] = 0;
    std::map<Place, int64_t> offsets;
    for (const auto &[place, window] : group.windows) {
      int64_t &next = taken[window.pool];
      offsets[place] = pools.at(window.pool).first + next;
      next += align(window.bytes);
    }
    std::map<int, int> numbers;
    for (size_t i = group.first; i < group.first + group.count; ++i) {
      const Command &command = commands[i];
      for (const std::vector<int> *buffers : {&command.reads, &command.writes})
        for (int buffer : *buffers)
          if (!numbers.count(buffer)) {
            const Buffer &info = module.buffers[static_cast<size_t>(buffer)];
            numbers[buffer] =
                addBuffer(offsets.at(placeOf(buffer)), info.dtype, info.shape);
          }
      Command copy = command;
      copy.name += "." + std::to_string(repetition);
      Renumber renumber(numbers);
      visitFields(renumber, copy, findDeviceKind(module.target.kind)->calls);
      list.push_back(std::move(copy));
    }
  }
  result.manifest.entryPoints[group.entry.entryPoint] = std::move(list);
}

std::vector<int32_t> prec::run::makeEnds(int64_t rows, int64_t groups) {
  std::vector<int32_t> ends(static_cast<size_t>(groups));
  for (int64_t group = 0; group < groups; ++group)
    ends[static_cast<size_t>(group)] =
        static_cast<int32_t>((group + 1) * rows / groups);
  return ends;
}

Result<BenchPlan> Planner::plan(int64_t memoryBytes) {
  group();
  // The largest go first, until the rest fits.
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group &a, const Group &b) {
                     return a.entry.bytes < b.entry.bytes;
                   });
  while (!groups.empty() && place(groups) > memoryBytes) {
    result.notes.push_back(
        "does not fit in " + std::to_string(memoryBytes) +
        " bytes of memory: " + groups.back().entry.signature);
    groups.pop_back();
  }
  if (groups.empty())
    return Status::outOfMemory("a benchmark needs memory for its smallest "
                               "command, but got " +
                               std::to_string(memoryBytes) + " bytes");
  // In the order of the step, in which memory and computing alternate.
  std::stable_sort(
      groups.begin(), groups.end(),
      [](const Group &a, const Group &b) { return a.first < b.first; });
  result.manifest.target = module.target;
  result.manifest.abi = module.abi;
  result.manifest.images = module.images;
  result.manifest.recipe = module.recipe;
  result.manifest.graph = module.graph;
  result.manifest.segmentSize[static_cast<size_t>(Segment::workspace)] =
      place(groups);
  for (const auto &[key, range] : pools)
    result.pools.push_back({key.dtype, key.use, key.rows, key.groups,
                            addBuffer(range.first, DType::i8, {range.second})});
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i].entry.entryPoint = "bench." + std::to_string(i);
    write(groups[i]);
    result.entries.push_back(std::move(groups[i].entry));
  }
  return std::move(result);
}

Result<BenchPlan> prec::run::planBench(const Manifest &module,
                                       int64_t cacheBytes,
                                       int64_t memoryBytes) {
  if (module.bench.empty())
    return Status::invalidArgument(
        "a benchmark must be of a module that was compiled with --bench, but "
        "got one that trains");
  return Planner(module, cacheBytes).plan(memoryBytes);
}
