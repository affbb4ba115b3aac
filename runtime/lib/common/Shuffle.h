//===- Shuffle.h - the order in which data is read --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_SHUFFLE_H
#define PREC_RT_COMMON_SHUFFLE_H

#include <cstdint>

namespace prec::rt {

/// Which of `count` windows, at least one, is at a place of the training, from
/// 0 on. Places are those of one epoch after the other; each epoch has every
/// window once, in an order of its own that follows from the seed.
int64_t windowAt(uint64_t seed, int64_t count, int64_t place);

} // namespace prec::rt

#endif // PREC_RT_COMMON_SHUFFLE_H
