//===- CudaGraph.h - an entry point as one CUDA graph -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDAGRAPH_H
#define PREC_RT_CUDA_CUDAGRAPH_H

#include "CudaDriver.h"

#include <functional>

namespace prec::rt {

/// Work recorded from a stream, launched again and again as a whole.
class CudaGraph {
public:
  /// Records what `enqueue` puts on the stream; nothing of it runs. When it
  /// fails the stream is left as it was, and its error is returned.
  static Result<CudaGraph> record(const CudaDriver &driver, CUstream stream,
                                  const std::string &what,
                                  const std::function<Status()> &enqueue);

  Status launch(const CudaDriver &driver, CUstream stream,
                const std::string &what) const;

private:
  CudaGraphExec executable;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDAGRAPH_H
