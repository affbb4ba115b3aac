//===- Recipe.cpp - parts of recipes --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Recipe.h"

#include "prec/Assign/Decision.h"

using namespace mlir;
using namespace prec;

StringRef prec::stringifyStorageKind(StorageKind kind) {
  static constexpr StringRef kNames[] = {"activation",      "gradient",
                                         "weight_gradient", "master",
                                         "moment",          "statistic"};
  return kNames[static_cast<unsigned>(kind)];
}

bool prec::isAlwaysF32(StorageKind kind) {
  return kind == StorageKind::Moment || kind == StorageKind::Statistic;
}

StringRef prec::stringifyAspect(Aspect aspect) {
  static constexpr StringRef kNames[] = {"reads", "stores", "parameter",
                                         "inside"};
  return kNames[static_cast<unsigned>(aspect)];
}

std::string prec::getReasonText(const ReasonedFormat &rule) {
  return rule.reference.empty() ? rule.reason
                                : rule.reason + " (" + rule.reference + ")";
}

std::string prec::getRuleText(TensorClass tensorClass,
                              const ReasonedFormat &rule) {
  return (stringifyTensorClass(tensorClass) + ": ").str() + getReasonText(rule);
}
