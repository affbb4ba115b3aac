//===- SplitLayers.cpp - the part of each layer that a rank computes ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides products among the ranks of the axis `tp` (tensor parallelism). Of a
// product of an activation and a parameter whose activation is whole, ranks
// have slices of the output (columns); where the activation is divided along
// the contracted dimension already, they have slices of that (rows), and the
// result is a sum of one term of each. So attention is divided by heads and a
// feed-forward layer by its inner elements, whatever they are called: a first
// product makes the division, a second one ends it.
//
// A plan is made first (LayerPlan.h). Then the graph is rewritten: types become
// those of slices, sums are added up where something other than another sum
// reads them, and what looks up rows of a divided table, or columns of divided
// logits, is told the ranks that have the others.
//
// Example of two ranks, x [T, H], of a [F, H] and b [H, F] half the F:
//
//   %h = matmul %x, %a {transpose_b} : TxH, F/2xH -> TxF/2
//   %p = matmul %h, %b {transpose_b} : TxF/2, HxF/2 -> TxH
//   %y = all_reduce %p over "tp"
//
//===----------------------------------------------------------------------===//
#include "Import/DividedNorm.h"
#include "Import/LayerPlan.h"
#include "Import/RankValues.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Import/Passes.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace prec {
#define GEN_PASS_DEF_SPLITLAYERS
#include "prec/Import/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct SplitLayers : public prec::impl::SplitLayersBase<SplitLayers> {
  using SplitLayersBase::SplitLayersBase;

  void runOnOperation() override;
};

class Splitter {
public:
  Splitter(func::FuncOp step, int64_t ranks, const LayerPlan &plan)
      : step(step), ranks(ranks), plan(plan), values(step, ranks, plan) {}

  void run();
  const RankValues &getValues() const { return values; }

private:
  void rewrite(Operation *op);
  void notePlacements();

  func::FuncOp step;
  int64_t ranks;
  const LayerPlan &plan;
  RankValues values;
};

} // namespace

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// Tells what looks up rows, or columns, of which each rank has a slice, among
/// how many ranks they are divided.
static void divideLookup(Operation *op, const OpPlacements &placements,
                         int64_t ranks) {
  auto divide = [&](auto lookup, bool isDivided) {
    if (!isDivided)
      return;
    lookup.setAxis(train::kLayerAxis);
    lookup.setRanks(ranks);
  };
  const Placement rows = Placement::split(0);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](train::EmbeddingOp of) {
        divide(of, placements.operands[0] == rows);
      })
      .Case([&](train::EmbeddingGradOp of) {
        divide(of, placements.results[0] == rows);
      })
      .Case([&](train::CrossEntropyOp of) {
        divide(of, placements.operands[0].isSplit());
      })
      .Case([&](train::CrossEntropyGradOp of) {
        divide(of, placements.operands[1].isSplit());
      });
}

void Splitter::rewrite(Operation *op) {
  auto *found = isa<func::ReturnOp>(op) ? nullptr : &plan.get(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Placement has = plan.get(operand.get());
    Placement needed = found ? found->operands[operand.getOperandNumber()]
                             : (has.isSplit() ? has : Placement::whole());
    operand.set(values.read(operand.get(), needed, op));
  }
  if (!found)
    return;
  for (auto [result, placement] :
       llvm::zip_equal(op->getResults(), found->results))
    if (placement.isSplit() || placement.isRows())
      result.setType(getSliceType(result.getType(), placement.dim, ranks));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    expand.setStaticOutputShape(typeOf(expand.getResult()).getShape());
  else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    slice.setStaticSizes(typeOf(slice.getResult()).getShape());
    // Each part in front of it has a slice for each rank.
    SmallVector<int64_t> offsets(slice.getStaticOffsets());
    if (found->operands[0].isSplit())
      offsets[found->operands[0].dim] /= ranks;
    slice.setStaticOffsets(offsets);
  } else if (auto norm = dyn_cast<train::GlobalNormOp>(op))
    addUpNorm(norm, train::kLayerAxis, ranks,
              [&](Value input) { return plan.get(input).isSplit(); });
  divideLookup(op, *found, ranks);
}

/// Why ranks have slices of a parameter, or all of it.
void Splitter::notePlacements() {
  Builder builder(step.getContext());
  for (BlockArgument argument : step.getArguments()) {
    if (!plan.isParameter(argument))
      continue;
    const unsigned index = argument.getArgNumber();
    std::string why = "nothing that is divided reads it";
    if (auto choice = plan.chosen.find(index); choice != plan.chosen.end())
      why = choice->second.second;
    else if (auto found = plan.refused.find(index); found != plan.refused.end())
      why = found->second;
    if (!step.getArgAttr(index, train::kShard) || plan.chosen.count(index))
      step.setArgAttr(index, train::kPlacement, builder.getStringAttr(why));
  }
}

void Splitter::run() {
  Builder builder(step.getContext());
  for (BlockArgument argument : step.getArguments()) {
    Placement placement = plan.get(argument);
    if (!placement.isSplit())
      continue;
    unsigned index = argument.getArgNumber();
    argument.setType(getSliceType(argument.getType(), placement.dim, ranks));
    step.setArgAttr(index, train::kShard,
                    builder.getStringAttr(train::kLayerAxis));
    step.setArgAttr(index, train::kShardDim,
                    builder.getI64IntegerAttr(placement.dim));
    if (!placement.parts.empty())
      step.setArgAttr(index, train::kShardParts,
                      builder.getDenseI64ArrayAttr(placement.parts));
  }
  notePlacements();
  SmallVector<Operation *> ops;
  for (Operation &op : step.front())
    ops.push_back(&op);
  values.joinSmallSums();
  for (Operation *op : ops)
    rewrite(op);
  step.setFunctionType(
      FunctionType::get(step.getContext(), step.front().getArgumentTypes(),
                        step.front().getTerminator()->getOperandTypes()));
}

//===----------------------------------------------------------------------===//
// What is said
//===----------------------------------------------------------------------===//

/// Names that a line gives; others are counted.
static constexpr size_t kNamed = 6;

/// Parameters of each reason, in the order of the step.
static void
sayEach(func::FuncOp step, StringRef what,
        const llvm::MapVector<StringRef, SmallVector<unsigned>> &reasons) {
  for (auto &[reason, parameters] : reasons) {
    std::string text = (what + " (" + reason + "): ").str();
    for (auto [number, index] : llvm::enumerate(parameters))
      if (number < kNamed)
        text += (number ? ", " : "") + nameOf(step, index);
    if (parameters.size() > kNamed)
      text += " and " + std::to_string(parameters.size() - kNamed) + " more";
    emitPassRemark(step.getLoc(), {"prec-split-layers", "Placement", true},
                   text);
  }
}

static void say(func::FuncOp step, int64_t ranks, bool rows,
                const LayerPlan &plan, const RankValues &values) {
  llvm::MapVector<StringRef, SmallVector<unsigned>> divided, whole;
  for (auto &[index, choice] : plan.chosen)
    divided[choice.second].push_back(index);
  for (auto &[index, reason] : plan.refused)
    whole[reason].push_back(index);
  emitPassRemark(
      step.getLoc(), {"prec-split-layers", "Layers", !plan.chosen.empty()},
      "layers are divided among " + Twine(ranks) + " ranks: slices of " +
          Twine(plan.chosen.size()) + " parameters; " + Twine(values.sums) +
          " sums over ranks in forward and backward, of " +
          Twine(int64_t(values.bytes)) + " bytes in f32");
  if (values.sumsOfRows)
    emitPassRemark(step.getLoc(), {"prec-split-layers", "Rows", true},
                   Twine(values.sumsOfRows) +
                       " of the sums are of a rank's rows, with norms and what "
                       "is elementwise behind them; rows are gathered " +
                       Twine(values.gathers) + " times");
  else if (rows && values.sums)
    emitPassRemark(step.getLoc(), {"prec-split-layers", "Rows", false},
                   "no sum is of a rank's rows: " + Twine(ranks) +
                       " ranks must divide the first dimension that is not 1 "
                       "of what is added up, such as sequences, and nothing "
                       "may need all rows right behind it");
  sayEach(step, "divided", divided);
  sayEach(step, "whole on every rank", whole);
}

/// Divides the crowded step as the step: it has more rows, and the same
/// parameters.
static LogicalResult divideAlike(ModuleOp crowded, const LayerPlan &as,
                                 int64_t ranks, bool rows) {
  FailureOr<func::FuncOp> step = getStepGraph(crowded);
  if (failed(step))
    return failure();
  LayerPlan plan(*step, ranks, rows);
  plan.run();
  // split_layers_c4
  if (plan.chosen != as.chosen)
    return step->emitOpError("a crowded step must be divided as the step, but "
                             "got slices of ")
           << plan.chosen.size() << " parameters for those of "
           << as.chosen.size();
  Splitter(*step, ranks, plan).run();
  train::addAxis(crowded, train::kLayerAxis, ranks);
  return success();
}

void SplitLayers::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> found = getStepGraph(module);
  FailureOr<train::Mesh> parsed =
      train::parseMesh(mesh, [&] { return module.emitOpError(); });
  if (failed(found) || failed(parsed))
    return signalPassFailure();
  const int64_t ranks = parsed->getSize(train::kLayerAxis);
  if (ranks == 1)
    return;
  auto present = module->getAttrOfType<DictionaryAttr>(train::kMesh);
  // split_layers_c1
  if (present && present.contains(train::kLayerAxis)) {
    module.emitOpError("layers must be divided once, but got the mesh ")
        << present;
    return signalPassFailure();
  }
  if (failed(verifyStepIsAlone(*found, "layers")))
    return signalPassFailure();
  LayerPlan plan(*found, ranks, rows);
  plan.run();
  // split_layers_c3
  if (plan.chosen.empty()) {
    found->emitOpError("layers must be divided by tp=")
        << ranks << ", but got none that can be"
        << (plan.refused.empty() ? "" : ": ")
        << (plan.refused.empty() ? "" : plan.refused.begin()->second);
    return signalPassFailure();
  }
  Splitter split(*found, ranks, plan);
  split.run();
  say(*found, ranks, rows, plan, split.getValues());
  train::addAxis(module, train::kLayerAxis, ranks);
  if (ModuleOp crowded = findCrowded(module))
    if (failed(divideAlike(crowded, plan, ranks, rows)))
      signalPassFailure();
}
