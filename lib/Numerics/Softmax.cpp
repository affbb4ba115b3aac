//===- Softmax.cpp - probabilities and logits in narrow formats -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/Bounds.h"

#include <cmath>

using namespace prec;

SoftmaxTail prec::getSoftmaxTail(const FloatFormat &format, double gap) {
  double probability = std::exp(-gap);
  double stored = format.round(probability);
  return {probability, stored, stored == 0};
}

double prec::getLargestSoftmaxGap(const FloatFormat &format, double scale) {
  return std::log(scale) - std::log(format.getMinSubnormal() / 2);
}

LogitRange prec::getLogitRange(const FloatFormat &format, double largest) {
  double error = format.getUlp(largest) / 2;
  return {std::abs(largest) > format.maxFinite, error, std::exp(error)};
}
