//===- MathFunctionsNvptx.cpp - functions by special instructions ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's `ex2.approx` and `rcp.approx` err by 2 ulp and flush what is
// subnormal (PTX ISA, section 9.7.3).
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/MathFunctions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace prec;

/// Applies an instruction on scalars to every lane.
static Expr forEachLane(Expr x, function_ref<Value(OpBuilder &, Value)> apply) {
  OpBuilder &b = x.getBuilder();
  Location loc = x.getLoc();
  auto vector = dyn_cast<VectorType>(x.getType());
  if (!vector)
    return Expr(b, loc, apply(b, x));
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane)
    lanes.push_back(apply(b, vector::ExtractOp::create(b, loc, x, lane)));
  return Expr(b, loc, vector::FromElementsOp::create(b, loc, vector, lanes));
}

Expr nvptx::exp2(Expr x) {
  return forEachLane(x, [&](OpBuilder &b, Value lane) -> Value {
    auto name = b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f");
    return LLVM::CallIntrinsicOp::create(b, x.getLoc(), b.getF32Type(), name,
                                         lane)
        .getResult(0);
  });
}

/// exp(x) = 2^h (1 + d), h the rounded x / ln2 and d = x - h ln2; for x of at
/// least -104, NaN, or less than what overflows. Of large x the rounding of ln2
/// shows.
static Expr expInRange(Expr x) {
  constexpr double ln2 = 0.693147180559945309;
  Expr h = x * (1 / ln2);
  Expr d = h.fma(x.constant(-ln2), x);
  Expr power = nvptx::exp2(h);
  return power.fma(d, power);
}

static Expr atLeast(Expr x, double low) {
  // The bound is no zero.
  return x.make<arith::MaximumFOp>(x, x.constant(low),
                                   arith::FastMathFlags::nsz);
}

Expr nvptx::expOfNonPositive(Expr x) { return expInRange(atLeast(x, -104.0)); }

Expr nvptx::coarseExp(Expr x) {
  constexpr double log2e = 1.44269504088896341;
  return nvptx::exp2(x * log2e);
}

Expr nvptx::exp(Expr x) {
  constexpr double largest = 88.7228317;
  Expr infinity = x.constant(std::numeric_limits<double>::infinity());
  Expr result = expInRange(atLeast(x, -104.0));
  return (x > largest).select(infinity, result);
}

Expr nvptx::quotient(Expr x, Expr y) {
  return x * forEachLane(y, [&](OpBuilder &b, Value lane) -> Value {
           return NVVM::RcpApproxFtzF32Op::create(b, y.getLoc(), b.getF32Type(),
                                                  lane);
         });
}

Expr nvptx::quotient(Expr x, Expr y, Expr reciprocal) {
  // From a rounded reciprocal one product and two fused steps get the quotient
  // that is correctly rounded, if the remainder does not underflow (Brisebarre,
  // Muller and Raina, IEEE Transactions on Computers 53, 2004): x is made
  // large.
  constexpr double large = 0x1p64;
  Expr scaled = x * large;
  Expr estimate = scaled * reciprocal;
  Expr rest = estimate.fma(-y, scaled);
  return rest.fma(reciprocal, estimate) * (1 / large);
}
