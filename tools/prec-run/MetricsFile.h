//===- MetricsFile.h - losses and metrics as JSON lines ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_METRICSFILE_H
#define PREC_RUN_METRICSFILE_H

#include "ProfileModel.h"
#include "Session.h"

#include <cstdio>

namespace prec::run {

/// One JSON object a line:
///   {"step": 1, "loss": 5.5, "lr": 0.001, "grad_norm": 1.2, "tokens": 1024,
///    "seconds": 0.11, "tokens_per_second": 9000}
///   {"step": 0, "eval_loss": 5.6}
///   {"step": 1000, "recipe": "fp8-hybrid"}
///   {"command": "gemm.1", "phase": "forward", "op": "gemm", "seconds": 1e-4,
///    "bytes": 98304, "flops": 2097152.0}
/// A value that is not finite is null, and so are FLOPs that are not counted; a
/// step that was skipped has "skipped", the name of what was not finite; one
/// that ran again with room for all rows of experts has "crowded", how often.
class MetricsFile {
public:
  /// An empty path writes nothing. A resumed run adds to the file.
  static rt::Result<MetricsFile> open(const std::string &path, bool append);

  MetricsFile(MetricsFile &&other) noexcept;
  MetricsFile &operator=(MetricsFile &&) = delete;
  ~MetricsFile();

  rt::Status step(rt::Session &session, const rt::StepResult &result,
                  double learningRate, int64_t tokens, double seconds,
                  double tokensPerSecond);
  rt::Status eval(int64_t step, double loss);
  /// From this step on.
  rt::Status recipe(int64_t step, const std::string &name);
  rt::Status command(const CommandProfile &entry);

private:
  explicit MetricsFile(std::string path) : path(std::move(path)) {}
  rt::Status write(const std::string &line);

  std::string path;
  FILE *file = nullptr;
};

} // namespace prec::run

#endif // PREC_RUN_METRICSFILE_H
