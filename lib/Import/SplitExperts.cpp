//===- SplitExperts.cpp - the experts that a rank computes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides experts among the ranks of the axis `ep` (expert parallelism). Every
// rank has tokens of its own, and a block of the experts: their matrices, the
// gradients and the states of these. A layer's tokens go to the ranks of their
// experts, and come back (ExpertRows.h); everything else a rank computes of its
// own tokens, with parameters that all ranks have.
//
// Where rows may have no room, the step is divided twice: with the room that
// was asked for, and with room for all rows, in a module of its own within this
// one (the crowded step).
//
// First the rows of each layer are rewritten. What is left of the products of
// all experts is dead then. Where it is not, something reads rows that this
// pass does not know, and the layer is refused. Then arguments become slices,
// and so does what is computed of them up to the optimizer, by the same rules
// by which layers are divided (LayerPlacements.h).
//
//===----------------------------------------------------------------------===//
#include "Import/DividedNorm.h"
#include "Import/ExpertRows.h"
#include "Import/LayerPlacements.h"

#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/IndexCheck.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Import/Passes.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace prec {
#define GEN_PASS_DEF_SPLITEXPERTS
#include "prec/Import/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct SplitExperts : public prec::impl::SplitExpertsBase<SplitExperts> {
  using SplitExpertsBase::SplitExpertsBase;

  void runOnOperation() override;
};

class ExpertSplitter {
public:
  ExpertSplitter(func::FuncOp step, const ExpertMesh &mesh)
      : step(step), mesh(mesh) {}

  LogicalResult run();
  /// Whether a rank may get more rows than it has room for.
  bool mayLackRoom() const { return lacksRoom; }

private:
  LogicalResult findLayers();
  LogicalResult addParameter(Operation *product, Value matrices);
  LogicalResult splitRows();
  LogicalResult checkDead(const DenseSet<Operation *> &products);
  LogicalResult splitValues();
  LogicalResult split(Operation *op);
  void setTypes();
  Value cut(Operation *op, Value whole, int64_t dim);
  LogicalResult returnRoom();
  void eraseDead();
  void say();

  func::FuncOp step;
  ExpertMesh mesh;
  llvm::MapVector<Value, ExpertLayer> layers;
  SetVector<BlockArgument> parameters;
  /// What ranks have slices of.
  DenseMap<Value, Placement> placements;
  SmallVector<Value> hasRoom;
  int64_t mostRows = 0;
  bool lacksRoom = false;
  double bytes = 0;
};

} // namespace

static StringRef pathOf(func::FuncOp step, BlockArgument argument) {
  auto path =
      step.getArgAttrOfType<StringAttr>(argument.getArgNumber(), train::kPath);
  return path ? path.getValue() : StringRef();
}

LogicalResult ExpertSplitter::addParameter(Operation *product, Value matrices) {
  auto parameter = dyn_cast<BlockArgument>(matrices);
  auto role = parameter ? step.getArgAttrOfType<train::RoleAttr>(
                              parameter.getArgNumber(), train::kRole)
                        : train::RoleAttr();
  // split_experts_c1
  if (!role || (role.getValue() != train::Role::Parameter &&
                role.getValue() != train::Role::FrozenParameter))
    return product->emitOpError("matrices of experts that are divided among "
                                "ranks must be a parameter, but got ")
           << matrices.getType() << " that is none (ep= takes no adapters of "
           << "experts)";
  // split_experts_c2
  if (int64_t experts = typeOf(parameter).getDimSize(0);
      experts % mesh.ranks != 0)
    return product->emitOpError("ep=")
           << mesh.ranks << " must divide the number of experts, but got "
           << experts << " of '" << pathOf(step, parameter) << "'";
  parameters.insert(parameter);
  return success();
}

LogicalResult ExpertSplitter::findLayers() {
  for (Operation &op : step.front()) {
    auto product = dyn_cast<train::GroupedMatmulOp>(op);
    auto gradient = dyn_cast<train::GroupedMatmulGradOp>(op);
    if (!product && !gradient)
      continue;
    if (product && failed(addParameter(product, product.getMatrices())))
      return failure();
    Value ends = product ? product.getEnds() : gradient.getEnds();
    ExpertLayer &layer = layers[ends];
    layer.ends = ends;
    layer.products.push_back(&op);
  }
  // split_experts_c3
  if (parameters.empty())
    return step.emitOpError("ep=")
           << mesh.ranks
           << " must divide grouped products of experts, but got none";
  return success();
}

void ExpertSplitter::eraseDead() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(step.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// That no product of all experts is left.
LogicalResult ExpertSplitter::checkDead(const DenseSet<Operation *> &products) {
  for (Operation &op : step.front())
    // split_experts_c5
    if (products.contains(&op))
      return op.emitOpError("rows of experts that are divided among ranks must "
                            "be read by lookups of their pairs, but got "
                            "another reader: '")
             << (*op.getUsers().begin())->getName() << "'";
  return success();
}

LogicalResult ExpertSplitter::splitRows() {
  DenseSet<Operation *> products;
  for (auto &[ends, layer] : layers) {
    ExpertRows rows(layer, mesh);
    if (failed(rows.run()))
      return failure();
    for (auto &[whole, own] : rows.gradients) {
      // Until everything else of it is a slice, too.
      placements[own] = Placement::split(0);
      whole.replaceAllUsesWith(own);
    }
    hasRoom.push_back(rows.hasRoom);
    mostRows = std::max(mostRows, rows.getRoom());
    lacksRoom |= rows.mayLackRoom();
    bytes += rows.bytes;
    products.insert_range(layer.products);
  }
  if (failed(returnRoom()))
    return failure();
  eraseDead();
  return checkDead(products);
}

/// Whether all ranks have room for the rows of their experts, as a check of
/// indices: without it a step changes nothing.
LogicalResult ExpertSplitter::returnRoom() {
  Operation *terminator = step.front().getTerminator();
  OpBuilder builder(terminator);
  Operation *maker = hasRoom.front().getDefiningOp();
  auto create = [&](Operation *op) {
    train::copyProvenance(maker, op);
    return op->getResult(0);
  };
  const int64_t count = hasRoom.size();
  auto list = cast<RankedTensorType>(hasRoom.front().getType()).clone({count});
  Location loc = maker->getLoc();
  Value own = hasRoom.front();
  if (count > 1)
    own = create(
        tensor::ConcatOp::create(builder, loc, list, /*dim=*/0, hasRoom));
  // Those that have the same experts must do the same, too.
  Value all = create(train::ExchangeOp::create(
      builder, loc, list.clone({mesh.batchRanks, count}),
      train::ExchangeKind::AllGather, own, mesh.batches));
  Value ofRanks = create(train::ReduceOp::create(
      builder, loc, list.clone({mesh.batchRanks}), train::ReduceKind::Min, all,
      ArrayRef<int64_t>{1}));
  Value least = create(train::ReduceOp::create(
      builder, loc, list.clone(ArrayRef<int64_t>()), train::ReduceKind::Min,
      ofRanks, ArrayRef<int64_t>{0}));
  std::string name =
      llvm::formatv("number of rows that the experts of a rank get "
                    "(--expert-room={0})",
                    mesh.room);
  DictionaryAttr names = builder.getDictionaryAttr(
      {builder.getNamedAttr(train::kPath,
                            builder.getStringAttr(train::kExpertRoom)),
       builder.getNamedAttr(train::kTensors, builder.getStrArrayAttr({name})),
       builder.getNamedAttr(
           train::kRole,
           train::RoleAttr::get(builder.getContext(), train::Role::Guard))});
  if (failed(step.insertResult(step.getNumResults(), least.getType(), names)))
    return failure();
  terminator->insertOperands(terminator->getNumOperands(), least);
  return success();
}

/// The slice of a value that has the same in every slice; null of another one.
Value ExpertSplitter::cut(Operation *op, Value whole, int64_t dim) {
  OpBuilder builder(op);
  SmallVector<int64_t> shape(typeOf(whole).getShape());
  shape[dim] /= mesh.ranks;
  RankedTensorType type = typeOf(whole).clone(shape);
  DenseElementsAttr constant;
  if (matchPattern(whole, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(builder, op->getLoc(),
                                     constant.resizeSplat(type));
  auto broadcast = whole.getDefiningOp<train::BroadcastOp>();
  if (!broadcast || llvm::is_contained(broadcast.getDims(), dim))
    return {};
  Operation *copy = builder.clone(*broadcast);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

/// Finds out what `op` computes of slices.
LogicalResult ExpertSplitter::split(Operation *op) {
  SmallVector<Placement> given;
  for (Value operand : op->getOperands())
    given.push_back(placements.lookup(operand));
  // Their rows are rewritten already.
  if (isa<train::GroupedMatmulOp, train::GroupedMatmulGradOp>(op) ||
      llvm::all_of(given, [](Placement p) { return p.isWhole(); }))
    return success();
  if (auto norm = dyn_cast<train::GlobalNormOp>(op)) {
    addUpNorm(norm, train::kExpertAxis, mesh.ranks,
              [&](Value input) { return placements.lookup(input).isSplit(); });
    return success();
  }
  Refusal refusal;
  std::optional<OpPlacements> placed =
      placeOperation(op, given, mesh.ranks, refusal);
  auto refuse = [&](const Twine &why) {
    // split_experts_c6
    return op->emitOpError("what updates experts that are divided among ranks "
                           "must be computed of slices, but got ")
           << why;
  };
  if (!placed)
    return refuse(refusal.why);
  for (auto [operand, has, needed] :
       llvm::zip_equal(op->getOpOperands(), given, placed->operands)) {
    if (has == needed)
      continue;
    Value slice =
        needed.isSplit() ? cut(op, operand.get(), needed.dim) : Value();
    if (!slice)
      return refuse("operand " + Twine(operand.getOperandNumber()) +
                    " that has no slice");
    operand.set(slice);
  }
  for (auto [result, placement] :
       llvm::zip_equal(op->getResults(), placed->results)) {
    if (placement.isWhole())
      continue;
    if (placement.isPartial())
      return refuse("a sum over experts");
    placements[result] = placement;
  }
  return success();
}

/// What is a slice gets its type.
void ExpertSplitter::setTypes() {
  auto setType = [&](Value value) {
    Placement placement = placements.lookup(value);
    if (!placement.isSplit())
      return;
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape[placement.dim] /= mesh.ranks;
    value.setType(typeOf(value).clone(shape));
  };
  llvm::for_each(step.getArguments(), setType);
  for (Operation &op : step.front()) {
    llvm::for_each(op.getResults(), setType);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      expand.setStaticOutputShape(typeOf(expand.getResult()).getShape());
  }
  step.setFunctionType(
      FunctionType::get(step.getContext(), step.front().getArgumentTypes(),
                        step.front().getTerminator()->getOperandTypes()));
}

LogicalResult ExpertSplitter::splitValues() {
  Builder builder(step.getContext());
  DenseMap<StringRef, RankedTensorType> types;
  for (BlockArgument parameter : parameters)
    types[pathOf(step, parameter)] = typeOf(parameter);
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto of = step.getArgAttrOfType<StringAttr>(index, train::kParamOf);
    RankedTensorType whole = of ? types.lookup(of.getValue()) : nullptr;
    bool isState = whole && typeOf(argument).getShape() == whole.getShape();
    if (!isState && !parameters.contains(argument))
      continue;
    step.setArgAttr(index, train::kShard,
                    builder.getStringAttr(train::kExpertAxis));
    step.setArgAttr(index, train::kShardDim, builder.getI64IntegerAttr(0));
    if (parameters.contains(argument))
      step.setArgAttr(index, train::kPlacement,
                      builder.getStringAttr("a block of experts"));
    placements[argument] = Placement::split(0);
  }
  for (Operation &op :
       llvm::make_early_inc_range(step.front().without_terminator()))
    if (failed(split(&op)))
      return failure();
  for (OpOperand &returned : step.front().getTerminator()->getOpOperands()) {
    auto to = step.getResultAttrOfType<IntegerAttr>(returned.getOperandNumber(),
                                                    train::kDonatedTo);
    Placement wanted =
        to ? placements.lookup(step.getArgument(to.getInt())) : Placement();
    // split_experts_c7
    if (!(placements.lookup(returned.get()) == wanted))
      return step.emitOpError("what a step returns of experts that are divided "
                              "among ranks must be a slice of a state, but "
                              "result ")
             << returned.getOperandNumber() << " is not";
  }
  setTypes();
  return success();
}

void ExpertSplitter::say() {
  std::string text = llvm::formatv(
      "experts of {0} layers are divided among {1} ranks: each has slices of "
      "{2} parameters, and room for {3} rows of a layer ({4} times its share); "
      "a rank gets {5} bytes in f32 of each other in a step",
      layers.size(), mesh.ranks, parameters.size(), mostRows, mesh.room,
      int64_t(bytes));
  emitPassRemark(step.getLoc(), {"prec-split-experts", "Experts", true}, text);
}

LogicalResult ExpertSplitter::run() {
  if (failed(findLayers()) || failed(splitRows()) || failed(splitValues()))
    return failure();
  if (!mesh.isCrowded)
    say();
  return success();
}

/// Puts `whole`, a copy of `module` whose step is not divided yet, into it, and
/// divides that step with room for all rows.
static LogicalResult addCrowded(ModuleOp module, OwningOpRef<ModuleOp> whole,
                                ExpertMesh mesh) {
  ModuleOp crowded = whole.release();
  module.push_back(crowded);
  crowded->setAttr(kCrowdedModule, UnitAttr::get(module.getContext()));
  train::addAxis(crowded, train::kExpertAxis, mesh.ranks);
  mesh.isCrowded = true;
  FailureOr<func::FuncOp> step = getStepGraph(crowded);
  return failure(failed(step) || failed(ExpertSplitter(*step, mesh).run()));
}

void SplitExperts::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> found = getStepGraph(module);
  FailureOr<train::Mesh> parsed =
      train::parseMesh(mesh, [&] { return module.emitOpError(); });
  if (failed(found) || failed(parsed))
    return signalPassFailure();
  const int64_t ranks = parsed->getSize(train::kExpertAxis);
  if (ranks == 1)
    return;
  // split_experts_c8
  if (std::isnan(room) || room < 1 || room > double(ranks)) {
    module.emitOpError("room for rows of experts must be from 1, which is what "
                       "a rank gets if all get alike, to the number of ranks, "
                       "which is all rows, but got ")
        << llvm::formatv("{0}", double(room)).str() << " of " << ranks
        << " (--expert-room)";
    return signalPassFailure();
  }
  // split_experts_c9
  if (Attribute present = module->getAttr(train::kMesh)) {
    module.emitOpError("experts must be divided once, but got the mesh ")
        << present;
    return signalPassFailure();
  }
  if (failed(verifyStepIsAlone(*found, "experts")))
    return signalPassFailure();
  const ExpertMesh divided{ranks, room, parsed->getBatchAxes(),
                           ranks * parsed->getSize(train::kBatchAxis)};
  OwningOpRef<ModuleOp> whole = module.clone();
  ExpertSplitter splitter(*found, divided);
  if (failed(splitter.run()) ||
      (splitter.mayLackRoom() &&
       failed(addCrowded(module, std::move(whole), divided))))
    return signalPassFailure();
  train::addAxis(module, train::kExpertAxis, ranks);
}
