//===- MergeGroups.cpp - contractions that can be one ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the groups of layers that MergeContractions.cpp may merge. Matmuls of
// the forward that read the same matrix, and a parameter as their weight, are
// candidates. Each is completed by its matmuls in the backward, which are found
// by the weight (dgrad) and by input and gradient (wgrad). Layers with the same
// formats and the same matmuls are a group. It is refused, and the reason is
// reported, if the gradients of the input are not summed with each other first,
// if a weight's gradient is read before all are there, if blocks of a scale
// would straddle two weights, or if the weights could not lie contiguously in
// the state.
//
//===----------------------------------------------------------------------===//
#include "Materialize/MergeGroups.h"

#include "prec/Dialect/Prec/Describe.h"

#include "Materialize/ScaledGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace prec;

namespace {

/// A value, however it is reshaped, as a matrix of this type.
using Matrix = std::pair<Value, Type>;
using Report = llvm::function_ref<void(train::MatmulOp, const Twine &)>;

class Finder {
public:
  Finder(func::FuncOp step, const Positions &positions, bool columns,
         Report report)
      : step(step), positions(positions), columns(columns), report(report) {}

  SmallVector<MergeGroup> run();

private:
  train::RoleAttr getRole(Value value);
  bool isParameter(Value value);
  bool isFrozen(const LinearLayer &layer);
  StringRef findBackward(LinearLayer &layer);
  void findWgrad(LinearLayer &layer);
  OpOperand *findGradient(LinearLayer &layer);
  Attribute getKey(LinearLayer &layer);
  StringRef check(MutableArrayRef<LinearLayer> layers);
  bool isReadBeforeAll(ArrayRef<LinearLayer> layers) const;

  func::FuncOp step;
  const Positions &positions;
  bool columns;
  Report report;
  /// Products `gradient^T * x` of the backward by `x`, and those that may be
  /// `x^T * gradient`.
  DenseMap<Matrix, SmallVector<train::MatmulOp, 4>> wgrads[2];
  llvm::DenseSet<Operation *> taken;
};

} // namespace

static Matrix getMatrix(Value value) {
  return {skipReshapes(value), value.getType()};
}

static bool isBackward(Operation *op) {
  return train::getPhase(op) == train::Phase::Backward;
}

static int64_t getOutputs(LinearLayer layer) {
  return cast<RankedTensorType>(layer.weight.getType())
      .getDimSize(layer.outputDim);
}

/// Of an argument; null for other values.
train::RoleAttr Finder::getRole(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? step.getArgAttrOfType<train::RoleAttr>(
                        argument.getArgNumber(), train::kRole)
                  : train::RoleAttr();
}

bool Finder::isParameter(Value value) {
  train::RoleAttr role = getRole(value);
  return role && (role.getValue() == train::Role::Parameter ||
                  role.getValue() == train::Role::FrozenParameter);
}

bool Finder::isFrozen(const LinearLayer &layer) {
  return getRole(layer.weight).getValue() == train::Role::FrozenParameter;
}

/// Finds the products of the backward; says what forbids to merge the layer.
StringRef Finder::findBackward(LinearLayer &layer) {
  train::MatmulOp fprop = layer.fprop;
  layer.outputDim = fprop.getTransposeB() ? 0 : 1;
  if (fprop.getTransposeA() ||
      cast<RankedTensorType>(fprop.getType()).getRank() != 2)
    return "it is no product of two matrices as they are";
  // Copies in other formats than fp8 and fp4 are read as they lie: side by side
  // they would have to be copied once more. Those with scales of rows and
  // blocks are made from the masters in either layout.
  TagAttr read = getOperandTag(fprop, 1);
  bool isTensor = read && read.isNarrow() && !isFine(read.getScaling());
  if (layer.outputDim == 1 && (!columns || !isTensor))
    return "outputs are not rows of its weight";
  for (OpOperand &use : layer.weight.getUses()) {
    Operation *user = use.getOwner();
    auto matmul = dyn_cast<train::MatmulOp>(user);
    bool isDgrad = matmul && isBackward(user) && use.getOperandNumber() == 1 &&
                   !matmul.getTransposeA() &&
                   matmul.getTransposeB() == !fprop.getTransposeB() &&
                   !layer.dgrad;
    if (isDgrad)
      layer.dgrad = matmul;
    else if (user != fprop && !isOptimizer(user) && !isa<func::ReturnOp>(user))
      return "its weight is read elsewhere, too";
  }
  if (getRole(layer.weight).getValue() == train::Role::Parameter)
    findWgrad(layer);
  layer.gradient = findGradient(layer);
  return "";
}

OpOperand *Finder::findGradient(LinearLayer &layer) {
  OpOperand *ofDgrad = layer.dgrad ? &layer.dgrad->getOpOperand(0) : nullptr;
  OpOperand *ofWgrad =
      layer.wgrad ? &layer.wgrad->getOpOperand(layer.outputDim) : nullptr;
  if (!ofDgrad || !ofWgrad)
    return ofDgrad ? ofDgrad : ofWgrad;
  Operation *a = ofDgrad->get().getDefiningOp(),
            *b = ofWgrad->get().getDefiningOp();
  return a && b && positions.at(b) < positions.at(a) ? ofWgrad : ofDgrad;
}

/// The product with the gradient that the layer's dgrad reads. Without a dgrad
/// any with a result of this type: which one is whose does not matter, as each
/// keeps its own result.
void Finder::findWgrad(LinearLayer &layer) {
  auto &byInput = wgrads[layer.outputDim];
  auto candidates = byInput.find(getMatrix(layer.fprop.getLhs()));
  if (candidates == byInput.end())
    return;
  for (train::MatmulOp wgrad : candidates->second)
    if (wgrad.getType() == layer.weight.getType() &&
        (!layer.dgrad || getMatrix(wgrad->getOperand(layer.outputDim)) ==
                             getMatrix(layer.dgrad.getLhs())) &&
        taken.insert(wgrad).second) {
      layer.wgrad = wgrad;
      return;
    }
}

/// What a tag says of a value; nothing of the rule that decided it.
static Attribute getFormat(Builder &builder, TagAttr tag) {
  if (!tag)
    return builder.getUnitAttr();
  return builder.getI64ArrayAttr({int64_t(tag.getFormat()),
                                  int64_t(tag.getScaling()),
                                  int64_t(tag.getAccumulator())});
}

/// Equal where layers have the same formats and the same products.
Attribute Finder::getKey(LinearLayer &layer) {
  Builder builder(step.getContext());
  SmallVector<Attribute> key = {
      step.getArgAttr(layer.weight.getArgNumber(), train::kRole),
      getFormat(builder, getTag(layer.weight)),
      TypeAttr::get(getElementTypeOrSelf(layer.weight.getType())),
      builder.getI64IntegerAttr(layer.outputDim)};
  for (train::MatmulOp op : {layer.fprop, layer.dgrad, layer.wgrad}) {
    key.push_back(builder.getBoolAttr(bool(op)));
    if (!op)
      continue;
    key.push_back(getFormat(builder, getOperandTag(op, 0)));
    key.push_back(getFormat(builder, getOperandTag(op, 1)));
    key.push_back(getFormat(builder, getResultTag(op, 0)));
  }
  if (layer.gradient)
    key.push_back(getFormat(builder, getTag(layer.gradient->get())));
  return builder.getArrayAttr(key);
}

/// Whether something that the backward computes before it has all gradients
/// reads that of a weight.
bool Finder::isReadBeforeAll(ArrayRef<LinearLayer> layers) const {
  unsigned last = 0;
  for (LinearLayer layer : layers)
    last = std::max(last, positions.at(layer.wgrad));
  return llvm::any_of(layers, [&](LinearLayer layer) {
    return llvm::any_of(layer.wgrad->getUsers(), [&](Operation *user) {
      return positions.at(user) <= last;
    });
  });
}

/// The sum whose terms are added to nothing else before it; null without one.
static Operation *getSum(Value term) {
  Operation *sum = nullptr;
  while (term.hasOneUse()) {
    Operation *user = *term.user_begin();
    if (!isReshape(user) && !isa<arith::AddFOp>(user))
      break;
    if (isa<arith::AddFOp>(user))
      sum = user;
    term = user->getResult(0);
  }
  return sum;
}

/// Bits of an element of a weight as a product reads it.
static int64_t getBits(train::MatmulOp op, TagAttr tag) {
  return tag ? getBits(tag.getFormat())
             : getElementTypeOrSelf(op.getRhs()).getIntOrFloatBitWidth();
}

/// A weight's rows come in so many, so that no block crosses into the next
/// weight in either layout, and no tile of inverse scales does.
static int64_t getBlockRows(TagAttr tag) {
  if (!tag || !isFine(tag.getScaling()))
    return 1;
  const ScalingTraits &traits = traitsOf(tag.getScaling());
  int64_t tile = traits.layout == ScaleLayout::Tiled ? PREC_SCALE_INV_TILE : 1;
  return std::max({traits.rows, traits.columns, tile});
}

/// What forbids to merge layers of one key.
StringRef Finder::check(MutableArrayRef<LinearLayer> layers) {
  LinearLayer &first = layers.front();
  if (first.dgrad)
    for (LinearLayer layer : layers) {
      Operation *sum = getSum(layer.dgrad.getResult());
      if (!sum || sum != getSum(first.dgrad.getResult()))
        return "gradients of what it reads are not summed alone";
    }
  if (first.wgrad && isReadBeforeAll(layers))
    return "the gradient of a weight is read before all are there";
  SmallVector<TagAttr, 3> tags = {getOperandTag(first.fprop, 1)};
  if (first.dgrad)
    tags.push_back(getOperandTag(first.dgrad, 1));
  if (first.wgrad)
    tags.push_back(getOperandTag(first.wgrad, first.outputDim));
  for (TagAttr tag : tags)
    for (LinearLayer layer : layers)
      if (getOutputs(layer) % getBlockRows(tag) != 0)
        return "outputs of its weight are not whole blocks";
  for (train::MatmulOp op : {first.fprop, first.dgrad}) {
    TagAttr tag = op ? getOperandTag(op, 1) : TagAttr();
    if (tag && tag.isNarrow() && isFrozen(first))
      return "frozen weights are quantized one at a time";
    if (!op || (tag && tag.isNarrow()))
      continue;
    for (LinearLayer layer : layers.drop_back()) {
      int64_t elements =
          cast<RankedTensorType>(layer.weight.getType()).getNumElements();
      if (elements * getBits(op, tag) / 8 % kWeightAlignment != 0)
        return "its weight would end between two places of the state";
    }
  }
  return "";
}

SmallVector<MergeGroup> Finder::run() {
  llvm::MapVector<Matrix, MergeGroup> readers;
  for (auto op : step.getOps<train::MatmulOp>()) {
    bool isForward = train::getPhase(op) == train::Phase::Forward;
    if (isForward && isParameter(op.getRhs()))
      readers[getMatrix(op.getLhs())].push_back(
          {cast<BlockArgument>(op.getRhs()), op, {}, {}, nullptr, 0});
    else if (isBackward(op) && op.getTransposeA() && !op.getTransposeB()) {
      wgrads[0][getMatrix(op.getRhs())].push_back(op);
      wgrads[1][getMatrix(op.getLhs())].push_back(op);
    }
  }

  SmallVector<MergeGroup> groups;
  for (auto &[input, layers] : readers) {
    if (layers.size() < 2)
      continue;
    llvm::MapVector<Attribute, MergeGroup> alike;
    for (LinearLayer &layer : layers) {
      StringRef reason = findBackward(layer);
      if (reason.empty())
        alike[getKey(layer)].push_back(layer);
      else
        report(layer.fprop, reason);
    }
    for (auto &[key, group] : alike) {
      StringRef reason = group.size() < 2
                             ? "no other has its formats and its products"
                             : check(group);
      if (reason.empty())
        groups.push_back(std::move(group));
      else
        for (LinearLayer &layer : group)
          report(layer.fprop, reason);
    }
  }
  return groups;
}

SmallVector<MergeGroup> prec::findMergeGroups(func::FuncOp step,
                                              const Positions &positions,
                                              bool columns, Report report) {
  return Finder(step, positions, columns, report).run();
}
