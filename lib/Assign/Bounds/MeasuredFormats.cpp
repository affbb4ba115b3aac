//===- MeasuredFormats.cpp - a candidate as measurements name it ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Bounds/MeasuredFormats.h"

using namespace mlir;
using namespace prec;

ContractionFormats prec::getFormats(const Candidate &candidate) {
  ContractionFormats formats;
  formats.lhs = stringifyFormat(candidate.uses[0].format).str();
  formats.rhs = stringifyFormat(candidate.uses[1].format).str();
  formats.result = stringifyFormat(candidate.result).str();
  formats.scaling = stringifyScaling(candidate.uses[0].scaling).str();
  formats.accumulator =
      stringifyAccumulator(candidate.uses[0].accumulator).str();
  return formats;
}
