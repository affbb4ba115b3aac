//===- Bytes.cpp - amounts of memory as text ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/Bytes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

std::string prec::printBinaryBytes(double bytes, int digits) {
  static constexpr llvm::StringRef kUnits[] = {"B",   "KiB", "MiB",
                                               "GiB", "TiB", "PiB"};
  unsigned unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.*f ", unit == 0 ? 0 : digits, bytes) << kUnits[unit];
  return text;
}

llvm::Expected<int64_t> prec::parseByteSize(llvm::StringRef text,
                                            llvm::StringRef name) {
  static constexpr std::pair<llvm::StringRef, double> kUnits[] = {
      {"KiB", 1024.0},
      {"MiB", 1024.0 * 1024},
      {"GiB", 1024.0 * 1024 * 1024},
      {"TiB", 1024.0 * 1024 * 1024 * 1024}};
  llvm::StringRef number = text;
  double scale = 1, value = 0;
  for (auto [unit, bytes] : kUnits)
    if (number.consume_back(unit))
      scale = bytes;
  constexpr double kMost = 1e18;
  // Not a number fails every comparison.
  if (number.trim().getAsDouble(value) || !(value > 0) ||
      !(value * scale < kMost))
    return llvm::createStringError(name +
                                   " must be a number of bytes, KiB, "
                                   "MiB, GiB or TiB, but got '" +
                                   text + "'");
  return static_cast<int64_t>(value * scale);
}
