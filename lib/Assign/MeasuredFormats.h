//===- MeasuredFormats.h - a candidate as measurements name it --*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_MEASUREDFORMATS_H
#define PREC_LIB_ASSIGN_MEASUREDFORMATS_H

#include "prec/Assign/Candidates.h"
#include "prec/Policy/MeasuredPolicy.h"

namespace prec {

ContractionFormats getFormats(const Candidate &candidate);

} // namespace prec

#endif // PREC_LIB_ASSIGN_MEASUREDFORMATS_H
