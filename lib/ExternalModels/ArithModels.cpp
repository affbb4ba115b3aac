//===- ArithModels.cpp - numeric structure of arith operations ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExternalModels/Models.h"
#include "prec/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::arith;
using namespace prec;

void prec::registerArithExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ArithDialect *) {
    constexpr Structure elementwise = Structure::Elementwise;
    attachFixed<elementwise, ArithAdd, AddFOp>(context);
    attachFixed<elementwise, ArithSub, SubFOp>(context);
    attachFixed<elementwise, ArithMul, MulFOp>(context);
    attachFixed<elementwise, ArithDiv, DivFOp>(context);
    attachFixed<elementwise, ArithMax, MaximumFOp, MaxNumFOp>(context);
    attachFixed<elementwise, ArithOther, NegFOp, RemFOp, MinimumFOp, MinNumFOp,
                CmpFOp, SelectOp, ExtFOp, TruncFOp, SIToFPOp, UIToFPOp,
                FPToSIOp, FPToUIOp, BitcastOp>(context);
    attachFixed<Structure::Layout, ArithNone, arith::ConstantOp>(context);
    attachFixed<Structure::Index, ArithNone, AddIOp, AddUIExtendedOp, AndIOp,
                CeilDivSIOp, CeilDivUIOp, CmpIOp, DivSIOp, DivUIOp, ExtSIOp,
                ExtUIOp, FloorDivSIOp, IndexCastOp, IndexCastUIOp, MaxSIOp,
                MaxUIOp, MinSIOp, MinUIOp, MulIOp, MulSIExtendedOp,
                MulUIExtendedOp, OrIOp, RemSIOp, RemUIOp, ShLIOp, ShRSIOp,
                ShRUIOp, SubIOp, TruncIOp, XOrIOp>(context);
  });
}
