//===- Tags.cpp - formats, and where tags are kept ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of decisions: verifiers of tags and of the options of scaling,
// the numbers of each format, and where tags are kept. An operation of
// prec_train keeps the tags of its results and operands as attributes of its
// own; any other operation as discardable ones under `prec.`; an argument in
// its argument attributes. The accessors hide which it is. A tag array has an
// entry for each value, which is unit where there is no tag.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/Prec.h"
#include "prec-rt/floats.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>

using namespace mlir;
using namespace prec;

LogicalResult
TagAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                Format format, Scaling scaling, Accumulator, StringRef rule) {
  StringRef name = format == Format::E2M1 ? "e2m1" : "fp8";
  // tag_c1
  if (prec::isNarrow(format) && scaling == Scaling::None)
    return emitError() << "an " << name
                       << " tag must name a scaling, but got none";
  // tag_c2
  if (!prec::isNarrow(format) && scaling != Scaling::None)
    return emitError() << "only fp8 and e2m1 tags have a scaling, but got "
                       << stringifyFormat(format);
  bool isFp4 = format == Format::E2M1;
  // tag_c4
  if (isFp4 != isOfFp4(scaling))
    return emitError() << "e2m1 and "
                       << stringifyScaling(getDefaultScaling(Format::E2M1))
                       << " must come together, but got "
                       << stringifyFormat(format) << " and "
                       << stringifyScaling(scaling);
  // tag_c3
  if (rule.empty())
    return emitError() << "a tag must name the rule that decided it, but got "
                          "an empty name";
  return success();
}

LogicalResult
AmaxAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 int64_t history, AmaxAlgorithm, int64_t margin, bool,
                 FloatAttr activation, FloatAttr weight, FloatAttr gradient) {
  // amax_c1
  if (history < 1)
    return emitError() << "an amax history must be at least 1, but got "
                       << history;
  // amax_c2
  if (margin < 0 || margin > kMaxAmaxMargin)
    return emitError() << "an amax margin must be in [0, " << kMaxAmaxMargin
                       << "], but got " << margin;
  // amax_c3
  for (FloatAttr epsilon : {activation, weight, gradient})
    if (!(epsilon.getValueAsDouble() >= 0) ||
        !std::isfinite(epsilon.getValueAsDouble()))
      return emitError() << "an amax epsilon must be finite and not negative, "
                            "but got "
                         << epsilon;
  return success();
}

/// The attribute of this name of what is around `op`; null if there is none.
template <typename AttrTy>
static AttrTy findAround(Operation *op, StringRef name) {
  for (Operation *parent = op; parent; parent = parent->getParentOp())
    if (auto found = parent->getAttrOfType<AttrTy>(name))
      return found;
  return {};
}

MicroscalingAttr prec::getMicroscaling(Operation *op) {
  if (auto found = findAround<MicroscalingAttr>(op, kMicroscaling))
    return found;
  return MicroscalingAttr::get(op->getContext(), /*round_up=*/false,
                               /*square_weights=*/false, /*hadamard=*/false,
                               /*stochastic_gradients=*/false);
}

AmaxAttr prec::getAmaxOptions(Operation *op) {
  if (auto options = findAround<AmaxAttr>(op, kAmax))
    return options;
  Builder builder(op->getContext());
  FloatAttr epsilon = builder.getF64FloatAttr(kDefaultAmaxEpsilon);
  return AmaxAttr::get(op->getContext(), kDefaultAmaxHistory,
                       kDefaultAmaxAlgorithm, kDefaultAmaxMargin,
                       /*power_of_two=*/false, epsilon, epsilon, epsilon);
}

LogicalResult
LossScalingAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                        LossScalingMode, int64_t scale, int64_t interval,
                        FloatAttr growth, FloatAttr backoff) {
  // loss_scaling_c1
  if (scale < 1 || !llvm::isPowerOf2_64(scale))
    return emitError() << "a loss scale must be a power of two, but got "
                       << scale;
  // loss_scaling_c2
  if (interval < 1 || interval > kMaxGrowthInterval)
    return emitError() << "a growth interval must be in [1, "
                       << kMaxGrowthInterval << "], but got " << interval;
  // loss_scaling_c3
  if (!isGrowthFactor(growth.getValueAsDouble()))
    return emitError() << "a growth factor must be a power of two above 1, but "
                          "got "
                       << growth;
  // loss_scaling_c4
  if (!isBackoffFactor(backoff.getValueAsDouble()))
    return emitError() << "a backoff factor must be a power of two below 1, "
                          "but got "
                       << backoff;
  return success();
}

LogicalResult
MasterRoundingAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                           MasterRounding mode, int64_t iterations,
                           FloatAttr tolerance) {
  bool isSearch = mode == MasterRounding::PrecisionAware;
  // master_rounding_c1
  if (isSearch ? iterations == 0 || !tolerance : iterations != 0 || tolerance)
    return emitError() << "iterations and tolerance must come with "
                          "precision_aware, but got "
                       << stringifyMasterRounding(mode) << " with "
                       << (isSearch ? "not both" : "one");
  return success();
}

static bool isPowerOfTwo(double value) {
  int exponent;
  return std::frexp(value, &exponent) == 0.5;
}

bool prec::isGrowthFactor(double value) {
  return value > 1 && value <= kMaxScaleFactor && isPowerOfTwo(value);
}

bool prec::isBackoffFactor(double value) {
  return value < 1 && value >= 1 / kMaxScaleFactor && isPowerOfTwo(value);
}

FloatType TagAttr::getElementType() const {
  return prec::getElementType(getContext(), getFormat());
}

FloatType prec::getElementType(MLIRContext *context, Format format) {
  switch (format) {
  case Format::F32:
    return Float32Type::get(context);
  case Format::BF16:
    return BFloat16Type::get(context);
  case Format::F16:
    return Float16Type::get(context);
  case Format::E4M3:
    return Float8E4M3FNType::get(context);
  case Format::E5M2:
    return Float8E5M2Type::get(context);
  case Format::E2M1:
    return Float4E2M1FNType::get(context);
  }
  llvm_unreachable("format is an enumeration");
}

unsigned prec::getBits(Format format) {
  switch (format) {
  case Format::F32:
    return 32;
  case Format::BF16:
  case Format::F16:
    return 16;
  case Format::E4M3:
  case Format::E5M2:
    return 8;
  case Format::E2M1:
    return 4;
  }
  llvm_unreachable("format is an enumeration");
}

static const rt::FloatLayout &getLayout(Format format) {
  switch (format) {
#define PREC_FLOAT(Symbol, ...)                                                \
  case Format::Symbol:                                                         \
    return rt::k##Symbol;
#include "prec-rt/enums.def"
  }
  llvm_unreachable("format is an enumeration");
}

double prec::getMaxFinite(Format format) { return getLayout(format).largest; }

double prec::getUnitRoundoff(Format format) {
  return std::ldexp(1.0, -getLayout(format).mantissaBits - 1);
}

FailureOr<Format> prec::getFormat(Type elementType) {
  if (elementType.isF32())
    return Format::F32;
  if (elementType.isBF16())
    return Format::BF16;
  if (elementType.isF16())
    return Format::F16;
  if (isa<Float8E4M3FNType>(elementType))
    return Format::E4M3;
  if (isa<Float8E5M2Type>(elementType))
    return Format::E5M2;
  if (isa<Float4E2M1FNType>(elementType))
    return Format::E2M1;
  return failure();
}

bool prec::hasInherentTags(Operation *op) {
  return op->getDialect() && op->getDialect()->getNamespace() == "prec_train";
}

/// Where an operation keeps the tags of its results or operands.
static StringRef attributeName(Operation *op, bool results) {
  bool inherent = hasInherentTags(op);
  if (results)
    return inherent ? StringRef("result_tags") : StringRef(kResultTags);
  return inherent ? StringRef("operand_tags") : StringRef(kOperandTags);
}

static TagAttr getElement(Operation *op, StringRef name, unsigned index) {
  auto array = op->getAttrOfType<ArrayAttr>(name);
  if (!array || index >= array.size())
    return {};
  return dyn_cast<TagAttr>(array[index]);
}

static void setElement(Operation *op, StringRef name, unsigned size,
                       unsigned index, TagAttr tag) {
  SmallVector<Attribute> elements(size, UnitAttr::get(op->getContext()));
  if (auto array = op->getAttrOfType<ArrayAttr>(name))
    llvm::copy(array, elements.begin());
  elements[index] = tag;
  op->setAttr(name, ArrayAttr::get(op->getContext(), elements));
}

/// Checks one array of tags, which holds a tag or unit for each value.
static LogicalResult verifyTagArray(Operation *op, StringRef name,
                                    unsigned expected, StringRef what) {
  Attribute attribute = op->getAttr(name);
  if (!attribute)
    return success();
  auto array = dyn_cast<ArrayAttr>(attribute);
  // tags_c1
  if (!array || !llvm::all_of(array, llvm::IsaPred<TagAttr, UnitAttr>))
    return op->emitOpError() << "'" << name
                             << "' must be an array of #prec.tag or unit, but "
                                "got "
                             << attribute;
  // tags_c2
  if (array.size() != expected)
    return op->emitOpError()
           << "'" << name << "' must have one entry for each of its "
           << expected << " " << what << ", but got " << array.size();
  return success();
}

LogicalResult prec::verifyTags(Operation *op) {
  return failure(failed(verifyTagArray(op, attributeName(op, /*results=*/true),
                                       op->getNumResults(), "results")) ||
                 failed(verifyTagArray(op, attributeName(op, /*results=*/false),
                                       op->getNumOperands(), "operands")));
}

TagAttr prec::getResultTag(Operation *op, unsigned result) {
  return getElement(op, attributeName(op, /*results=*/true), result);
}

TagAttr prec::getOperandTag(Operation *op, unsigned operand) {
  return getElement(op, attributeName(op, /*results=*/false), operand);
}

void prec::setResultTag(Operation *op, unsigned result, TagAttr tag) {
  setElement(op, attributeName(op, /*results=*/true), op->getNumResults(),
             result, tag);
}

void prec::setOperandTag(Operation *op, unsigned operand, TagAttr tag) {
  setElement(op, attributeName(op, /*results=*/false), op->getNumOperands(),
             operand, tag);
}

void prec::clearTags(Operation *op) {
  op->removeAttr(attributeName(op, /*results=*/true));
  op->removeAttr(attributeName(op, /*results=*/false));
}

TagAttr prec::getTag(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return getResultTag(result.getOwner(), result.getResultNumber());
  auto argument = cast<BlockArgument>(value);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function)
    return {};
  return function.getArgAttrOfType<TagAttr>(argument.getArgNumber(), kTag);
}
