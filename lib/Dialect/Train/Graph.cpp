//===- Graph.cpp - functions and tensors that passes can read -------------===//
#include "prec/Dialect/Train/Graph.h"

#include "prec/Dialect/Sched/Sched.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::train;

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

static bool isGraphOp(Operation &op) {
  return op.getNumResults() > 0 &&
         llvm::all_of(op.getOperandTypes(), isStaticTensor) &&
         llvm::all_of(op.getResultTypes(), isStaticTensor) &&
         (op.getNumRegions() == 0 ||
          isa_and_present<sched::SchedDialect>(op.getDialect()));
}

bool train::isGraph(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return false;
  Block &block = function.front();
  return isa<func::ReturnOp>(block.getTerminator()) &&
         llvm::all_of(block.getArgumentTypes(), isStaticTensor) &&
         llvm::all_of(block.getTerminator()->getOperandTypes(),
                      isStaticTensor) &&
         llvm::all_of(block.without_terminator(), isGraphOp);
}

LogicalResult train::verifyTensorSizes(Operation *root) {
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
