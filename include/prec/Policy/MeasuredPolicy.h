//===- MeasuredPolicy.h - policies of version 2 -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of contractions by their sizes, formats and scaling, of quantizations
// apart (they can be shared), and of whole modules, each with its noise, by
// machine. Also the format of a benchmark's report. docs/Policy.md has the
// format, docs/schemas its JSON Schema.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_POLICY_MEASUREDPOLICY_H
#define PREC_POLICY_MEASUREDPOLICY_H

#include "prec/Policy/Intervals.h"
#include "prec/Policy/Module.h"
#include "prec/Support/Json.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

namespace prec {

/// Where something was measured; two machines differ if anything here does.
struct Machine {
  std::string gpu;
  /// Versions by name: cublaslt, driver, ...
  std::map<std::string, std::string> libraries;
};
bool operator==(const Machine &a, const Machine &b);
bool operator<(const Machine &a, const Machine &b);
/// "NVIDIA H200 (cublaslt 13.0.2, driver 580.65)".
std::string printMachine(const Machine &machine);

/// How a contraction reads its operands; names as in tags.
struct ContractionFormats {
  std::string lhs, rhs, result = "bf16";
  std::string scaling = "none", accumulator = "full";
};

/// `batch` products of an M x K with a K x N matrix, in one direction. Tokens
/// are M in fprop and dgrad, K in wgrad.
struct ContractionKey {
  std::string direction;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  ContractionFormats formats;

  int64_t &getTokens() { return direction == "wgrad" ? k : m; }
  int64_t getTokens() const { return direction == "wgrad" ? k : m; }
};
bool operator<(const ContractionKey &a, const ContractionKey &b);
std::string printContractionKey(const ContractionKey &key);

/// A quantization of a rows x columns tensor and the layouts it writes: `rows`
/// (as the tensor lies), `columns` (transposed) or `both`.
struct QuantizationKey {
  int64_t rows = 0, columns = 0;
  std::string from, to, scaling = "none", layouts;
};
bool operator<(const QuantizationKey &a, const QuantizationKey &b);
std::string printQuantizationKey(const QuantizationKey &key);

/// A module in one precision, forward and backward, casts included.
struct ModuleRunKey {
  ModuleKey module;
  /// The model that it is a layer of; may be empty. Modules of one key may
  /// differ in size between models.
  std::string model;
  int64_t tokens = 0;
};
bool operator<(const ModuleRunKey &a, const ModuleRunKey &b);
/// bf16, fp8.
llvm::ArrayRef<llvm::StringRef> getModulePrecisionNames();

struct ModuleTimes {
  std::optional<Time> bf16, fp8;
};

/// What was measured on one machine.
struct Measurements {
  std::map<ContractionKey, Time> contractions;
  std::map<QuantizationKey, Time> quantizations;
  std::map<ModuleRunKey, ModuleTimes> modules;

  /// Measured, or interpolated between the nearest smaller and larger token
  /// count; none outside what was measured.
  std::optional<Time> findContraction(ContractionKey key) const;
  /// The same between the nearest numbers of elements of the same formats and
  /// layouts: a quantization moves memory.
  std::optional<Time> findQuantization(const QuantizationKey &key) const;
  /// Both precisions by token count, for all models or one.
  std::vector<TokenTimes> getTokenTimes(const ModuleKey &module,
                                        llvm::StringRef model) const;
  /// Keys of modules, each with the models that it was measured in.
  std::map<ModuleKey, std::vector<std::string>> getModules() const;
};

struct MeasuredPolicy {
  double speedupThreshold = 1;
  std::map<Machine, Measurements> machines;

  /// The measurements of a GPU, by a part of its name that may differ in case
  /// ("h200"); of the only machine if `gpu` is empty. None if no or several
  /// machines match.
  const Measurements *findMachine(llvm::StringRef gpu) const;
};

/// Reads version 2. Every error begins "fileName:line:column: error: ".
llvm::Expected<MeasuredPolicy> readMeasuredPolicy(const JsonValue &json,
                                                  llvm::StringRef fileName);
/// Writes what readMeasuredPolicy reads, everything in the order of its keys.
void writeMeasuredPolicy(llvm::raw_ostream &os, const MeasuredPolicy &policy);

} // namespace prec

#endif // PREC_POLICY_MEASUREDPOLICY_H
