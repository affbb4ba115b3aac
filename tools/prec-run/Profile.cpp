//===- Profile.cpp - where a step spends its time -------------------------===//

#include "Profile.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

using namespace prec::rt;
using namespace prec::run;

static constexpr int rounds = 5;

Status prec::run::printProfile(Session &session, MetricsFile &metrics) {
  std::vector<double> seconds;
  PREC_RT_RETURN_IF_ERROR(session.timeStep(rounds, seconds));
  const std::vector<Command> &commands = session.manifest().commands("step");
  double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::map<std::string_view, std::pair<double, int>> byOp;
  for (size_t i = 0; i < commands.size(); ++i) {
    auto &[sum, count] = byOp[name(commands[i].kind)];
    sum += seconds[i];
    ++count;
    PREC_RT_RETURN_IF_ERROR(metrics.command(commands[i], seconds[i]));
  }
  printf("%zu commands, %.3f ms, means of %d steps\n", commands.size(),
         total * 1e3, rounds);
  for (const auto &[op, entry] : byOp)
    printf("  %9.3f ms  %5.1f %%  %5d x %s\n", entry.first * 1e3,
           100 * entry.first / total, entry.second, std::string(op).c_str());
  std::vector<size_t> order(commands.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return seconds[a] > seconds[b]; });
  order.resize(std::min<size_t>(order.size(), 30));
  for (size_t i : order)
    printf("  %9.3f ms  %5.1f %%  %-9s %-13s %s  %s\n", seconds[i] * 1e3,
           100 * seconds[i] / total, commands[i].phase.c_str(),
           std::string(name(commands[i].kind)).c_str(),
           commands[i].name.c_str(), commands[i].path.c_str());
  return {};
}
