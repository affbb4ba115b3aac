//===- PassRemark.h - what a pass has to say --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SUPPORT_PASSREMARK_H
#define PREC_SUPPORT_PASSREMARK_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"

namespace prec {

/// What a remark is about: its pass, and a word for what it says, by which
/// --remarks-filter and readers of remarks find it.
struct PassRemark {
  llvm::StringLiteral pass, name;
  /// Something was done, or could not be.
  bool isPassed = false;
};

/// Emits `text` as a diagnostic and, where the context has a remark engine, as
/// a remark of that, too. The diagnostic takes notes.
inline mlir::InFlightDiagnostic
emitPassRemark(mlir::Location loc, const PassRemark &about, const Twine &text) {
  mlir::remark::RemarkOpts options =
      mlir::remark::RemarkOpts::name(about.name).category(about.pass);
  auto remark = about.isPassed ? mlir::remark::passed(loc, options)
                               : mlir::remark::missed(loc, options);
  if (remark)
    remark << mlir::remark::detail::Remark::Arg("Remark", text.str());
  return mlir::emitRemark(loc) << text;
}

} // namespace prec

#endif // PREC_SUPPORT_PASSREMARK_H
