//===- ModuleSchedule.h - the modules of a run ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_MODULESCHEDULE_H
#define PREC_RUN_MODULESCHEDULE_H

#include "Checkpoint.h"
#include "Options.h"

namespace prec::run {

/// The session of a run whose precision changes: one module after another, each
/// of the same step in other formats. Weights, moments, step and skipped steps
/// go on bit for bit; scale state does where both have the same, and begins
/// anew otherwise. One module is on the device at a time; its state passes
/// through the host's memory. The files of all modules are read at the start,
/// so that what becomes of them later does not matter.
class ModuleSchedule {
public:
  /// Checks all modules against `first`, the one that training begins with, and
  /// names everything in which one differs.
  static rt::Result<ModuleSchedule> open(std::unique_ptr<rt::Session> first,
                                         const Options &options);

  rt::Session &session() const { return *current; }
  /// Whether there is one: a module that could not be opened leaves none.
  bool hasSession() const { return current != nullptr; }
  /// The state that such a module should have gone on with.
  const rt::HeldCheckpoint &left() const { return *held; }

  /// Begins with the module that is due after so many steps, without any state.
  rt::Status beginAfter(int64_t steps);

  /// Goes on with the module that is due for the next step, after so many
  /// skipped steps in a row. Returns what there is to say about it, or nothing
  /// where it is the one that trains already.
  rt::Result<std::string> advance(int64_t skipped);

private:
  using Files = std::map<std::string, std::shared_ptr<rt::ModuleFile>>;

  ModuleSchedule(std::unique_ptr<rt::Session> first, Files files,
                 const Options &options)
      : options(&options), files(std::move(files)), current(std::move(first)),
        module(options.module) {}

  const std::string &findDue(int64_t step) const;
  rt::Status open(const std::string &path);
  rt::Result<std::string> switchTo(const std::string &path);

  const Options *options;
  Files files; ///< by path
  std::unique_ptr<rt::Session> current;
  std::string module; ///< of `current`
  std::unique_ptr<rt::HeldCheckpoint> held;
  bool hasFallenBack = false;
};

} // namespace prec::run

#endif // PREC_RUN_MODULESCHEDULE_H
