//===- PassCounts.h - how often a pass did something ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's statistics print nothing where LLVM was built without them, as most
// packages of LLVM are. So a pass counts for both: its statistics, which
// --mlir-pass-statistics prints, and one remark of the context's remark engine,
// where there is one, that has all of its counts by name.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_SUPPORT_PASSCOUNTS_H
#define PREC_SUPPORT_PASSCOUNTS_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"

namespace prec {

/// One count: what it is called, the statistic that it adds to, how often.
struct PassCount {
  llvm::StringLiteral name;
  mlir::Pass::Statistic &statistic;
  uint64_t count;
};

/// Adds to the statistics, and remarks the counts at `loc` as those of `pass`.
inline void reportCounts(mlir::Location loc, StringRef pass,
                         ArrayRef<PassCount> counts) {
  for (const PassCount &each : counts)
    each.statistic += each.count;
  auto remark = mlir::remark::analysis(
      loc, mlir::remark::RemarkOpts::name("Counts").category(pass));
  if (!remark)
    return;
  for (const PassCount &each : counts)
    remark << mlir::remark::detail::Remark::Arg(each.name, each.count);
}

} // namespace prec

#endif // PREC_SUPPORT_PASSCOUNTS_H
