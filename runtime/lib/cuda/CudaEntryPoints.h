//===- CudaEntryPoints.h - first runs, and recorded ones --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDAENTRYPOINTS_H
#define PREC_RT_CUDA_CUDAENTRYPOINTS_H

#include "CudaGraph.h"

#include <map>
#include <optional>

namespace prec::rt {

/// How often each entry point ran, and its graph once it has one.
class CudaEntryPoints {
public:
  /// The first run calls `start`. The second records what `enqueue` puts on the
  /// stream, and launches it; every later one launches it again.
  Status run(const CudaDriver &driver, CUstream stream, const std::string &name,
             const std::function<Status()> &start,
             const std::function<Status()> &enqueue);

  /// Whether the next run launches a graph that there is.
  bool isRecorded(const std::string &name) const {
    auto found = states.find(name);
    return found != states.end() && found->second.graph;
  }

  /// Buffers are elsewhere: entry points are recorded again.
  void forgetGraphs() {
    for (auto &[name, state] : states)
      state.graph.reset();
  }

private:
  struct State {
    bool ran = false;
    std::optional<CudaGraph> graph;
  };
  std::map<std::string, State> states;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDAENTRYPOINTS_H
