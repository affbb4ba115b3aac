//===- flops.h - how operations are counted ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_FLOPS_H
#define PREC_RT_FLOPS_H

#include <cstdint>

namespace prec {

/// Of attention, as FlashAttention counts (arXiv:2307.08691, 4.1): 4 B H S T D
/// forward, two and a half times that of its gradients, half of it with a
/// causal mask.
inline double attentionFlops(int64_t batch, int64_t heads, int64_t queries,
                             int64_t keys, int64_t dim, bool isCausal,
                             bool isBackward) {
  double products = isBackward ? 10 : 4;
  return products * batch * heads * queries * keys * dim *
         (isCausal ? 0.5 : 1.0);
}

} // namespace prec

#endif // PREC_RT_FLOPS_H
