//===- AlgebraTest.cpp - normal forms -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Algebra.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {

constexpr AxisSet kRow = 1, kColumn = 2, kBoth = 3;

/// Leaves need tensors only to be told apart, and pieces do that.
class AlgebraTest : public testing::Test {
protected:
  Poly leaf(unsigned name, AxisSet axes = kBoth) {
    return algebra.leaf(Value(), name, axes);
  }
  Poly times(const Poly &a, const Poly &b) { return *algebra.multiply(a, b); }
  Poly plus(const Poly &a, const Poly &b) { return *algebra.add(a, b); }
  Poly minus(const Poly &a, const Poly &b) { return *algebra.subtract(a, b); }
  Poly power(const Poly &a, double e) { return *algebra.power(a, e); }
  Poly sum(const Poly &a, AxisSet over) { return *algebra.sum(a, over); }
  Poly exp(const Poly &a) { return *algebra.apply("math.exp", a); }
  Poly log(const Poly &a) { return *algebra.apply("math.log", a); }

  Algebra algebra{ArrayRef<int64_t>{4, 8}};
  Poly x = leaf(0), y = leaf(1), r = leaf(2, kRow), c = leaf(3, kColumn);
};

TEST_F(AlgebraTest, SumsAndProductsCommute) {
  EXPECT_TRUE(
      Algebra::equal(times(x, plus(y, r)), plus(times(r, x), times(y, x))));
  EXPECT_FALSE(Algebra::equal(times(x, y), times(x, x)));
  EXPECT_TRUE(minus(plus(x, y), plus(y, x)).empty());
}

TEST_F(AlgebraTest, RoundedConstantsCancel) {
  double third = 1.0f / 3;
  EXPECT_TRUE(minus(algebra.scale(algebra.scale(x, third), 3), x).empty());
  EXPECT_FALSE(minus(algebra.scale(x, 1.001), x).empty());
}

TEST_F(AlgebraTest, PowersOfSumsMeet) {
  Poly u = plus(sum(times(x, x), kColumn), Algebra::constant(0.5));
  Poly inverseRoot = power(u, -0.5);
  EXPECT_TRUE(Algebra::equal(power(power(u, 0.5), -1), inverseRoot));
  EXPECT_TRUE(
      Algebra::equal(times(inverseRoot, power(u, -1)), power(inverseRoot, 3)));
  // A common factor leaves a power.
  EXPECT_TRUE(Algebra::equal(power(algebra.scale(u, 4), -0.5),
                             algebra.scale(inverseRoot, 0.5)));
}

TEST_F(AlgebraTest, ARootOfASquareIsNoProduct) {
  EXPECT_FALSE(Algebra::equal(power(times(x, x), 0.5), x));
  EXPECT_FALSE(
      Algebra::equal(power(power(plus(x, y), -2), 0.5), power(plus(x, y), -1)));
}

TEST_F(AlgebraTest, ZeroHasNoInverse) {
  EXPECT_FALSE(algebra.power(Poly(), -1));
}

TEST_F(AlgebraTest, SumsAreLinear) {
  EXPECT_TRUE(Algebra::equal(sum(plus(times(r, x), y), kColumn),
                             plus(times(r, sum(x, kColumn)), sum(y, kColumn))));
  EXPECT_TRUE(Algebra::equal(sum(r, kColumn), algebra.scale(r, 8)));
  EXPECT_TRUE(
      Algebra::equal(sum(Algebra::constant(1), kBoth), Algebra::constant(32)));
}

TEST_F(AlgebraTest, SumsInTwoStepsAreOne) {
  EXPECT_TRUE(Algebra::equal(sum(sum(x, kColumn), kRow), sum(x, kBoth)));
  EXPECT_TRUE(Algebra::equal(sum(sum(x, kRow), kColumn), sum(x, kBoth)));
  EXPECT_FALSE(Algebra::equal(sum(x, kRow), sum(x, kColumn)));
}

TEST_F(AlgebraTest, SumsGoAroundWhatVaries) {
  // sum_ij r_i x_ij c_j is one sum, sum_ij r_i x_ij is one around another.
  Poly all = times(times(r, x), c), row = times(r, x), column = times(c, x);
  EXPECT_TRUE(Algebra::equal(sum(all, kBoth), sum(sum(all, kRow), kColumn)));
  EXPECT_TRUE(
      Algebra::equal(sum(row, kBoth), sum(times(r, sum(x, kColumn)), kRow)));
  EXPECT_TRUE(Algebra::equal(sum(row, kBoth), sum(sum(row, kRow), kColumn)));
  EXPECT_TRUE(
      Algebra::equal(sum(column, kBoth), sum(sum(column, kColumn), kRow)));
  EXPECT_FALSE(Algebra::equal(sum(row, kBoth), sum(column, kBoth)));
  EXPECT_TRUE(Algebra::equal(sum(times(r, c), kBoth),
                             times(sum(r, kRow), sum(c, kColumn))));
}

TEST_F(AlgebraTest, SignsAreOfTermsOrAssumed) {
  Poly square = times(x, x);
  Poly variance = minus(sum(square, kColumn), power(sum(x, kColumn), 2));
  EXPECT_TRUE(algebra.isNonnegative(square));
  EXPECT_FALSE(algebra.isNonnegative(x));
  EXPECT_FALSE(algebra.isNonnegative(variance));
  algebra.assumeNonnegative(variance);
  EXPECT_TRUE(algebra.isNonnegative(algebra.scale(variance, 3)));
  EXPECT_FALSE(algebra.isNonnegative(algebra.scale(variance, -1)));
  // What is not negative may be 0.
  EXPECT_FALSE(algebra.isZero(variance)->empty());
  algebra.assumeNonzero(variance);
  EXPECT_TRUE(algebra.isZero(variance)->empty());
  EXPECT_TRUE(algebra.isZero(algebra.scale(variance, -2))->empty());
  EXPECT_FALSE(algebra.isZero(plus(variance, x))->empty());
}

TEST_F(AlgebraTest, ACentredTensorSumsToZero) {
  Poly mean = algebra.scale(sum(x, kColumn), 1.0f / 8);
  EXPECT_TRUE(sum(minus(x, mean), kColumn).empty());
}

TEST_F(AlgebraTest, VarianceInOnePassAndTwo) {
  Poly mean = algebra.scale(sum(x, kColumn), 0.125);
  Poly centered = minus(x, mean);
  Poly two = algebra.scale(sum(times(centered, centered), kColumn), 0.125);
  Poly one =
      minus(algebra.scale(sum(times(x, x), kColumn), 0.125), times(mean, mean));
  EXPECT_TRUE(Algebra::equal(one, two));
}

TEST_F(AlgebraTest, ShiftsOfRowsLeaveASoftmax) {
  auto softmax = [&](const Poly &e) {
    return times(e, power(sum(e, kColumn), -1));
  };
  EXPECT_TRUE(Algebra::equal(softmax(exp(x)), softmax(exp(minus(x, r)))));
  EXPECT_FALSE(Algebra::equal(softmax(exp(x)), softmax(exp(minus(x, c)))));
  Poly lse = log(sum(exp(x), kColumn));
  EXPECT_TRUE(Algebra::equal(softmax(exp(x)), exp(minus(x, lse))));
  EXPECT_TRUE(
      Algebra::equal(lse, plus(log(sum(exp(minus(x, r)), kColumn)), r)));
}

TEST_F(AlgebraTest, ALogarithmOfASignedTensorStays) {
  EXPECT_FALSE(Algebra::equal(log(times(x, y)), plus(log(x), log(y))));
  EXPECT_TRUE(Algebra::equal(log(exp(times(x, y))), times(x, y)));
}

TEST_F(AlgebraTest, AConstantThatOverflowsIsNotRaisedToE) {
  EXPECT_FALSE(algebra.apply("math.exp", plus(x, Algebra::constant(1000))));
}

TEST_F(AlgebraTest, Comparisons) {
  EXPECT_TRUE(Algebra::equal(*algebra.isZero(minus(x, y)),
                             *algebra.isZero(minus(y, x))));
  EXPECT_FALSE(
      Algebra::equal(*algebra.isZero(plus(x, Algebra::constant(100))),
                     *algebra.isZero(plus(x, Algebra::constant(101)))));
  // Columns of the largest vocabularies are told apart.
  EXPECT_FALSE(
      Algebra::equal(*algebra.isZero(plus(x, Algebra::constant(256000))),
                     *algebra.isZero(plus(x, Algebra::constant(256001)))));
  // Beyond, neighbors would be taken for equal.
  EXPECT_FALSE(algebra.isZero(plus(x, Algebra::constant(1000000))));
  // What is nothing stays nothing.
  EXPECT_FALSE(algebra.sum(algebra.isZero(plus(x, Algebra::constant(1000000))),
                           kColumn));
  EXPECT_EQ(Algebra::asConstant(*algebra.isZero(Poly())), 1.0);
}

TEST_F(AlgebraTest, LargeExpressionsAreGivenUp) {
  Poly total;
  std::optional<Poly> result = total;
  for (unsigned i = 0; i < 2 * Algebra::kMaxTerms && result; ++i)
    result = algebra.add(*result, leaf(10 + i));
  EXPECT_FALSE(result);
}

TEST_F(AlgebraTest, Dependence) {
  Poly u = power(plus(sum(times(x, y), kColumn), Algebra::constant(1)), -0.5);
  EXPECT_TRUE(algebra.dependsOn(u, y.front().factors.front().atom));
  EXPECT_FALSE(algebra.dependsOn(u, c.front().factors.front().atom));
  EXPECT_EQ(algebra.axesOf(u), kRow);
}

} // namespace
