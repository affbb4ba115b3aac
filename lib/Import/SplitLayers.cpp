//===- SplitLayers.cpp - the part of each layer that a rank computes ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides products among the ranks of the axis `tp` (tensor parallelism). Of a
// product of an activation and a parameter whose activation is whole, ranks
// have slices of the output (columns); where the activation is divided along
// the contracted dimension already, they have slices of that (rows), and the
// result is a sum of one term of each. So attention is divided by heads and a
// feed-forward layer by its inner elements, whatever they are called: a first
// product makes the division, a second one ends it.
//
// A plan is made first. It starts with every tensor whole and walks the graph:
// a parameter is divided at the first product that reads it. Where something
// else has read it before, the walk starts anew. Where something is not
// computed of slices (LayerPlacements.h), all parameters that the slices come
// from are held whole, with that reason, and the walk starts anew. A parameter
// is chosen once and refused once, so this ends; as a rule after one walk, and
// one more for each parameter that is refused. Then the graph is rewritten:
// types become those of slices, sums are added up where something other than
// another sum reads them.
//
// Example of two ranks, x [T, H], of a [F, H] and b [H, F] half the F:
//
//   %h = matmul %x, %a {transpose_b} : TxH, F/2xH -> TxF/2
//   %p = matmul %h, %b {transpose_b} : TxF/2, HxF/2 -> TxH
//   %y = all_reduce %p over "tp"
//
//===----------------------------------------------------------------------===//
#include "Import/LayerPlacements.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Import/Passes.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

#include <map>
#include <set>

namespace prec {
#define GEN_PASS_DEF_SPLITLAYERS
#include "prec/Import/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

static std::string nameOf(func::FuncOp step, unsigned index) {
  auto path = step.getArgAttrOfType<StringAttr>(index, train::kPath);
  return path ? path.str() : std::to_string(index);
}

namespace {

struct SplitLayers : public prec::impl::SplitLayersBase<SplitLayers> {
  using SplitLayersBase::SplitLayersBase;

  void runOnOperation() override;
};

/// Numbers of arguments that are parameters.
using Parameters = std::set<unsigned>;

/// What ranks have of every value of a step.
class Planner {
public:
  Planner(func::FuncOp step, int64_t ranks) : step(step), ranks(ranks) {}

  void run();

  Placement get(Value value) const { return placements.lookup(value); }
  const OpPlacements &get(Operation *op) const { return plans.at(op); }
  /// Whether ranks can cut their slice of a whole value: nothing in it is
  /// trained, so no gradient would be whole.
  bool canCut(Value value) const { return !trained.contains(value); }
  /// By argument: its dimension that is divided, and why.
  std::map<unsigned, std::pair<int64_t, std::string>> chosen;
  /// By argument: why it is whole.
  std::map<unsigned, std::string> refused;

private:
  bool isParameter(Value value);
  void findOwned();
  bool choose(Value parameter, int64_t dim, StringRef reason);
  unsigned countReaders(unsigned parameter) const;
  void place(unsigned parameter, int64_t dim);
  bool chooseForMatmul(train::MatmulOp op);
  enum class Chosen { Nothing, InPlace, Anew };
  Chosen chooseForBroadcast(Value operand, int64_t dim, Operation *reader);
  void refuse(const Parameters &parameters, const std::string &reason);
  bool refuseOperands(Operation *op, const Refusal &refusal);
  void start();
  /// False where it must start anew.
  bool walk();
  bool visit(Operation *op);
  bool checkReturned(func::ReturnOp ret);

  func::FuncOp step;
  int64_t ranks;
  DenseMap<Value, Placement> placements;
  std::map<Operation *, OpPlacements> plans;
  /// Of what is divided: the parameters that it is divided by.
  DenseMap<Value, Parameters> origins;
  DenseSet<Value> trained;
  /// Of each parameter: itself and its states, which are divided alike.
  std::map<unsigned, SmallVector<BlockArgument, 4>> owned;
  /// Arguments that this walk has seen an operation read, and how many did.
  DenseMap<Value, unsigned> readers;
};

class Splitter {
public:
  Splitter(func::FuncOp step, int64_t ranks, const Planner &plan)
      : step(step), ranks(ranks), plan(plan) {}

  void run();
  /// Sums over ranks, and their bytes.
  unsigned sums = 0;
  double bytes = 0;

private:
  Type getSliceType(Type whole, int64_t dim) const;
  Value add(Value part);
  Value cut(Value whole, int64_t dim, Operation *before);
  void rewrite(Operation *op);
  void rewriteNorm(train::GlobalNormOp norm);

  func::FuncOp step;
  int64_t ranks;
  const Planner &plan;
  DenseMap<Value, Value> added;
};

} // namespace

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

bool Planner::isParameter(Value value) {
  auto argument = dyn_cast_if_present<BlockArgument>(value);
  if (!argument)
    return false;
  auto role = step.getArgAttrOfType<train::RoleAttr>(argument.getArgNumber(),
                                                     train::kRole);
  return role && role.getValue() == train::Role::Parameter;
}

/// Whether the walk must start anew.
bool Planner::choose(Value parameter, int64_t dim, StringRef reason) {
  unsigned index = cast<BlockArgument>(parameter).getArgNumber();
  if (chosen.count(index) || refused.count(index))
    return false;
  int64_t size = typeOf(parameter).getDimSize(dim);
  if (size % ranks != 0) {
    refused[index] = std::to_string(size) + " slices cannot be divided by " +
                     std::to_string(ranks);
    return false;
  }
  chosen[index] = {dim, reason.str()};
  if (countReaders(index) != 0)
    return true;
  place(index, dim);
  return false;
}

unsigned Planner::countReaders(unsigned parameter) const {
  unsigned count = 0;
  for (BlockArgument argument : owned.at(parameter))
    count += readers.lookup(argument);
  return count;
}

void Planner::place(unsigned parameter, int64_t dim) {
  for (BlockArgument argument : owned.at(parameter)) {
    placements[argument] = Placement::split(dim);
    origins[argument] = {parameter};
  }
}

bool Planner::chooseForMatmul(train::MatmulOp op) {
  Value weight = op.getRhs();
  if (!isParameter(weight) || train::getPhase(op) != train::Phase::Forward ||
      typeOf(weight).getRank() != 2)
    return false;
  const int64_t contracted = op.getTransposeB() ? 1 : 0;
  const Placement input = get(op.getLhs());
  const int64_t last = op.getTransposeA() ? 0 : 1;
  if (input.isSplit() && input.dim == last)
    return choose(weight, contracted, "rows of a product");
  return !input.isSplit() &&
         choose(weight, 1 - contracted, "columns of a product");
}

/// A parameter that is added to what is divided, or multiplied with it. In
/// place where `reader` alone reads it, through a broadcast.
Planner::Chosen Planner::chooseForBroadcast(Value operand, int64_t dim,
                                            Operation *reader) {
  auto broadcast = operand.getDefiningOp<train::BroadcastOp>();
  if (!broadcast || !isParameter(broadcast.getInput()))
    return Chosen::Nothing;
  ArrayRef<int64_t> dims = broadcast.getDims();
  const auto *found = llvm::find(dims, dim);
  if (found == dims.end())
    return Chosen::Nothing;
  auto parameter = cast<BlockArgument>(broadcast.getInput());
  const unsigned index = parameter.getArgNumber();
  const size_t before = chosen.size();
  bool again =
      choose(parameter, found - dims.begin(), "elements of what is divided");
  if (chosen.size() == before)
    return Chosen::Nothing;
  if (!again || countReaders(index) != 1 || !operand.hasOneUse())
    return Chosen::Anew;
  place(index, found - dims.begin());
  --readers[parameter];
  return visit(broadcast) && visit(reader) ? Chosen::InPlace : Chosen::Anew;
}

void Planner::refuse(const Parameters &parameters, const std::string &reason) {
  for (unsigned index : parameters) {
    chosen.erase(index);
    refused.emplace(index, reason);
  }
}

/// Returns false: the plan has changed.
bool Planner::refuseOperands(Operation *op, const Refusal &refusal) {
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

void Planner::findOwned() {
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

void Planner::start() {
  placements.clear();
  plans.clear();
  origins.clear();
  trained.clear();
  readers.clear();
  for (BlockArgument argument : step.getArguments()) {
    auto role = step.getArgAttrOfType<train::RoleAttr>(argument.getArgNumber(),
                                                       train::kRole);
    if (role && (role.getValue() == train::Role::Parameter ||
                 role.getValue() == train::Role::OptimizerState))
      trained.insert(argument);
  }
  for (auto &[index, choice] : chosen)
    place(index, choice.first);
}

/// What is returned in place of an argument is divided as that, and everything
/// else whole.
bool Planner::checkReturned(func::ReturnOp ret) {
  for (OpOperand &operand : ret->getOpOperands()) {
    auto to = step.getResultAttrOfType<IntegerAttr>(operand.getOperandNumber(),
                                                    train::kDonatedTo);
    Placement wanted = to ? get(step.getArgument(to.getInt())) : Placement();
    Placement found = get(operand.get());
    if (found.isPartial())
      found = Placement::whole();
    if (found == wanted)
      continue;
    Parameters all = origins.lookup(operand.get());
    if (to)
      if (auto of = origins.find(step.getArgument(to.getInt()));
          of != origins.end())
        all.insert(of->second.begin(), of->second.end());
    refuse(all, "a result of the step is divided otherwise");
    return false;
  }
  return true;
}

bool Planner::visit(Operation *op) {
  if (auto matmul = dyn_cast<train::MatmulOp>(op))
    if (chooseForMatmul(matmul))
      return false;
  SmallVector<Placement> given;
  for (Value operand : op->getOperands())
    given.push_back(get(operand));
  Refusal refusal;
  std::optional<OpPlacements> placed =
      placeOperation(op, given, ranks, refusal);
  if (!placed)
    return refuseOperands(op, refusal);
  Parameters all;
  for (auto [index, operand, has, needed] :
       llvm::enumerate(op->getOperands(), given, placed->operands)) {
    if (needed.isSplit() && !has.isSplit()) {
      if (Chosen made = chooseForBroadcast(operand, needed.dim, op);
          made != Chosen::Nothing)
        return made == Chosen::InPlace;
      if (has.isPartial() || !canCut(operand))
        return refuseOperands(op, {"'" + op->getName().getStringRef().str() +
                                   "' reads it with what is whole"});
      if (typeOf(operand).getDimSize(needed.dim) % ranks != 0)
        return refuseOperands(op, {"'" + op->getName().getStringRef().str() +
                                   "' reads it with what has no slices"});
    }
    if (needed.isWhole() && has.isSplit())
      return refuseOperands(op, {"'" + op->getName().getStringRef().str() +
                                     "' is computed of what is whole",
                                 unsigned(index)});
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
  for (Value operand : op->getOperands())
    if (isa<BlockArgument>(operand))
      ++readers[operand];
  plans[op] = std::move(*placed);
  return true;
}

bool Planner::walk() {
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
void Planner::run() {
  findOwned();
  while (!walk()) {
  }
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

Type Splitter::getSliceType(Type whole, int64_t dim) const {
  auto type = cast<RankedTensorType>(whole);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= ranks;
  return type.clone(shape);
}

/// The sum of what all ranks have of a value, once for all who read it.
Value Splitter::add(Value part) {
  Value &sum = added[part];
  if (sum)
    return sum;
  Operation *maker = part.getDefiningOp();
  OpBuilder builder(maker->getContext());
  builder.setInsertionPointAfter(maker);
  auto op = train::AllReduceOp::create(
      builder, maker->getLoc(), part.getType(), part,
      builder.getStringAttr(train::kLayerAxis),
      builder.getI64IntegerAttr(ranks),
      builder.getStringAttr("a dimension that is summed over is divided"),
      /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
  train::copyProvenance(maker, op);
  sum = op.getResult();
  ++sums;
  bytes += double(typeOf(part).getNumElements()) *
           typeOf(part).getElementTypeBitWidth() / 8;
  return sum;
}

/// This rank's slice of what all have.
Value Splitter::cut(Value whole, int64_t dim, Operation *before) {
  OpBuilder builder(before);
  auto type = cast<RankedTensorType>(getSliceType(whole.getType(), dim));
  DenseElementsAttr constant;
  if (matchPattern(whole, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(builder, before->getLoc(),
                                     constant.resizeSplat(type));
  if (auto broadcast = whole.getDefiningOp<train::BroadcastOp>())
    if (!llvm::is_contained(broadcast.getDims(), dim)) {
      Operation *copy = builder.clone(*broadcast);
      copy->getResult(0).setType(type);
      return copy->getResult(0);
    }
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, ranks);
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank() + 1; ++i) {
    groups.push_back({i});
    if (i == dim)
      groups.back().push_back(++i);
  }
  auto create = [&](Operation *op) {
    train::copyProvenance(before, op);
    return op->getResult(0);
  };
  Value slices = create(tensor::ExpandShapeOp::create(
      builder, before->getLoc(), type.clone(shape), whole, groups));
  if (dim != 0) {
    SmallVector<int64_t> permutation{dim};
    SmallVector<int64_t> moved{ranks};
    for (int64_t i = 0; i < int64_t(shape.size()); ++i)
      if (i != dim) {
        permutation.push_back(i);
        moved.push_back(shape[i]);
      }
    slices = create(train::TransposeOp::create(
        builder, before->getLoc(), type.clone(moved), slices, permutation));
  }
  return create(train::ExchangeOp::create(builder, before->getLoc(), type,
                                          train::ExchangeKind::OwnSlice, slices,
                                          train::kLayerAxis));
}

/// The norm of a divided tensor is that of its slices' norms.
void Splitter::rewriteNorm(train::GlobalNormOp norm) {
  SmallVector<Value> slices, whole;
  for (Value input : norm.getInputs())
    (plan.get(input).isSplit() ? slices : whole).push_back(input);
  if (slices.empty())
    return;
  OpBuilder builder(norm);
  auto own = train::GlobalNormOp::create(builder, norm.getLoc(), norm.getType(),
                                         slices,
                                         /*result_tags=*/nullptr,
                                         /*operand_tags=*/nullptr);
  train::copyProvenance(norm, own);
  Value all =
      train::ExchangeOp::create(
          builder, norm.getLoc(),
          cast<RankedTensorType>(norm.getType()).clone({ranks}),
          train::ExchangeKind::AllGather, own.getResult(), train::kLayerAxis)
          .getResult();
  train::copyProvenance(norm, all.getDefiningOp());
  whole.push_back(all);
  norm.getInputsMutable().assign(whole);
}

void Splitter::rewrite(Operation *op) {
  auto *found = isa<func::ReturnOp>(op) ? nullptr : &plan.get(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Placement has = plan.get(operand.get());
    Placement needed = found ? found->operands[operand.getOperandNumber()]
                             : (has.isPartial() ? Placement::whole() : has);
    if (has.isPartial() && !needed.isPartial())
      operand.set(add(operand.get()));
    else if (has.isWhole() && needed.isSplit())
      operand.set(cut(operand.get(), needed.dim, op));
  }
  if (!found)
    return;
  for (auto [result, placement] :
       llvm::zip_equal(op->getResults(), found->results))
    if (placement.isSplit())
      result.setType(getSliceType(result.getType(), placement.dim));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    expand.setStaticOutputShape(typeOf(expand.getResult()).getShape());
  else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    slice.setStaticSizes(typeOf(slice.getResult()).getShape());
  else if (auto norm = dyn_cast<train::GlobalNormOp>(op))
    rewriteNorm(norm);
}

void Splitter::run() {
  Builder builder(step.getContext());
  for (BlockArgument argument : step.getArguments()) {
    Placement placement = plan.get(argument);
    if (!placement.isSplit())
      continue;
    unsigned index = argument.getArgNumber();
    argument.setType(getSliceType(argument.getType(), placement.dim));
    step.setArgAttr(index, train::kShard,
                    builder.getStringAttr(train::kLayerAxis));
    step.setArgAttr(index, train::kShardDim,
                    builder.getI64IntegerAttr(placement.dim));
  }
  SmallVector<Operation *> ops;
  for (Operation &op : step.front())
    ops.push_back(&op);
  for (Operation *op : ops)
    rewrite(op);
  step.setFunctionType(
      FunctionType::get(step.getContext(), step.front().getArgumentTypes(),
                        step.front().getTerminator()->getOperandTypes()));
}

//===----------------------------------------------------------------------===//
// What is said
//===----------------------------------------------------------------------===//

/// Names that a line gives; others are counted.
static constexpr size_t kNamed = 6;

/// Parameters of each reason, in the order of the step.
static void
sayEach(func::FuncOp step, StringRef what,
        const llvm::MapVector<StringRef, SmallVector<unsigned>> &reasons) {
  for (auto &[reason, parameters] : reasons) {
    std::string text = (what + " (" + reason + "): ").str();
    for (auto [number, index] : llvm::enumerate(parameters))
      if (number < kNamed)
        text += (number ? ", " : "") + nameOf(step, index);
    if (parameters.size() > kNamed)
      text += " and " + std::to_string(parameters.size() - kNamed) + " more";
    emitPassRemark(step.getLoc(), {"prec-split-layers", "Placement", true},
                   text);
  }
}

static void say(func::FuncOp step, int64_t ranks, const Planner &plan,
                const Splitter &split) {
  llvm::MapVector<StringRef, SmallVector<unsigned>> divided, whole;
  for (auto &[index, choice] : plan.chosen)
    divided[choice.second].push_back(index);
  for (auto &[index, reason] : plan.refused)
    whole[reason].push_back(index);
  emitPassRemark(
      step.getLoc(), {"prec-split-layers", "Layers", !plan.chosen.empty()},
      "layers are divided among " + Twine(ranks) + " ranks: slices of " +
          Twine(plan.chosen.size()) + " parameters; " + Twine(split.sums) +
          " sums over ranks in forward and backward, of " +
          Twine(int64_t(split.bytes)) + " bytes in f32");
  sayEach(step, "divided", divided);
  sayEach(step, "whole on every rank", whole);
}

void SplitLayers::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> found = getStepGraph(module);
  FailureOr<train::Mesh> parsed =
      train::parseMesh(mesh, [&] { return module.emitOpError(); });
  if (failed(found) || failed(parsed))
    return signalPassFailure();
  const int64_t ranks = parsed->getSize(train::kLayerAxis);
  if (ranks == 1)
    return;
  // split_layers_c1
  if (Attribute present = module->getAttr(train::kMesh)) {
    module.emitOpError("layers must be divided once, but got the mesh ")
        << present;
    return signalPassFailure();
  }
  for (auto function : module.getOps<func::FuncOp>())
    // split_layers_c2
    if (function != *found && isCompiledGraph(function)) {
      function.emitOpError("a module whose layers are divided must have a step "
                           "alone, but got another function");
      return signalPassFailure();
    }
  Planner plan(*found, ranks);
  plan.run();
  // split_layers_c3
  if (plan.chosen.empty()) {
    found->emitOpError("layers must be divided by tp=")
        << ranks << ", but got none that can be"
        << (plan.refused.empty() ? "" : ": ")
        << (plan.refused.empty() ? "" : plan.refused.begin()->second);
    return signalPassFailure();
  }
  Splitter split(*found, ranks, plan);
  split.run();
  say(*found, ranks, plan, split);
  Builder builder(&getContext());
  module->setAttr(train::kMesh,
                  builder.getDictionaryAttr(builder.getNamedAttr(
                      train::kLayerAxis, builder.getI64IntegerAttr(ranks))));
}
