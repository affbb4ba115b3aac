//===- Manifest.h - the manifest and command table of a module --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_EMIT_MANIFEST_H
#define PREC_EMIT_MANIFEST_H

#include "prec/Support/LLVM.h"
#include "prec/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace prec {

/// Of a module that is measured and does not train: a list of what commands of
/// its step are, one after the other, each a dictionary with the fields of
/// rt::BenchItem.
inline constexpr llvm::StringLiteral kBench = "prec_sched.bench";

struct ImageEntry {
  std::string kind, chip, symbol;
  int64_t offset, size;
};

struct ManifestOptions {
  ModuleTarget target;
  rt::KernelCalls kernelCalls = rt::KernelCalls::table;
  std::string recipe;
  std::string graph; ///< hash of the imported graph
  std::vector<ImageEntry> images;
  bool deterministicAttention = true; ///< the same bits in every run
};

/// What the manifest refers to by number or offset.
struct ManifestResult {
  std::string json;
  std::vector<std::string> kernels; ///< of the query table, in its order
  std::string constants;            ///< bytes of segment constants
};

/// Writes the command table of a planned module with generated kernels, one
/// command for each operation of `prec_sched`.
FailureOr<ManifestResult> buildManifest(ModuleOp module,
                                        const ManifestOptions &options);

} // namespace prec

#endif // PREC_EMIT_MANIFEST_H
