//===- FirstMoments.h - gradients out of a step -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_FIRSTMOMENTS_H
#define PREC_RUN_FIRSTMOMENTS_H

#include "Session.h"

#include <map>

namespace prec::run {

/// By parameter.
using Tensors = std::map<std::string, std::vector<float>>;

/// Sets hyper-parameters so that a step changes no weight and its first moments
/// are its gradients, not clipped.
rt::Status keepGradients(rt::Session &session);

/// The first moments; `option` is what asks for them.
rt::Result<Tensors> readFirstMoments(rt::Session &session,
                                     const std::string &option);

} // namespace prec::run

#endif // PREC_RUN_FIRSTMOMENTS_H
