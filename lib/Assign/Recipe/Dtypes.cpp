//===- Dtypes.cpp - the five dtypes of a training step --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Dtypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace prec;
using llvm::Expected;

namespace {
struct DtypeRule {
  StringRef name;
  ArrayRef<Format> options;
  StringRef refusal;
};
} // namespace

static constexpr Format kWide[] = {Format::F32, Format::BF16};
static constexpr Format kForward[] = {Format::F32, Format::BF16, Format::E4M3};
static constexpr Format kBackward[] = {Format::F32, Format::BF16, Format::E5M2};

/// The table of parameters of Surogate's "Mixed-Precision Training".
static constexpr DtypeRule kRules[kNumDtypes] = {
    {"model_dtype", kWide,
     "kernels of weights outside of matmuls have no other"},
    {"matmul_dtype", kForward,
     "e5m2, fp16 and e2m1 are not supported in the forward pass (fp16 and "
     "nvfp4 are recipes)"},
    {"gradient_dtype", kBackward,
     "fp16, e4m3 and e2m1 are not supported for gradients"},
    {"master_dtype", kWide, "only fp32 and bf16 masters are supported"},
    {"lora_dtype", kWide,
     "only conversions between fp32 and bf16 are supported"},
};

static constexpr Format kFormats[] = {Format::F32,  Format::BF16, Format::F16,
                                      Format::E4M3, Format::E5M2, Format::E2M1};

StringRef prec::stringifyDtype(Dtype dtype) {
  return kRules[static_cast<unsigned>(dtype)].name;
}

std::string prec::getOptionName(Dtype dtype) {
  std::string name = stringifyDtype(dtype).str();
  llvm::replace(name, '_', '-');
  return name;
}

std::optional<Dtype> prec::symbolizeDtype(StringRef name) {
  for (auto [index, rule] : llvm::enumerate(kRules))
    if (rule.name == name)
      return static_cast<Dtype>(index);
  return std::nullopt;
}

StringRef prec::stringifyDtypeFormat(Format format) {
  return format == Format::F32   ? "fp32"
         : format == Format::F16 ? "fp16"
                                 : stringifyFormat(format);
}

Expected<Format> prec::parseDtype(Dtype dtype, StringRef text) {
  const DtypeRule &rule = kRules[static_cast<unsigned>(dtype)];
  for (Format format : rule.options)
    if (stringifyDtypeFormat(format) == text)
      return format;
  std::string options = llvm::join(
      llvm::map_range(rule.options,
                      [](Format format) {
                        return ("'" + stringifyDtypeFormat(format) + "'").str();
                      }),
      ", ");
  bool isKnown = llvm::any_of(kFormats, [&](Format format) {
    return stringifyDtypeFormat(format) == text;
  });
  return llvm::createStringError(rule.name + " must be one of " + options +
                                 ", but got '" + text + "'" +
                                 (isKnown ? ": " + rule.refusal : Twine()));
}

bool Dtypes::any() const {
  return llvm::any_of(set, [](const std::optional<Format> &format) {
    return format.has_value();
  });
}

bool Dtypes::isGradientReplaced() const {
  return !(*this)[Dtype::Gradient] && get(Dtype::Matmul) == Format::E4M3;
}

Format Dtypes::get(Dtype dtype) const {
  if ((*this)[dtype])
    return *(*this)[dtype];
  switch (dtype) {
  case Dtype::Model:
    return Format::BF16;
  case Dtype::Matmul:
  case Dtype::Master:
    return get(Dtype::Model);
  case Dtype::Gradient:
    return isGradientReplaced() ? Format::E5M2 : get(Dtype::Matmul);
  case Dtype::Lora:
    return Format::F32;
  }
  llvm_unreachable("dtype is an enumeration");
}

Dtypes Dtypes::overriddenBy(const Dtypes &over) const {
  Dtypes both = *this;
  for (auto [mine, theirs] : llvm::zip_equal(both.set, over.set))
    if (theirs)
      mine = theirs;
  return both;
}
