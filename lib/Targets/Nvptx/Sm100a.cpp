//===- Sm100a.cpp - what Blackwell's matrix units multiply ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets/Nvptx/NvptxTarget.h"
#include "Targets/Products.h"

using namespace mlir;
using namespace prec;
using namespace prec::targets;

/// Microscaling is hardware here; row and 128-element scales are not offered.
/// FP8 with per-tensor scales takes any layout. All modes are one accumulator.
static constexpr ArrayRef<Product> kSm100aProducts[] = {
    kPlain, kTensorFp8AnyLayout, kMxFp8, kNvfp4};

static constexpr llvm::StringLiteral kSm100aGpus[] = {"B100", "B200", "GB200"};

const NvptxChip targets::kSm100a = {"sm_100a", kSm100aProducts, kBlackwell,
                                    kSm100aGpus};
