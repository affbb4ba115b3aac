//===- Batch.h - the inputs of one step -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_BATCH_H
#define PREC_RT_COMMON_BATCH_H

#include "Session.h"

namespace prec::rt {

struct BatchInput : TensorRef {
  std::string name;
};

/// Sets all batch inputs of the module, or fails and says which are missing,
/// unknown, given twice or of another shape, or what else `entryPoint` would be
/// refused for; then nothing has changed.
///
/// With `padRows` a batch may have fewer rows (first dimension) than the
/// module: rows of zeros are added, and rows of the ignored label to labels, so
/// that the loss is the smaller batch's. It is refused where the manifest does
/// not say that such rows change nothing.
Status setBatch(Session &session, const std::vector<BatchInput> &batch,
                const char *entryPoint, bool padRows);

} // namespace prec::rt

#endif // PREC_RT_COMMON_BATCH_H
