//===- Warnings.cpp - what assignment could not do as asked ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Report/Warnings.h"

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/PassRemark.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

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

void prec::warnOfUnknown(const DecidedFunction &decided) {
  llvm::MapVector<OperationName, unsigned> counts;
  Operation *first = nullptr;
  unsigned total = 0;
  for (auto [node, op] : llvm::zip_equal(decided.projection.graph.nodes,
                                         decided.projection.operations)) {
    bool holdsFloats = llvm::any_of(op->getResults(), [](Value value) {
      auto type = dyn_cast<TensorType>(value.getType());
      return type && isa<FloatType>(type.getElementType());
    });
    if (node.structure || !holdsFloats)
      continue;
    first = first ? first : op;
    ++counts[op->getName()];
    ++total;
  }
  if (total == 0)
    return;
  auto byCount = counts.takeVector();
  llvm::stable_sort(byCount, [](const auto &a, const auto &b) {
    return a.second > b.second;
  });
  constexpr size_t kShown = 5;
  FunctionOpInterface function = decided.function;
  InFlightDiagnostic diagnostic = mlir::emitWarning(function.getLoc());
  diagnostic << "nothing is known of the numbers of " << total
             << (total == 1 ? " operation, whose results are not narrowed: "
                            : " operations, whose results are not narrowed: ");
  llvm::interleaveComma(ArrayRef(byCount).take_front(kShown), diagnostic,
                        [&](const std::pair<OperationName, unsigned> &each) {
                          diagnostic << each.second << " '"
                                     << each.first.getStringRef() << "'";
                        });
  if (byCount.size() > kShown)
    diagnostic << " and " << byCount.size() - kShown << " other names";
  diagnostic.attachNote(first->getLoc()) << "the first is here";
}

/// The argument that a returned value updates, as far as structure tells: a
/// contraction reads it on the right, and an elementwise operation makes a
/// value of its shape from it. None if there is none.
static ValueId findUpdated(const DecidedFunction &decided,
                           const GraphValue &returned) {
  const Graph &graph = decided.projection.graph;
  if (!returned.isReturned || returned.producer == kNone ||
      !graph.nodes[returned.producer].is(Structure::Elementwise))
    return kNone;
  for (ValueId operand : graph.nodes[returned.producer].getInputs()) {
    const GraphValue &value = graph.values[operand];
    bool isRead = llvm::any_of(value.uses, [&](GraphUse use) {
      return use.operand == 1 &&
             graph.nodes[use.node].is(Structure::Contraction);
    });
    if (isa<BlockArgument>(decided.projection.values[operand]) && isRead &&
        value.shape == returned.shape)
      return operand;
  }
  return kNone;
}

void prec::warnOfMissingRoles(const DecidedFunction &decided) {
  const Graph &graph = decided.projection.graph;
  FunctionOpInterface function = decided.function;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, train::kRole))
      return;
  for (const GraphValue &value : graph.values) {
    ValueId updated = findUpdated(decided, value);
    if (updated == kNone)
      continue;
    auto argument = cast<BlockArgument>(decided.projection.values[updated]);
    mlir::emitWarning(function.getLoc())
        << "a step that trains must say so, but argument "
        << argument.getArgNumber()
        << " looks updated and no argument has a 'prec_train.role': masters, "
           "moments and gradients are decided as a forward's activations";
    return;
  }
}

void prec::warnOfUnused(Location loc, const PolicyChoices &choices) {
  for (const std::string &text : choices.getTooSlow())
    mlir::emitWarning(loc) << text;
  PolicyChoices::Unused unused = choices.getUnused();
  for (const std::string &text : unused.texts)
    mlir::emitWarning(loc) << text;
  if (unused.otherSizes != 0)
    emitPassRemark(loc, {"assign-precision", "OtherSizes"},
                   "rules of the policy for other sizes of parallelism: " +
                       Twine(unused.otherSizes));
  if (unused.times != 0)
    emitPassRemark(loc, {"assign-precision", "UnusedTimes"},
                   "times of the policy for contractions and modules that this "
                   "graph does not have: " +
                       Twine(unused.times));
}
