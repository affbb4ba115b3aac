//===- Sm100a.cpp - what Blackwell's matrix units multiply ----------------===//
#include "Targets.h"

using namespace mlir;
using namespace mlir::prec;
using namespace mlir::prec::targets;

/// Microscaling is hardware here; row and 128-element scales are not offered.
/// FP8 with per-tensor scales takes any layout.
static constexpr ArrayRef<Product> kProducts[] = {kPlain, kTensorFp8AnyLayout,
                                                  kMxFp8, kNvfp4};

const Target targets::kSm100a = {"sm_100a", kProducts};
