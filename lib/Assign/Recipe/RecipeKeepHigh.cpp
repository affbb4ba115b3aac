//===- RecipeKeepHigh.cpp - what a recipe keeps high ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Recipe/RecipeReader.h"

using namespace mlir;
using namespace prec;
using llvm::Error;

static constexpr TensorClass kClasses[] = {
    TensorClass::Head,      TensorClass::Embedding, TensorClass::Norm,
    TensorClass::Softmax,   TensorClass::Attention, TensorClass::Residual,
    TensorClass::Reduction, TensorClass::Loss,      TensorClass::Router,
    TensorClass::Rotary,    TensorClass::Optimizer, TensorClass::Clipping};

bool prec::isAlwaysF32(TensorClass tensorClass, Aspect aspect) {
  return aspect == Aspect::Inside ||
         (aspect == Aspect::Stores && (tensorClass == TensorClass::Loss ||
                                       tensorClass == TensorClass::Clipping));
}

Error RecipeReader::readRule(const JsonValue &json, Recipe &recipe) {
  SmallVector<StringRef> keys = {"reference"};
  for (unsigned i = 0; i < kNumAspects; ++i)
    keys.push_back(stringifyAspect(static_cast<Aspect>(i)));
  if (Error error = checkObject(json, {"class", "reason"}, keys))
    return error;
  SmallVector<StringRef> classes;
  for (TensorClass tensorClass : kClasses)
    classes.push_back(stringifyTensorClass(tensorClass));
  unsigned index = 0;
  const JsonValue &name = *json.find("class");
  if (Error error = readName(name, "class", classes, index))
    return error;
  auto &aspects = recipe.keepHigh[static_cast<unsigned>(kClasses[index])];
  ReasonedFormat rule;
  if (Error error = readReason(json, rule))
    return error;
  bool any = false;
  for (unsigned i = 0; i < kNumAspects; ++i) {
    Aspect aspect = static_cast<Aspect>(i);
    const JsonValue *format = json.find(stringifyAspect(aspect));
    if (!format)
      continue;
    any = true;
    if (aspects[i])
      return fail(format->position, "a class must have one rule for '" +
                                        stringifyAspect(aspect) +
                                        "', but got '" + name.text + "' again");
    Place place =
        isAlwaysF32(kClasses[index], aspect) ? Place::Exact : Place::Storage;
    if (Error error = readFormat(*format, place, rule.format))
      return error;
    rule.dtype = symbolizeDtype(format->text);
    aspects[i] = rule;
    if (std::string why = findOverride(*format); !why.empty())
      aspects[i] = {rule.format, why, "", rule.dtype};
  }
  if (!any)
    return fail(json.position,
                "a rule must have 'reads', 'stores', 'parameter' or 'inside'");
  return Error::success();
}

Error RecipeReader::readKeepHigh(const JsonValue &json, Recipe &recipe) {
  if (Error error = checkArray(json, "keep_high"))
    return error;
  for (const JsonValue &entry : json.elements)
    if (Error error = readRule(entry, recipe))
      return error;
  return Error::success();
}
