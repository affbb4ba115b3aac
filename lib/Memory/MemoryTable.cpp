//===- MemoryTable.cpp - where the bytes of a step go ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Memory/MemoryTable.h"

#include "prec/Numerics/FloatFormat.h"

#include <cassert>
#include <cmath>
#include <map>

using namespace prec;
using llvm::ArrayRef;
using llvm::StringRef;

StringRef prec::stringifyMemoryClass(MemoryClass memoryClass) {
  static constexpr StringRef kNames[kNumMemoryClasses] = {
      "forward weights", "16-bit weights", "masters",          "moments",
      "gradients",       "activations",    "quantized copies", "temporaries"};
  return kNames[static_cast<unsigned>(memoryClass)];
}

double prec::getBytes(StringRef format, double elements) {
  // Codes of 8 bits, and an f32 for each block.
  if (format == kDynamic8)
    return elements + 4 * std::ceil(elements / kDynamicBlock);
  const FloatFormat *known = findFloatFormat(format);
  assert(known && "items have formats of tags");
  return std::ceil(elements * known->getBits() / 8);
}

/// What one rank holds of an item.
static double getRankBytes(const MemoryItem &item, int64_t ranks) {
  double elements = isSharded(item.memoryClass) && !item.isWhole
                        ? std::ceil(item.elements / static_cast<double>(ranks))
                        : item.elements;
  return getBytes(item.format, elements);
}

/// The position at which most bytes live; the first of several.
static uint32_t findPeak(ArrayRef<MemoryItem> items) {
  std::map<uint32_t, double> changes;
  for (const MemoryItem &item : items) {
    if (!item.live)
      continue;
    double bytes = getBytes(item.format, item.elements);
    changes[item.live->first] += bytes;
    changes[item.live->last + 1] -= bytes;
  }
  uint32_t peak = 0;
  double live = 0, most = 0;
  for (const auto &[position, change] : changes) {
    live += change;
    if (live > most) {
      most = live;
      peak = position;
    }
  }
  return peak;
}

/// The order of formats in a class: widest first.
static unsigned getFormatRank(StringRef format) {
  unsigned rank = 0;
  for (const FloatFormat &known : getFloatFormats()) {
    if (known.name == format)
      return rank;
    ++rank;
  }
  return rank;
}

MemoryTable prec::makeMemoryTable(ArrayRef<MemoryItem> items, int64_t ranks) {
  MemoryTable table;
  table.ranks = ranks;
  table.peak = findPeak(items);
  std::map<std::pair<MemoryClass, unsigned>, MemoryRow> rows;
  for (const MemoryItem &item : items) {
    MemoryRow &row = rows[{item.memoryClass, getFormatRank(item.format)}];
    row.memoryClass = item.memoryClass;
    row.format = item.format;
    ++row.tensors;
    row.elements += item.elements;
    row.bytes += getBytes(item.format, item.elements);
    bool isLive = !item.live || (item.live->first <= table.peak &&
                                 item.live->last >= table.peak);
    if (isLive)
      row.peakBytes += getRankBytes(item, ranks);
    if (item.memoryClass == MemoryClass::Masters || item.isParameter) {
      table.parameters += item.elements;
      table.activeParameters += item.elements * item.activePart;
    }
  }
  for (auto &entry : rows) {
    table.bytes += entry.second.bytes;
    table.peakBytes += entry.second.peakBytes;
    table.rows.push_back(std::move(entry.second));
  }
  return table;
}
