//===- Target.cpp - what phases ask of a target ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Target/Target.h"

#include "prec/Support/Files.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace prec;
using llvm::Expected;

/// Whether a row multiplies these operands, in either order.
static bool multiplies(const Product &row, const Dispatch &dispatch) {
  auto matches = [&](unsigned first) {
    Format lhs = first == 0 ? dispatch.lhs : dispatch.rhs;
    Format rhs = first == 0 ? dispatch.rhs : dispatch.lhs;
    ScalingPair scalings = {dispatch.scalings[first],
                            dispatch.scalings[1 - first]};
    bool asksScaling = dispatch.scalings[0] != Scaling::None ||
                       dispatch.scalings[1] != Scaling::None;
    return row.lhs == lhs && row.rhs == rhs &&
           (!asksScaling || llvm::is_contained(row.scalings, scalings));
  };
  return matches(0) || matches(1);
}

const Product *Target::find(const Dispatch &dispatch) const {
  for (ArrayRef<Product> group : facts.products)
    for (const Product &row : group)
      if (multiplies(row, dispatch))
        return &row;
  return nullptr;
}

bool Target::hasFormat(Format format) const {
  return llvm::any_of(facts.products, [&](ArrayRef<Product> group) {
    return llvm::any_of(group, [&](const Product &row) {
      return row.lhs == format || row.rhs == format;
    });
  });
}

bool Target::hasGpu(StringRef name) const {
  SmallVector<StringRef> words;
  llvm::SplitString(name, words, " -_/(),");
  return llvm::any_of(words, [&](StringRef word) {
    return llvm::any_of(facts.gpus, [&](StringRef gpu) {
      return word.equals_insensitive(gpu);
    });
  });
}

std::optional<Fp8Accumulator> Target::findAccumulator(Accumulator mode) const {
  std::optional<Fp8Accumulator> found = facts.fp8Accumulator;
  // What keeps FP32 sums promotes nothing.
  constexpr int kFloatBits = 23;
  if (found && mode == Accumulator::Promoted &&
      found->fractionBits < kFloatBits)
    found->promotion = kPromotionInterval;
  return found;
}

Accumulator Target::settleAccumulator(const Dispatch &dispatch) const {
  const Product *row = find(dispatch);
  bool isPromoted =
      row && dispatch.accumulator == Accumulator::Full &&
      !llvm::is_contained(row->accumulators, Accumulator::Full) &&
      llvm::is_contained(row->accumulators, Accumulator::Promoted);
  return isPromoted ? Accumulator::Promoted : dispatch.accumulator;
}

Expected<MachineModel> Target::loadMachine(StringRef file,
                                           StringRef option) const {
  if (file.empty())
    return parseMachineModel(facts.machine, facts.name.str() + ".json");
  Expected<std::string> text = readFile(file);
  if (!text)
    return text.takeError();
  Expected<MachineModel> machine = parseMachineModel(*text, file);
  if (machine && machine->name != facts.name)
    return llvm::createStringError(option + " must be of the target " +
                                   facts.name + ", but got '" + machine->name +
                                   "' in '" + file + "'");
  return machine;
}
