//===- RecipeKeepHigh.cpp - what a recipe keeps high ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Recipe/RecipeParts.h"

using namespace mlir;
using namespace prec;
using llvm::Error;

static constexpr TensorClass kClasses[] = {
    TensorClass::Head,        TensorClass::Embedding,  TensorClass::Norm,
    TensorClass::Softmax,     TensorClass::Attention,  TensorClass::Residual,
    TensorClass::Reduction,   TensorClass::Loss,       TensorClass::Router,
    TensorClass::Rotary,      TensorClass::Optimizer,  TensorClass::Clipping,
    TensorClass::Convolution, TensorClass::Contrastive};

bool prec::isAlwaysF32(TensorClass tensorClass, Aspect aspect) {
  return aspect == Aspect::Inside ||
         (aspect == Aspect::Stores && (tensorClass == TensorClass::Loss ||
                                       tensorClass == TensorClass::Clipping));
}

static Error readRule(FormatReader &reader, const JsonValue &json,
                      Recipe &recipe) {
  SmallVector<StringRef> keys = {"reference"};
  for (unsigned i = 0; i < kNumAspects; ++i)
    keys.push_back(stringifyAspect(static_cast<Aspect>(i)));
  if (Error error = reader.checkObject(json, {"class", "reason"}, keys))
    return error;
  SmallVector<StringRef> classes;
  for (TensorClass tensorClass : kClasses)
    classes.push_back(stringifyTensorClass(tensorClass));
  unsigned index = 0;
  const JsonValue &name = *json.find("class");
  if (Error error = reader.readName(name, "class", classes, index))
    return error;
  auto &aspects = recipe.keepHigh[static_cast<unsigned>(kClasses[index])];
  ReasonedFormat rule;
  if (Error error = reader.readReason(json, rule))
    return error;
  bool any = false;
  for (unsigned i = 0; i < kNumAspects; ++i) {
    Aspect aspect = static_cast<Aspect>(i);
    const JsonValue *format = json.find(stringifyAspect(aspect));
    if (!format)
      continue;
    any = true;
    if (aspects[i])
      return reader.fail(format->position, "a class must have one rule for '" +
                                               stringifyAspect(aspect) +
                                               "', but got '" + name.text +
                                               "' again");
    FormatPlace place = isAlwaysF32(kClasses[index], aspect)
                            ? FormatPlace::Exact
                            : FormatPlace::Storage;
    if (Error error = reader.readFormat(*format, place, rule.format))
      return error;
    rule.dtype = symbolizeDtype(format->text);
    aspects[i] = rule;
    if (std::string why = reader.findOverride(*format); !why.empty())
      aspects[i] = {rule.format, why, "", rule.dtype};
  }
  if (!any)
    return reader.fail(
        json.position,
        "a rule must have 'reads', 'stores', 'parameter' or 'inside'");
  return Error::success();
}

Error prec::readKeepHigh(FormatReader &reader, const JsonValue &json,
                         Recipe &recipe) {
  if (Error error = reader.checkArray(json, "keep_high"))
    return error;
  for (const JsonValue &entry : json.elements)
    if (Error error = readRule(reader, entry, recipe))
      return error;
  return Error::success();
}
