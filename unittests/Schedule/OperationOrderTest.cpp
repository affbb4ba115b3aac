//===- OperationOrderTest.cpp - which operation comes first ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/OperationOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {

class OperationOrderTest : public testing::Test {
protected:
  OperationOrderTest() {
    context.loadDialect<arith::ArithDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    builder.setInsertionPointToEnd(module->getBody());
    for (int i = 0; i < 8; ++i)
      operations.push_back(create());
  }
  Operation *create() {
    return arith::ConstantIntOp::create(builder, builder.getUnknownLoc(), 0,
                                        32);
  }
  void expectOrder(const OperationOrder &order) {
    for (Operation &a : *module->getBody())
      for (Operation &b : *module->getBody())
        EXPECT_EQ(order.isBefore(&a, &b), a.isBeforeInBlock(&b));
  }

  MLIRContext context;
  OpBuilder builder{&context};
  OwningOpRef<ModuleOp> module;
  std::vector<Operation *> operations;
};

TEST_F(OperationOrderTest, FollowsWhatMovesAndWhatIsNew) {
  OperationOrder order(*module->getBody());
  expectOrder(order);
  operations[1]->moveAfter(operations[5]);
  order.place(operations[1]);
  operations[7]->moveBefore(operations[0]);
  order.place(operations[7]);
  builder.setInsertionPointToEnd(module->getBody());
  order.place(create());
  expectOrder(order);
}

TEST_F(OperationOrderTest, HasRoomForAnyNumberAtOnePlace) {
  OperationOrder order(*module->getBody());
  for (int i = 0; i < 100; ++i) {
    builder.setInsertionPointAfter(operations[3]);
    order.place(create());
  }
  expectOrder(order);
}

} // namespace
