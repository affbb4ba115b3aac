//===- Arena.cpp - memory that modules use in turn ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arena.h"

#include <algorithm>
#include <utility>

using namespace prec::rt;

void Arena::placeAll() const {
  for (const auto &[member, place] : members)
    place(memory.get());
}

void Arena::found(const void *member, Memory given, int64_t bytes,
                  Place place) {
  memory = std::move(given);
  size = bytes;
  members[member] = std::move(place);
  placeAll();
}

Status Arena::join(const void *member, int64_t bytes, const Allocate &allocate,
                   Place place) {
  if (bytes <= size && (memory || bytes == 0)) {
    place(memory.get());
    members[member] = std::move(place);
    return {};
  }
  // Given back first: both would not always fit, and nothing in it is needed.
  memory.reset();
  placeAll();
  Result<Memory> larger = allocate(std::max(bytes, size));
  Status status;
  if (larger.ok()) {
    memory = std::move(*larger);
    size = std::max(bytes, size);
    members[member] = std::move(place);
  } else {
    status = larger.status();
    if (size > 0) {
      Result<Memory> again = allocate(size);
      if (again.ok())
        memory = std::move(*again);
    }
  }
  placeAll();
  return status;
}
