//===- PointOneHot.cpp - differences in one element of a row --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x - (position == index ? c : 0) is x but for one position of a row, as in the
// gradient of a cross entropy. On a GPU the lanes of a thread would each
// compare and select. Instead the thread asks once whether the index lies in
// its lanes, and only then subtracts, in a branch that hardly any thread takes:
// there is one label in a row of logits. The result has the same bits, as x - 0
// is x.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/PointOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;

/// The positions of the comparison, and what they are compared with.
static std::pair<train::IotaOp, Value> findPosition(arith::CmpIOp compare) {
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  if (auto iota = lhs.getDefiningOp<train::IotaOp>())
    return {iota, rhs};
  return {rhs.getDefiningOp<train::IotaOp>(), lhs};
}

std::optional<Value> prec::subtractOneHot(PointEmitter &emitter,
                                          arith::SubFOp op,
                                          ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  int64_t lanes = lanesOf(at);
  auto select = op.getRhs().getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                        : arith::CmpIOp();
  // CPUs have lanes that compare.
  if (lanes == 1 || kernel.target != KernelTarget::Nvptx || !compare ||
      compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(select.getFalseValue(), m_PosZeroFloat()))
    return std::nullopt;
  auto [iota, indices] = findPosition(compare);
  std::optional<Digit> position =
      iota ? positionOf(emitter, iota, at) : std::nullopt;
  if (!position || position->lanes != lanes)
    return std::nullopt;
  Value index = emitter.emit(indices, at), x = emitter.emit(op.getLhs(), at),
        c = emitter.emit(select.getTrueValue(), at);
  if (!index || !x || !c)
    return Value();
  // One for all lanes.
  auto spreadIndex = index.getDefiningOp<vector::BroadcastOp>();
  if (!spreadIndex || isa<VectorType>(spreadIndex.getSource().getType()))
    return std::nullopt;
  index = spreadIndex.getSource();
  unsigned depth =
      std::max({kernel.depthOf(index), kernel.depthOf(position->value),
                kernel.depthOf(x), kernel.depthOf(c)});
  kernel.setLoc(op.getLoc());
  Expr first = emitter.expr(depth, position->value).convert(index.getType());
  Expr lane = emitter.expr(depth, index) - first;
  Value isHere = arith::CmpIOp::create(kernel.at(depth), kernel.loc(),
                                       arith::CmpIPredicate::ult, lane,
                                       lane.integer(lanes));
  auto subtract = [&](OpBuilder &b, Location loc) {
    auto type = VectorType::get(lanes, index.getType());
    SmallVector<Attribute> numbers;
    for (int64_t i = 0; i < lanes; ++i)
      numbers.push_back(IntegerAttr::get(index.getType(), i));
    Value all = arith::ConstantOp::create(
        b, loc, type, DenseElementsAttr::get(type, numbers));
    Value one = vector::BroadcastOp::create(b, loc, type, lane);
    Expr isOne = Expr(b, loc, one) == Expr(b, loc, all);
    Expr whole(b, loc, x);
    scf::YieldOp::create(b, loc,
                         Value(isOne.select(whole - Expr(b, loc, c), whole)));
  };
  auto leave = [&](OpBuilder &b, Location loc) {
    scf::YieldOp::create(b, loc, x);
  };
  return scf::IfOp::create(kernel.at(depth), kernel.loc(), isHere, subtract,
                           leave)
      .getResult(0);
}
