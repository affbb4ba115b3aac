//===- Deferral.cpp - transposed copies that can wait ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds transposed FP8 copies that the forward makes and only the backward
// reads. Such a copy can be computed in the backward instead, if what it is
// computed from is kept anyway. The expression behind it is traced, element by
// element, back to such values; it may have at most 32 operations. If the
// backward transposes something that it computes from the same values (a
// companion), both are one kernel in tiles, which reads them once, unless the
// companion has parts of several widths. Without a companion the values may
// have at most three times the bytes of the copy.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Deferral.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Tiles.h"
#include "prec/Schedule/MemoryPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

/// Longer expressions are not computed twice.
static constexpr size_t kMaxChain = 32;
/// Operations in front of a companion, or between it and what it shares.
static constexpr size_t kMaxFollowed = 64;
/// What a copy reads for itself alone, in bytes of its own: it saves one write
/// of them, and the time that they are kept.
static constexpr int64_t kMaxRead = 3;
/// A tensor of so many times fewer elements counts for nothing.
static constexpr int64_t kLeastShare = 64;

static int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

static bool isBackward(Operation *op) {
  train::Phase phase = train::getPhase(op);
  return phase != train::Phase::Forward && phase != train::Phase::Recompute;
}

/// Shows the elements of its operand, as they are or wider.
static bool isView(Operation *op) {
  return isReshape(op) || isa<tensor::ExtractSliceOp, arith::ExtFOp>(op);
}

/// Computes an element from one element of each operand, but for a number for
/// each row: a norm whose statistics are kept does.
static bool isPointwise(Operation *op) {
  return isView(op) ||
         isa<QuantizeOp, DequantizeOp, train::BroadcastOp, train::RmsNormOp,
             train::LayerNormOp, tensor::ConcatOp>(op) ||
         op->hasTrait<OpTrait::Elementwise>();
}

static bool isKept(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isBackward(user) || (isView(user) && isKept(user->getResult(0)));
  });
}

static bool isNarrowTransposition(Operation *op) {
  auto transpose = dyn_cast<train::TransposeOp>(op);
  return transpose && train::swapsLastTwo(transpose) &&
         getElementTypeOrSelf(transpose.getType()).getIntOrFloatBitWidth() == 8;
}

namespace {
/// The expression behind a transposition.
class Expression {
public:
  /// False if it needs something else than elements that `isLeaf` holds for,
  /// constants and arguments, or if it is too long.
  bool trace(Operation *op, size_t limit, function_ref<bool(Value)> isLeaf);

  llvm::SetVector<Operation *> chain; ///< in the order of the block
  llvm::SetVector<Value> leaves;
};
} // namespace

bool Expression::trace(Operation *op, size_t limit,
                       function_ref<bool(Value)> isLeaf) {
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (!producer || producer->getNumOperands() == 0 || isLeaf(operand)) {
      leaves.insert(operand);
      continue;
    }
    if (chain.contains(producer))
      continue;
    if (!isPointwise(producer) || chain.size() > limit ||
        !trace(producer, limit, isLeaf))
      return false;
  }
  chain.insert(op);
  return true;
}

/// Whether what is behind `op` are whole tensors and single numbers: a number
/// for each row comes from a kernel of whole rows, which has no tiles. What the
/// forward has computed is in memory, whatever of.
static bool isOfTiles(Operation *op) {
  int64_t elements = countElements(op->getResult(0));
  Expression behind;
  auto isLeaf = [](Value value) {
    Operation *op = value.getDefiningOp();
    return countElements(value) == 1 || !isPointwise(op) || !isBackward(op);
  };
  return behind.trace(op, kMaxFollowed, isLeaf) &&
         llvm::all_of(behind.leaves, [&](Value leaf) {
           return countElements(leaf) == 1 ||
                  countElements(leaf) >= elements / kLeastShare;
         });
}

/// Whether a kernel of tiles that computes `op` can compute a copy beside it:
/// not if it has parts of several widths, of which a block has one.
static bool hasRoomBeside(Operation *op) {
  Expression behind;
  auto isLeaf = [](Value value) { return !isPointwise(value.getDefiningOp()); };
  if (!behind.trace(op, kMaxFollowed, isLeaf))
    return false;
  return llvm::none_of(behind.chain, [](Operation *part) {
    auto concat = dyn_cast<tensor::ConcatOp>(part);
    return concat && !llvm::all_equal(concat->getOperandTypes());
  });
}

/// The last narrow transposition of tiles that the backward computes element
/// by element from one of `leaves`.
static Operation *findCompanion(ArrayRef<Value> leaves,
                                const OperationOrder &order) {
  llvm::SetVector<Operation *> followed;
  auto follow = [&](Value value) {
    for (Operation *user : value.getUsers())
      if (isBackward(user) || isView(user))
        followed.insert(user);
  };
  llvm::for_each(leaves, follow);
  Operation *last = nullptr;
  for (size_t i = 0; i < followed.size() && i < kMaxFollowed; ++i) {
    Operation *op = followed[i];
    if (isNarrowTransposition(op) && isBackward(op)) {
      if (isOfTiles(op) && hasRoomBeside(op) &&
          (!last || order.isBefore(last, op)))
        last = op;
    } else if (isPointwise(op)) {
      llvm::for_each(op->getResults(), follow);
    }
  }
  return last;
}

std::optional<Deferral> prec::findDeferral(train::TransposeOp op,
                                           const OperationOrder &order) {
  auto isRead = [](Operation *user) { return isBackward(user); };
  if (isBackward(op) || !isNarrowTransposition(op) || op->use_empty() ||
      !llvm::all_of(op->getUsers(), isRead))
    return std::nullopt;
  int64_t elements = countElements(op.getResult());
  auto isSmall = [&](Value value) {
    return countElements(value) < elements / kLeastShare;
  };
  Expression expression;
  if (!expression.trace(op, kMaxChain, [&](Value value) {
        return isSmall(value) ||
               (isKept(value) && !isa<arith::ExtFOp>(value.getDefiningOp()));
      }))
    return std::nullopt;
  Deferral result{llvm::to_vector(expression.chain), {}, nullptr};
  int64_t read = 0;
  for (Value leaf : expression.leaves) {
    if (isSmall(leaf))
      continue;
    result.leaves.push_back(leaf);
    read += getByteSize(leaf.getType());
  }
  result.companion = findCompanion(result.leaves, order);
  if (!result.companion && read > kMaxRead * getByteSize(op.getType()))
    return std::nullopt;
  return result;
}
