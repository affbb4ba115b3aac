//===- Inspect.cpp - what a step module is --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Inspect.h"

#include "ModuleFile.h"
#include "Ranks.h"

#include "prec-rt/devices.h"

#include <cstdio>
#include <map>

using namespace prec::rt;
using namespace prec::run;

static void print(const char *what, const std::string &value) {
  printf("%-12s %s\n", what, value.c_str());
}

static std::string describeBytes(int64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

/// How many there are, and by what bytes go from one to another. Which of two
/// ways it is depends on the computers, and is said when a run begins.
static std::string describeRanks(const Manifest &manifest) {
  const DeviceKind *kind = findDeviceKind(manifest.target.kind);
  const bool isHost = kind && kind->calls == KernelCalls::table;
  return std::to_string(manifest.numRanks()) + " (" + formatMesh(manifest) +
         "), which exchange by " +
         (isHost ? "Gloo"
                 : "copies of their GPUs where each reaches the memory of all, "
                   "else by NCCL");
}

static void printBindings(const Manifest &manifest) {
  std::map<Role, std::pair<int64_t, int64_t>> roles; // count, bytes
  for (const Binding &binding : manifest.bindings) {
    auto &[count, bytes] = roles[binding.role];
    ++count;
    bytes += manifest.buffers[binding.buffer].bytes();
  }
  for (const auto &[role, sum] : roles)
    printf("  %-18s %6lld  %s\n", std::string(name(role)).c_str(),
           static_cast<long long>(sum.first),
           describeBytes(sum.second).c_str());
  for (const Binding &binding : manifest.bindings) {
    if (binding.role != Role::batch)
      continue;
    const Buffer &buffer = manifest.buffers[binding.buffer];
    printf("  batch input '%s' %s%s\n", binding.name.c_str(),
           std::string(name(buffer.dtype)).c_str(),
           formatShape(buffer.shape).c_str());
  }
}

Status prec::run::printModule(const std::string &module) {
  Result<std::unique_ptr<ModuleFile>> file = ModuleFile::read(module);
  if (!file.ok())
    return file.status();
  const Manifest &manifest = (*file)->manifest();
  print("module", module);
  print("file", describeBytes((*file)->fileSize()) + ", sha256 " +
                    formatHash((*file)->hash()));
  print("producer", manifest.producer);
  print("target", manifest.target.kind + " " + manifest.target.chip);
  if (!manifest.mesh.empty())
    print("ranks", describeRanks(manifest));
  print("recipe", manifest.recipe);
  print("graph", manifest.graph);
  print("manifest", "abi " + std::to_string(manifest.abi));
  printf("segments\n");
  for (size_t i = 0; i < manifest.segmentSize.size(); ++i)
    printf("  %-12s %s\n", std::string(name(static_cast<Segment>(i))).c_str(),
           describeBytes(manifest.segmentSize[i]).c_str());
  printf("bindings\n");
  printBindings(manifest);
  printf("entry points\n");
  for (const auto &[entryPoint, commands] : manifest.entryPoints)
    printf("  %-18s %6zu commands\n", entryPoint.c_str(), commands.size());
  printf("images       %zu\n", manifest.images.size());
  return {};
}
