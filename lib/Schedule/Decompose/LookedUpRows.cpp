//===- LookedUpRows.cpp - other rows of what is computed by rows ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes rows of a matrix in another order without the matrix. Each token
// goes to several experts, so that the rows that experts read are rows of a
// smaller table, looked up: eight of each with eight experts a token. What
// wants these rows in yet another order, such as a copy in which groups are
// aligned, may read the matrix or look up the same rows of the table again,
// which is less: the second cache holds the rows of a table that are read
// again. The expression behind the matrix is followed back: element by element,
// through numbers that are the same within each row, to such lookups; anything
// else ends the attempt. Then it is built once more for the other rows, with
// the same roundings, so every number has the bits that it had. An expression
// has at most `kMostOperations` operations; time is linear in them.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/LookedUpRows.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Schedule/MemoryPlan.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

/// Longer expressions are stored, not computed again.
static constexpr size_t kMostOperations = 16;

Value prec::gatherRows(Value table, Value ids, PrimitiveBuilder &b) {
  SmallVector<int64_t> shape(shapeOf(table));
  shape[0] = shapeOf(ids)[0];
  return b.create<train::GatherOp>(tensorType(table).clone(shape), table, ids,
                                   /*result_tags=*/nullptr,
                                   /*operand_tags=*/nullptr);
}

namespace {

class Lookup {
public:
  explicit Lookup(Value matrix) : matrix(tensorType(matrix)) {}

  /// Whether `value`, of the matrix's shape, can be computed for other rows.
  bool follow(Value value);
  /// Bytes of the tables that it is computed of.
  int64_t countBytes() const;
  Value compute(Value value, Value ids, PrimitiveBuilder &b);

private:
  int64_t getRows() const { return matrix.getDimSize(0); }
  bool isOfRows(train::BroadcastOp op) const;

  RankedTensorType matrix;
  llvm::SmallSetVector<Operation *, kMostOperations> followed;
  llvm::SmallSetVector<Value, 2> tables;
  DenseMap<Value, Value> computed;
};

} // namespace

/// Repeats a number for each row, or one number.
bool Lookup::isOfRows(train::BroadcastOp op) const {
  Value input = op.getInput();
  bool isOne = tensorType(input).getRank() == 0;
  return isOne || (op.getDims() == ArrayRef<int64_t>{0} &&
                   tensorType(input).getShape() == ArrayRef{getRows()});
}

bool Lookup::follow(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || shapeOf(value) != matrix.getShape())
    return false;
  if (followed.contains(op))
    return true;
  if (followed.size() == kMostOperations)
    return false;
  followed.insert(op);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op))
    return isOfRows(broadcast);
  if (auto gather = dyn_cast<train::GatherOp>(op)) {
    // A table may show rows of another one, each several times.
    tables.insert(skipReshapesAnd<train::BroadcastOp>(gather.getTable()));
    return shapeOf(gather.getIds()) == ArrayRef{getRows()};
  }
  return op->hasTrait<OpTrait::Elementwise>() &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return follow(operand); });
}

int64_t Lookup::countBytes() const {
  int64_t bytes = 0;
  for (Value table : tables)
    bytes += getByteSize(table.getType());
  return bytes;
}

Value Lookup::compute(Value value, Value ids, PrimitiveBuilder &b) {
  if (Value done = computed.lookup(value))
    return done;
  Operation *op = value.getDefiningOp();
  SmallVector<int64_t> shape(matrix.getShape());
  shape[0] = shapeOf(ids)[0];
  RankedTensorType type = tensorType(value).clone(shape);
  Value result;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    result = b.create<arith::ConstantOp>(splat.resizeSplat(type));
  } else if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    Value input = broadcast.getInput();
    result = tensorType(input).getRank() == 0
                 ? b.broadcast(input, {}, shape)
                 : b.broadcast(gatherRows(input, ids, b), {0}, shape);
  } else if (auto gather = dyn_cast<train::GatherOp>(op)) {
    result =
        gatherRows(gather.getTable(), gatherRows(gather.getIds(), ids, b), b);
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(compute(operand, ids, b));
    result = b.createLike(op, type, operands);
  }
  return computed[value] = result;
}

Value prec::computeLookedUp(Value stored, Value matrix, Value ids,
                            PrimitiveBuilder &b) {
  Lookup lookup(matrix);
  if (!lookup.follow(matrix) ||
      lookup.countBytes() >= getByteSize(stored.getType()))
    return {};
  return lookup.compute(matrix, ids, b);
}
