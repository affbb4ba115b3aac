//===- ExternalModels.cpp - registration of all external models -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/ExternalModels/ExternalModels.h"

using namespace mlir;

void prec::registerExternalModels(DialectRegistry &registry) {
  registerArithExternalModels(registry);
  registerLinalgExternalModels(registry);
  registerLinearityModels(registry);
  registerMathExternalModels(registry);
  registerTensorExternalModels(registry);
}
