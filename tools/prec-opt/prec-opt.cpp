//===- prec-opt.cpp - the optimizer driver --------------------------------===//
#include "prec/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::prec::registerAllDialects(registry);
  mlir::prec::registerAllPasses();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "prec: mixed-precision training steps\n", registry));
}
