//===- FusionGraph.cpp - a function as a graph of fusion nodes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a function into the plain nodes that the fusion algorithm reads,
// so that the algorithm needs no IR. Arguments come first, then one node for
// each operation in block order; operands therefore precede their readers. A
// node says what kind of operation it is (elementwise, layout, one of three
// reductions, transposition, or a barrier that no other operation joins), and
// each edge says how the element at a linear index reaches into the operand: at
// the same index, at the index of its row, in one of the concatenated matrices,
// or anyhow. Equal operations and equal types get equal numbers, by which small
// units that are the same kernel are found later. In the end, operands of
// barriers and returned values are marked as stored. Time is linear in the
// number of operands.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/FusionGraph.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Schedule/MemoryPlan.h"

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Outputs.h"
#include "prec/Dialect/Train/Tiles.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

static int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// Elements of the last dimensions.
static int64_t countColumns(Value value, unsigned dims) {
  return ShapedType::getNumElements(
      cast<RankedTensorType>(value.getType()).getShape().take_back(dims));
}

/// Of an element in memory, where a bit is a byte.
static int64_t getStoredBits(Type element) {
  return element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
}

static bool isIota(ArrayRef<int64_t> dims, int64_t first = 0) {
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim != first + int64_t(index))
      return false;
  return true;
}

/// Whether the permutation moves no dimension of more than one element past
/// another.
static bool keepsOrder(train::TransposeOp op) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getInput().getType()).getShape();
  int64_t previous = -1;
  for (int64_t dim : op.getPermutation()) {
    if (shape[dim] == 1)
      continue;
    if (dim < previous)
      return false;
    previous = dim;
  }
  return true;
}

void prec::reshapeTranspositions(func::FuncOp function) {
  for (auto op : llvm::make_early_inc_range(
           function.front().getOps<train::TransposeOp>())) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    if (!keepsOrder(op) || type.getRank() == 0)
      continue;
    OpBuilder builder(op);
    ReassociationIndices all(
        llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank())));
    Value value = op.getInput();
    auto note = [&](Operation *made) {
      train::copyProvenance(op, made);
      return made->getResult(0);
    };
    if (type != value.getType()) {
      value = note(tensor::CollapseShapeOp::create(
          builder, op.getLoc(), type.clone({type.getNumElements()}), value,
          ArrayRef<ReassociationIndices>(all)));
      value = note(
          tensor::ExpandShapeOp::create(builder, op.getLoc(), type, value,
                                        ArrayRef<ReassociationIndices>(all)));
    }
    op.getResult().replaceAllUsesWith(value);
    op.erase();
  }
}

/// Elements of the first dimensions, up to where `isWhole` does not hold.
static int64_t countRows(RankedTensorType type,
                         function_ref<bool(int64_t)> isWhole) {
  int64_t rows = 1;
  for (int64_t dim = 0; dim < type.getRank() && isWhole(dim); ++dim)
    rows *= type.getDimSize(dim);
  return rows;
}

/// Rows of the result of `op`, which changes the layout, that need nothing but
/// the same rows of what it reads.
static int64_t countKeptRows(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](train::TransposeOp transpose) {
        ArrayRef<int64_t> permutation = transpose.getPermutation();
        return countRows(type,
                         [&](int64_t dim) { return permutation[dim] == dim; });
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        ArrayRef<int64_t> source = slice.getSourceType().getShape();
        if (int64_t(source.size()) != type.getRank())
          return int64_t(1);
        return countRows(type, [&](int64_t dim) {
          return type.getDimSize(dim) == source[dim];
        });
      })
      .Case([&](tensor::ConcatOp concat) {
        return countRows(
            type, [&](int64_t dim) { return dim < int64_t(concat.getDim()); });
      })
      .Default(int64_t(1));
}

/// How `op` reaches into its operand `index`.
static Access accessOf(Operation *op, unsigned index) {
  return llvm::TypeSwitch<Operation *, Access>(op)
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [](auto) { return Access::Same; })
      .Case([](train::BroadcastOp broadcast) {
        if (elementsOf(broadcast.getInput()) ==
            elementsOf(broadcast.getResult()))
          return Access::Same;
        return isIota(broadcast.getDims()) ? Access::Row : Access::Other;
      })
      .Case([](train::TransposeOp transpose) {
        return keepsOrder(transpose) ? Access::Same : Access::Other;
      })
      .Case([&](train::GatherOp gather) {
        if (index == 0)
          return Access::Other;
        return elementsOf(gather.getIds()) == elementsOf(gather.getResult())
                   ? Access::Same
                   : Access::Row;
      })
      .Case<QuantizeOp, DequantizeOp>(
          [&](auto) { return index == 0 ? Access::Same : Access::Row; })
      .Case([](tensor::ExtractSliceOp slice) {
        return elementsOf(slice.getSource()) == elementsOf(slice.getResult())
                   ? Access::Same
                   : Access::Other;
      })
      .Case([](tensor::ConcatOp concat) {
        if (concat.getInputs().size() == 1)
          return Access::Same;
        return train::isSideBySide(concat) ? Access::Part : Access::Other;
      })
      .Default(Access::Same);
}

bool prec::isProduct(Operation *op) {
  return isa_and_present<train::MatmulOp, ScaledMatmulOp>(op);
}

static bool areTermsOfOne(Operation *a, Operation *b) {
  return a->getName() == b->getName() &&
         a->getAttr(train::kSeq) == b->getAttr(train::kSeq) &&
         train::getPhase(a) == train::getPhase(b);
}

Operation *prec::getAddedProduct(Operation *op) {
  auto add = dyn_cast_if_present<arith::AddFOp>(op);
  if (!add || !getElementTypeOrSelf(add.getType()).isF32() ||
      !add.getLhs().hasOneUse() || !add.getRhs().hasOneUse())
    return nullptr;
  Operation *sum = add.getLhs().getDefiningOp();
  Operation *product = add.getRhs().getDefiningOp();
  if (!sum || !isProduct(product) || !product->hasAttr(train::kSeq))
    return nullptr;
  Operation *before = isProduct(sum) ? sum : getAddedProduct(sum);
  return before && areTermsOfOne(before, product) ? product : nullptr;
}

/// Whether `op` joins what lies where it belongs: arguments, or what products
/// and quantizations compute, which may compute it there.
static bool joinsInPlace(Operation *op) {
  return isJoin(op) && llvm::all_of(op->getOperands(), [](Value piece) {
           Operation *maker = piece.getDefiningOp();
           return !maker || isProduct(maker) || isa<QuantizeOp>(maker);
         });
}

/// Whether a command of its own computes `op`, as it does what is scheduled.
static bool isBarrier(Operation *op) {
  if (isa_and_present<sched::SchedDialect>(op->getDialect()) ||
      isa<train::ExchangeOp>(op))
    return true;
  switch (getStructure(op).value_or(Structure::Elementwise)) {
  case Structure::Contraction:
  case Structure::Attention:
  case Structure::ScatterAdd:
  case Structure::Index:
  case Structure::Custom:
  case Structure::Exchange:
    return true;
  default:
    return getAddedProduct(op) || joinsInPlace(op);
  }
}

static FailureOr<NodeKind> kindOf(Operation *op) {
  if (op->getNumOperands() == 0)
    return NodeKind::Constant;
  if (isa<QuantizeOp, DequantizeOp>(op) ||
      (op->hasTrait<OpTrait::Elementwise>() && !getAddedProduct(op)))
    return NodeKind::Elementwise;
  if (isBarrier(op))
    return NodeKind::Barrier;
  if (copiesElements(op))
    return NodeKind::Layout;
  if (auto reduce = dyn_cast<train::ReduceOp>(op)) {
    if (train::reducesTiles(reduce))
      return NodeKind::TileReduce;
    ArrayRef<int64_t> dims = reduce.getDims();
    int64_t rank =
        cast<RankedTensorType>(reduce.getInput().getType()).getRank();
    if (isIota(dims, rank - dims.size()))
      return NodeKind::RowReduce;
    if (isIota(dims, dims.empty() ? 0 : dims.front()))
      return NodeKind::ColumnReduce;
    return op->emitOpError("reduced dimensions must be neighbors to be "
                           "scheduled, but got others");
  }
  return op->emitOpError("operation must be a primitive to be scheduled, but "
                         "got one that no kernel computes");
}

/// Dimensions behind those that `op` reduces, which are neighbors.
static unsigned countBehind(train::ReduceOp op) {
  int64_t rank = cast<RankedTensorType>(op.getInput().getType()).getRank();
  return rank - 1 - op.getDims().back();
}

namespace {

/// Numbers in order of first use.
class Numbering {
public:
  unsigned ofType(Value value) {
    return types.try_emplace(value.getType(), types.size()).first->second;
  }
  unsigned ofOperation(Operation *op);

private:
  using Key = std::tuple<Attribute, Attribute, Attribute>;
  llvm::DenseMap<Type, unsigned> types;
  llvm::DenseMap<Key, unsigned> operations;
};

} // namespace

unsigned Numbering::ofOperation(Operation *op) {
  NamedAttrList others(op->getDiscardableAttrDictionary());
  others.erase(train::kPhase);
  others.erase(train::kSeq);
  others.erase(train::kGraphOp);
  Attribute properties = op->getPropertiesAsAttribute();
  Key key{op->getName().getIdentifier(),
          properties ? properties : UnitAttr::get(op->getContext()),
          others.getDictionary(op->getContext())};
  return operations.try_emplace(key, operations.size()).first->second;
}

/// Whether `op` is a number of many, or reshapes one or a computed number:
/// kernels read it where it is, so that they do not differ by what it is of. An
/// argument is read as what it is, since a kernel may write its result there.
static bool isNumber(Operation *op) {
  while (isReshape(op) && elementsOf(op->getResult(0)) == 1) {
    op = op->getOperand(0).getDefiningOp();
    if (!op)
      return false;
    if (!isa<tensor::ExtractSliceOp>(op) && elementsOf(op->getResult(0)) == 1)
      return !op->hasTrait<OpTrait::ConstantLike>();
  }
  return isa<tensor::ExtractSliceOp>(op) && elementsOf(op->getResult(0)) == 1 &&
         getViewOffset(op);
}

/// Marks what an evaluation depends on.
static void markEvaluated(func::FuncOp function, FusionGraph &graph) {
  SmallVector<unsigned> work;
  for (OpOperand &result : function.front().getTerminator()->getOpOperands())
    if (train::isEvaluated(function, result.getOperandNumber()))
      work.push_back(graph.nodeOf.at(result.get()));
  while (!work.empty()) {
    FusionNode &node = graph.nodes[work.pop_back_val()];
    if (std::exchange(node.evaluated, true))
      continue;
    for (FusionEdge edge : node.operands)
      work.push_back(edge.node);
  }
}

FailureOr<FusionGraph> prec::projectFusionGraph(func::FuncOp function) {
  FusionGraph graph;
  Numbering numbering;
  auto addNode = [&](FusionNode node, Operation *op, ValueRange results) {
    for (Value result : results)
      graph.nodeOf[result] = graph.nodes.size();
    graph.nodes.push_back(std::move(node));
    graph.operations.push_back(op);
  };
  for (BlockArgument argument : function.getArguments()) {
    FusionNode node;
    node.kind = NodeKind::Source;
    node.elements = elementsOf(argument);
    node.bits = getStoredBits(getElementTypeOrSelf(argument.getType()));
    node.type = numbering.ofType(argument);
    addNode(std::move(node), nullptr, argument);
  }
  for (Operation &op : function.front().without_terminator()) {
    FailureOr<NodeKind> kind = kindOf(&op);
    if (failed(kind))
      return failure();
    FusionNode node;
    node.kind = *kind;
    node.elements = elementsOf(op.getResult(0));
    node.phase = unsigned(train::getPhase(&op));
    node.updates = train::getPhase(&op) == train::Phase::Optimizer;
    node.recomputed = train::getPhase(&op) == train::Phase::Recompute;
    Type element = getElementTypeOrSelf(op.getResult(0).getType());
    node.packed = element.getIntOrFloatBitWidth() < 8 && !element.isInteger(1);
    node.piece = isa<tensor::ExtractSliceOp>(op) || isNumber(&op);
    node.type = numbering.ofType(op.getResult(0));
    // Where a view begins is no part of what a kernel computes.
    bool isView = node.piece && getViewOffset(&op);
    node.operation = isView ? 0 : 1 + numbering.ofOperation(&op);
    node.looksUp = isa<train::GatherOp>(op);
    auto concat = dyn_cast<tensor::ConcatOp>(op);
    node.joinsColumns = concat && train::joinsColumns(concat);
    node.rounding = isa<arith::TruncFOp, QuantizeOp>(op) && !node.packed;
    node.narrow = element.getIntOrFloatBitWidth() <= 8;
    node.bits = getStoredBits(element);
    if (isa<train::ReduceOp>(op))
      node.reduced =
          elementsOf(op.getOperand(0)) / std::max<int64_t>(1, node.elements);
    if (node.kind == NodeKind::TileReduce) {
      train::TiledMatrices tiled(
          cast<RankedTensorType>(op.getOperand(0).getType()));
      node.columns = tiled.columns;
      node.rows = tiled.rows;
      node.tileRows = tiled.tileRows;
      node.tileColumns = tiled.tileColumns;
    }
    if (node.kind == NodeKind::ColumnReduce && element.isF32()) {
      auto reduce = cast<train::ReduceOp>(op);
      node.columns = countColumns(op.getOperand(0), countBehind(reduce));
      int64_t rows = node.elements / node.columns * node.reduced;
      int64_t tileColumns = train::chooseTileColumns(node.columns);
      if (reduce.getDims() == ArrayRef<int64_t>{1} &&
          node.reduced == train::chooseTileRows(rows) && tileColumns) {
        node.rows = rows;
        node.tileRows = node.reduced;
        node.tileColumns = tileColumns;
      }
    }
    for (OpOperand &operand : op.getOpOperands())
      node.operands.push_back({graph.nodeOf.at(operand.get()),
                               accessOf(&op, operand.getOperandNumber()),
                               countKeptRows(&op)});
    addNode(std::move(node), &op, op.getResults());
  }

  auto store = [&](Value value) {
    FusionNode &node = graph.nodes[graph.nodeOf.at(getStorageRoot(value))];
    node.stored = true;
    auto transpose = getStorageRoot(value).getDefiningOp<train::TransposeOp>();
    if (transpose && train::swapsLastTwo(transpose) && !keepsOrder(transpose)) {
      node.kind = NodeKind::Transpose;
      node.columns = countColumns(transpose.getInput(), /*dims=*/1);
      node.rows = countColumns(transpose.getInput(), /*dims=*/2) / node.columns;
    }
  };
  for (auto [node, op] : llvm::zip(graph.nodes, graph.operations)) {
    // One number of many is read where it is, so that kernels which differ only
    // by which one they read are the same kernel.
    bool takesNumber = isa_and_present<tensor::ExtractSliceOp>(op) &&
                       node.elements == 1 && getViewOffset(op);
    // What is added to zeros is added to memory that a command clears.
    if (isa_and_present<train::ScatterAddOp>(op) &&
        matchPattern(op->getOperand(0), m_AnyZeroFloat()))
      llvm::for_each(op->getOperands().drop_front(), store);
    else if (op && (takesNumber || node.kind == NodeKind::Barrier))
      llvm::for_each(op->getOperands(), store);
  }
  llvm::for_each(function.front().getTerminator()->getOperands(), store);
  markEvaluated(function, graph);
  return graph;
}
