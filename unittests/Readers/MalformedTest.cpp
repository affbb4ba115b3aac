//===- MalformedTest.cpp - what readers say of malformed files ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of what goes wrong in files that people write, for every reader
// alike. The readers' own tests have the rest of each format's rules.
//
//===----------------------------------------------------------------------===//
#include "Readers.h"

#include "../Support/BadFiles.h"

#include <map>

using namespace prec::test;
using llvm::StringRef;

namespace {

struct MalformedFile {
  StringRef reader;
  BadFile bad;
};

constexpr MalformedFile kFiles[] = {
    // Syntax.
    {"recipe", {"{\"recipe\"", "^\"recipe\"", ""}},
    {"recipe", {"\"fprop\": {", "\"fprop\": ^[", ""}},
    {"rules", {"\"rules\": [", "\"rules\": ^{", ""}},
    {"policy-v1", {"1.03}]", "1.03}^}", ""}},
    {"policy-v2", {"\"H200\",", "\"H200\"^", ""}},
    {"policy-modules", {"\"etp\": 2", "\"etp\": ^02", ""}},
    {"numerics", {"2.5", "^.5", ""}},
    {"report", {"0.5,", "^0x5,", ""}},
    // Keys: unknown, missing, twice.
    {"recipe", {"\"fallback\"", "^\"fallbck\"", "unknown key 'fallbck'"}},
    {"recipe", {"{\"recipe\": \"a\", ", "^{", "missing key 'recipe'"}},
    {"recipe",
     {"\"layers\": {\"skip_first\": 1",
      "\"layers\": {\"skip_first\": 1, ^\"skip_first\": 1", ""}},
    {"rules", {"\"reason\": \"s\"", "^\"why\": \"s\"", "unknown key 'why'"}},
    {"rules", {"{\"version\": 1, ", "^{", "missing key 'version'"}},
    {"rules", {"\"version\": 1", "\"version\": 1, ^\"version\": 1", ""}},
    {"policy-v1",
     {"\"min_tokens\": 1}", "^\"min_token\": 1}", "unknown key 'min_token'"}},
    {"policy-v1", {"[{\"tp\": 1, ", "[^{", "missing key 'tp'"}},
    {"policy-v2", {"\"us\": 2", "^\"ms\": 2", "unknown key 'ms'"}},
    {"policy-v2", {"\"machine\": \"a\", \"rows\"", "^\"rows\"", ""}},
    {"policy-modules", {"\"model\"", "^\"modell\"", "unknown key 'modell'"}},
    {"numerics", {"\"amax\": 0, ", "", ""}},
    {"numerics", {"\"update_rms\"", "^\"update\"", "unknown key 'update'"}},
    {"target", {"\"launch_us\"", "^\"launch_ms\"", "unknown key 'launch_ms'"}},
    {"target",
     {"{\"f32\": {\"value\": 5.5e13, \"source\": \"datasheet\"}, ", "^{",
      "missing key 'f32'"}},
    {"target",
     {"{\"value\": 0, \"source\": \"estimate\"}", "^{\"value\": 0}",
      "missing key 'source'"}},
    // Values of the wrong kind.
    {"recipe", {"\"history\": 16", "\"history\": ^\"16\"", ""}},
    {"recipe", {"\"power_of_two\": true", "\"power_of_two\": ^1", ""}},
    {"rules", {"\"reason\": \"r\"", "\"reason\": ^null", ""}},
    {"rules", {"{\"least\": 1, \"most\": 2}", "^3", ""}},
    {"policy-v1",
     {"1.03", "^true",
      "measured_speedup must be a number above 0, but got true"}},
    {"policy-v1", {"16384", "^1.5", ""}},
    {"policy-v2", {"\"m\": 16", "\"m\": ^\"16\"", ""}},
    {"policy-modules",
     {"\"tp\": 1, \"etp\": 2", "\"tp\": ^[1], \"etp\": 2", ""}},
    {"numerics", {"\"rms\": 1e-3", "\"rms\": ^null", ""}},
    {"report", {"0.25", "^\"fast\"", ""}},
    {"target",
     {"{\"value\": 4.25e12, \"source\": \"copies\"}", "^4.25e12",
      "expected an object, but got 4.25e12"}},
    {"target",
     {"5.5e13", "^\"55 TFLOP/s\"",
      "f32 must be a number from 1e+09 to 1e+18, but got '55 TFLOP/s'"}},
    // Values out of range, and too large for a number.
    {"recipe", {"\"skip_first\": 1", "\"skip_first\": ^-1", ""}},
    {"recipe", {"\"scale\": 1024", "\"scale\": ^1000", ""}},
    {"recipe", {"1e-9", "^1e999", ""}},
    {"rules", {"\"multiple_of\": 16", "\"multiple_of\": ^0", ""}},
    {"policy-v1", {"424", "^-424", ""}},
    {"policy-v1",
     {"\"speedup_threshold\": 1.0", "\"speedup_threshold\": ^0", ""}},
    {"policy-v2", {"\"us\": 1.5", "\"us\": ^-1.5", ""}},
    {"policy-v2", {"\"n\": 32", "\"n\": ^99999999999999999999", ""}},
    {"numerics",
     {"\"underflow\": 0.25", "\"underflow\": ^1.25",
      "underflow must be a number from 0 to 1, but got 1.25"}},
    {"target",
     {"1320000000000000", "^1320",
      "fp8 must be a number from 1e+09 to 1e+18, but got 1320"}},
    {"target",
     {"{\"value\": 0,", "{\"value\": ^-2,",
      "launch_us must be a number from 0 to 10000, but got -2"}},
    // Names that nothing has.
    {"recipe", {"\"e4m3\"", "^\"e4m4\"", ""}},
    {"recipe", {"\"class\": \"norm\"", "\"class\": ^\"layernorm\"", ""}},
    {"rules", {"\"fprop\"", "^\"backward\"", ""}},
    {"rules", {"\"e4m3\"", "^\"fp8\"", ""}},
    {"policy-v1", {"\"duplicated\"", "^\"replicated\"", ""}},
    {"policy-v2",
     {"\"direction\": \"fprop\"", "\"direction\": ^\"forward\"", ""}},
    {"policy-v2",
     {"\"machine\": \"a\", \"kind\"", "\"machine\": ^\"b\", \"kind\"", ""}},
    {"policy-modules", {"\"column\"", "^\"col\"", ""}},
    {"numerics", {"\"wgrad\"", "^\"backward\"", ""}},
    {"target", {"\"fp4\"", "^\"f64\"", "unknown key 'f64'"}},
    // Versions of the future, patterns that are none, things said twice.
    {"rules", {"\"version\": 1", "\"version\": ^2", ""}},
    {"policy-v1", {"\"version\": 1", "\"version\": ^3", ""}},
    {"policy-modules", {"\"version\": 1", "\"version\": ^2", ""}},
    {"target", {"\"version\": 1", "\"version\": ^2", ""}},
    {"numerics",
     {"\"version\": 1", "\"version\": ^7", "version must be 1, but got 7"}},
    {"rules", {"\"a.{b,c}.[d-f]*\"", "^\"a.[\"", ""}},
    {"policy-modules", {"\"visual.[a-c]*\"", "^\"visual.[\"", ""}},
    {"policy-v1",
     {"{\"tp\": 2, \"min_tokens\": 0}", "^{\"tp\": 1, \"min_tokens\": 0}", ""}},
};

/// "f:LINE:COLUMN: error: " at the place that is marked, then a message of one
/// line; it begins with the one in the table, if one is there.
void expectRefusal(const Reader &reader, const BadFile &bad) {
  std::string text = reader.getExample().str();
  size_t at = text.find(bad.from.str());
  ASSERT_NE(at, std::string::npos) << bad.from.str();
  text.replace(at, bad.from.size(), bad.to.str());
  size_t marker = text.find('^');
  if (marker != std::string::npos)
    text.erase(marker, 1);
  std::string error = reader.read(text);
  StringRef rest = error;
  ASSERT_TRUE(rest.consume_front("f:")) << error << "\n" << text;
  unsigned line = 0, column = 0;
  ASSERT_FALSE(rest.consumeInteger(10, line)) << error;
  ASSERT_TRUE(rest.consume_front(":")) << error;
  ASSERT_FALSE(rest.consumeInteger(10, column)) << error;
  ASSERT_TRUE(rest.consume_front(": error: ")) << error;
  EXPECT_TRUE(rest.starts_with(bad.message)) << error;
  EXPECT_FALSE(rest.empty() || rest.contains('\n')) << error;
  // The lexer may stop a few characters into the text it cannot read; what is
  // well formed but wrong is pointed at exactly.
  if (marker == std::string::npos || bad.message.empty())
    return;
  StringRef before = StringRef(text).take_front(marker);
  EXPECT_EQ(line, before.count('\n') + 1) << error;
  EXPECT_EQ(column, before.size() - (before.rfind('\n') + 1) + 1) << error;
}

TEST(MalformedFiles, AreRefusedWithLineAndColumn) {
  std::map<StringRef, unsigned> counts;
  for (const MalformedFile &file : kFiles) {
    const Reader *reader = findReader(file.reader);
    ASSERT_TRUE(reader) << file.reader.str();
    SCOPED_TRACE(file.reader.str() + ": " + file.bad.from.str() + " -> " +
                 file.bad.to.str());
    expectRefusal(*reader, file.bad);
    ++counts[file.reader];
  }
  EXPECT_GE(std::size(kFiles), 40u);
  for (StringRef reader : {"recipe", "rules", "policy-v1", "policy-v2",
                           "policy-modules", "numerics", "target"})
    EXPECT_GE(counts[reader], 5u) << reader.str();
}

} // namespace
