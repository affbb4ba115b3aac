//===- FusionRecompute.cpp - roundings that readers compute again ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes roundings out of the set of roots where it is cheaper that their
// readers compute them again, in three passes over the nodes. The first is
// about memory: a rounded value that a later phase reads is dropped if it is
// computed from a single value that is kept anyway. So the backward reads the
// FP32 value again instead of keeping its BF16 copy as well. The second is
// about time: a rounded value that all readers read in another order is dropped
// if the kernels cost less without it. The third drops what a kernel that
// reduces rows can compute twice of the row it holds, so that a reader in
// another order within the row joins it. Both costs are counted over all
// kernels concerned with FusionCost.cpp. An expression never grows over
// `kMaxRecomputed` operations, so dropping one root cannot make readers
// arbitrarily expensive.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/FusionCost.h"
#include "Schedule/Fusion/FusionRoots.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace prec;
using llvm::SmallVector;

FusionRoots::LeafUsers FusionRoots::findUsers() const {
  LeafUsers users(nodes.size());
  for (unsigned node = 0; node < nodes.size(); ++node)
    if (root[node])
      for (Leaf leaf : leavesOf(node))
        users[leaf.node].push_back(
            {node, leaf.access, leaf.data, leaf.step, leaf.rows});
  return users;
}

/// A rounded value that would be kept for a later phase is computed again by
/// its readers, with its rounding, from a single value that is kept anyway:
/// that saves its memory and the time to write it, and one read replaces
/// another.
void FusionRoots::recomputeInLaterPhases() {
  LeafUsers users = findUsers();
  auto isKept = [&](unsigned node, unsigned phase) {
    return llvm::any_of(users[node], [&](Leaf user) {
      return nodes[user.node].phase != phase;
    });
  };
  for (unsigned node = 0; node < nodes.size(); ++node) {
    const FusionNode &it = nodes[node];
    if (!root[node] || !it.rounding || it.stored || !isKept(node, it.phase))
      continue;
    SmallVector<Leaf> leaves = leavesOf(node);
    auto isSingle = [&](Leaf leaf) { return leaf.node == leaves[0].node; };
    bool isFree = !leaves.empty() && llvm::all_of(leaves, isSingle) &&
                  (isKept(leaves[0].node, it.phase) ||
                   nodes[leaves[0].node].kind == NodeKind::Source);
    bool isCheap = llvm::all_of(users[node], [&](Leaf user) {
      int64_t walked = nodes[user.node].elements * nodes[user.node].reduced;
      // Of parts side by side each is walked once, like a value of one part.
      bool isOnce = user.access == Access::Part
                        ? walked % it.elements == 0
                        : user.access == Access::Same && walked == it.elements;
      return isOnce && cost[user.node] + cost[node] <= kMaxRecomputed;
    });
    if (!isFree || !isCheap)
      continue;
    root[node] = false;
    for (Leaf user : users[node])
      cost[user.node] += cost[node];
  }
}

/// Of `data` that a root reads in a kernel that walks so many elements.
int64_t FusionRoots::countBytes(unsigned data, int64_t walked) const {
  return std::min(nodes[data].elements, walked) * nodes[data].bits / 8;
}

/// What `reader` moves and computes; of what it reads of `again`, what that is
/// computed of instead.
KernelWork FusionRoots::workOf(unsigned reader, int again) const {
  int64_t walked = nodes[reader].elements * nodes[reader].reduced;
  KernelWork work{countBytes(reader, nodes[reader].elements),
                  walked * cost[reader]};
  for (Leaf leaf : leavesOf(reader)) {
    if (int(leaf.node) != again) {
      work.bytes += countBytes(leaf.data, walked);
      continue;
    }
    int64_t read = std::min(nodes[leaf.data].elements, walked);
    work.operations += walked * cost[leaf.node];
    for (Leaf source : leavesOf(leaf.node))
      work.bytes += countBytes(source.data, read);
  }
  return work;
}

/// Whether every element of what `node` rounds is read of one tensor, small
/// ones beside it, that is in memory when its readers start. Numbers of rows
/// that are reduced of it are not: the kernel that reduces the rows has them.
bool FusionRoots::isOfOneTensor(unsigned node) const {
  // More than these are no row or column of it.
  constexpr int64_t few = 64;
  bool found = false;
  unsigned tensor = 0;
  SmallVector<Leaf> leaves = leavesOf(node);
  for (Leaf leaf : leaves) {
    if (leaf.access == Access::Row) {
      llvm::SmallDenseSet<unsigned> reduced = findReduced(leaf.node);
      if (llvm::any_of(leaves, [&](Leaf other) {
            return other.access != Access::Row && reduced.contains(other.data);
          }))
        return false;
    }
    if (nodes[leaf.data].elements <= nodes[node].elements / few)
      continue;
    if (found && leaf.node != tensor)
      return false;
    found = true;
    tensor = leaf.node;
  }
  return found;
}

/// Whether the kernel of the reader cannot be the one that computes, element by
/// element, what it reads.
bool FusionRoots::readsElsewhere(const Leaf &reader) const {
  const FusionNode &it = nodes[reader.node];
  switch (it.kind) {
  case NodeKind::Elementwise:
  case NodeKind::Layout:
    // Who puts parts side by side that are not all computed leaves that to
    // nobody who computes one of them.
    return !turned[reader.node] &&
           (reader.access == Access::Other ||
            (reader.access == Access::Part &&
             llvm::any_of(leavesOf(reader.node), [](const Leaf &leaf) {
               return leaf.access != Access::Part;
             })));
  case NodeKind::ColumnReduce:
    return !it.tileRows;
  default:
    return false;
  }
}

/// A rounded value that nobody reads where it is computed, in pieces or in
/// another order, or to reduce its columns, has to be read again in any case:
/// its readers compute it where that costs less. So the rows that experts
/// computed for a token are weighted by the kernel that adds them up.
void FusionRoots::recomputeWhereMoved() {
  LeafUsers users = findUsers();
  for (unsigned node = 0; node < nodes.size(); ++node) {
    const FusionNode &it = nodes[node];
    if (!root[node] || !it.rounding || it.stored || users[node].empty() ||
        !isOfOneTensor(node))
      continue;
    std::vector<unsigned> readers;
    bool areMoved = true;
    for (Leaf user : users[node]) {
      areMoved &= readsElsewhere(user) && nodes[user.node].phase == it.phase;
      if (readers.empty() || readers.back() != user.node)
        readers.push_back(user.node);
    }
    if (!areMoved)
      continue;
    SmallVector<KernelWork> reads, again;
    for (unsigned reader : readers) {
      reads.push_back(workOf(reader, /*again=*/-1));
      again.push_back(workOf(reader, node));
    }
    SmallVector<Leaf> leaves = leavesOf(node);
    // Others that read the same element by element may be of its kernel.
    bool hasOwnKernel = llvm::all_of(leaves, [&](Leaf leaf) {
      return llvm::all_of(users[leaf.node], [&](Leaf user) {
        return user.node == node || user.access != Access::Same;
      });
    });
    bool isShort = llvm::all_of(users[node], [&](Leaf user) {
      return cost[user.node] + cost[node] <= kMaxRecomputed;
    });
    if (!isShort || !isCheaperAgain(machine, {workOf(node, /*again=*/-1),
                                              hasOwnKernel, reads, again}))
      continue;
    root[node] = false;
    for (Leaf user : users[node])
      cost[user.node] += cost[node];
  }
}

/// What the reductions of rows read of which `number`, one for each row, is
/// computed in its phase; nothing if it is of none.
llvm::SmallDenseSet<unsigned> FusionRoots::findReduced(unsigned number) const {
  llvm::SmallDenseSet<unsigned> reduced;
  llvm::SmallSetVector<unsigned, 8> numbers;
  numbers.insert(number);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const FusionNode &it = nodes[numbers[i]];
    if (it.phase != nodes[number].phase)
      continue;
    for (Leaf leaf : leavesOf(numbers[i]))
      if (it.kind == NodeKind::RowReduce)
        reduced.insert(leaf.data);
      else if (it.kind == NodeKind::Elementwise &&
               leaf.access == Access::Same &&
               nodes[leaf.node].elements == it.elements)
        numbers.insert(leaf.node);
  }
  return reduced;
}

/// Whether `node` needs numbers of rows that are reduced, and apart from these
/// nothing large but what the reductions read from memory, too; and whether
/// `users` read elements of the same rows.
bool FusionRoots::isOfReducedRows(unsigned node, ArrayRef<Leaf> users) const {
  constexpr int64_t few = 64;
  llvm::SmallDenseSet<unsigned> read;
  SmallVector<Leaf> leaves = leavesOf(node);
  for (Leaf leaf : leaves) {
    if (leaf.access != Access::Row ||
        nodes[leaf.node].phase != nodes[node].phase)
      continue;
    llvm::SmallDenseSet<unsigned> reduced = findReduced(leaf.node);
    read.insert(reduced.begin(), reduced.end());
    bool areOfRows = llvm::all_of(users, [&](Leaf user) {
      return user.rows % nodes[leaf.node].elements == 0;
    });
    if (!areOfRows)
      return false;
  }
  return !read.empty() && llvm::all_of(leaves, [&](Leaf leaf) {
    NodeKind kind = nodes[leaf.node].kind;
    bool isStoredBefore = kind == NodeKind::Source || kind == NodeKind::Barrier;
    return leaf.access == Access::Row ||
           nodes[leaf.data].elements <= nodes[node].elements / few ||
           (isStoredBefore && read.contains(leaf.data));
  });
}

/// A rounded value of a row that is reduced, which nobody reads but in another
/// order within the row, is computed again where it is read: the kernel that
/// reduces the row has the row at hand. So the norm of a head and its rotary
/// embedding are one kernel.
void FusionRoots::recomputeInRows() {
  LeafUsers users = findUsers();
  for (unsigned node = 0; node < nodes.size(); ++node) {
    const FusionNode &it = nodes[node];
    if (!root[node] || !it.rounding || it.stored || users[node].empty())
      continue;
    bool areMoved = llvm::all_of(users[node], [&](Leaf user) {
      const FusionNode &reader = nodes[user.node];
      bool isPlain = reader.kind == NodeKind::Elementwise ||
                     reader.kind == NodeKind::Layout;
      bool isMoved =
          user.access == Access::Other || user.access == Access::Part;
      return isPlain && isMoved && !turned[user.node] &&
             reader.phase == it.phase && reader.elements == it.elements &&
             cost[user.node] + cost[node] <= kMaxRecomputed;
    });
    if (!areMoved || !isOfReducedRows(node, users[node]))
      continue;
    root[node] = false;
    for (Leaf user : users[node])
      cost[user.node] += cost[node];
  }
}
