//===- CudaSdpaTest.cpp - attention on the GPU ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against attention in double on the same (rounded) inputs.
//
//===----------------------------------------------------------------------===//

#include "CudaTestModule.h"

#include <cmath>

using namespace prec::rt;
using namespace prec::rt::test;

namespace {
struct Shape {
  int64_t batch, heads, groups, queries, keys, dim;
  bool causal;
  DType dtype = DType::bf16;
  std::optional<int64_t> window = {};
  /// Sizes of a bias; none: there is none.
  std::vector<int64_t> bias = {};
  DType biasDType = DType::f32;

  int64_t firstSeen(int64_t query) const {
    return window ? std::max<int64_t>(0, query + 1 - *window) : 0;
  }
  /// Number of the bias of a score.
  size_t biasOf(int64_t head, int64_t query, int64_t key) const {
    int64_t b = bias[0] > 1 ? head / heads : 0,
            h = bias[1] > 1 ? head % heads : 0, i = bias[2] > 1 ? query : 0;
    return static_cast<size_t>(((b * bias[1] + h) * bias[2] + i) * bias[3] +
                               key);
  }
};

using Values = std::vector<double>;

struct Reference {
  Values o, lse, dq, dk, dv;
  /// Sum over keys of P |V|: what the rounding of P and of O scales with.
  Values magnitude;
};

Values widen(const std::vector<float> &values) {
  return Values(values.begin(), values.end());
}

Reference attention(const Shape &s, double scale, const Values &q,
                    const Values &k, const Values &v, const Values &dO,
                    const Values &bias) {
  Reference r;
  r.o.assign(q.size(), 0), r.dq.assign(q.size(), 0);
  r.magnitude.assign(q.size(), 0);
  r.dk.assign(k.size(), 0), r.dv.assign(k.size(), 0);
  r.lse.assign(static_cast<size_t>(s.batch * s.heads * s.queries), 0);
  for (int64_t head = 0; head < s.batch * s.heads; ++head) {
    int64_t group =
        head / s.heads * s.groups + head % s.heads / (s.heads / s.groups);
    for (int64_t i = 0; i < s.queries; ++i) {
      size_t row = static_cast<size_t>((head * s.queries + i) * s.dim);
      auto key = [&](int64_t j) {
        return static_cast<size_t>((group * s.keys + j) * s.dim);
      };
      int64_t visible = s.causal ? std::min(i + 1, s.keys) : s.keys;
      int64_t firstSeen = s.firstSeen(i);
      Values p(static_cast<size_t>(visible)), dp(p.size());
      double most = -INFINITY, sum = 0, delta = 0;
      for (int64_t j = 0; j < visible; ++j) {
        if (j < firstSeen)
          p[j] = -INFINITY;
        else if (!s.bias.empty())
          p[j] = bias[s.biasOf(head, i, j)];
        for (int64_t x = 0; x < s.dim; ++x)
          p[j] += scale * q[row + x] * k[key(j) + x];
        most = std::max(most, p[j]);
      }
      for (double score : p)
        sum += std::exp(score - most);
      r.lse[static_cast<size_t>(head * s.queries + i)] = most + std::log(sum);
      for (int64_t j = 0; j < visible; ++j) {
        p[j] = std::exp(p[j] - most) / sum;
        for (int64_t x = 0; x < s.dim; ++x) {
          r.o[row + x] += p[j] * v[key(j) + x];
          r.magnitude[row + x] += p[j] * std::abs(v[key(j) + x]);
          dp[j] += dO[row + x] * v[key(j) + x];
          r.dv[key(j) + x] += p[j] * dO[row + x];
        }
        delta += p[j] * dp[j];
      }
      for (int64_t j = 0; j < visible; ++j)
        for (int64_t x = 0; x < s.dim; ++x) {
          double ds = p[j] * (dp[j] - delta) * scale;
          r.dq[row + x] += ds * k[key(j) + x];
          r.dk[key(j) + x] += ds * q[row + x];
        }
    }
  }
  return r;
}

double relativeError(const std::vector<float> &got, const Values &expected) {
  double error = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += (got[i] - expected[i]) * (got[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(error / norm); // NaN where anything is: passes no bound
}

struct AttentionModule : Module {
  int q, k, v, o, lse, dO, dq, dk, dv, bias = -1;
  double scale;
  explicit AttentionModule(const Shape &s) {
    std::vector<int64_t> rows = {s.batch, s.heads, s.queries, s.dim};
    std::vector<int64_t> columns = {s.batch, s.groups, s.keys, s.dim};
    scale = 1 / std::sqrt(static_cast<double>(s.dim));
    q = add(s.dtype, rows), k = add(s.dtype, columns);
    v = add(s.dtype, columns), o = add(s.dtype, rows);
    lse = add(DType::f32, {s.batch, s.heads, s.queries});
    dO = add(s.dtype, rows), dq = add(s.dtype, rows);
    dk = add(s.dtype, columns), dv = add(s.dtype, columns);
    Sdpa sdpa;
    sdpa.q = q, sdpa.k = k, sdpa.v = v, sdpa.o = o, sdpa.lse = lse;
    sdpa.scale = scale;
    sdpa.causal = s.causal;
    sdpa.window = s.window;
    if (!s.bias.empty())
      sdpa.bias = bias = add(s.biasDType, s.bias);
    command(CommandKind::sdpaForward).sdpa = sdpa;
    sdpa.dO = dO, sdpa.dq = dq, sdpa.dk = dk, sdpa.dv = dv;
    command(CommandKind::sdpaBackward).sdpa = sdpa;
  }
};

/// Every third key is hidden by a bias.
void hideSomeKeys(const Shape &s, Values &bias) {
  for (size_t i = 0; i < bias.size(); ++i)
    if (i % static_cast<size_t>(s.keys) % 3 == 1)
      bias[i] = -0x1p126;
}

class CudaAttention : public CudaTest {
protected:
  void verify(const Shape &s) {
    AttentionModule module(s);
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    Values q = widen(uploadRandom(*device, module, module.q, 1));
    Values k = widen(uploadRandom(*device, module, module.k, 2));
    Values v = widen(uploadRandom(*device, module, module.v, 3));
    Values dO = widen(uploadRandom(*device, module, module.dO, 4));
    Values bias;
    if (!s.bias.empty()) {
      bias = widen(uploadRandom(*device, module, module.bias, 5));
      hideSomeKeys(s, bias);
      std::vector<float> values(bias.begin(), bias.end());
      int64_t count = static_cast<int64_t>(values.size());
      std::vector<unsigned char> bytes(values.size() * byteSize(s.biasDType));
      fromFloat(s.biasDType, values.data(), bytes.data(), count);
      check(device->upload(module.bias, bytes.data(),
                           static_cast<int64_t>(bytes.size())));
    }
    Reference expected = attention(s, module.scale, q, k, v, dO, bias);

    std::vector<std::vector<unsigned char>> first;
    for (int repeat = 0; repeat < 3; ++repeat) {
      check(device->run("step"));
      std::vector<std::vector<unsigned char>> now;
      for (int buffer : {module.o, module.lse, module.dq, module.dk, module.dv})
        now.push_back(downloadBytes(*device, module, buffer));
      if (repeat == 0)
        first = now;
      EXPECT_EQ(now, first) << "repeat " << repeat << " gave other bits";
    }

    // P rounds once and O once; a quarter for the order of f32 additions.
    double unit =
        s.dtype == DType::bf16 ? std::ldexp(1.0, -8) : std::ldexp(1.0, -11);
    std::vector<float> o = downloadFloats(*device, module, module.o);
    int failures = 0;
    for (size_t i = 0; i < o.size() && failures < 3; ++i)
      if (!(std::abs(o[i] - expected.o[i]) <=
            2.25 * unit * expected.magnitude[i])) {
        ++failures;
        ADD_FAILURE() << "o[" << i << "] " << o[i] << " expected "
                      << expected.o[i];
      }
    std::vector<float> lse = downloadFloats(*device, module, module.lse);
    for (size_t i = 0; i < lse.size(); ++i)
      ASSERT_NEAR(lse[i], expected.lse[i], 1e-4 * (1 + std::abs(lse[i]))) << i;
    // dP, P and dS round before they enter a product, and the result does.
    EXPECT_LT(
        relativeError(downloadFloats(*device, module, module.dq), expected.dq),
        4 * unit);
    EXPECT_LT(
        relativeError(downloadFloats(*device, module, module.dk), expected.dk),
        4 * unit);
    EXPECT_LT(
        relativeError(downloadFloats(*device, module, module.dv), expected.dv),
        4 * unit);
  }
};
} // namespace

TEST_F(CudaAttention, Causal) { verify({2, 4, 4, 128, 128, 64, true}); }
TEST_F(CudaAttention, SharedKeys) { verify({2, 8, 2, 128, 128, 64, true}); }
TEST_F(CudaAttention, WideHeads) { verify({1, 4, 2, 192, 192, 128, true}); }
TEST_F(CudaAttention, Full) { verify({1, 3, 3, 128, 192, 64, false}); }
TEST_F(CudaAttention, NarrowHeads) { verify({2, 4, 2, 64, 64, 32, true}); }
TEST_F(CudaAttention, OddLength) { verify({1, 2, 1, 100, 100, 64, true}); }
TEST_F(CudaAttention, Half) {
  verify({1, 2, 2, 128, 128, 64, true, DType::f16});
}

TEST_F(CudaAttention, Window) {
  verify({2, 4, 2, 192, 192, 64, true, DType::bf16, 33});
}
TEST_F(CudaAttention, WindowOfTwo) {
  verify({1, 2, 2, 128, 128, 64, true, DType::bf16, 2});
}
TEST_F(CudaAttention, BiasOfKeys) {
  verify({2, 4, 2, 128, 128, 64, false, DType::bf16, {}, {2, 1, 1, 128}});
}
TEST_F(CudaAttention, BiasOfKeysInBf16) {
  verify({2,
          4,
          4,
          100,
          100,
          64,
          false,
          DType::bf16,
          {},
          {2, 1, 1, 100},
          DType::bf16});
}
TEST_F(CudaAttention, BiasOfHeads) {
  verify({2, 4, 2, 128, 192, 64, false, DType::bf16, {}, {1, 4, 1, 192}});
}
TEST_F(CudaAttention, BiasOfQueries) {
  verify({2, 4, 2, 77, 77, 64, true, DType::bf16, {}, {2, 1, 77, 77}});
}
TEST_F(CudaAttention, BiasOfAll) {
  verify({2, 4, 2, 128, 128, 128, false, DType::bf16, {}, {2, 4, 128, 128}});
}
TEST_F(CudaAttention, BiasAndWindow) {
  verify({2, 4, 2, 192, 192, 64, true, DType::bf16, 40, {1, 1, 1, 192}});
}
TEST_F(CudaAttention, BiasOfHalf) {
  verify({2, 4, 2, 128, 128, 64, true, DType::f16, {}, {2, 1, 1, 128}});
}

TEST_F(CudaAttention, RefusalNamesTheShape) {
  AttentionModule module({1, 2, 2, 64, 64, 12, true});
  std::string message = refusal(module);
  EXPECT_NE(message.find("[1,2,64,12]"), std::string::npos) << message;
  EXPECT_NE(message.find("cuDNN"), std::string::npos) << message;
}
