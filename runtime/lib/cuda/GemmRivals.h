//===- GemmRivals.h - algorithms measured where they are used ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_GEMMRIVALS_H
#define PREC_RT_CUDA_GEMMRIVALS_H

#include "AlgorithmFile.h"
#include "GemmPlanner.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace prec::rt {

/// Plans by problem, not by command: layers share them.
using GemmPlans = std::map<std::string, GemmPlan>;
/// The plan of a product of the module.
using FindPlan = std::function<Result<GemmPlan *>(const Gemm &)>;
/// Milliseconds of each command, run in order; before the i-th is launched,
/// `prepare(i)` is called.
using TimeCommands = std::function<Result<std::vector<double>>(
    const std::vector<const Command *> &commands,
    const std::function<void(size_t)> &prepare)>;

/// Chooses between the rivals of the products of an entry point by what they
/// take in it, in runs that end before anything of the state is written.
Status chooseRivals(const std::vector<Command> &commands,
                    const Manifest &manifest, GemmPlans &plans,
                    AlgorithmFile &algorithms, const FindPlan &findPlan,
                    const TimeCommands &time);

} // namespace prec::rt

#endif // PREC_RT_CUDA_GEMMRIVALS_H
