//===- HeldValues.cpp - what is held from forward to backward -------------===//
#include "HeldValues.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::prec;

HeldValues::HeldValues(const Graph &graph, const Classification &facts,
                       ArrayRef<Decision> storage)
    : graph(graph), facts(facts), storage(storage),
      forContractions(graph.values.size()), forOthers(graph.values.size()) {
  findReaders();
  addUp();
}

double HeldValues::getBytes(ValueId value) const {
  return double(graph.values[value].getElements()) *
         getBits(storage[value].format) / 8;
}

/// Readers of the backward, as seen from values of the forward. What is not
/// stored is computed where it is read, so its readers are its operands', too.
void HeldValues::findReaders() {
  for (ValueId id = graph.values.size(); id-- > 0;) {
    const GraphValue &value = graph.values[id];
    for (GraphUse use : value.uses) {
      const GraphNode &user = graph.nodes[use.node];
      if (use.operand >= user.numInputs)
        continue;
      if (facts.phases[use.node] != StepPhase::Forward) {
        bool isContraction = user.is(Structure::Contraction);
        bool isView = user.is(Structure::Layout);
        if (isContraction)
          forContractions[id] = true;
        else if (!isView)
          forOthers[id] = true;
      }
      for (ValueId result : user.results) {
        if (storage[result].isStored)
          continue;
        if (user.is(Structure::Layout)) {
          if (forContractions[result])
            forContractions[id] = true;
          if (forOthers[result])
            forOthers[id] = true;
        } else if (forContractions[result] || forOthers[result]) {
          forOthers[id] = true;
        }
      }
    }
  }
}

void HeldValues::addUp() {
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const GraphValue &value = graph.values[id];
    if (!value.isFloatTensor || !storage[id].isDecided())
      continue;
    if (value.producer == kNone) {
      argumentBytes += getBytes(id);
      continue;
    }
    if (!storage[id].isStored)
      continue;
    StepPhase phase = facts.phases[value.producer];
    if (phase == StepPhase::Backward && facts.isWeightGradient[id])
      gradientBytes += getBytes(id);
    if (phase == StepPhase::Forward && forOthers[id])
      fixedBytes += getBytes(id);
  }
  fixedBytes += argumentBytes;
}

bool HeldValues::collectLeaves(ValueId value, unsigned depth,
                               std::vector<ValueId> &leaves) const {
  // Longer chains are no longer cheap.
  constexpr unsigned kDeepest = 12;
  ValueId root = facts.roots[value];
  const GraphValue &entry = graph.values[root];
  bool isHeld = entry.producer == kNone || !entry.isFloatTensor ||
                facts.isConstant[entry.producer] ||
                (depth > 0 && storage[root].isStored && forOthers[root]);
  if (isHeld) {
    if (!llvm::is_contained(leaves, root))
      leaves.push_back(root);
    return true;
  }
  if (depth > 0 && storage[root].isStored)
    return false;
  const GraphNode &node = graph.nodes[entry.producer];
  bool isCheap = node.is(Structure::Elementwise) || node.is(Structure::Norm) ||
                 node.is(Structure::Layout) || node.is(Structure::Rotary);
  if (!isCheap || depth == kDeepest)
    return false;
  return llvm::all_of(llvm::seq(node.numInputs), [&](unsigned operand) {
    return collectLeaves(node.operands[operand], depth + 1, leaves);
  });
}

std::optional<double> HeldValues::getBytesToRecompute(ValueId root) const {
  std::vector<ValueId> leaves;
  if (!collectLeaves(root, 0, leaves) || leaves.empty())
    return std::nullopt;
  double bytes = 0;
  for (ValueId leaf : leaves)
    if (graph.values[leaf].isFloatTensor)
      bytes += getBytes(leaf);
  return bytes;
}
