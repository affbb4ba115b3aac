//===- AmaxRatios.cpp - whether delayed scales have room ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/AmaxRatios.h"
#include "Materialize/MetricBuilder.h"
#include "Materialize/Quantization.h"
#include "Materialize/Weights/StepState.h"

#include <limits>

using namespace mlir;
using namespace prec;

namespace {

class RatioBuilder : public MetricBuilder {
public:
  explicit RatioBuilder(func::FuncOp step)
      : MetricBuilder(step.front().getTerminator(), train::Phase::Optimizer) {}

  /// An infinite amax has the largest ratio there is: metrics are finite.
  Value getRatios(ScaledHistory history) {
    Value scaled = create<arith::MulFOp>(history.record.getRecent(),
                                         history.scales.getScale());
    Type type = scaled.getType();
    double largest = getMaxFinite(history.scales.getFormat());
    Value ratios = create<arith::DivFOp>(scaled, splat(type, largest));
    Value bound = splat(type, std::numeric_limits<float>::max());
    return create<arith::MinimumFOp>(ratios, bound);
  }

  Value countSaturated(Value ratios, Format format) {
    Value limit = splat(ratios.getType(), getSaturationRatio(format));
    return sum(indicate(
        create<arith::CmpFOp>(arith::CmpFPredicate::OGT, ratios, limit)));
  }

  Value getLargest(Value ratios) {
    return create<train::ReduceOp>(
        RankedTensorType::get({}, builder.getF32Type()), train::ReduceKind::Max,
        ratios, ArrayRef<int64_t>{0});
  }
};

} // namespace

LogicalResult prec::returnAmaxRatios(func::FuncOp step,
                                     ArrayRef<ScaledHistory> histories) {
  RatioBuilder ratioBuilder(step);
  Builder builder(step.getContext());
  Value saturated, largest;
  for (auto [index, entry] : llvm::enumerate(histories)) {
    ScaledHistory history = entry;
    Format format = history.scales.getFormat();
    Value ratios = ratioBuilder.getRatios(history);
    Value count = ratioBuilder.countSaturated(ratios, format);
    Value most = ratioBuilder.getLargest(ratios);
    saturated = saturated ? ratioBuilder.create<arith::AddFOp>(saturated, count)
                          : count;
    largest =
        largest ? ratioBuilder.create<arith::MaximumFOp>(largest, most) : most;
    auto names = builder.getDictionaryAttr(
        {builder.getNamedAttr(train::kPath,
                              builder.getStringAttr("amax_ratios." +
                                                    stringifyFormat(format) +
                                                    "." + Twine(index))),
         builder.getNamedAttr(train::kTensors, history.tensors)});
    if (failed(returnValue(step, withRole(names, train::Role::AmaxRatios),
                           ratios)))
      return failure();
  }
  if (histories.empty())
    return success();
  return failure(failed(returnMetric(step, "fp8_saturated", saturated)) ||
                 failed(returnMetric(step, "fp8_amax_ratio", largest)));
}
