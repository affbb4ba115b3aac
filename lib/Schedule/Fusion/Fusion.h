//===- Fusion.h - which primitives share a kernel ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm of --prec-form-dispatches on a plain graph, without IR.
//
// Roots are the results that a kernel computes for others: roundings,
// reductions, and whatever memory must hold. All other elementwise results are
// recomputed wherever they are read. A root joins the unit of a root it reads,
// or of one that reads the same data, when both walk the same iteration space
// and no dependence would leave the unit and come back; of several, the one
// where most bytes need not be read for it. A transposition joins
// the unit that computes nothing but the value it transposes, or that passes
// over the matrix in tiles anyway. What puts equal parts side by side joins the
// unit that computes them. Partial column reductions, each over consecutive
// rows, join the unit that reduces these rows, or that passes over the matrix
// in tiles of as many. Units that take as long as their launch share one with
// others that compute the same of other operands.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_SCHEDULE_FUSION_FUSION_H
#define PREC_LIB_SCHEDULE_FUSION_FUSION_H

#include "Schedule/Fusion/FusionUnits.h"

namespace prec {

/// Nodes are in topological order: operands precede their users. Time is
/// linear in edges times the bounded size of a recomputed expression. If
/// `sumsWait`, sums that only updates read are kept until they share launches.
FusionResult formUnits(llvm::ArrayRef<FusionNode> nodes,
                       const ScheduleModel &machine, bool sumsWait = true);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_FUSION_FUSION_H
