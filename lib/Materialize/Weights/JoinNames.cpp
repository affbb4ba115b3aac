//===- JoinNames.cpp - one name for several tensors -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/JoinNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

using Parts = SmallVector<StringRef, 8>;

/// How many parts at the front of `a` and `b` are the same; not all of either.
static size_t countCommon(ArrayRef<StringRef> a, ArrayRef<StringRef> b) {
  size_t limit = std::min(a.size(), b.size()) - 1, count = 0;
  while (count < limit && a[count] == b[count])
    ++count;
  return count;
}

std::string prec::joinNames(ArrayRef<StringRef> names) {
  SmallVector<Parts, 4> split(names.size());
  for (auto [name, parts] : llvm::zip_equal(names, split))
    name.split(parts, '.');
  size_t front = split[0].size() - 1, shortest = split[0].size();
  for (const Parts &parts : split) {
    front = std::min(front, countCommon(split[0], parts));
    shortest = std::min(shortest, parts.size());
  }
  size_t back = shortest - front - 1;
  for (const Parts &parts : split) {
    Parts reversed(llvm::reverse(parts)), first(llvm::reverse(split[0]));
    back = std::min(back, countCommon(first, reversed));
  }
  auto middle = llvm::map_range(split, [&](ArrayRef<StringRef> parts) {
    return llvm::join(parts.drop_front(front).drop_back(back), ".");
  });
  SmallVector<std::string> joined;
  for (StringRef part : ArrayRef(split[0]).take_front(front))
    joined.push_back(part.str());
  joined.push_back(llvm::join(middle, "+"));
  for (StringRef part : ArrayRef(split[0]).take_back(back))
    joined.push_back(part.str());
  return llvm::join(joined, ".");
}
