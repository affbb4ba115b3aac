//===- TargetRegistry.h - the targets of a compiler -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever embeds prec makes a registry, fills it (registerAllTargets, or one
// function of a target's folder), and attaches it to the dialects of its
// contexts, where passes find it:
//
//   auto targets = std::make_shared<prec::TargetRegistry>();
//   if (llvm::Error error = prec::registerAllTargets(*targets))
//     ...
//   prec::attachTargets(dialects, targets);
//
// Nothing is registered by linking, and contexts may have different targets.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_TARGET_TARGETREGISTRY_H
#define PREC_TARGET_TARGETREGISTRY_H

#include "prec/Target/Target.h"

#include <memory>

namespace prec {

class TargetRegistry {
public:
  TargetRegistry() = default;
  TargetRegistry(const TargetRegistry &) = delete;
  TargetRegistry &operator=(const TargetRegistry &) = delete;

  /// Names are unique: the error reads "targets must have names of their own,
  /// but got 'NAME' twice".
  llvm::Error add(std::unique_ptr<Target> target);

  /// In the order in which they were added: those that are alike, by age.
  std::vector<const Target *> list() const;
  /// Null for a name that is none of theirs.
  const Target *find(llvm::StringRef name) const;
  /// Their names, for messages: "'sm_80', 'cpu'", or "none".
  std::string getNames() const;

private:
  std::vector<std::unique_ptr<Target>> targets;
};

/// Gives every context of these dialects, once it has loaded that of prec, the
/// targets that passes know. False, and nothing else, if `dialects` have some
/// already.
[[nodiscard]] bool attachTargets(DialectRegistry &dialects,
                                 std::shared_ptr<const TargetRegistry> targets);

/// Those of a context; null if none were attached.
const TargetRegistry *getTargets(MLIRContext *context);

/// The target of this name in the context of `loc`. Null after an error there:
/// "`what` must be one of ..., but got 'NAME'".
const Target *findTarget(Location loc, const Twine &what, llvm::StringRef name);

/// What scheduling counts on the machine of `file`, or on the built-in one of
/// the target of this name. Fails after an error at `loc`.
FailureOr<ScheduleModel> loadScheduleModel(Location loc, llvm::StringRef target,
                                           llvm::StringRef file);

} // namespace prec

#endif // PREC_TARGET_TARGETREGISTRY_H
