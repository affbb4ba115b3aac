//===- DlpackViews.h - tensors of other frameworks --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_DLPACKVIEWS_H
#define PREC_RT_COMMON_DLPACKVIEWS_H

#include "Dlpack.h"
#include "Session.h"

namespace prec::rt {

/// Borrows data, shape and strides.
Result<prec_rt_tensor> describe(const DLTensor &source, const char *name);
/// Of one with its version and flags.
Result<prec_rt_tensor> describe(const DLManagedTensorVersioned &source,
                                const char *name);

/// A binding's own memory, behind all work that was started; the session lives
/// until it is deleted.
Result<DLManagedTensorVersioned *>
viewBinding(const std::shared_ptr<Session> &session, int binding);
/// The same for those who do not know of memory that is only read: refused
/// where it is.
Result<DLManagedTensor *>
viewBindingLegacy(const std::shared_ptr<Session> &session, int binding);

} // namespace prec::rt

#endif // PREC_RT_COMMON_DLPACKVIEWS_H
