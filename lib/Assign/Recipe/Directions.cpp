//===- Directions.cpp - names of a contraction's directions ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classification.h"

#include "prec/Support/Names.h"

llvm::StringRef prec::stringifyDirection(Direction direction) {
  return getDirectionNames()[static_cast<unsigned>(direction)];
}
