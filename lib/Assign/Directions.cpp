//===- Directions.cpp - names of a contraction's directions ---------------===//
#include "prec/Assign/Classify.h"

#include "prec/Support/Names.h"

llvm::StringRef prec::stringifyDirection(Direction direction) {
  return getDirectionNames()[static_cast<unsigned>(direction)];
}
