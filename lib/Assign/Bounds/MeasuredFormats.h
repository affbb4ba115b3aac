//===- MeasuredFormats.h - a candidate as measurements name it --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_BOUNDS_MEASUREDFORMATS_H
#define PREC_LIB_ASSIGN_BOUNDS_MEASUREDFORMATS_H

#include "prec/Assign/Candidates.h"
#include "prec/Policy/MeasuredPolicy.h"

namespace prec {

ContractionFormats getFormats(const Candidate &candidate);

} // namespace prec

#endif // PREC_LIB_ASSIGN_BOUNDS_MEASUREDFORMATS_H
