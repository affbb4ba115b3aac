//===- Align.cpp - the same operation in two maps -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Explain/Diff.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace prec;

/// Two assignments of one graph; then paths are not needed, which a graph
/// printed without its locations has lost.
static bool areOfOneGraph(llvm::ArrayRef<MapOperation> before,
                          llvm::ArrayRef<MapOperation> after) {
  return before.size() == after.size() &&
         llvm::all_of(llvm::zip(before, after), [](const auto &pair) {
           auto &[first, second] = pair;
           return first.node == second.node && first.name == second.name &&
                  first.results.size() == second.results.size();
         });
}

template <typename T, typename Key>
static std::vector<Aligned<T>> align(llvm::ArrayRef<T> before,
                                     llvm::ArrayRef<T> after, Key getKey) {
  std::map<std::string, std::vector<const T *>> byKey;
  for (const T &entry : after)
    byKey[getKey(entry)].push_back(&entry);
  std::map<std::string, size_t> taken;
  std::vector<Aligned<T>> pairs;
  for (const T &entry : before) {
    std::string key = getKey(entry);
    auto found = byKey.find(key);
    Aligned<T> pair{&entry};
    size_t &next = taken[key];
    if (found != byKey.end() && next < found->second.size())
      pair.after = found->second[next];
    ++next;
    pairs.push_back(pair);
  }
  std::map<std::string, size_t> seen;
  for (const T &entry : after) {
    std::string key = getKey(entry);
    if (seen[key]++ >= taken[key])
      pairs.push_back({nullptr, &entry});
  }
  return pairs;
}

std::vector<AlignedValue> prec::alignArguments(const MapFunction *before,
                                               const MapFunction *after) {
  using Values = llvm::ArrayRef<MapValue>;
  return align(before ? Values(before->arguments) : Values(),
               after ? Values(after->arguments) : Values(),
               [](const MapValue &value) { return value.path; });
}

std::vector<AlignedOperation> prec::alignOperations(const MapFunction *before,
                                                    const MapFunction *after) {
  using Operations = llvm::ArrayRef<MapOperation>;
  if (before && after && areOfOneGraph(before->operations, after->operations)) {
    std::vector<AlignedOperation> pairs;
    for (auto [first, second] :
         llvm::zip(before->operations, after->operations))
      pairs.push_back({&first, &second});
    return pairs;
  }
  return align(before ? Operations(before->operations) : Operations(),
               after ? Operations(after->operations) : Operations(),
               [](const MapOperation &operation) {
                 return operation.path + '\n' + operation.name + '\n' +
                        operation.phase + '\n' + operation.direction;
               });
}

std::vector<Aligned<MapFunction>>
prec::alignFunctions(const PrecisionMap &before, const PrecisionMap &after) {
  return align(llvm::ArrayRef<MapFunction>(before.functions),
               llvm::ArrayRef<MapFunction>(after.functions),
               [](const MapFunction &function) { return function.name; });
}
