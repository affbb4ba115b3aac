//===- RegionTest.cpp - values of a graph as expressions ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExprRegion.h"

#include "prec/Dialect/Train/Train.h"
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

class RegionTest : public testing::Test {
protected:
  RegionTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                     tensor::TensorDialect, train::TrainDialect>();
  }

  void parse(StringRef signature, StringRef body) {
    std::string text =
        ("func.func @f(" + signature + ") {\n" + body + "\nreturn }").str();
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    function = *module->getOps<func::FuncOp>().begin();
  }
  Value result(unsigned index) {
    return std::next(function.front().begin(), index)->getResult(0);
  }
  ExprRegion makeRegion(ExprRegion::LastDim lastDim, AxisSet leaves) {
    auto type = cast<RankedTensorType>(function.getArgument(0).getType());
    ExprRegion region(type, lastDim, leaves);
    EXPECT_TRUE(region.bind(function.getArgument(0)));
    region.close();
    return region;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

TEST_F(RegionTest, FollowsLayout) {
  parse("%x: tensor<2x1x3x8xf32>", R"(
    %0 = tensor.collapse_shape %x [[0, 1, 2], [3]] : tensor<2x1x3x8xf32> into tensor<6x8xf32>
    %1 = prec_train.reduce sum %0 dims [1] : (tensor<6x8xf32>) -> tensor<6xf32>
    %2 = prec_train.broadcast %1 dims [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %3 = arith.mulf %0, %2 : tensor<6x8xf32>
    %4 = prec_train.transpose %0 permutation [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
  )");
  ExprRegion region = makeRegion(ExprRegion::LastDim::Whole, 0);
  Algebra &algebra = region.getAlgebra();
  const Poly &x = *region.lookupPoly(function.getArgument(0));
  ASSERT_TRUE(region.lookupPoly(result(3)));
  EXPECT_TRUE(Algebra::equal(*region.lookupPoly(result(3)),
                             *algebra.multiply(x, *algebra.sum(x, 4))));
  EXPECT_EQ(region.lookup(result(1))->layout, (Layout{{0, 1}}));
  EXPECT_FALSE(region.lookup(result(4)));
}

TEST_F(RegionTest, SquareShapesAreToldApartByDimension) {
  parse("%x: tensor<8x8xf32>", R"(
    %0 = prec_train.reduce sum %x dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    %1 = prec_train.broadcast %0 dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    %2 = prec_train.broadcast %0 dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %3 = arith.mulf %x, %1 : tensor<8x8xf32>
    %4 = arith.mulf %x, %2 : tensor<8x8xf32>
  )");
  ExprRegion region = makeRegion(ExprRegion::LastDim::Whole, 3);
  EXPECT_TRUE(region.lookup(result(3)));
  EXPECT_FALSE(region.lookup(result(4)));
}

TEST_F(RegionTest, ForeignTensorsAreLeavesOnlyWhereAllowed) {
  parse("%x: tensor<4x8xf32>, %c: tensor<8xf32>, %r: tensor<4xf32>, %z: "
        "tensor<4x8xf32>",
        R"(
    %0 = prec_train.broadcast %c dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %1 = prec_train.broadcast %r dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %2 = arith.mulf %x, %0 : tensor<4x8xf32>
    %3 = arith.mulf %x, %1 : tensor<4x8xf32>
    %4 = arith.mulf %x, %z : tensor<4x8xf32>
  )");
  ExprRegion region = makeRegion(ExprRegion::LastDim::Whole, 2);
  EXPECT_TRUE(region.lookup(result(2)));
  EXPECT_FALSE(region.lookup(result(3)));
  EXPECT_FALSE(region.lookup(result(4)));
  EXPECT_EQ(*region.getLeafLayout(function.getArgument(1)), (Layout{{1}}));
}

TEST_F(RegionTest, HalvesAreCutAndJoined) {
  parse("%x: tensor<4x8xf32>", R"(
    %0 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %1 = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %2 = tensor.concat dim(1) %1, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    %3 = arith.addf %x, %2 : tensor<4x8xf32>
    %4 = tensor.extract_slice %x[0, 2] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  )");
  ExprRegion region = makeRegion(ExprRegion::LastDim::Halves, 0);
  const Expr *sum = region.lookup(result(3));
  ASSERT_TRUE(sum);
  ASSERT_EQ(sum->pieces.size(), 2u);
  EXPECT_TRUE(Algebra::equal(sum->pieces[0], sum->pieces[1]));
  EXPECT_FALSE(region.lookup(result(4)));
}

TEST_F(RegionTest, IndicesAndTruthValues) {
  parse("%x: tensor<4x8xf32>, %l: tensor<4xi32>", R"(
    %0 = prec_train.iota dim 0 : tensor<8xi32>
    %1 = prec_train.broadcast %0 dims [1] : (tensor<8xi32>) -> tensor<4x8xi32>
    %2 = prec_train.broadcast %l dims [0] : (tensor<4xi32>) -> tensor<4x8xi32>
    %3 = arith.cmpi eq, %2, %1 : tensor<4x8xi32>
    %4 = arith.cmpi ne, %1, %2 : tensor<4x8xi32>
    %5 = arith.select %4, %x, %x : tensor<4x8xi1>, tensor<4x8xf32>
    %6 = arith.extsi %3 : tensor<4x8xi1> to tensor<4x8xi32>
  )");
  auto type = cast<RankedTensorType>(function.getArgument(0).getType());
  ExprRegion region(type, ExprRegion::LastDim::Whole, 0);
  ASSERT_TRUE(region.bind(function.getArgument(0)));
  ASSERT_TRUE(region.bindRows(function.getArgument(1)));
  region.close();
  ASSERT_TRUE(region.lookup(result(3)) && region.lookup(result(4)));
  auto both = region.getAlgebra().add(*region.lookupPoly(result(3)),
                                      *region.lookupPoly(result(4)));
  EXPECT_TRUE(Algebra::equal(*both, Algebra::constant(1)));
  EXPECT_TRUE(Algebra::equal(*region.lookupPoly(result(5)),
                             *region.lookupPoly(function.getArgument(0))));
  // A signed truth value is -1.
  EXPECT_FALSE(region.lookup(result(6)));
}

} // namespace
