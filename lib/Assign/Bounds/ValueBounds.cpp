//===- ValueBounds.cpp - bounds on what a step stores ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds on what storing a value in its format loses: masters whose updates are
// less than half an ulp, second moments that underflow or never fall, logits
// that are too coarse, values that leave the range of their format. Each check
// computes one number from measurements (numerics.json), from what the user
// assumes, or from the hyperparameters of the graph, in this order, compares it
// with a limit, and makes a finding that says where the number comes from.
// Where nothing is known of a tensor there is no finding. Values are checked
// one by one; time is linear in the graph.
//
// Example: a BF16 master of rms 0.02 and a step of 1e-5. An ulp of 0.02 is
// 2^-13, about 1.2e-4: half of it is more than the step, so most weights do not
// move.
//
//===----------------------------------------------------------------------===//
#include "Assign/Bounds/CheckBounds.h"

#include "prec/Numerics/Bounds.h"
#include "prec/Support/Json.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace prec;

static std::string getValuePath(const Graph &graph, ValueId id) {
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

} // namespace

ValueBounds::ValueBounds(const BoundInputs &inputs, const Graph &graph,
                         const Classification &facts, const Recipe &recipe)
    : inputs(inputs), graph(graph), facts(facts), recipe(recipe) {
  for (const GraphUpdate &update : graph.updates)
    updates[update.parameter] = &update;
}

BoundFinding ValueBounds::makeFinding(const Twine &rule, ValueId id,
                                      const Twine &detail,
                                      double severity) const {
  return {rule.str(), getValuePath(graph, id), detail.str(), severity, id,
          kNone};
}

const TensorNumerics *ValueBounds::findMeasured(ValueId id) const {
  return prec::findMeasured(inputs, graph, facts, id);
}

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
  return inputs.numerics->findTensor(getValuePath(graph, id), phase,
                                     value.result);
}

/// An update smaller than half an ulp of the master is lost.
std::optional<BoundFinding>
ValueBounds::checkMaster(ValueId id, ValueId parameter,
                         const FloatFormat &format) const {
  // Rounded at random, small updates arrive in the mean.
  if (format.name != "f32" &&
      recipe.masterRounding.mode == MasterRounding::Stochastic)
    return std::nullopt;
  const BoundAssumptions &assumed = inputs.assumptions;
  const TensorNumerics *measured = findMeasured(parameter);
  double rms = graph.values[id].shape.size() > 1 ? assumed.weightRms : 1;
  if (measured && measured->rms > 0)
    rms = measured->rms;
  const GraphUpdate &hyper = getUpdate(parameter);
  // Zero stands for a rate that nobody gives.
  Chosen rate = choose(assumed.learningRate, hyper.learningRate, 0);
  Chosen decay = choose(assumed.weightDecay, hyper.weightDecay, 0);
  // A normalized step is about the rate; what decays comes on top of it. Of
  // others only a measurement tells.
  if (!hyper.isNormalized && !(measured && measured->updateRms))
    return std::nullopt;
  double update = rate.value * std::hypot(1, decay.value * rms);
  std::string origin = "learning rate " + rate.print();
  if (decay.value != 0)
    origin += ", weight decay " + decay.print();
  if (measured && measured->updateRms) {
    update = *measured->updateRms;
    origin = "measured";
  }
  if (update == 0)
    return std::nullopt;
  double moved = getMovedFraction(format, rms, update);
  if (moved >= inputs.limits.moved)
    return std::nullopt;
  return makeFinding(format.name + " masters stall", id,
                     "a step of " + printShort(update) + ", " + origin +
                         ", moves " + printPercent(moved) +
                         " of weights of rms " + printShort(rms) +
                         ", less than " + printPercent(inputs.limits.moved),
                     1 - moved);
}

/// A second moment that stays zero leaves the step to epsilon alone.
std::optional<BoundFinding>
ValueBounds::checkSecondMoment(ValueId parameter,
                               const FloatFormat &format) const {
  const BoundAssumptions &assumed = inputs.assumptions;
  const TensorNumerics *measured = findMeasured(parameter);
  std::optional<double> gradient = assumed.gradientRms;
  if (measured && measured->gradientRms)
    gradient = measured->gradientRms;
  if (!gradient || *gradient == 0)
    return std::nullopt;
  const GraphUpdate &hyper = getUpdate(parameter);
  Chosen beta2 = choose(assumed.beta2, hyper.beta2, 0.999),
         epsilon = choose(assumed.epsilon, hyper.epsilon, 1e-8);
  SecondMomentUnderflow underflow =
      getSecondMomentUnderflow(format, beta2.value, *gradient, epsilon.value);
  if (!underflow.isLost || underflow.growth <= inputs.limits.factor)
    return std::nullopt;
  return makeFinding(
      format.name + " second moments lose the gradient", parameter,
      "gradients of rms " + printShort(*gradient) + " add " +
          printShort(underflow.increment) + ", which rounds to zero: steps " +
          printShort(underflow.growth) + " times as large; beta2 " +
          beta2.print() + ", epsilon " + epsilon.print(),
      underflow.growth);
}

std::optional<BoundFinding>
ValueBounds::checkDecay(const GraphUpdate &update,
                        const FloatFormat &format) const {
  Chosen beta2 = choose(inputs.assumptions.beta2, update.beta2, 0.999);
  if (doesMomentDecay(format, beta2.value))
    return std::nullopt;
  return makeFinding(
      format.name + " second moments never fall", update.secondMoment,
      "(1 - beta2) v is less than half an ulp of v at beta2 " + beta2.print(),
      1);
}

std::optional<BoundFinding>
ValueBounds::checkLogits(ValueId id, const FloatFormat &format) const {
  const TensorNumerics *measured = findMeasured(id);
  std::optional<double> largest = inputs.assumptions.largestLogit;
  if (measured)
    largest = measured->amax;
  if (!largest)
    return std::nullopt;
  LogitRange range = getLogitRange(format, *largest);
  if (range.overflows)
    return makeFinding(format.name + " logits overflow", id,
                       "up to " + printShort(*largest) + ", but " +
                           format.name + " ends at " +
                           printShort(format.maxFinite),
                       *largest);
  if (range.probabilityFactor <= inputs.limits.factor)
    return std::nullopt;
  return makeFinding(format.name + " logits are too coarse", id,
                     "logits of up to " + printShort(*largest) +
                         " are off by up to " + printShort(range.error) +
                         ", probabilities by a factor of " +
                         printShort(range.probabilityFactor) + ", more than " +
                         printShort(inputs.limits.factor),
                     range.probabilityFactor);
}

/// Probabilities far below the largest of their row.
std::optional<BoundFinding>
ValueBounds::checkTail(ValueId id, const FloatFormat &format) const {
  std::optional<double> gap = findSoftmaxGap(inputs, graph, facts, id);
  if (!gap)
    return std::nullopt;
  std::optional<std::string> lost = findLostTail(format, *gap, 1);
  if (!lost)
    return std::nullopt;
  return makeFinding(format.name + " probabilities lose their tail", id, *lost,
                     *gap);
}

std::optional<double> ValueBounds::getStoredScale(ValueId id) const {
  bool isGradient = facts.holdsGradient(graph, id);
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
std::optional<BoundFinding>
ValueBounds::checkRange(ValueId id, const FloatFormat &format) const {
  const TensorNumerics *measured = findMeasured(id);
  std::optional<double> scale = getStoredScale(id);
  if (!measured || !scale)
    return std::nullopt;
  if (measured->amax * *scale > format.maxFinite)
    return makeFinding(format.name + " overflows", id,
                       "stores up to " + printShort(measured->amax * *scale) +
                           ", but ends at " + printShort(format.maxFinite),
                       measured->amax);
  const FormatLoss *seen =
      *scale == 1 ? measured->findLoss(format.name, "none") : nullptr;
  double underflow =
      seen ? seen->underflow
           : getRangeLoss(format, measured->rms, *scale).underflow;
  if (underflow <= inputs.limits.underflow)
    return std::nullopt;
  return makeFinding(format.name + " underflows", id,
                     printPercent(underflow) + " become zero, more than " +
                         printPercent(inputs.limits.underflow),
                     underflow);
}

ValueId ValueBounds::getTrained(ValueId id) const {
  const GraphValue &value = graph.values[id];
  if (value.producer == kNone)
    return value.origin == Origin::Parameter && !value.isFrozen ? id : kNone;
  const GraphNode &producer = graph.nodes[value.producer];
  if (!producer.is(Structure::Optimizer) || value.result != 0 ||
      producer.operands.empty())
    return kNone;
  return facts.roots[producer.operands[0]];
}

SmallVector<BoundFinding, 1> ValueBounds::find(ValueId id,
                                               Format stored) const {
  const GraphValue &value = graph.values[id];
  const FloatFormat &format = *findFloatFormat(stringifyFormat(stored));
  SmallVector<BoundFinding, 1> findings;
  auto add = [&](Finding finding) {
    if (finding)
      findings.push_back(std::move(*finding));
  };
  if (ValueId parameter = getTrained(id); parameter != kNone)
    add(checkMaster(id, parameter, format));
  bool isLogits = value.producer != kNone &&
                  (facts.classes[value.producer] == TensorClass::Head ||
                   facts.classes[value.producer] == TensorClass::Contrastive) &&
                  facts.phases[value.producer] == StepPhase::Forward &&
                  graph.isFloatContraction(value.producer);
  add(isLogits ? checkLogits(id, format) : checkRange(id, format));
  add(checkTail(id, format));
  return findings;
}

SmallVector<BoundFinding, 1>
ValueBounds::findOfMoments(ValueId parameter) const {
  const FloatFormat &format = *findFloatFormat(
      stringifyFormat(recipe.getStorage(StorageKind::Moment).format));
  SmallVector<BoundFinding, 1> findings;
  const GraphUpdate &update = getUpdate(parameter);
  // An optimizer without second moments.
  if (update.parameter != kNone && update.secondMoment == kNone)
    return findings;
  if (update.secondMoment != kNone)
    if (Finding finding = checkDecay(update, format))
      findings.push_back(std::move(*finding));
  if (Finding finding = checkSecondMoment(parameter, format))
    findings.push_back(std::move(*finding));
  return findings;
}

void prec::checkValueBounds(const BoundInputs &inputs, const Graph &graph,
                            const Classification &facts, const Recipe &recipe,
                            Assignment &assignment) {
  ValueBounds bounds(inputs, graph, facts, recipe);
  for (auto [id, value] : llvm::enumerate(graph.values)) {
    const Decision &decision = assignment.values[id];
    if (!decision.isDecided())
      continue;
    bool isUpdate = value.producer != kNone &&
                    graph.nodes[value.producer].is(Structure::Optimizer);
    if (decision.isStored && !isUpdate)
      llvm::append_range(assignment.findings, bounds.find(id, decision.format));
    if (value.origin == Origin::Parameter && !value.isFrozen)
      llvm::append_range(assignment.findings, bounds.findOfMoments(id));
  }
}
