//===- JoinArguments.cpp - lay arguments one behind the other -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Schedule/MemoryPlan.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {
#define GEN_PASS_DEF_JOINARGUMENTS
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

/// Arguments of different functions with one name are the same bytes.
using Name = std::pair<Attribute, Attribute>;

struct JoinArguments : prec::impl::JoinArgumentsBase<JoinArguments> {
  void runOnOperation() override;

private:
  void joinIn(func::FuncOp function);
  bool canLie(func::FuncOp function, OperandRange arguments);

  /// Names that functions before this one have placed, and in front of each
  /// what lies there, if that is known.
  DenseMap<Name, Name> placed;
};

} // namespace

static Name getIdentity(func::FuncOp function, Value argument) {
  unsigned number = cast<BlockArgument>(argument).getArgNumber();
  return {function.getArgAttr(number, train::kPath),
          function.getArgAttr(number, train::kSlot)};
}

static unsigned getNumber(Value argument) {
  return cast<BlockArgument>(argument).getArgNumber();
}

/// Whether each of `values` is an argument, which stands there once.
static bool areDistinctArguments(ValueRange values) {
  llvm::SmallDenseSet<Value> seen;
  return llvm::all_of(values, [&](Value value) {
    return isa<BlockArgument>(value) && seen.insert(value).second;
  });
}

/// Whether nothing that earlier functions have placed forbids that `arguments`
/// lie one behind the other.
bool JoinArguments::canLie(func::FuncOp function, OperandRange arguments) {
  bool isFirst = true;
  Name front;
  bool isFrontPlaced = false;
  for (Value argument : arguments) {
    Name name = getIdentity(function, argument);
    auto known = name.first ? placed.find(name) : placed.end();
    bool isPlaced = known != placed.end();
    if (!isFirst &&
        (isPlaced != isFrontPlaced || (isPlaced && known->second != front)))
      return false;
    if (getSegment(function, getNumber(argument)) != sched::Segment::State)
      return false;
    isFirst = false;
    front = name;
    isFrontPlaced = isPlaced;
  }
  return llvm::all_of(arguments.drop_back(), [](Value argument) {
    return getByteSize(argument.getType()) % kPlacementAlignment == 0;
  });
}

void JoinArguments::joinIn(func::FuncOp function) {
  SmallVector<int64_t> behind(function.getNumArguments(), -1);
  llvm::SmallDenseSet<Value> joined;
  for (auto concat : function.getOps<tensor::ConcatOp>()) {
    OperandRange arguments = concat.getInputs();
    if (concat.getDim() != 0 || arguments.size() < 2 ||
        !areDistinctArguments(arguments) || !canLie(function, arguments) ||
        llvm::any_of(arguments,
                     [&](Value argument) { return joined.contains(argument); }))
      continue;
    joined.insert(arguments.begin(), arguments.end());
    for (auto [front, back] : llvm::zip(arguments, arguments.drop_front()))
      behind[getNumber(back)] = getNumber(front);
  }
  for (auto [index, front] : llvm::enumerate(behind)) {
    Name name = getIdentity(function, function.getArgument(index));
    if (name.first)
      placed.try_emplace(
          name, front < 0 ? Name()
                          : getIdentity(function, function.getArgument(front)));
  }
  if (joined.empty())
    return;
  // All at once: each change of an argument's attributes copies those of all.
  Builder builder(function.getContext());
  SmallVector<Attribute> attributes;
  for (auto [index, front] : llvm::enumerate(behind)) {
    NamedAttrList list(function.getArgAttrDict(index));
    if (front >= 0)
      list.set(kBehind, builder.getI64IntegerAttr(front));
    attributes.push_back(list.getDictionary(function.getContext()));
  }
  function.setAllArgAttrs(attributes);
}

void JoinArguments::runOnOperation() {
  placed.clear();
  for (func::FuncOp function : getScheduledFunctions(getOperation()))
    joinIn(function);
}
