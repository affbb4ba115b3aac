//===- CpuSdpa.h - attention on the CPU -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds where flash attention on a GPU does: scores, softmax and sums in f32;
// the unnormalized probabilities exp(s - row maximum) and, backward, P and dS
// are rounded to the dtype of q before they enter a product. The causal mask
// is aligned at the top left: row i sees columns 0..i.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CPU_CPUSDPA_H
#define PREC_RT_CPU_CPUSDPA_H

#include "CpuContext.h"

namespace prec::rt {

/// Floats of scratch that an sdpa command needs with a pool of `threads`.
int64_t sdpaScratch(const Manifest &manifest, const Command &command,
                    unsigned threads);

void runSdpaForward(const CpuContext &context, const Sdpa &sdpa);
void runSdpaBackward(const CpuContext &context, const Sdpa &sdpa);

} // namespace prec::rt

#endif // PREC_RT_CPU_CPUSDPA_H
