//===- EmitErrors.cpp - errors of readers as diagnostics ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Target/EmitErrors.h"

#include "prec/Support/Json.h"

using namespace mlir;
using namespace prec;

LogicalResult prec::emitErrors(Location elsewhere, llvm::Error error,
                               StringRef prefix) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const JsonError &json) {
        JsonPosition position = json.getPosition();
        emitError(FileLineColLoc::get(elsewhere.getContext(),
                                      json.getFileName(), position.line,
                                      position.column))
            << json.getMessage();
      },
      [&](const llvm::ErrorInfoBase &other) {
        emitError(elsewhere) << prefix << other.message();
      });
  return failure();
}
