//===- EarlyReads.cpp - reads ahead of what is computed -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves reads up in code that computes one row after the other, so that the
// reads of the next rows are under way while a row is computed. Each row begins
// with a mark. Reads of global memory of a row, with the address arithmetic
// that they need, move in front of the mark of an earlier row: as far up as the
// bytes that are under way stay below `kBytesAhead`, since they occupy
// registers until they are used. A read whose operands depend on something with
// side effects stays. The marks are erased at the end. This is right only where
// no row reads what another one writes; the caller answers for that. Time is
// linear in the code of the rows.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/EarlyReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

/// Of a thread, on their way in front of the row that is computed: as many
/// registers as a patch has at most.
static constexpr int64_t kBytesAhead = 128;

void EarlyReads::startRow() {
  marks.push_back(arith::ConstantIntOp::create(k.here(), k.loc(),
                                               k.here()->getI1Type(), 0));
}

/// Bytes that `op` reads of global memory, or 0.
static int64_t bytesRead(Operation *op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  if (!load ||
      cast<LLVM::LLVMPointerType>(load.getAddr().getType()).getAddressSpace() !=
          1)
    return 0;
  Type type = load.getType();
  auto vector = dyn_cast<VectorType>(type);
  int64_t bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return (vector ? vector.getNumElements() : 1) * bits / 8;
}

/// Adds what `op` needs of what comes behind `mark`, and itself; false if that
/// cannot move.
static bool collect(Operation *op, Operation *mark,
                    llvm::SetVector<Operation *> &moved) {
  if (op->getBlock() != mark->getBlock() || op->isBeforeInBlock(mark) ||
      moved.contains(op))
    return true;
  if (!isMemoryEffectFree(op) && !bytesRead(op))
    return false;
  for (Value operand : op->getOperands())
    if (Operation *definition = operand.getDefiningOp();
        definition && !collect(definition, mark, moved))
      return false;
  moved.insert(op);
  return true;
}

void EarlyReads::hoist(ArrayRef<Operation *> marks) {
  SmallVector<SmallVector<Operation *>> reads(marks.size());
  SmallVector<int64_t> bytes(marks.size());
  for (auto [row, mark] : llvm::enumerate(marks)) {
    Operation *end = row + 1 < marks.size() ? marks[row + 1] : nullptr;
    for (Operation *op = mark->getNextNode(); op != end; op = op->getNextNode())
      if (int64_t read = bytesRead(op)) {
        reads[row].push_back(op);
        bytes[row] += read;
      }
  }
  // The first row that still computes when a row is asked for.
  size_t from = 0;
  int64_t ahead = 0;
  for (size_t row = 0; row < marks.size(); ++row) {
    ahead += bytes[row];
    // The bytes of row 0 stay counted: they stand for those of the row that is
    // computed.
    while (from + 1 < row && ahead > kBytesAhead)
      ahead -= bytes[++from];
    for (Operation *read : reads[row]) {
      llvm::SetVector<Operation *> moved;
      if (collect(read, marks[from], moved))
        for (Operation *op : moved)
          op->moveBefore(marks[from]);
    }
  }
}

void EarlyReads::hoist() {
  ArrayRef<Operation *> rest = marks;
  while (!rest.empty()) {
    Block *block = rest.front()->getBlock();
    ArrayRef<Operation *> same = rest.take_while(
        [&](Operation *mark) { return mark->getBlock() == block; });
    hoist(same);
    rest = rest.drop_front(same.size());
  }
  for (Operation *mark : marks)
    mark->erase();
  marks.clear();
}
