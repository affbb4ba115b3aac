//===- Names.cpp - names that files share with tags -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/Names.h"

using namespace prec;
using llvm::ArrayRef;
using llvm::StringRef;

ArrayRef<StringRef> prec::getFormatNames() {
  static constexpr StringRef kNames[] = {
#define PREC_FLOAT(Symbol, name, ...) #name,
#include "prec-rt/enums.def"
  };
  return kNames;
}

ArrayRef<StringRef> prec::getScalingNames() {
  static constexpr StringRef kNames[] = {
#define PREC_SCALING(Symbol, name, ...) #name,
#include "prec-rt/scalings.def"
  };
  return kNames;
}

ArrayRef<StringRef> prec::getAccumulatorNames() {
  static constexpr StringRef kNames[] = {
#define PREC_ACCUMULATOR(Symbol, name) #name,
#include "prec-rt/enums.def"
  };
  return kNames;
}

ArrayRef<StringRef> prec::getDirectionNames() {
  static constexpr StringRef kNames[] = {
#define PREC_DIRECTION(Symbol, name) #name,
#include "prec-rt/enums.def"
  };
  return kNames;
}

ArrayRef<StringRef> prec::getPhaseNames() {
  static constexpr StringRef kNames[] = {"forward", "recompute", "backward",
                                         "optimizer"};
  return kNames;
}
