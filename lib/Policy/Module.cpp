//===- Module.cpp - what a benchmark calls a layer ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/Module.h"

#include <tuple>

using namespace prec;
using llvm::ArrayRef;
using llvm::StringRef;

ArrayRef<StringRef> prec::getModuleKindNames() {
  static constexpr StringRef kNames[] = {
      "layernorm_column", "column",         "row",
      "duplicated",       "column_grouped", "row_grouped"};
  return kNames;
}

StringRef prec::stringifyModuleKind(ModuleKind kind) {
  return getModuleKindNames()[static_cast<unsigned>(kind)];
}

std::optional<ModuleKind> prec::promoteToGrouped(ModuleKind kind) {
  switch (kind) {
  case ModuleKind::LayernormColumn:
  case ModuleKind::Column:
  case ModuleKind::ColumnGrouped:
    return ModuleKind::ColumnGrouped;
  case ModuleKind::Row:
  case ModuleKind::RowGrouped:
    return ModuleKind::RowGrouped;
  case ModuleKind::Duplicated:
    return std::nullopt;
  }
  llvm_unreachable("kind is an enumeration");
}

static auto getTuple(const ModuleKey &key) {
  return std::tie(key.kind, key.ubName, key.tp, key.etp, key.numGemms);
}

bool prec::operator==(const ModuleKey &a, const ModuleKey &b) {
  return getTuple(a) == getTuple(b);
}

bool prec::operator<(const ModuleKey &a, const ModuleKey &b) {
  return getTuple(a) < getTuple(b);
}

std::string prec::printModuleKey(const ModuleKey &key) {
  std::string kind = stringifyModuleKind(key.kind).str();
  if (isGrouped(key.kind))
    return kind + " etp=" + std::to_string(key.etp) +
           " num_gemms=" + std::to_string(key.numGemms);
  return kind + "/" + key.ubName + " tp=" + std::to_string(key.tp);
}
