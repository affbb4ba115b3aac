//===- Dialects.cpp - prec's dialects and tags from C ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec-c/Dialects.h"

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace prec;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Prec, prec, prec::PrecDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(PrecTrain, prec_train,
                                      prec::train::TrainDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(PrecSched, prec_sched,
                                      prec::sched::SchedDialect)

bool precAttributeIsATag(MlirAttribute attribute) {
  return isa<TagAttr>(unwrap(attribute));
}

MlirTypeID precTagAttrGetTypeID(void) { return wrap(TagAttr::getTypeID()); }

/// The enumerator of a word; none, after an error, of another one.
template <typename Enum>
static std::optional<Enum> read(Location loc, StringRef what, StringRef word,
                                std::optional<Enum> parsed) {
  // capi_c1
  if (!parsed)
    emitError(loc) << what << " of a tag must be a known one, but got '" << word
                   << "'";
  return parsed;
}

MlirAttribute precTagAttrGet(MlirContext context, MlirStringRef format,
                             MlirStringRef scaling, MlirStringRef accumulator,
                             MlirStringRef rule) {
  MLIRContext *ctx = unwrap(context);
  ctx->loadDialect<PrecDialect>();
  Location loc = UnknownLoc::get(ctx);
  StringRef scalingWord = scaling.length ? unwrap(scaling) : "none";
  StringRef sumWord = accumulator.length ? unwrap(accumulator) : "full";
  auto parsedFormat =
      read(loc, "format", unwrap(format), symbolizeFormat(unwrap(format)));
  auto parsedScaling =
      read(loc, "scaling", scalingWord, symbolizeScaling(scalingWord));
  auto parsedSum =
      read(loc, "accumulator", sumWord, symbolizeAccumulator(sumWord));
  if (!parsedFormat || !parsedScaling || !parsedSum)
    return {};
  return wrap(TagAttr::getChecked([&] { return emitError(loc); }, ctx,
                                  *parsedFormat, *parsedScaling, *parsedSum,
                                  unwrap(rule)));
}

static TagAttr getTag(MlirAttribute tag) { return cast<TagAttr>(unwrap(tag)); }

MlirStringRef precTagAttrGetFormat(MlirAttribute tag) {
  return wrap(stringifyFormat(getTag(tag).getFormat()));
}
MlirStringRef precTagAttrGetScaling(MlirAttribute tag) {
  return wrap(stringifyScaling(getTag(tag).getScaling()));
}
MlirStringRef precTagAttrGetAccumulator(MlirAttribute tag) {
  return wrap(stringifyAccumulator(getTag(tag).getAccumulator()));
}
MlirStringRef precTagAttrGetRule(MlirAttribute tag) {
  return wrap(getTag(tag).getRule());
}

MlirAttribute precOperationGetResultTag(MlirOperation operation,
                                        intptr_t position) {
  return wrap(getResultTag(unwrap(operation), position));
}
MlirAttribute precOperationGetOperandTag(MlirOperation operation,
                                         intptr_t position) {
  return wrap(getOperandTag(unwrap(operation), position));
}
void precOperationSetResultTag(MlirOperation operation, intptr_t position,
                               MlirAttribute tag) {
  setResultTag(unwrap(operation), position, getTag(tag));
}
void precOperationSetOperandTag(MlirOperation operation, intptr_t position,
                                MlirAttribute tag) {
  setOperandTag(unwrap(operation), position, getTag(tag));
}
