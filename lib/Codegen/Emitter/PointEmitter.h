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

#include "Codegen/Emitter/Expr.h"
#include "Codegen/Emitter/KernelBuilder.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {

class PointEmitter {
public:
  /// `inputs` and `results` are pointers to the dispatch's buffers.
  PointEmitter(KernelBuilder &kernel, sched::DispatchOp dispatch,
               ArrayRef<Value> inputs, ArrayRef<Value> results);

  /// The value of a body's tensor at a position of that tensor: a scalar, or a
  /// vector where the position has lanes; null once an error was reported.
  Value emit(Value tensor, ArrayRef<Digit> at);

  /// Says what `tensor` is at a position: a finished reduction.
  void bind(Value tensor, ArrayRef<Digit> at, Value value);

  /// Reads memory now, whatever was read before.
  Value loadFrom(Value base, Type element, ArrayRef<Digit> at);
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
  /// What the rounding that `tensor` is rounds at a position, in f32.
  Value emitUnrounded(Value tensor, ArrayRef<Digit> at);
  /// What a reduction adds at a position of its input, as accumulated, in all
  /// lanes.
  Value emitTerm(train::ReduceOp op, ArrayRef<Digit> at);
  /// The same of `source`, at a position of it: one that reshapes are behind.
  Value emitTerm(Value source, ArrayRef<Digit> at);
  /// A finished reduction: `sum` is its accumulator.
  void bindReduction(train::ReduceOp op, ArrayRef<Digit> at, Value sum);

  /// From now on positions are inside the piece `piece` of `concat`; nothing:
  /// inside any.
  void choosePiece(mlir::tensor::ConcatOp concat,
                   std::optional<unsigned> piece);

  /// Some value had to be built lane by lane: fewer lanes would do better.
  bool hasBrokenLanes() const { return brokenLanes; }

  Value getResultPointer(unsigned result) const { return results[result]; }
  KernelBuilder &getKernel() { return kernel; }
  sched::DispatchOp getDispatch() { return dispatch; }

private:
  LogicalResult storePart(unsigned result, ArrayRef<Digit> at, unsigned part,
                          unsigned parts, Value value);
  Value compute(Value tensor, ArrayRef<Digit> at);
  Value computeOp(Operation *op, ArrayRef<Digit> at);
  Value perLane(Value tensor, ArrayRef<Digit> at, bool isBroken = true);
  Value load(unsigned input, ArrayRef<Digit> at);
  Value broadcast(train::BroadcastOp op, ArrayRef<Digit> at);
  Value transpose(train::TransposeOp op, ArrayRef<Digit> at);
  Value slice(mlir::tensor::ExtractSliceOp op, ArrayRef<Digit> at);
  Value concat(mlir::tensor::ConcatOp op, ArrayRef<Digit> at);
  bool haveOneSource(mlir::tensor::ConcatOp op);
  Value iota(train::IotaOp op, ArrayRef<Digit> at);
  /// The position along its dimension; nothing: lanes are in no one row.
  std::optional<Digit> positionOf(train::IotaOp op, ArrayRef<Digit> at);
  Value gather(train::GatherOp op, ArrayRef<Digit> at);
  Value reduce(train::ReduceOp op, ArrayRef<Digit> at);
  Value constant(mlir::arith::ConstantOp op, ArrayRef<Digit> at);
  Value elementwise(Operation *op, ArrayRef<Digit> at);
  /// Where lanes subtract what all but one of a row have as zero; nothing: `op`
  /// is no such difference.
  std::optional<Value> subtractOneHot(mlir::arith::SubFOp op,
                                      ArrayRef<Digit> at);
  /// Where exponentials are divided by the sum of their row; nothing: `op` is
  /// no such division.
  std::optional<Value> divideByRowSum(mlir::arith::DivFOp op,
                                      ArrayRef<Digit> at);
  Value convert(Operation *op, ArrayRef<Digit> at);
  /// Between the formats that have fewer bits than f32, and f32: what a change
  /// of format makes of its operand before it rounds.
  Value scale(Operation *op, ArrayRef<Digit> at);

  /// Offset of a position with the alignment, in elements, that is known.
  struct Address {
    Value offset;
    int64_t divisor;
    int64_t laneStride; ///< 0: no lanes
  };
  Address address(ArrayRef<Digit> at);
  Value pointer(unsigned depth, Value base, Value offset, Type element);
  Expr expr(Value value);
  Expr expr(unsigned depth, Value value);
  InFlightDiagnostic unsupported(Operation *op);

  KernelBuilder &kernel;
  sched::DispatchOp dispatch;
  SmallVector<Value> inputs, results;
  /// Constants that are kept in memory.
  llvm::DenseMap<Operation *, Value> tables;
  llvm::DenseMap<Operation *, unsigned> chosenPieces;
  /// Of concatenations that were met: see haveOneSource.
  llvm::DenseMap<Operation *, bool> oneSource;
  bool brokenLanes = false;
};

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

/// Type of a tensor element in memory: i1 is a byte.
Type storageType(Type element);

inline RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

} // namespace prec

#endif // PREC_LIB_CODEGEN_EMITTER_POINTEMITTER_H
