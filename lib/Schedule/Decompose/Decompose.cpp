//===- Decompose.cpp - write composites as primitives ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/Decompose.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace prec {
#define GEN_PASS_DEF_DECOMPOSE
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

/// What a function of this folder builds.
template <typename OpTy>
struct Decomposition
    : train::DecomposeOpInterface::ExternalModel<Decomposition<OpTy>, OpTy> {
  Values decompose(Operation *op, PrimitiveBuilder &builder) const {
    return prec::decompose(cast<OpTy>(op), builder);
  }
};

template <typename... Ops> void attachDecompositions(MLIRContext *context) {
  (Ops::template attachInterface<Decomposition<Ops>>(*context), ...);
}

class FunctionDecomposer {
public:
  FunctionDecomposer(func::FuncOp function, AttentionLibrary library,
                     bool keepsConvolutions, bool keepsGrouped)
      : function(function), constants(function.front()), library(library),
        keepsConvolutions(keepsConvolutions), keepsGrouped(keepsGrouped) {}

  void run() {
    for (BlockArgument argument : function.getArguments())
      argument.setType(getPackedType(argument.getType()));
    decomposeSumsOfSlices(function, constants);
    for (Operation &op : llvm::make_early_inc_range(function.front()))
      replace(&op);
    function.setFunctionType(FunctionType::get(
        function.getContext(), function.front().getArgumentTypes(),
        function.front().getTerminator()->getOperandTypes()));
  }

private:
  void replace(Operation *op) {
    PrimitiveBuilder builder(op, constants);
    Values values = getReplacement(op, builder);
    if (values.empty())
      return;
    op->replaceAllUsesWith(values);
    op->erase();
  }

  /// Nothing for what stays. First what shares values with others of its kind
  /// in the function.
  Values getReplacement(Operation *op, PrimitiveBuilder &builder) {
    return llvm::TypeSwitch<Operation *, Values>(op)
        .Case<train::GlobalNormOp, FiniteGuardOp>(
            [&](auto sums) { return squareSums.decompose(sums, builder); })
        .Case<train::EmbeddingGradOp, train::ScatterAddOp>(
            [&](auto sums) { return rowSums.decompose(sums, builder); })
        .Case<train::AttentionOp, train::AttentionGradOp>([&](auto attention) {
          return staysLibraryCall(attention)
                     ? Values()
                     : prec::decompose(attention, builder);
        })
        .Case<train::ConvOp, train::ConvGradInputOp, train::ConvGradWeightOp>(
            [&](auto conv) {
              return keepsConvolutions ? Values()
                                       : prec::decompose(conv, builder);
            })
        .Case<train::GroupedMatmulOp, train::GroupedMatmulGradOp>(
            [&](auto grouped) {
              return keepsGrouped ? Values()
                                  : prec::decompose(grouped, builder);
            })
        .Case<GroupAmaxOp, GroupScalesOp, AlignGroupsOp>(
            [&](auto rows) { return groupRows.decompose(rows, builder); })
        .Case<StochasticRoundOp, train::DropoutOp>(
            [&](auto reader) { return random.decompose(reader, builder); })
        .Case([&](QuantizeOp quantize) {
          return prec::decompose(quantize, random, builder);
        })
        .Case([&](train::AdamwOp adamw) {
          return adamwUpdates.decompose(adamw, builder);
        })
        .Case([&](train::LionOp lion) {
          return lionUpdates.decompose(lion, builder);
        })
        .Case<train::SgdOp, train::SgdMomentumOp>(
            [&](auto sgd) { return sgdUpdates.decompose(sgd, builder); })
        .Case<train::AdafactorOp, train::AdafactorUnfactoredOp>(
            [&](auto adafactor) {
              return adafactorUpdates.decompose(adafactor, builder);
            })
        .Case([&](train::UpdateOp update) {
          return formulas.decompose(update, builder);
        })
        .Default([&](Operation *other) {
          auto composite = dyn_cast<train::DecomposeOpInterface>(other);
          return composite ? composite.decompose(builder) : Values();
        });
  }

  template <typename Attention> bool staysLibraryCall(Attention attention) {
    RankedTensorType type = tensorType(attention.getQuery());
    if (hasAttention(library, type))
      return true;
    if (library == AttentionLibrary::None)
      return false;
    if (!warned)
      attention.emitWarning("cuDNN has attention in bf16 or f16 with heads of "
                            "8n <= ")
          << getLargestHead(library) << " elements, but got " << type
          << ": attention is decomposed, and its scores are kept";
    warned = true;
    return false;
  }

  func::FuncOp function;
  ConstantPool constants;
  AdamwDecomposer adamwUpdates;
  SgdDecomposer sgdUpdates;
  LionDecomposer lionUpdates;
  AdafactorDecomposer adafactorUpdates;
  FormulaDecomposer formulas;
  RandomBits random;
  SquareSums squareSums;
  RowSums rowSums;
  GroupRows groupRows;
  AttentionLibrary library;
  bool keepsConvolutions, keepsGrouped;
  bool warned = false;
};

struct Decompose : prec::impl::DecomposeBase<Decompose> {
  using DecomposeBase::DecomposeBase;

  void runOnOperation() override {
    if (decomposeGrouped && failed(refuseScaledGroups()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isCompiledGraph(function))
        FunctionDecomposer(function, attentionLibrary, !decomposeConvolutions,
                           !decomposeGrouped)
            .run();
  }

private:
  /// Products of all rows would need scales of each.
  LogicalResult refuseScaledGroups() {
    WalkResult result = getOperation().walk([&](ScaledGroupedMatmulOp grouped) {
      // decompose_c1
      grouped.emitOpError("products of experts must be in bf16 or f32 "
                          "where the target multiplies no groups, but got "
                          "fp8: assign formats for this target");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace

void prec::registerDecompositions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, train::TrainDialect *) {
    attachDecompositions<
        train::RmsNormOp, train::RmsNormGradOp, train::LayerNormOp,
        train::LayerNormGradOp, train::SoftmaxOp, train::SoftmaxGradOp,
        train::CrossEntropyOp, train::CrossEntropyGradOp, train::RopeOp,
        train::EmbeddingOp, train::ClipOp, train::AllReduceOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, PrecDialect *) {
    attachDecompositions<AmaxOp, FakeQuantizeOp, UpdateScaleOp, BlockScaleOp,
                         HadamardOp, HistoryScaleOp, RecordAmaxOp,
                         UpdateLossScaleOp, PrecisionAwareUpdateOp,
                         DynamicQuantizeOp, DynamicDequantizeOp>(context);
  });
}
