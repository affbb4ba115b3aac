//===- PointOps.cpp - which function computes an operation ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Emitter/PointOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

InFlightDiagnostic prec::reportUngenerated(Operation *op) {
  return op->emitError("dispatch bodies must be generated, but got '")
         << op->getName() << "'";
}

Value prec::emitOp(PointEmitter &emitter, Operation *op, ArrayRef<Digit> at) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [&](auto reshape) { return emitter.emit(reshape.getSrc(), at); })
      .Case([&](train::BroadcastOp o) { return emitBroadcast(emitter, o, at); })
      .Case([&](train::TransposeOp o) { return emitTranspose(emitter, o, at); })
      .Case([&](tensor::ExtractSliceOp o) { return emitSlice(emitter, o, at); })
      .Case([&](tensor::ConcatOp o) {
        return emitter.getPieces().emit(emitter, o, at);
      })
      .Case([&](train::IotaOp o) { return emitIota(emitter, o, at); })
      .Case([&](train::GatherOp o) { return emitGather(emitter, o, at); })
      // Families bind what they have reduced; a reduction that is still asked
      // for here is not theirs, or is read at another row.
      .Case([](train::ReduceOp o) {
        reportUngenerated(o) << ": this family does not reduce it here";
        return Value();
      })
      .Case([&](arith::ConstantOp o) {
        return emitter.getConstants().emit(emitter, o, at);
      })
      .Case<arith::ExtFOp, arith::TruncFOp, prec::QuantizeOp,
            prec::DequantizeOp>(
          [&](auto o) { return emitConversion(emitter, o, at); })
      .Default([&](Operation *o) { return emitElementwise(emitter, o, at); });
}
