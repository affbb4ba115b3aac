//===- LoadPolicy.h - the files of a policy ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_POLICY_LOADPOLICY_H
#define PREC_LIB_ASSIGN_POLICY_LOADPOLICY_H

#include "prec/Target/Target.h"
#include "prec/Assign/PolicyChoices.h"

namespace prec {

/// Reads a policy, a map of modules (none if `mapFile` is empty) and the
/// policies that the map names, relative to its folder. Of policies of version
/// 2 one machine is left, by `gpu` and the target (selectMachine); without any
/// of version 2 a `gpu` is refused.
llvm::Expected<PolicySources> loadPolicy(llvm::StringRef policyFile,
                                         llvm::StringRef mapFile,
                                         llvm::StringRef gpu,
                                         const Target &target);

} // namespace prec

#endif // PREC_LIB_ASSIGN_POLICY_LOADPOLICY_H
