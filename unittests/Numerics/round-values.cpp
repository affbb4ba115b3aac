//===- round-values.cpp - rounding, as a filter ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// round-values FORMAT saturate|special: f64 values from the standard input to
// the standard output, rounded.
//
//===----------------------------------------------------------------------===//
#include "prec/Numerics/FloatFormat.h"

#include <cstdio>

using namespace prec;

int main(int argc, char **argv) {
  const FloatFormat *format = argc == 3 ? findFloatFormat(argv[1]) : nullptr;
  if (!format) {
    std::fprintf(stderr, "usage: round-values FORMAT saturate|special\n");
    return 2;
  }
  Overflow overflow = llvm::StringRef(argv[2]) == "special"
                          ? Overflow::Special
                          : Overflow::Saturate;
  double value;
  while (std::fread(&value, sizeof value, 1, stdin) == 1) {
    value = format->round(value, overflow);
    if (std::fwrite(&value, sizeof value, 1, stdout) != 1)
      return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
