//===- RandomProblems.h - labelling problems for tests ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_CHOOSE_RANDOMPROBLEMS_H
#define PREC_UNITTESTS_CHOOSE_RANDOMPROBLEMS_H

#include "prec/Choose/Labelling.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <random>

namespace prec::test {

/// The same numbers in every run.
std::mt19937 makeRandom(unsigned seed);

/// Up to 16 decisions of up to `mostLabels` labels, and shared costs. With two
/// labels each shared cost belongs to one of them, as copies in a format do.
LabellingProblem makeRandomProblem(std::mt19937 &random, unsigned mostLabels);

/// Visits every labelling.
void forEachLabelling(const LabellingProblem &problem,
                      llvm::function_ref<void(llvm::ArrayRef<uint32_t>)> visit);
/// The least cost of all labellings.
int64_t findLeastCost(const LabellingProblem &problem);

} // namespace prec::test

#endif // PREC_UNITTESTS_CHOOSE_RANDOMPROBLEMS_H
