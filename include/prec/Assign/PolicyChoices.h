//===- PolicyChoices.h - a policy's word on contractions --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_POLICYCHOICES_H
#define PREC_ASSIGN_POLICYCHOICES_H

#include "prec/Assign/PolicyModules.h"
#include "prec/Policy/ModuleMap.h"
#include "prec/Policy/Policy.h"

#include <set>

namespace prec {

/// A policy, what a user says of modules, and policies of components. Those of
/// version 2 have times of one machine, which loadPolicy has chosen.
struct PolicySources {
  Policy policy;
  /// For messages.
  std::string policyFile = "policy";
  ModuleMap map;
  std::string mapFile = "modules";
  /// By the file that the map names.
  std::map<std::string, Policy> components;
};

/// A module with everything that a policy is asked by.
struct NamedModule {
  PolicyModule module;
  /// Of its first contraction.
  std::string path;
  /// None if neither graph nor map name it.
  std::optional<ModuleKey> key;
  int64_t tokens = 0;
  const Policy *policy = nullptr;
  /// Index of the component that it belongs to, or -1.
  int component = -1;
};

/// One line for each name: "layernorm_column/qkv tp=1, 64 tokens: 6 modules
/// (model.layers.0.self_attn.q_proj, ...)", in the order of names.
void printModules(llvm::raw_ostream &os, llvm::ArrayRef<NamedModule> modules);

/// What a policy says of the contractions of one function. Keeps references to
/// what it is made from.
class PolicyChoices {
public:
  PolicyChoices(const Graph &graph, const Classification &facts,
                const PolicySources &sources);

  /// Of a contraction that would be FP8 with formats `fp8`, else `plain`.
  /// Without a rule or a time it is not.
  PolicyVerdict decide(NodeId contraction, const ContractionFormats &fp8,
                       const ContractionFormats &plain) const;

  llvm::ArrayRef<NamedModule> getModules() const { return modules; }

  /// Patterns that match nothing and rules of version 1 that no module asked
  /// for, each with its place.
  struct Unused {
    std::vector<std::string> texts;
    /// Rules for sizes of parallelism that this step does not have.
    unsigned otherSizes = 0;
    /// Times of version 2, of contractions and modules that this step does not
    /// have at any number of tokens. More is measured than one graph asks for,
    /// so they are counted. Quantizations serve tensors of any size.
    unsigned times = 0;
  };
  /// One text a file of version 1: its rules that were measured below its own
  /// threshold.
  std::vector<std::string> getTooSlow() const;
  Unused getUnused() const;

private:
  void name(NamedModule &module);
  const NamedModule *find(NodeId contraction) const;
  /// Its module's, or the one without a module.
  const Policy &getPolicy(NodeId contraction) const;
  ContractionKey makeKey(NodeId contraction,
                         const ContractionFormats &formats) const;
  /// Null where no module has the contraction.
  PolicyVerdict decideByModule(const NamedModule *module) const;
  void addUnused(const Policy &policy, const std::string &fileName,
                 Unused &unused) const;
  void addRules(const ThresholdPolicy &thresholds, const std::string &fileName,
                const std::set<ModuleKey> &asked, Unused &unused) const;
  unsigned countUnused(const Measurements &times, const Policy &policy,
                       const std::set<ModuleKey> &asked) const;

  const Graph &graph;
  const Classification &facts;
  const PolicySources &sources;
  std::vector<NamedModule> modules;
  /// By node: its module; kNone without.
  std::vector<uint32_t> moduleOf;
  std::vector<bool> matchedComponents, matchedOverrides;
};

} // namespace prec

#endif // PREC_ASSIGN_POLICYCHOICES_H
