//===- PointQuotient.cpp - divisions by one value of a row ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A correctly rounded division takes ten instructions and a branch. Where a row
// has one divisor (the sum of a softmax), its reciprocal is computed once for
// the row, and each element takes three multiplications and two fused steps.
// The quotient is still rounded correctly, unless it is subnormal. The
// reciprocal is remembered by the divisor, so all results of the kernel that
// divide by it share it.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/MathFunctions.h"
#include "Codegen/Emitter/PointOps.h"
#include "Codegen/Emitter/RowSoftmax.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace prec;

std::optional<Value> prec::divideByRowSum(PointEmitter &emitter,
                                          arith::DivFOp op,
                                          ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  if (kernel.target != KernelTarget::Nvptx || !isShareOfRow(op) ||
      !cast<RankedTensorType>(op.getType()).getElementType().isF32())
    return std::nullopt;
  Value x = emitter.emit(op.getLhs(), at), y = emitter.emit(op.getRhs(), at);
  if (!x || !y)
    return Value();
  Value one = y;
  if (auto lanes = y.getDefiningOp<vector::BroadcastOp>())
    one = lanes.getSource();
  // Not one for all lanes.
  if (isa<VectorType>(one.getType()))
    return std::nullopt;
  kernel.setLoc(op.getLoc());
  KernelBuilder::Key key{7, uintptr_t(one.getAsOpaquePointer())};
  Value reciprocal = kernel.lookup(key);
  if (!reciprocal) {
    unsigned depth = kernel.depthOf(one);
    reciprocal = 1.0 / emitter.expr(depth, one);
    kernel.remember(depth, key, reciprocal);
  }
  reciprocal = emitter.spread(reciprocal, at);
  unsigned depth = std::max(kernel.depthOf(x), kernel.depthOf(reciprocal));
  return nvptx::quotient(emitter.expr(depth, x), emitter.expr(depth, y),
                         emitter.expr(depth, reciprocal));
}
