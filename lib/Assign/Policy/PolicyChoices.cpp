//===- PolicyChoices.cpp - a policy's word on contractions ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks a measured policy about each contraction. The modules of the graph get
// the names that benchmarks use (PolicyModules.cpp), or those that the user's
// map gives by path. A policy with times of single contractions is asked by
// sizes and formats; if it does not have them, by the module; a policy of
// thresholds is asked by the module only. An answer says whether FP8 is faster,
// and what was missing. Rules and times that no contraction asked for are
// counted, so that a policy of another model is noticed.
//
//===----------------------------------------------------------------------===//
#include "prec/Assign/PolicyChoices.h"

#include "prec/Support/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace prec;

PolicyChoices::PolicyChoices(const Graph &graph, const Classification &facts,
                             const PolicySources &sources)
    : graph(graph), facts(facts), sources(sources),
      moduleOf(graph.nodes.size(), kNone),
      matchedComponents(sources.map.components.size()),
      matchedOverrides(sources.map.modules.size()) {
  for (PolicyModule &found : findPolicyModules(graph, facts)) {
    for (NodeId id : found.contractions)
      moduleOf[id] = modules.size();
    NamedModule module;
    module.path = graph.nodes[found.contractions.front()].path;
    module.module = std::move(found);
    name(module);
    modules.push_back(std::move(module));
  }
}

void PolicyChoices::name(NamedModule &module) {
  const ModuleMap &map = sources.map;
  module.key = module.module.key;
  module.tokens = module.module.tokens;
  module.policy = &sources.policy;
  int64_t tp = map.tp, etp = map.etp;
  for (auto [i, component] : llvm::enumerate(map.components)) {
    if (!component.path.matches(module.path))
      continue;
    matchedComponents[i] = true;
    module.component = static_cast<int>(i);
    tp = component.tp.value_or(tp);
    etp = component.etp.value_or(etp);
    module.tokens = component.numTokens.value_or(module.tokens);
    auto it = sources.components.find(component.policyFile);
    if (it != sources.components.end())
      module.policy = &it->second;
    break;
  }
  for (auto [i, module_override] : llvm::enumerate(map.modules)) {
    if (!module_override.path.matches(module.path))
      continue;
    matchedOverrides[i] = true;
    int64_t numGemms = module.key ? module.key->numGemms : 1;
    module.key = isGrouped(module_override.kind)
                     ? ModuleKey::makeGrouped(
                           module_override.kind, 1,
                           module_override.numGemms.value_or(numGemms))
                     : ModuleKey::makeDense(module_override.kind,
                                            module_override.ubName, 1);
    break;
  }
  if (!module.key)
    return;
  if (isGrouped(module.key->kind))
    module.key->etp = etp;
  else
    module.key->tp = tp;
}

const NamedModule *PolicyChoices::find(NodeId contraction) const {
  uint32_t index = moduleOf[contraction];
  return index == kNone ? nullptr : &modules[index];
}

static const Measurements &getTimes(const MeasuredPolicy &measured) {
  assert(measured.machines.size() == 1 && "times must be of one machine");
  return measured.machines.begin()->second;
}

PolicyVerdict PolicyChoices::decideByModule(const NamedModule *module) const {
  if (!module || !module->key)
    return {false, true, false, "no name for this contraction",
            "a name for it in policy-modules="};
  if (const ThresholdPolicy *thresholds = module->policy->getThresholds())
    return decideModule(*thresholds, *module->key, module->tokens);
  const MeasuredPolicy &measured = *module->policy->getMeasured();
  return decideModule(getTimes(measured), *module->key, module->tokens,
                      measured.speedupThreshold, sources.map.model);
}

const Policy &PolicyChoices::getPolicy(NodeId contraction) const {
  const NamedModule *module = find(contraction);
  return module ? *module->policy : sources.policy;
}

ContractionKey PolicyChoices::makeKey(NodeId contraction,
                                      const ContractionFormats &formats) const {
  const ContractionShape &shape = graph.nodes[contraction].shape;
  return {stringifyDirection(facts.directions[contraction]).str(),
          shape.m,
          shape.n,
          shape.k,
          std::max<int64_t>(shape.batch, 1),
          formats};
}

PolicyVerdict PolicyChoices::decide(NodeId contraction,
                                    const ContractionFormats &fp8,
                                    const ContractionFormats &plain) const {
  const NamedModule *module = find(contraction);
  if (const MeasuredPolicy *measured = getPolicy(contraction).getMeasured()) {
    PolicyVerdict verdict =
        decideContraction(getTimes(*measured), makeKey(contraction, fp8), plain,
                          measured->speedupThreshold);
    if (!verdict.isMissing || !module)
      return verdict;
    PolicyVerdict byModule = decideByModule(module);
    // The times that there are lack less than those of a module.
    return byModule.isMissing && verdict.isUnpriced ? verdict : byModule;
  }
  return decideByModule(module);
}

void prec::printModules(llvm::raw_ostream &os, ArrayRef<NamedModule> modules) {
  std::map<std::pair<std::string, int64_t>, SmallVector<StringRef>> pathsOf;
  for (const NamedModule &module : modules)
    pathsOf[{module.key ? printModuleKey(*module.key) : "no name",
             module.tokens}]
        .push_back(module.path);
  constexpr size_t kShown = 3;
  for (auto &[key, paths] : pathsOf) {
    os << "  " << key.first << ", " << key.second << " tokens: " << paths.size()
       << (paths.size() == 1 ? " module (" : " modules (");
    llvm::interleaveComma(ArrayRef(paths).take_front(kShown), os);
    os << (paths.size() > kShown ? ", ...)\n" : ")\n");
  }
}

PolicyChoices::Unused PolicyChoices::getUnused() const {
  Unused unused;
  auto addPatterns = [&](const auto &entries,
                         const std::vector<bool> &matched) {
    for (auto [i, entry] : llvm::enumerate(entries))
      if (!matched[i])
        unused.texts.push_back(
            sources.mapFile + ":" + std::to_string(entry.path.position.line) +
            ":" + std::to_string(entry.path.position.column) + ": path '" +
            entry.path.text + "' matches no contraction of a weight");
  };
  addPatterns(sources.map.components, matchedComponents);
  addPatterns(sources.map.modules, matchedOverrides);
  addUnused(sources.policy, sources.policyFile, unused);
  for (const auto &[fileName, policy] : sources.components)
    addUnused(policy, fileName, unused);
  return unused;
}

void PolicyChoices::addUnused(const Policy &policy, const std::string &fileName,
                              Unused &unused) const {
  std::set<ModuleKey> asked;
  for (const NamedModule &module : modules)
    if (module.policy == &policy && module.key)
      asked.insert(*module.key);
  if (const ThresholdPolicy *thresholds = policy.getThresholds())
    return addRules(*thresholds, fileName, asked, unused);
  unused.times += countUnused(getTimes(*policy.getMeasured()), policy, asked);
}

unsigned PolicyChoices::countUnused(const Measurements &times,
                                    const Policy &policy,
                                    const std::set<ModuleKey> &asked) const {
  // Between token counts times are interpolated, and a recipe has one of many
  // formats.
  auto atAnyTokens = [](ContractionKey key) {
    key.formats = {};
    key.getTokens() = 0;
    return key;
  };
  std::set<ContractionKey> contractions;
  for (NodeId id = 0; id < graph.nodes.size(); ++id)
    if (graph.isFloatContraction(id) && &getPolicy(id) == &policy)
      contractions.insert(atAnyTokens(makeKey(id, {})));
  unsigned count = 0;
  for (const auto &[key, time] : times.contractions)
    count += !contractions.count(atAnyTokens(key));
  for (const auto &[key, time] : times.modules)
    count += !asked.count(key.module) ||
             (!sources.map.model.empty() && key.model != sources.map.model);
  return count;
}

void PolicyChoices::addRules(const ThresholdPolicy &thresholds,
                             const std::string &fileName,
                             const std::set<ModuleKey> &asked,
                             Unused &unused) const {
  std::set<int64_t> tps = {sources.map.tp}, etps = {sources.map.etp};
  for (const ModuleKey &key : asked)
    isGrouped(key.kind) ? etps.insert(key.etp) : tps.insert(key.tp);
  for (const auto &[key, rule] : thresholds.rules) {
    if (asked.count(key))
      continue;
    bool isOwnSize =
        isGrouped(key.kind) ? etps.count(key.etp) : tps.count(key.tp);
    if (!isOwnSize) {
      ++unused.otherSizes;
      continue;
    }
    unused.texts.push_back(fileName + ":" + std::to_string(rule.position.line) +
                           ":" + std::to_string(rule.position.column) +
                           ": rule for " + printModuleKey(key) +
                           " is for no module of this graph");
  }
}

static void addTooSlow(const Policy &policy, const std::string &fileName,
                       std::vector<std::string> &texts) {
  const ThresholdPolicy *thresholds = policy.getThresholds();
  if (!thresholds)
    return;
  std::string text;
  unsigned more = 0;
  for (const auto &[key, rule] : thresholds->rules) {
    if (!thresholds->isTooSlow(rule))
      continue;
    if (!text.empty()) {
      ++more;
      continue;
    }
    text = fileName + ":" + std::to_string(rule.position.line) + ":" +
           std::to_string(rule.position.column) + ": rule for " +
           printModuleKey(key) + " must have a measured_speedup of at least " +
           printNumber(thresholds->speedupThreshold) +
           ", the file's speedup_threshold, but got " +
           printNumber(*rule.measuredSpeedup) + ": its modules are not FP8";
  }
  if (more != 0)
    text += " (and so for " + std::to_string(more) +
            (more == 1 ? " other rule)" : " other rules)");
  if (!text.empty())
    texts.push_back(std::move(text));
}

std::vector<std::string> PolicyChoices::getTooSlow() const {
  std::vector<std::string> texts;
  addTooSlow(sources.policy, sources.policyFile, texts);
  for (const auto &[fileName, policy] : sources.components)
    addTooSlow(policy, fileName, texts);
  return texts;
}
