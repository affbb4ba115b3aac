//===- FollowPolicy.h - a policy chooses a candidate ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_POLICY_FOLLOWPOLICY_H
#define PREC_LIB_ASSIGN_POLICY_FOLLOWPOLICY_H

#include "prec/Assign/Assignment.h"

namespace prec {

/// If the winner so far reads scaled formats and an unscaled candidate is
/// permitted, too, the policy says which of them it is.
void followPolicy(const PolicyChoices &policy, ContractionChoice &choice,
                  Assignment &assignment);

} // namespace prec

#endif // PREC_LIB_ASSIGN_POLICY_FOLLOWPOLICY_H
