//===- CudaCollectiveRules.cpp - commands between ranks -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing moves bytes between GPUs yet: a module that has such commands is
// refused before memory is allocated. What moves them is to be a Communicator
// (Communicator.h) over memory of GPUs, in CudaWork, set up over the ranks of
// the host (OpenOptions::ranks).
//
//===----------------------------------------------------------------------===//

#include "CudaRules.h"

using namespace prec::rt;

static Status refuse(const Command &command) {
  return Status::unsupported(std::string(name(command.kind)) +
                             " must be of a module for a CPU, as ranks are not "
                             "connected between GPUs yet, but this one is for "
                             "a GPU");
}

template <>
Status CudaRules<CommandKind::allGather>::plan(CudaWork &,
                                               const Command &command) {
  return refuse(command);
}
template <>
Status CudaRules<CommandKind::allGather>::launch(CudaWork &,
                                                 const Command &command) {
  return refuse(command);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::allGather>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}

template <>
Status CudaRules<CommandKind::allToAll>::plan(CudaWork &,
                                              const Command &command) {
  return refuse(command);
}
template <>
Status CudaRules<CommandKind::allToAll>::launch(CudaWork &,
                                                const Command &command) {
  return refuse(command);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::allToAll>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}

template <>
Status CudaRules<CommandKind::ownSlice>::plan(CudaWork &,
                                              const Command &command) {
  return refuse(command);
}
template <>
Status CudaRules<CommandKind::ownSlice>::launch(CudaWork &,
                                                const Command &command) {
  return refuse(command);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::ownSlice>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}
