//===- SelectMachine.cpp - whose times decide for a target ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Cost/SelectMachine.h"
#include "prec/Target/TargetRegistry.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace prec;
using llvm::Error;
using llvm::Twine;

/// The target whose GPU this is; null for GPUs that no target names.
static const Target *findOwner(const TargetRegistry &targets, StringRef gpu) {
  for (const Target *target : targets.list())
    if (target->hasGpu(gpu))
      return target;
  return nullptr;
}

static std::vector<Machine>
collect(const MeasuredPolicy &policy,
        llvm::function_ref<bool(const Machine &)> isWanted) {
  std::vector<Machine> found;
  for (const auto &entry : policy.machines)
    if (isWanted(entry.first))
      found.push_back(entry.first);
  return found;
}

static std::string print(ArrayRef<Machine> machines) {
  if (machines.empty())
    return "none";
  return llvm::join(llvm::map_range(machines, printMachine), ", ");
}

bool prec::isMachineOf(const Machine &machine, const Target &target) {
  return target.hasGpus() ? target.hasGpu(machine.gpu)
                          : StringRef(machine.gpu).starts_with("CPU ");
}

Error prec::selectMachine(MeasuredPolicy &policy, StringRef fileName,
                          StringRef gpu, const Target &target) {
  auto fail = [&](const Twine &rule, ArrayRef<Machine> got) {
    return llvm::createStringError("policy '" + fileName +
                                   "' must have times of " + rule +
                                   ", but got " + print(got));
  };
  std::vector<Machine> found = collect(policy, [&](const Machine &machine) {
    return gpu.empty() ? isMachineOf(machine, target)
                       : StringRef(machine.gpu).contains_insensitive(gpu);
  });
  std::string wanted = gpu.empty() ? "a GPU of target " + target.getName().str()
                                   : "policy-gpu='" + gpu.str() + "'";
  if (found.empty()) {
    if (gpu.empty() && !target.hasGpus())
      wanted = "the GPU that policy-gpu= names to decide for " +
               target.getName().str();
    return fail(wanted, collect(policy, [](const Machine &) { return true; }));
  }
  if (found.size() > 1)
    return fail("one machine for " + wanted, found);
  const Target *owner = findOwner(target.getRegistry(), found.front().gpu);
  if (owner && owner != &target && target.hasGpus())
    return fail("a GPU of target " + target.getName(), found);
  std::map<Machine, Measurements> machines;
  machines.insert(policy.machines.extract(found.front()));
  policy.machines = std::move(machines);
  return Error::success();
}
