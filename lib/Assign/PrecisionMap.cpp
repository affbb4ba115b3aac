//===- PrecisionMap.cpp - decisions as JSON -------------------------------===//
#include "PrecisionMap.h"

#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::prec;
using llvm::json::OStream;

static void writeDecision(OStream &json, const Decision &decision) {
  json.attribute("format", stringifyFormat(decision.format));
  json.attribute("scaling", stringifyScaling(decision.scaling));
  json.attribute("accumulator", stringifyAccumulator(decision.accumulator));
  json.attribute("rule", llvm::json::fixUTF8(decision.rule));
}

static void writeShape(OStream &json, const GraphValue &value) {
  json.attributeArray("shape", [&] {
    for (int64_t size : value.shape)
      json.value(size);
  });
}

static StringRef getPhaseName(const Classification &facts, NodeId node) {
  switch (facts.phases[node]) {
  case StepPhase::Forward:
    return "forward";
  case StepPhase::Backward:
    return facts.isGradient[node] ? "backward" : "recompute";
  case StepPhase::Optimizer:
    return "optimizer";
  }
  llvm_unreachable("phase is an enumeration");
}

static void writeOperation(OStream &json, const DecidedFunction &decided,
                           NodeId id) {
  const GraphNode &node = decided.projection.graph.nodes[id];
  Operation *op = decided.projection.operations[id];
  json.attribute("operation", op->getName().getStringRef());
  if (decided.facts.classes[id])
    json.attribute("class", stringifyTensorClass(*decided.facts.classes[id]));
  json.attribute("phase", getPhaseName(decided.facts, id));
  if (!node.is(Structure::Contraction))
    return;
  json.attribute("direction", stringifyDirection(decided.facts.directions[id]));
  json.attributeArray("mnk", [&] {
    for (int64_t size : {node.shape.m, node.shape.n, node.shape.k})
      json.value(size);
  });
}

static void writeFunction(OStream &json, const DecidedFunction &decided) {
  const Projection &projection = decided.projection;
  FunctionOpInterface function = decided.function;
  json.attribute("function", function.getName());
  json.attributeArray("values", [&] {
    for (auto [id, value] : llvm::enumerate(projection.values)) {
      const Decision &decision = decided.assignment.values[id];
      const GraphValue &entry = projection.graph.values[id];
      if (!decision.isDecided())
        continue;
      json.object([&, id = id, value = value] {
        json.attribute("value", int64_t(id));
        json.attribute("path", llvm::json::fixUTF8(getPath(value)));
        writeShape(json, entry);
        if (entry.producer != kNone) {
          json.attribute("result", int64_t(entry.result));
          writeOperation(json, decided, entry.producer);
        }
        json.attribute("stored", decision.isStored);
        writeDecision(json, decision);
      });
    }
  });
  json.attributeArray("uses", [&] {
    for (NodeId id = 0; id < projection.graph.nodes.size(); ++id)
      for (auto [operand, decision] :
           llvm::enumerate(decided.assignment.uses[id])) {
        if (!decision.isDecided())
          continue;
        json.object([&, operand = operand, &decision = decision] {
          json.attribute("value",
                         int64_t(projection.graph.nodes[id].operands[operand]));
          json.attribute("path", llvm::json::fixUTF8(getPath(
                                     projection.operations[id]->getLoc())));
          json.attribute("operand", int64_t(operand));
          writeOperation(json, decided, id);
          writeDecision(json, decision);
        });
      }
  });
}

llvm::Error prec::writePrecisionMap(StringRef fileName,
                                    ArrayRef<DecidedFunction> functions,
                                    const Recipe &recipe,
                                    const Target &target) {
  return llvm::writeToOutput(fileName, [&](llvm::raw_ostream &os) {
    OStream json(os, /*IndentSize=*/1);
    json.object([&] {
      json.attribute("version", 1);
      json.attribute("recipe", llvm::json::fixUTF8(recipe.name));
      json.attribute("target", target.name);
      json.attributeArray("functions", [&] {
        for (const DecidedFunction &function : functions)
          json.object([&] { writeFunction(json, function); });
      });
    });
    os << '\n';
    return llvm::Error::success();
  });
}
