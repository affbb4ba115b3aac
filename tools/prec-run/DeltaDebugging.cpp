//===- DeltaDebugging.cpp - small sets that make a difference -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a small set that passes a test, by delta debugging (ddmin). The set is
// divided into n parts. If a part passes, it is the new set; else if the set
// without a part passes, that is; else n is doubled. It ends when n is the size
// of the set, so no single element can be left out. Tests are remembered. For a
// set of k that matter among n it takes about k log2(n) tests, at worst n^2.
// Example: of {0..7} where 5 matters: {0..3} fails, {4..7} passes, {4, 5}
// passes, {4} fails, {5} passes.
//
//===----------------------------------------------------------------------===//

#include "DeltaDebugging.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

using namespace prec::rt;
using namespace prec::run;

/// Part `index` of `count` of nearly equal size.
static ElementSet partOf(const ElementSet &set, size_t index, size_t count) {
  size_t begin = set.size() * index / count;
  size_t end = set.size() * (index + 1) / count;
  return {set.begin() + static_cast<std::ptrdiff_t>(begin),
          set.begin() + static_cast<std::ptrdiff_t>(end)};
}

static ElementSet without(const ElementSet &set, const ElementSet &part) {
  ElementSet rest;
  std::set_difference(set.begin(), set.end(), part.begin(), part.end(),
                      std::back_inserter(rest));
  return rest;
}

namespace {

/// Remembers what was tested.
class Tester {
public:
  explicit Tester(const SetTest &test) : test(test) {}

  Result<bool> passes(const ElementSet &set) {
    auto found = known.find(set);
    if (found != known.end())
      return found->second;
    Result<bool> result = test(set);
    if (result.ok())
      known[set] = *result;
    return result;
  }

private:
  const SetTest &test;
  std::map<ElementSet, bool> known;
};

} // namespace

/// A part of `set`, one of `count`, that passes, or else a complement of one
/// that does.
static Result<std::optional<ElementSet>>
reduceOnce(Tester &tester, const ElementSet &set, size_t count, bool &isPart) {
  for (bool part : {true, false})
    for (size_t i = 0; i < count; ++i) {
      ElementSet candidate = partOf(set, i, count);
      if (!part)
        candidate = without(set, candidate);
      Result<bool> passes = tester.passes(candidate);
      if (!passes.ok())
        return passes.status();
      isPart = part;
      if (*passes)
        return std::optional(std::move(candidate));
    }
  return std::optional<ElementSet>();
}

Result<ElementSet> prec::run::minimizeSet(ElementSet whole,
                                          const SetTest &test) {
  Tester tester(test);
  size_t count = 2;
  while (whole.size() > 1) {
    bool isPart = false;
    Result<std::optional<ElementSet>> smaller =
        reduceOnce(tester, whole, count, isPart);
    if (!smaller.ok())
      return smaller.status();
    if (*smaller) {
      whole = std::move(**smaller);
      count = isPart ? 2 : std::max<size_t>(count - 1, 2);
    } else if (count < whole.size()) {
      count = std::min(2 * count, whole.size());
    } else {
      break;
    }
    count = std::min(count, std::max<size_t>(whole.size(), 1));
  }
  return whole;
}
