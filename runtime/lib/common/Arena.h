//===- Arena.h - memory that modules use in turn ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_ARENA_H
#define PREC_RT_COMMON_ARENA_H

#include "prec-rt/prec-rt.h"

#include "Status.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace prec::rt {

/// Memory for what an entry point forgets at its end. Modules of one state,
/// which run one at a time, share it: it is as large as the largest of them
/// needs. Where a module needs more, the memory is given back and more is
/// allocated, and all that are in it are told where it is now.
class Arena {
public:
  /// Its first byte; gives it back when nobody holds it.
  using Memory = std::shared_ptr<void>;
  using Allocate = std::function<Result<Memory>(int64_t bytes)>;
  /// Is told where the memory is; null while there is none.
  using Place = std::function<void(void *)>;

  /// The memory that the first module has is shared from now on.
  void found(const void *member, Memory given, int64_t bytes, Place place);

  /// Another module, which needs so many bytes. No work may be in flight. Where
  /// the larger memory cannot be had, the module is not in the arena, and the
  /// others have memory of the old size again, if there still is any.
  Status join(const void *member, int64_t bytes, const Allocate &allocate,
              Place place);

  void leave(const void *member) { members.erase(member); }

private:
  void placeAll() const;

  Memory memory;
  int64_t size = 0;
  std::map<const void *, Place> members;
};

/// What modules of one state share beside it.
struct Arenas {
  Arena workspace;
  Arena scratch; ///< of libraries, or of commands on a CPU
};

/// Of a module whose arena was lost.
inline Status lostArena() {
  return Status::outOfMemory(
      "a module must have its workspace to run, but it was given back for a "
      "larger one of a module that has the same state, and there is no memory "
      "for either");
}

} // namespace prec::rt

#endif // PREC_RT_COMMON_ARENA_H
