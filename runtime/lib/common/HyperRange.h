//===- HyperRange.h - what hyper-parameters may be --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_HYPERRANGE_H
#define PREC_RT_COMMON_HYPERRANGE_H

#include "Status.h"

#include <string_view>

namespace prec::rt {

/// The name of a hyper-parameter without the suffix of a group: "lr" for "lr"
/// and for "lr.1".
std::string_view withoutGroup(std::string_view name);

/// Whether a hyper-parameter, `name` without the suffix of a group, may be set
/// to a value: a finite f32 in the range that its optimizer works with. Outside
/// of it a step would write weights that are no numbers and call itself good.
Status checkHyper(std::string_view name, double value);

} // namespace prec::rt

#endif // PREC_RT_COMMON_HYPERRANGE_H
