//===- AttentionGradCopies.h - the warp that copies -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that copies tiles into the ring of stages, ahead of the warpgroups
// that compute. For each tile it waits until the stage is empty, announces how
// many bytes will arrive at the barrier `full` of the stage, and starts the
// copies of two tiles (K and V, or Q and dO; then also the statistics of the
// queries). The copies themselves complete the barrier. A stage is written
// again only when all eight computing warps have said that they have read it.
// The parity of a barrier flips each time the ring wraps; the first round waits
// for parity 1, which an unused barrier counts as done. Heads that share keys
// follow one another, so that dK and dV of a group are summed in one block.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADCOPIES_H
#define PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADCOPIES_H

#include "Codegen/Gpu/Attention/AttentionGradFrame.h"

namespace prec {

/// Builds what the copying thread does, where the frame's builder stands.
void buildAttentionGradCopies(AttentionGradFrame &frame);

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADCOPIES_H
