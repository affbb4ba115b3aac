//===- Compile.cpp - the phases from C ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec-c/Compile.h"

#include "prec/Assign/TaggedMap.h"
#include "prec/Explain/PrecisionMap.h"
#include "prec/Pipelines/Compile.h"
#include "prec/Pipelines/Pipelines.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/Pass/PassManager.h"

#include <cstring>

using namespace mlir;
using namespace prec;

/// Runs the passes that `build` adds; it gets what reports an error.
template <typename Build>
static MlirLogicalResult runPasses(MlirModule module, Build build) {
  ModuleOp op = unwrap(module);
  PassManager passes(op.getContext());
  auto report = [&](const Twine &message) -> LogicalResult {
    return op.emitError() << message;
  };
  return wrap(failure(failed(build(passes, report)) || failed(passes.run(op))));
}

MlirLogicalResult precRaise(MlirModule module) {
  return runPasses(module, [](OpPassManager &passes, auto) {
    buildImportPipeline(passes);
    return success();
  });
}

MlirLogicalResult precAssign(MlirModule module, MlirStringRef options) {
  return runPasses(module, [&](OpPassManager &passes, auto report) {
    return buildAssignPipeline(passes, unwrap(options), report);
  });
}

MlirLogicalResult precMaterialize(MlirModule module, MlirStringRef options) {
  return runPasses(module, [&](OpPassManager &passes, auto report) {
    CompileOptions parsed;
    if (failed(readMaterializeOptions(unwrap(options), parsed, report)))
      return failure();
    buildMaterializePipeline(passes, parsed);
    return success();
  });
}

MlirLogicalResult precPrintPrecisionMap(MlirModule module,
                                        MlirStringCallback callback,
                                        void *userData) {
  FailureOr<PrecisionMap> map = collectTaggedMap(unwrap(module));
  if (failed(map))
    return mlirLogicalResultFailure();
  mlir::detail::CallbackOstream os(callback, userData);
  writePrecisionMap(os, *map);
  return mlirLogicalResultSuccess();
}

/// `options` as far as its caller knows them, or none if that cannot be.
static std::optional<PrecCompileOptions> copy(const PrecCompileOptions *given) {
  PrecCompileOptions options = {};
  if (!given)
    return options;
  if (given->size < sizeof(size_t) || given->size > sizeof(options))
    return std::nullopt;
  std::memcpy(&options, given, given->size);
  return options;
}

/// The hook of C as one of C++.
static LinkFunction wrapLink(PrecLinkCallback link, void *userData) {
  if (!link)
    return {};
  return [=](ArrayRef<StringRef> objects) -> llvm::Expected<std::string> {
    SmallVector<MlirStringRef> given;
    for (StringRef object : objects)
      given.push_back(wrap(object));
    std::string image;
    auto append = [](MlirStringRef piece, void *to) {
      static_cast<std::string *>(to)->append(piece.data, piece.length);
    };
    if (mlirLogicalResultIsFailure(
            link(given.data(), given.size(), append, &image, userData)))
      return llvm::createStringError(
          "the link callback must succeed, but got a failure");
    return image;
  };
}

/// What a compilation is asked for. Fails after an error at the module.
static FailureOr<CompileOptions> readOptions(ModuleOp module,
                                             const PrecCompileOptions *given) {
  std::optional<PrecCompileOptions> known = copy(given);
  // capi_c2
  if (!known)
    return module.emitError("options must have a size of at most ")
           << sizeof(PrecCompileOptions) << " bytes, but got " << given->size;
  auto report = [&](const Twine &message) -> LogicalResult {
    return module.emitError() << message;
  };
  CompileOptions options;
  std::string target =
      known->target.length ? unwrap(known->target).str() : options.target;
  options.target = target;
  if (failed(
          readMaterializeOptions(unwrap(known->materialize), options, report)))
    return failure();
  for (auto [text, read] : {std::pair{known->schedule, &readScheduleOptions},
                            std::pair{known->codegen, &readCodegenOptions}}) {
    options.target.clear();
    if (failed(read(unwrap(text), options, report)))
      return failure();
    // capi_c3
    if (!options.target.empty() && options.target != target)
      return module.emitError("all phases must have one target, but got '")
             << options.target << "' and '" << target << "'";
  }
  options.target = target;
  options.assignText = unwrap(known->assign).str();
  options.graphHash = unwrap(known->graphHash).str();
  options.linker = unwrap(known->linker).str();
  options.ptxas = unwrap(known->ptxas).str();
  options.link = wrapLink(known->link, known->linkUserData);
  return options;
}

MlirLogicalResult precCompileStepModule(MlirModule module,
                                        const PrecCompileOptions *given,
                                        MlirStringCallback callback,
                                        void *userData) {
  FailureOr<CompileOptions> options = readOptions(unwrap(module), given);
  if (failed(options))
    return mlirLogicalResultFailure();
  FailureOr<std::string> bytes =
      compileStepModuleToMemory(unwrap(module), *options);
  if (failed(bytes))
    return mlirLogicalResultFailure();
  callback(wrap(StringRef(*bytes)), userData);
  return mlirLogicalResultSuccess();
}
