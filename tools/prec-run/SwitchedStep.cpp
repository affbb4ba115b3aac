//===- SwitchedStep.cpp - one step in several precisions ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SwitchedStep.h"

#include "Inputs.h"

#include <cmath>
#include <numeric>

using namespace prec::rt;
using namespace prec::run;

static bool isState(Role role) {
  return role == Role::parameter || role == Role::optimizerState ||
         role == Role::workWeight || role == Role::scaleState;
}

Status SwitchedStep::prepare(const Options &options) {
  const std::vector<Binding> &bindings = session.manifest().bindings;
  for (size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].role == Role::switches)
      switches = static_cast<int>(i);
  if (switches < 0)
    return Status::invalidArgument(option +
                                   " must be given for a module compiled with "
                                   "--switchable, but is not");
  elements.resize(names().size());
  std::iota(elements.begin(), elements.end(), size_t(0));
  PREC_RT_RETURN_IF_ERROR(setInputs(session, options));
  PREC_RT_RETURN_IF_ERROR(keepGradients(session));
  PREC_RT_RETURN_IF_ERROR(session.initialize());
  return saveState();
}

Status SwitchedStep::saveState() {
  step = session.stepsDone();
  state.clear();
  const std::vector<Binding> &bindings = session.manifest().bindings;
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (!isState(bindings[i].role))
      continue;
    std::vector<char> bytes(session.bufferOf(bindings[i]).bytes());
    PREC_RT_RETURN_IF_ERROR(session.device().download(
        bindings[i].buffer, bytes.data(), static_cast<int64_t>(bytes.size())));
    state.emplace_back(bindings[i].buffer, std::move(bytes));
  }
  return {};
}

Status SwitchedStep::restoreState() {
  for (const auto &[buffer, bytes] : state)
    PREC_RT_RETURN_IF_ERROR(session.device().upload(
        buffer, bytes.data(), static_cast<int64_t>(bytes.size())));
  session.setStepsDone(step);
  return {};
}

Result<SwitchedOutcome> SwitchedStep::take(const ElementSet &raised) {
  ++taken;
  PREC_RT_RETURN_IF_ERROR(restoreState());
  std::vector<float> values(elements.size(), 0);
  for (size_t element : raised)
    values[element] = 1;
  PREC_RT_RETURN_IF_ERROR(session.set(switches, DType::f32,
                                      {static_cast<int64_t>(values.size())},
                                      values.data()));
  Result<StepResult> result = session.step();
  if (!result.ok())
    return result.status();
  if (result->isIndex)
    return Status::invalidArgument(result->fault() +
                                   ", which no precision changes");
  SwitchedOutcome outcome;
  outcome.loss = result->loss;
  if (result->notFinite)
    outcome.notFinite = *result->notFinite;
  else if (!std::isfinite(result->loss))
    outcome.notFinite = "loss";
  Result<Tensors> gradients = readFirstMoments(session, option);
  if (!gradients.ok())
    return gradients.status();
  outcome.gradients = std::move(*gradients);
  return outcome;
}
