//===- ChooseByCost.h - the cheapest candidates together --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_COST_CHOOSEBYCOST_H
#define PREC_LIB_ASSIGN_COST_CHOOSEBYCOST_H

#include "prec/Assign/Assignment.h"

namespace prec {

/// Where nothing has won yet: makes the permitted candidates with which the
/// step is fastest the winners, and prices all of them. At equal prices the
/// recipe's first choice stays.
void chooseByCost(const Graph &graph, const Classification &facts,
                  const Recipe &recipe, const Target &target,
                  const AssignmentInputs &inputs, Assignment &assignment);

} // namespace prec

#endif // PREC_LIB_ASSIGN_COST_CHOOSEBYCOST_H
