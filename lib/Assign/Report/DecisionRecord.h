//===- DecisionRecord.h - all decisions, kept in the module -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_REPORT_DECISIONRECORD_H
#define PREC_LIB_ASSIGN_REPORT_DECISIONRECORD_H

#include "prec/Explain/PrecisionMap.h"
#include "prec/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"

namespace prec {

/// As `prec.decisions`, in place of another one.
void writeDecisionRecord(ModuleOp module, const PrecisionMap &map);

/// None if the module holds none. The error says what is wrong with it.
llvm::Expected<std::optional<PrecisionMap>> readDecisionRecord(ModuleOp module);

/// Where a record says otherwise than the tags it came with, as a clause; none
/// if it does not. `tags` is what the tags alone tell.
std::optional<std::string> findDisagreement(const PrecisionMap &record,
                                            const PrecisionMap &tags);

} // namespace prec

#endif // PREC_LIB_ASSIGN_REPORT_DECISIONRECORD_H
