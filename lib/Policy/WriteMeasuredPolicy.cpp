//===- WriteMeasuredPolicy.cpp - writing version 2 ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/MeasuredPolicy.h"

#include "Policy/WriteNumber.h"
#include "llvm/Support/JSON.h"

using namespace prec;
using llvm::StringRef;
using llvm::json::OStream;

static void writeTime(OStream &json, const Time &time) {
  writeNumber(json, "us", time.us);
  if (time.noise != 0)
    writeNumber(json, "noise_us", time.noise);
}

/// What the reader assumes if it is left out is left out.
static void writeUnless(OStream &json, StringRef key, StringRef value,
                        StringRef assumed) {
  if (value != assumed)
    json.attribute(key, value);
}

static void writeContraction(OStream &json, StringRef machine,
                             const ContractionKey &key, const Time &time) {
  json.attribute("machine", machine);
  json.attribute("direction", key.direction);
  json.attribute("m", key.m);
  json.attribute("n", key.n);
  json.attribute("k", key.k);
  if (key.batch != 1)
    json.attribute("batch", key.batch);
  const ContractionFormats assumed, &formats = key.formats;
  json.attribute("lhs", formats.lhs);
  json.attribute("rhs", formats.rhs);
  writeUnless(json, "result", formats.result, assumed.result);
  writeUnless(json, "scaling", formats.scaling, assumed.scaling);
  writeUnless(json, "accumulator", formats.accumulator, assumed.accumulator);
  writeTime(json, time);
}

static void writeQuantization(OStream &json, StringRef machine,
                              const QuantizationKey &key, const Time &time) {
  json.attribute("machine", machine);
  json.attribute("rows", key.rows);
  json.attribute("columns", key.columns);
  json.attribute("from", key.from);
  json.attribute("to", key.to);
  writeUnless(json, "scaling", key.scaling, QuantizationKey().scaling);
  json.attribute("layouts", key.layouts);
  writeTime(json, time);
}

static void writeModule(OStream &json, StringRef machine,
                        const ModuleRunKey &key, StringRef precision,
                        const Time &time) {
  json.attribute("machine", machine);
  json.attribute("kind", stringifyModuleKind(key.module.kind));
  if (isGrouped(key.module.kind)) {
    json.attribute("etp", key.module.etp);
    json.attribute("num_gemms", key.module.numGemms);
  } else {
    json.attribute("ub_name", key.module.ubName);
    json.attribute("tp", key.module.tp);
  }
  writeUnless(json, "model", key.model, "");
  json.attribute("tokens", key.tokens);
  json.attribute("precision", precision);
  writeTime(json, time);
}

/// One list of all machines; nothing if it would be empty.
static void writeList(
    OStream &json, const MeasuredPolicy &policy, StringRef name,
    llvm::function_ref<bool(const Measurements &)> isEmpty,
    llvm::function_ref<void(StringRef, const Measurements &)> writeEntries) {
  bool any = false;
  for (const auto &entry : policy.machines)
    any |= !isEmpty(entry.second);
  if (!any)
    return;
  json.attributeArray(name, [&] {
    unsigned number = 0;
    for (const auto &entry : policy.machines)
      writeEntries("m" + std::to_string(number++), entry.second);
  });
}

static void writeMachines(OStream &json, const MeasuredPolicy &policy) {
  json.attributeArray("machines", [&] {
    unsigned number = 0;
    for (const auto &entry : policy.machines)
      json.object([&] {
        json.attribute("id", "m" + std::to_string(number++));
        json.attribute("gpu", entry.first.gpu);
        if (entry.first.libraries.empty())
          return;
        json.attributeObject("libraries", [&] {
          for (const auto &[name, version] : entry.first.libraries)
            json.attribute(name, version);
        });
      });
  });
}

void prec::writeMeasuredPolicy(llvm::raw_ostream &os,
                               const MeasuredPolicy &policy) {
  OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("version", 2);
    writeNumber(json, "speedup_threshold", policy.speedupThreshold);
    writeMachines(json, policy);
    writeList(
        json, policy, "contractions",
        [](const Measurements &m) { return m.contractions.empty(); },
        [&](StringRef id, const Measurements &m) {
          for (const auto &[key, time] : m.contractions)
            json.object([&, &key = key, &time = time] {
              writeContraction(json, id, key, time);
            });
        });
    writeList(
        json, policy, "quantizations",
        [](const Measurements &m) { return m.quantizations.empty(); },
        [&](StringRef id, const Measurements &m) {
          for (const auto &[key, time] : m.quantizations)
            json.object([&, &key = key, &time = time] {
              writeQuantization(json, id, key, time);
            });
        });
    writeList(
        json, policy, "modules",
        [](const Measurements &m) { return m.modules.empty(); },
        [&](StringRef id, const Measurements &m) {
          for (const auto &[key, times] : m.modules)
            for (auto [precision, time] :
                 {std::pair(StringRef("bf16"), &times.bf16),
                  {"fp8", &times.fp8}})
              if (*time)
                json.object(
                    [&, &key = key, precision = precision, time = time] {
                      writeModule(json, id, key, precision, **time);
                    });
        });
  });
  os << '\n';
}
