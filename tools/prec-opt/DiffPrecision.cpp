//===- DiffPrecision.cpp - what differs between two assignments -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DiffPrecision.h"

#include "Options.h"
#include "prec/Assign/TaggedMap.h"
#include "prec/Explain/Diff.h"
#include "prec/Explain/Page.h"
#include "prec/Support/Files.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace prec;
using llvm::raw_ostream;

static FailureOr<PrecisionMap> fail(llvm::Error error) {
  llvm::errs() << "prec-opt: error: " << llvm::toString(std::move(error))
               << '\n';
  return failure();
}

static FailureOr<PrecisionMap> load(StringRef fileName, MLIRContext &context) {
  if (fileName.ends_with(".json")) {
    llvm::Expected<std::string> text = readFile(fileName);
    if (!text)
      return fail(text.takeError());
    llvm::Expected<PrecisionMap> map = parsePrecisionMap(*text, fileName);
    if (!map)
      return fail(map.takeError());
    return std::move(*map);
  }
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(fileName, &context);
  if (!module)
    return failure();
  return collectTaggedMap(*module);
}

int prec::diffPrecision(int argc, char **argv,
                        const DialectRegistry &registry) {
  constexpr int kTrouble = 2;
  DiffPrecisionOptions options;
  llvm::cl::HideUnrelatedOptions(options.category);
  if (!llvm::cl::ParseCommandLineOptions(
          argc, argv, "prec-opt: what differs between two assignments\n",
          &llvm::errs()))
    return kTrouble;
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  FailureOr<PrecisionMap> first = load(options.before, context);
  FailureOr<PrecisionMap> second = load(options.after, context);
  if (failed(first) || failed(second))
    return kTrouble;
  StringRef output = options.output;
  MapDiff diff = diffMaps(*first, *second);
  if (llvm::Error error = writeFileAtomically(output, [&](raw_ostream &os) {
        if (output.ends_with(".html"))
          writePage(os, {std::move(*first), std::move(*second)});
        else if (output.ends_with(".json"))
          writeDiff(os, diff);
        else
          printDiff(os, diff);
      })) {
    llvm::errs() << "prec-opt: error: " << llvm::toString(std::move(error))
                 << '\n';
    return kTrouble;
  }
  return diff.differences.empty() ? 0 : 1;
}
