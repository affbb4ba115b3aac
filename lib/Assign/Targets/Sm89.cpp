//===- Sm89.cpp - what Ada's matrix units multiply ------------------------===//
#include "Targets.h"

using namespace mlir;
using namespace mlir::prec;
using namespace mlir::prec::targets;

/// FP8 with per-tensor scales only.
static constexpr ArrayRef<Product> kProducts[] = {kPlain, kTensorFp8};

const Target targets::kSm89 = {"sm_89", kProducts};
