//===- MapBuilder.h - precision maps for tests ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_EXPLAIN_MAPBUILDER_H
#define PREC_UNITTESTS_EXPLAIN_MAPBUILDER_H

#include "prec/Explain/PrecisionMap.h"

namespace prec::test {

/// A forward contraction that reads both operands in `format`.
MapOperation makeContraction(llvm::StringRef path, llvm::StringRef format);

/// A parameter and a contraction "model.layers.N.proj" for each of `formats`,
/// between an embedding and a head.
PrecisionMap makeLayers(llvm::ArrayRef<llvm::StringRef> formats);

} // namespace prec::test

#endif // PREC_UNITTESTS_EXPLAIN_MAPBUILDER_H
