//===- PointEmitter.h - values of a dispatch body at a position -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are written by pulling: a family decides which elements of the
// results it is at, and asks for their value; that asks for the operands at
// the positions they are needed at, down to loads. Nothing in between is
// stored.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_EMITTER_POINTEMITTER_H
#define PREC_LIB_CODEGEN_EMITTER_POINTEMITTER_H

#include "Codegen/Emitter/BufferAccess.h"
#include "Codegen/Emitter/Expr.h"
#include "Codegen/Emitter/KernelBuilder.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {

class PointEmitter;

/// Concatenations of a dispatch body, and which piece of one positions are in.
class ConcatPieces {
public:
  /// From now on positions are inside the piece `piece` of `concat`; nothing:
  /// inside any.
  void choose(mlir::tensor::ConcatOp concat, std::optional<unsigned> piece);
  Value emit(PointEmitter &emitter, mlir::tensor::ConcatOp op,
             ArrayRef<Digit> at);

private:
  bool haveOneSource(mlir::tensor::ConcatOp op);

  llvm::DenseMap<Operation *, unsigned> chosen;
  /// Of concatenations that were met: see haveOneSource.
  llvm::DenseMap<Operation *, bool> oneSource;
};

/// Constants of a dispatch body; those that are kept in memory have one table
/// each.
class ConstantTables {
public:
  Value emit(PointEmitter &emitter, mlir::arith::ConstantOp op,
             ArrayRef<Digit> at);
  /// The table of one that is no splat, in global memory, with zeros behind it
  /// up to `size` elements.
  Value create(PointEmitter &emitter, mlir::arith::ConstantOp op, int64_t size);
  /// From here on the table of `op` is at `memory`.
  void place(mlir::arith::ConstantOp op, Value memory) { tables[op] = memory; }

private:
  llvm::DenseMap<Operation *, Value> tables;
  unsigned numTables = 0;
};

class PointEmitter {
public:
  /// `inputs` and `results` are pointers to the dispatch's buffers.
  PointEmitter(KernelBuilder &kernel, sched::DispatchOp dispatch,
               ArrayRef<Value> inputs, ArrayRef<Value> results);

  /// The value of a body's tensor at a position of that tensor: a scalar, or a
  /// vector where the position has lanes; null once an error was reported.
  Value emit(Value tensor, ArrayRef<Digit> at);
  /// The same lane by lane: one that ends in the middle of a dimension, unless
  /// fewer lanes would do no better (`isBroken`).
  Value perLane(Value tensor, ArrayRef<Digit> at, bool isBroken = true);

  /// Says what `tensor` is at a position: a finished reduction.
  void bind(Value tensor, ArrayRef<Digit> at, Value value);

  /// Reads memory now, whatever was read before.
  Value loadFrom(Value base, Type element, ArrayRef<Digit> at) {
    return buffers.load(base, element, at);
  }
  /// Where an element of an input lies.
  Value pointerTo(BlockArgument input, ArrayRef<Digit> at);
  /// Gives a uniform value the lanes of a position.
  Value spread(Value value, ArrayRef<Digit> at);
  LogicalResult store(unsigned result, ArrayRef<Digit> at, Value value);
  /// Emits the yielded values, then stores them: results may replace inputs.
  /// Of one that is joined of parts with the position's elements, every part.
  LogicalResult emitResults(ArrayRef<unsigned> results, ArrayRef<Digit> at);
  /// An id that `op` sorts; one that is none must not leave a slot as the
  /// memory was, and counts as the last.
  Value emitId(train::SortIdsOp op, Digit position);
  /// What a reduction adds at a position of its input, as accumulated, in all
  /// lanes.
  Value emitTerm(train::ReduceOp op, ArrayRef<Digit> at);
  /// The same of `source`, at a position of it: one that reshapes are behind.
  Value emitTerm(Value source, ArrayRef<Digit> at);
  /// A finished reduction: `sum` is its accumulator.
  void bindReduction(train::ReduceOp op, ArrayRef<Digit> at, Value sum);

  /// See ConcatPieces::choose.
  void choosePiece(mlir::tensor::ConcatOp concat,
                   std::optional<unsigned> piece) {
    pieces.choose(concat, piece);
  }

  /// Some value had to be built lane by lane: fewer lanes would do better.
  bool hasBrokenLanes() const { return brokenLanes; }

  Value getResultPointer(unsigned result) const { return results[result]; }
  KernelBuilder &getKernel() { return kernel; }
  sched::DispatchOp getDispatch() { return dispatch; }
  ConcatPieces &getPieces() { return pieces; }
  ConstantTables &getConstants() { return constants; }
  /// For arithmetic where a value is computed, or at a depth of loops.
  Expr expr(Value value);
  Expr expr(unsigned depth, Value value);

private:
  LogicalResult storePart(unsigned result, ArrayRef<Digit> at, unsigned part,
                          unsigned parts, Value value);
  Value compute(Value tensor, ArrayRef<Digit> at);
  /// Of a reduction that was finished for several lanes at once, the one that
  /// `key` asks for; null where there is none.
  Value laneOfReduction(Value tensor, const KernelBuilder::Key &key);

  KernelBuilder &kernel;
  sched::DispatchOp dispatch;
  SmallVector<Value> inputs, results;
  BufferAccess buffers;
  ConcatPieces pieces;
  ConstantTables constants;
  /// Where reductions were finished for several lanes at once.
  llvm::DenseMap<Value, SmallVector<Position>> reducedVectors;
  bool brokenLanes = false;
};

/// The result of an operation of the body at a position of it (PointOps.h).
Value emitOp(PointEmitter &emitter, Operation *op, ArrayRef<Digit> at);

/// What the rounding that `tensor` is rounds at a position, in f32.
Value emitUnrounded(PointEmitter &emitter, Value tensor, ArrayRef<Digit> at);

/// Start value and step of a reduction, on values in registers (f32 or
/// integer). Sums start at zero; NaN never wins a maximum or minimum.
Value neutralElement(OpBuilder &builder, Location loc, train::ReduceKind kind,
                     Type type);
Value combine(OpBuilder &builder, Location loc, train::ReduceKind kind,
              Value lhs, Value rhs);
/// Folds the lanes of a vector in halves: one order on every target.
Value foldLanes(OpBuilder &builder, Location loc, train::ReduceKind kind,
                Value vector);

/// Type a reduction of `element` accumulates in.
Type accumulatorType(Type element);
/// Storage bits to accumulator and back.
Value toAccumulator(OpBuilder &builder, Location loc, Value value, Type element,
                    KernelTarget target);
Value fromAccumulator(OpBuilder &builder, Location loc, Value value,
                      Type element, KernelTarget target);

/// What `prec_train.scatter_add` makes of elements of a row, as stored, and of
/// the sums of their updates, as accumulated.
Value addToRow(OpBuilder &builder, Location loc, Value row, Value sum,
               Type element, KernelTarget target);

/// An f32 elementwise function that is expanded, or null.
Value expandMath(OpBuilder &builder, Operation *op, ValueRange operands,
                 KernelTarget target);

/// Whether `tensor` is, but for its shape, rounded from f32 to fewer bits in
/// the end.
bool isRounded(Value tensor);

} // namespace prec

#endif // PREC_LIB_CODEGEN_EMITTER_POINTEMITTER_H
