//===- OrderFormulas.cpp - one order for what computes alone --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are written as C++ expressions such as `a(k) + b(k)`, and C++ leaves
// open which operand of an expression is built first: compilers differ, so the
// operations that they build have different orders, and with them the machine
// code. This pass gives them the one order that follows from the data flow.
//
// Operations that touch memory, have regions or end a block stay where they
// are, and the operations without effects between two of them, a run, stay
// between these two: kernels read ahead of what they compute on purpose. Within
// a run the operation that is used first comes first, with what it needs in
// front of it, an operation's first operand before its second. For
//
//   %x = mul %p, %q
//   %c = constant 2
//   %a = add %r, %c
//   store %a, %x
//
// the order is constant, add, mul, store, in whatever order the three before
// the store were built. "First" is known where all that follows has its order
// already, so blocks are walked from their ends. Operations without effects
// that nothing uses are erased.
//
//===----------------------------------------------------------------------===//
#include "prec/Codegen/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace prec {
#define GEN_PASS_DEF_ORDERFORMULAS
#include "prec/Codegen/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// Whether an operation computes results from operands and does nothing else.
static bool isFormula(Operation &op) {
  return op.getNumRegions() == 0 && !op.hasTrait<OpTrait::IsTerminator>() &&
         isMemoryEffectFree(&op);
}

namespace {
/// Orders the blocks of one region; those of regions within it are ordered.
class Order {
public:
  void run(Region &region) {
    for (Block &block : llvm::reverse(region)) {
      SmallVector<Operation *> run; // last one first
      Operation *anchor = nullptr;  // behind the run
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        if (!isFormula(op)) {
          order(run, anchor);
          run.clear();
          anchor = &op;
          rankWithRegions(op);
        } else if (op.use_empty()) {
          op.erase();
        } else {
          run.push_back(&op);
        }
      }
      order(run, anchor);
    }
  }

private:
  /// The first use of a result by an operation behind its run.
  struct Use {
    int64_t rank;
    unsigned operand;
    Operation *op;
    bool operator<(const Use &other) const {
      return std::pair(-rank, operand) < std::pair(-other.rank, other.operand);
    }
  };

  void order(ArrayRef<Operation *> run, Operation *anchor) {
    open.clear();
    open.insert_range(run);
    SmallVector<Use> uses;
    for (Operation *op : run) {
      std::optional<Use> first;
      for (OpOperand &use : op->getUses())
        if (auto it = ranks.find(use.getOwner()); it != ranks.end()) {
          Use next = {it->second, use.getOperandNumber(), op};
          if (!first || next < *first)
            first = next;
        }
      if (first)
        uses.push_back(*first);
    }
    llvm::sort(uses);
    SmallVector<Operation *> ordered;
    for (const Use &use : uses)
      placeWithOperands(use.op, ordered);
    for (Operation *op : ordered)
      op->moveBefore(anchor);
    for (Operation *op : llvm::reverse(ordered))
      ranks[op] = next++;
  }

  void placeWithOperands(Operation *root,
                         SmallVectorImpl<Operation *> &ordered) {
    if (!open.erase(root))
      return;
    /// Operations on the way to one that is placed, and the next operand.
    SmallVector<std::pair<Operation *, unsigned>> path = {{root, 0}};
    while (!path.empty()) {
      auto &[op, operand] = path.back();
      if (operand == op->getNumOperands()) {
        ordered.push_back(op);
        path.pop_back();
        continue;
      }
      if (Operation *needed = op->getOperand(operand++).getDefiningOp();
          needed && open.erase(needed))
        path.push_back({needed, 0});
    }
  }

  void rankWithRegions(Operation &anchor) {
    SmallVector<Operation *> ops;
    anchor.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      ranks[op] = next++;
  }

  /// Higher for what comes earlier; of operations that have their place.
  DenseMap<Operation *, int64_t> ranks;
  int64_t next = 0;
  /// Operations of the run that have no place yet.
  DenseSet<Operation *> open;
};

struct OrderFormulas : prec::impl::OrderFormulasBase<OrderFormulas> {
  using OrderFormulasBase::OrderFormulasBase;
  void runOnOperation() override {
    getOperation().walk<WalkOrder::PostOrder>([](Operation *op) {
      for (Region &region : op->getRegions())
        Order().run(region);
    });
  }
};
} // namespace
