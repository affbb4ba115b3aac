//===- Report.cpp - reading benchmark reports -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/Merge.h"

#include "prec/Support/JsonReader.h"

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
  Error readEntry(const JsonValue &json);
  Error readKey(const JsonValue &json, ModuleRunKey &key);

  Measurements &measurements;
};

} // namespace

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
  Time time{milliseconds * 1000, 0};
  ModuleTimes &times = measurements.modules[key];
  std::optional<Time> &slot = precision == 0 ? times.bf16 : times.fp8;
  // Layers of equal kind and name in one model: the same key.
  slot = slot ? combineTimes({*slot, time}) : time;
  return Error::success();
}

Error LayerReportReader::read(const JsonValue &json) {
  for (const JsonValue &element : json.elements)
    if (Error error = readEntry(element))
      return error;
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
