//===- ModuleMapTest.cpp - what a user says of modules --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/ModuleMap.h"

#include "../Support/BadFiles.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;
using llvm::StringRef;

namespace {

constexpr StringRef kGood = R"({
  "version": 1,
  "tp": 4, "etp": 2, "model": "llm",
  "components": [
    {"path": "visual.*", "policy": "vit.json", "num_tokens": 1024, "tp": 1}
  ],
  "modules": [
    {"path": "*.q_proj", "kind": "layernorm_column", "ub_name": "qkv"},
    {"path": "*.experts.*", "kind": "row_grouped", "num_gemms": 8}
  ]
})";

TEST(ModuleMap, ReadsWhatIsDocumented) {
  llvm::Expected<ModuleMap> map = parseModuleMap(kGood, "f");
  ASSERT_TRUE(bool(map)) << llvm::toString(map.takeError());
  EXPECT_EQ(map->tp, 4);
  EXPECT_EQ(map->etp, 2);
  EXPECT_EQ(map->model, "llm");
  ASSERT_EQ(map->components.size(), 1u);
  EXPECT_EQ(map->components[0].policyFile, "vit.json");
  EXPECT_EQ(map->components[0].numTokens, 1024);
  EXPECT_EQ(map->components[0].tp, 1);
  EXPECT_EQ(map->components[0].etp, std::nullopt);
  ASSERT_EQ(map->modules.size(), 2u);
  EXPECT_EQ(map->modules[0].ubName, "qkv");
  EXPECT_EQ(map->modules[1].numGemms, 8);
  EXPECT_TRUE(map->modules[0].path.matches("model.layers.0.q_proj"));
  EXPECT_FALSE(map->modules[0].path.matches("model.layers.0.q_proj.lora_A"));
}

TEST(ModuleMap, SaysWhereItIsWrong) {
  auto getError = [](StringRef text) {
    llvm::Expected<ModuleMap> map = parseModuleMap(text, "f");
    return map ? std::string() : llvm::toString(map.takeError());
  };
  const BadFile cases[] = {
      {"\"version\": 1", "\"version\": ^2", "version must be 1, but got 2"},
      {"\"tp\": 4", "\"tp\": ^0",
       "tp must be an integer of at least 1, but got 0"},
      {"\"model\": \"llm\"", "\"model\": ^[]",
       "model must be a text, but got an array"},
      {"\"components\"", "^\"parts\"",
       "unknown key 'parts', expected one of 'version', 'tp', 'etp', 'model', "
       "'components', 'modules'"},
      {"{\"path\": \"visual.*\", ", "^{", "missing key 'path'"},
      {"\"visual.*\"", "^\"visual.[\"",
       "path must be a glob pattern: invalid glob pattern, unmatched '['"},
      {"\"num_tokens\": 1024", "\"num_tokens\": ^1.5",
       "num_tokens must be an integer of at least 1, but got 1.5"},
      {"\"kind\": \"layernorm_column\"", "\"kind\": ^\"qkv\"",
       "kind must be one of 'layernorm_column', 'column', 'row', "
       "'duplicated', 'column_grouped', 'row_grouped', but got 'qkv'"},
      {"{\"path\": \"*.q_proj\", \"kind\": \"layernorm_column\", \"ub_name\": "
       "\"qkv\"}",
       "^{\"path\": \"*.q_proj\", \"kind\": \"layernorm_column\"}",
       "missing key 'ub_name'"},
      {"\"ub_name\": \"qkv\"", "\"ub_name\": \"qkv\", \"num_gemms\": ^8",
       "only grouped kinds have num_gemms"},
      {"\"num_gemms\": 8", "\"ub_name\": ^\"fc2\"",
       "only dense kinds have a ub_name"},
      {"\"modules\": [", "\"modules\": [^null,",
       "expected an object, but got null"},
  };
  for (const BadFile &bad : cases)
    expectError(kGood, bad, getError);
}

} // namespace
