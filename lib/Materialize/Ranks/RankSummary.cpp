//===- RankSummary.cpp - what a rank holds and gets -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Ranks/RankSummary.h"

#include "Materialize/Ranks/Shards.h"

#include "prec/Dialect/Train/TensorType.h"
#include "prec/Support/Bytes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace prec;

/// Parameters that are named; others are counted.
static constexpr size_t kNamed = 8;

static double bytesOf(Value value) {
  RankedTensorType type = typeOf(value);
  return static_cast<double>(type.getNumElements()) *
         type.getElementTypeBitWidth() / 8;
}

static std::string print(double bytes) { return printBinaryBytes(bytes, 1); }

/// Why a parameter is whole.
static std::string whyWhole(func::FuncOp step, RankedTensorType type,
                            MeshAxis axis) {
  if (type.getRank() == 0)
    return "a scalar";
  int64_t size = type.getDimSize(getShardDim(type));
  if (size % axis.ranks != 0)
    return std::to_string(size) + " slices at most";
  return hasWholeMoments(step, type, axis)
             ? "its update is of all elements"
             : "8-bit moments of a slice have no whole blocks";
}

void prec::notePlacements(func::FuncOp step, MeshAxis axis) {
  Builder builder(step.getContext());
  for (BlockArgument argument : step.getArguments()) {
    const unsigned index = argument.getArgNumber();
    auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    if (!role || role.getValue() != train::Role::Parameter)
      continue;
    auto shard = step.getArgAttrOfType<StringAttr>(index, train::kShard);
    if (shard && shard.getValue() == axis.name)
      step.setArgAttr(index, train::kPlacement,
                      builder.getStringAttr("a shard of what the optimizer "
                                            "updates"));
    else if (!step.getArgAttr(index, train::kPlacement))
      step.setArgAttr(
          index, train::kPlacement,
          builder.getStringAttr(whyWhole(step, typeOf(argument), axis)));
  }
}

static std::string printHeld(func::FuncOp step, MeshAxis axis) {
  double held = 0, all = 0;
  unsigned shards = 0, parameters = 0;
  SmallVector<std::string> whole;
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    auto path = step.getArgAttrOfType<StringAttr>(index, train::kPath);
    if (!role || (role.getValue() != train::Role::Parameter &&
                  role.getValue() != train::Role::OptimizerState))
      continue;
    bool isParameter = role.getValue() == train::Role::Parameter;
    auto shard = step.getArgAttrOfType<StringAttr>(index, train::kShard);
    bool isShard = shard && shard.getValue() == axis.name;
    held += bytesOf(argument);
    all += bytesOf(argument) * static_cast<double>(isShard ? axis.ranks : 1);
    if (!isParameter)
      continue;
    ++parameters;
    shards += isShard;
    if (!isShard)
      whole.push_back((path ? path.str() : std::to_string(index)) + " (" +
                      (shard ? "a slice of a layer"
                             : whyWhole(step, typeOf(argument), axis)) +
                      ")");
  }
  std::string text = "each of " + std::to_string(axis.ranks) + " ranks holds " +
                     print(held) + " of " + print(all) +
                     " of parameters and their optimizer states, " +
                     std::to_string(shards) + " of " +
                     std::to_string(parameters) + " parameters in shards";
  if (whole.empty())
    return text;
  text += ", whole ";
  text += llvm::join(ArrayRef(whole).take_front(kNamed), ", ");
  if (whole.size() > kNamed)
    text += " and " + std::to_string(whole.size() - kNamed) + " more";
  return text;
}

/// What ranks hold of weights that are not trained: no stage divides it.
static std::string printFrozen(func::FuncOp step) {
  DenseSet<Attribute> trained;
  double bytes = 0;
  for (bool ofCopies : {false, true})
    for (BlockArgument argument : step.getArguments()) {
      const unsigned index = argument.getArgNumber();
      auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
      if (!role)
        continue;
      if (!ofCopies && role.getValue() == train::Role::Parameter)
        trained.insert(step.getArgAttr(index, train::kPath));
      if (step.getArgAttr(index, train::kShard))
        continue;
      if (ofCopies
              ? role.getValue() == train::Role::WorkWeight &&
                    !trained.contains(step.getArgAttr(index, train::kParamOf))
              : role.getValue() == train::Role::FrozenParameter)
        bytes += bytesOf(argument);
    }
  return bytes == 0 ? ""
                    : "; frozen weights and copies of them are whole on every "
                      "rank, " +
                          print(bytes);
}

static std::string printReceived(func::FuncOp step, MeshAxis axis) {
  llvm::MapVector<std::pair<train::ExchangeKind, Type>,
                  std::pair<double, unsigned>>
      received;
  for (auto exchange : step.getOps<train::ExchangeOp>()) {
    if (exchange.getKind() == train::ExchangeKind::OwnSlice ||
        exchange.getAxis() != axis.name)
      continue;
    auto &[bytes, count] = received[{
        exchange.getKind(), typeOf(exchange.getInput()).getElementType()}];
    bytes += bytesOf(exchange.getResult()) *
             static_cast<double>(axis.ranks - 1) /
             static_cast<double>(axis.ranks);
    ++count;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const auto &[of, amount] : received)
    os << (text.empty() ? "" : ", ") << train::stringifyExchangeKind(of.first)
       << " of " << of.second << " " << print(amount.first) << " ("
       << amount.second << ")";
  return text;
}

static std::string describeWire(MeshAxis axis) {
  if (!axis.wire)
    return "";
  if (axis.wire.isBF16())
    return "; gradients in f32 are rounded to bf16 to be sent, as "
           "--exchange-wire=bf16 says: half the bytes, and one "
           "rounding more of each rank's part";
  return "; gradients are quantized to be sent, as --exchange-wire=fp8 says: a "
         "scale for each 128 elements, and one rounding to 4 bits more of each "
         "rank's part";
}

std::string prec::summarizeRank(func::FuncOp step, MeshAxis axis) {
  std::string received = printReceived(step, axis);
  return printHeld(step, axis) + "; in a step it gets of the others: " +
         (received.empty() ? "nothing" : received) + describeWire(axis) +
         printFrozen(step);
}
