/*===- Registration.h - what contexts and pipelines know ----------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
#ifndef PREC_C_REGISTRATION_H
#define PREC_C_REGISTRATION_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds prec's dialects, the upstream ones that its graphs use, what their
   operations mean to prec, and all targets of prec. */
MLIR_CAPI_EXPORTED void precRegisterAllDialects(MlirDialectRegistry registry);

/* Registers passes and phases (prec-raise, prec-assign, prec-materialize,
   prec-schedule, prec-codegen), for mlirParsePassPipeline. Once a process. */
MLIR_CAPI_EXPORTED void precRegisterAllPasses(void);

/* "X.Y.Z", that of prec/Version.h when the library was built. */
MLIR_CAPI_EXPORTED MlirStringRef precGetVersion(void);

#ifdef __cplusplus
}
#endif

#endif /* PREC_C_REGISTRATION_H */
