//===- MathModels.cpp - numeric structure of math operations --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExternalModels/Models.h"
#include "prec/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::math;
using namespace prec;

void prec::registerMathExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MathDialect *) {
    constexpr Structure elementwise = Structure::Elementwise;
    attachFixed<elementwise, ArithExp, ExpOp, Exp2Op>(context);
    attachFixed<elementwise, ArithSqrt, SqrtOp>(context);
    attachFixed<elementwise, ArithRsqrt, RsqrtOp>(context);
    attachFixed<elementwise, ArithPow, PowFOp, FPowIOp>(context);
    attachFixed<elementwise, ArithSinCos, SinOp, CosOp, SincosOp>(context);
    attachFixed<elementwise, ArithMul | ArithAdd, FmaOp>(context);
    attachFixed<elementwise, ArithOther, AbsFOp, AcosOp, AcoshOp, AsinOp,
                AsinhOp, Atan2Op, AtanOp, AtanhOp, CbrtOp, CeilOp, ClampFOp,
                CopySignOp, CoshOp, ErfOp, ErfcOp, ExpM1Op, FloorOp, IsFiniteOp,
                IsInfOp, IsNaNOp, IsNormalOp, Log10Op, Log1pOp, Log2Op, LogOp,
                RoundEvenOp, RoundOp, SinhOp, TanOp, TanhOp, TruncOp>(context);
    attachFixed<Structure::Index, ArithNone, AbsIOp, CountLeadingZerosOp,
                CountTrailingZerosOp, CtPopOp, IPowIOp>(context);
  });
}
