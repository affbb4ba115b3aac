//===- RowParts.cpp - rows computed part by part --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a region of operations part by part. For each part every member is
// cloned in block order on its parts of the operands; what lies outside of the
// region is read by slices. Matmuls at the end of the region whose contracted
// dimension is cut give terms, which are added in f32, in the order of the
// parts, and rounded at the end. A value that others read is concatenated
// again. So of the large values only one part is live at a time. Then
// operations that wait for results move behind the parts, and the members are
// erased.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Rows/RowRegion.h"

#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

namespace {

class PartWriter {
public:
  explicit PartWriter(const RowRegion &region)
      : region(region), builder(region.members.front().op->getContext()) {}

  void run();

private:
  RankedTensorType getPartType(Value value, int64_t dim) const;
  Value getPart(Value value, int64_t dim, int64_t part);
  Value createPart(Operation *op, const RowFlow &flow, int64_t part);
  Value createTerm(Operation *op, int64_t part);
  Value join(Value whole, ArrayRef<Value> parts);
  bool isReadOutside(Value value) const;

  const RowRegion &region;
  OpBuilder builder;
  IRMapping mapping; ///< of the part that is written
  llvm::DenseSet<Operation *> members;
  llvm::MapVector<Value, SmallVector<Value>> joined;
  llvm::MapVector<Value, Value> sums;
};

} // namespace

RankedTensorType PartWriter::getPartType(Value value, int64_t dim) const {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= region.parts;
  return type.clone(shape);
}

/// The part of what a member reads, a view of it where its rows are in front.
Value PartWriter::getPart(Value value, int64_t dim, int64_t part) {
  if (region.dims.contains(value))
    return mapping.lookup(value);
  RankedTensorType type = getPartType(value, dim);
  SmallVector<int64_t> offsets(type.getRank(), 0);
  offsets[dim] = part * type.getDimSize(dim);
  return train::createSlice(builder, value.getLoc(), type, value, offsets);
}

Value PartWriter::createPart(Operation *op, const RowFlow &flow, int64_t part) {
  IRMapping operands;
  for (auto [operand, dim] :
       llvm::zip_equal(op->getOperands(), flow.operandDims))
    if (dim && !operands.contains(operand))
      operands.map(operand, getPart(operand, *dim, part));
  Value whole = op->getResult(0);
  RankedTensorType type =
      flow.resultDim
          ? getPartType(whole, *flow.resultDim)
          : cast<RankedTensorType>(whole.getType()).clone(builder.getF32Type());
  auto get = [&](Value value) { return operands.lookupOrDefault(value); };
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(
        builder, op->getLoc(),
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return tensor::ExpandShapeOp::create(builder, op->getLoc(), type,
                                         get(expand.getSrc()),
                                         expand.getReassociationIndices());
  Operation *copy = builder.clone(*op, operands);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

bool PartWriter::isReadOutside(Value value) const {
  return llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return !members.contains(user); });
}

/// The whole of a value that was computed in parts, as others read it.
Value PartWriter::join(Value whole, ArrayRef<Value> parts) {
  auto op = tensor::ConcatOp::create(builder, whole.getLoc(), whole.getType(),
                                     region.dims.lookup(whole), parts);
  train::copyProvenance(whole.getDefiningOp(), op);
  return op;
}

void PartWriter::run() {
  for (const RowRegion::Member &member : region.members)
    if (!member.isCopied)
      members.insert(member.op);
  Operation *last = region.members.back().op;
  builder.setInsertionPointAfter(last);
  for (int64_t part = 0; part < region.parts; ++part) {
    for (auto [op, flow, isCopied] : region.members) {
      Value whole = op->getResult(0), value = createPart(op, flow, part);
      mapping.map(whole, value);
      if (!flow.resultDim) {
        Value &sum = sums[whole];
        if (sum) {
          sum = arith::AddFOp::create(builder, op->getLoc(), sum, value);
          train::copyProvenance(op, sum.getDefiningOp());
        } else {
          sum = value;
        }
      } else if (!isCopied && isReadOutside(whole)) {
        joined[whole].push_back(value);
      }
    }
  }
  for (auto &[whole, parts] : joined)
    whole.replaceUsesWithIf(join(whole, parts), [&](OpOperand &use) {
      return !members.contains(use.getOwner());
    });
  for (auto &[whole, sum] : sums) {
    if (sum.getType() != whole.getType()) {
      sum = arith::TruncFOp::create(builder, whole.getLoc(), whole.getType(),
                                    sum);
      train::copyProvenance(whole.getDefiningOp(), sum.getDefiningOp());
    }
    whole.replaceAllUsesWith(sum);
  }
  Operation *end = &*builder.getInsertionPoint();
  for (Operation *op : region.waiting)
    op->moveBefore(end);
  for (const RowRegion::Member &member : llvm::reverse(region.members))
    if (!member.isCopied)
      member.op->erase();
}

void prec::computeInParts(const RowRegion &region) { PartWriter(region).run(); }
