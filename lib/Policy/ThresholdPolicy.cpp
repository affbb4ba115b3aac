//===- ThresholdPolicy.cpp - policies of version 1 ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/ThresholdPolicy.h"

#include "Policy/WriteNumber.h"
#include "prec/Support/JsonReader.h"
#include "prec/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace prec;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

const ThresholdRule *ThresholdPolicy::find(const ModuleKey &key) const {
  auto it = rules.find(key);
  return it == rules.end() ? nullptr : &it->second;
}

namespace {

class ThresholdPolicyReader : JsonReader {
public:
  ThresholdPolicyReader(StringRef fileName, ThresholdPolicy &policy)
      : JsonReader(fileName), policy(policy) {}

  Error read(const JsonValue &json);

private:
  /// All rules of one kind: by name, or as a list if grouped.
  Error readKind(const JsonValue::Member &member);
  Error readRules(const JsonValue &json, ModuleKind kind, StringRef ubName);
  Error readRule(const JsonValue &json, ModuleKind kind, StringRef ubName);

  ThresholdPolicy &policy;
};

} // namespace

Error ThresholdPolicyReader::readRule(const JsonValue &json, ModuleKind kind,
                                      StringRef ubName) {
  ModuleKey key = ModuleKey::makeDense(kind, ubName, 1);
  auto readSize = [&](StringRef name, int64_t &size) {
    return readInteger(*json.find(name), name, 1, INT64_MAX, size);
  };
  if (isGrouped(kind)) {
    if (Error error = checkObject(json, {"etp", "num_gemms", "min_tokens"},
                                  {"measured_speedup"}))
      return error;
    if (Error error = readSize("etp", key.etp))
      return error;
    if (Error error = readSize("num_gemms", key.numGemms))
      return error;
  } else {
    if (Error error =
            checkObject(json, {"tp", "min_tokens"}, {"measured_speedup"}))
      return error;
    if (Error error = readSize("tp", key.tp))
      return error;
  }
  ThresholdRule rule;
  rule.position = json.position;
  if (Error error = readInteger(*json.find("min_tokens"), "min_tokens", 0,
                                INT64_MAX, rule.minTokens))
    return error;
  if (const JsonValue *speedup = json.find("measured_speedup"))
    if (Error error = readPositive(*speedup, "measured_speedup",
                                   rule.measuredSpeedup.emplace()))
      return error;
  auto [it, isNew] = policy.rules.try_emplace(key, rule);
  if (isNew)
    return Error::success();
  JsonPosition first = it->second.position;
  return fail(json.position, "a module must have one rule, but " +
                                 printModuleKey(key) + " has one at " +
                                 Twine(first.line) + ":" + Twine(first.column) +
                                 " already");
}

Error ThresholdPolicyReader::readRules(const JsonValue &json, ModuleKind kind,
                                       StringRef ubName) {
  if (Error error = checkArray(json, "rules of a module"))
    return error;
  for (const JsonValue &element : json.elements)
    if (Error error = readRule(element, kind, ubName))
      return error;
  return Error::success();
}

Error ThresholdPolicyReader::readKind(const JsonValue::Member &member) {
  llvm::ArrayRef<StringRef> names = getModuleKindNames();
  const auto *name = llvm::find(names, StringRef(member.key));
  if (name == names.end())
    return fail(member.position, "module kind must be one of " +
                                     quoteNames(names) + ", but got '" +
                                     member.key + "'" +
                                     describeNearest(member.key, names));
  auto kind = static_cast<ModuleKind>(name - names.begin());
  if (isGrouped(kind))
    return readRules(member.value, kind, "");
  if (member.value.kind != JsonValue::Kind::Object)
    return fail(member.value.position,
                "rules of '" + member.key +
                    "' must be an object of lists by ub_name, but got " +
                    describeJson(member.value));
  for (const JsonValue::Member &module : member.value.members) {
    if (StringRef(module.key).trim().empty())
      return fail(module.position, "ub_name must not be blank");
    if (Error error = readRules(module.value, kind, module.key))
      return error;
  }
  return Error::success();
}

Error ThresholdPolicyReader::read(const JsonValue &json) {
  if (Error error =
          checkObject(json, {"version", "speedup_threshold", "rules"}))
    return error;
  int64_t version = 0;
  if (Error error = readVersion(*json.find("version"), {1}, version))
    return error;
  if (Error error = readPositive(*json.find("speedup_threshold"),
                                 "speedup_threshold", policy.speedupThreshold))
    return error;
  const JsonValue &rules = *json.find("rules");
  if (rules.kind != JsonValue::Kind::Object)
    return fail(rules.position, "rules must be an object by module kind, but "
                                "got " +
                                    describeJson(rules));
  for (const JsonValue::Member &member : rules.members)
    if (Error error = readKind(member))
      return error;
  return Error::success();
}

Expected<ThresholdPolicy> prec::readThresholdPolicy(const JsonValue &json,
                                                    StringRef fileName) {
  return readJson<ThresholdPolicy>(
      json, [&](const JsonValue &json, ThresholdPolicy &policy) {
        return ThresholdPolicyReader(fileName, policy).read(json);
      });
}

static void writeRule(llvm::json::OStream &json, const ModuleKey &key,
                      const ThresholdRule &rule) {
  json.object([&] {
    if (isGrouped(key.kind)) {
      json.attribute("etp", key.etp);
      json.attribute("num_gemms", key.numGemms);
    } else {
      json.attribute("tp", key.tp);
    }
    json.attribute("min_tokens", rule.minTokens);
    if (rule.measuredSpeedup)
      writeNumber(json, "measured_speedup", *rule.measuredSpeedup);
  });
}

void prec::writeThresholdPolicy(llvm::raw_ostream &os,
                                const ThresholdPolicy &policy) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    writeNumber(json, "speedup_threshold", policy.speedupThreshold);
    json.attributeObject("rules", [&] {
      auto it = policy.rules.begin(), end = policy.rules.end();
      // All rules of one list: keys are ordered by kind and name.
      auto writeList = [&](StringRef name) {
        const ModuleKey first = it->first;
        json.attributeArray(name, [&] {
          for (; it != end && it->first.kind == first.kind &&
                 it->first.ubName == first.ubName;
               ++it)
            writeRule(json, it->first, it->second);
        });
      };
      while (it != end) {
        ModuleKind kind = it->first.kind;
        if (isGrouped(kind)) {
          writeList(stringifyModuleKind(kind));
          continue;
        }
        json.attributeObject(stringifyModuleKind(kind), [&] {
          while (it != end && it->first.kind == kind)
            writeList(it->first.ubName);
        });
      }
    });
  });
  os << '\n';
}
