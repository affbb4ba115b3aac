//===- SelectMachine.h - whose times decide for a target --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_COST_SELECTMACHINE_H
#define PREC_LIB_ASSIGN_COST_SELECTMACHINE_H

#include "prec/Target/Target.h"
#include "prec/Policy/MeasuredPolicy.h"

namespace prec {

/// Whether times of a machine are of a target: of one of its GPUs, or of a CPU
/// where it has none. A benchmark calls CPUs "CPU AMD EPYC, 8 threads".
bool isMachineOf(const Machine &machine, const Target &target);

/// Leaves one machine of a policy: the one that `gpu`, a part of its name,
/// names, or without that the only one of the target. Times of another target's
/// GPU are refused; the CPU, which computes what any GPU would, takes those of
/// a GPU that is named. Errors list the machines of the file.
llvm::Error selectMachine(MeasuredPolicy &policy, llvm::StringRef fileName,
                          llvm::StringRef gpu, const Target &target);

} // namespace prec

#endif // PREC_LIB_ASSIGN_COST_SELECTMACHINE_H
