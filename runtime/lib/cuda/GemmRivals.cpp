//===- GemmRivals.cpp - algorithms measured where they are used -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides between rivals in the step itself. A GEMM that is measured alone, on
// random values and an idle GPU, runs at other clocks than in a step that takes
// all the power there is. So the commands of the step that write no state are
// run again and again, and rivals take turns: at the k-th launch of a plan in
// round r rival (r + k) mod n runs. After n rounds each rival has had every
// place once. Every rival gets three such turns; the first round, which loads
// kernels and heats the GPU, is not counted. The rival with the least median
// time is taken and written to the algorithm file. Time is 3 n + 1 runs of
// those commands, where n is the most rivals that a plan has.
//
//===----------------------------------------------------------------------===//

#include "GemmRivals.h"

#include <algorithm>

using namespace prec::rt;

/// Each rival serves every product so often.
static constexpr size_t turns = 3;

/// The leading commands that can be repeated: they write no state.
static std::vector<const Command *>
getRepeatable(const std::vector<Command> &commands, const Manifest &manifest) {
  std::vector<const Command *> result;
  for (const Command &command : commands) {
    bool writesState =
        std::any_of(command.writes.begin(), command.writes.end(), [&](int id) {
          return manifest.buffers[static_cast<size_t>(id)].segment ==
                 Segment::state;
        });
    if (writesState)
      break;
    result.push_back(&command);
  }
  return result;
}

Status prec::rt::chooseRivals(const std::vector<Command> &commands,
                              const Manifest &manifest, GemmPlans &plans,
                              AlgorithmFile &algorithms,
                              const FindPlan &findPlan,
                              const TimeCommands &time) {
  std::vector<const Command *> repeated = getRepeatable(commands, manifest);
  // By command: the plan that takes turns, and how often it was met before.
  std::vector<std::pair<GemmPlan *, size_t>> met(repeated.size());
  std::map<const GemmPlan *, size_t> launches;
  size_t most = 0;
  for (const Command &command : commands) {
    if (command.kind != CommandKind::gemm)
      continue;
    Result<GemmPlan *> plan = findPlan(command.gemm);
    if (!plan.ok())
      return plan.status();
    if ((*plan)->rivals.empty())
      continue;
    size_t &count = launches[*plan];
    if (size_t index = static_cast<size_t>(&command - commands.data());
        index < repeated.size()) {
      met[index] = {*plan, count++};
      most = std::max(most, (*plan)->rivals.size());
    }
  }
  if (launches.empty())
    return Status();

  for (auto &[key, plan] : plans)
    if (auto count = launches.find(&plan);
        count != launches.end() && count->second)
      for (GemmContender &rival : plan.rivals)
        rival.milliseconds.clear();
  auto rivalOf = [&](size_t index, size_t round) -> GemmContender & {
    auto [plan, count] = met[index];
    return plan->rivals[(round + count) % plan->rivals.size()];
  };
  // The first round, which loads them all and heats the GPU, does not count.
  for (size_t round = 0; most && round <= turns * most; ++round) {
    Result<std::vector<double>> milliseconds = time(repeated, [&](size_t i) {
      if (met[i].first)
        met[i].first->take(rivalOf(i, round));
    });
    if (!milliseconds.ok())
      return milliseconds.status();
    for (size_t i = 0; round && i < repeated.size(); ++i)
      if (met[i].first)
        rivalOf(i, round).milliseconds.push_back((*milliseconds)[i]);
  }
  for (auto &[key, plan] : plans) {
    if (!launches.count(&plan))
      continue;
    auto fastest =
        std::min_element(plan.rivals.begin(), plan.rivals.end(),
                         [](const GemmContender &x, const GemmContender &y) {
                           return x.median() < y.median();
                         });
    plan.choose(GemmContender(*fastest));
    algorithms.insert(key, plan.describeChoice());
  }
  return algorithms.write();
}
