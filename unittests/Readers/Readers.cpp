//===- Readers.cpp - every reader of a user's file, by name ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Readers.h"

#include "prec/Assign/ParseRecipe.h"
#include "prec/Assign/Rules.h"
#include "prec/Target/MachineModel.h"
#include "prec/Explain/PrecisionMap.h"
#include "prec/Numerics/Numerics.h"
#include "prec/Policy/Merge.h"
#include "prec/Policy/ModuleMap.h"

using namespace prec;
using namespace prec::test;
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

static std::string readTarget(StringRef text) {
  return getMessage(parseMachineModel(text, "f"));
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

namespace {
struct Example {
  StringRef reader, text;
};
} // namespace

static constexpr Example kExamples[] = {
#include "prec/Readers/ReaderExamples.inc"
};

static constexpr Reader kReaders[] = {
    {"policy-v1", readPolicy},  {"policy-v2", readPolicy},
    {"report", readReport},     {"policy-modules", readModuleMap},
    {"numerics", readNumerics}, {"recipe", readRecipe},
    {"rules", readRules},       {"precision-map", readPrecisionMap},
    {"target", readTarget},
};

StringRef Reader::getExample() const {
  for (const Example &example : kExamples)
    if (example.reader == name)
      return example.text;
  return {};
}

llvm::ArrayRef<Reader> test::getReaders() { return kReaders; }

const Reader *test::findReader(StringRef name) {
  for (const Reader &reader : kReaders)
    if (reader.name == name)
      return &reader;
  return nullptr;
}
