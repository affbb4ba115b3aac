//===- MemoryPlan.h - where values of a planned module live -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a step module's segments follows from the signatures of its
// functions alone, so that --prec-plan-memory, --prec-verify-schedule and Emit
// agree.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_SCHEDULE_MEMORYPLAN_H
#define PREC_SCHEDULE_MEMORYPLAN_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace prec {

/// Of every placement: what vector loads and library calls want at most.
inline constexpr int64_t kPlacementAlignment = 256;

/// Bytes of a dense tensor; an i1 takes a byte.
int64_t getByteSize(Type tensorType);

/// Of an argument that lies directly behind another: the number of that one.
inline constexpr llvm::StringLiteral kBehind = "prec_sched.behind";

/// Where in the bytes of its first operand the result of `op` begins, if it is
/// a view of its operands' bytes: a reshape, or a slice that is one piece and
/// placed as whole values are (kPlacementAlignment), or one element, placed as
/// a scale must be (kScaleAlignment) if a library call reads it.
std::optional<int64_t> getViewOffset(Operation *op);

/// Whether `op` joins pieces that lie one behind the other, each placed as
/// whole values are: in a scheduled function it moves no bytes. Pieces are
/// computed where they belong, and then by nobody but the join read, or they
/// are arguments that lie so (kBehind).
bool isJoin(Operation *op);

/// The value that has the bytes of `value`, looking through views. It may be a
/// join, the bytes of which are those of its pieces.
Value getStorageRoot(Value value);

/// The values that have the bytes of a storage root: its pieces if it is a
/// join, itself if not.
SmallVector<Value, 1> getPieces(Value root);

/// Where the pieces of a storage root are if it is at `place`.
SmallVector<sched::PlacementAttr, 1>
getPiecePlacements(Value root, sched::PlacementAttr place);

/// The functions of a module that are graphs (train::isGraph): @step, then the
/// others in module order. Ids and segments follow this order.
SmallVector<mlir::func::FuncOp> getScheduledFunctions(ModuleOp module);

/// The segment of an argument, by its role.
sched::Segment getSegment(mlir::func::FuncOp function, unsigned argument);

/// Places of the arguments and results of all functions of a module.
///
/// Arguments of roles `batch`, `hyper` and `switches` are in `input`, those of
/// role `staged_parameter` at the start of `workspace`, which they leave before
/// anything else runs, all others in `state`; arguments of different functions
/// with one name
/// (`prec_train.path` and `prec_train.slot`) are the same bytes. A result goes
/// to the argument that it is donated to, or that has its name in @step; other
/// results are in `output`, one place a name. Within a segment the order is
/// that of getScheduledFunctions and their signatures, but for arguments that
/// lie directly behind others (kBehind).
class SegmentLayout {
public:
  explicit SegmentLayout(ModuleOp module);

  sched::PlacementAttr getArgument(mlir::func::FuncOp function,
                                   unsigned index) const;
  sched::PlacementAttr getResult(mlir::func::FuncOp function,
                                 unsigned index) const;

  /// Bytes of `state`, `input` or `output`.
  int64_t getSize(sched::Segment segment) const;

private:
  struct Signature {
    SmallVector<sched::PlacementAttr> arguments, results;
  };
  using Name = std::pair<Attribute, Attribute>;

  void addArguments(mlir::func::FuncOp function);
  sched::PlacementAttr placeArgument(mlir::func::FuncOp function,
                                     unsigned index);
  void addResults(mlir::func::FuncOp function);
  sched::PlacementAttr place(MLIRContext *context, sched::Segment segment,
                             Type type);

  DenseMap<Operation *, Signature> signatures;
  DenseMap<Name, sched::PlacementAttr> named;
  DenseMap<Attribute, sched::PlacementAttr> outputs;
  int64_t sizes[sched::getMaxEnumValForSegment() + 1] = {};
};

/// Where a value of a planned function lives: a result of a prec_sched
/// operation, an argument, or a view of one. Null if nothing was planned for
/// it.
sched::PlacementAttr getPlacement(const SegmentLayout &layout, Value value);

/// Bytes at the start of `workspace` that the arguments of `function` take.
int64_t getStagedSize(mlir::func::FuncOp function);

/// Bytes of the segment `workspace` that the placements of `module` and its
/// staged arguments need.
int64_t getWorkspaceSize(ModuleOp module);

} // namespace prec

#endif // PREC_SCHEDULE_MEMORYPLAN_H
