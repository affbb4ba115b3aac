//===- CudaEntryPoints.cpp - first runs, and recorded ones ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry point is run one command after the other at first, and recorded as a
// CUDA graph the second time, which later runs launch with one call. The first
// run is not recorded because the driver and the libraries load their kernels
// at first use, which a recording stream forbids some of them. The work and its
// results are the same.
//
//===----------------------------------------------------------------------===//

#include "CudaEntryPoints.h"

using namespace prec::rt;

Status CudaEntryPoints::run(const CudaDriver &driver, CUstream stream,
                            const std::string &name,
                            const std::function<Status()> &start,
                            const std::function<Status()> &enqueue) {
  State &state = states[name];
  if (!state.ran) {
    PREC_RT_RETURN_IF_ERROR(start());
    state.ran = true;
    return Status();
  }
  std::string what = "entry point '" + name + "'";
  if (!state.graph) {
    Result<CudaGraph> graph = CudaGraph::record(driver, stream, what, enqueue);
    if (!graph.ok())
      return graph.status();
    state.graph = std::move(*graph);
  }
  return state.graph->launch(driver, stream, what);
}
