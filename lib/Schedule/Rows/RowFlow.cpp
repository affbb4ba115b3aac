//===- RowFlow.cpp - which rows of operands rows of a result need ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says which rows of its operands an operation needs for some rows of its
// result. The rows of a tensor are one of its dimensions, cut into equal parts.
// A flow names, for a dimension of the result, the dimension of each operand
// whose same part is needed, or none if all of the operand is. Example: rows of
// matmul(A, B) need the same rows of A and all of B; rows of a transposition
// need columns of its input. followRows asks the other way round: what becomes
// of part of an operand. A matmul whose contracted dimension is cut becomes one
// term for each part, which add up to the result.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Rows/RowFlow.h"

#include "prec/Dialect/Train/PrimitiveBuilder.h"

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

using Dims = SmallVector<std::optional<int64_t>, 4>;

/// The outermost dimension of a group that has more than one element: parts of
/// it are parts of what the group is reshaped to.
static int64_t getOutermost(RankedTensorType type, ArrayRef<int64_t> group) {
  for (int64_t dim : group)
    if (type.getDimSize(dim) != 1)
      return dim;
  return group.front();
}

static std::optional<Dims> flowOf(train::ReduceOp op, int64_t dim) {
  for (int64_t from = 0, to = 0; from < tensorType(op.getInput()).getRank();
       ++from) {
    if (llvm::is_contained(op.getDims(), from))
      continue;
    if (to++ == dim)
      return Dims{from};
  }
  return std::nullopt;
}

static std::optional<Dims> flowOf(train::BroadcastOp op, int64_t dim) {
  auto found = llvm::find(op.getDims(), dim);
  if (found == op.getDims().end())
    return Dims{std::nullopt};
  return Dims{found - op.getDims().begin()};
}

static std::optional<Dims> flowOf(tensor::ExpandShapeOp op, int64_t dim) {
  for (auto [index, group] : llvm::enumerate(op.getReassociationIndices()))
    if (llvm::is_contained(group, dim) &&
        getOutermost(op.getResultType(), group) == dim)
      return Dims{int64_t(index)};
  return std::nullopt;
}

static std::optional<Dims> flowOf(tensor::CollapseShapeOp op, int64_t dim) {
  return Dims{getOutermost(op.getSrcType(), op.getReassociationIndices()[dim])};
}

static std::optional<Dims> flowOf(train::MatmulOp op, int64_t dim) {
  if (tensorType(op.getResult()).getRank() != 2 || dim != 0)
    return std::nullopt;
  Dims dims(op->getNumOperands());
  dims[0] = op.getTransposeA() ? 1 : 0;
  return dims;
}

static bool isOfTensor(Value scale) {
  return tensorType(scale).getNumElements() == 1;
}

/// Whether each row of an operand has inverse scales of its own, and their last
/// dimension is that of the rows.
static bool areOfRows(Scaling scaling) {
  const ScalingTraits &traits = traitsOf(scaling);
  return traits.rows == 1 && (traits.family == ScalingFamily::Row ||
                              traits.layout == ScaleLayout::Transposed);
}

static std::optional<Dims> flowOf(ScaledMatmulOp op, int64_t dim) {
  Dims dims(op->getNumOperands());
  Scaling scaling = op.getLhsScaling();
  if (dim != 0 || (isFine(scaling) && !areOfRows(scaling)))
    return std::nullopt;
  dims[0] = 0;
  if (isFine(scaling))
    dims[1] = tensorType(op.getLhsScale()).getRank() - 1;
  return dims;
}

static std::optional<RowFlow> getTerms(Operation *op) {
  if (auto matmul = dyn_cast<train::MatmulOp>(op)) {
    // Every term would add the bias.
    if (tensorType(matmul.getResult()).getRank() != 2 || matmul.getBias())
      return std::nullopt;
    return RowFlow{
        std::nullopt,
        {matmul.getTransposeA() ? 0 : 1, matmul.getTransposeB() ? 1 : 0}};
  }
  auto matmul = dyn_cast<ScaledMatmulOp>(op);
  if (!matmul || matmul.getBias())
    return std::nullopt;
  // Inverse scales of blocks change along what is contracted.
  for (Scaling scaling : {matmul.getLhsScaling(), matmul.getRhsScaling()})
    if (traitsOf(scaling).columns != 0)
      return std::nullopt;
  RowFlow flow{std::nullopt, Dims(op->getNumOperands())};
  flow.operandDims[0] = flow.operandDims[2] = 1;
  return flow;
}

static bool isCut(RankedTensorType type, int64_t dim, int64_t parts) {
  return dim < type.getRank() && type.getDimSize(dim) % parts == 0;
}

std::optional<RowFlow> prec::getRowFlow(Operation *op, int64_t dim,
                                        int64_t parts) {
  if (op->getNumResults() != 1 ||
      !isCut(tensorType(op->getResult(0)), dim, parts))
    return std::nullopt;
  auto dims =
      llvm::TypeSwitch<Operation *, std::optional<Dims>>(op)
          .Case<train::ReduceOp, train::BroadcastOp, train::MatmulOp,
                ScaledMatmulOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
              [&](auto op) { return flowOf(op, dim); })
          .Case([&](train::TransposeOp op) {
            return Dims{op.getPermutation()[dim]};
          })
          .Case<QuantizeOp, DequantizeOp>([&](auto) -> std::optional<Dims> {
            if (!llvm::all_of(op->getOperands().drop_front(), isOfTensor))
              return std::nullopt;
            Dims dims(op->getNumOperands());
            dims[0] = dim;
            return dims;
          })
          .Case([&](arith::ConstantOp op) -> std::optional<Dims> {
            if (!isa<SplatElementsAttr>(op.getValue()))
              return std::nullopt;
            return Dims();
          })
          .Case([&](train::IotaOp op) -> std::optional<Dims> {
            if (int64_t(op.getDim()) == dim)
              return std::nullopt;
            return Dims();
          })
          .Default([&](Operation *) -> std::optional<Dims> {
            if (!op->hasTrait<OpTrait::Elementwise>())
              return std::nullopt;
            return Dims(op->getNumOperands(), dim);
          });
  if (!dims)
    return std::nullopt;
  for (auto [operand, from] : llvm::zip_equal(op->getOperands(), *dims))
    if (from && !isCut(tensorType(operand), *from, parts))
      return std::nullopt;
  return RowFlow{dim, std::move(*dims)};
}

std::optional<RowFlow> prec::followRows(OpOperand &reader, int64_t dim,
                                        int64_t parts) {
  Operation *op = reader.getOwner();
  if (op->getNumResults() != 1)
    return std::nullopt;
  auto leads = [&](const std::optional<RowFlow> &flow) {
    return flow && flow->operandDims[reader.getOperandNumber()] == dim;
  };
  for (int64_t to = 0; to < tensorType(op->getResult(0)).getRank(); ++to)
    if (std::optional<RowFlow> flow = getRowFlow(op, to, parts); leads(flow))
      return flow;
  if (std::optional<RowFlow> terms = getTerms(op); leads(terms))
    return terms;
  return std::nullopt;
}
