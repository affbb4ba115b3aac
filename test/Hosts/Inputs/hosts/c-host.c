/*===- c-host.c - a compiler in C that embeds prec ----------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* c-host GRAPH LINKER: reads a graph; has formats assigned and looks at tags;*|
|* has them materialized; provokes each error of the C API and prints it;     *|
|* compiles the graph to memory by a callback that links, runs three steps    *|
|* and prints each loss.                                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "prec-c/Compile.h"
#include "prec-c/Dialects.h"
#include "prec-c/Registration.h"
#include "prec-rt/prec-rt.h"
#include "prec-rt/version.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "c-host: %s must hold\n", what);
  exit(1);
}

typedef struct Bytes {
  char *data;
  size_t length;
} Bytes;

static void append(MlirStringRef piece, void *user) {
  Bytes *bytes = user;
  bytes->data = realloc(bytes->data, bytes->length + piece.length + 1);
  memcpy(bytes->data + bytes->length, piece.data, piece.length);
  bytes->length += piece.length;
  bytes->data[bytes->length] = 0;
}

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static MlirLogicalResult onDiagnostic(MlirDiagnostic diagnostic, void *user) {
  Bytes text = {0};
  mlirDiagnosticPrint(diagnostic, append, &text);
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError)
    printf("error: %s\n", text.data);
  free(text.data);
  return mlirLogicalResultSuccess();
}

static int isFailure(MlirLogicalResult result) {
  return mlirLogicalResultIsFailure(result);
}

static MlirOperation firstOperation(MlirModule module) {
  MlirOperation function =
      mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirRegion body = mlirOperationGetRegion(function, 0);
  return mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(body));
}

static MlirOperation find(MlirModule module, const char *name) {
  MlirOperation op = firstOperation(module);
  while (!mlirOperationIsNull(op) &&
         !mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                             ref(name)))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static void print(const char *what, MlirStringRef text) {
  printf("%s %.*s\n", what, (int)text.length, text.data);
}

/* Tags by hand, and what is none. */
static void useTags(MlirContext context, MlirOperation op) {
  MlirAttribute tag = precOperationGetOperandTag(op, 0);
  check(precAttributeIsATag(tag), "a tagged operand");
  check(!precAttributeIsATag(mlirUnitAttrGet(context)), "a unit is no tag");
  check(mlirTypeIDEqual(mlirAttributeGetTypeID(tag), precTagAttrGetTypeID()),
        "the type of tags");
  print("operand", precTagAttrGetFormat(tag));
  print("result", precTagAttrGetFormat(precOperationGetResultTag(op, 0)));
  print("scaling", precTagAttrGetScaling(tag));
  print("accumulator", precTagAttrGetAccumulator(tag));
  print("rule", precTagAttrGetRule(tag));
  MlirAttribute mine =
      precTagAttrGet(context, ref("f32"), ref(""), ref(""), ref("by hand"));
  precOperationSetResultTag(op, 0, mine);
  check(mlirAttributeEqual(precOperationGetResultTag(op, 0), mine),
        "the tag that was set");
  precOperationSetOperandTag(op, 1, tag);
  check(mlirAttributeEqual(precOperationGetOperandTag(op, 1), tag),
        "the operand's tag that was set");
  check(mlirAttributeIsNull(
            precTagAttrGet(context, ref("f99"), ref(""), ref(""), ref("r"))),
        "no tag of an unknown format");
  check(mlirAttributeIsNull(precTagAttrGet(context, ref("f32"), ref("huge"),
                                           ref(""), ref("r"))),
        "no tag of an unknown scaling");
  check(mlirAttributeIsNull(precTagAttrGet(context, ref("f32"), ref(""),
                                           ref("slow"), ref("r"))),
        "no tag of an unknown accumulator");
  check(mlirAttributeIsNull(precTagAttrGet(context, ref("e4m3"), ref("none"),
                                           ref(""), ref("r"))),
        "no tag of e4m3 without a scale");
}

typedef struct Linker {
  const char *program;
  int calls;
} Linker;

/* As a compiler may that has a linker of its own. */
static MlirLogicalResult linkObjects(const MlirStringRef *objects,
                                     intptr_t numObjects,
                                     MlirStringCallback output,
                                     void *outputData, void *user) {
  Linker *linker = user;
  char command[4096];
  int at = snprintf(command, sizeof(command),
                    "%s -shared --no-undefined-version -z noexecstack -z relro "
                    "-o c-host.so",
                    linker->program);
  ++linker->calls;
  for (intptr_t i = 0; i < numObjects; ++i) {
    char name[32];
    snprintf(name, sizeof(name), "c-host%d.o", (int)i);
    at += snprintf(command + at, sizeof(command) - at, " %s", name);
    FILE *file = fopen(name, "wb");
    check(file &&
              fwrite(objects[i].data, 1, objects[i].length, file) ==
                  objects[i].length &&
              !fclose(file),
          "a written object");
  }
  if (system(command) != 0)
    return mlirLogicalResultFailure();
  static char piece[65536];
  FILE *file = fopen("c-host.so", "rb");
  check(file != NULL, "a linked file");
  for (size_t n; (n = fread(piece, 1, sizeof(piece), file)) > 0;)
    output(mlirStringRefCreate(piece, n), outputData);
  fclose(file);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult linkNothing(const MlirStringRef *objects,
                                     intptr_t numObjects,
                                     MlirStringCallback output,
                                     void *outputData, void *user) {
  return mlirLogicalResultFailure();
}

static void run(const Bytes *image) {
  static float x[64 * 32];
  for (int i = 0; i < 64 * 32; ++i)
    x[i] = (float)(i % 13 - 6) / 8;
  int64_t shape[] = {64, 32};
  prec_rt_tensor batch = {0};
  batch.name = "x";
  batch.dtype = PREC_RT_F32;
  batch.rank = 2;
  batch.shape = shape;
  batch.data = x;
  prec_rt_module *module = NULL;
  prec_rt_error *error =
      prec_rt_open_memory(image->data, image->length, "step", NULL, &module);
  check(!error, "a module that opens");
  check(!prec_rt_init_random(module, 1, 0.1), "random weights");
  for (int step = 0; step < 3; ++step) {
    prec_rt_step_result result = PREC_RT_STEP_RESULT_INIT;
    check(!prec_rt_step(module, &batch, 1, &result), "a step");
    printf("loss %.9g\n", result.loss);
  }
  prec_rt_close(module);
}

int main(int argc, char **argv) {
  check(argc == 3, "a graph and a linker");
  check(mlirStringRefEqual(precGetVersion(), ref(PREC_VERSION)), "one version");
  check(prec_rt_abi() == PREC_RT_ABI, "one ABI");
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  precRegisterAllDialects(registry);
  precRegisterAllPasses();
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(context, onDiagnostic, NULL, NULL);
  print("dialect", mlirDialectGetNamespace(mlirDialectHandleLoadDialect(
                       mlirGetDialectHandle__prec_sched__(), context)));
  MlirOperation read =
      mlirOperationCreateParse(context, ref("module {}"), ref("none"));
  mlirOperationDestroy(read);

  Bytes text = {0};
  FILE *file = fopen(argv[1], "rb");
  check(file != NULL, "a graph");
  static char piece[65536];
  for (size_t n; (n = fread(piece, 1, sizeof(piece), file)) > 0;)
    append(mlirStringRefCreate(piece, n), &text);
  fclose(file);
  MlirModule module = mlirModuleCreateParse(context, ref(text.data));
  check(!mlirModuleIsNull(module), "a graph that is read");

  check(isFailure(precPrintPrecisionMap(module, append, &text)), "no map");
  check(isFailure(precAssign(module, ref("recipe=fp9"))), "an unknown recipe");
  check(isFailure(precAssign(module, ref("recpie=bf16"))), "an unknown option");
  check(!isFailure(precRaise(module)), "a graph that is raised");
  check(!isFailure(precAssign(module,
                              ref("recipe=fp8-hybrid target=cpu record=true"))),
        "formats");
  Bytes map = {0};
  check(!isFailure(precPrintPrecisionMap(module, append, &map)), "a map");
  check(strstr(map.data, "\"prec_precision_map\"") || map.data[0] == '{',
        "a map in JSON");
  useTags(context, find(module, "prec_train.matmul"));
  mlirModuleDestroy(module);

  module = mlirModuleCreateParse(context, ref(text.data));
  check(isFailure(precMaterialize(module, ref("accumulate=maybe"))),
        "an option that is no truth");
  check(!isFailure(precAssign(module, ref("recipe=fp8-hybrid target=cpu"))) &&
            !isFailure(precMaterialize(module, ref("accumulate=true"))),
        "casts");
  check(!mlirOperationIsNull(find(module, "prec.quantize")), "a quantization");
  mlirModuleDestroy(module);

  /* By name, as any pipeline. */
  module = mlirModuleCreateParse(context, ref(text.data));
  MlirPassManager passes = mlirPassManagerCreate(context);
  Bytes said = {0};
  check(!isFailure(mlirParsePassPipeline(
            mlirPassManagerGetAsOpPassManager(passes),
            ref("builtin.module(prec-raise,prec-assign{recipe=bf16 target=cpu},"
                "prec-materialize,prec-schedule,prec-codegen)"),
            append, &said)),
        "a pipeline by name");
  check(!isFailure(
            mlirPassManagerRunOnOp(passes, mlirModuleGetOperation(module))),
        "a pipeline that runs");
  mlirPassManagerDestroy(passes);
  mlirModuleDestroy(module);

  PrecCompileOptions options = {0};
  Bytes image = {0};
  Linker linker = {argv[2], 0};
  module = mlirModuleCreateParse(context, ref(text.data));
  options.size = 1 << 20;
  check(isFailure(precCompileStepModule(module, &options, append, &image)),
        "options of another library");
  options.size = sizeof(options);
  options.schedule = ref("target=sm_90a");
  check(isFailure(precCompileStepModule(module, &options, append, &image)),
        "two targets");
  options.schedule = ref("chunk-loss=-1");
  check(isFailure(precCompileStepModule(module, &options, append, &image)),
        "chunks of less than nothing");
  options.schedule = ref("");
  options.assign = ref("recipe=bf16");
  options.materialize = ref("merge-contractions=off");
  options.codegen = ref("deterministic-attention=true");
  options.link = linkNothing;
  check(isFailure(precCompileStepModule(module, &options, append, &image)),
        "a linker that fails");
  mlirModuleDestroy(module);
  module = mlirModuleCreateParse(context, ref(text.data));
  options.link = linkObjects;
  options.linkUserData = &linker;
  check(!isFailure(precCompileStepModule(module, &options, append, &image)),
        "a step module");
  check(linker.calls == 1, "one call of the linker");
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  run(&image);
  free(image.data);
  free(map.data);
  free(said.data);
  free(text.data);
  return 0;
}
