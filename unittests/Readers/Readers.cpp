//===- Readers.cpp - every reader of a user's file, by name ---------------===//
#include "Readers.h"

#include "prec/Assign/Rules.h"
#include "prec/Explain/PrecisionMap.h"
#include "prec/Numerics/Numerics.h"
#include "prec/Policy/Merge.h"
#include "prec/Policy/ModuleMap.h"

using namespace mlir::prec;
using namespace mlir::prec::test;
using llvm::StringRef;

template <typename T> static std::string getMessage(llvm::Expected<T> result) {
  return result ? "" : llvm::toString(result.takeError());
}

/// What is read is written and read again.
static std::string readPolicy(StringRef text) {
  llvm::Expected<Policy> policy = parsePolicy(text, "f");
  if (!policy)
    return llvm::toString(policy.takeError());
  std::string written;
  llvm::raw_string_ostream os(written);
  writePolicy(os, *policy);
  return getMessage(parsePolicy(written, "written"));
}

static std::string readReport(StringRef text) {
  llvm::Expected<MeasuredPolicy> report = parseReport(text, "f");
  if (!report)
    return llvm::toString(report.takeError());
  MeasuredPolicy merged = mergeReports({*report, *report}, 1);
  for (const auto &entry : merged.machines)
    makeThresholdPolicy(entry.second, 1);
  return "";
}

static std::string readModuleMap(StringRef text) {
  return getMessage(parseModuleMap(text, "f"));
}

static std::string readNumerics(StringRef text) {
  return getMessage(parseNumerics(text, "f"));
}

static std::string readRecipe(StringRef text) {
  return getMessage(parseRecipe(text, "f"));
}

static std::string readRules(StringRef text) {
  return getMessage(parseRules(text, "f"));
}

static std::string readPrecisionMap(StringRef text) {
  llvm::Expected<PrecisionMap> map = parsePrecisionMap(text, "f");
  if (!map)
    return llvm::toString(map.takeError());
  std::string written;
  llvm::raw_string_ostream os(written);
  writePrecisionMap(os, *map);
  return getMessage(parsePrecisionMap(written, "written"));
}

static constexpr Reader kReaders[] = {
    {"policy-v1", readPolicy,
     R"({"version": 1, "speedup_threshold": 1.0, "rules": {
  "layernorm_column": {"qkv": [{"tp": 1, "min_tokens": 16384, "measured_speedup": 1.03}], "fc1": [{"tp": 2, "min_tokens": 1}]},
  "row": {"proj": [{"tp": 1, "min_tokens": 4096}, {"tp": 2, "min_tokens": 0}]},
  "duplicated": {"q_down_proj": []},
  "column_grouped": [{"etp": 1, "num_gemms": 64, "min_tokens": 424, "measured_speedup": 1.02}]}})"},
    {"policy-v2", readPolicy,
     R"({"version": 2, "speedup_threshold": 1.1, "machines": [{"id": "a", "gpu": "H200", "libraries": {"cublaslt": "13"}}],
 "contractions": [{"machine": "a", "direction": "fprop", "m": 16, "n": 32, "k": 64, "batch": 2, "lhs": "e4m3", "rhs": "e5m2",
   "result": "f32", "scaling": "row", "accumulator": "fast", "us": 1.5, "noise_us": 0.1}],
 "quantizations": [{"machine": "a", "rows": 4, "columns": 8, "from": "bf16", "to": "e4m3", "scaling": "none", "layouts": "both", "us": 2}],
 "modules": [{"machine": "a", "kind": "row", "ub_name": "proj", "tp": 1, "model": "m", "tokens": 5, "precision": "fp8", "us": 3},
   {"machine": "a", "kind": "row_grouped", "etp": 1, "num_gemms": 4, "tokens": 5, "precision": "bf16", "us": 3e2}]})"},
    {"report", readReport,
     R"([{"case_name": "c", "model_name": "m", "module_kind": "row", "precision": "bf16", "num_tokens": 8, "total_ms": 0.5,
  "tp_size": 1, "ub_name": "proj"},
 {"case_name": "c", "model_name": "m", "module_kind": "row", "precision": "fp8", "num_tokens": 8, "total_ms": 0.25, "tp_size": 1,
  "ub_name": "proj"}])"},
    {"policy-modules", readModuleMap,
     R"({"version": 1, "tp": 1, "etp": 2, "model": "m",
 "components": [{"path": "visual.[a-c]*", "policy": "v.json", "num_tokens": 16, "tp": 1, "etp": 1}],
 "modules": [{"path": "*.{up,gate}_proj", "kind": "column", "ub_name": "fc1"}, {"path": "*?", "kind": "row_grouped", "num_gemms": 3}]})"},
    {"numerics", readNumerics,
     R"({"version": 1, "producer": "p", "steps": {"first": 0, "count": 2},
 "tensors": [{"path": "a.b", "phase": "forward", "result": 1, "amax": 2.5, "rms": 1e-3, "update_rms": 0, "gradient_rms": 1,
   "losses": [{"format": "e4m3", "scaling": "tensor_current", "underflow": 0.25, "overflow": 0.5, "sqnr_db": -3.5}]}],
 "uses": [{"path": "\u00e9", "direction": "wgrad", "operand": 1, "amax": 0, "rms": 0, "losses": [{"format": "f32", "underflow": 0, "overflow": 0, "sqnr_db": null}]}]})"},
    {"recipe", readRecipe,
     R"({"recipe": "a", "description": "d", "dtypes": {"model_dtype": "bf16", "matmul_dtype": "e4m3"},
 "contraction": {"fprop": {"activation": {"format": "e4m3", "scaling": "row"}, "weight": {"format": "matmul_dtype", "scaling": "row"}, "accumulator": "fast"},
   "dgrad": {"gradient": {"format": "bf16"}, "weight": {"format": "bf16"}},
   "wgrad": {"gradient": {"format": "e2m1", "scaling": "nvfp4_1x16"}, "activation": {"format": "e2m1", "scaling": "nvfp4_1x16"}},
   "fallback": "model_dtype", "reason": "r"},
 "layers": {"skip_first": 1, "skip_last": 2, "head": "in"},
 "amax": {"history": 16, "algorithm": "max", "margin": 1, "power_of_two": true, "epsilon": {"weight": 1e-9}},
 "loss_scaling": {"mode": "static", "scale": 1024, "interval": 7},
 "storage": "deepseek-v3",
 "keep_high": [{"class": "norm", "inside": "f32", "parameter": "bf16", "reason": "r", "reference": "q"}]})"},
    {"rules", readRules,
     R"({"version": 1, "rules": [
 {"match": {"path": "a.{b,c}.[d-f]*", "class": "head", "phase": "forward", "direction": "fprop", "operand": "weight", "layer": {"least": 1, "most": 2},
   "shape": {"m": {"multiple_of": 16}, "tokens": {"least": 4096}, "rank": {"most": 2}}},
  "pin": {"reads": "e4m3", "scaling": "row"}, "reason": "r", "reference": "q"},
 {"match": {"storage": "master"}, "prefer": {"stores": "f32"}, "reason": "s"},
 {"match": {}, "forbid": {"reads": "e2m1"}, "reason": "\u00e9"}]})"},
    {"precision-map", readPrecisionMap,
     R"({"version": 2, "recipe": "r", "target": "t", "query": "all", "functions": [{"function": "step",
 "arguments": [{"path": "w", "origin": "parameter", "value": 0, "shape": [2, -1], "stored": true, "bytes": 8.5, "format": "f32",
   "scaling": "none", "accumulator": "full", "rule": "because", "reference": "a paper", "changes": ["that"]}],
 "operations": [{"node": 3, "path": "a.0.b", "operation": "train.matmul", "class": "contraction", "phase": "forward",
   "direction": "fprop", "mnk": [1, 2, -1], "layer": 0, "flops": 1e300, "results": [],
   "reads": [{"operand": 1, "value": 0, "copy_bytes": 2, "format": "e4m3", "scaling": "row", "accumulator": "fast", "rule": "so"}],
   "choice": {"winner": 0, "reason": "faster", "candidates": [{"reads": [{"format": "f32", "scaling": "none", "accumulator": "full"},
     {"format": "f32", "scaling": "none", "accumulator": "full"}], "result": "f32", "veto": "bound", "reason": "lost", "us": 1.5}]}}]}]})"},
};

llvm::ArrayRef<Reader> test::getReaders() { return kReaders; }

const Reader *test::findReader(StringRef name) {
  for (const Reader &reader : kReaders)
    if (reader.name == name)
      return &reader;
  return nullptr;
}
