//===- Names.cpp - names that files share with tags -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/Names.h"

using namespace prec;
using llvm::ArrayRef;
using llvm::StringRef;

ArrayRef<StringRef> prec::getFormatNames() {
  static constexpr StringRef kNames[] = {"f32",  "bf16", "f16",
                                         "e4m3", "e5m2", "e2m1"};
  return kNames;
}

ArrayRef<StringRef> prec::getScalingNames() {
  static constexpr StringRef kNames[] = {
      "none",        "tensor_current", "tensor_delayed", "row",
      "block_1x128", "block_128x128",  "mx_1x32",        "nvfp4_1x16"};
  return kNames;
}

ArrayRef<StringRef> prec::getAccumulatorNames() {
  static constexpr StringRef kNames[] = {"full", "fast", "promoted"};
  return kNames;
}

ArrayRef<StringRef> prec::getDirectionNames() {
  static constexpr StringRef kNames[] = {"fprop", "dgrad", "wgrad"};
  return kNames;
}

ArrayRef<StringRef> prec::getPhaseNames() {
  static constexpr StringRef kNames[] = {"forward", "recompute", "backward",
                                         "optimizer"};
  return kNames;
}
