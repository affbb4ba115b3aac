//===- CudaRules.h - what runs a kind of command on a GPU -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDARULES_H
#define PREC_RT_CUDA_CUDARULES_H

#include "CudaDevice.h"

namespace prec::rt {

/// Each kind of command (prec-rt/enums.def) defines these.
template <CommandKind kind> struct CudaRules {
  /// Before memory is allocated: plans of libraries, and what they need.
  static Status plan(CudaDevice &device, const Command &command);
  /// Puts it on the stream.
  static Status launch(CudaDevice &device, const Command &command);
  /// What computes it; none where there is no choice.
  static Result<std::optional<Engine>> engine(CudaDevice &device,
                                              const Command &command);
};

#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  template <>                                                                  \
  Status CudaRules<CommandKind::name>::plan(CudaDevice &, const Command &);    \
  template <>                                                                  \
  Status CudaRules<CommandKind::name>::launch(CudaDevice &, const Command &);  \
  template <>                                                                  \
  Result<std::optional<Engine>> CudaRules<CommandKind::name>::engine(          \
      CudaDevice &, const Command &);
#include "prec-rt/enums.def"

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDARULES_H
