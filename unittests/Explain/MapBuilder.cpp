//===- MapBuilder.cpp - precision maps for tests --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MapBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace prec;
using llvm::StringRef;

static MapDecision makeDecision(StringRef format) {
  MapDecision decision;
  decision.format = format.str();
  decision.rule = "reads " + format.str();
  return decision;
}

MapOperation test::makeContraction(StringRef path, StringRef format) {
  MapOperation operation;
  operation.path = path.str();
  operation.name = "prec_train.matmul";
  operation.tensorClass = "contraction";
  operation.phase = "forward";
  operation.direction = "fprop";
  operation.mnk = {16, 16, 16};
  operation.flops = 8192;
  MapValue result;
  result.shape = {16, 16};
  result.bytes = 512;
  result.decision = makeDecision("bf16");
  operation.results.push_back(result);
  for (unsigned operand : {0u, 1u}) {
    MapRead read;
    read.operand = operand;
    read.decision = makeDecision(format);
    operation.reads.push_back(read);
  }
  MapCandidate candidate;
  candidate.reads[0].format = candidate.reads[1].format = format.str();
  operation.choice = MapChoice{0, "", {candidate}};
  return operation;
}

PrecisionMap test::makeLayers(llvm::ArrayRef<StringRef> formats) {
  PrecisionMap map;
  map.recipe = "recipe";
  map.target = "cpu";
  MapFunction &function = map.functions.emplace_back();
  function.name = "step";
  function.operations.push_back(makeContraction("model.embed_tokens", "bf16"));
  for (auto [layer, format] : llvm::enumerate(formats)) {
    std::string path = "model.layers." + std::to_string(layer) + ".proj";
    MapValue weight;
    weight.value = static_cast<int64_t>(layer);
    weight.path = path + ".weight";
    weight.origin = "parameter";
    weight.decision = makeDecision("f32");
    function.arguments.push_back(weight);
    MapOperation operation = makeContraction(path, format);
    operation.reads[1].value = weight.value;
    function.operations.push_back(operation);
  }
  function.operations.push_back(makeContraction("lm_head", "bf16"));
  for (auto [node, operation] : llvm::enumerate(function.operations))
    operation.node = static_cast<int64_t>(node);
  return map;
}
