//===- VerifyImported.cpp - what a training step has to say ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace prec {
#define GEN_PASS_DEF_VERIFYIMPORTED
#include "prec/Import/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;
using train::Role;

namespace {

class StepVerifier {
public:
  StepVerifier(func::FuncOp step) : step(step) {}

  LogicalResult verify();

private:
  LogicalResult verifyArgument(unsigned index);
  LogicalResult verifyOptimizerState(unsigned index);
  LogicalResult verifyResult(unsigned index);
  LogicalResult verifyProducts();

  InFlightDiagnostic report(StringRef kind, unsigned index) {
    return step.emitError() << "step: " << kind << " " << index << " ";
  }
  StringRef getText(unsigned index, StringRef name) {
    auto text = step.getArgAttrOfType<StringAttr>(index, name);
    return text ? text.getValue() : StringRef();
  }
  std::optional<Role> getRole(unsigned index) {
    auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    return role ? std::optional(role.getValue()) : std::nullopt;
  }

  func::FuncOp step;
  /// Arguments by path and slot.
  llvm::StringMap<unsigned> names;
  unsigned losses = 0;
};

struct VerifyImported : prec::impl::VerifyImportedBase<VerifyImported> {
  using VerifyImportedBase::VerifyImportedBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> step = getStep(getOperation());
    if (failed(step) || failed(StepVerifier(*step).verify()))
      signalPassFailure();
  }
};

} // namespace

static bool isOfResults(Role role) {
  return role == Role::Loss || role == Role::Metric || role == Role::Updated;
}

LogicalResult StepVerifier::verifyArgument(unsigned index) {
  std::optional<Role> role = getRole(index);
  // imported_c2
  if (!role || isOfResults(*role)) {
    InFlightDiagnostic error =
        report("argument", index)
        << "must have a prec_train.role of arguments, but "
           "got ";
    if (role)
      return error << "'" << train::stringifyRole(*role) << "'";
    return error << "none";
  }
  StringRef path = getText(index, train::kPath);
  // imported_c3
  if (path.empty())
    return report("argument", index)
           << "must have a prec_train.path, but got none";
  std::string name = (path + "\n" + getText(index, train::kSlot)).str();
  auto [entry, isNew] = names.try_emplace(name, index);
  // imported_c4
  if (!isNew)
    return report("argument", index)
           << "must have a prec_train.path of its own, but got '" << path
           << "' as argument " << entry->second << " has";
  return success();
}

LogicalResult StepVerifier::verifyOptimizerState(unsigned index) {
  if (getRole(index) != Role::OptimizerState)
    return success();
  StringRef parameter = getText(index, train::kParamOf);
  auto found = names.find((parameter + "\n").str());
  // imported_c5
  if (found == names.end() || getRole(found->second) != Role::Parameter)
    return report("argument", index)
           << "is optimizer state and must name a parameter in "
              "prec_train.param_of, but got '"
           << parameter << "'";
  // imported_c6
  if (getText(index, train::kSlot).empty())
    return report("argument", index) << "is optimizer state and must have a "
                                        "prec_train.slot, but got none";
  return success();
}

LogicalResult StepVerifier::verifyResult(unsigned index) {
  auto role = step.getResultAttrOfType<train::RoleAttr>(index, train::kRole);
  // imported_c7
  if (!role || !isOfResults(role.getValue())) {
    InFlightDiagnostic error = report("result", index)
                               << "must be a loss, a metric or updated by its "
                                  "prec_train.role, but got ";
    if (role)
      return error << "'" << train::stringifyRole(role.getValue()) << "'";
    return error << "none";
  }
  bool isDonated = bool(step.getResultAttr(index, train::kDonatedTo));
  // imported_c8
  if (role.getValue() == Role::Updated && !isDonated)
    return report("result", index)
           << "is updated and must be donated to an argument by "
              "prec_train.donated_to, but got none";
  if (role.getValue() != Role::Loss)
    return success();
  auto type = dyn_cast<RankedTensorType>(step.getResultTypes()[index]);
  // imported_c9
  if (!type || type.getRank() != 0 || !type.getElementType().isF32())
    return report("result", index)
           << "is the loss and must be a tensor<f32>, but got "
           << step.getResultTypes()[index];
  ++losses;
  return success();
}

/// Precision is assigned to two operands and a result.
LogicalResult StepVerifier::verifyProducts() {
  for (auto product : step.front().getOps<train::MatmulOp>())
    // imported_c11
    if (product.getBias())
      return product.emitOpError("a bias must be an operation of its own in an "
                                 "imported graph, but got one of a product");
  return success();
}

LogicalResult StepVerifier::verify() {
  for (unsigned index = 0; index < step.getNumArguments(); ++index)
    if (failed(verifyArgument(index)))
      return failure();
  for (unsigned index = 0; index < step.getNumArguments(); ++index)
    if (failed(verifyOptimizerState(index)))
      return failure();
  for (unsigned index = 0; index < step.getNumResults(); ++index)
    if (failed(verifyResult(index)))
      return failure();
  // imported_c10
  if (losses != 1)
    return step.emitError("step: one result must be the loss, but got ")
           << losses;
  return verifyProducts();
}
