//===- CudaRules.h - what runs a kind of command on a GPU -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDARULES_H
#define PREC_RT_CUDA_CUDARULES_H

#include "CudaAttention.h"
#include "CudaConvolutions.h"
#include "CudaGemms.h"
#include "CudaRanks.h"

namespace prec::rt {

/// What commands work with, on one stream.
struct CudaWork {
  const CudaDriver &driver;
  const Manifest &manifest;
  CUstream stream;
  const CudaKernels &kernels;
  CudaGemms &gemms;
  CudaAttention &attention;
  CudaConvolutions &convolutions;
  CudaRanks *ranks; ///< null where there are no others
  /// Null while commands are planned.
  const CudaSegments *segments = nullptr;
  /// Of the stream.
  CudaPeers::Lane lane = CudaPeers::line;

  const Buffer &buffer(int index) const {
    return manifest.buffers[static_cast<size_t>(index)];
  }
  CUdeviceptr address(int index) const {
    return segments->address(buffer(index));
  }
};

/// Puts `count` exchanges of one kind on the stream, which do not depend on
/// each other.
Status launchExchanges(CudaWork &work, const Command *first, size_t count);

/// Each kind of command (prec-rt/enums.def) defines these.
template <CommandKind kind> struct CudaRules {
  /// Before memory is allocated: plans of libraries, and what they need.
  static Status plan(CudaWork &work, const Command &command);
  /// Puts it on the stream.
  static Status launch(CudaWork &work, const Command &command);
  /// What computes it; none where there is no choice.
  static Result<std::optional<Engine>> engine(CudaWork &work,
                                              const Command &command);
};

#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  template <>                                                                  \
  Status CudaRules<CommandKind::name>::plan(CudaWork &, const Command &);      \
  template <>                                                                  \
  Status CudaRules<CommandKind::name>::launch(CudaWork &, const Command &);    \
  template <>                                                                  \
  Result<std::optional<Engine>> CudaRules<CommandKind::name>::engine(          \
      CudaWork &, const Command &);
#include "prec-rt/enums.def"

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDARULES_H
