//===- UnitOrder.cpp - in which order units are computed ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the units that read nothing that is still to be computed, the earliest one
// of the program comes next. So units stay in the order of the program but for
// those that wait for a later one: what shares a launch stands where the first
// of its parts does, and may wait for what the last one reads. Meanwhile what
// comes later in the program goes on.
//
// What is computed again does not. It reads what forward has kept, so all of it
// could be computed as soon as the forward is over, for all layers at once, and
// would be in memory together, which is what computing it again is to avoid. It
// waits until that needs it for which the program waits.
//
// For that the place of a unit in the program is not its own if it reads what
// comes later: nothing waits at the place of its first part. Else sums of all
// layers that share a launch, at the place of the first layer's, would be what
// the program waits for, through the whole backward. What they do not need and
// is computed again, as copies for gradients of weights are, would wait, too,
// and all gradients that are multiplied with it would be kept.
//
// Time is that of sorting, and while units wait that of walking from one of
// them to what it needs.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/UnitOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <set>
#include <tuple>

using namespace prec;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

class Orderer {
public:
  explicit Orderer(ArrayRef<OrderedUnit> units)
      : units(units), users(units.size()), isPlaced(units.size()) {
    for (unsigned unit = 0; unit < units.size(); ++unit) {
      waiting.push_back(units[unit].reads.size());
      places.push_back(units[unit].position);
      for (unsigned read : units[unit].reads)
        users[read].push_back(unit);
      if (waiting[unit] == 0)
        ready.insert({units[unit].position, unit});
      if (!units[unit].recomputed)
        program.push_back(unit);
    }
    findPlaces();
    llvm::sort(program, [&](unsigned a, unsigned b) {
      return std::tuple(places[a], units[a].position, a) <
             std::tuple(places[b], units[b].position, b);
    });
  }

  std::vector<unsigned> run() {
    std::vector<unsigned> order;
    while (!ready.empty()) {
      auto next = findNext();
      unsigned unit = next->second;
      ready.erase(next);
      isPlaced[unit] = true;
      order.push_back(unit);
      for (unsigned user : users[unit])
        if (--waiting[user] == 0)
          ready.insert({units[user].position, user});
    }
    return order;
  }

private:
  using Ready = std::set<std::pair<unsigned, unsigned>>;

  /// Of each unit the last place of all that it needs.
  void findPlaces() {
    std::vector<unsigned> left = waiting;
    SmallVector<unsigned> work;
    for (auto [position, unit] : ready)
      work.push_back(unit);
    while (!work.empty()) {
      unsigned unit = work.pop_back_val();
      for (unsigned user : users[unit]) {
        places[user] = std::max(places[user], places[unit]);
        if (--left[user] == 0)
          work.push_back(user);
      }
    }
  }

  Ready::iterator findNext() {
    while (first < program.size() && isPlaced[program[first]])
      ++first;
    auto next = llvm::find_if(ready, [&](auto entry) {
      return !units[entry.second].recomputed || isDue(entry.second);
    });
    return next == ready.end() ? ready.begin() : next;
  }

  /// Whether the first unit of the program that is not computed needs it.
  bool isDue(unsigned unit) {
    if (first == program.size())
      return true;
    if (neededBy != program[first]) {
      neededBy = program[first];
      findNeeded();
    }
    return isNeeded[unit];
  }

  void findNeeded() {
    isNeeded.assign(units.size(), false);
    SmallVector<unsigned> work = {program[first]};
    while (!work.empty()) {
      unsigned unit = work.pop_back_val();
      if (isPlaced[unit] || isNeeded[unit])
        continue;
      isNeeded[unit] = true;
      work.append(units[unit].reads.begin(), units[unit].reads.end());
    }
  }

  ArrayRef<OrderedUnit> units;
  std::vector<SmallVector<unsigned, 4>> users;
  std::vector<unsigned> waiting; ///< of each unit, for so many others
  std::vector<unsigned> places;
  std::vector<bool> isPlaced, isNeeded;
  SmallVector<unsigned> program; ///< what is not computed again, by places
  unsigned first = 0; ///< of the program, where all before is computed
  std::optional<unsigned> neededBy;
  Ready ready;
};

} // namespace

std::vector<unsigned> prec::orderUnits(ArrayRef<OrderedUnit> units) {
  return Orderer(units).run();
}
