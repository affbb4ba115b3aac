//===- Projection.h - from a function to its projected graph ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_PROJECTION_H
#define PREC_ASSIGN_PROJECTION_H

#include "prec/Assign/Graph.h"
#include "prec/Support/LLVM.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace prec {

/// The graph of a function and what its nodes and values stand for.
struct Projection {
  Graph graph;
  std::vector<Operation *> operations;
  std::vector<Value> values;
};

/// Projects the body of a function, regions of unknown operations included.
/// Fails, with an error at the operation, for tensors of floats that have no
/// format before assignment (f64, say).
FailureOr<Projection> project(FunctionOpInterface function);

/// Where an operation comes from in the user's model: the name of its
/// location, or else file and line, or else nothing.
std::string getPath(Location location);
/// The path of a value: an argument's prec_train.path, or its operation's path.
std::string getPath(Value value);

} // namespace prec

#endif // PREC_ASSIGN_PROJECTION_H
