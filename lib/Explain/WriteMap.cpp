//===- WriteMap.cpp - a precision map as JSON -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Explain/JsonText.h"
#include "prec/Explain/PrecisionMap.h"

#include "llvm/Support/JSON.h"

#include <cmath>

using namespace prec;
using llvm::StringRef;
using llvm::json::OStream;

/// Counts that are whole numbers are written as such.
static void writeCount(OStream &json, StringRef key, double count) {
  constexpr double kExact = 9007199254740992;
  if (count == std::floor(count) && std::abs(count) <= kExact)
    json.attribute(key, static_cast<int64_t>(count));
  else
    json.attribute(key, count);
}

static void writeTexts(OStream &json, StringRef key,
                       llvm::ArrayRef<std::string> texts) {
  if (!texts.empty())
    json.attributeArray(key, [&] {
      for (const std::string &text : texts)
        json.value(llvm::json::fixUTF8(text));
    });
}

static void writeFormat(OStream &json, const MapFormat &format) {
  json.attribute("format", format.format);
  json.attribute("scaling", format.scaling);
  json.attribute("accumulator", format.accumulator);
}

void prec::writeDecision(OStream &json, const MapDecision &decision) {
  writeFormat(json, decision);
  writeText(json, "rule", decision.rule);
  writeText(json, "reference", decision.reference);
  writeTexts(json, "changes", decision.changes);
}

static void writeSizes(OStream &json, StringRef key,
                       llvm::ArrayRef<int64_t> sizes) {
  json.attributeArray(key, [&] {
    for (int64_t size : sizes)
      json.value(size);
  });
}

static void writeValue(OStream &json, const MapValue &value) {
  json.attribute("value", value.value);
  writeSizes(json, "shape", value.shape);
  json.attribute("stored", value.isStored);
  writeCount(json, "bytes", value.bytes);
  writeDecision(json, value.decision);
  if (!value.beaten.empty())
    json.attributeArray("beaten", [&] {
      for (const MapBeaten &beaten : value.beaten)
        json.object([&] {
          json.attribute("format", beaten.format);
          json.attribute("veto", beaten.veto);
          writeText(json, "reason", beaten.reason);
        });
    });
}

void prec::writeArgument(OStream &json, const MapValue &argument) {
  writeText(json, "path", argument.path);
  writeTexts(json, "aliases", argument.aliases);
  json.attribute("origin", argument.origin);
  writeValue(json, argument);
}

static void writeCandidate(OStream &json, const MapCandidate &candidate) {
  json.attributeArray("reads", [&] {
    for (const MapFormat &read : candidate.reads)
      json.object([&] { writeFormat(json, read); });
  });
  json.attribute("result", candidate.result);
  json.attribute("veto", candidate.veto);
  writeText(json, "reason", candidate.reason);
  if (candidate.microseconds)
    json.attribute("us", *candidate.microseconds);
  writeTexts(json, "changes", candidate.changes);
}

static void writeChoice(OStream &json, const MapChoice &choice) {
  if (choice.winner)
    json.attribute("winner", *choice.winner);
  writeText(json, "reason", choice.reason);
  json.attributeArray("candidates", [&] {
    for (const MapCandidate &candidate : choice.candidates)
      json.object([&] { writeCandidate(json, candidate); });
  });
}

void prec::writeOperation(OStream &json, const MapOperation &operation) {
  json.attribute("node", operation.node);
  writeText(json, "path", operation.path);
  json.attribute("operation", operation.name);
  writeText(json, "class", operation.tensorClass);
  json.attribute("phase", operation.phase);
  writeText(json, "direction", operation.direction);
  writeText(json, "module", operation.module);
  if (operation.mnk)
    writeSizes(json, "mnk", *operation.mnk);
  if (operation.layer)
    json.attribute("layer", *operation.layer);
  writeCount(json, "flops", operation.flops);
  json.attributeArray("results", [&] {
    for (const MapValue &result : operation.results)
      json.object([&] { writeValue(json, result); });
  });
  json.attributeArray("reads", [&] {
    for (const MapRead &read : operation.reads)
      json.object([&] {
        json.attribute("operand", read.operand);
        json.attribute("value", read.value);
        writeCount(json, "copy_bytes", read.copyBytes);
        writeDecision(json, read.decision);
      });
  });
  if (operation.choice)
    json.attributeObject("choice",
                         [&] { writeChoice(json, *operation.choice); });
}

void prec::writePrecisionMap(llvm::raw_ostream &os, const PrecisionMap &map) {
  OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("version", kPrecisionMapVersion);
    json.attribute("recipe", llvm::json::fixUTF8(map.recipe));
    json.attribute("target", llvm::json::fixUTF8(map.target));
    writeText(json, "query", map.query);
    json.attributeArray("functions", [&] {
      for (const MapFunction &function : map.functions)
        json.object([&] {
          json.attribute("function", llvm::json::fixUTF8(function.name));
          json.attributeArray("arguments", [&] {
            for (const MapValue &argument : function.arguments)
              json.object([&] { writeArgument(json, argument); });
          });
          json.attributeArray("operations", [&] {
            for (const MapOperation &operation : function.operations)
              json.object([&] { writeOperation(json, operation); });
          });
        });
    });
  });
  os << '\n';
}
