//===- Sm80.cpp - what Ampere's matrix units multiply ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets/Nvptx/NvptxTarget.h"
#include "Targets/Products.h"

using namespace mlir;
using namespace prec;
using namespace prec::targets;

/// The A100: no FP8.
static constexpr ArrayRef<Product> kSm80Products[] = {kPlain};

static constexpr llvm::StringLiteral kSm80Gpus[] = {"A30", "A100", "A800"};

const NvptxChip targets::kSm80 = {"sm_80", kSm80Products, std::nullopt,
                                  kSm80Gpus};
