//===- ChooseByCostTest.cpp - the cheapest candidates together ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GraphBuilder.h"
#include "Targets.h"
#include "prec/Assign/Classify.h"
#include "prec/Assign/ParseRecipe.h"
#include "prec/Assign/Assigner.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

/// A device with round numbers: BF16 1 FLOP a microsecond per unit of speed.
MachineModel makeCosts(double launch) {
  MachineModel costs;
  costs.name = "sm_90a";
  costs.device = "test";
  costs.flopsPerSecond = {1e12, 1e12, 1e12, 2e12, std::nullopt};
  costs.bytesPerSecond = 1e11;
  costs.launchMicroseconds = launch;
  return costs;
}

Recipe getRecipe(StringRef name) {
  llvm::Expected<Recipe> parsed = parseRecipe(findBuiltinRecipe(name), name);
  EXPECT_TRUE(bool(parsed));
  return std::move(*parsed);
}

Assignment choose(const Graph &graph, const Recipe &recipe,
                  const CostModel &model) {
  AssignmentInputs inputs;
  inputs.costs = &model;
  return assignPrecision(graph, classify(graph), recipe, *findTarget("sm_90a"),
                         inputs);
}

/// x W1, x W2, ..., each of M x K with K x N, where x leaves a norm.
struct Projections {
  GraphBuilder b;
  ValueId x = kNone;
  std::vector<ValueId> products;

  Projections(unsigned count, int64_t m, int64_t n, int64_t k) {
    ValueId input = b.argument(Origin::Input, {m, k}),
            gamma = b.argument(Origin::Parameter, {k});
    x = b.ops(Structure::Norm, {input, gamma}, {{m, k}, {m}})[0];
    for (unsigned i = 0; i < count; ++i) {
      ValueId w = b.argument(Origin::Parameter, {n, k});
      b.graph.values[w].isFrozen = true;
      products.push_back(b.matmul(x, w, m, n, k));
      b.ret(products.back());
    }
  }
};

/// Quantizing x costs more than one product gains and less than three do: what
/// thresholds for each contraction cannot see.
TEST(ChooseByCost, SharedQuantizationsArePaidOnce) {
  MachineModel costs = makeCosts(0);
  CostModel model(costs, nullptr);
  Recipe recipe = getRecipe("fp8-hybrid");
  // A product gains 1/2 of 2*M*N*K FLOP at 1e12 and half of reading it; x of
  // M*K elements takes 3 bytes each at 1e11.
  constexpr int64_t kM = 1024, kN = 16, kK = 1024;
  Projections one(1, kM, kN, kK), four(4, kM, kN, kK);
  Assignment alone = choose(one.b.graph, recipe, model),
             together = choose(four.b.graph, recipe, model);
  EXPECT_EQ(alone.uses[one.b.node(one.products[0])][0].format, Format::BF16);
  for (ValueId product : four.products)
    EXPECT_EQ(together.uses[four.b.node(product)][0].format, Format::E4M3);
  ASSERT_TRUE(together.costs && alone.costs);
  EXPECT_EQ(alone.costs->changed, 1u);
  EXPECT_LT(alone.costs->chosen, alone.costs->recipe);
  EXPECT_EQ(together.costs->changed, 0u);
  EXPECT_LT(together.costs->chosen, together.costs->local);
}

TEST(ChooseByCost, LaunchesDecideSmallSteps) {
  MachineModel costs = makeCosts(2);
  CostModel model(costs, nullptr);
  Step step = buildStep(2, /*withRoles=*/true);
  Assignment assignment =
      choose(step.builder.graph, getRecipe("fp8-hybrid"), model);
  for (ValueId value : step.projections) {
    NodeId node = step.builder.node(value);
    EXPECT_EQ(assignment.uses[node][0].format, Format::BF16);
    EXPECT_EQ(assignment.uses[node][0].rule.find("cost: with e4m3 x e4m3"), 0u);
  }
  EXPECT_TRUE(assignment.fallbacks.empty());
}

TEST(ChooseByCost, KeepsWinnersAndWhatTheyBeatWithTheirPrices) {
  MachineModel costs = makeCosts(0);
  CostModel model(costs, nullptr);
  Step step = buildStep(1, /*withRoles=*/true);
  Assignment assignment =
      choose(step.builder.graph, getRecipe("fp8-hybrid"), model);
  for (const ContractionChoice &choice : assignment.choices)
    for (auto [index, candidate] : llvm::enumerate(choice.candidates)) {
      bool isPermitted = candidate.veto == Veto::None;
      ASSERT_EQ(candidate.price.has_value(), isPermitted);
      if (!isPermitted)
        continue;
      EXPECT_GT(candidate.price->product, 0);
      EXPECT_FALSE(candidate.price->isMeasured);
      if (index == choice.winner)
        EXPECT_EQ(candidate.price->extra, 0);
      else
        EXPECT_GE(candidate.price->extra, 0);
    }
}

/// The head stays BF16 however fast FP8 is.
TEST(ChooseByCost, ChoosesAmongPermittedCandidatesOnly) {
  MachineModel costs = makeCosts(0);
  costs.flopsPerSecond[3] = 1e17;
  costs.bytesPerSecond = 1e14;
  CostModel model(costs, nullptr);
  Step step = buildStep(2, /*withRoles=*/true);
  Assignment assignment =
      choose(step.builder.graph, getRecipe("fp8-hybrid"), model);
  for (ValueId value : {step.logits, step.headGradient, step.dHead})
    EXPECT_EQ(assignment.uses[step.builder.node(value)][0].format,
              Format::BF16);
  for (ValueId value : step.projections)
    EXPECT_EQ(assignment.uses[step.builder.node(value)][0].format,
              Format::E4M3);
}

TEST(ChooseByCost, MeasuredTimesReplaceTheRoofline) {
  MachineModel costs = makeCosts(0);
  Projections p(1, 1024, 1024, 1024);
  Measurements measured;
  ContractionKey key{"fprop", 1024, 1024, 1024, 1, {"bf16", "bf16"}};
  measured.contractions[key] = {10, 0};
  CostModel half(costs, &measured);
  Recipe recipe = getRecipe("fp8-hybrid");
  Assignment modelled = choose(p.b.graph, recipe, half);
  EXPECT_EQ(modelled.costs->measured, 0u);
  EXPECT_EQ(modelled.uses[p.b.node(p.products[0])][0].format, Format::E4M3);

  key.formats = {"e4m3", "e4m3", "bf16", "tensor_current", "fast"};
  measured.contractions[key] = {11, 0};
  CostModel whole(costs, &measured);
  Assignment assignment = choose(p.b.graph, recipe, whole);
  EXPECT_EQ(assignment.costs->measured, 1u);
  EXPECT_EQ(assignment.uses[p.b.node(p.products[0])][0].format, Format::BF16);
  const ContractionChoice &choice = assignment.choices[0];
  EXPECT_DOUBLE_EQ(choice.getWinner()->price->product, 10);
  EXPECT_TRUE(choice.getWinner()->price->isMeasured);
}

/// What the step takes with given formats, added up the plain way: every tensor
/// once for each format and layout that anyone needs.
double addUp(const Projections &p, unsigned mask, const MachineModel &costs) {
  const Graph &graph = p.b.graph;
  double time = 0;
  std::set<ValueId> quantized;
  for (auto [i, product] : llvm::enumerate(p.products)) {
    const ContractionShape &s = graph.nodes[p.b.node(product)].shape;
    bool isFp8 = mask >> i & 1;
    double bytes = isFp8 ? 1 : 2;
    double computing = 2.0 * s.m * s.n * s.k / (isFp8 ? 2e12 : 1e12),
           moving = ((s.m + s.n) * s.k * bytes + s.m * s.n * 2.0) /
                    costs.bytesPerSecond;
    time += std::max(computing, moving) * 1e6 + costs.launchMicroseconds;
    ValueId x = graph.nodes[p.b.node(product)].operands[0];
    if (isFp8 && quantized.insert(x).second)
      time += 3.0 * s.m * s.k / costs.bytesPerSecond * 1e6 +
              costs.launchMicroseconds;
    // The norm writes x for its amax or for BF16 readers.
  }
  const GraphValue &x = graph.values[p.x];
  return time + 2.0 * double(x.getElements()) / costs.bytesPerSecond * 1e6;
}

TEST(ChooseByCost, EqualsBruteForceOnProjections) {
  // NOLINTNEXTLINE(bugprone-random-generator-seed): the same tests each time.
  std::mt19937 random{unsigned(std::mt19937::default_seed)};
  Recipe recipe = getRecipe("fp8-hybrid");
  for (unsigned round = 0; round < 100; ++round) {
    MachineModel costs = makeCosts(random() % 3);
    CostModel model(costs, nullptr);
    unsigned count = 1 + random() % 8;
    Projections p(count, 16 * (1 + random() % 64), 16 * (1 + random() % 8),
                  16 * (1 + random() % 64));
    Assignment assignment = choose(p.b.graph, recipe, model);
    double least = addUp(p, 0, costs);
    for (unsigned mask = 1; mask < 1u << count; ++mask)
      least = std::min(least, addUp(p, mask, costs));
    ASSERT_NEAR(assignment.costs->chosen, least, 1e-4) << "round " << round;
    ASSERT_EQ(assignment.costs->chosen, assignment.costs->bound);
  }
}

/// On random steps: never worse than the recipe or than local decisions.
TEST(ChooseByCost, NeverWorseThanTheRecipeOrLocalDecisions) {
  // NOLINTNEXTLINE(bugprone-random-generator-seed): the same tests each time.
  std::mt19937 random{unsigned(std::mt19937::default_seed)};
  for (StringRef name : {"fp8-hybrid", "fp8-rowwise", "fp8-block"}) {
    Recipe recipe = getRecipe(name);
    for (unsigned round = 0; round < 50; ++round) {
      MachineModel costs = makeCosts(double(random() % 100) / 100);
      costs.bytesPerSecond = 1e9 * double(1 + random() % 1000);
      CostModel model(costs, nullptr);
      Step step = buildStep(1 + random() % 4, /*withRoles=*/true);
      Assignment assignment = choose(step.builder.graph, recipe, model);
      ASSERT_LE(assignment.costs->chosen, assignment.costs->recipe);
      ASSERT_LE(assignment.costs->chosen, assignment.costs->local);
      ASSERT_EQ(assignment.costs->chosen, assignment.costs->bound);
    }
  }
}

} // namespace
