//===- VerifyPrecision.cpp - what assignment guarantees -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Target/Legality.h"
#include "prec/Target/TargetRegistry.h"
#include "prec/Assign/Passes.h"
#include "prec/Assign/Projection.h"
#include "prec/ExternalModels/ExternalModels.h"

namespace prec {
#define GEN_PASS_DEF_VERIFYPRECISION
#include "prec/Assign/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct VerifyPrecision
    : public prec::impl::VerifyPrecisionBase<VerifyPrecision> {
  using VerifyPrecisionBase::VerifyPrecisionBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    VerifyPrecisionBase::getDependentDialects(registry);
    registerExternalModels(registry);
  }
  void runOnOperation() override;

private:
  const Target *findLegality();
  LogicalResult verifyValues(const Projection &projection);
  LogicalResult verifyState(const Projection &projection);
  LogicalResult verifyContraction(const Projection &projection, NodeId id,
                                  const Target &target);
  LogicalResult verifyUses(const Projection &projection, const Target &target);
};

} // namespace

static std::string describe(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return "result " + std::to_string(result.getResultNumber());
  return "argument " +
         std::to_string(cast<BlockArgument>(value).getArgNumber());
}

const Target *VerifyPrecision::findLegality() {
  ModuleOp module = getOperation();
  auto recipe = module->getAttrOfType<StringAttr>(kRecipe);
  auto name = module->getAttrOfType<StringAttr>(kTarget);
  // verify_precision_c1
  if (!recipe || !name) {
    emitError(module.getLoc()) << "an assigned module must have '" << kRecipe
                               << "' and '" << kTarget << "', but got none";
    return nullptr;
  }
  // verify_precision_c2
  const Target *assigned =
      findTarget(module.getLoc(), "'" + kTarget + "'", name.getValue());
  if (!assigned || target.empty())
    return assigned;
  // verify_precision_c13
  return findTarget(module.getLoc(), "target", target);
}

LogicalResult VerifyPrecision::verifyValues(const Projection &projection) {
  const Graph &graph = projection.graph;
  for (auto [id, value] : llvm::enumerate(projection.values)) {
    // Arguments of inner blocks have the formats of what feeds them.
    bool isInner = graph.values[id].origin == Origin::Unknown;
    if (!graph.values[id].isFloatTensor || isInner)
      continue;
    TagAttr tag = prec::getTag(value);
    // verify_precision_c3
    if (!tag)
      return emitError(value.getLoc())
             << "every tensor of floats must have a tag, but "
             << describe(value) << " has none";
    // verify_precision_c4
    if (tag.isNarrow())
      return emitError(value.getLoc())
             << (tag.isFp8() ? "fp8" : "fp4")
             << " belongs to uses, not to storage, but " << describe(value)
             << " is " << stringifyFormat(tag.getFormat());
    NodeId producer = graph.values[id].producer;
    if (producer == kNone || !graph.nodes[producer].is(Structure::Layout) ||
        graph.nodes[producer].numInputs != 1)
      continue;
    Value source = projection.values[graph.nodes[producer].operands[0]];
    TagAttr sourceTag = prec::getTag(source);
    // verify_precision_c5
    if (sourceTag && sourceTag.getFormat() != tag.getFormat())
      return emitError(value.getLoc())
             << "a layout operation must keep its input's format "
             << stringifyFormat(sourceTag.getFormat()) << ", but got "
             << stringifyFormat(tag.getFormat());
  }
  return success();
}

LogicalResult VerifyPrecision::verifyState(const Projection &projection) {
  for (auto [id, value] : llvm::enumerate(projection.values)) {
    const GraphValue &entry = projection.graph.values[id];
    bool isMaster = entry.origin == Origin::Parameter;
    bool isState = entry.origin == Origin::Moment;
    bool isLoss = entry.isLoss;
    if (entry.producer != kNone) {
      const GraphNode &node = projection.graph.nodes[entry.producer];
      isMaster |= node.is(Structure::Optimizer) && entry.result == 0;
      isState |= node.is(Structure::Optimizer) && entry.result > 0;
      isLoss |= node.is(Structure::Loss) && entry.shape.empty();
    }
    if (!(isMaster || isState || isLoss) || !entry.isFloatTensor ||
        entry.declared != Format::F32)
      continue;
    Format format = prec::getTag(value).getFormat();
    bool isLegalMaster = isMaster && format == Format::BF16;
    // verify_precision_c6 (masters), c7 (state), c8 (loss)
    if (format != Format::F32 && !isLegalMaster)
      return emitError(value.getLoc())
             << (isMaster  ? "master weights must be f32 or bf16, but "
                 : isState ? "optimizer state must be f32, but "
                           : "the loss must be f32, but ")
             << describe(value) << " is " << stringifyFormat(format);
  }
  return success();
}

LogicalResult VerifyPrecision::verifyContraction(const Projection &projection,
                                                 NodeId id,
                                                 const Target &target) {
  const GraphNode &node = projection.graph.nodes[id];
  Operation *op = projection.operations[id];
  if (!projection.graph.isFloatContraction(id))
    return success();
  TagAttr lhs = getOperandTag(op, 0), rhs = getOperandTag(op, 1);
  // verify_precision_c9
  if (!lhs || !rhs)
    return op->emitOpError(
               "both operands of a contraction must have a tag, but operand ")
           << (lhs ? 1 : 0) << " has none";
  // verify_precision_c10
  if (lhs.getAccumulator() != rhs.getAccumulator())
    return op->emitOpError(
               "both operand tags must name one accumulator, but got ")
           << stringifyAccumulator(lhs.getAccumulator()) << " and "
           << stringifyAccumulator(rhs.getAccumulator());
  Dispatch dispatch = {lhs.getFormat(),
                       rhs.getFormat(),
                       getResultTag(op, 0).getFormat(),
                       lhs.getAccumulator(),
                       {lhs.getScaling(), rhs.getScaling()}};
  // verify_precision_c11
  if (std::optional<std::string> reason = findIllegality(
          target, getPaddedShape(node.shape, dispatch), dispatch))
    return op->emitOpError("must be legal on ")
           << target.getName() << ", but " << *reason;
  return success();
}

LogicalResult VerifyPrecision::verifyUses(const Projection &projection,
                                          const Target &target) {
  for (auto [id, op] : llvm::enumerate(projection.operations)) {
    bool isContraction = projection.graph.nodes[id].is(Structure::Contraction);
    if (isContraction && failed(verifyContraction(projection, id, target)))
      return failure();
    for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
      TagAttr tag = getOperandTag(op, operand);
      // verify_precision_c12
      if (tag && tag.isNarrow() && (!isContraction || operand >= 2))
        return op->emitOpError("only operands of contractions may be fp8 or "
                               "fp4, but operand ")
               << operand << " is " << stringifyFormat(tag.getFormat());
    }
  }
  return success();
}

void VerifyPrecision::runOnOperation() {
  const Target *legality = findLegality();
  if (!legality)
    return signalPassFailure();
  WalkResult result = getOperation().walk([&](FunctionOpInterface function) {
    if (function.isExternal())
      return WalkResult::advance();
    FailureOr<Projection> projection = project(function);
    if (failed(projection) || failed(verifyValues(*projection)) ||
        failed(verifyState(*projection)) ||
        failed(verifyUses(*projection, *legality)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
  markAllAnalysesPreserved();
}
