//===- StateValues.cpp - what a training's state may be -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StateValues.h"

#include "FloatConvert.h"

#include <algorithm>
#include <cmath>

using namespace prec::rt;

/// Scale states of the training itself, whatever its recipe.
static constexpr std::string_view kLossScale = "loss_scale",
                                  kGoodSteps = "loss_scale_good_steps",
                                  kSkippedSteps = "skipped_steps";

Status prec::rt::checkDataPosition(int64_t position) {
  if (position >= 0 && position <= kMaxDataPosition)
    return {};
  return Status::invalidArgument(
      "data_position must be a count of tokens in [0, 2^62], "
      "but got " +
      std::to_string(position));
}

Status prec::rt::checkTensorName(std::string_view name) {
  if (name == "__metadata__")
    return Status::badFile("a tensor's name must not be '__metadata__', which "
                           "safetensors files use themselves, but is");
  for (unsigned char byte : name)
    if (byte < 0x20 || byte == 0x7f)
      return Status::badFile("names must not hold control characters, but got "
                             "code " +
                             std::to_string(byte));
  return {};
}

static bool isPowerOfTwo(float value) {
  int exponent = 0;
  return value > 0 && std::isfinite(value) &&
         std::frexp(value, &exponent) == 0.5f;
}

/// What is wrong with an element; nothing if it may be there.
static const char *findRule(const Binding &binding, float value) {
  if (binding.role == Role::scaleState) {
    if (binding.name == kLossScale)
      return isPowerOfTwo(value) ? nullptr : "must be a power of two";
    if (binding.name == kGoodSteps || binding.name == kSkippedSteps)
      return value >= 0 && std::isfinite(value) && value == std::floor(value)
                 ? nullptr
                 : "must be a count";
    // A scale may be infinite where an amax is zero.
    return std::isnan(value) ? "must be numbers" : nullptr;
  }
  return std::isfinite(value) ? nullptr : "must be finite";
}

Status prec::rt::checkState(const Binding &binding, DType dtype,
                            const void *data, int64_t count, int64_t first) {
  bool isState = binding.role == Role::parameter ||
                 binding.role == Role::optimizerState ||
                 binding.role == Role::scaleState;
  if (!isState || !isFloat(dtype))
    return {};
  const char *bytes = static_cast<const char *>(data);
  constexpr int64_t chunk = 4096;
  std::vector<float> values(std::min(chunk, count));
  for (int64_t i = 0; i < count; i += chunk) {
    int64_t some = std::min(chunk, count - i);
    toFloat(dtype, bytes + i * byteSize(dtype), values.data(), some);
    for (int64_t j = 0; j < some; ++j)
      if (const char *rule = findRule(binding, values[j]))
        return Status::badValue(std::string(rule) + ", but got " +
                                std::to_string(values[j]) + " at position " +
                                std::to_string(first + i + j));
  }
  return {};
}
