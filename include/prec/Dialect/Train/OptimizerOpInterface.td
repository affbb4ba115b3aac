//===- OptimizerOpInterface.td - what optimizers share -----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_OPTIMIZEROPINTERFACE_TD
#define PREC_DIALECT_TRAIN_OPTIMIZEROPINTERFACE_TD

include "mlir/IR/OpBase.td"

def OptimizerOpInterface : OpInterface<"OptimizerOpInterface"> {
  let cppNamespace = "::prec::train";
  let description = [{
    The update of one parameter. Operands are the parameter, its gradient, the
    states, then scalars and an optional guard; results the new parameter, the
    new states in the order of the old ones, and an optional `update`, what the
    step means to add to the parameter, in f32. Where the guard is given and
    false, all results but `update` are the old values, and that is -0. Where it
    is given and true, an element of the parameter that would be NaN, infinite or
    beyond the largest number of BF16 (of F16, if the parameter is) is the old one,
    with those of its states that have the parameter's shape, and so is one of which
    such a state would be. The sum of their magnitudes is asked, in f32.

    Passes that keep masters, count lost updates, guard, scale and accumulate
    know optimizers by this alone.
  }];
  let methods = [
    InterfaceMethod<"Parameter that is updated, the first operand.", "::mlir::Value", "getParameter">,
    InterfaceMethod<"Its gradient.", "::mlir::Value", "getGradient">,
    InterfaceMethod<"What the gradient is multiplied by.", "::mlir::Value", "getGradScale">,
    InterfaceMethod<"Learning rate.", "::mlir::Value", "getLr">,
    InterfaceMethod<"Weight decay.", "::mlir::Value", "getWeightDecay">,
    InterfaceMethod<"Number of the step, from 1.", "::mlir::Value", "getStep">,
    InterfaceMethod<"Operand of the step's number.", "::mlir::OpOperand &", "getStepMutable">,
    InterfaceMethod<"Whether to update at all; null without a guard.", "::mlir::Value", "getGuard">,
    InterfaceMethod<"Operand of the guard.", "::mlir::MutableOperandRange", "getGuardMutable">,
    InterfaceMethod<"New parameter, the first result.", "::mlir::Value", "getNewParameter">,
    InterfaceMethod<"What is meant to be added to the parameter; null unless it is asked for.",
      "::mlir::Value", "getUpdate">,
    InterfaceMethod<"States, moments and the like.", "::mlir::OperandRange", "getStates", (ins), [{}],
      [{ return $_op->getOperands().slice(2, $_op->getNumResults() - ($_op.getUpdate() ? 2 : 1)); }]>,
    InterfaceMethod<"New states, in the order of the old ones.", "::mlir::ResultRange", "getNewStates", (ins), [{}],
      [{ return $_op->getResults().slice(1, $_op->getNumResults() - ($_op.getUpdate() ? 2 : 1)); }]>,
    InterfaceMethod<"Whether an element changes by about the learning rate, whatever the gradient.",
      "bool", "isNormalized", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether a new element follows from that element of the operands and from scalars, so that a part of "
                    "the parameter can be updated alone.",
      "bool", "isElementwise", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<"Whether squares of gradients are computed: one whose squares overflow is not finite to it.",
      "bool", "isSquaring", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether elements of a state have both signs.",
      "bool", "isStateSigned", (ins "unsigned":$state), [{}], [{ return true; }]>,
    InterfaceMethod<"Whether a state is a running mean, which 8 bits hold from step to step: no sum, size or weight.",
      "bool", "isMoment", (ins "unsigned":$state), [{}], [{ return true; }]>,
  ];
}

#endif // PREC_DIALECT_TRAIN_OPTIMIZEROPINTERFACE_TD
