//===- Traffic.cpp - what a step moves, without running it ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Traffic.h"

#include "ProfileModel.h"

#include "ModuleFile.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

using namespace prec::rt;
using namespace prec::run;

namespace {

/// Commands that are no products and no attention.
struct Traffic {
  int64_t count = 0, bytes = 0, ideal = 0;
  int64_t excess() const { return bytes - ideal; }
};

} // namespace

static void print(const Traffic &traffic, const std::string &what) {
  printf("%8lld %10.3f %10.3f %10.3f  %s\n",
         static_cast<long long>(traffic.count), traffic.bytes * 1e-9,
         traffic.ideal * 1e-9, traffic.excess() * 1e-9, what.c_str());
}

/// Phase, op, module and operations of the graph, as a profile's lines.
static std::string labelOf(const Command &command) {
  std::string text =
      command.phase + "  " + std::string(name(command.kind)) + "  " +
      foldLayers(command.path.empty() ? command.name : command.path) + "  ";
  for (size_t i = 0; i < command.graphOps.size(); ++i)
    text += (i ? "+" : "") + command.graphOps[i];
  return text;
}

Status prec::run::printTraffic(const std::string &module) {
  Result<std::unique_ptr<ModuleFile>> file = ModuleFile::read(module);
  if (!file.ok())
    return file.status();
  const Manifest &manifest = (*file)->manifest();
  const std::vector<Command> &commands = manifest.commands("step");
  std::vector<int64_t> ideal = computeUnavoidableBytes(manifest);
  Traffic all;
  std::map<std::string, Traffic> groups;
  std::set<std::pair<std::string, int>> kernels; // by target, symbol or index
  for (size_t i = 0; i < commands.size(); ++i) {
    const Command &command = commands[i];
    if (command.kind == CommandKind::kernel)
      kernels.insert({command.kernel.symbol, command.kernel.index});
    if (isReplayed(command.kind))
      continue;
    int64_t bytes = computeWork(manifest, command).bytes;
    for (Traffic *sum : {&all, &groups[labelOf(command)]}) {
      ++sum->count;
      sum->bytes += bytes;
      sum->ideal += ideal[i];
    }
  }
  std::vector<std::pair<std::string, Traffic>> sorted(groups.begin(),
                                                      groups.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto &a, const auto &b) {
                     return a.second.excess() > b.second.excess();
                   });
  printf("%zu commands, %zu kernels; products and attention aside, they move "
         "%.3f GB where an ideal fusion moves %.3f GB\n",
         commands.size(), kernels.size(), all.bytes * 1e-9, all.ideal * 1e-9);
  printf("%8s %10s %10s %10s  %s\n", "count", "GB", "ideal GB", "above GB",
         "phase, op, module, operations of the graph");
  for (const auto &[what, traffic] : sorted)
    print(traffic, what);
  print(all, "all");
  return {};
}
