//===- AttentionLibrary.h - attention that is a library call ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_TARGET_ATTENTIONLIBRARY_H
#define PREC_TARGET_ATTENTIONLIBRARY_H

namespace prec {

/// Which attention ops stay library calls.
enum class AttentionLibrary {
  Any,             ///< all: the target's library takes every format and shape
  CuDnn,           ///< those in bf16 or f16 with heads of 8n <= 128 elements
  CuDnnLargeHeads, ///< the same with heads of 8n <= 256, which Hopper has
  None,            ///< none
};

} // namespace prec

#endif // PREC_TARGET_ATTENTIONLIBRARY_H
