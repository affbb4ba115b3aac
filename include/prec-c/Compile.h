/*===- Compile.h - from an imported graph to a step module --------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Every call works on a module of a context that has what                    *|
|* precRegisterAllDialects registers. Errors, warnings and remarks are        *|
|* diagnostics of that context (mlir-c/Diagnostics.h). Nothing is printed and *|
|* no file is written but where an option says so.                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef PREC_C_COMPILE_H
#define PREC_C_COMPILE_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Recognizes composites of other frameworks' graphs and verifies the graph:
   pipeline prec-raise. */
MLIR_CAPI_EXPORTED MlirLogicalResult precRaise(MlirModule module);

/* Decides formats, as tags: pipeline prec-assign. `options` are those of
   --assign-precision, such as "recipe=fp8-hybrid target=sm_90a record=true".
   A module that fails is as it was. */
MLIR_CAPI_EXPORTED MlirLogicalResult precAssign(MlirModule module,
                                                MlirStringRef options);

/* Makes types and casts of tags: pipeline prec-materialize, with its options.
 */
MLIR_CAPI_EXPORTED MlirLogicalResult precMaterialize(MlirModule module,
                                                     MlirStringRef options);

/* The decisions of a tagged module as JSON (precision-map.schema.json), in one
   or several pieces; what was beaten is in it after record=true. */
MLIR_CAPI_EXPORTED MlirLogicalResult precPrintPrecisionMap(
    MlirModule module, MlirStringCallback callback, void *userData);

/* Links ELF objects, given as their bytes, as `ld.lld -shared
   --no-undefined-version -z noexecstack -z relro` does, and gives the bytes of
   the shared object to `output`, in one or several pieces. */
typedef MlirLogicalResult (*PrecLinkCallback)(const MlirStringRef *objects,
                                              intptr_t numObjects,
                                              MlirStringCallback output,
                                              void *outputData, void *userData);

/* Set `size` to sizeof(PrecCompileOptions) and the rest to zero for defaults;
   later versions may append fields. */
typedef struct PrecCompileOptions {
  size_t size;
  MlirStringRef target; /* "cpu" (the default), "sm_90a", ... */
  /* Options of the phases, as text has them. Of a module that is tagged
     `assign` must be empty. */
  MlirStringRef assign, materialize, schedule, codegen;
  /* Recorded in the manifest: what graph this is. */
  MlirStringRef graphHash;
  /* Links in place of a program; null: `linker`. */
  PrecLinkCallback link;
  void *linkUserData;
  /* A program that links when it is called as ld.lld; empty: searched for. */
  MlirStringRef linker;
  /* Assembles PTX; empty: searched for. */
  MlirStringRef ptxas;
} PrecCompileOptions;

/* Runs all phases and gives the bytes of the step module, in one or several
   pieces: what prec_rt_open_memory runs. `module` is changed. */
MLIR_CAPI_EXPORTED MlirLogicalResult
precCompileStepModule(MlirModule module, const PrecCompileOptions *options,
                      MlirStringCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif /* PREC_C_COMPILE_H */
