//===- MatchTest.cpp - small questions about graphs -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Match.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/InitAll.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {

class MatchTest : public testing::Test {
protected:
  MatchTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                     tensor::TensorDialect, train::TrainDialect>();
  }

  /// Parses the body of a function of %x and %t; results go by their position.
  func::FuncOp parse(StringRef body) {
    std::string text =
        ("func.func @f(%x: tensor<4x8xf32>, %t: tensor<4x4xf32>) {\n" + body +
         "\nreturn }")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return *module->getOps<func::FuncOp>().begin();
  }
  Value value(func::FuncOp function, unsigned index) {
    return std::next(function.front().begin(), index)->getResult(0);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(MatchTest, SkipsLayout) {
  auto f = parse(R"(
    %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    %1 = prec_train.broadcast %0 dims [1] : (tensor<32xf32>) -> tensor<2x32xf32>
    %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [2, 4, 8] : tensor<2x32xf32> into tensor<2x4x8xf32>
  )");
  EXPECT_EQ(skipLayout(value(f, 2)), f.getArgument(0));
  EXPECT_EQ(skipReshapes(value(f, 2)), value(f, 1));
  EXPECT_EQ(skipReshapes(value(f, 0)), f.getArgument(0));
}

TEST_F(MatchTest, Splats) {
  auto f = parse(R"(
    %0 = arith.constant dense<2.5> : tensor<f32>
    %1 = prec_train.broadcast %0 dims [] : (tensor<f32>) -> tensor<4xf32>
    %2 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %3 = arith.constant dense<-100> : tensor<4xi32>
    %4 = arith.constant dense<true> : tensor<4xi1>
  )");
  EXPECT_EQ(getSplat(value(f, 1)), 2.5);
  EXPECT_EQ(getSplat(value(f, 2)), std::nullopt);
  EXPECT_EQ(getSplat(value(f, 3)), -100.0);
  EXPECT_EQ(getSplat(value(f, 4)), 1.0);
  EXPECT_EQ(getSplat(f.getArgument(0)), std::nullopt);
}

TEST_F(MatchTest, Squares) {
  auto f = parse(R"(
    %two = arith.constant dense<2.0> : tensor<4x8xf32>
    %0 = arith.mulf %x, %x : tensor<4x8xf32>
    %1 = arith.divf %0, %two : tensor<4x8xf32>
    %2 = math.powf %x, %two : tensor<4x8xf32>
    %3 = arith.mulf %0, %2 : tensor<4x8xf32>
  )");
  EXPECT_EQ(getSquared(value(f, 2)), f.getArgument(0));
  EXPECT_EQ(getSquared(value(f, 3)), f.getArgument(0));
  EXPECT_FALSE(getSquared(value(f, 4)));
}

TEST_F(MatchTest, EqualHalves) {
  auto f = parse(R"(
    %k = arith.constant dense<2.0> : tensor<4x8xf32>
    %0 = tensor.concat dim(1) %t, %t : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    %1 = math.cos %0 : tensor<4x8xf32>
    %2 = arith.mulf %k, %1 : tensor<4x8xf32>
    %3 = math.sin %t : tensor<4x4xf32>
    %4 = tensor.concat dim(1) %t, %3 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    %5 = arith.mulf %1, %0 : tensor<4x8xf32>
    %6 = tensor.concat dim(0) %t, %t : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  )");
  EXPECT_TRUE(hasEqualHalves(value(f, 3)));
  EXPECT_FALSE(hasEqualHalves(value(f, 5)));
  EXPECT_FALSE(hasEqualHalves(value(f, 6)));
  EXPECT_FALSE(hasEqualHalves(value(f, 7)));
  EXPECT_FALSE(hasEqualHalves(f.getArgument(0)));

  Halves halves;
  Value doubled = value(f, 3);
  Value half = halves.get(doubled);
  EXPECT_EQ(halves.get(doubled), half);
  EXPECT_TRUE(isa<arith::MulFOp>(half.getDefiningOp()));
  EXPECT_EQ(cast<RankedTensorType>(half.getType()).getShape(),
            (ArrayRef<int64_t>{4, 4}));
  EXPECT_TRUE(isa<tensor::ExtractSliceOp>(
      halves.get(f.getArgument(0)).getDefiningOp()));
  EXPECT_TRUE(succeeded(module->verify()));
}

TEST_F(MatchTest, Reshapes) {
  auto f = parse("");
  OpBuilder builder = OpBuilder::atBlockBegin(&f.front());
  Value x = f.getArgument(0);
  EXPECT_EQ(reshape(builder, f.getLoc(), x, {4, 8}), x);
  EXPECT_TRUE(isa<tensor::CollapseShapeOp>(
      reshape(builder, f.getLoc(), x, {32}).getDefiningOp()));
  EXPECT_TRUE(isa<tensor::ExpandShapeOp>(
      reshape(builder, f.getLoc(), x, {4, 1, 2, 4}).getDefiningOp()));
  // Neither finer nor coarser: through one dimension.
  Value other = reshape(builder, f.getLoc(), x, {8, 4});
  EXPECT_EQ(cast<RankedTensorType>(other.getType()).getShape(),
            (ArrayRef<int64_t>{8, 4}));
  EXPECT_TRUE(succeeded(module->verify()));
}

TEST_F(MatchTest, ErasesWhatOnlyTheDeadRead) {
  auto f = parse(R"(
    %0 = arith.mulf %x, %x : tensor<4x8xf32>
    %1 = math.exp %0 : tensor<4x8xf32>
    %2 = arith.addf %1, %0 : tensor<4x8xf32>
    %3 = math.cos %x : tensor<4x8xf32>
  )");
  eraseDeadFrom(value(f, 2).getDefiningOp());
  EXPECT_EQ(f.front().getOperations().size(), 2u);
  eraseDead(f.front());
  EXPECT_EQ(f.front().getOperations().size(), 1u);
}

} // namespace
