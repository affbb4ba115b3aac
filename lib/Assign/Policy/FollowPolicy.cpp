//===- FollowPolicy.cpp - a policy chooses a candidate --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Policy/FollowPolicy.h"

#include "Assign/Bounds/MeasuredFormats.h"

using namespace mlir;
using namespace prec;

void prec::followPolicy(const PolicyChoices &policy, ContractionChoice &choice,
                        Assignment &assignment) {
  if (!choice.getWinner() || !choice.getWinner()->isScaled())
    return;
  Candidate *plain = llvm::find_if(choice.candidates, [](Candidate &candidate) {
    return candidate.veto == Veto::None && !candidate.isScaled();
  });
  if (plain == choice.candidates.end())
    return;
  Candidate &scaled = choice.candidates[choice.winner];
  PolicyVerdict verdict =
      policy.decide(choice.node, getFormats(scaled), getFormats(*plain));
  choice.reason = assignment.save("policy: " + verdict.reason);
  choice.change = assignment.save(verdict.change);
  if (verdict.useFp8) {
    for (Decision &use : scaled.uses)
      use.rule = assignment.save(use.rule + "; " + choice.reason);
    return;
  }
  choice.winner = plain - choice.candidates.begin();
  StringRef text = assignment.save(choice.reason + ": reads " +
                                   stringifyFormat(plain->uses[0].format));
  for (Decision &use : plain->uses)
    use.decide(text);
  if (verdict.isMissing)
    assignment.fallbacks.push_back({choice.node,
                                    "the policy has " + verdict.reason,
                                    plain->uses[0].format});
}
