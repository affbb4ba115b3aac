//===- AgreeRanks.cpp - what ranks with parts of layers must agree on -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks along `tp` compute one batch, each with its slices of layers. A value
// is a rank's *own* where it follows from a slice, until an exchange along this
// axis makes it the same on all. What decides for all must not be own: guards
// look at gradients, of which each rank has others, and amaxes that scales are
// kept of from step to step are those of slices. Guards get the largest
// magnitude of all ranks' slices, records and scales of whole tensors the
// largest amax; an expert's matrix counts as a tensor. Scales of rows and
// blocks belong to a slice alone: they become part of the work weights, which
// are made again and not saved. Then the pass checks that nothing that a step
// returns is own but slices of states. So all ranks skip a step or none, have
// the same scales, and save one state.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Frontier.h"
#include "Materialize/Ranks/GatherQuantized.h"
#include "Materialize/Ranks/JoinExchanges.h"
#include "Materialize/Ranks/RankBuilder.h"
#include "Materialize/Ranks/StateNames.h"
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Outputs.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

#include <set>

namespace prec {
#define GEN_PASS_DEF_AGREERANKS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

/// What is divided, and along which axis.
struct Division {
  MeshAxis axis;
  /// Axes of ranks that have batches of their own, where those of `axis` have.
  std::string batches;

  bool hasBatches() const { return !batches.empty(); }
  bool isAlong(StringRef name) const {
    return name == axis.name || (hasBatches() && name == batches);
  }
  StringRef getName() const { return hasBatches() ? "experts" : "layers"; }
};

struct AgreeRanks : public prec::impl::AgreeRanksBase<AgreeRanks> {
  using AgreeRanksBase::AgreeRanksBase;

  void runOnOperation() override;

private:
  FailureOr<Division> findDivision();
  std::set<StateName> findOwnStates();
  bool growOwnStates(std::set<StateName> &names);
  std::set<StateName> findScales();
  LogicalResult checkMoments(int64_t ranks);
  void forget(const std::set<StateName> &scales);

  Division division;
};

/// Values of one function that are a rank's own.
class OwnValues {
public:
  /// With `guardsAgree` the verdicts of guards are not: they will be the same
  /// on all ranks.
  OwnValues(func::FuncOp function, const std::set<StateName> &states,
            const Division &division, bool guardsAgree = false);

  bool contains(Value value) const { return values.contains(value); }

private:
  DenseSet<Value> values;
};

} // namespace

/// A loss of logits that ranks have slices of is of whole rows.
static bool isLossOfSlices(Operation &op) {
  auto loss = dyn_cast<train::CrossEntropyOp>(op);
  return loss && loss.getAxis() == StringRef(train::kLayerAxis);
}

/// A table's rows of this rank have their gradient from what all ranks have.
static bool isGradientOfSlice(Operation &op) {
  auto gradient = dyn_cast<train::EmbeddingGradOp>(op);
  return gradient && gradient.getAxis() == StringRef(train::kLayerAxis);
}

OwnValues::OwnValues(func::FuncOp function, const std::set<StateName> &states,
                     const Division &division, bool guardsAgree) {
  for (BlockArgument argument : function.getArguments()) {
    auto role = function.getArgAttrOfType<train::RoleAttr>(
        argument.getArgNumber(), train::kRole);
    bool isBatch = role && role.getValue() == train::Role::Batch;
    if (states.count(nameOfArgument(function, argument.getArgNumber())) ||
        (isBatch && division.hasBatches()))
      values.insert(argument);
  }
  const bool isOfLayers = !division.hasBatches();
  for (Operation &op : function.front()) {
    auto exchange = dyn_cast<train::ExchangeOp>(op);
    bool isAlong = exchange && division.isAlong(exchange.getAxis());
    auto sum = dyn_cast<train::AllReduceOp>(op);
    if ((isAlong && exchange.getKind() == train::ExchangeKind::AllGather) ||
        (isOfLayers &&
         ((sum && sum.getAxis() == train::kLayerAxis) || isLossOfSlices(op))) ||
        (guardsAgree && isa<FiniteGuardOp>(op)))
      continue;
    if (isAlong || (isOfLayers && isGradientOfSlice(op)) ||
        llvm::any_of(op.getOperands(),
                     [&](Value operand) { return values.contains(operand); }))
      values.insert_range(op.getResults());
  }
}

/// What makes a rank's own state: a slice of a parameter, what an optimizer
/// keeps of it, and the copies that products read.
std::set<StateName> AgreeRanks::findOwnStates() {
  std::set<StateName> names;
  std::set<StringRef> parameters;
  auto visit = [&](auto body) {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isCompiledGraph(function))
        for (BlockArgument argument : function.getArguments())
          body(function, argument.getArgNumber());
  };
  visit([&](func::FuncOp function, unsigned index) {
    auto axis = function.getArgAttrOfType<StringAttr>(index, train::kShard);
    if (!axis || !division.isAlong(axis.getValue()))
      return;
    names.insert(nameOfArgument(function, index));
    // Copies of what is a shard of ranks with other batches are gathered.
    if (axis.getValue() == division.axis.name)
      parameters.insert(nameOfArgument(function, index).first);
  });
  visit([&](func::FuncOp function, unsigned index) {
    auto of = function.getArgAttrOfType<StringAttr>(index, train::kParamOf);
    auto role = function.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    if (of && role && role.getValue() == train::Role::WorkWeight &&
        parameters.count(of.getValue()))
      names.insert(nameOfArgument(function, index));
  });
  return names;
}

/// Sums over micro-batches are as own as what is added up.
bool AgreeRanks::growOwnStates(std::set<StateName> &names) {
  bool grows = false;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (!isCompiledGraph(function))
      continue;
    OwnValues own(function, names, division);
    for (OpOperand &returned :
         function.front().getTerminator()->getOpOperands()) {
      StateName name = nameOfReturned(function, returned.getOperandNumber());
      bool isKept = name.first == StringRef(kAccumulated);
      if (isKept && own.contains(returned.get()))
        grows |= names.insert(name).second;
    }
  }
  return grows;
}

/// The largest of all ranks of each element of these lists, by one exchange.
static SmallVector<Value> getLargestOfLists(RankBuilder &b,
                                            ArrayRef<Value> lists) {
  int64_t total = 0;
  for (Value list : lists)
    total += typeOf(list).getDimSize(0);
  RankedTensorType type = typeOf(lists.front()).clone({total});
  Value all = lists.front();
  if (lists.size() > 1)
    all = b.create<tensor::ConcatOp>(type, /*dim=*/int64_t(0), lists);
  all = b.getLargest(all);
  SmallVector<Value> largest;
  int64_t offset = 0;
  for (Value list : lists) {
    largest.push_back(b.slice(typeOf(list), all, {offset}));
    offset += typeOf(list).getDimSize(0);
  }
  return largest;
}

/// A guard's inputs of which each rank has its own become those of all.
static void agreeOnGuard(FiniteGuardOp guard, const OwnValues &own,
                         MeshAxis axis) {
  RankBuilder b(guard, axis);
  SmallVector<OpOperand *> inputs;
  SmallVector<Value> lists;
  for (OpOperand &input : guard->getOpOperands()) {
    Value value = input.get();
    if (!own.contains(value))
      continue;
    Value list = b.widen(value);
    if (typeOf(value).getRank() == 0)
      list = b.concatenate({list});
    Value largest = b.create<AmaxOp>(
        RankedTensorType::get({}, Float32Type::get(value.getContext())), list,
        /*nan_is_infinite=*/true, Scaling::TensorCurrent);
    // Who computes squares asks whether these are finite.
    if (train::isSquared(value))
      largest = b.create<arith::MulFOp>(largest, largest);
    inputs.push_back(&input);
    lists.push_back(b.concatenate({largest}));
  }
  if (lists.empty())
    return;
  for (auto [input, largest] :
       llvm::zip_equal(inputs, getLargestOfLists(b, lists)))
    input->set(b.reduceTo(train::ReduceKind::Max, largest, 0));
}

static void agreeOnAmaxes(RecordAmaxOp record, const OwnValues &own,
                          MeshAxis axis) {
  SmallVector<Value> amaxes = llvm::to_vector(llvm::make_filter_range(
      record.getAmaxes(), [&](Value amax) { return own.contains(amax); }));
  recordLargest(record, amaxes, axis);
}

/// What metrics say of the scales of experts is the largest of all ranks, place
/// by place.
static void agreeOnRatios(func::FuncOp function, const OwnValues &own,
                          MeshAxis axis) {
  SmallVector<Value> lists;
  SmallVector<SmallVector<OpOperand *>> reads;
  Operation *last = nullptr;
  for (OpOperand &returned :
       function.front().getTerminator()->getOpOperands()) {
    auto role = function.getResultAttrOfType<train::RoleAttr>(
        returned.getOperandNumber(), train::kRole);
    Value ratios = returned.get();
    if (!role || role.getValue() != train::Role::AmaxRatios ||
        !own.contains(ratios))
      continue;
    lists.push_back(ratios);
    reads.push_back(llvm::map_to_vector(ratios.getUses(),
                                        [](OpOperand &use) { return &use; }));
    Operation *maker = ratios.getDefiningOp();
    if (!last || last->isBeforeInBlock(maker))
      last = maker;
  }
  if (lists.empty())
    return;
  RankBuilder b(last->getNextNode(), axis);
  for (auto [largest, readsOf] :
       llvm::zip_equal(getLargestOfLists(b, lists), reads))
    for (OpOperand *read : readsOf)
      read->set(largest);
  // Some stand in front of the last list.
  sortTopologically(&function.front());
}

/// Whether there is one amax for each matrix: of a tensor, or of each expert,
/// whose matrices are rows of a stack.
static bool isOfWholeMatrices(AmaxOp amax) {
  if (typeOf(amax.getResult()).getRank() == 0)
    return true;
  auto rows = amax.getInput().getDefiningOp<tensor::CollapseShapeOp>();
  return rows && typeOf(amax.getResult()).getRank() == 1 &&
         typeOf(rows.getSrc()).getRank() == 3 &&
         typeOf(rows.getSrc()).getDimSize(0) ==
             typeOf(amax.getResult()).getDimSize(0);
}

/// Amaxes of own tensors that the scales which a function returns are made of.
/// What these tensors and the verdict of a guard are made of has scales of its
/// own.
static void agreeOnScales(func::FuncOp function, const OwnValues &own,
                          const std::set<StateName> &scales, MeshAxis axis) {
  SetVector<Value> behind;
  for (OpOperand &returned : function.front().getTerminator()->getOpOperands())
    if (scales.count(nameOfReturned(function, returned.getOperandNumber())))
      behind.insert(returned.get());
  SmallVector<AmaxOp> amaxes;
  for (size_t i = 0; i < behind.size(); ++i) {
    Operation *maker = behind[i].getDefiningOp();
    if (!maker || !own.contains(behind[i]) || isa<FiniteGuardOp>(maker))
      continue;
    if (auto amax = dyn_cast<AmaxOp>(maker)) {
      if (isOfWholeMatrices(amax))
        amaxes.push_back(amax);
      continue;
    }
    for (Value operand : maker->getOperands())
      behind.insert(operand);
  }
  for (AmaxOp amax : amaxes) {
    RankBuilder b(amax->getNextNode(), axis);
    Value largest = b.getLargest(amax.getResult());
    amax.getResult().replaceAllUsesExcept(
        largest, largest.getDefiningOp()->getOperand(0).getDefiningOp());
  }
}

/// That moments in 8 bits have the blocks on every rank that they have whole:
/// files hold whole ones.
LogicalResult AgreeRanks::checkMoments(int64_t ranks) {
  auto moments = getOperation()->getAttrOfType<MomentStorageAttr>(kMoments);
  if (!moments || moments.getValue() == MomentStorage::F32)
    return success();
  for (auto function : getOperation().getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments()) {
      unsigned index = argument.getArgNumber();
      auto axis = function.getArgAttrOfType<StringAttr>(index, train::kShard);
      auto role =
          function.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
      if (!axis || axis.getValue() != division.axis.name || !role ||
          role.getValue() != train::Role::Parameter)
        continue;
      int64_t elements = typeOf(argument).getNumElements();
      auto dim =
          function.getArgAttrOfType<IntegerAttr>(index, train::kShardDim);
      // agree_ranks_c3
      if (isCodedMoment(elements * ranks) &&
          (dim.getInt() != 0 || !isCodedMoment(elements) ||
           function.getArgAttr(index, train::kShardParts)))
        return function.emitOpError("moments must be in f32 where ")
               << division.getName()
               << " are divided, as those in 8 bits have blocks that end in no "
                  "slice, but got a slice of '"
               << nameOfArgument(function, index).first
               << "' (moments=f32 of the assign options)";
    }
  return success();
}

/// Scales of copies of parameters: what one step leaves for the next.
std::set<StateName> AgreeRanks::findScales() {
  std::set<StateName> names;
  for (auto function : getOperation().getOps<func::FuncOp>())
    for (unsigned index = 0;
         isCompiledGraph(function) && index < function.getNumArguments();
         ++index) {
      auto role =
          function.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
      if (role && role.getValue() == train::Role::ScaleState &&
          function.getArgAttr(index, train::kParamOf))
        names.insert(nameOfArgument(function, index));
    }
  return names;
}

/// Makes scales part of the work weights that they belong to.
void AgreeRanks::forget(const std::set<StateName> &scales) {
  auto role = train::RoleAttr::get(&getContext(), train::Role::WorkWeight);
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (!isCompiledGraph(function))
      continue;
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      if (scales.count(nameOfArgument(function, index)))
        function.setArgAttr(index, train::kRole, role);
    for (unsigned index = 0; index < function.getNumResults(); ++index) {
      auto has =
          function.getResultAttrOfType<train::RoleAttr>(index, train::kRole);
      if (has && has.getValue() == train::Role::ScaleState &&
          scales.count(nameOfReturned(function, index)))
        function.setResultAttr(index, train::kRole, role);
    }
  }
}

/// That a function returns the same on all ranks, but for slices.
static LogicalResult verify(func::FuncOp function,
                            const std::set<StateName> &states,
                            const Division &division) {
  OwnValues own(function, states, division);
  for (OpOperand &returned :
       function.front().getTerminator()->getOpOperands()) {
    if (division.hasBatches() &&
        train::isOutput(function, returned.getOperandNumber()))
      continue;
    StateName name = nameOfReturned(function, returned.getOperandNumber());
    // agree_ranks_c2
    if (own.contains(returned.get()) && !states.count(name))
      return function.emitOpError(
                 "what a step returns must be the same on all ranks of one "
                 "batch, or be a slice of a state, but got '")
             << name.first << (name.second.empty() ? "" : "', slot '")
             << name.second << "' of a rank's own slices";
  }
  return success();
}

FailureOr<Division> AgreeRanks::findDivision() {
  ModuleOp module = getOperation();
  FailureOr<train::Mesh> parsed =
      train::parseMesh(mesh, [&] { return module.emitOpError(); });
  if (failed(parsed))
    return failure();
  StringRef name = experts ? train::kExpertAxis : train::kLayerAxis;
  Division found{{name, parsed->getSize(name)},
                 experts ? parsed->getBatchAxes() : std::string()};
  auto has = module->getAttrOfType<DictionaryAttr>(train::kMesh);
  const int64_t size = train::getAxisSize(has, name).value_or(1);
  // agree_ranks_c1
  if (size != found.axis.ranks)
    return module.emitOpError()
           << found.getName()
           << " must be divided as the mesh says before formats are assigned, "
              "but got "
           << name << "=" << found.axis.ranks << " and " << found.getName()
           << " of " << name << "=" << size;
  return found;
}

void AgreeRanks::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<Division> found = findDivision();
  if (failed(found))
    return signalPassFailure();
  division = *found;
  const MeshAxis axis = division.axis;
  if (axis.ranks == 1)
    return;
  if (failed(checkMoments(axis.ranks)))
    return signalPassFailure();
  if (!division.hasBatches())
    for (auto function : module.getOps<func::FuncOp>())
      if (isCompiledGraph(function))
        gatherQuantized(function, axis);
  std::set<StateName> states = findOwnStates(), scales = findScales();
  while (growOwnStates(states)) {
  }
  auto forEach = [&](auto body) {
    for (auto function : module.getOps<func::FuncOp>())
      if (isCompiledGraph(function))
        body(function, OwnValues(function, states, division,
                                 /*guardsAgree=*/true));
  };
  forEach([&](func::FuncOp function, const OwnValues &own) {
    for (auto guard : function.getOps<FiniteGuardOp>())
      agreeOnGuard(guard, own, axis);
    // Those of experts are of other matrices on every rank.
    if (division.hasBatches()) {
      agreeOnRatios(function, own, axis);
    } else {
      SmallVector<RecordAmaxOp> records(function.getOps<RecordAmaxOp>());
      for (RecordAmaxOp record : records)
        agreeOnAmaxes(record, own, axis);
      agreeOnScales(function, own, scales, axis);
    }
    if (!division.hasBatches())
      joinExchanges(function, axis);
  });
  std::set<StateName> ofSlices;
  forEach([&](func::FuncOp function, const OwnValues &own) {
    for (OpOperand &returned :
         function.front().getTerminator()->getOpOperands()) {
      StateName name = nameOfReturned(function, returned.getOperandNumber());
      if (scales.count(name) && !states.count(name) &&
          own.contains(returned.get()))
        ofSlices.insert(name);
    }
  });
  forget(ofSlices);
  states.insert(ofSlices.begin(), ofSlices.end());
  while (growOwnStates(states)) {
  }
  bool agrees = true;
  forEach([&](func::FuncOp function, const OwnValues &) {
    agrees &= succeeded(verify(function, states, division));
  });
  if (!agrees)
    signalPassFailure();
}
