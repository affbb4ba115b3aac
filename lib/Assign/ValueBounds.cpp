//===- ValueBounds.cpp - bounds on what a step stores ---------------------===//
#include "CheckBounds.h"

#include "prec/Numerics/Bounds.h"
#include "prec/Support/Json.h"

using namespace mlir;
using namespace mlir::prec;

namespace {

struct ValueBounds {
  ValueBounds(const BoundInputs &inputs, const Graph &graph,
              const Classification &facts, const Recipe &recipe,
              Assignment &assignment)
      : inputs(inputs), assumed(inputs.assumptions), limits(inputs.limits),
        graph(graph), facts(facts), recipe(recipe), assignment(assignment) {}

  void run();

private:
  const TensorNumerics *findMeasured(ValueId id) const;
  std::string getPath(ValueId id) const;
  void add(const Twine &rule, ValueId id, const Twine &detail,
           double severity) {
    assignment.findings.push_back(
        {rule.str(), getPath(id), detail.str(), severity, id, kNone});
  }
  void checkMaster(ValueId id);
  void checkSecondMoment(ValueId id);
  void checkDecay();
  void checkLogits(ValueId id);
  void checkRange(ValueId id);
  /// What a stored value is multiplied by: gradients by the loss's scale. None
  /// if that is found during training.
  std::optional<double> getStoredScale(ValueId id) const;

  const BoundInputs &inputs;
  const BoundAssumptions &assumed;
  const BoundLimits &limits;
  const Graph &graph;
  const Classification &facts;
  const Recipe &recipe;
  Assignment &assignment;
};

} // namespace

static const FloatFormat &getFormat(Format format) {
  return *findFloatFormat(stringifyFormat(format));
}

std::string ValueBounds::getPath(ValueId id) const {
  const GraphValue &value = graph.values[id];
  return value.producer == kNone ? value.path
                                 : graph.nodes[value.producer].path;
}

const TensorNumerics *ValueBounds::findMeasured(ValueId id) const {
  if (!inputs.numerics)
    return nullptr;
  const GraphValue &value = graph.values[id];
  StringRef phase =
      value.producer == kNone
          ? "forward"
          : stringifyRulePhase(getRulePhase(facts, value.producer));
  return inputs.numerics->findTensor(getPath(id), phase, value.result);
}

/// An update smaller than half a grain of the master is lost.
void ValueBounds::checkMaster(ValueId id) {
  Format format = assignment.values[id].format;
  const TensorNumerics *measured = findMeasured(id);
  double rms = graph.values[id].shape.size() > 1 ? assumed.weightRms : 1;
  std::optional<double> update = assumed.learningRate;
  if (measured && measured->rms > 0)
    rms = measured->rms;
  if (measured && measured->updateRms)
    update = measured->updateRms;
  std::string rule = (stringifyFormat(format) + " masters stall").str();
  if (!update)
    return;
  double moved = getMovedFraction(getFormat(format), rms, *update);
  if (moved < limits.moved)
    add(rule, id,
        "a step of " + printShort(*update) + " moves " + printPercent(moved) +
            " of weights of rms " + printShort(rms) + ", less than " +
            printPercent(limits.moved),
        1 - moved);
}

/// A second moment that stays zero leaves the step to epsilon alone.
void ValueBounds::checkSecondMoment(ValueId id) {
  const TensorNumerics *measured = findMeasured(id);
  std::optional<double> gradient = assumed.gradientRms;
  if (measured && measured->gradientRms)
    gradient = measured->gradientRms;
  Format format = recipe.getStorage(StorageKind::Moment).format;
  if (!gradient || *gradient == 0)
    return;
  SecondMomentUnderflow underflow = getSecondMomentUnderflow(
      getFormat(format), assumed.beta2, *gradient, assumed.epsilon);
  if (underflow.isLost && underflow.growth > limits.factor)
    add(stringifyFormat(format) + " second moments lose the gradient", id,
        "gradients of rms " + printShort(*gradient) + " add " +
            printShort(underflow.increment) + ", which rounds to zero: steps " +
            printShort(underflow.growth) + " times as large",
        underflow.growth);
}

void ValueBounds::checkDecay() {
  Format format = recipe.getStorage(StorageKind::Moment).format;
  auto isMoment = [](const GraphValue &value) {
    return value.origin == Origin::Moment && value.isFloatTensor;
  };
  auto moment = llvm::find_if(graph.values, isMoment);
  if (moment == graph.values.end() ||
      doesMomentDecay(getFormat(format), assumed.beta2))
    return;
  add(stringifyFormat(format) + " second moments never fall",
      moment - graph.values.begin(),
      "(1 - beta2) v is less than half a grain of v at beta2 " +
          printNumber(assumed.beta2),
      1);
}

void ValueBounds::checkLogits(ValueId id) {
  const TensorNumerics *measured = findMeasured(id);
  std::optional<double> largest = assumed.largestLogit;
  if (measured)
    largest = measured->amax;
  if (!largest)
    return;
  const FloatFormat &format = getFormat(assignment.values[id].format);
  LogitRange range = getLogitRange(format, *largest);
  if (range.overflows)
    add(format.name + " logits overflow", id,
        "up to " + printShort(*largest) + ", but " + format.name + " ends at " +
            printShort(format.maxFinite),
        *largest);
  else if (range.probabilityFactor > limits.factor)
    add(format.name + " logits are too coarse", id,
        "logits of up to " + printShort(*largest) + " are off by up to " +
            printShort(range.error) + ", probabilities by a factor of " +
            printShort(range.probabilityFactor) + ", more than " +
            printShort(limits.factor),
        range.probabilityFactor);
}

std::optional<double> ValueBounds::getStoredScale(ValueId id) const {
  NodeId producer = graph.values[id].producer;
  bool isGradient = producer != kNone && facts.isGradient[producer];
  switch (recipe.lossScaling.mode) {
  case LossScalingMode::None:
    return 1;
  case LossScalingMode::Static:
    return isGradient ? static_cast<double>(recipe.lossScaling.scale) : 1.0;
  case LossScalingMode::Dynamic:
    return isGradient ? std::nullopt : std::optional<double>(1);
  }
  llvm_unreachable("mode is an enumeration");
}

/// Stored formats have no scale of their own.
void ValueBounds::checkRange(ValueId id) {
  const Decision &decision = assignment.values[id];
  const TensorNumerics *measured = findMeasured(id);
  std::optional<double> scale = getStoredScale(id);
  if (!measured || !scale || !decision.isStored)
    return;
  const FloatFormat &format = getFormat(decision.format);
  if (measured->amax * *scale > format.maxFinite)
    return add(format.name + " overflows", id,
               "stores up to " + printShort(measured->amax * *scale) +
                   ", but ends at " + printShort(format.maxFinite),
               measured->amax);
  const FormatLoss *seen =
      *scale == 1 ? measured->findLoss(format.name, "none") : nullptr;
  double underflow =
      seen ? seen->underflow
           : getRangeLoss(format, measured->rms, *scale).underflow;
  if (underflow > limits.underflow)
    add(format.name + " underflows", id,
        printPercent(underflow) + " become zero, more than " +
            printPercent(limits.underflow),
        underflow);
}

void ValueBounds::run() {
  checkDecay();
  for (auto [id, value] : llvm::enumerate(graph.values)) {
    if (!assignment.values[id].isDecided())
      continue;
    if (value.origin == Origin::Parameter && !value.isFrozen) {
      checkMaster(id);
      checkSecondMoment(id);
    }
    bool isLogits = value.producer != kNone &&
                    facts.classes[value.producer] == TensorClass::Head &&
                    facts.phases[value.producer] == StepPhase::Forward &&
                    graph.isFloatContraction(value.producer);
    if (isLogits)
      checkLogits(id);
    else
      checkRange(id);
  }
}

void prec::checkValueBounds(const BoundInputs &inputs, const Graph &graph,
                            const Classification &facts, const Recipe &recipe,
                            Assignment &assignment) {
  ValueBounds(inputs, graph, facts, recipe, assignment).run();
}
