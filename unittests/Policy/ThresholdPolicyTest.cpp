//===- ThresholdPolicyTest.cpp - policies of version 1 --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/Policy.h"

#include "../Support/BadFiles.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;
using llvm::StringRef;

namespace {

constexpr StringRef kGood = R"({
  "version": 1,
  "speedup_threshold": 1.05,
  "rules": {
    "row": {
      "fc2": [{"tp": 1, "min_tokens": 8192, "measured_speedup": 1.23}, {"tp": 2, "min_tokens": 16384}]
    },
    "layernorm_column": {
      "qkv": [{"tp": 4, "min_tokens": 99999999}]
    },
    "row_grouped": [
      {"etp": 1, "num_gemms": 64, "min_tokens": 424, "measured_speedup": 1.04},
      {"etp": 1, "num_gemms": 8, "min_tokens": 100}
    ]
  }
})";

std::string getError(StringRef text) {
  llvm::Expected<Policy> policy = parsePolicy(text, "f");
  return policy ? "" : llvm::toString(policy.takeError());
}

TEST(ThresholdPolicy, IsWrittenAsItIsRead) {
  llvm::Expected<Policy> policy = parsePolicy(kGood, "f");
  ASSERT_TRUE(bool(policy)) << llvm::toString(policy.takeError());
  std::string text;
  llvm::raw_string_ostream os(text);
  writePolicy(os, *policy);
  llvm::Expected<Policy> again = parsePolicy(text, "g");
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  const ThresholdPolicy &a = *policy->getThresholds(),
                        &b = *again->getThresholds();
  EXPECT_EQ(a.speedupThreshold, b.speedupThreshold);
  ASSERT_EQ(a.rules.size(), 5u);
  ASSERT_EQ(b.rules.size(), 5u);
  for (const auto &[key, rule] : a.rules) {
    const ThresholdRule *other = b.find(key);
    ASSERT_TRUE(other) << printModuleKey(key);
    EXPECT_EQ(rule.minTokens, other->minTokens);
    EXPECT_EQ(rule.measuredSpeedup, other->measuredSpeedup);
  }
  std::string twice;
  llvm::raw_string_ostream osTwice(twice);
  writePolicy(osTwice, *again);
  EXPECT_EQ(text, twice);
}

TEST(ThresholdPolicy, KeysPrintAsTheyAreLookedUp) {
  EXPECT_EQ(printModuleKey(ModuleKey::makeDense(ModuleKind::Row, "fc2", 4)),
            "row/fc2 tp=4");
  EXPECT_EQ(
      printModuleKey(ModuleKey::makeGrouped(ModuleKind::ColumnGrouped, 2, 64)),
      "column_grouped etp=2 num_gemms=64");
}

TEST(ThresholdPolicy, SaysWhereItIsWrong) {
  const BadFile cases[] = {
      {"{\n  \"version\": 1,", "^{", "missing key 'version'"},
      {"\"version\": 1", "\"version\": ^3",
       "version must be 1 or 2, but got 3"},
      {"\"version\": 1", "\"version\": ^\"1\"",
       "version must be 1 or 2, but got '1'"},
      {"\"version\": 1", "\"version\": ^1.0",
       "version must be 1 or 2, but got 1.0"},
      {"{\n  \"version\": 1,\n  \"speedup_threshold\": 1.05,",
       "^{\n  \"version\": 1,", "missing key 'speedup_threshold'"},
      {"1.05", "^0", "speedup_threshold must be a number above 0, but got 0"},
      {"1.05", "^\"1.05\"",
       "speedup_threshold must be a number above 0, but got '1.05'"},
      {"\"rules\"", "^\"rule\"",
       "unknown key 'rule', expected one of 'version', 'speedup_threshold', "
       "'rules'; the nearest is 'rules'"},
      {"\"rules\": {", "\"rules\": {}, ^\"x\": {",
       "unknown key 'x', expected one of 'version', 'speedup_threshold', "
       "'rules'"},
      {"\"row\"", "^\"rows\"",
       "module kind must be one of 'layernorm_column', 'column', 'row', "
       "'duplicated', 'column_grouped', 'row_grouped', but got 'rows'; the "
       "nearest is 'row'"},
      {"\"row\": {", "\"column\": ^[], \"row\": {",
       "rules of 'column' must be an object of lists by ub_name, but got an "
       "array"},
      {"\"fc2\"", "^\"\"", "ub_name must not be blank"},
      {"\"fc2\": [{", "\"fc2\": ^{}, \"proj\": [{",
       "rules of a module must be an array, but got an object"},
      {"\"row_grouped\": [", "\"column_grouped\": ^{}, \"row_grouped\": [",
       "rules of a module must be an array, but got an object"},
      {"[{\"tp\": 1,", "[^{", "missing key 'tp'"},
      {"\"tp\": 1", "\"tp\": ^0",
       "tp must be an integer of at least 1, but got 0"},
      {"\"tp\": 1", "\"tp\": ^1.5",
       "tp must be an integer of at least 1, but got 1.5"},
      {"\"tp\": 1", "\"tp\": ^true",
       "tp must be an integer of at least 1, but got true"},
      {"\"tp\": 1", "^\"etp\": 1",
       "unknown key 'etp', expected one of 'tp', 'min_tokens', "
       "'measured_speedup'; the nearest is 'tp'"},
      {"8192", "^-1",
       "min_tokens must be an integer of at least 0, but got -1"},
      {"8192", "^8e3",
       "min_tokens must be an integer of at least 0, but got 8e3"},
      {"8192", "^99999999999999999999",
       "min_tokens must be an integer of at least 0, but got "
       "99999999999999999999"},
      {"8192", "^null",
       "min_tokens must be an integer of at least 0, but got null"},
      {"1.23", "^0", "measured_speedup must be a number above 0, but got 0"},
      {"1.23", "^\"fast\"",
       "measured_speedup must be a number above 0, but got 'fast'"},
      {"{\"tp\": 2,", "^{\"tp\": 1,",
       "a module must have one rule, but row/fc2 tp=1 has one at 6:15 "
       "already"},
      {"\"etp\": 1, \"num_gemms\": 64", "^\"tp\": 1, \"num_gemms\": 64",
       "unknown key 'tp', expected one of 'etp', 'num_gemms', 'min_tokens', "
       "'measured_speedup'; the nearest is 'etp'"},
      {"\"num_gemms\": 64", "\"num_gemms\": ^-64",
       "num_gemms must be an integer of at least 1, but got -64"},
      {"{\"etp\": 1, \"num_gemms\": 8", "^{\"etp\": 1, \"num_gemms\": 64",
       "a module must have one rule, but row_grouped etp=1 num_gemms=64 has "
       "one at 12:7 already"},
      {"{\"etp\": 1, \"num_gemms\": 8", "^8, {\"etp\": 1, \"num_gemms\": 8",
       "expected an object, but got 8"},
      {"\"qkv\"", "\"qkv\": [], ^\"qkv\"",
       "a key must be given once, but got 'qkv' again"},
      {"}\n}", "}\n^", "expected ',' or '}'"},
  };
  for (const BadFile &bad : cases)
    expectError(kGood, bad, getError);
  EXPECT_EQ(getError("[1]"),
            "f:1:1: error: a policy must be an object, but got an array");
  EXPECT_EQ(getError(R"({"version": 1, "speedup_threshold": 1, "rules": []})"),
            "f:1:49: error: rules must be an object by module kind, but got an "
            "array");
}

} // namespace
