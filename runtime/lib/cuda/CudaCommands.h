//===- CudaCommands.h - the commands of a step module -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDACOMMANDS_H
#define PREC_RT_CUDA_CUDACOMMANDS_H

#include "CudaBranch.h"
#include "CudaRules.h"

namespace prec::rt {

/// Plans the commands of a module, puts them on the stream, and times them
/// there. Errors of a command name it. Needs a current context.
class CudaCommands {
public:
  /// `work` without segments; what it refers to outlives this.
  explicit CudaCommands(const CudaWork &work) : work(work) {}

  /// All commands of all entry points, before there are segments.
  Status plan();
  /// Bytes that libraries need beside the segments.
  int64_t workspaceBytes() const;
  /// Once planned: the memory that commands run in.
  void useMemory(const CudaSegments &segments) { work.segments = &segments; }

  Status enqueue(const Command &command);
  /// With exchanges of buckets on a branch, which ends here.
  Status enqueueAll(const std::vector<Command> &commands,
                    Exchanges exchanges = Exchanges::run);
  Result<std::optional<Engine>> engineOf(const Command &command);
  /// Milliseconds of each command, one behind the other; `prepare` is called
  /// before the i-th.
  Result<std::vector<double>> time(const std::vector<const Command *> &commands,
                                   const std::string &what,
                                   const std::function<void(size_t)> &prepare);
  /// Ends what is undecided between algorithms of an entry point's products.
  Status chooseRivals(const std::vector<Command> &commands);

private:
  Status enqueueBucket(const Command *first, size_t count, Exchanges exchanges);

  CudaWork work;
  std::optional<CudaBranch> branch; ///< once something is exchanged
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDACOMMANDS_H
