//===- GraphBuilder.h - graphs for tests ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_ASSIGN_GRAPHBUILDER_H
#define PREC_UNITTESTS_ASSIGN_GRAPHBUILDER_H

#include "prec/Assign/Graph.h"
#include "prec/Support/LLVM.h"

namespace prec::test {

/// Builds graphs value by value; every operation has one result unless said.
struct GraphBuilder {
  Graph graph;

  ValueId argument(Origin origin, ArrayRef<int64_t> shape) {
    return graph.addArgument(origin, shape);
  }
  ValueId op(Structure structure, ArrayRef<ValueId> operands,
             ArrayRef<int64_t> shape, uint32_t arithmetic = ArithNone);
  std::vector<ValueId> ops(Structure structure, ArrayRef<ValueId> operands,
                           ArrayRef<ArrayRef<int64_t>> shapes);
  ValueId add(ValueId a, ValueId b) {
    return op(Structure::Elementwise, {a, b}, graph.values[a].shape, ArithAdd);
  }
  ValueId mul(ValueId a, ValueId b) {
    return op(Structure::Elementwise, {a, b}, graph.values[a].shape, ArithMul);
  }
  ValueId map(ValueId a, uint32_t arithmetic = ArithOther) {
    return op(Structure::Elementwise, {a}, graph.values[a].shape, arithmetic);
  }
  ValueId layout(ValueId a, ArrayRef<int64_t> shape) {
    return op(Structure::Layout, {a}, shape);
  }
  ValueId constant(ArrayRef<int64_t> shape) {
    return op(Structure::Layout, {}, shape);
  }
  /// Product of [M,K] and [K,N], whatever layout the operands have.
  ValueId matmul(ValueId a, ValueId b, int64_t m, int64_t n, int64_t k);
  void ret(ValueId value) { graph.values[value].isReturned = true; }

  NodeId node(ValueId value) const { return graph.values[value].producer; }
};

/// The values of a training step of a stack of layers: embedding, per layer
/// norm, projection, activation and residual, then head, loss, backward,
/// optimizer.
struct Step {
  GraphBuilder builder;
  ValueId loss = kNone, logits = kNone, dLogits = kNone, headGradient = kNone,
          dHead = kNone;
  std::vector<ValueId> projections, residuals, wgrads, dgrads, streamGradients;
};
Step buildStep(unsigned layers, bool withRoles);

/// A step of one frozen projection with an adapter of rank 16.
struct LoraStep {
  GraphBuilder builder;
  ValueId down = kNone, up = kNone, base = kNone;
  /// Contractions that read or update the adapter.
  std::vector<ValueId> adapterContractions;
  std::vector<ValueId> updated;
};
LoraStep buildLoraStep();

} // namespace prec::test

#endif // PREC_UNITTESTS_ASSIGN_GRAPHBUILDER_H
