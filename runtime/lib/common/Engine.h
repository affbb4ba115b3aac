//===- Engine.h - who computes a product or attention -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_ENGINE_H
#define PREC_RT_COMMON_ENGINE_H

#include <cstdint>
#include <optional>
#include <string>

namespace prec::rt {

/// An algorithm of cuBLASLt, by the library's own names.
struct GemmAlgorithm {
  int32_t id = 0;
  std::string tile, stages, cluster;
  int32_t splits = 1; ///< of K
  uint32_t swizzle = 0;
  double milliseconds = 0; ///< as measured when it was chosen
  /// How many it was chosen from; none if the algorithm file does not say.
  std::optional<int64_t> candidates;

  bool operator==(const GemmAlgorithm &) const = default;
};

/// What a device has several of for one command.
struct Engine {
  std::string name; ///< "cuBLASLt 13.0.2", "cuDNN", "generated kernels"
  std::optional<GemmAlgorithm> algorithm{}; ///< of a product by cuBLASLt

  bool operator==(const Engine &) const = default;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_ENGINE_H
