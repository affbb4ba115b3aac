//===- SwitchedStep.h - one step in several precisions ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_SWITCHEDSTEP_H
#define PREC_RUN_SWITCHEDSTEP_H

#include "DeltaDebugging.h"
#include "FirstMoments.h"
#include "Options.h"
#include "Session.h"

namespace prec::run {

/// What a step with some operands raised gave.
struct SwitchedOutcome {
  double loss = 0;
  std::string notFinite; ///< empty if all is
  Tensors gradients;     ///< not clipped, by parameter
};

/// A module compiled with --switchable, whose step is taken again and again
/// from one state, with different operands raised (read in FP32).
class SwitchedStep {
public:
  /// `option` is what asks for it. The session must outlive it.
  SwitchedStep(rt::Session &session, std::string option)
      : session(session), option(std::move(option)) {}

  /// Sets weights and the first batch, and keeps the state that steps begin
  /// from.
  rt::Status prepare(const Options &options);
  /// Makes the state as it is the one that steps begin from.
  rt::Status saveState();
  rt::Result<SwitchedOutcome> take(const ElementSet &raised);

  /// "PATH/DIRECTION/OPERAND", by element.
  const std::vector<std::string> &names() const {
    return session.manifest().bindings[static_cast<size_t>(switches)].tensors;
  }
  const ElementSet &all() const { return elements; }
  int64_t firstStep() const { return step; }
  int64_t stepsTaken() const { return taken; }

private:
  rt::Status restoreState();

  rt::Session &session;
  const std::string option;
  int switches = -1;
  ElementSet elements;
  int64_t step = 0, taken = 0;
  std::vector<std::pair<int, std::vector<char>>> state;
};

} // namespace prec::run

#endif // PREC_RUN_SWITCHEDSTEP_H
