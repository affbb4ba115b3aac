//===- TargetRegistry.cpp - the targets of a compiler ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Target/TargetRegistry.h"

#include "prec/Target/EmitErrors.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace prec;

llvm::Error TargetRegistry::add(std::unique_ptr<Target> target) {
  if (find(target->getName()))
    return llvm::createStringError(
        "targets must have names of their own, but got '" + target->getName() +
        "' twice");
  target->registry = this;
  targets.push_back(std::move(target));
  return llvm::Error::success();
}

std::vector<const Target *> TargetRegistry::list() const {
  std::vector<const Target *> all;
  for (const std::unique_ptr<Target> &target : targets)
    all.push_back(target.get());
  return all;
}

const Target *TargetRegistry::find(StringRef name) const {
  for (const std::unique_ptr<Target> &target : targets)
    if (target->getName() == name)
      return target.get();
  return nullptr;
}

std::string TargetRegistry::getNames() const {
  if (targets.empty())
    return "none";
  return llvm::join(
      llvm::map_range(targets,
                      [](const std::unique_ptr<Target> &target) {
                        return ("'" + target->getName() + "'").str();
                      }),
      ", ");
}

namespace {

/// Keeps the targets of a context on its dialect of prec.
class AttachedTargets : public DialectInterface::Base<AttachedTargets> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AttachedTargets)

  AttachedTargets(Dialect *dialect,
                  std::shared_ptr<const TargetRegistry> targets)
      : Base(dialect), targets(std::move(targets)) {}

  std::shared_ptr<const TargetRegistry> targets;
};

class TargetsExtension
    : public DialectExtension<TargetsExtension, PrecDialect> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TargetsExtension)

  explicit TargetsExtension(std::shared_ptr<const TargetRegistry> targets)
      : targets(std::move(targets)) {}

  void apply(MLIRContext *, PrecDialect *dialect) const override {
    dialect->addInterface<AttachedTargets>(targets);
  }

private:
  std::shared_ptr<const TargetRegistry> targets;
};

} // namespace

bool prec::attachTargets(DialectRegistry &dialects,
                         std::shared_ptr<const TargetRegistry> targets) {
  for (const Target *target : targets->list())
    target->registerDialects(dialects);
  return dialects.addExtension(
      TypeID::get<TargetsExtension>(),
      std::make_unique<TargetsExtension>(std::move(targets)));
}

const TargetRegistry *prec::getTargets(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<PrecDialect>();
  auto *attached =
      dialect ? dialect->getRegisteredInterface<AttachedTargets>() : nullptr;
  return attached ? attached->targets.get() : nullptr;
}

const Target *prec::findTarget(Location loc, const Twine &what,
                               StringRef name) {
  const TargetRegistry *targets = getTargets(loc.getContext());
  if (!targets) {
    emitError(loc) << what << " must be one of those that the compiler "
                   << "attaches to its contexts, but got none";
    return nullptr;
  }
  const Target *found = targets->find(name);
  if (!found)
    emitError(loc) << what << " must be one of " << targets->getNames()
                   << ", but got '" << name << "'";
  return found;
}

FailureOr<ScheduleModel> prec::loadScheduleModel(Location loc, StringRef target,
                                                 StringRef file) {
  const Target *found = findTarget(loc, "target", target);
  if (!found)
    return failure();
  llvm::Expected<MachineModel> machine = found->loadMachine(file);
  if (!machine)
    return emitErrors(loc, machine.takeError());
  if (!machine->schedule)
    return emitError(loc) << "machine must have 'schedule' to schedule "
                          << "by, but got none in '"
                          << (file.empty() ? target.str() + ".json"
                                           : file.str())
                          << "'";
  return *machine->schedule;
}
