//===- Graph.cpp - the projected graph of a function ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Graph.h"

using namespace mlir;
using namespace prec;

int64_t GraphValue::getElements() const {
  int64_t product = 1;
  for (int64_t size : shape) {
    if (size < 0)
      return 0;
    product *= size;
  }
  return product;
}

std::optional<StringRef> GraphNode::getNarrowBar() const {
  if (isConvolution)
    return StringRef("no target convolves fp8 or fp4");
  return std::nullopt;
}

SmallVector<ValueId, 4> GraphNode::getRead() const {
  SmallVector<ValueId, 4> read;
  for (auto [index, operand] : llvm::enumerate(operands))
    if (readsElements(index))
      read.push_back(operand);
  return read;
}

ValueId Graph::addValue(GraphValue value) {
  values.push_back(std::move(value));
  return values.size() - 1;
}

ValueId Graph::addArgument(Origin origin, ArrayRef<int64_t> shape) {
  GraphValue value;
  value.origin = origin;
  value.isFloatTensor = true;
  value.shape.assign(shape.begin(), shape.end());
  return addValue(std::move(value));
}

NodeId Graph::addNode(GraphNode node) {
  NodeId id = nodes.size();
  for (auto [index, operand] : llvm::enumerate(node.operands))
    if (index >= node.reads.size() || node.reads[index] != OperandRead::Nothing)
      values[operand].uses.push_back({id, unsigned(index)});
  for (auto [index, result] : llvm::enumerate(node.results)) {
    values[result].producer = id;
    values[result].result = index;
  }
  nodes.push_back(std::move(node));
  return id;
}

bool Graph::isFloatContraction(NodeId id) const {
  const GraphNode &node = nodes[id];
  return node.is(Structure::Contraction) && node.numInputs >= 2 &&
         !node.results.empty() && values[node.operands[0]].isFloatTensor &&
         values[node.operands[1]].isFloatTensor &&
         values[node.results[0]].isFloatTensor;
}
