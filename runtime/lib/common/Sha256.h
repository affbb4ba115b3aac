//===- Sha256.h - the hash of a step module's file --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_SHA256_H
#define PREC_RT_COMMON_SHA256_H

#include <array>
#include <cstdint>
#include <string_view>

namespace prec::rt {

/// SHA-256 (FIPS 180-4). Written out here since the runtime links neither LLVM,
/// whose implementation the compiler uses, nor a library of cryptography.
class Sha256 {
public:
  using Digest = std::array<uint8_t, 32>;

  void update(std::string_view bytes);
  /// Of all bytes so far; nothing is added afterwards.
  Digest finish();

private:
  void addBlock(const uint8_t *block);

  std::array<uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                   0xa54ff53a, 0x510e527f, 0x9b05688c,
                                   0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> rest{};
  uint64_t count = 0; ///< bytes so far
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_SHA256_H
