//===- IndexCheck.h - results that say whether indices are rows -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_INDEXCHECK_H
#define PREC_DIALECT_TRAIN_INDEXCHECK_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"
#include "prec-rt/manifest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec::train {

/// Paths of the results of role guard that are about indices begin so: f32
/// scalars, each 1 or, where an index of a table lies beside it, 0.
inline constexpr llvm::StringRef kIndexCheck(rt::kIndexCheck);
/// That of the one which says whether experts had room for their rows.
inline constexpr llvm::StringRef kExpertRoom(rt::kExpertRoom);

/// Of a buffer of whole numbers: the least and the largest that it may hold,
/// which whoever sets it checks.
inline constexpr llvm::StringLiteral kRange = "prec_train.range";

/// Whether a result of `step` says whether indices are rows of a table.
inline bool isIndexCheck(mlir::func::FuncOp step, unsigned result) {
  auto role = step.getResultAttrOfType<RoleAttr>(result, kRole);
  auto path = step.getResultAttrOfType<StringAttr>(result, kPath);
  return role && role.getValue() == Role::Guard && path &&
         path.getValue().starts_with(kIndexCheck);
}

/// The value by which `step` says whether experts had room for their rows: the
/// same on all ranks; null of a step whose experts are not divided.
inline Value findExpertRoom(mlir::func::FuncOp step) {
  for (OpOperand &returned : step.front().getTerminator()->getOpOperands()) {
    auto path = step.getResultAttrOfType<StringAttr>(
        returned.getOperandNumber(), kPath);
    if (path && path.getValue() == kExpertRoom)
      return returned.get();
  }
  return {};
}

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_INDEXCHECK_H
