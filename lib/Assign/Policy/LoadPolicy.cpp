//===- LoadPolicy.cpp - the files of a policy -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Policy/LoadPolicy.h"

#include "Assign/Cost/SelectMachine.h"
#include "prec/Support/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace prec;
using llvm::Error;
using llvm::Expected;

static Expected<Policy> readPolicy(StringRef fileName) {
  Expected<std::string> text = readFile(fileName);
  return text ? parsePolicy(*text, fileName) : text.takeError();
}

static Error loadMap(StringRef mapFile, PolicySources &sources) {
  Expected<std::string> text = readFile(mapFile);
  if (!text)
    return text.takeError();
  Expected<ModuleMap> map = parseModuleMap(*text, mapFile);
  if (!map)
    return map.takeError();
  sources.map = std::move(*map);
  sources.mapFile = mapFile.str();
  for (const PolicyComponent &component : sources.map.components) {
    if (component.policyFile.empty())
      continue;
    llvm::SmallString<128> path(component.policyFile);
    llvm::sys::path::make_absolute(llvm::sys::path::parent_path(mapFile), path);
    Expected<Policy> policy = readPolicy(path);
    if (!policy)
      return policy.takeError();
    sources.components.try_emplace(component.policyFile, std::move(*policy));
  }
  return Error::success();
}

/// A GPU is chosen among times; thresholds are of none.
static Error verifyGpu(const PolicySources &sources, StringRef gpu) {
  bool hasTimes = sources.policy.getMeasured() ||
                  llvm::any_of(sources.components, [](const auto &component) {
                    return component.second.getMeasured() != nullptr;
                  });
  if (gpu.empty() || hasTimes)
    return Error::success();
  return llvm::createStringError("policy-gpu must name a machine of a policy "
                                 "of version 2, but got '" +
                                 gpu + "' for the thresholds of '" +
                                 sources.policyFile + "'");
}

static Error select(Policy &policy, StringRef fileName, StringRef gpu,
                    const Target &target) {
  auto *measured = std::get_if<MeasuredPolicy>(&policy.content);
  return measured ? selectMachine(*measured, fileName, gpu, target)
                  : Error::success();
}

Expected<PolicySources> prec::loadPolicy(StringRef policyFile,
                                         StringRef mapFile, StringRef gpu,
                                         const Target &target) {
  Expected<Policy> policy = readPolicy(policyFile);
  if (!policy)
    return policy.takeError();
  PolicySources sources;
  sources.policy = std::move(*policy);
  sources.policyFile = policyFile.str();
  if (!mapFile.empty())
    if (Error error = loadMap(mapFile, sources))
      return std::move(error);
  if (Error error = verifyGpu(sources, gpu))
    return std::move(error);
  if (Error error = select(sources.policy, policyFile, gpu, target))
    return std::move(error);
  for (auto &[fileName, component] : sources.components)
    if (Error error = select(component, fileName, gpu, target))
      return std::move(error);
  return sources;
}
