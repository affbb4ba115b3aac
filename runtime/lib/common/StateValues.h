//===- StateValues.h - what a training's state may be -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rule for writers and readers: what is saved can be loaded.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_STATEVALUES_H
#define PREC_RT_COMMON_STATEVALUES_H

#include "Manifest.h"

namespace prec::rt {

/// Counts of tokens lie in [0, 2^62], so that sums of them fit 64 bits.
constexpr int64_t kMaxDataPosition = int64_t(1) << 62;
Status checkDataPosition(int64_t position);

/// Whether a safetensors file may name a tensor so.
Status checkTensorName(std::string_view name);

/// Whether trained weights, optimizer states and scale states may hold these
/// `count` elements, of which the first is at `first` of the tensor: numbers,
/// and of a loss scale a power of two, of counts whole ones. Other bindings may
/// hold anything.
Status checkState(const Binding &binding, DType dtype, const void *data,
                  int64_t count, int64_t first);

} // namespace prec::rt

#endif // PREC_RT_COMMON_STATEVALUES_H
