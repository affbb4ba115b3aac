//===- flops.h - how operations are counted ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_FLOPS_H
#define PREC_RT_FLOPS_H

#include <algorithm>
#include <cstdint>
#include <optional>

namespace prec {

/// Of attention, as FlashAttention counts (arXiv:2307.08691, 4.1): 4 B H S T D
/// forward, two and a half times that of its gradients, half of it with a
/// causal mask. A window of w keys leaves w (T - w / 2) of the T T / 2 pairs
/// of the causal mask.
inline double attentionFlops(int64_t batch, int64_t heads, int64_t queries,
                             int64_t keys, int64_t dim, bool isCausal,
                             std::optional<int64_t> window, bool isBackward) {
  double products = isBackward ? 10 : 4;
  double share = isCausal ? 0.5 : 1.0;
  if (window) {
    double part = static_cast<double>(std::min(*window, keys)) / keys;
    share = part * (1 - part / 2);
  }
  return products * batch * heads * queries * keys * dim * share;
}

} // namespace prec

#endif // PREC_RT_FLOPS_H
