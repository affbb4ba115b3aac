//===- DynamicMap.h - values of 8-bit codes ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_NUMERICS_DYNAMICMAP_H
#define PREC_NUMERICS_DYNAMICMAP_H

#include <array>
#include <cstdint>
#include <vector>

namespace prec {

/// What the 256 codes stand for, in ascending order: the dynamic map of
/// bitsandbytes' `create_dynamic_map`, to the bit. Zero, one, and in each of
/// seven decades below one centers of equal parts, twice as many in each as in
/// the one before; with both signs or without negative numbers.
std::array<float, 256> getDynamicMap(bool isSigned);

/// Bounds between codes: that of codes c and c + 1, their mean, is entry c. The
/// nearest code of x is the number of bounds below x. Above the last is
/// infinity.
std::array<float, 256> getCodeBounds(bool isSigned);

/// Numbers up to one in cells by the upper 16 bits of their magnitude: so small
/// that each has at most one bound in it. Below 2^-23, which is less than any
/// bound, all are in the first.
inline constexpr int32_t kFirstCell = 0x3400, kLastCell = 0x3f80;
inline constexpr int32_t kNumCells = kLastCell - kFirstCell + 1;

/// The code of the least number of each cell; where numbers are signed, cells
/// of negative ones follow. The code of x is that of its cell, and one more if
/// the bound of this code is below x.
std::vector<uint8_t> getCellCodes(bool isSigned);

} // namespace prec

#endif // PREC_NUMERICS_DYNAMICMAP_H
