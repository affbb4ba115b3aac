//===- CudaGraph.cpp - an entry point as one CUDA graph -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaGraph.h"

using namespace prec::rt;

Result<CudaGraph> CudaGraph::record(const CudaDriver &driver, CUstream stream,
                                    const std::string &what,
                                    const std::function<Status()> &enqueue) {
  // Thread local: what other threads of the process do with CUDA meanwhile
  // does not spoil the recording.
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      "recording " + what));
  Status enqueued = enqueue();
  CUgraph recorded = nullptr;
  CUresult ended = driver.cuStreamEndCapture(stream, &recorded);
  CudaGraphHandle graph(recorded, driver.cuGraphDestroy);
  PREC_RT_RETURN_IF_ERROR(enqueued);
  PREC_RT_RETURN_IF_ERROR(driver.check(ended, "recording " + what));
  CUgraphExec executable = nullptr;
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuGraphInstantiate(&executable, graph.get(), 0),
                   "preparing the CUDA graph of " + what));
  CudaGraph result;
  result.executable = CudaGraphExec(executable, driver.cuGraphExecDestroy);
  return result;
}

Status CudaGraph::launch(const CudaDriver &driver, CUstream stream,
                         const std::string &what) const {
  return driver.check(driver.cuGraphLaunch(executable.get(), stream),
                      "launching " + what);
}
