//===- Bytes.cpp - amounts of memory as text ------------------------------===//
#include "prec/Support/Bytes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

std::string mlir::prec::printBinaryBytes(double bytes, int digits) {
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
