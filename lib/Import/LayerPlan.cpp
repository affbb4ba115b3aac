//===- LayerPlan.cpp - what each rank has of a step -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan starts with every tensor whole and walks the graph: a parameter is
// divided at the first product, or lookup, that reads it. Where something else
// has read it before, the walk starts anew. Where something is not computed of
// slices (LayerPlacements.h), all parameters that the slices come from are held
// whole, with that reason, and the walk starts anew. A parameter is chosen once
// and refused once, so this ends; as a rule after one walk, and one more for
// each parameter that is refused.
//
//===----------------------------------------------------------------------===//
#include "Import/LayerPlan.h"

#include "prec/Dialect/Train/TensorType.h"

using namespace mlir;
using namespace prec;

std::string prec::nameOf(func::FuncOp step, unsigned index) {
  auto path = step.getArgAttrOfType<StringAttr>(index, train::kPath);
  return path ? path.str() : std::to_string(index);
}

bool LayerPlan::isParameter(Value value) const {
  auto argument = dyn_cast_if_present<BlockArgument>(value);
  if (!argument)
    return false;
  func::FuncOp function = step; // which attributes are asked for
  auto role = function.getArgAttrOfType<train::RoleAttr>(
      argument.getArgNumber(), train::kRole);
  return role && role.getValue() == train::Role::Parameter;
}

/// Whether the walk must start anew.
bool LayerPlan::choose(Value parameter, int64_t dim, StringRef reason,
                       ArrayRef<int64_t> parts) {
  unsigned index = cast<BlockArgument>(parameter).getArgNumber();
  if (chosen.count(index) || refused.count(index))
    return false;
  if (step.getArgAttr(index, train::kShard)) {
    refused[index] = "its experts are divided already";
    return false;
  }
  int64_t size = typeOf(parameter).getDimSize(dim);
  if (size % ranks != 0) {
    refused[index] = std::to_string(size) + " slices cannot be divided by " +
                     std::to_string(ranks);
    return false;
  }
  chosen[index] = {dim, reason.str()};
  int64_t end = 0;
  for (int64_t part : parts)
    cuts[index].insert(end += part);
  if (countReaders(index) != 0)
    return true;
  place(index);
  return false;
}

unsigned LayerPlan::countReaders(unsigned parameter) const {
  unsigned count = 0;
  for (BlockArgument argument : owned.at(parameter))
    count += readers.lookup(argument);
  return count;
}

/// Sizes between the cuts of its divided dimension.
SmallVector<int64_t> LayerPlan::getParts(unsigned parameter) const {
  SmallVector<int64_t> parts;
  auto found = cuts.find(parameter);
  if (found == cuts.end())
    return parts;
  const int64_t size = typeOf(owned.at(parameter).front())
                           .getDimSize(chosen.at(parameter).first);
  int64_t begin = 0;
  for (int64_t end : found->second)
    if (end > begin && end <= size) {
      parts.push_back(end - begin);
      begin = end;
    }
  if (begin != size)
    parts.push_back(size - begin);
  return parts;
}

void LayerPlan::place(unsigned parameter) {
  for (BlockArgument argument : owned.at(parameter)) {
    placements[argument] = getChosen(parameter);
    origins[argument] = {parameter};
  }
}

bool LayerPlan::chooseForProduct(Operation *op) {
  Value input, weight;
  int64_t last, contracted, kept;
  if (auto matmul = dyn_cast<train::MatmulOp>(op)) {
    input = matmul.getLhs();
    weight = matmul.getRhs();
    last = matmul.getTransposeA() ? 0 : 1;
    contracted = matmul.getTransposeB() ? 1 : 0;
    kept = 1 - contracted;
    if (typeOf(weight).getRank() != 2)
      return false;
  } else if (auto grouped = dyn_cast<train::GroupedMatmulOp>(op)) {
    input = grouped.getRows();
    weight = grouped.getMatrices();
    last = 1;
    contracted = grouped.getTransposeB() ? 2 : 1;
    kept = 3 - contracted;
  } else
    return false;
  if (!isParameter(weight) || train::getPhase(op) != train::Phase::Forward)
    return false;
  if (get(input).isSplit())
    return get(input).dim == last &&
           choose(weight, contracted, "rows of a product", get(input).parts);
  return choose(weight, kept, "columns of a product");
}

bool LayerPlan::chooseForLookup(train::EmbeddingOp op) {
  return isParameter(op.getTable()) &&
         train::getPhase(op) == train::Phase::Forward &&
         choose(op.getTable(), 0, "rows of a table");
}

/// The lookup of divided rows that a gradient is of: that of the same indices,
/// or one of such a table. A wrong one is refused where the parameter is
/// updated.
train::EmbeddingOp
LayerPlan::findLookup(train::EmbeddingGradOp gradient) const {
  train::EmbeddingOp found;
  for (train::EmbeddingOp lookup : lookups)
    if (typeOf(lookup.getTable()).getShape() ==
            typeOf(gradient.getGradTable()).getShape() &&
        (!found || lookup.getIds() == gradient.getIds()))
      found = lookup;
  return found;
}

/// A parameter that is added to what is divided, or multiplied with it. In
/// place where `reader` alone reads it, through a broadcast.
LayerPlan::Chosen LayerPlan::chooseForBroadcast(Value operand,
                                                const Placement &needed,
                                                Operation *reader) {
  auto broadcast = operand.getDefiningOp<train::BroadcastOp>();
  if (!broadcast || !isParameter(broadcast.getInput()))
    return Chosen::Nothing;
  ArrayRef<int64_t> dims = broadcast.getDims();
  const auto *found = llvm::find(dims, needed.dim);
  if (found == dims.end())
    return Chosen::Nothing;
  auto parameter = cast<BlockArgument>(broadcast.getInput());
  const unsigned index = parameter.getArgNumber();
  const size_t before = chosen.size();
  bool again = choose(parameter, found - dims.begin(),
                      "elements of what is divided", needed.parts);
  if (chosen.size() == before)
    return Chosen::Nothing;
  if (!again || countReaders(index) != 1 || !operand.hasOneUse())
    return Chosen::Anew;
  place(index);
  --readers[parameter];
  return visit(broadcast) && visit(reader) ? Chosen::InPlace : Chosen::Anew;
}

void LayerPlan::refuse(const Parameters &parameters,
                       const std::string &reason) {
  for (unsigned index : parameters) {
    auto first = whyCut.find(index);
    refused.emplace(index, first == whyCut.end() ? reason : first->second);
    chosen.erase(index);
    cuts.erase(index);
  }
}

/// Returns false: the plan has changed.
bool LayerPlan::refuseOperands(Operation *op, const Refusal &refusal) {
  Parameters all;
  for (OpOperand &operand : op->getOpOperands())
    if (auto found = origins.find(operand.get());
        found != origins.end() &&
        refusal.operand.value_or(operand.getOperandNumber()) ==
            operand.getOperandNumber())
      all.insert(found->second.begin(), found->second.end());
  refuse(all, refusal.why);
  return false;
}

/// Divides the parameters that the first operand's slices come from in parts,
/// where its divided dimension is theirs and every part has a slice for each
/// rank; else refuses them. Returns false: the plan has changed.
bool LayerPlan::cutOperand(Operation *op, const Refusal &refusal) {
  Value operand = op->getOperand(0);
  const int64_t size = typeOf(operand).getDimSize(get(operand).dim);
  bool grows = false;
  for (unsigned index : origins.lookup(operand)) {
    if (typeOf(step.getArgument(index)).getDimSize(chosen.at(index).first) !=
        size)
      return refuseOperands(op, refusal);
    for (int64_t cut : refusal.cuts)
      grows |= cut > 0 && cuts[index].insert(cut).second;
    whyCut.emplace(index, refusal.why);
    for (int64_t part : getParts(index))
      if (part % ranks != 0)
        return refuseOperands(op, refusal);
  }
  return grows ? false : refuseOperands(op, refusal);
}

void LayerPlan::findOwned() {
  std::map<std::string, unsigned> paths;
  for (BlockArgument argument : step.getArguments()) {
    if (!isParameter(argument))
      continue;
    const unsigned index = argument.getArgNumber();
    owned[index].push_back(argument);
    paths[nameOf(step, index)] = index;
  }
  for (BlockArgument argument : step.getArguments()) {
    auto of = step.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                train::kParamOf);
    auto found = of ? paths.find(of.str()) : paths.end();
    if (found != paths.end() &&
        typeOf(argument).getShape() ==
            typeOf(step.getArgument(found->second)).getShape())
      owned[found->second].push_back(argument);
  }
}

void LayerPlan::start() {
  placements.clear();
  plans.clear();
  origins.clear();
  trained.clear();
  addedAsRows.clear();
  readers.clear();
  lookups.clear();
  for (BlockArgument argument : step.getArguments()) {
    auto role = step.getArgAttrOfType<train::RoleAttr>(argument.getArgNumber(),
                                                       train::kRole);
    if (role && (role.getValue() == train::Role::Parameter ||
                 role.getValue() == train::Role::OptimizerState))
      trained.insert(argument);
  }
  for (auto &[index, choice] : chosen)
    place(index);
}

/// What is returned in place of an argument is divided as that, and everything
/// else whole.
bool LayerPlan::checkReturned(func::ReturnOp ret) {
  for (OpOperand &operand : ret->getOpOperands()) {
    auto to = step.getResultAttrOfType<IntegerAttr>(operand.getOperandNumber(),
                                                    train::kDonatedTo);
    Placement wanted = to ? get(step.getArgument(to.getInt())) : Placement();
    Placement found = get(operand.get());
    if (found.isPartial() || found.isRows())
      found = Placement::whole();
    if (found == wanted)
      continue;
    Parameters all = origins.lookup(operand.get());
    if (to)
      if (auto of = origins.find(step.getArgument(to.getInt()));
          of != origins.end())
        all.insert(of->second.begin(), of->second.end());
    refuse(all, to ? "'" + nameOf(step, to.getInt()) +
                         "', which the step updates by it, is divided otherwise"
                   : "a result of the step is whole");
    return false;
  }
  return true;
}

/// What has rows, or needs the sum of terms, is computed of rows where it can
/// be; else rows are read whole.
std::optional<OpPlacements>
LayerPlan::place(Operation *op, ArrayRef<Placement> given, Refusal &refusal) {
  if (!rows)
    return placeOperation(op, given, ranks, refusal);
  SmallVector<Placement> asRows(given), whole(given);
  bool hasRows = false;
  for (auto [operand, placement, read] :
       llvm::zip_equal(op->getOperands(), asRows, whole)) {
    if (addedAsRows.contains(operand))
      placement = Placement::rows(*findRows(typeOf(operand), ranks));
    if (placement.isRows()) {
      hasRows = true;
      read = Placement::whole();
    }
  }
  std::optional<OpPlacements> placed =
      placeOperation(op, whole, ranks, refusal);
  const bool staysPartial =
      placed && !hasRows &&
      llvm::all_of(llvm::zip_equal(whole, placed->operands), [](auto pair) {
        return !std::get<0>(pair).isPartial() || std::get<1>(pair).isPartial();
      });
  if (staysPartial)
    return placed;
  if (std::optional<OpPlacements> ofRows = placeOnRows(op, asRows, ranks))
    return ofRows;
  return placed;
}

bool LayerPlan::visit(Operation *op) {
  if (chooseForProduct(op))
    return false;
  auto lookup = dyn_cast<train::EmbeddingOp>(op);
  if (lookup && chooseForLookup(lookup))
    return false;
  SmallVector<Placement> given;
  for (Value operand : op->getOperands())
    given.push_back(get(operand));
  Refusal refusal;
  Parameters all;
  std::optional<OpPlacements> placed;
  auto gradient = dyn_cast<train::EmbeddingGradOp>(op);
  if (auto of = gradient ? findLookup(gradient) : train::EmbeddingOp();
      of && !given[0].isSplit()) {
    placed = {{Placement::whole(), Placement::whole()}, {Placement::split(0)}};
    all = origins[of.getTable()];
  } else
    placed = place(op, given, refusal);
  if (!placed)
    return refusal.cuts.empty() ? refuseOperands(op, refusal)
                                : cutOperand(op, refusal);
  for (auto [index, operand, has, needed] :
       llvm::enumerate(op->getOperands(), given, placed->operands)) {
    if (needed.isSplit() && !has.isSplit()) {
      if (Chosen made = chooseForBroadcast(operand, needed, op);
          made != Chosen::Nothing)
        return made == Chosen::InPlace;
      if (has.isPartial() || has.isRows() || !canCut(operand))
        return refuseOperands(op, {"'" + op->getName().getStringRef().str() +
                                   "' reads it with what is whole"});
      SmallVector<int64_t> parts = needed.parts;
      parts.push_back(typeOf(operand).getDimSize(needed.dim));
      if (llvm::any_of(parts, [&](int64_t part) { return part % ranks != 0; }))
        return refuseOperands(op, {"'" + op->getName().getStringRef().str() +
                                   "' reads it with what has no slices"});
    }
    if (needed.isWhole() && has.isSplit())
      return refuseOperands(op, {"'" + op->getName().getStringRef().str() +
                                     "' is computed of what is whole",
                                 unsigned(index)});
    if (has.isPartial() && needed.isRows())
      addedAsRows.insert(operand);
    if (has.isSplit())
      all.insert(origins[operand].begin(), origins[operand].end());
    if (trained.contains(operand))
      trained.insert_range(op->getResults());
  }
  for (auto [result, placement] :
       llvm::zip_equal(op->getResults(), placed->results)) {
    placements[result] = placement;
    if (placement.isSplit())
      origins[result] = all;
  }
  if (lookup && placed->operands[0] == Placement::split(0))
    lookups.push_back(lookup);
  for (Value operand : op->getOperands())
    if (isa<BlockArgument>(operand))
      ++readers[operand];
  plans[op] = std::move(*placed);
  return true;
}

bool LayerPlan::walk() {
  start();
  for (Operation &op : step.front()) {
    if (auto ret = dyn_cast<func::ReturnOp>(op))
      return checkReturned(ret);
    if (!visit(&op))
      return false;
  }
  return true;
}

/// Each walk that does not come to the end chooses a parameter, or holds chosen
/// ones whole for good: slices come from a chosen one.
void LayerPlan::run() {
  findOwned();
  while (!walk()) {
  }
}
