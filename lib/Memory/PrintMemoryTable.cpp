//===- PrintMemoryTable.cpp - the memory table as text and JSON -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Memory/MemoryTable.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <iterator>
#include <map>

using namespace prec;
using llvm::ArrayRef;
using llvm::formatv;
using llvm::StringRef;

std::string prec::printBytes(double bytes) {
  static constexpr StringRef kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  // 999.5 would print as 1000.
  while (bytes >= 999.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1000;
    ++unit;
  }
  int digits = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.*f", digits, bytes) << " " << kUnits[unit];
  return text;
}

static std::string printPerParameter(const MemoryTable &table, double bytes) {
  if (table.parameters == 0)
    return "";
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.3g", bytes / table.parameters);
  return text;
}

void prec::printMemoryTable(llvm::raw_ostream &os, const MemoryTable &table) {
  size_t width = sizeof("format") - 1;
  for (const MemoryRow &row : table.rows)
    width = std::max(width, row.format.size());
  auto printRow = [&](StringRef what, StringRef format, StringRef tensors,
                      StringRef perParameter, StringRef bytes, StringRef peak) {
    std::string padded = format.str();
    padded.resize(width, ' ');
    os << formatv("  {0,-17} {1} {2,7} {3,11} {4,9} {5,9}\n", what, padded,
                  tensors, perParameter, bytes, peak);
  };
  printRow("what", "format", "tensors", "bytes/param", "bytes",
           table.ranks > 1 ? "per rank" : "peak");
  printRow("----", "------", "-------", "-----------", "-----",
           table.ranks > 1 ? "--------" : "----");
  for (const MemoryRow &row : table.rows)
    printRow(stringifyMemoryClass(row.memoryClass), row.format,
             std::to_string(row.tensors), printPerParameter(table, row.bytes),
             printBytes(row.bytes), printBytes(row.peakBytes));
  std::map<StringRef, MemoryRow> formats;
  for (const MemoryRow &row : table.rows) {
    MemoryRow &sum = formats[row.format];
    sum.tensors += row.tensors;
    sum.bytes += row.bytes;
    sum.peakBytes += row.peakBytes;
  }
  for (const auto &[format, sum] : formats)
    printRow("all", format, std::to_string(sum.tensors),
             printPerParameter(table, sum.bytes), printBytes(sum.bytes),
             printBytes(sum.peakBytes));
  printRow("total", "", "", printPerParameter(table, table.bytes),
           printBytes(table.bytes), printBytes(table.peakBytes));
  // Of models with experts.
  if (table.activeParameters < table.parameters)
    os << llvm::format("  parameters: %.0f, active for a token: %.0f\n",
                       table.parameters, table.activeParameters);
}

void prec::writeMemoryTable(llvm::json::OStream &json, const MemoryTable &table,
                            ArrayRef<MemoryItem> items) {
  auto writeBytes = [&](StringRef key, double bytes) {
    json.attribute(key, static_cast<int64_t>(bytes));
  };
  json.object([&] {
    json.attribute("ranks", table.ranks);
    writeBytes("parameters", table.parameters);
    if (table.activeParameters < table.parameters)
      writeBytes("active_parameters", table.activeParameters);
    writeBytes("bytes", table.bytes);
    writeBytes("peak_bytes", table.peakBytes);
    json.attribute("peak_position", static_cast<int64_t>(table.peak));
    json.attributeArray("rows", [&] {
      for (const MemoryRow &row : table.rows)
        json.object([&] {
          json.attribute("what", stringifyMemoryClass(row.memoryClass));
          json.attribute("format", row.format);
          json.attribute("tensors", row.tensors);
          writeBytes("elements", row.elements);
          writeBytes("bytes", row.bytes);
          writeBytes("peak_bytes", row.peakBytes);
        });
    });
    json.attributeArray("live", [&] {
      for (const MemoryItem &item : items) {
        if (!item.live)
          continue;
        json.object([&] {
          json.attribute("path", llvm::json::fixUTF8(item.path));
          json.attribute("what", stringifyMemoryClass(item.memoryClass));
          json.attribute("format", item.format);
          writeBytes("bytes", getBytes(item.format, item.elements));
          json.attribute("first", item.live->first);
          json.attribute("last", item.live->last);
        });
      }
    });
  });
}
