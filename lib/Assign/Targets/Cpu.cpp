//===- Cpu.cpp - what the CPU multiplies ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Targets/Targets.h"

using namespace mlir;
using namespace prec;
using namespace prec::targets;

/// The CPU computes what a GPU would, so it has the products of all of them
/// with the limits of sm_90a and sm_100a: one graph is assigned alike for a GPU
/// and the CPU and can be compared. Sums are FP32 in every mode.
static constexpr ArrayRef<Product> kProducts[] = {
    kPlain, kTensorFp8AnySum, kRowFp8AnySum, kBlockFp8AnySum, kMxFp8, kNvfp4};

const Target targets::kCpu = {"cpu", kProducts};
