//===- ExternalModels.h - upstream operations' structure --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_EXTERNALMODELS_EXTERNALMODELS_H
#define PREC_EXTERNALMODELS_EXTERNALMODELS_H

#include "prec/Support/LLVM.h"

namespace prec {

/// Give upstream operations the PrecisionOpInterface, as soon as their dialect
/// is loaded.
void registerArithExternalModels(DialectRegistry &registry);
void registerLinalgExternalModels(DialectRegistry &registry);
void registerMathExternalModels(DialectRegistry &registry);
void registerTensorExternalModels(DialectRegistry &registry);

/// Gives upstream operations the LinearOpInterface, likewise.
void registerLinearityModels(DialectRegistry &registry);

/// All of the above.
void registerExternalModels(DialectRegistry &registry);

} // namespace prec

#endif // PREC_EXTERNALMODELS_EXTERNALMODELS_H
