//===- ModuleMap.cpp - what a user says of modules ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/ModuleMap.h"

#include "prec/Support/JsonReader.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/GlobPattern.h"

using namespace prec;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

bool PathPattern::matches(StringRef path) const {
  // A glob refers to its text, so it cannot be kept beside it.
  Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(text);
  if (glob)
    return glob->match(path);
  llvm::consumeError(glob.takeError());
  return false;
}

namespace {

class ModuleMapReader : JsonReader {
public:
  ModuleMapReader(StringRef fileName, ModuleMap &map)
      : JsonReader(fileName), map(map) {}

  Error read(const JsonValue &json);

private:
  Error readPath(const JsonValue &json, PathPattern &path);
  /// A size that may be left out.
  template <typename Size>
  Error readSize(const JsonValue &json, StringRef key, Size &size);
  Error readComponent(const JsonValue &json);
  Error readModule(const JsonValue &json);

  ModuleMap &map;
};

} // namespace

Error ModuleMapReader::readPath(const JsonValue &json, PathPattern &path) {
  path.position = json.position;
  if (Error error = readText(json, "path", path.text))
    return error;
  Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(path.text);
  if (!glob)
    return fail(json.position, "path must be a glob pattern: " +
                                   llvm::toString(glob.takeError()));
  return Error::success();
}

template <typename Size>
Error ModuleMapReader::readSize(const JsonValue &json, StringRef key,
                                Size &size) {
  const JsonValue *value = json.find(key);
  if (!value)
    return Error::success();
  int64_t number = 0;
  if (Error error = readInteger(*value, key, 1, INT64_MAX, number))
    return error;
  size = number;
  return Error::success();
}

Error ModuleMapReader::readComponent(const JsonValue &json) {
  if (Error error =
          checkObject(json, {"path"}, {"policy", "num_tokens", "tp", "etp"}))
    return error;
  PolicyComponent component;
  if (Error error = readPath(*json.find("path"), component.path))
    return error;
  if (const JsonValue *policy = json.find("policy"))
    if (Error error = readText(*policy, "policy", component.policyFile))
      return error;
  if (Error error = readSize(json, "num_tokens", component.numTokens))
    return error;
  if (Error error = readSize(json, "tp", component.tp))
    return error;
  if (Error error = readSize(json, "etp", component.etp))
    return error;
  map.components.push_back(std::move(component));
  return Error::success();
}

Error ModuleMapReader::readModule(const JsonValue &json) {
  if (Error error =
          checkObject(json, {"path", "kind"}, {"ub_name", "num_gemms"}))
    return error;
  ModuleOverride module;
  if (Error error = readPath(*json.find("path"), module.path))
    return error;
  unsigned kind = 0;
  if (Error error =
          readName(*json.find("kind"), "kind", getModuleKindNames(), kind))
    return error;
  module.kind = static_cast<ModuleKind>(kind);
  const JsonValue *ubName = json.find("ub_name"),
                  *numGemms = json.find("num_gemms");
  if (isGrouped(module.kind)) {
    if (ubName)
      return fail(ubName->position, "only dense kinds have a ub_name");
    if (Error error = readSize(json, "num_gemms", module.numGemms))
      return error;
  } else {
    if (numGemms)
      return fail(numGemms->position, "only grouped kinds have num_gemms");
    if (!ubName)
      return fail(json.position, "missing key 'ub_name'");
    if (Error error = readText(*ubName, "ub_name", module.ubName))
      return error;
  }
  map.modules.push_back(std::move(module));
  return Error::success();
}

Error ModuleMapReader::read(const JsonValue &json) {
  if (Error error = checkObject(
          json, {"version"}, {"tp", "etp", "model", "components", "modules"}))
    return error;
  int64_t version = 0;
  if (Error error = readVersion(*json.find("version"), {1}, version))
    return error;
  if (Error error = readSize(json, "tp", map.tp))
    return error;
  if (Error error = readSize(json, "etp", map.etp))
    return error;
  if (const JsonValue *model = json.find("model"))
    if (Error error = readText(*model, "model", map.model))
      return error;
  using Reader = ModuleMapReader;
  for (auto [key, readEntry] :
       {std::pair(StringRef("components"), &Reader::readComponent),
        {"modules", &Reader::readModule}}) {
    const JsonValue *list = json.find(key);
    if (!list)
      continue;
    if (Error error = checkArray(*list, key))
      return error;
    for (const JsonValue &element : list->elements)
      if (Error error = (this->*readEntry)(element))
        return error;
  }
  return Error::success();
}

Expected<ModuleMap> prec::parseModuleMap(StringRef text, StringRef fileName) {
  return readJson<ModuleMap>(text, fileName,
                             [&](const JsonValue &json, ModuleMap &map) {
                               return ModuleMapReader(fileName, map).read(json);
                             });
}
