//===- Graph.cpp - functions and tensors that passes can read -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/Graph.h"

#include "prec/Dialect/Sched/Sched.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace prec::train;

static bool isTooLarge(RankedTensorType type) {
  Type element = type.getElementType();
  int64_t bytes = element.isIntOrFloat()
                      ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8u)
                      : 1;
  // A tensor of nothing is small, whatever its other dimensions.
  if (llvm::is_contained(type.getShape(), 0))
    return false;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes) || bytes > kMostTensorBytes)
      return true;
  return false;
}

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         tensor.getElementType().isIntOrFloat() && !isTooLarge(tensor);
}

/// What of `op` is none of a graph; nothing if all is.
static std::optional<std::string> findNoGraph(Operation &op) {
  auto describe = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  // A formula's region is of scalars, and a part of its operation.
  if (op.getNumRegions() != 0 && !isa<UpdateOp>(op) &&
      !isa_and_present<prec::sched::SchedDialect>(op.getDialect()))
    return "a region";
  bool isReturn = op.hasTrait<OpTrait::IsTerminator>();
  if (isReturn && !isa<func::ReturnOp>(op))
    return "another end of a block than a return";
  if (!isReturn && op.getNumResults() == 0 && !isa<prec::sched::AwaitOp>(op))
    return "an operation without results";
  for (TypeRange types :
       {TypeRange(op.getOperandTypes()), TypeRange(op.getResultTypes())})
    for (Type type : types)
      if (!isStaticTensor(type))
        return describe(type);
  return std::nullopt;
}

bool prec::train::isGraph(func::FuncOp function) {
  return function.getBody().hasOneBlock() &&
         llvm::all_of(function.front().getArgumentTypes(), isStaticTensor) &&
         llvm::all_of(function.front(), [](Operation &op) {
           return !findNoGraph(op).has_value();
         });
}

LogicalResult prec::train::verifyGraph(func::FuncOp function) {
  // graph_c1
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("a graph must have one block, but got ")
           << function.getBody().getBlocks().size();
  for (Type type : function.front().getArgumentTypes())
    // graph_c2
    if (!isStaticTensor(type))
      return function.emitOpError("arguments of a graph must be ranked tensors "
                                  "of integers or floats, of static shape and "
                                  "2^48 bytes at most, but got ")
             << type;
  for (Operation &op : function.front())
    // graph_c3
    if (std::optional<std::string> found = findNoGraph(op))
      return op.emitOpError("operations of a graph must make ranked tensors of "
                            "integers or floats, of static shape and 2^48 "
                            "bytes at most, of such, but got ")
             << *found;
  return success();
}

LogicalResult prec::train::verifyTensorSizes(Operation *root) {
  llvm::DenseSet<Type> seen;
  auto verify = [&](Operation *op, Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || !seen.insert(type).second ||
        !isTooLarge(tensor))
      return success();
    // verify_sizes_c1
    return op->emitOpError("a tensor must take at most 2^48 bytes, more than "
                           "can be addressed, but got ")
           << type;
  };
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(verify(op, type)))
            return WalkResult::interrupt();
    for (Type type : op->getOperandTypes())
      if (failed(verify(op, type)))
        return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (failed(verify(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
