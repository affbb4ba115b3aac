//===- InitAll.cpp - registration for tools and embedders -----------------===//
#include "prec/InitAll.h"

#include "prec/Assign/Passes.h"
#include "prec/Codegen/Passes.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/ExternalModels/ExternalModels.h"
#include "prec/Import/Passes.h"
#include "prec/Materialize/Passes.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

void prec::registerAllDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  scf::SCFDialect, tensor::TensorDialect, PrecDialect,
                  sched::SchedDialect, train::TrainDialect>();
  registerExternalModels(registry);
}

void prec::registerAllPasses() {
  registerPrecAssignPasses();
  registerPrecCodegenPasses();
  registerPrecImportPasses();
  registerPrecMaterializePasses();
  registerPrecSchedulePasses();
}
