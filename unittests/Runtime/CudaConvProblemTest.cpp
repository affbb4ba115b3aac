//===- CudaConvProblemTest.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conv.h"

#include <gtest/gtest.h>

using namespace prec::rt;

static ConvProblem problemOf(const std::string &direction) {
  Manifest manifest;
  manifest.buffers = {{Segment::workspace, 0, DType::bf16, {2, 9, 8}},
                      {Segment::workspace, 0, DType::f32, {6, 3, 4}},
                      {Segment::workspace, 0, DType::f16, {2, 5, 6}}};
  Command command{};
  command.kind = CommandKind::conv;
  command.conv = {direction, 0, 1, 2, {2}, {1}, {1}, {1}, 2};
  return ConvProblem::of(command, manifest);
}

TEST(CudaConvProblem, ALineIsAPlane) {
  ConvProblem problem = problemOf("fprop");
  EXPECT_EQ(problem.dimensions, 2u);
  EXPECT_EQ(problem.text(),
            "conv fprop of 2 x [1, 9] with 8 channels by [1, 3] to 6, strides "
            "[1, 2], zeros [0, 1] and [0, 1], dilations [1, 1], groups 2, bf16 "
            "to f16");
}

TEST(CudaConvProblem, ADirectionSaysWhatIsRead) {
  EXPECT_EQ(problemOf("dgrad").operands, DType::f16);
  EXPECT_EQ(problemOf("dgrad").result, DType::bf16);
  EXPECT_EQ(problemOf("wgrad").operands, DType::f16);
  EXPECT_EQ(problemOf("wgrad").result, DType::f32);
  EXPECT_NE(problemOf("dgrad").text(), problemOf("wgrad").text());
}
