//===- Nearest.cpp - the name that a mistyped one was meant to be ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/Nearest.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

using llvm::StringRef;

std::string prec::describeNearest(StringRef text,
                                  llvm::ArrayRef<StringRef> names) {
  StringRef nearest;
  unsigned least = 0;
  for (StringRef name : names) {
    auto longer = static_cast<unsigned>(std::max(text.size(), name.size()));
    unsigned distance = text.edit_distance_insensitive(name);
    if (distance > longer / 3 || (!nearest.empty() && distance >= least))
      continue;
    nearest = name;
    least = distance;
  }
  if (nearest.empty())
    return {};
  return ("; the nearest is '" + llvm::Twine(nearest) + "'").str();
}
