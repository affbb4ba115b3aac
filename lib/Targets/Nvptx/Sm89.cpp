//===- Sm89.cpp - what Ada's matrix units multiply ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets/Nvptx/NvptxTarget.h"
#include "Targets/Products.h"

using namespace mlir;
using namespace prec;
using namespace prec::targets;

/// FP8 with per-tensor scales only.
static constexpr ArrayRef<Product> kSm89Products[] = {kPlain, kTensorFp8};

static constexpr llvm::StringLiteral kSm89Gpus[] = {
    "L2", "L4", "L20", "L40", "L40S", "Ada", "4060", "4070", "4080", "4090"};

const NvptxChip targets::kSm89 = {"sm_89", kSm89Products, kAdaFast, kSm89Gpus};
