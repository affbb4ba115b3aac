//===- ChunkLoss.cpp - logits and their gradient in chunks of rows --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes logits and their gradient in chunks of rows, where they are larger
// than a limit. The heads are the matmuls of the forward from which no other
// matmul of it follows. A head becomes the seed of a region (RowRegion.cpp),
// which reaches over the loss and its gradient to the backward matmuls of the
// head; the region is computed in the least number of equal parts that are
// within the limit, each of whole tiles where that goes. So one chunk of logits
// is in memory instead of all. Where a region is refused, a remark says why.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Rows/RowRegion.h"

#include "prec/Dialect/Train/Graph.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Schedule/MemoryPlan.h"
#include "prec/Schedule/Passes.h"
#include "prec/Support/Bytes.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {
#define GEN_PASS_DEF_CHUNKLOSS
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// What library products in FP8 want of every dimension.
static constexpr int64_t kRowMultiple = 16;
/// Of whole tiles, in which kernels and library products pass over matrices.
static constexpr int64_t kTileRows = 128;

static bool isForwardProduct(Operation *op) {
  return isa<train::MatmulOp, ScaledMatmulOp, train::AttentionOp>(op) &&
         train::getPhase(op) == train::Phase::Forward;
}

/// Products of the forward from which no other product of it follows.
static SmallVector<Operation *> findHeads(Block &block) {
  SmallVector<Operation *> heads;
  llvm::DenseSet<Operation *> leads; // to a product
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool isProduct = isForwardProduct(&op);
    bool isFollowed = llvm::any_of(
        op.getUsers(), [&](Operation *user) { return leads.contains(user); });
    if (isProduct || isFollowed)
      leads.insert(&op);
    if (isProduct && !isFollowed)
      heads.push_back(&op);
  }
  return heads;
}

/// The least number of equal chunks that are no larger than `limit`, or the
/// most that there can be.
static int64_t countChunks(RankedTensorType type, int64_t limit) {
  int64_t rows = type.getDimSize(0), best = 1;
  int64_t rowBytes = getByteSize(type) / rows;
  bool hasTiles = rows > kTileRows && rows % kTileRows == 0;
  int64_t multiple = hasTiles ? kTileRows : kRowMultiple;
  for (int64_t chunks = 1; chunks * multiple <= rows; ++chunks) {
    if (rows % (chunks * multiple) != 0)
      continue;
    best = chunks;
    if (rows / chunks * rowBytes <= limit)
      break;
  }
  return best;
}

namespace {

struct ChunkLoss : prec::impl::ChunkLossBase<ChunkLoss> {
  using ChunkLossBase::ChunkLossBase;

  void runOnOperation() override {
    if (!isCompiledGraph(getOperation()))
      return;
    for (Operation *head : findHeads(getOperation().front()))
      chunk(head);
  }

private:
  void chunk(Operation *head) {
    auto type = cast<RankedTensorType>(head->getResult(0).getType());
    if (head->getNumResults() != 1 || type.getRank() != 2 ||
        getByteSize(type) <= bytes)
      return;
    int64_t parts = countChunks(type, bytes);
    RowRefusal refusal{"its rows have no equal parts of multiples of " +
                           std::to_string(kRowMultiple),
                       head};
    std::optional<RowRegion> region;
    if (parts > 1)
      region = findRowRegion(head, parts, refusal);
    if (region)
      return computeInParts(*region);
    auto remark = emitPassRemark(
        head->getLoc(), {"prec-chunk-loss", "NotChunked"},
        "logits of " +
            Twine(printBinaryBytes(static_cast<double>(getByteSize(type)), 2)) +
            " are not computed in chunks: " + refusal.reason);
    remark.attachNote(refusal.where->getLoc()) << "here";
  }
};

} // namespace
