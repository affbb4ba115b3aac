//===- Sdpa.h - attention by cuDNN ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_SDPA_H
#define PREC_RT_CUDA_SDPA_H

#include "Manifest.h"

#include <cuda.h>

#include <array>
#include <map>
#include <memory>
#include <optional>

namespace prec::rt {

/// What decides a cuDNN plan: q and o are [batch, heads, queries, dim], k and v
/// [batch, groups, keys, dim], the log-sum-exp [batch, heads, queries].
struct SdpaProblem {
  bool backward = false;
  DType dtype = DType::bf16;
  int64_t batch = 0, heads = 0, groups = 0, queries = 0, keys = 0, dim = 0;
  double scale = 1;
  bool causal = false, deterministic = true;
  std::optional<int64_t> window;
  /// Sizes and strides as cuDNN takes them: its backward repeats batch and
  /// heads where a size is 1, but computes wrong gradients where that of the
  /// queries is, so these are always all, with a stride of 0 for one for all.
  struct Bias {
    DType dtype = DType::f32;
    std::array<int64_t, 4> dims{}, strides{};
  };
  std::optional<Bias> bias;
  /// By operand, of those whose elements do not follow one another as [batch,
  /// heads, rows, dim]. Offsets are part of the addresses.
  std::map<std::string, std::array<int64_t, 4>> strides;

  /// The problem of a command, or how its buffers disagree.
  static Result<SdpaProblem> of(const Command &command,
                                const Manifest &manifest);
  /// Takes the strides of an operand, if cuDNN does.
  Status add(const std::string &operand, const StridedView &view);
  Status addBias(const Buffer &buffer);
  std::string text() const; ///< unique: also the key of a plan
};

/// Device addresses of one launch, by name; the backward ones are 0 forward.
struct SdpaOperands {
  CUdeviceptr q, k, v, o, lse, dO, dq, dk, dv;
  CUdeviceptr bias = 0; ///< 0: there is none
};

class SdpaPlan; // a cuDNN graph with a built execution plan

/// cuDNN, opened when used, with one handle on one stream.
class SdpaEngine {
public:
  static Result<std::unique_ptr<SdpaEngine>>
  open(const std::vector<std::string> &searchPaths, CUstream stream);
  ~SdpaEngine();

  /// Layers of one shape share a plan. Building one takes up to seconds.
  Result<std::shared_ptr<const SdpaPlan>> plan(const SdpaProblem &problem);

  Status launch(const SdpaPlan &plan, const SdpaOperands &operands,
                CUdeviceptr workspace) const;

  static int64_t workspaceBytes(const SdpaPlan &plan);

private:
  struct Library;
  explicit SdpaEngine(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_SDPA_H
