//===- SessionRanks.cpp - what ranks of a module must have in common ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank updates what it holds with its own hyper-parameters, and waits in an
// entry point for what the others send. So before a program's call begins, each
// rank says which call it makes, with which hyper-parameters, or why it cannot.
// All make it then, or none: nobody waits for what does not come.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Ranks.h"

#include "prec-rt/module.h"

#include <cstring>
#include <sstream>

using namespace prec::rt;

Status Session::joinRanks(const std::shared_ptr<Communicator> &all) {
  PREC_RT_RETURN_IF_ERROR(checkRanks(manifest(), all.get()));
  if (!all || all->size() == 1)
    return {};
  Result<std::vector<std::string>> opened =
      gatherTexts(*all, formatHash(file->hash()) + " " + file->path());
  if (!opened.ok())
    return opened.status();
  constexpr size_t hashDigits = size_t(2) * PREC_MODULE_HASH_BYTES, shown = 12;
  auto describe = [&](size_t rank) {
    const std::string &text = (*opened)[rank];
    return "rank " + std::to_string(rank) + " " + text.substr(hashDigits + 1) +
           " (" + text.substr(0, shown) + ")";
  };
  for (size_t i = 1; i < opened->size(); ++i)
    if ((*opened)[i].substr(0, hashDigits) !=
        (*opened)[0].substr(0, hashDigits))
      return Status::ranksFailed("ranks must open one module, but " +
                                 describe(0) + " and " + describe(i) +
                                 " have other hashes");
  ranks = all;
  fileRanks = all->apart();
  return {};
}

/// "lr\t0.001": names in the order of the manifest, the same on all ranks.
std::string Session::describeHypers() const {
  std::string text;
  char number[32];
  for (const Binding &binding : manifest().bindings) {
    auto found = hypers.find(binding.buffer);
    if (binding.role != Role::hyper || isCount(binding) ||
        found == hypers.end())
      continue;
    snprintf(number, sizeof number, "%.9g", double(found->second));
    text += binding.name + "\t" + number + "\n";
  }
  return text;
}

/// Of two ranks that must have said the same after their calls.
static Status differ(const std::string &first, size_t rank,
                     const std::string &other) {
  std::istringstream ours(first), theirs(other);
  std::string one, two;
  while (std::getline(ours, one) && std::getline(theirs, two) && one == two)
    ;
  const std::string name = one.substr(0, one.find('\t'));
  return Status::invalidArgument(
      "ranks must be given the same hyper-parameters, but of '" + name +
      "' rank 0 has " + one.substr(name.size() + 1) + " and rank " +
      std::to_string(rank) + " " + two.substr(two.find('\t') + 1));
}

/// Of what all ranks said in front of a call.
static Status judge(const std::vector<std::string> &said) {
  auto entryOf = [&](size_t rank) {
    return said[rank].substr(0, said[rank].find('\n'));
  };
  for (size_t rank = 0; rank < said.size(); ++rank)
    if (!said[rank].empty() && said[rank][0] == '!')
      return Status::ranksFailed("rank " + std::to_string(rank) + ": " +
                                 said[rank].substr(1));
  for (size_t rank = 1; rank < said.size(); ++rank) {
    if (entryOf(rank) != entryOf(0))
      return Status::ranksFailed("ranks must call the same, but rank 0 calls " +
                                 entryOf(0) + " and rank " +
                                 std::to_string(rank) + " " + entryOf(rank));
    if (said[rank] != said[0])
      return differ(said[0], rank, said[rank]);
  }
  return {};
}

Status Session::agreeOnCall(const std::string &entryPoint, Status own) {
  if (!ranks)
    return own;
  if (own.ok())
    own = checkInputs(entryPoint.c_str());
  if (own.ok() && (entryPoint == "step" || entryPoint == "sample"))
    own = checkBetweenSteps("a whole step");
  if (own.ok() && entryPoint == "apply")
    own = checkApply();
  // As long on all ranks: each has all hyper-parameters.
  constexpr int64_t ofName = 64, ofError = 1024;
  int64_t most = ofError;
  for (const Binding &binding : manifest().bindings)
    if (binding.role == Role::hyper)
      most += ofName + static_cast<int64_t>(binding.name.size());
  const NamedCall call(ranks.get(), "the start of a call");
  Result<std::vector<std::string>> said = gatherTexts(
      *ranks,
      own.ok() ? entryPoint + "\n" + describeHypers() : "!" + own.message(),
      most);
  if (!said.ok())
    return own.ok() ? said.status() : own;
  Status verdict = own.ok() ? judge(*said) : own;
  // No rank may end before all know why: its end would hide what it said.
  if (!verdict.ok())
    static_cast<void>(gatherTexts(*ranks, "", ofError));
  return verdict;
}
