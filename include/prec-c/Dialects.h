/*===- Dialects.h - prec's dialects and tags from C ----------------*- C
-*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* In the style of MLIR's C API (mlir-c/IR.h), which it extends: link         *|
|* libPrecC, which holds the core of that API, too.                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef PREC_C_DIALECTS_H
#define PREC_C_DIALECTS_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The dialects themselves; what upstream operations mean to prec, and targets,
   come with precRegisterAllDialects. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Prec, prec);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(PrecTrain, prec_train);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(PrecSched, prec_sched);

/* Whether an attribute is a #prec.tag. */
MLIR_CAPI_EXPORTED bool precAttributeIsATag(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirTypeID precTagAttrGetTypeID(void);

/* #prec.tag<format, scaling, accumulator, rule>, in the words of IR: "bf16",
   "e4m3"; "none", "tensor_current"; "full", "fast"; any text. An empty scaling
   or accumulator is the default, "none" or "full". Null, after a diagnostic, if
   a word is none of these or a format does not go with a scaling. */
MLIR_CAPI_EXPORTED MlirAttribute precTagAttrGet(MlirContext context,
                                                MlirStringRef format,
                                                MlirStringRef scaling,
                                                MlirStringRef accumulator,
                                                MlirStringRef rule);
/* Live as long as the context. */
MLIR_CAPI_EXPORTED MlirStringRef precTagAttrGetFormat(MlirAttribute tag);
MLIR_CAPI_EXPORTED MlirStringRef precTagAttrGetScaling(MlirAttribute tag);
MLIR_CAPI_EXPORTED MlirStringRef precTagAttrGetAccumulator(MlirAttribute tag);
MLIR_CAPI_EXPORTED MlirStringRef precTagAttrGetRule(MlirAttribute tag);

/* The tag of a result (how it is stored) and of an operand (how it is read),
   wherever the operation keeps them; null where nothing was decided.
   `position` must be one of the operation's. */
MLIR_CAPI_EXPORTED MlirAttribute
precOperationGetResultTag(MlirOperation operation, intptr_t position);
MLIR_CAPI_EXPORTED MlirAttribute
precOperationGetOperandTag(MlirOperation operation, intptr_t position);
MLIR_CAPI_EXPORTED void precOperationSetResultTag(MlirOperation operation,
                                                  intptr_t position,
                                                  MlirAttribute tag);
MLIR_CAPI_EXPORTED void precOperationSetOperandTag(MlirOperation operation,
                                                   intptr_t position,
                                                   MlirAttribute tag);

#ifdef __cplusplus
}
#endif

#endif /* PREC_C_DIALECTS_H */
