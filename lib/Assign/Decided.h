//===- Decided.h - a function with its decisions ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_DECIDED_H
#define PREC_LIB_ASSIGN_DECIDED_H

#include "prec/Assign/Assignment.h"
#include "prec/Assign/Projection.h"
#include "prec/Support/LLVM.h"

namespace prec {

struct DecidedFunction {
  FunctionOpInterface function;
  Projection projection;
  Classification facts;
  Assignment assignment;
  /// What a policy was asked about; empty without one.
  std::vector<NamedModule> modules;
};

} // namespace prec

#endif // PREC_LIB_ASSIGN_DECIDED_H
