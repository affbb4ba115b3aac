//===- AttentionGradShape.h - what kernels depend on ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADSHAPE_H
#define PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADSHAPE_H

#include "prec/Support/LLVM.h"

#include "Codegen/Gpu/GpuKernels.h"

namespace prec {

/// Rows that the statistics of a head are rounded up to.
inline constexpr int64_t kStatisticRows = 128;

/// What the kernels depend on.
struct AttentionGradShape {
  FloatType element;
  int64_t batch, heads, groups, queries, keys, dim;
  double scale;
  bool isCausal;
  /// In the order of operands and results but lse; offsets are in the
  /// addresses.
  SmallVector<sched::ViewAttr> views;

  /// Nothing where the kernels do not serve: other chips than sm_90a, elements
  /// that are not of 16 bits, more than 128 of them in a head or not in pieces
  /// of 16 bytes, more keys than queries under a causal mask, a bias, a window.
  static std::optional<AttentionGradShape> of(sched::SdpaGradOp op,
                                              StringRef chip);
  /// The same for equal kernels.
  std::string signature() const;
};

enum class AttentionGradSide { Queries, Keys };

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADSHAPE_H
