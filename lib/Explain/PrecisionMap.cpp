//===- PrecisionMap.cpp - texts about decisions ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Explain/PrecisionMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace prec;

std::string MapFormat::print() const {
  std::string text = format;
  if (scaling != "none")
    text += ", " + scaling;
  if (accumulator != "full")
    text += ", " + accumulator;
  return text;
}

std::string MapCandidate::getName() const {
  return reads[0].format + " x " + reads[1].format;
}

std::string MapBeaten::getLossReason() const {
  return veto == "none" ? reason : veto + ": " + reason;
}

std::string prec::printRanges(llvm::ArrayRef<int64_t> numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
      ++end;
    if (!text.empty())
      text += ", ";
    text += std::to_string(numbers[i]);
    if (end > i + 1)
      text += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string prec::printShape(llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(llvm::map_range(shape,
                                    [](int64_t size) {
                                      return size < 0 ? std::string("?")
                                                      : std::to_string(size);
                                    }),
                    "x");
}
