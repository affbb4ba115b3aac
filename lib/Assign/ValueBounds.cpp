//===- ValueBounds.cpp - bounds on what a step stores ---------------------===//
#include "CheckBounds.h"

#include "prec/Numerics/Bounds.h"
#include "prec/Support/Json.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::prec;

static std::string getPath(const Graph &graph, ValueId id) {
  const GraphValue &value = graph.values[id];
  return value.producer == kNone ? value.path
                                 : graph.nodes[value.producer].path;
}

namespace {

/// A number with where it comes from.
struct Chosen {
  double value;
  StringRef source;

  std::string print() const {
    return printNumber(value) + " (" + source.str() + ")";
  }
};

struct ValueBounds {
  ValueBounds(const BoundInputs &inputs, const Graph &graph,
              const Classification &facts, const Recipe &recipe,
              Assignment &assignment)
      : inputs(inputs), assumed(inputs.assumptions), limits(inputs.limits),
        graph(graph), facts(facts), recipe(recipe), assignment(assignment) {
    for (const GraphUpdate &update : graph.updates)
      updates[update.parameter] = &update;
  }

  void run();

private:
  const TensorNumerics *findMeasured(ValueId id) const {
    return prec::findMeasured(inputs, graph, facts, id);
  }
  void add(const Twine &rule, ValueId id, const Twine &detail,
           double severity) {
    assignment.findings.push_back(
        {rule.str(), getPath(graph, id), detail.str(), severity, id, kNone});
  }
  void checkMaster(ValueId id);
  void checkSecondMoment(ValueId id);
  void checkDecay(const GraphUpdate &update);
  const GraphUpdate &getUpdate(ValueId parameter) const;
  void checkLogits(ValueId id);
  void checkTail(ValueId id);
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
  std::map<ValueId, const GraphUpdate *> updates;
};

} // namespace

/// What the user assumes goes before what the graph records.
static Chosen choose(std::optional<double> assumed,
                     std::optional<double> recorded, double fallback) {
  if (assumed)
    return {*assumed, "assumed"};
  if (recorded)
    return {*recorded, "of the graph"};
  return {fallback, "the default"};
}

const GraphUpdate &ValueBounds::getUpdate(ValueId parameter) const {
  static const GraphUpdate kUnknown;
  auto found = updates.find(parameter);
  return found == updates.end() ? kUnknown : *found->second;
}

static const FloatFormat &getFormat(Format format) {
  return *findFloatFormat(stringifyFormat(format));
}

const TensorNumerics *prec::findMeasured(const BoundInputs &inputs,
                                         const Graph &graph,
                                         const Classification &facts,
                                         ValueId id) {
  if (!inputs.numerics)
    return nullptr;
  const GraphValue &value = graph.values[id];
  StringRef phase =
      value.producer == kNone
          ? "forward"
          : stringifyRulePhase(getRulePhase(facts, value.producer));
  return inputs.numerics->findTensor(getPath(graph, id), phase, value.result);
}

/// An update smaller than half a grain of the master is lost.
void ValueBounds::checkMaster(ValueId id) {
  Format format = assignment.values[id].format;
  const TensorNumerics *measured = findMeasured(id);
  double rms = graph.values[id].shape.size() > 1 ? assumed.weightRms : 1;
  if (measured && measured->rms > 0)
    rms = measured->rms;
  const GraphUpdate &hyper = getUpdate(id);
  // Zero stands for a rate that nobody gives.
  Chosen rate = choose(assumed.learningRate, hyper.learningRate, 0);
  Chosen decay = choose(assumed.weightDecay, hyper.weightDecay, 0);
  // Adam's step is about the rate; what decays comes on top of it.
  double update = rate.value * std::hypot(1, decay.value * rms);
  std::string origin = "learning rate " + rate.print();
  if (decay.value != 0)
    origin += ", weight decay " + decay.print();
  if (measured && measured->updateRms) {
    update = *measured->updateRms;
    origin = "measured";
  }
  if (update == 0)
    return;
  double moved = getMovedFraction(getFormat(format), rms, update);
  if (moved < limits.moved)
    add(stringifyFormat(format) + " masters stall", id,
        "a step of " + printShort(update) + ", " + origin + ", moves " +
            printPercent(moved) + " of weights of rms " + printShort(rms) +
            ", less than " + printPercent(limits.moved),
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
  const GraphUpdate &hyper = getUpdate(id);
  Chosen beta2 = choose(assumed.beta2, hyper.beta2, 0.999),
         epsilon = choose(assumed.epsilon, hyper.epsilon, 1e-8);
  SecondMomentUnderflow underflow = getSecondMomentUnderflow(
      getFormat(format), beta2.value, *gradient, epsilon.value);
  if (underflow.isLost && underflow.growth > limits.factor)
    add(stringifyFormat(format) + " second moments lose the gradient", id,
        "gradients of rms " + printShort(*gradient) + " add " +
            printShort(underflow.increment) + ", which rounds to zero: steps " +
            printShort(underflow.growth) + " times as large; beta2 " +
            beta2.print() + ", epsilon " + epsilon.print(),
        underflow.growth);
}

void ValueBounds::checkDecay(const GraphUpdate &update) {
  Format format = recipe.getStorage(StorageKind::Moment).format;
  Chosen beta2 = choose(assumed.beta2, update.beta2, 0.999);
  if (!doesMomentDecay(getFormat(format), beta2.value))
    add(stringifyFormat(format) + " second moments never fall",
        update.secondMoment,
        "(1 - beta2) v is less than half a grain of v at beta2 " +
            beta2.print(),
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

/// Probabilities far below the largest of their row.
void ValueBounds::checkTail(ValueId id) {
  std::optional<double> gap = findSoftmaxGap(inputs, graph, facts, id);
  if (!gap || !assignment.values[id].isStored)
    return;
  const FloatFormat &format = getFormat(assignment.values[id].format);
  if (std::optional<std::string> lost = findLostTail(format, *gap, 1))
    add(format.name + " probabilities lose their tail", id, *lost, *gap);
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
  for (const GraphUpdate &update : graph.updates)
    checkDecay(update);
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
    checkTail(id);
  }
}

void prec::checkValueBounds(const BoundInputs &inputs, const Graph &graph,
                            const Classification &facts, const Recipe &recipe,
                            Assignment &assignment) {
  ValueBounds(inputs, graph, facts, recipe, assignment).run();
}
