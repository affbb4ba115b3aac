//===- VerifyPrecision.cpp - what assignment guarantees -------------------===//
#include "prec/Assign/Legality.h"
#include "prec/Assign/Passes.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::prec {
#define GEN_PASS_DEF_VERIFYPRECISION
#include "prec/Assign/Passes.h.inc"
} // namespace mlir::prec

using namespace mlir;
using namespace mlir::prec;

namespace {
struct VerifyPrecision : public prec::impl::VerifyPrecisionBase<VerifyPrecision> {
  void runOnOperation() override {}
};
} // namespace
