//===- PointOps.h - operations at a position --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each operation of a dispatch body is at a position. A function asks the
// emitter for the operands at the positions that it needs, and returns a scalar
// or, where the position has lanes, a vector; null once an error was reported.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_EMITTER_POINTOPS_H
#define PREC_LIB_CODEGEN_EMITTER_POINTOPS_H

#include "Codegen/Emitter/PointEmitter.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// An error at what no kernel can compute.
InFlightDiagnostic reportUngenerated(Operation *op);

Value emitBroadcast(PointEmitter &emitter, train::BroadcastOp op,
                    ArrayRef<Digit> at);
Value emitTranspose(PointEmitter &emitter, train::TransposeOp op,
                    ArrayRef<Digit> at);
Value emitSlice(PointEmitter &emitter, mlir::tensor::ExtractSliceOp op,
                ArrayRef<Digit> at);
Value emitGather(PointEmitter &emitter, train::GatherOp op, ArrayRef<Digit> at);
Value emitIota(PointEmitter &emitter, train::IotaOp op, ArrayRef<Digit> at);
Value emitElementwise(PointEmitter &emitter, Operation *op, ArrayRef<Digit> at);
/// `arith.extf`, `arith.truncf`, and the scaled changes of format.
Value emitConversion(PointEmitter &emitter, Operation *op, ArrayRef<Digit> at);

/// The position along the dimension of an iota; nothing: lanes are in no one
/// row.
std::optional<Digit> positionOf(PointEmitter &emitter, train::IotaOp op,
                                ArrayRef<Digit> at);
/// Where lanes subtract what all but one of a row have as zero; nothing: `op`
/// is no such difference.
std::optional<Value> subtractOneHot(PointEmitter &emitter,
                                    mlir::arith::SubFOp op, ArrayRef<Digit> at);
/// Where exponentials are divided by the sum of their row; nothing: `op` is no
/// such division.
std::optional<Value> divideByRowSum(PointEmitter &emitter,
                                    mlir::arith::DivFOp op, ArrayRef<Digit> at);

} // namespace prec

#endif // PREC_LIB_CODEGEN_EMITTER_POINTOPS_H
