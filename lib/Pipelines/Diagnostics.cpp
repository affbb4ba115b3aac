//===- Diagnostics.cpp - diagnostics for users of a tool ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Pipelines/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

/// The most telling part of a location; empty if it tells nothing.
static std::string describe(Location location) {
  return llvm::TypeSwitch<LocationAttr, std::string>(location)
      .Case([](FileLineColLoc file) {
        std::string text = file.getFilename().str();
        if (file.getLine() != 0)
          text += ":" + std::to_string(file.getLine()) + ":" +
                  std::to_string(file.getColumn());
        return text;
      })
      .Case([](NameLoc name) {
        std::string child = describe(name.getChildLoc());
        std::string text = name.getName().str();
        return child.empty() ? text : text + " (" + child + ")";
      })
      .Case([](CallSiteLoc call) { return describe(call.getCallee()); })
      .Case([](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (std::string text = describe(part); !text.empty())
            return text;
        return std::string();
      })
      .Default(std::string());
}

static StringRef getName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("severity is an enumeration");
}

static void print(raw_ostream &os, StringRef place, Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  llvm::replace(text, '\n', ' ');
  os << place << (place.empty() ? "" : ": ")
     << getName(diagnostic.getSeverity()) << ": " << StringRef(text).rtrim()
     << "\n";
}

OneLineDiagnostics::OneLineDiagnostics(MLIRContext *context, raw_ostream &os)
    : ScopedDiagnosticHandler(context) {
  setHandler([&os](Diagnostic &diagnostic) {
    std::string place = describe(diagnostic.getLocation());
    print(os, place, diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      if (std::string other = describe(note.getLocation()); other != place)
        print(os, other, note);
  });
}
