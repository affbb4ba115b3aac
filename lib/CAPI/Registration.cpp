//===- Registration.cpp - what contexts and pipelines know ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec-c/Registration.h"

#include "prec/InitAll.h"
#include "prec/Targets/RegisterAllTargets.h"
#include "prec/Version.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;

void precRegisterAllDialects(MlirDialectRegistry registry) {
  prec::registerAllDialects(*unwrap(registry));
  // Their names differ.
  llvm::cantFail(prec::attachAllTargets(*unwrap(registry)));
}

void precRegisterAllPasses(void) {
  prec::registerAllPasses();
  prec::registerAllPipelines();
}

MlirStringRef precGetVersion(void) { return wrap(StringRef(PREC_VERSION)); }
