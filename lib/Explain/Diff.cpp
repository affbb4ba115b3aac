//===- Diff.cpp - what differs between two assignments --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Explain/Diff.h"

#include "prec/Explain/Explain.h"

#include "llvm/ADT/STLExtras.h"

using namespace prec;
using llvm::StringRef;

StringRef prec::stringifyDifferenceKind(DifferenceKind kind) {
  static constexpr StringRef kNames[] = {"format", "reason", "only_before",
                                         "only_after"};
  return kNames[static_cast<unsigned>(kind)];
}

int64_t MapDiff::count(DifferenceKind kind) const {
  return llvm::count_if(differences, [kind](const Difference &difference) {
    return difference.kind == kind;
  });
}

namespace {

class Differ {
public:
  Differ(const PrecisionMap &before, const PrecisionMap &after, MapDiff &diff)
      : before(before), after(after), diff(diff) {}

  void run();

private:
  void diffArgument(const AlignedValue &pair);
  void diffOperation(const AlignedOperation &pair);
  void add(Difference difference, const MapDecision *first,
           const MapDecision *second);
  std::string explain(const AlignedOperation &pair) const;

  const PrecisionMap &before, &after;
  MapDiff &diff;
  std::string function;
};

} // namespace

void Differ::add(Difference difference, const MapDecision *first,
                 const MapDecision *second) {
  ++diff.numDecisions;
  if (first)
    difference.before = *first;
  if (second)
    difference.after = *second;
  bool isSame = first && second && *first == *second;
  if (isSame && first->rule == second->rule)
    return;
  difference.kind = !second  ? DifferenceKind::OnlyBefore
                    : !first ? DifferenceKind::OnlyAfter
                    : isSame ? DifferenceKind::Reason
                             : DifferenceKind::Format;
  if (difference.kind != DifferenceKind::Format)
    difference.why.clear();
  difference.function = function;
  diff.differences.push_back(std::move(difference));
}

/// What keeps a value from the format that it had before.
static std::string explainStorage(const MapValue *before,
                                  const MapValue *after) {
  if (!before || !after)
    return "";
  for (const MapBeaten &beaten : after->beaten)
    if (beaten.format == before->decision.format)
      return beaten.format + " lost: " + beaten.getLossReason();
  return "";
}

void Differ::diffArgument(const AlignedValue &pair) {
  Difference difference;
  difference.why = explainStorage(pair.before, pair.after);
  difference.path = pair.any().path;
  difference.what = "argument";
  add(std::move(difference), pair.before ? &pair.before->decision : nullptr,
      pair.after ? &pair.after->decision : nullptr);
}

/// What became of the way that a contraction ran before.
std::string Differ::explain(const AlignedOperation &pair) const {
  if (!pair.before || !pair.after || !pair.before->choice ||
      !pair.after->choice)
    return "";
  const MapCandidate *winner = pair.before->choice->getWinner();
  const MapChoice &choice = *pair.after->choice;
  if (!winner)
    return "";
  for (auto [index, candidate] : llvm::enumerate(choice.candidates)) {
    if (candidate.getName() != winner->getName())
      continue;
    if (choice.winner == index)
      return "";
    return winner->getName() + " lost: " + getLossReason(choice, index);
  }
  return winner->getName() + " is no candidate under recipe " + after.recipe;
}

template <typename T>
static const T *getAt(const std::vector<T> *list, size_t index) {
  return list && index < list->size() ? &(*list)[index] : nullptr;
}

static const MapRead *findRead(const MapOperation *operation,
                               unsigned operand) {
  if (!operation)
    return nullptr;
  auto found = llvm::find_if(operation->reads, [operand](const MapRead &read) {
    return read.operand == operand;
  });
  return found == operation->reads.end() ? nullptr : &*found;
}

void Differ::diffOperation(const AlignedOperation &pair) {
  const MapOperation &any = pair.any();
  Difference common;
  common.path = any.path;
  common.operation = any.name;
  common.tensorClass = any.tensorClass;
  common.phase = any.phase;
  common.direction = any.direction;
  const auto *first = pair.before ? &pair.before->results : nullptr;
  const auto *second = pair.after ? &pair.after->results : nullptr;
  size_t numResults =
      std::max(first ? first->size() : 0, second ? second->size() : 0);
  for (size_t i = 0; i < numResults; ++i) {
    Difference difference = common;
    difference.what = "result " + std::to_string(i);
    const MapValue *old = getAt(first, i), *now = getAt(second, i);
    difference.why = explainStorage(old, now);
    add(std::move(difference), old ? &old->decision : nullptr,
        now ? &now->decision : nullptr);
  }
  std::vector<unsigned> operands;
  for (const MapOperation *side : {pair.before, pair.after})
    if (side)
      for (const MapRead &read : side->reads)
        operands.push_back(read.operand);
  llvm::sort(operands);
  operands.erase(llvm::unique(operands), operands.end());
  common.why = explain(pair);
  for (unsigned operand : operands) {
    Difference difference = common;
    difference.what = "operand " + std::to_string(operand);
    const MapRead *old = findRead(pair.before, operand);
    const MapRead *now = findRead(pair.after, operand);
    add(std::move(difference), old ? &old->decision : nullptr,
        now ? &now->decision : nullptr);
  }
}

void Differ::run() {
  for (const Aligned<MapFunction> &pair : alignFunctions(before, after)) {
    function = pair.any().name;
    for (const AlignedValue &argument : alignArguments(pair.before, pair.after))
      diffArgument(argument);
    for (const AlignedOperation &operation :
         alignOperations(pair.before, pair.after))
      diffOperation(operation);
  }
}

MapDiff prec::diffMaps(const PrecisionMap &before, const PrecisionMap &after) {
  MapDiff diff;
  diff.recipes[0] = before.recipe;
  diff.recipes[1] = after.recipe;
  diff.targets[0] = before.target;
  diff.targets[1] = after.target;
  Differ(before, after, diff).run();
  return diff;
}
