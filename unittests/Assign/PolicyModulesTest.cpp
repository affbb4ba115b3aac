//===- PolicyModulesTest.cpp - contractions as a benchmark's modules ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classify.h"
#include "prec/Assign/PolicyModules.h"

#include "GraphBuilder.h"

#include "gtest/gtest.h"

#include <map>

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

constexpr int64_t T = 96, D = 64, F = 160, V = 128;

/// A transformer layer around a builder, forward only.
struct Model {
  GraphBuilder b;
  ValueId stream;

  Model() { stream = b.argument(Origin::Input, {T, D}); }

  ValueId weight(int64_t k, int64_t n) {
    return b.argument(Origin::Parameter, {k, n});
  }
  ValueId norm(ValueId x, int64_t d = D) {
    ValueId gamma = b.argument(Origin::Parameter, {d});
    return b.ops(Structure::Norm, {x, gamma}, {{T, d}, {T}})[0];
  }
  ValueId linear(ValueId x, ValueId w) {
    int64_t k = b.graph.values[w].shape[0], n = b.graph.values[w].shape[1];
    return b.matmul(x, w, T, n, k);
  }
  ValueId attention(ValueId q, ValueId k, ValueId v) {
    auto heads = [&](ValueId x) { return b.layout(x, {1, 4, T, D / 4}); };
    ValueId out = b.ops(Structure::Attention, {heads(q), heads(k), heads(v)},
                        {{1, 4, T, D / 4}, {1, 4, T}})[0];
    return b.layout(out, {T, D});
  }
  void addToStream(ValueId x) { stream = b.add(stream, x); }
  /// Head and loss, so that the stream is one.
  void finish() {
    ValueId logits = linear(norm(stream), weight(D, V));
    ValueId ids = b.argument(Origin::Input, {T});
    b.graph.values[ids].isFloatTensor = false;
    ValueId loss = b.ops(Structure::Loss, {logits, ids}, {{}, {T}})[0];
    b.graph.values[loss].isLoss = true;
    b.ret(loss);
  }

  std::map<ValueId, PolicyModule> find() {
    std::map<ValueId, PolicyModule> found;
    for (PolicyModule &module : findPolicyModules(b.graph, classify(b.graph)))
      found.emplace(module.weight, std::move(module));
    return found;
  }
};

std::string print(const std::map<ValueId, PolicyModule> &modules,
                  ValueId weight) {
  auto it = modules.find(weight);
  if (it == modules.end())
    return "no module";
  return it->second.key ? printModuleKey(*it->second.key) : "no name";
}

TEST(PolicyModules, LayerOfALlama) {
  Model m;
  ValueId q = m.weight(D, D), k = m.weight(D, D), v = m.weight(D, D),
          o = m.weight(D, D), gate = m.weight(D, F), up = m.weight(D, F),
          down = m.weight(F, D);
  for (int layer = 0; layer < 2; ++layer) {
    ValueId x = m.norm(m.stream);
    auto rope = [&](ValueId value) {
      return m.b.op(Structure::Rotary, {value}, {T, D});
    };
    m.addToStream(m.linear(
        m.attention(rope(m.linear(x, q)), rope(m.linear(x, k)), m.linear(x, v)),
        o));
    ValueId y = m.norm(m.stream);
    m.addToStream(
        m.linear(m.b.mul(m.b.map(m.linear(y, gate)), m.linear(y, up)), down));
  }
  m.finish();
  auto modules = m.find();
  for (ValueId weight : {q, k, v})
    EXPECT_EQ(print(modules, weight), "layernorm_column/qkv tp=1");
  for (ValueId weight : {gate, up})
    EXPECT_EQ(print(modules, weight), "layernorm_column/fc1 tp=1");
  EXPECT_EQ(print(modules, o), "row/proj tp=1");
  EXPECT_EQ(print(modules, down), "row/fc2 tp=1");
  EXPECT_EQ(modules.size(), 7u) << "the head has no module";
  EXPECT_EQ(modules.at(down).tokens, T);
  EXPECT_EQ(modules.at(down).contractions.size(), 2u) << "shared by two layers";
}

/// GPT-2: one weight for Q, K and V, biases, a plain activation.
TEST(PolicyModules, FusedQkvWithBiases) {
  Model m;
  ValueId qkv = m.weight(D, 3 * D), o = m.weight(D, D), fc = m.weight(D, F),
          proj = m.weight(F, D);
  auto bias = [&](ValueId x, int64_t n) {
    ValueId vector = m.b.argument(Origin::Parameter, {n});
    return m.b.op(Structure::Elementwise, {x, m.b.layout(vector, {T, n})},
                  {T, n}, ArithAdd);
  };
  ValueId x = bias(m.linear(m.norm(m.stream), qkv), 3 * D);
  m.addToStream(
      bias(m.linear(m.attention(m.b.layout(x, {T, D}), m.b.layout(x, {T, D}),
                                m.b.layout(x, {T, D})),
                    o),
           D));
  m.addToStream(bias(
      m.linear(m.b.map(bias(m.linear(m.norm(m.stream), fc), F)), proj), D));
  m.finish();
  auto modules = m.find();
  EXPECT_EQ(print(modules, qkv), "layernorm_column/qkv tp=1");
  EXPECT_EQ(print(modules, o), "row/proj tp=1");
  EXPECT_EQ(print(modules, fc), "layernorm_column/fc1 tp=1");
  EXPECT_EQ(print(modules, proj), "row/fc2 tp=1");
}

/// Qwen3: queries and keys are normed on their way to attention; that makes no
/// down-projections of them.
TEST(PolicyModules, NormedQueriesAndKeys) {
  Model m;
  ValueId q = m.weight(D, D), k = m.weight(D, D), v = m.weight(D, D),
          o = m.weight(D, D);
  ValueId x = m.norm(m.stream);
  m.addToStream(m.linear(m.attention(m.norm(m.linear(x, q)),
                                     m.norm(m.linear(x, k)), m.linear(x, v)),
                         o));
  m.finish();
  auto modules = m.find();
  for (ValueId weight : {q, k, v})
    EXPECT_EQ(print(modules, weight), "layernorm_column/qkv tp=1");
}

/// DeepSeek's latent attention: down, norm, up, for queries and for keys and
/// values, whose rotary part goes straight to attention.
TEST(PolicyModules, LatentAttention) {
  Model m;
  constexpr int64_t R = 32;
  ValueId qDown = m.weight(D, R), qUp = m.weight(R, D),
          kvDown = m.weight(D, 48), kvUp = m.weight(R, 2 * D),
          o = m.weight(D, D);
  ValueId x = m.norm(m.stream);
  ValueId q = m.linear(m.norm(m.linear(x, qDown), R), qUp);
  ValueId compressed = m.linear(x, kvDown);
  ValueId latent = m.b.layout(compressed, {T, R});
  ValueId rotary =
      m.b.op(Structure::Rotary, {m.b.layout(compressed, {T, 16})}, {T, 16});
  ValueId kv = m.linear(m.norm(latent, R), kvUp);
  ValueId k =
      m.b.op(Structure::Layout, {m.b.layout(kv, {T, 48}), rotary}, {T, D});
  m.addToStream(m.linear(m.attention(q, k, m.b.layout(kv, {T, D})), o));
  m.finish();
  auto modules = m.find();
  EXPECT_EQ(print(modules, qDown), "duplicated/q_down_proj tp=1");
  EXPECT_EQ(print(modules, kvDown), "duplicated/kv_down_proj tp=1");
  EXPECT_EQ(print(modules, qUp), "layernorm_column/q_up_proj tp=1");
  EXPECT_EQ(print(modules, kvUp), "layernorm_column/kv_up_proj tp=1");
  EXPECT_EQ(print(modules, o), "row/proj tp=1");
}

/// Experts read gathered rows; their products are grouped, whatever fed them.
TEST(PolicyModules, Experts) {
  Model m;
  constexpr int64_t E = 8, C = 24;
  ValueId up = m.b.argument(Origin::Parameter, {E, D, F}),
          down = m.b.argument(Origin::Parameter, {E, F, D});
  ValueId rows = m.b.op(Structure::Gather, {m.norm(m.stream)}, {E, C, D});
  auto product = [&](ValueId x, ValueId w, int64_t n, int64_t k) {
    ValueId y = m.b.op(Structure::Contraction, {x, w}, {E, C, n});
    m.b.graph.nodes.back().shape = {C, n, k, E};
    return y;
  };
  ValueId y = product(m.b.map(product(rows, up, F, D)), down, D, F);
  m.addToStream(m.b.op(Structure::ScatterAdd, {y}, {T, D}));
  m.finish();
  auto modules = m.find();
  EXPECT_EQ(print(modules, up), "column_grouped etp=1 num_gemms=8");
  EXPECT_EQ(print(modules, down), "row_grouped etp=1 num_gemms=8");
  EXPECT_EQ(modules.at(up).tokens, E * C);
}

/// Groups of rows, each of which meets a matrix: as many tokens as rows.
TEST(PolicyModules, GroupsOfRows) {
  Model m;
  constexpr int64_t E = 8, R = 2 * T;
  ValueId up = m.b.argument(Origin::Parameter, {E, F, D}),
          down = m.b.argument(Origin::Parameter, {E, D, F});
  ValueId ends = m.b.argument(Origin::Input, {E});
  m.b.graph.values[ends].isFloatTensor = false;
  ValueId rows = m.b.op(Structure::Gather, {m.norm(m.stream)}, {R, D});
  auto product = [&](ValueId x, ValueId w, int64_t n, int64_t k) {
    ValueId y = m.b.op(Structure::Contraction, {x, w, ends}, {R, n});
    m.b.graph.nodes.back().shape = {R, n, k, 1};
    m.b.graph.nodes.back().isGrouped = true;
    return y;
  };
  ValueId y = product(m.b.map(product(rows, up, F, D)), down, D, F);
  m.addToStream(m.b.op(Structure::ScatterAdd, {y}, {T, D}));
  m.finish();
  auto modules = m.find();
  EXPECT_EQ(print(modules, up), "column_grouped etp=1 num_gemms=8");
  EXPECT_EQ(print(modules, down), "row_grouped etp=1 num_gemms=8");
  EXPECT_EQ(modules.at(up).tokens, R);
}

/// Patches of an image: no norm before, no attention right behind.
TEST(PolicyModules, WhatHasNoName) {
  Model m;
  ValueId patch = m.weight(D, D), first = m.weight(D, F),
          second = m.weight(F, D);
  ValueId pixels = m.b.argument(Origin::Input, {T, D});
  m.addToStream(m.linear(pixels, patch));
  m.addToStream(m.linear(m.b.map(m.linear(pixels, first)), second));
  m.finish();
  auto modules = m.find();
  EXPECT_EQ(print(modules, patch), "no name");
  EXPECT_EQ(print(modules, first), "column/fc1 tp=1");
  EXPECT_EQ(print(modules, second), "row/fc2 tp=1");
}

/// The backward contractions of a whole step belong to the module of their
/// weight, with and without roles.
TEST(PolicyModules, BackwardBelongsToTheWeight) {
  for (bool withRoles : {true, false}) {
    constexpr unsigned kLayers = 3;
    Step step = buildStep(kLayers, withRoles);
    const Graph &graph = step.builder.graph;
    std::vector<PolicyModule> modules =
        findPolicyModules(graph, classify(graph));
    ASSERT_EQ(modules.size(), kLayers);
    for (unsigned i = 0; i < kLayers; ++i) {
      // buildStep lists backward values from the last layer on.
      unsigned back = kLayers - 1 - i;
      EXPECT_EQ(printModuleKey(*modules[i].key), "layernorm_column/fc1 tp=1");
      std::vector<NodeId> nodes(modules[i].contractions.begin(),
                                modules[i].contractions.end());
      EXPECT_EQ(nodes,
                (std::vector<NodeId>{step.builder.node(step.projections[i]),
                                     step.builder.node(step.wgrads[back]),
                                     step.builder.node(step.dgrads[back])}))
          << i;
    }
  }
}

} // namespace
