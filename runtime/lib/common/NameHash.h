//===- NameHash.h - numbers that follow from names --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_NAMEHASH_H
#define PREC_RT_COMMON_NAMEHASH_H

#include <cstdint>
#include <string_view>

namespace prec::rt {

/// FNV-1a: the same in every process and on every host.
inline uint64_t hashName(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char letter : name)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  return hash;
}

} // namespace prec::rt

#endif // PREC_RT_COMMON_NAMEHASH_H
