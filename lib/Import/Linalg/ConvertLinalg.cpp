//===- ConvertLinalg.cpp - linalg on tensors as a graph of prec -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes operations of linalg as what importing makes of a framework's:
// matmuls, convolutions, arithmetic on tensors, reductions, broadcasts and
// transpositions. An operation is judged by its iterators, maps and payload,
// whatever its name: first whether it is a matmul (LinalgProducts.cpp), then
// whether it is a convolution (LinalgConvolution.cpp); any other is computed in
// its iteration space (LinalgLoops.cpp). Loops that add to places of a tensor
// are LinalgScatterLoop.cpp's.
//
//===----------------------------------------------------------------------===//
#include "Import/Linalg/LinalgConverter.h"
#include "Import/Linalg/LinalgPayload.h"

#include "prec/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace prec {
#define GEN_PASS_DEF_CONVERTLINALGTOTRAIN
#include "prec/Import/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;
using linalg::LinalgOp;

FailureOr<SmallVector<Value>>
LinalgConverter::convertSoftmax(linalg::SoftmaxOp softmax) {
  int64_t rank = softmax.getInputOperandRank();
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[softmax.getDimension()], permutation[rank - 1]);
  Value input = transpose(softmax.getInput(), permutation);
  Value result = create<train::SoftmaxOp>(input.getType(), input, ArrayAttr(),
                                          ArrayAttr());
  return SmallVector<Value>{transpose(result, permutation)};
}

FailureOr<SmallVector<Value>>
LinalgConverter::convertStructured(LinalgOp linalg) {
  // Without rows or columns the iteration space is no larger than an operand.
  FailureOr<linalg::ContractionDimensions> dims = failure();
  if (linalg::isaContractionOpInterface(linalg))
    dims = linalg::inferContractionDims(linalg);
  bool isProduct = succeeded(dims) && (multipliesAndAdds(linalg) ||
                                       (!dims->m.empty() && !dims->n.empty()));
  // No matmul of a graph is in f64.
  if (isProduct && !getElementTypeOrSelf(linalg->getResult(0)).isF64())
    return convertProduct(linalg);
  if (std::optional<Value> convolution = convertConvolution(linalg, *this))
    return SmallVector<Value>{*convolution};
  return convertLoops(linalg);
}

/// What operations of prec_train that move elements take.
static bool isElementOfGraphs(Type element) {
  return element.isF64() || element.isF32() || element.isBF16() ||
         element.isF16() || element.isSignlessInteger(1) ||
         element.isSignlessInteger(8) || element.isSignlessInteger(32) ||
         element.isSignlessInteger(64) ||
         isa<Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType>(element);
}

FailureOr<SmallVector<Value>> LinalgConverter::convert() {
  for (ValueRange range :
       {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : range) {
      auto shaped = dyn_cast<ShapedType>(value.getType());
      // linalg_c7
      if (shaped &&
          (!isa<RankedTensorType>(shaped) || !shaped.hasStaticShape() ||
           shaped.getElementType().isIndex()))
        return op->emitOpError("operands must be tensors of static shape, and "
                               "not of index, to be converted, but got ")
               << shaped;
      // linalg_c6
      if (shaped && !isElementOfGraphs(shaped.getElementType()))
        return op->emitOpError("elements must be floats or signless whole "
                               "numbers of 1, 8, 32 or 64 bits to be "
                               "converted, but got ")
               << shaped;
    }
  return llvm::TypeSwitch<Operation *, FailureOr<SmallVector<Value>>>(op)
      .Case([&](linalg::SoftmaxOp softmax) { return convertSoftmax(softmax); })
      .Case([&](tensor::PadOp pad) { return convertPad(pad); })
      .Case([&](tensor::InsertSliceOp insert) { return convertInsert(insert); })
      .Case([&](tensor::GatherOp gather) { return convertGather(gather); })
      .Case([&](tensor::ScatterOp scatter) { return convertScatter(scatter); })
      .Case([&](scf::ForOp loop) { return convertLoop(loop); })
      .Case([&](LinalgOp linalg) { return convertStructured(linalg); })
      // linalg_c8
      .Default([&](Operation *) -> FailureOr<SmallVector<Value>> {
        return op->emitOpError("is not converted");
      });
}

/// What is converted, or refused.
static bool isToConvert(Operation *op) {
  return isa_and_present<linalg::LinalgDialect, scf::SCFDialect>(
             op->getDialect()) ||
         isa<tensor::PadOp, tensor::InsertSliceOp, tensor::GatherOp,
             tensor::ScatterOp>(op);
}

namespace {

struct ConvertLinalgToTrain
    : public prec::impl::ConvertLinalgToTrainBase<ConvertLinalgToTrain> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isToConvert(op))
        return WalkResult::advance();
      found.push_back(op);
      return WalkResult::skip();
    });
    // What only starts a sum, or surrounds an image, is looked at by what reads
    // it, and stays until then.
    SmallVector<std::pair<Operation *, Value>> late;
    for (Operation *op : found) {
      if (op->use_empty())
        continue;
      FailureOr<SmallVector<Value>> values = LinalgConverter(op).convert();
      if (failed(values))
        return signalPassFailure();
      if (isa<linalg::FillOp, tensor::PadOp, tensor::InsertSliceOp>(op))
        late.push_back({op, (*values)[0]});
      else
        op->replaceAllUsesWith(*values);
    }
    for (auto [op, value] : late)
      op->getResult(0).replaceAllUsesWith(value);
    // From the last: an operation before its operands.
    for (Operation *op : llvm::reverse(found))
      if (op->use_empty())
        op->erase();
    foldConstants();
    eraseUnread();
  }

  /// What is computed of constants of one number each, which other compilers
  /// leave in payloads: the true parts of masks.
  void foldConstants() {
    OpBuilder builder(&getContext());
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(block)) {
        bool isConstant = op.getNumOperands() > 0 && op.getNumRegions() == 0 &&
                          llvm::all_of(op.getOperands(), [](Value operand) {
                            SplatElementsAttr splat;
                            return matchPattern(operand, m_Constant(&splat));
                          });
        SmallVector<Value> values;
        if (!isConstant)
          continue;
        builder.setInsertionPoint(&op);
        if (succeeded(builder.tryFold(&op, values)))
          op.replaceAllUsesWith(values);
      }
  }

  /// What nothing reads any more of what the operations read.
  void eraseUnread() {
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
  }
};

} // namespace
