//===- Module.h - what a benchmark calls a layer ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Benchmarks measure whole modules: a projection with the norm before it, its
// two backward products and all casts. Policies of version 1 name them by kind,
// by the name of the buffer that tensor parallelism communicates through, and
// by how they are split over GPUs.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_POLICY_MODULE_H
#define PREC_POLICY_MODULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace prec {

enum class ModuleKind : uint8_t {
  /// Split by columns, fused with the norm that feeds it: qkv, fc1.
  LayernormColumn,
  Column,
  /// Split by rows: proj, fc2.
  Row,
  /// Whole on every GPU: the down-projections of latent attention.
  Duplicated,
  /// One product an expert: fc1 and fc2 of a mixture of experts.
  ColumnGrouped,
  RowGrouped,
};

llvm::ArrayRef<llvm::StringRef> getModuleKindNames();
llvm::StringRef stringifyModuleKind(ModuleKind kind);
inline bool isGrouped(ModuleKind kind) {
  return kind >= ModuleKind::ColumnGrouped;
}

/// The kind that the experts of a mixture have: layernorm_column and column
/// become column_grouped, row becomes row_grouped. None for duplicated.
std::optional<ModuleKind> promoteToGrouped(ModuleKind kind);

/// What a rule is looked up by: (kind, ubName, tp), or (kind, etp, numGemms)
/// for grouped kinds.
struct ModuleKey {
  ModuleKind kind = ModuleKind::Column;
  /// qkv, proj, fc1, fc2, q_down_proj, kv_down_proj, ...; empty for grouped.
  std::string ubName;
  int64_t tp = 1;
  int64_t etp = 1, numGemms = 1;

  static ModuleKey makeDense(ModuleKind kind, llvm::StringRef ubName,
                             int64_t tp) {
    return {kind, ubName.str(), tp, 1, 1};
  }
  static ModuleKey makeGrouped(ModuleKind kind, int64_t etp, int64_t numGemms) {
    return {kind, "", 1, etp, numGemms};
  }
};

bool operator==(const ModuleKey &a, const ModuleKey &b);
bool operator<(const ModuleKey &a, const ModuleKey &b);

/// "layernorm_column/qkv tp=1", "row_grouped etp=1 num_gemms=64".
std::string printModuleKey(const ModuleKey &key);

/// Tokens that a module computes in one step: sequence times micro-batch, and
/// for experts times the number of experts that a token goes to.
inline int64_t getNumTokens(int64_t sequence, int64_t microBatch,
                            int64_t topK = 1) {
  return sequence * microBatch * topK;
}

} // namespace prec

#endif // PREC_POLICY_MODULE_H
