//===- CudaSdpaProblemTest.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sdpa.h"

#include <gtest/gtest.h>

using namespace prec::rt;

namespace {
struct Case {
  Manifest manifest;
  Command command{};
};

Case attention(CommandKind kind) {
  Case result;
  std::vector<int64_t> q = {2, 8, 128, 64}, k = {2, 4, 96, 64};
  for (const std::vector<int64_t> &shape : {q, k, k, q})
    result.manifest.buffers.push_back(
        {Segment::workspace, 0, DType::bf16, shape});
  result.manifest.buffers.push_back(
      {Segment::workspace, 0, DType::f32, {2, 8, 128}});
  for (const std::vector<int64_t> &shape : {q, q, k, k})
    result.manifest.buffers.push_back(
        {Segment::workspace, 0, DType::bf16, shape});
  result.command.kind = kind;
  Sdpa &sdpa = result.command.sdpa;
  sdpa.q = 0, sdpa.k = 1, sdpa.v = 2, sdpa.o = 3, sdpa.lse = 4;
  if (kind == CommandKind::sdpaBackward)
    sdpa.dO = 5, sdpa.dq = 6, sdpa.dk = 7, sdpa.dv = 8;
  sdpa.scale = 0.125;
  sdpa.causal = true;
  return result;
}
} // namespace

TEST(CudaSdpaProblem, ReadsTheShape) {
  Case given = attention(CommandKind::sdpaBackward);
  Result<SdpaProblem> problem = SdpaProblem::of(given.command, given.manifest);
  ASSERT_TRUE(problem.ok()) << problem.status().message();
  EXPECT_EQ(problem->text(),
            "sdpa_backward q [2,8,128,64] k, v [2,4,96,64] bf16, scale 0.125, "
            "causal, deterministic");
  Case forward = attention(CommandKind::sdpaForward);
  problem = SdpaProblem::of(forward.command, forward.manifest);
  ASSERT_TRUE(problem.ok()) << problem.status().message();
  EXPECT_EQ(problem->text(), "sdpa_forward q [2,8,128,64] k, v [2,4,96,64] "
                             "bf16, scale 0.125, causal");
}

TEST(CudaSdpaProblem, ReadsStrides) {
  Case given = attention(CommandKind::sdpaForward);
  given.manifest.buffers[2].shape = {192, 768};
  given.command.sdpa.views["v"] = {{2, 4, 96, 64}, {73728, 64, 768, 1}, 512};
  Result<SdpaProblem> problem = SdpaProblem::of(given.command, given.manifest);
  ASSERT_TRUE(problem.ok()) << problem.status().message();
  std::map<std::string, std::array<int64_t, 4>> expected = {
      {"v", {73728, 64, 768, 1}}};
  EXPECT_EQ(problem->strides, expected);
  EXPECT_EQ(problem->text(),
            "sdpa_forward q [2,8,128,64] k, v [2,4,96,64] bf16, scale 0.125, "
            "causal, strides of v [73728,64,768,1]");
}

TEST(CudaSdpaProblem, ReadsStridesOfEveryOperand) {
  Case given = attention(CommandKind::sdpaBackward);
  std::map<std::string, std::array<int64_t, 4>> expected;
  for (const char *name : {"q", "k", "v", "o", "do", "dq", "dk", "dv"}) {
    bool isKey = std::string(name).find_first_of("kv") != std::string::npos;
    std::vector<int64_t> shape = {2, isKey ? 4 : 8, isKey ? 96 : 128, 64};
    std::vector<int64_t> strides = {shape[1] * shape[2] * 64, 64, shape[1] * 64,
                                    1};
    given.command.sdpa.views[name] = {shape, strides, 0};
    std::copy(strides.begin(), strides.end(), expected[name].begin());
  }
  Result<SdpaProblem> problem = SdpaProblem::of(given.command, given.manifest);
  ASSERT_TRUE(problem.ok()) << problem.status().message();
  EXPECT_EQ(problem->strides, expected);
}

TEST(CudaSdpaProblem, ReadsAWindow) {
  Case given = attention(CommandKind::sdpaForward);
  given.command.sdpa.window = 17;
  Result<SdpaProblem> problem = SdpaProblem::of(given.command, given.manifest);
  ASSERT_TRUE(problem.ok()) << problem.status().message();
  EXPECT_EQ(problem->window, 17);
  EXPECT_NE(problem->text().find(", causal, window 17"), std::string::npos);
}

TEST(CudaSdpaProblem, ReadsABias) {
  struct Bias {
    std::vector<int64_t> shape;
    std::array<int64_t, 4> dims, strides;
  };
  // One bias for all queries is read again for each, by a stride of 0: of a
  // size of 1, cuDNN's gradients are wrong.
  const std::vector<Bias> biases = {
      {{2, 8, 128, 96}, {2, 8, 128, 96}, {98304, 12288, 96, 1}},
      {{1, 1, 128, 96}, {1, 1, 128, 96}, {12288, 12288, 96, 1}},
      {{2, 1, 1, 96}, {2, 1, 128, 96}, {96, 0, 0, 1}},
      {{1, 8, 1, 96}, {1, 8, 128, 96}, {768, 96, 0, 1}},
      {{1, 1, 1, 96}, {1, 1, 128, 96}, {96, 0, 0, 1}}};
  for (CommandKind kind : {CommandKind::sdpaForward, CommandKind::sdpaBackward})
    for (const Bias &bias : biases)
      for (DType dtype : {DType::f32, DType::bf16}) {
        Case given = attention(kind);
        given.command.sdpa.bias =
            static_cast<int>(given.manifest.buffers.size());
        given.manifest.buffers.push_back(
            {Segment::workspace, 0, dtype, bias.shape});
        Result<SdpaProblem> problem =
            SdpaProblem::of(given.command, given.manifest);
        ASSERT_TRUE(problem.ok()) << problem.status().message();
        ASSERT_TRUE(problem->bias);
        EXPECT_EQ(problem->bias->dtype, dtype);
        EXPECT_EQ(problem->bias->dims, bias.dims);
        EXPECT_EQ(problem->bias->strides, bias.strides);
        EXPECT_NE(problem->text().find(", bias ["), std::string::npos);
      }
}

TEST(CudaSdpaProblem, RefusesBiasesThatDoNotFit) {
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
           {2, 8, 128}, {2, 8, 128, 95}, {3, 1, 1, 96}, {1, 4, 1, 96}}) {
    Case given = attention(CommandKind::sdpaForward);
    given.command.sdpa.bias = static_cast<int>(given.manifest.buffers.size());
    given.manifest.buffers.push_back(
        {Segment::workspace, 0, DType::f32, shape});
    Result<SdpaProblem> problem =
        SdpaProblem::of(given.command, given.manifest);
    ASSERT_FALSE(problem.ok());
    EXPECT_NE(problem.status().message().find("a bias in f32 or bf16"),
              std::string::npos)
        << problem.status().message();
  }
  Case given = attention(CommandKind::sdpaForward);
  given.command.sdpa.bias = 3;
  Result<SdpaProblem> problem = SdpaProblem::of(given.command, given.manifest);
  ASSERT_FALSE(problem.ok());
  EXPECT_NE(problem.status().message().find("a bias in f32 or bf16"),
            std::string::npos);
}

TEST(CudaSdpaProblem, RefusesStridesThatCuDnnDoesNotTake) {
  std::vector<StridedView> refused = {{{2, 4, 96, 64}, {24576, 6144, 64, 1}, 4},
                                      {{2, 4, 96, 64}, {24580, 6144, 64, 1}, 0},
                                      {{2, 4, 96, 64}, {24576, 6148, 64, 1}, 0},
                                      {{2, 4, 96, 64}, {24576, 6144, 68, 1}, 0},
                                      {{2, 4, 96, 64}, {24576, 6144, 1, 96}, 0},
                                      {{2, 4, 96, 64}, {6144, 64, 1}, 0}};
  for (const StridedView &view : refused) {
    Case given = attention(CommandKind::sdpaForward);
    given.command.sdpa.views["v"] = view;
    Result<SdpaProblem> problem =
        SdpaProblem::of(given.command, given.manifest);
    ASSERT_FALSE(problem.ok());
    EXPECT_NE(problem.status().message().find("multiples of 16 bytes"),
              std::string::npos);
  }
}

TEST(CudaSdpaProblem, RefusesBuffersThatDisagree) {
  for (size_t buffer = 0; buffer < 9; ++buffer)
    for (bool changeShape : {false, true}) {
      Case given = attention(CommandKind::sdpaBackward);
      Buffer &changed = given.manifest.buffers[buffer];
      if (changeShape)
        changed.shape[2] += 8;
      else
        changed.dtype = DType::f8E5M2;
      Result<SdpaProblem> problem =
          SdpaProblem::of(given.command, given.manifest);
      ASSERT_FALSE(problem.ok())
          << "buffer " << buffer << " shape " << changeShape;
      EXPECT_EQ(problem.status().message().rfind("attention ", 0), 0u)
          << problem.status().message();
    }
}

TEST(CudaSdpaProblem, RefusesHeadsThatGroupsDoNotDivide) {
  Case given = attention(CommandKind::sdpaForward);
  given.manifest.buffers[1].shape[1] = given.manifest.buffers[2].shape[1] = 3;
  Result<SdpaProblem> problem = SdpaProblem::of(given.command, given.manifest);
  ASSERT_FALSE(problem.ok());
  EXPECT_NE(problem.status().message().find("multiple"), std::string::npos);
}

TEST(CudaSdpaProblem, RefusesF32) {
  Case given = attention(CommandKind::sdpaForward);
  for (int i = 0; i < 4; ++i)
    given.manifest.buffers[static_cast<size_t>(i)].dtype = DType::f32;
  Result<SdpaProblem> problem = SdpaProblem::of(given.command, given.manifest);
  ASSERT_FALSE(problem.ok());
  EXPECT_NE(problem.status().message().find("bf16 or f16"), std::string::npos);
}
