//===- Sm90a.cpp - what Hopper's matrix units multiply --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets/Nvptx/NvptxTarget.h"
#include "Targets/Products.h"

using namespace mlir;
using namespace prec;
using namespace prec::targets;

/// Row scales (cuBLASLt's outer vectors) and blocks are kernels of this target
/// only.
static constexpr ArrayRef<Product> kSm90aProducts[] = {kPlain, kTensorFp8,
                                                       kRowFp8, kBlockFp8};

static constexpr llvm::StringLiteral kSm90aGpus[] = {"H20", "H100", "H200",
                                                     "H800", "GH200"};

const NvptxChip targets::kSm90a = {
    "sm_90a",   kSm90aProducts,      kHopperFast,
    kSm90aGpus, /*hasGrouped=*/true, AttentionLibrary::CuDnnLargeHeads};
