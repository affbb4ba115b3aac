//===- RandomProblems.cpp - labelling problems for tests ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomProblems.h"

#include <limits>

using namespace prec;
using namespace prec::test;
using llvm::ArrayRef;

std::mt19937 prec::test::makeRandom(unsigned seed) {
  return std::mt19937(seed);
}

/// In [0, below); the standard's distributions differ between libraries.
static unsigned pick(std::mt19937 &random, unsigned below) {
  return random() % below;
}

LabellingProblem prec::test::makeRandomProblem(std::mt19937 &random,
                                               unsigned mostLabels) {
  LabellingProblem problem;
  unsigned decisions = 1 + pick(random, 16);
  // All labellings shall be few enough to try.
  unsigned labellings = 1;
  for (unsigned i = 0; i < decisions; ++i) {
    unsigned labels = 1 + pick(random, mostLabels);
    if (labellings * labels > 1u << 16)
      labels = 1;
    labellings *= labels;
    auto &costs = problem.costs.emplace_back();
    for (unsigned label = 0; label < labels; ++label)
      costs.push_back(int64_t(pick(random, 100)) - 20);
  }
  unsigned shared = pick(random, 2 * decisions + 1);
  for (unsigned i = 0; i < shared; ++i) {
    SharedCost &cost = problem.shared.emplace_back();
    cost.cost = pick(random, 60);
    bool isSecond = pick(random, 4) != 0;
    unsigned users = pick(random, std::min(decisions, 6u) + 1);
    for (unsigned j = 0; j < users; ++j) {
      uint32_t decision = pick(random, decisions);
      uint32_t labels = problem.costs[decision].size();
      uint32_t label = mostLabels == 2 ? isSecond : pick(random, labels);
      if (label < labels)
        cost.users.push_back({decision, label});
    }
  }
  return problem;
}

void prec::test::forEachLabelling(
    const LabellingProblem &problem,
    llvm::function_ref<void(ArrayRef<uint32_t>)> visit) {
  std::vector<uint32_t> labels(problem.costs.size());
  while (true) {
    visit(labels);
    size_t decision = 0;
    while (decision < labels.size() &&
           ++labels[decision] == problem.costs[decision].size())
      labels[decision++] = 0;
    if (decision == labels.size())
      return;
  }
}

int64_t prec::test::findLeastCost(const LabellingProblem &problem) {
  int64_t least = std::numeric_limits<int64_t>::max();
  forEachLabelling(problem, [&](ArrayRef<uint32_t> labels) {
    least = std::min(least, problem.evaluate(labels));
  });
  return least;
}
