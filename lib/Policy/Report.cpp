//===- Report.cpp - reading benchmark reports -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of layer timings has one entry for a module in BF16 and one in FP8.
// Two things in it are not what they seem. A sweep over sizes gives the model
// another name for each of them ("llm_s4096_b2"), though it is one model, which
// has one threshold. And a product in FP8 takes a multiple of 16 rows, of each
// expert a multiple of its own: what was measured in FP8 then has more tokens
// than the same case in BF16, and a step looks up the number without padding.
// So the two entries of one model's case are a pair, which has the tokens of
// BF16. Example: 424 tokens of 64 experts are 64 times 16 in FP8, 1024 tokens.
//
//===----------------------------------------------------------------------===//
#include "prec/Policy/Merge.h"

#include "prec/Support/JsonReader.h"

#include <array>
#include <tuple>

using namespace prec;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// The list of layer timings of benchmark_te_parallel_layers.py.
class LayerReportReader : JsonReader {
public:
  LayerReportReader(StringRef fileName, Measurements &measurements)
      : JsonReader(fileName), measurements(measurements) {}

  Error read(const JsonValue &json);

private:
  /// A module as the benchmark names it; times by tokens in BF16 and in FP8.
  struct Case {
    std::string model, name;
    ModuleKey module;
    bool operator<(const Case &other) const {
      return std::tie(model, name, module) <
             std::tie(other.model, other.name, other.module);
    }
  };
  using CaseTimes = std::array<std::map<int64_t, Time>, 2>;

  Error readEntry(const JsonValue &json);
  Error readKey(const JsonValue &json, ModuleRunKey &key);
  void add(const ModuleRunKey &key, std::optional<Time> ModuleTimes::*slot,
           Time time);
  void pair(const Case &measured, const CaseTimes &times);

  Measurements &measurements;
  std::map<Case, CaseTimes> cases;
};

} // namespace

/// "llm" of "llm_s4096_b2": what a sweep appends for sequence and micro-batch.
static StringRef dropSweepSuffix(StringRef model) {
  auto drop = [](StringRef text, StringRef mark) {
    StringRef rest = text.rtrim("0123456789");
    return rest.size() < text.size() && rest.ends_with(mark)
               ? rest.drop_back(mark.size())
               : StringRef();
  };
  StringRef base = drop(drop(model, "_b"), "_s");
  return base.empty() ? model : base;
}

Error LayerReportReader::readKey(const JsonValue &json, ModuleRunKey &key) {
  unsigned kind = 0;
  if (Error error = readName(*json.find("module_kind"), "module_kind",
                             getModuleKindNames(), kind))
    return error;
  key.module.kind = static_cast<ModuleKind>(kind);
  if (Error error = readText(*json.find("model_name"), "model_name", key.model))
    return error;
  if (Error error = readInteger(*json.find("num_tokens"), "num_tokens", 1,
                                INT64_MAX, key.tokens))
    return error;
  auto readSize = [&](StringRef name, int64_t &size) {
    const JsonValue *value = json.find(name);
    return value ? readInteger(*value, name, 1, INT64_MAX, size)
                 : Error::success();
  };
  if (isGrouped(key.module.kind)) {
    if (Error error = readSize("etp_size", key.module.etp))
      return error;
    return readSize("num_gemms", key.module.numGemms);
  }
  const JsonValue *ubName = json.find("ub_name");
  if (!ubName)
    return fail(json.position, "missing key 'ub_name'");
  if (Error error = readText(*ubName, "ub_name", key.module.ubName))
    return error;
  return readSize("tp_size", key.module.tp);
}

Error LayerReportReader::readEntry(const JsonValue &json) {
  // Shapes, FLOPs and rates follow from the rest.
  if (Error error = checkObject(
          json,
          {"case_name", "model_name", "module_kind", "precision", "num_tokens",
           "total_ms"},
          {"module_name", "input_shape", "output_shape", "forward_ms",
           "backward_ms", "tokens_per_second", "forward_flops",
           "backward_flops", "total_flops", "achieved_tflops", "tp_size",
           "etp_size", "num_gemms", "ub_name"}))
    return error;
  ModuleRunKey key;
  if (Error error = readKey(json, key))
    return error;
  const JsonValue &precisionValue = *json.find("precision");
  unsigned precision = 0;
  if (Error error = readName(precisionValue, "precision",
                             getModulePrecisionNames(), precision))
    return error;
  double milliseconds = 0;
  if (Error error =
          readPositive(*json.find("total_ms"), "total_ms", milliseconds))
    return error;
  std::string name;
  if (Error error = readText(*json.find("case_name"), "case_name", name))
    return error;
  std::map<int64_t, Time> &times =
      cases[{key.model, name, key.module}][precision];
  Time time{milliseconds * 1000, 0};
  auto [known, isNew] = times.try_emplace(key.tokens, time);
  if (!isNew)
    known->second = combineTimes({known->second, time});
  return Error::success();
}

/// Layers of equal kind and name in one model have the same key.
void LayerReportReader::add(const ModuleRunKey &key,
                            std::optional<Time> ModuleTimes::*slot, Time time) {
  std::optional<Time> &known = measurements.modules[key].*slot;
  known = known ? combineTimes({*known, time}) : time;
}

void LayerReportReader::pair(const Case &measured, const CaseTimes &times) {
  const auto &[bf16, fp8] = times;
  ModuleRunKey key{measured.module, dropSweepSuffix(measured.model).str(), 0};
  for (const auto &[tokens, time] : bf16) {
    key.tokens = tokens;
    add(key, &ModuleTimes::bf16, time);
  }
  // Of several sizes under one name nothing says which belong together but
  // their numbers of tokens.
  constexpr int64_t kMostRows = 32;
  bool isPair = bf16.size() == 1 && fp8.size() == 1;
  if (isPair) {
    int64_t padding = fp8.begin()->first - bf16.begin()->first;
    isPair = padding >= 0 && padding < kMostRows * measured.module.numGemms;
  }
  for (const auto &[tokens, time] : fp8) {
    key.tokens = isPair ? bf16.begin()->first : tokens;
    add(key, &ModuleTimes::fp8, time);
  }
}

Error LayerReportReader::read(const JsonValue &json) {
  for (const JsonValue &element : json.elements)
    if (Error error = readEntry(element))
      return error;
  for (const auto &[measured, times] : cases)
    pair(measured, times);
  return Error::success();
}

Expected<MeasuredPolicy> prec::parseReport(StringRef text, StringRef fileName,
                                           StringRef gpu) {
  Expected<JsonValue> json = parseJson(text, fileName);
  if (!json)
    return json.takeError();
  if (json->kind == JsonValue::Kind::Object)
    return readMeasuredPolicy(*json, fileName);
  if (json->kind != JsonValue::Kind::Array)
    return JsonReader(fileName).fail(
        json->position, "a report must be an object of version 2 or a list of "
                        "layer timings, but got " +
                            describeJson(*json));
  MeasuredPolicy policy;
  Measurements &measurements = policy.machines[Machine{gpu.str(), {}}];
  if (Error error = LayerReportReader(fileName, measurements).read(*json))
    return std::move(error);
  return policy;
}
