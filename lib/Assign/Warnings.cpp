//===- Warnings.cpp - what assignment could not do as asked ---------------===//
#include "Warnings.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::prec;

/// One warning a reason, with the shapes it holds for.
void prec::warnOfFallbacks(const DecidedFunction &decided) {
  llvm::MapVector<std::pair<StringRef, Format>, SmallVector<NodeId>> byReason;
  for (const Fallback &fallback : decided.assignment.fallbacks)
    byReason[{fallback.reason, *fallback.format}].push_back(fallback.node);
  constexpr size_t kShownShapes = 3;
  for (auto &[key, nodes] : byReason) {
    auto [reason, format] = key;
    llvm::SmallSetVector<StringRef, 4> shapes;
    std::vector<std::string> texts;
    for (NodeId node : nodes) {
      ContractionShape s = decided.projection.graph.nodes[node].shape;
      std::string batch = s.batch > 1 ? std::to_string(s.batch) + "x" : "";
      auto print = [](int64_t size) {
        return size > 0 ? std::to_string(size) : "?";
      };
      texts.push_back(batch + print(s.m) + "x" + print(s.n) + "x" + print(s.k));
    }
    for (const std::string &text : texts)
      shapes.insert(text);
    FunctionOpInterface function = decided.function;
    InFlightDiagnostic diagnostic = mlir::emitWarning(function.getLoc());
    diagnostic << nodes.size()
               << (nodes.size() == 1 ? " contraction" : " contractions")
               << " of shape (MxNxK) ";
    llvm::interleaveComma(shapes.getArrayRef().take_front(kShownShapes),
                          diagnostic);
    if (shapes.size() > kShownShapes)
      diagnostic << " and " << shapes.size() - kShownShapes << " more";
    diagnostic << (nodes.size() == 1 ? " reads " : " read ")
               << stringifyFormat(format) << ": " << reason;
    std::string path =
        getPath(decided.projection.operations[nodes.front()]->getLoc());
    if (!path.empty())
      diagnostic << " (first at " << path << ")";
  }
}

void prec::warnOfUnused(Location loc, const PolicyChoices &choices) {
  for (const std::string &text : choices.getTooSlow())
    mlir::emitWarning(loc) << text;
  PolicyChoices::Unused unused = choices.getUnused();
  for (const std::string &text : unused.texts)
    mlir::emitWarning(loc) << text;
  if (unused.otherSizes != 0)
    mlir::emitRemark(loc) << "rules of the policy for other sizes of "
                             "parallelism: "
                          << unused.otherSizes;
}
