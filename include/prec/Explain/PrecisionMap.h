//===- PrecisionMap.h - every decision of an assignment ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an assignment decided, in plain structures with the names that files and
// tags use: explanations, differences and pages are made of it, and need no IR.
// docs/Explaining.md and docs/schemas/precision-map.schema.json describe the
// file.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_EXPLAIN_PRECISIONMAP_H
#define PREC_EXPLAIN_PRECISIONMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm::json {
class OStream;
}

namespace prec {

struct MapFormat {
  std::string format = "f32", scaling = "none", accumulator = "full";

  /// "e4m3, tensor_current, fast"; what is the default is left out.
  std::string print() const;
  bool operator==(const MapFormat &other) const {
    return format == other.format && scaling == other.scaling &&
           accumulator == other.accumulator;
  }
};

struct MapDecision : MapFormat {
  /// Why, in one line.
  std::string rule;
  /// Where the rule comes from; may be empty.
  std::string reference;
  /// What a user can do to have it otherwise.
  std::vector<std::string> changes;
};

/// A format that a stored value is not kept in.
struct MapBeaten {
  std::string format;
  /// Why it may not be (none, keep_high, legality, rule, bound), and what
  /// forbids it or what it would take: bytes, or digits.
  std::string veto = "none", reason;

  /// "bound: bf16 masters stall: ...".
  std::string getLossReason() const;
};

/// An argument of a function or a result of an operation.
struct MapValue {
  /// Its number in the function; reads refer to it.
  int64_t value = 0;
  /// Of arguments: name and origin (parameter, moment, ...). Of results: empty.
  std::string path, origin;
  /// Other names of a tied parameter.
  std::vector<std::string> aliases;
  /// Sizes; -1 where unknown.
  std::vector<int64_t> shape;
  /// False for what only passes through registers or is a view.
  bool isStored = true;
  /// Memory that it takes, 0 if it is not stored or updates an argument.
  double bytes = 0;
  MapDecision decision;
  /// Empty for what is not stored.
  std::vector<MapBeaten> beaten;
};

/// An operand that is read in a format of its own.
struct MapRead {
  unsigned operand = 0;
  /// The value, layout operations looked through.
  int64_t value = 0;
  /// Memory of the copy in that format; 0 if another read has it already.
  double copyBytes = 0;
  MapDecision decision;
};

/// One way to run a contraction.
struct MapCandidate {
  std::array<MapFormat, 2> reads;
  std::string result = "f32";
  /// Why it may not be taken (none, keep_high, place, legality, rule, bound),
  /// and a clause that says more.
  std::string veto = "none", reason;
  /// Predicted time; none without a cost model.
  std::optional<double> microseconds;
  std::vector<std::string> changes;

  /// "e4m3 x e5m2".
  std::string getName() const;
};

struct MapChoice {
  /// None if nothing is possible.
  std::optional<unsigned> winner;
  /// Why the winner is not the first without a veto; empty if it is.
  std::string reason;
  std::vector<MapCandidate> candidates;

  const MapCandidate *getWinner() const {
    return winner ? &candidates[*winner] : nullptr;
  }
};

struct MapOperation {
  int64_t node = 0;
  /// Where it comes from in the user's model; may be empty.
  std::string path;
  /// "prec_train.matmul".
  std::string name;
  /// Empty where unknown; the direction for all but contractions.
  std::string tensorClass, phase, direction;
  /// What a benchmark policy calls its module: "layernorm_column/qkv"; may be
  /// empty.
  std::string module;
  std::optional<std::array<int64_t, 3>> mnk;
  std::optional<int64_t> layer;
  /// Of contractions and attention; 0 for others.
  double flops = 0;
  std::vector<MapValue> results;
  std::vector<MapRead> reads;
  std::optional<MapChoice> choice;
};

struct MapFunction {
  std::string name;
  std::vector<MapValue> arguments;
  std::vector<MapOperation> operations;
};

struct PrecisionMap {
  std::string recipe, target;
  /// What an explanation was asked about; empty for a whole map.
  std::string query;
  std::vector<MapFunction> functions;
};

inline constexpr int64_t kPrecisionMapVersion = 2;

void writePrecisionMap(llvm::raw_ostream &os, const PrecisionMap &map);
void writeOperation(llvm::json::OStream &json, const MapOperation &operation);
void writeArgument(llvm::json::OStream &json, const MapValue &argument);
void writeDecision(llvm::json::OStream &json, const MapDecision &decision);

/// Reads what `writePrecisionMap` writes. The error is of the form
/// "file:line:column: error: ...".
llvm::Expected<PrecisionMap> parsePrecisionMap(llvm::StringRef text,
                                               llvm::StringRef fileName);

/// "3-7, 9": sorted numbers, runs as ranges.
std::string printRanges(llvm::ArrayRef<int64_t> numbers);

/// "2x32x64"; "scalar" without dimensions, "?" for an unknown size.
std::string printShape(llvm::ArrayRef<int64_t> shape);

} // namespace prec

#endif // PREC_EXPLAIN_PRECISIONMAP_H
