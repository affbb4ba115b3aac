//===- RulesTest.cpp - reading a user's rules -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Rules.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {

/// Wrong rules are these with one text replaced.
constexpr StringRef kRight = R"({
  "version": 1,
  "rules": [
    {"match": {"path": "layers.{0,1}.*", "class": "contraction", "phase": "recompute", "direction": "wgrad",
               "operand": "gradient", "layer": {"least": 1, "most": 2},
               "shape": {"m": {"multiple_of": 16}, "tokens": {"least": 4096}}},
     "pin": {"reads": "e4m3", "scaling": "row"},
     "reason": "r", "reference": "q"},
    {"match": {"storage": "master"}, "prefer": {"stores": "f32"}, "reason": "s"}
  ]
}
)";

struct Wrong {
  const char *from, *to, *message;
};

void PrintTo(const Wrong &wrong, std::ostream *os) {
  *os << wrong.from << " -> " << wrong.to;
}

class WrongRules : public testing::TestWithParam<Wrong> {};

TEST(RightRules, AreRead) {
  llvm::Expected<RuleSet> set = parseRules(kRight, "f.json");
  ASSERT_TRUE(bool(set)) << llvm::toString(set.takeError());
  ASSERT_EQ(set->rules.size(), 2u);
  const UserRule &first = set->rules[0];
  EXPECT_TRUE(first.match.path->match("layers.1.mlp.up_proj"));
  EXPECT_FALSE(first.match.path->match("layers.2.mlp.up_proj"));
  EXPECT_EQ(first.match.tensorClass, TensorClass::Contraction);
  EXPECT_EQ(first.match.phase, RulePhase::Recompute);
  EXPECT_EQ(first.match.direction, Direction::Wgrad);
  EXPECT_EQ(first.match.operand, OperandKind::Gradient);
  EXPECT_TRUE(first.match.layer->contains(2));
  EXPECT_FALSE(first.match.layer->contains(3));
  EXPECT_EQ(first.action, RuleAction::Pin);
  EXPECT_TRUE(first.isReads);
  EXPECT_EQ(first.format, Format::E4M3);
  EXPECT_EQ(first.scaling, Scaling::Row);
  EXPECT_EQ(set->describe(0), "f.json:4:5: r (q)");
  const UserRule &second = set->rules[1];
  EXPECT_EQ(second.match.storage, StorageKind::Master);
  EXPECT_EQ(second.action, RuleAction::Prefer);
  EXPECT_FALSE(second.isReads);
  EXPECT_EQ(set->describe(1), "f.json:9:5: s");
}

TEST(RightRules, RangesContainKnownSizes) {
  SizeRange range;
  EXPECT_TRUE(range.contains(0));
  EXPECT_FALSE(range.contains(-1));
  range.multipleOf = 16;
  EXPECT_TRUE(range.contains(32));
  EXPECT_FALSE(range.contains(33));
  range.most = 16;
  EXPECT_FALSE(range.contains(32));
  range.least = 16;
  EXPECT_TRUE(range.contains(16));
  EXPECT_FALSE(range.contains(0));
}

TEST_P(WrongRules, SayWhereTheyAreWrong) {
  std::string text = kRight.str();
  size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, StringRef(GetParam().from).size(), GetParam().to);
  llvm::Expected<RuleSet> set = parseRules(text, "f");
  ASSERT_FALSE(bool(set));
  EXPECT_EQ(llvm::toString(set.takeError()), std::string(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongRules,
    testing::Values(
        Wrong{"\"version\": 1,", "", "f:1:1: error: missing key 'version'"},
        Wrong{"\"version\": 1", "\"version\": 2",
              "f:2:14: error: version must be 1, but got 2"},
        Wrong{"\"rules\": [", "\"rule\": [",
              "f:3:3: error: unknown key 'rule', expected one of 'version', "
              "'rules'; the nearest is 'rules'"},
        Wrong{"[\n", "{}, \"a\": [\n",
              "f:3:16: error: unknown key 'a', expected one of 'version', "
              "'rules'"},
        Wrong{"{\"match\": {\"storage\"", "1, {\"match\": {\"storage\"",
              "f:9:5: error: expected an object, but got 1"},
        Wrong{"\"match\": {\"storage\": \"master\"}, ", "",
              "f:9:5: error: missing key 'match'"},
        Wrong{", \"reason\": \"s\"", "", "f:9:5: error: missing key 'reason'"},
        Wrong{"\"reason\": \"s\"", "\"reason\": \" \"",
              "f:9:77: error: reason must not be blank"},
        Wrong{"layers.{0,1}.*", "layers.[",
              "f:4:24: error: path must be a glob pattern: invalid glob "
              "pattern, unmatched '['"},
        Wrong{"\"contraction\"", "\"matmul\"",
              "f:4:51: error: class must be one of 'contraction', 'head', "
              "'embedding', 'norm', 'softmax', 'attention', 'residual', "
              "'reduction', 'loss', 'router', 'rotary', 'optimizer', "
              "'clipping', 'elementwise', 'layout', 'index', 'convolution', "
              "'custom', 'contrastive', but got 'matmul'"},
        Wrong{"\"recompute\"", "\"eval\"",
              "f:4:75: error: phase must be one of 'forward', 'recompute', "
              "'backward', 'optimizer', but got 'eval'"},
        Wrong{"\"wgrad\"", "\"both\"",
              "f:4:101: error: direction must be one of 'fprop', 'dgrad', "
              "'wgrad', but got 'both'"},
        Wrong{"\"gradient\"", "1",
              "f:5:27: error: operand must be one of 'activation', 'weight', "
              "'gradient', but got 1"},
        Wrong{"\"master\"", "\"statistic\"",
              "f:9:27: error: storage must be one of 'activation', 'gradient', "
              "'weight_gradient', 'master', 'moment', but got 'statistic'"},
        Wrong{"{\"least\": 1, \"most\": 2}", "{\"least\": 3, \"most\": 2}",
              "f:5:48: error: least must not exceed most, but got 3 and 2"},
        Wrong{"\"multiple_of\": 16", "\"multiple_of\": 0",
              "f:6:47: error: multiple_of must be an integer of at least 1, "
              "but got 0"},
        Wrong{"4096", "4e3",
              "f:6:72: error: least must be an integer of at least 0, but got "
              "4e3"},
        Wrong{"\"tokens\"", "\"token\"",
              "f:6:52: error: unknown key 'token', expected one of 'm', 'n', "
              "'k', 'batch', 'tokens', 'elements', 'rank'; the nearest is "
              "'tokens'"},
        Wrong{"\"pin\": {\"reads\": \"e4m3\", \"scaling\": \"row\"},", "",
              "f:4:5: error: a rule must have 'pin', 'forbid' or 'prefer'"},
        Wrong{"\"prefer\": {\"stores\": \"f32\"}",
              "\"prefer\": {\"stores\": \"f32\"}, \"forbid\": {}",
              "f:9:48: error: a rule must have one action, but got 'prefer' "
              "beside 'forbid'"},
        Wrong{"{\"stores\": \"f32\"}", "{}",
              "f:9:48: error: an action must have 'reads' or 'stores', but got "
              "neither"},
        Wrong{"{\"stores\": \"f32\"}",
              "{\"stores\": \"f32\", \"reads\": \"f32\"}",
              "f:9:48: error: an action must have 'reads' or 'stores', but got "
              "both"},
        Wrong{"\"f32\"", "\"e5m2\"",
              "f:9:59: error: fp8 and fp4 belong to uses, not to storage, but "
              "got 'e5m2'"},
        Wrong{"\"f32\"", "\"fp32\"",
              "f:9:59: error: format must be one of 'f32', 'bf16', 'f16', "
              "'e4m3', 'e5m2', 'e2m1', but got 'fp32'; the nearest is 'f32'"},
        Wrong{"\"storage\": \"master\"", "\"operand\": \"weight\"",
              "f:9:59: error: an operand is read, not stored: 'operand' goes "
              "with 'reads'"},
        Wrong{"{\"stores\": \"f32\"}", "{\"reads\": \"f32\"}",
              "f:9:58: error: a stored value is not read: 'storage' goes with "
              "'stores'"},
        Wrong{"\"row\"", "\"column\"",
              "f:7:42: error: scaling must be one of 'none', 'tensor_current', "
              "'tensor_delayed', 'row', 'block_1x128', 'block_128x128', "
              "'mx_1x32', 'nvfp4_1x16', but got 'column'"},
        Wrong{"\"e4m3\"", "\"bf16\"",
              "f:7:42: error: only fp8 and e2m1 formats have a scaling"},
        Wrong{"\"f32\"}", "\"f32\", \"scaling\": \"none\"}",
              "f:9:77: error: a stored value has no scaling"},
        Wrong{"\"reference\": \"q\"", "\"reference\": 1",
              "f:8:34: error: reference must be a text, but got 1"},
        Wrong{"\"q\"}", "\"q\", \"reason\": \"t\"}",
              "f:8:39: error: a key must be given once, but got 'reason' "
              "again"}));

} // namespace
