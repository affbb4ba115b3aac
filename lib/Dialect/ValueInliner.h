//===- ValueInliner.h - what may be inlined ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_DIALECT_VALUEINLINER_H
#define PREC_LIB_DIALECT_VALUEINLINER_H

#include "prec/Support/LLVM.h"

#include "mlir/Transforms/InliningUtils.h"

namespace prec {

/// Of a dialect whose operations compute with values alone: they may be
/// anywhere.
struct ValueInliner : mlir::DialectInlinerInterface {
  using mlir::DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool,
                       mlir::IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool,
                       mlir::IRMapping &) const final {
    return true;
  }
};

} // namespace prec

#endif // PREC_LIB_DIALECT_VALUEINLINER_H
