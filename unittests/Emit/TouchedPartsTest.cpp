//===- TouchedPartsTest.cpp - what a kernel needs of its inputs -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Emit/TouchedParts.h"

#include "prec/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {

/// Of the one input of a dispatch of `body`, as first, length, stride, count;
/// none if it is all of it.
std::vector<int64_t> findParts(StringRef input, StringRef body,
                               StringRef result) {
  MLIRContext context;
  DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  std::string text =
      ("func.func @f(%x: " + input + ") -> " + result +
       " {\n%0 = prec_sched.dispatch <elementwise> \"f\"(%x) {inplace = "
       "array<i64: -1>} : (" +
       input + ") -> " + result + " {\n^bb0(%a: " + input + "):\n" + body +
       "\nprec_sched.yield %r : " + result + "\n}\nreturn %0 : " + result +
       "\n}")
          .str();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  std::vector<int64_t> found;
  if (module)
    module->walk([&](sched::DispatchOp dispatch) {
      if (std::optional<Runs> runs = findTouchedParts(dispatch).front())
        found = {runs->first, runs->length, runs->stride, runs->count};
    });
  return found;
}

using Numbers = std::vector<int64_t>;

TEST(TouchedParts, OfAnElementwiseResultAreAll) {
  EXPECT_EQ(findParts("tensor<4x6xf32>", "%r = arith.negf %a : tensor<4x6xf32>",
                      "tensor<4x6xf32>"),
            Numbers());
}

TEST(TouchedParts, OfASliceOfColumnsAreRunsOfRows) {
  EXPECT_EQ(findParts("tensor<4x6xf32>",
                      "%n = arith.negf %a : tensor<4x6xf32>\n"
                      "%r = tensor.extract_slice %n[0, 2] [4, 3] [1, 1] : "
                      "tensor<4x6xf32> to tensor<4x3xf32>",
                      "tensor<4x3xf32>"),
            (Numbers{2, 3, 6, 4}));
}

TEST(TouchedParts, OfNeighboringSlicesAreJoined) {
  StringRef body = R"(
    %p = tensor.extract_slice %a[0, 1] [4, 2] [1, 1] : tensor<4x6xf32> to tensor<4x2xf32>
    %q = tensor.extract_slice %a[0, 3] [4, 2] [1, 1] : tensor<4x6xf32> to tensor<4x2xf32>
    %r = tensor.concat dim(1) %q, %p : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>)";
  EXPECT_EQ(findParts("tensor<4x6xf32>", body, "tensor<4x4xf32>"),
            (Numbers{1, 4, 6, 4}));
}

TEST(TouchedParts, OfHeadsThatLieBetweenOthersAreRunsOfHeads) {
  StringRef body = R"(
    %e = tensor.expand_shape %a [[0], [1, 2]] output_shape [4, 2, 6] : tensor<4x12xf32> into tensor<4x2x6xf32>
    %s = tensor.extract_slice %e[0, 0, 2] [4, 2, 2] [1, 1, 1] : tensor<4x2x6xf32> to tensor<4x2x2xf32>
    %r = prec_train.transpose %s permutation [1, 0, 2] : (tensor<4x2x2xf32>) -> tensor<2x4x2xf32>)";
  EXPECT_EQ(findParts("tensor<4x12xf32>", body, "tensor<2x4x2xf32>"),
            (Numbers{2, 2, 6, 8}));
}

TEST(TouchedParts, StayRunsThroughACollapsedShape) {
  StringRef body = R"(
    %c = tensor.collapse_shape %a [[0], [1, 2]] : tensor<4x2x6xf32> into tensor<4x12xf32>
    %r = tensor.extract_slice %c[0, 6] [4, 3] [1, 1] : tensor<4x12xf32> to tensor<4x3xf32>)";
  EXPECT_EQ(findParts("tensor<4x2x6xf32>", body, "tensor<4x3xf32>"),
            (Numbers{6, 3, 12, 4}));
}

TEST(TouchedParts, OfRowsAreOneRun) {
  StringRef body = R"(
    %s = tensor.extract_slice %a[1, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
    %r = prec_train.reduce sum %s dims [1] : (tensor<2x6xf32>) -> tensor<2xf32>)";
  EXPECT_EQ(findParts("tensor<4x6xf32>", body, "tensor<2xf32>"),
            (Numbers{6, 12, 24, 1}));
}

TEST(TouchedParts, OfATableAreAsManyRowsAsIds) {
  StringRef body = R"(
    %i = arith.constant dense<1> : tensor<2xi32>
    %r = prec_train.gather %a, %i : (tensor<16x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>)";
  EXPECT_EQ(findParts("tensor<16x4xf32>", body, "tensor<2x4xf32>"),
            (Numbers{0, 8, 64, 1}));
}

TEST(TouchedParts, OfASliceOfBothDimensionsAreRunsOfSomeRows) {
  EXPECT_EQ(findParts("tensor<4x6xf32>",
                      "%r = tensor.extract_slice %a[1, 1] [2, 2] [1, 1] : "
                      "tensor<4x6xf32> to tensor<2x2xf32>",
                      "tensor<2x2xf32>"),
            (Numbers{7, 2, 6, 2}));
}

TEST(TouchedParts, RunsWithinRunsAreOneEach) {
  EXPECT_EQ(findParts("tensor<3x4x6xf32>",
                      "%r = tensor.extract_slice %a[0, 1, 1] [3, 2, 2] "
                      "[1, 1, 1] : tensor<3x4x6xf32> to tensor<3x2x2xf32>",
                      "tensor<3x2x2xf32>"),
            (Numbers{7, 8, 24, 3}));
}

TEST(TouchedParts, WhatIsNoRunsIsAllBetween) {
  StringRef body = R"(
    %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 6, 6] : tensor<12x6xf32> into tensor<2x6x6xf32>
    %r = tensor.extract_slice %e[0, 2, 1] [2, 2, 2] [1, 1, 1] : tensor<2x6x6xf32> to tensor<2x2x2xf32>)";
  EXPECT_EQ(findParts("tensor<12x6xf32>", body, "tensor<2x2x2xf32>"),
            (Numbers{13, 44, 72, 1}));
}

} // namespace
