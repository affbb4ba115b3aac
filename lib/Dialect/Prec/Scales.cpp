//===- Scales.cpp - what one scale is of ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Prec/Prec.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace prec;

std::optional<Scaling> prec::symbolizeScaling(StringRef name) {
  for (uint32_t i = 0; i <= getMaxEnumValForScaling(); ++i)
    if (Scaling scaling{i}; stringifyScaling(scaling) == name)
      return scaling;
  return std::nullopt;
}

FailureOr<Scaling> prec::parseScaling(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  if (failed(parser.parseKeywordOrString(&name)))
    return failure();
  if (std::optional<Scaling> scaling = symbolizeScaling(name))
    return *scaling;
  auto names = llvm::map_range(
      kScalings, [](const ScalingTraits &row) { return row.name; });
  return parser.emitError(loc, "a scaling must be one of ")
         << llvm::join(names, ", ") << ", but got '" << name << "'";
}

Scaling prec::getDefaultScaling(Format format) {
  if (!isNarrow(format))
    return Scaling::None;
  if (isFp8(format))
    return Scaling::TensorCurrent;
  for (uint32_t i = 0; i <= getMaxEnumValForScaling(); ++i)
    if (Scaling scaling{i}; isOfFp4(scaling))
      return scaling;
  llvm_unreachable("a scaling is of fp4");
}

RankedTensorType prec::getScaleType(RankedTensorType tensor, Scaling scaling) {
  std::vector<int64_t> shape;
  if (isFine(scaling))
    shape = traitsOf(scaling).scaleShape(tensor.getDimSize(0),
                                         tensor.getDimSize(1));
  return RankedTensorType::get(shape, Float32Type::get(tensor.getContext()));
}

static Type getScaleInvElement(MLIRContext *context, Scaling scaling) {
  switch (traitsOf(scaling).format) {
  case ScaleFormat::F32:
    return Float32Type::get(context);
  case ScaleFormat::F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  case ScaleFormat::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  }
  llvm_unreachable("format is an enumeration");
}

RankedTensorType prec::getScaleInvsOf(RankedTensorType scales,
                                      Scaling scaling) {
  return RankedTensorType::get(
      traitsOf(scaling).scaleInvShape(scales.getShape().vec()),
      getScaleInvElement(scales.getContext(), scaling));
}

RankedTensorType prec::getScaleInvType(RankedTensorType tensor,
                                       Scaling scaling) {
  return getScaleInvsOf(getScaleType(tensor, scaling), scaling);
}

RankedTensorType prec::getGroupedView(RankedTensorType operand,
                                      Scaling scaling) {
  if (operand.getRank() != 3)
    return operand;
  ArrayRef<int64_t> shape = operand.getShape();
  if (isTensorScaling(scaling))
    return operand.clone({shape[0], shape[1] * shape[2]});
  return operand.clone({shape[0] * shape[1], shape[2]});
}

RankedTensorType prec::getGroupedScaleInvType(RankedTensorType operand,
                                              Scaling scaling, int64_t groups) {
  if (isTensorScaling(scaling))
    return RankedTensorType::get({groups},
                                 Float32Type::get(operand.getContext()));
  return getScaleInvType(getGroupedView(operand, scaling), scaling);
}

std::optional<std::string> prec::findGroupedProblem(ArrayRef<int64_t> matrix,
                                                    Scaling scaling) {
  const ScalingTraits &traits = traitsOf(scaling);
  if (traits.isMicro())
    return (stringifyScaling(scaling) + " is of no grouped product").str();
  if (traits.isFine() && matrix.front() % traits.rows)
    return (Twine(matrix.front()) + " rows of an expert are no multiple of " +
            Twine(traits.rows) + ", so that blocks would be of two experts")
        .str();
  return std::nullopt;
}

/// Why `scales` are not of the type that `getType` gives them.
static std::optional<std::string>
findProblem(RankedTensorType tensor, Scaling scaling, Type scales,
            function_ref<RankedTensorType(RankedTensorType, Scaling)> getType) {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (scaling == Scaling::None)
    stream << "scales must have a scaling, but got none";
  else if (isFine(scaling) && tensor.getRank() != 2)
    stream << scaling << " scales must be of a matrix, but got '" << tensor
           << "'";
  else if (RankedTensorType type = getType(tensor, scaling); type != scales)
    stream << scaling << " scales of '" << tensor << "' must be '" << type
           << "', but got '" << scales << "'";
  else
    return std::nullopt;
  return problem;
}

std::optional<std::string>
prec::findScaleProblem(RankedTensorType tensor, Scaling scaling, Type scales) {
  return findProblem(tensor, scaling, scales, getScaleType);
}

std::optional<std::string> prec::findScaleInvProblem(RankedTensorType tensor,
                                                     Scaling scaling,
                                                     Type scaleInvs) {
  auto problem = findProblem(tensor, scaling, scaleInvs, getScaleInvType);
  return problem ? std::optional("inverse " + *problem) : std::nullopt;
}

RankedTensorType prec::getUnpackedType(RankedTensorType stored) {
  if (!stored.getElementType().isInteger(8))
    return stored;
  SmallVector<int64_t> shape(stored.getShape());
  shape.back() *= 2;
  return RankedTensorType::get(shape,
                               Float4E2M1FNType::get(stored.getContext()));
}
