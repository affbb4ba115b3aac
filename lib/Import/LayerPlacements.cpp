//===- LayerPlacements.cpp - how operations carry a division --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every dimension of an operation's operands and results is one of a few
// factors, as the letters of an einsum are. A factor that is in a result stays
// divided there; one that is summed over, such as that which a product
// contracts, makes each rank's result a term of the sum. Operations that mix
// elements along a divided dimension in another way, such as a softmax of it,
// are not computed of slices.
//
// Example: of x [T, H] whole and w [F, H] divided along F, x w^T is divided
// along its second dimension; of y [T, F] and v [H, F] that are both divided
// along F, y v^T is a sum of one term for each rank.
//
//===----------------------------------------------------------------------===//
#include "Import/LayerPlacements.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

namespace {

using Placements = std::optional<OpPlacements>;

class Placer {
public:
  Placer(Operation *op, ArrayRef<Placement> given, int64_t ranks,
         Refusal &refusal)
      : op(op), given(given), ranks(ranks), refusal(refusal) {}

  Placements place();

private:
  Placements refuse(const Twine &text, std::optional<unsigned> operand = {}) {
    refusal = {text.str(), operand};
    return std::nullopt;
  }
  Placements cutInto(ArrayRef<int64_t> cuts, const Twine &text) {
    refusal = {text.str(), {}, SmallVector<int64_t>(cuts)};
    return std::nullopt;
  }
  Placements all(Placement operands, Placement results) const {
    return OpPlacements{SmallVector<Placement>(op->getNumOperands(), operands),
                        SmallVector<Placement>(op->getNumResults(), results)};
  }
  Placements keepParts();
  Placements elementwise();
  Placements broadcast(train::BroadcastOp broadcast);
  Placements transpose(train::TransposeOp transpose);
  Placements reduce(train::ReduceOp reduce);
  Placements expand(tensor::ExpandShapeOp expand);
  Placements collapse(tensor::CollapseShapeOp collapse);
  Placements slice(tensor::ExtractSliceOp slice);
  Placements concat(tensor::ConcatOp concat);
  Placements matmul(train::MatmulOp matmul);
  Placements groupedMatmul(train::GroupedMatmulOp grouped);
  Placements groupedGrad();
  Placements rope();
  Placements normalizeRows();
  Placements attention(train::AttentionOp attention);
  Placements attentionGrad(train::AttentionGradOp attention);
  Placements placeAttention(ArrayRef<unsigned> ofQueries, Value key, Value bias,
                            OpPlacements placements);
  Placements embedding();
  Placements crossEntropy(unsigned logits);
  Placements optimizer(train::OptimizerOpInterface optimizer);

  Operation *op;
  ArrayRef<Placement> given;
  int64_t ranks;
  Refusal &refusal;
};

} // namespace

/// Whether an operation that reads terms of a sum can give terms of its own
/// result, where everything else that it reads is whole: it moves, scales or
/// adds up what it reads.
static bool isLinear(OpOperand &read) {
  return llvm::TypeSwitch<Operation *, bool>(read.getOwner())
      .Case<train::TransposeOp, arith::MulFOp, arith::NegFOp>(
          [](auto) { return true; })
      .Case<train::GatherOp, arith::DivFOp>(
          [&](auto) { return read.getOperandNumber() == 0; })
      .Case([](train::ReduceOp reduce) {
        return reduce.getKind() == train::ReduceKind::Sum;
      })
      .Default([](Operation *op) { return isReshape(op); });
}

/// Terms of a sum stay terms where they are moved, or added to such of another
/// one. They are scaled as terms, looked up and added up along a dimension as
/// such, too, unless something else needs their sum anyway: so rows of experts
/// are weighed and added up before ranks exchange anything.
Placements Placer::keepParts() {
  auto isPartial = [](Placement p) { return p.isPartial(); };
  if (llvm::none_of(given, isPartial) ||
      llvm::any_of(given, [](Placement p) { return p.isSplit(); }))
    return std::nullopt;
  if (isa<arith::AddFOp>(op)) {
    for (auto [operand, placement] : llvm::zip_equal(op->getOperands(), given))
      if (!placement.isPartial() && !matchPattern(operand, m_AnyZeroFloat()))
        return std::nullopt;
    return OpPlacements{SmallVector<Placement>(given), {Placement::partial()}};
  }
  if (llvm::count_if(given, isPartial) != 1)
    return std::nullopt;
  OpOperand &part =
      op->getOpOperand(llvm::find_if(given, isPartial) - given.begin());
  const bool isMoved = isReshape(op) || isa<train::TransposeOp>(op);
  if (!isMoved && (!isLinear(part) ||
                   !llvm::all_of(part.get().getUses(),
                                 [](OpOperand &use) { return isLinear(use); })))
    return std::nullopt;
  return OpPlacements{SmallVector<Placement>(given), {Placement::partial()}};
}

/// The first operand that is divided.
static unsigned findSplit(ArrayRef<Placement> given) {
  return llvm::find_if(given, [](Placement p) { return p.isSplit(); }) -
         given.begin();
}

Placements Placer::elementwise() {
  Placement split = given[findSplit(given)];
  Placements placements = all(split, split);
  for (auto [operand, placement, needed] :
       llvm::zip_equal(op->getOperands(), given, placements->operands)) {
    if (typeOf(operand).getRank() == 0)
      needed = Placement::whole();
    else if (placement.isSplit() && !(placement == split))
      return refuse("operands are divided along different dimensions");
  }
  return placements;
}

Placements Placer::broadcast(train::BroadcastOp broadcast) {
  return all(given[0], given[0].along(broadcast.getDims()[given[0].dim]));
}

Placements Placer::transpose(train::TransposeOp transpose) {
  ArrayRef<int64_t> from = transpose.getPermutation();
  return all(given[0],
             given[0].along(llvm::find(from, given[0].dim) - from.begin()));
}

Placements Placer::reduce(train::ReduceOp reduce) {
  int64_t dim = given[0].dim, before = 0;
  for (int64_t reduced : reduce.getDims()) {
    if (reduced == dim)
      return reduce.getKind() == train::ReduceKind::Sum
                 ? all(given[0], Placement::partial())
                 : refuse("only sums are taken along a divided dimension");
    before += reduced < dim;
  }
  return all(given[0], given[0].along(dim - before));
}

/// The first dimension of those that one becomes is divided. Where that cannot
/// be, or the one has parts, it is the parts: then what is behind it is
/// divided, as [3, heads] of queries, keys and values.
Placements Placer::expand(tensor::ExpandShapeOp expand) {
  RankedTensorType type = typeOf(expand.getResult());
  const ReassociationIndices group =
      expand.getReassociationIndices()[given[0].dim];
  SmallVector<int64_t> dims = llvm::to_vector(llvm::make_filter_range(
      group, [&](int64_t dim) { return type.getDimSize(dim) != 1; }));
  ArrayRef<int64_t> parts = given[0].parts;
  if (dims.size() < 2)
    return all(given[0],
               given[0].along(dims.empty() ? group.front() : dims.front()));
  const int64_t first = type.getDimSize(dims[0]);
  if (parts.empty() && first % ranks == 0)
    return all(given[0], Placement::split(dims[0]));
  const int64_t size = typeOf(expand.getSrc()).getDimSize(given[0].dim);
  int64_t outer = first;
  for (int64_t dim : ArrayRef(dims).drop_front()) {
    const int64_t part = size / outer;
    if (int64_t(parts.size()) == outer && llvm::all_equal(parts) &&
        parts.front() == part && type.getDimSize(dim) % ranks == 0)
      return all(given[0], Placement::split(dim));
    outer *= type.getDimSize(dim);
  }
  SmallVector<int64_t> cuts;
  for (int64_t i = 0; i <= first; ++i)
    cuts.push_back(i * (size / first));
  return cutInto(cuts, Twine(first) +
                           " slices (such as heads) cannot be divided by " +
                           Twine(ranks));
}

/// What is divided inside of another dimension is so in each part of the result
/// that is of one index of that.
Placements Placer::collapse(tensor::CollapseShapeOp collapse) {
  RankedTensorType type = typeOf(collapse.getSrc());
  for (auto [index, group] :
       llvm::enumerate(collapse.getReassociationIndices())) {
    if (!llvm::is_contained(group, given[0].dim))
      continue;
    int64_t outer = 1, inner = 1;
    for (int64_t dim : group)
      (dim < given[0].dim ? outer : inner) *= type.getDimSize(dim);
    const int64_t behind = inner / type.getDimSize(given[0].dim);
    SmallVector<int64_t> parts;
    for (int64_t i = 0; i < outer; ++i) {
      for (int64_t part : given[0].parts)
        parts.push_back(part * behind);
      if (given[0].parts.empty())
        parts.push_back(inner);
    }
    return all(given[0], Placement::split(index, parts));
  }
  llvm_unreachable("every dimension is in a group");
}

/// Parts of a divided dimension may be cut out, but no piece of one.
Placements Placer::slice(tensor::ExtractSliceOp slice) {
  const int64_t dim = given[0].dim;
  const int64_t whole = typeOf(slice.getSource()).getDimSize(dim);
  const int64_t offset = slice.getStaticOffsets()[dim],
                size = slice.getStaticSizes()[dim];
  if (slice.getType().getRank() != typeOf(slice.getSource()).getRank() ||
      slice.getStaticStrides()[dim] != 1)
    return refuse("a piece of a divided dimension is cut out");
  if (size == whole)
    return all(given[0], given[0]);
  SmallVector<int64_t> taken;
  int64_t begin = 0, covered = 0;
  for (int64_t part : given[0].parts) {
    if (begin >= offset && begin + part <= offset + size) {
      taken.push_back(part);
      covered += part;
    }
    begin += part;
  }
  if (covered != size)
    return cutInto({offset, offset + size},
                   "a piece of a divided dimension is cut out");
  return all(given[0], Placement::split(dim, taken));
}

/// Tensors that are joined along the dimension that is divided become parts of
/// it.
Placements Placer::concat(tensor::ConcatOp concat) {
  const auto dim = static_cast<int64_t>(concat.getDim());
  if (given[findSplit(given)].dim != dim)
    return elementwise();
  OpPlacements placements;
  SmallVector<int64_t> parts;
  for (auto [operand, placement] : llvm::zip_equal(op->getOperands(), given)) {
    if (placement.isSplit() && placement.dim != dim)
      return refuse("operands are divided along different dimensions");
    placements.operands.push_back(placement.isSplit() ? placement
                                                      : Placement::split(dim));
    if (placements.operands.back().parts.empty())
      parts.push_back(typeOf(operand).getDimSize(dim));
    llvm::append_range(parts, placements.operands.back().parts);
  }
  placements.results = {Placement::split(dim, parts)};
  return placements;
}

Placements Placer::matmul(train::MatmulOp matmul) {
  if (matmul.getBias())
    return refuse("a product that adds a bias is computed whole");
  const int64_t rank = typeOf(matmul.getLhs()).getRank();
  const int64_t outer = rank - 2, inner = rank - 1;
  // Of both operands: what stays in the result, and what is contracted.
  const int64_t kept[] = {matmul.getTransposeA() ? inner : outer,
                          matmul.getTransposeB() ? outer : inner};
  const int64_t contracted[] = {matmul.getTransposeA() ? outer : inner,
                                matmul.getTransposeB() ? inner : outer};
  const unsigned index = findSplit(given), other = 1 - index;
  const int64_t dim = given[index].dim;
  OpPlacements placements;
  placements.operands.resize(2);
  placements.operands[index] = given[index];
  if (dim == kept[index])
    placements.results = {given[index].along(index == 0 ? outer : inner)};
  else if (dim == contracted[index]) {
    placements.operands[other] = given[index].along(contracted[other]);
    placements.results = {Placement::partial()};
  } else {
    placements.operands[other] = given[index];
    placements.results = {given[index]};
  }
  if (given[other].isSplit() && !(given[other] == placements.operands[other]))
    return refuse("both operands of a product are divided, along other "
                  "dimensions");
  return placements;
}

/// As a product of each expert: groups and rows are whole.
Placements Placer::groupedMatmul(train::GroupedMatmulOp grouped) {
  const int64_t kept = grouped.getTransposeB() ? 1 : 2, contracted = 3 - kept;
  const bool isByRows = given[0].isSplit();
  if (given[2].isSplit() || (isByRows && given[0].dim != 1) ||
      (!isByRows && given[1].dim != kept))
    return refuse("rows and groups of experts are whole");
  if (!isByRows)
    return OpPlacements{{Placement::whole(), given[1], Placement::whole()},
                        {given[1].along(1)}};
  OpPlacements placements{
      {given[0], given[0].along(contracted), Placement::whole()},
      {Placement::partial()}};
  if (given[1].isSplit() && !(given[1] == placements.operands[1]))
    return refuse("both operands of a product are divided, along other "
                  "dimensions");
  return placements;
}

/// Gradients of divided matrices: along what one of both has divided.
Placements Placer::groupedGrad() {
  const unsigned index = findSplit(given);
  if (index > 1 || given[index].dim != 1 ||
      (given[0].isSplit() && given[1].isSplit()))
    return refuse("rows and groups of experts are whole");
  OpPlacements placements;
  placements.operands.resize(3);
  placements.operands[index] = given[index];
  placements.results = {given[index].along(index + 1)};
  return placements;
}

Placements Placer::rope() {
  const int64_t rank = typeOf(op->getOperand(0)).getRank();
  if (!given[0].isSplit() || given[1].isSplit() || given[2].isSplit() ||
      given[0].dim >= rank - 2)
    return refuse("positions and elements of a head are rotated whole");
  return OpPlacements{{given[0], Placement::whole(), Placement::whole()},
                      {given[0]}};
}

/// Whether an operand is what all rows share, a weight or a bias.
static bool isOfAllRows(Operation *op, unsigned operand) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<train::RmsNormOp, train::LayerNormOp>(
          [&](auto) { return operand > 0; })
      .Case<train::RmsNormGradOp, train::LayerNormGradOp>(
          [&](auto) { return operand == 2; })
      .Default(false);
}

/// Rows that are whole are normalized apart. What all of them share is whole,
/// and its gradient a sum over rows.
Placements Placer::normalizeRows() {
  ArrayRef<int64_t> shape = typeOf(op->getOperand(0)).getShape();
  const Placement split = given[findSplit(given)];
  if (split.dim >= int64_t(shape.size()) - 1)
    return refuse("'" + op->getName().getStringRef() +
                  "' is computed of whole rows");
  OpPlacements placements;
  for (auto [index, placement] : llvm::enumerate(given)) {
    placements.operands.push_back(isOfAllRows(op, index) ? Placement::whole()
                                                         : split);
    if (placement.isSplit() && !(placement == placements.operands.back()))
      return refuse("rows are divided along different dimensions");
  }
  const bool isGradient = isa<train::RmsNormGradOp, train::LayerNormGradOp>(op);
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    placements.results.push_back(isGradient && index > 0 ? Placement::partial()
                                                         : split);
  return placements;
}

/// Heads are dimension 1. Those of keys and values are divided as those of
/// queries are, or there is one for all.
Placements Placer::placeAttention(ArrayRef<unsigned> ofQueries, Value key,
                                  Value bias, OpPlacements placements) {
  const Placement heads = Placement::split(1);
  const bool isShared = typeOf(key).getDimSize(1) == 1;
  for (auto [index, placement] : llvm::enumerate(given)) {
    Value operand = op->getOperand(index);
    const bool isQuery = llvm::is_contained(ofQueries, index);
    const bool isBias = bias && operand == bias && index + 1 == given.size();
    placements.operands.push_back(
        (isBias ? typeOf(bias).getDimSize(1) == 1 : isShared && !isQuery)
            ? Placement::whole()
            : heads);
    if (placement.isSplit() && !(placement == placements.operands.back()))
      return refuse("attention is divided by heads, and keys and values of one "
                    "head are read whole",
                    index);
  }
  return placements;
}

Placements Placer::attention(train::AttentionOp attention) {
  const Placement heads = Placement::split(1);
  return placeAttention({0}, attention.getKey(), attention.getBias(),
                        {{}, {heads, heads}});
}

Placements Placer::attentionGrad(train::AttentionGradOp attention) {
  const Placement heads = Placement::split(1);
  const bool isShared = typeOf(attention.getKey()).getDimSize(1) == 1;
  const Placement keys = isShared ? Placement::partial() : heads;
  return placeAttention({0, 1, 4, 5}, attention.getKey(), attention.getBias(),
                        {{}, {heads, keys, keys}});
}

/// Of a slice of the rows, a rank has those that are of its slice: a term of
/// the sum. Elements of rows stay divided.
Placements Placer::embedding() {
  const int64_t last = typeOf(op->getResult(0)).getRank() - 1;
  if (given[0].dim == 0 && !given[0].parts.empty())
    return refuse("rows of a table are looked up in one slice");
  return OpPlacements{
      {given[0], Placement::whole()},
      {given[0].dim == 0 ? Placement::partial() : given[0].along(last)}};
}

/// Of slices of columns: exponentials of a row are added up over ranks.
Placements Placer::crossEntropy(unsigned logits) {
  const Placement columns = Placement::split(1);
  if (!(given[logits] == columns))
    return refuse("rows of a loss are read whole");
  OpPlacements placements;
  placements.operands.resize(given.size());
  placements.operands[logits] = columns;
  placements.results.resize(op->getNumResults());
  if (isa<train::CrossEntropyGradOp>(op))
    placements.results[0] = columns;
  return placements;
}

Placements Placer::optimizer(train::OptimizerOpInterface optimizer) {
  if (!optimizer.isElementwise())
    return refuse("its optimizer updates no element alone");
  const Placement split = given[findSplit(given)];
  ArrayRef<int64_t> shape = typeOf(optimizer.getParameter()).getShape();
  OpPlacements placements;
  auto ofShape = [&](Value value) {
    return typeOf(value).getShape() == shape ? split : Placement::whole();
  };
  for (auto [operand, placement] : llvm::zip_equal(op->getOperands(), given)) {
    placements.operands.push_back(ofShape(operand));
    if (placement.isSplit() && !(placement == placements.operands.back()))
      return refuse("a gradient is divided otherwise than its parameter");
  }
  for (Value result : op->getResults())
    placements.results.push_back(ofShape(result));
  return placements;
}

Placements Placer::place() {
  if (Placements parts = keepParts())
    return parts;
  if (llvm::none_of(given, [](Placement p) { return p.isSplit(); }))
    return all(Placement::whole(), Placement::whole());
  return llvm::TypeSwitch<Operation *, Placements>(op)
      .Case([&](train::BroadcastOp of) { return broadcast(of); })
      .Case([&](train::TransposeOp of) { return transpose(of); })
      .Case([&](train::ReduceOp of) { return reduce(of); })
      .Case([&](tensor::ExpandShapeOp of) { return expand(of); })
      .Case([&](tensor::CollapseShapeOp of) { return collapse(of); })
      .Case([&](tensor::ExtractSliceOp of) { return slice(of); })
      .Case([&](tensor::ConcatOp of) { return concat(of); })
      .Case([&](train::MatmulOp of) { return matmul(of); })
      .Case([&](train::GroupedMatmulOp of) { return groupedMatmul(of); })
      .Case([&](train::GroupedMatmulGradOp) { return groupedGrad(); })
      .Case([&](train::RopeOp) { return rope(); })
      .Case<train::RmsNormOp, train::RmsNormGradOp, train::LayerNormOp,
            train::LayerNormGradOp, train::SoftmaxOp, train::SoftmaxGradOp>(
          [&](auto) { return normalizeRows(); })
      .Case([&](train::AttentionOp of) { return attention(of); })
      .Case([&](train::AttentionGradOp of) { return attentionGrad(of); })
      .Case([&](train::EmbeddingOp) { return embedding(); })
      .Case([&](train::CrossEntropyOp) { return crossEntropy(0); })
      .Case([&](train::CrossEntropyGradOp) { return crossEntropy(1); })
      .Case([&](train::OptimizerOpInterface of) { return optimizer(of); })
      .Case([&](train::GlobalNormOp) {
        OpPlacements placements{SmallVector<Placement>(given),
                                {Placement::whole()}};
        for (Placement &operand : placements.operands)
          if (operand.isPartial())
            operand = Placement::whole();
        return Placements(placements);
      })
      .Default([&](Operation *other) {
        return other->hasTrait<OpTrait::Elementwise>()
                   ? elementwise()
                   : refuse("'" + other->getName().getStringRef() +
                            "' is not computed of slices");
      });
}

std::optional<OpPlacements> prec::placeOperation(Operation *op,
                                                 ArrayRef<Placement> given,
                                                 int64_t ranks,
                                                 Refusal &refusal) {
  return Placer(op, given, ranks, refusal).place();
}

LogicalResult prec::verifyStepIsAlone(func::FuncOp step, StringRef divided) {
  auto module = step->getParentOfType<ModuleOp>();
  for (auto function : module.getOps<func::FuncOp>())
    // split_layers_c2, split_experts_c10
    if (function != step && isCompiledGraph(function))
      return function.emitOpError("a module whose ")
             << divided
             << " are divided must have a step alone, but got another function";
  return success();
}
