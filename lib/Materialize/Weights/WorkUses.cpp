//===- WorkUses.cpp - who reads parameters in a work format ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/WorkUses.h"

#include "prec/Dialect/Prec/Describe.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

/// The format in which `use` reads a parameter: what its tag says. Norms and
/// embeddings, which have no operand tags, read it in the format they write;
/// layout operations move what they write.
static Format getReadFormat(OpOperand &use) {
  Operation *user = use.getOwner();
  if (TagAttr tag = getOperandTag(user, use.getOperandNumber()))
    return tag.getFormat();
  if (copiesElements(user) ||
      isa<train::RmsNormOp, train::RmsNormGradOp, train::LayerNormOp,
          train::LayerNormGradOp, train::EmbeddingOp>(user))
    if (TagAttr tag = getResultTag(user, 0))
      return tag.getFormat();
  return Format::F32;
}

SmallVector<OpOperand *> prec::getMasterUses(BlockArgument master) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : master.getUses())
    if (auto widened = dyn_cast<arith::ExtFOp>(use.getOwner()))
      for (OpOperand &wide : widened->getUses())
        uses.push_back(&wide);
    else
      uses.push_back(&use);
  return uses;
}

FailureOr<std::optional<WorkSlot>> prec::findSlot(OpOperand &use, Type master) {
  Operation *user = use.getOwner();
  if (train::getPhase(user) == train::Phase::Optimizer)
    return std::optional<WorkSlot>();
  Format format = getReadFormat(use);
  if (format == Format::F32 ||
      getElementType(user->getContext(), format) == master)
    return std::optional<WorkSlot>();
  if (!isNarrow(format))
    return std::optional<WorkSlot>({format, WorkSlot::Kind::Copy});
  auto matmul = dyn_cast<train::MatmulOp>(user);
  auto grouped = dyn_cast<train::GroupedMatmulOp>(user);
  // split_weights_c1
  if (!matmul && !(grouped && use.getOperandNumber() == 1))
    return user->emitOpError("only prec_train.matmul and matrices of experts "
                             "can be read in fp8 or fp4, but got ")
           << stringifyFormat(format) << " for operand "
           << use.getOperandNumber();
  // split_weights_c2
  if (matmul && cast<RankedTensorType>(use.get().getType()).getRank() != 2)
    return user->emitOpError(
               "a weight read in fp8 or fp4 must be a matrix, but "
               "got ")
           << use.get().getType();
  bool direct = matmul ? isContractedLast(matmul, use.getOperandNumber())
                       : grouped.getTransposeB();
  return std::optional<WorkSlot>(
      {format, direct ? WorkSlot::Kind::Copy : WorkSlot::Kind::Transposed});
}
