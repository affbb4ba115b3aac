//===- CudaGroupedRules.cpp - products of groups of rows ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No kernel multiplies groups on a GPU: prec-compile writes grouped products
// for it as products of all rows, so a module that has the command is of
// another compiler, and is refused before memory is allocated.
//
//===----------------------------------------------------------------------===//

#include "CudaRules.h"

using namespace prec::rt;

static Status refuseGrouped(const Command &command) {
  return Status::unsupported("command '" + command.name +
                             "': grouped products must be of a module for a "
                             "CPU, but this one is for a GPU");
}

template <>
Status CudaRules<CommandKind::groupedGemm>::plan(CudaWork &,
                                                 const Command &command) {
  return refuseGrouped(command);
}
template <>
Status CudaRules<CommandKind::groupedGemm>::launch(CudaWork &,
                                                   const Command &command) {
  return refuseGrouped(command);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::groupedGemm>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}
