//===- DynamicMap.cpp - values of 8-bit codes -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/DynamicMap.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

static constexpr int kDecades = 7;

/// Bound `index` of `parts` equal parts of [0.1, 1], rounded as torch.linspace
/// rounds on a CPU: from the nearer end, by a fused multiply-add.
static float getBound(int index, int parts) {
  float width = (1.0f - 0.1f) / static_cast<float>(parts);
  if (index < (parts + 1) / 2)
    return std::fma(width, static_cast<float>(index), 0.1f);
  return std::fma(-width, static_cast<float>(parts - index), 1.0f);
}

std::array<float, 256> prec::getDynamicMap(bool isSigned) {
  std::array<float, 256> map = {};
  auto next = map.begin();
  *next++ = 0;
  *next++ = 1;
  for (int decade = 0; decade < kDecades; ++decade) {
    int parts = isSigned ? 1 << decade : 2 << decade;
    auto scale = static_cast<float>(std::pow(10.0, decade + 1 - kDecades));
    for (int part = 0; part < parts; ++part) {
      float center = (getBound(part, parts) + getBound(part + 1, parts)) / 2;
      *next++ = scale * center;
      if (isSigned)
        *next++ = -(scale * center);
    }
  }
  std::sort(map.begin(), map.end());
  return map;
}

std::array<float, 256> prec::getCodeBounds(bool isSigned) {
  std::array<float, 256> map = getDynamicMap(isSigned), bounds = {};
  for (size_t code = 0; code + 1 < map.size(); ++code)
    bounds[code] = (map[code] + map[code + 1]) / 2;
  bounds.back() = std::numeric_limits<float>::infinity();
  return bounds;
}

static float makeFloat(uint32_t bits) {
  float value;
  static_assert(sizeof(value) == sizeof(bits));
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::vector<uint8_t> prec::getCellCodes(bool isSigned) {
  std::array<float, 256> bounds = getCodeBounds(isSigned);
  std::vector<uint8_t> codes;
  auto add = [&](float least) {
    auto above = std::lower_bound(bounds.begin(), bounds.end(), least);
    codes.push_back(static_cast<uint8_t>(above - bounds.begin()));
  };
  for (uint32_t cell = kFirstCell; cell <= kLastCell; ++cell)
    add(cell == kFirstCell ? 0 : makeFloat(cell << 16));
  // Of negative numbers the largest magnitude is the least.
  for (uint32_t cell = kFirstCell; isSigned && cell <= kLastCell; ++cell)
    add(-makeFloat((cell << 16) | 0xffff));
  return codes;
}
