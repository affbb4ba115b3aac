//===- Loops.h - loops as scopes --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_EMITTER_LOOPS_H
#define PREC_LIB_CODEGEN_EMITTER_LOOPS_H

#include "prec/Support/LLVM.h"

#include "Codegen/Emitter/KernelBuilder.h"

namespace prec {

using Carried = SmallVector<Value, 4>;

/// `for (i = lower; i < upper; i += step)` at the end of the innermost scope;
/// `body` returns the next values of what is carried. Results: the last ones.
FailureOr<Carried> buildLoop(
    KernelBuilder &kernel, Value lower, Value upper, int64_t step,
    ValueRange carried,
    function_ref<FailureOr<Carried>(Value index, ValueRange carried)> body);

/// A loop that carries nothing.
LogicalResult buildLoop(KernelBuilder &kernel, Value lower, Value upper,
                        int64_t step, function_ref<LogicalResult(Value)> body);

/// A loop that is left behind a turn with no `more` to come; `body` returns the
/// next values of what is carried. Results: the last ones.
FailureOr<Carried> buildDoWhile(
    KernelBuilder &kernel, ValueRange carried,
    function_ref<FailureOr<Carried>(ValueRange carried, Value &more)> body);

/// `if (condition)` as a scope.
LogicalResult buildIf(KernelBuilder &kernel, Value condition,
                      function_ref<LogicalResult()> body);
/// The same with a body that cannot fail.
void buildIfAlways(KernelBuilder &kernel, Value condition,
                   function_ref<void()> body);

} // namespace prec

#endif // PREC_LIB_CODEGEN_EMITTER_LOOPS_H
