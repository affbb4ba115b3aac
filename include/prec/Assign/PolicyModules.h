//===- PolicyModules.h - contractions as a benchmark's modules --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Benchmarks time the modules of a tensor-parallel transformer; a graph has
// contractions. What a contraction reads and what reads its result tell which
// module it belongs to:
//
//   reads             result leads to            module
//   ----------------  -------------------------  ----------------------------
//   a norm            attention                  layernorm_column / qkv
//   a norm            other than the rest        layernorm_column / fc1
//   a norm            attention, and through a   duplicated / kv_down_proj
//                     norm into a contraction
//                     that leads to attention
//   a norm            only the latter            duplicated / q_down_proj
//   the norm after    attention                  layernorm_column / q_up_proj
//   such a module                                or kv_up_proj
//   attention         anything                   row / proj
//   maths on results  anything                   row / fc2
//   of contractions
//   anything else     attention                  column / qkv
//   anything else     maths, then a contraction  column / fc1
//
// The products of experts, one for each batch of a stacked weight, are promoted
// to grouped kinds. The backward contractions of a weight belong to its module.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_ASSIGN_POLICYMODULES_H
#define PREC_ASSIGN_POLICYMODULES_H

#include "prec/Assign/Classification.h"
#include "prec/Policy/Module.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// The contractions of one weight.
struct PolicyModule {
  ValueId weight;
  /// None for a contraction that no benchmark has a name for. Sizes of
  /// parallelism are 1: the graph of one GPU does not know them.
  std::optional<ModuleKey> key;
  /// Rows of the forward product, of all experts together; 0 if unknown.
  int64_t tokens = 0;
  /// Forward and recomputed ones first.
  SmallVector<NodeId, 4> contractions;
};

/// The modules of the weights that contractions of class `contraction` read
/// forward, in their order. Linear in the number of operations and uses.
std::vector<PolicyModule> findPolicyModules(const Graph &graph,
                                            const Classification &facts);

} // namespace prec

#endif // PREC_ASSIGN_POLICYMODULES_H
