//===- DeltaDebugging.h - small sets that make a difference -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_DELTADEBUGGING_H
#define PREC_RUN_DELTADEBUGGING_H

#include "Status.h"

#include <functional>
#include <vector>

namespace prec::run {

/// Elements, ascending.
using ElementSet = std::vector<size_t>;
using SetTest = std::function<rt::Result<bool>(const ElementSet &)>;

/// A subset of `whole` that passes `test` and of which no element can be left
/// out (ddmin of Zeller and Hildebrandt, "Simplifying and Isolating
/// Failure-Inducing Input", 2002). `whole` must pass and the empty set must
/// not. No set is tested twice; an error of a test ends the search.
rt::Result<ElementSet> minimizeSet(ElementSet whole, const SetTest &test);

} // namespace prec::run

#endif // PREC_RUN_DELTADEBUGGING_H
