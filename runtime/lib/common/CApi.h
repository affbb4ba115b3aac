//===- CApi.h - what calls of the C ABI have in common ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every call has the same frame (`guarded`): pointers that must not be null are
// checked, exceptions become an error object, a module takes one call at a time
// (a second thread gets an error instead of waiting), and between the halves of
// a step only the calls that may run there do. Structures begin with their
// size, by which callers of an older or newer version are understood: fields
// that the caller does not have keep their defaults, and fields that are not
// known here must be zero.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_CAPI_H
#define PREC_RT_COMMON_CAPI_H

#include "Ranks.h"
#include "Session.h"

#include "prec-rt/prec-rt.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>

struct prec_rt_communicator {
  std::shared_ptr<prec::rt::Communicator> ranks;
  std::shared_ptr<prec::rt::Communicator>
      ofCaller; ///< what the program exchanges
};

/// Where in its tensor a slice is.
struct SlicePlace {
  std::vector<int64_t> whole;
  std::vector<int64_t> start; ///< empty where it is of several parts
};

struct prec_rt_module {
  std::shared_ptr<prec::rt::Session> session; ///< views have it, too
  std::map<size_t, SlicePlace> places{};      ///< by binding that is a slice
  bool padBatches = false;
  std::string notes{};
  std::atomic_flag isUsed{}; ///< by a call that has not returned
};

struct prec_rt_error {
  prec::rt::Code code;
  std::string message;
};

namespace prec::rt {

/// What a call cannot do without, by its name.
using Given = std::initializer_list<std::pair<const void *, const char *>>;

inline Status checkGiven(Given given) {
  for (auto [pointer, what] : given)
    if (!pointer)
      return Status::invalidArgument(std::string(what) +
                                     " must be given, but got null");
  return {};
}

/// Runs a call's body; exceptions (of the standard library, for want of
/// memory) must not cross into C.
template <typename Body> prec_rt_error *guarded(Body body) {
  try {
    Status status = body();
    return status.ok() ? nullptr
                       : new prec_rt_error{status.code(), status.message()};
  } catch (const std::exception &exception) {
    return new prec_rt_error{Code::outOfMemory,
                             std::string("must not run out of resources, but "
                                         "got: ") +
                                 exception.what()};
  }
}

/// Whether a call may run between the halves of a step.
enum class WithinStep { no, yes };

/// The body of a call on a module, which takes one at a time.
template <typename Body>
prec_rt_error *guarded(const prec_rt_module *module, Given given, Body body,
                       WithinStep within = WithinStep::no) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven({{module, "a module"}}));
    PREC_RT_RETURN_IF_ERROR(checkGiven(given));
    auto &isUsed = const_cast<prec_rt_module *>(module)->isUsed;
    if (isUsed.test_and_set(std::memory_order_acquire))
      return Status::busy("a module must be used from one thread at a time, "
                          "but another call on it has not returned");
    struct Release {
      std::atomic_flag &flag;
      ~Release() { flag.clear(std::memory_order_release); }
    } release{isUsed};
    if (within == WithinStep::no && module->session->isStepStarted())
      return Status::busy("a step that was begun must be waited for before "
                          "another call on the module, but was not");
    return body();
  });
}

/// Reads a structure that begins with its size: what the caller does not have
/// stays as it is in `into`, and what is not known here must be zero.
template <typename Struct>
Status readSized(const Struct &given, Struct &into, const char *what) {
  const size_t size = given.size, known = sizeof(Struct);
  // Fields begin at multiples of eight, or two of four bytes share one.
  if (size < sizeof(size_t) || size % 8 != 0)
    return Status::invalidArgument(std::string("the size of ") + what +
                                   " must be " + std::to_string(known) +
                                   ", or that of another version, but got " +
                                   std::to_string(size));
  const auto *bytes = reinterpret_cast<const unsigned char *>(&given);
  for (size_t i = known; i < size; ++i)
    if (bytes[i])
      return Status::unsupported(
          std::string(what) + " must be those of this version, of " +
          std::to_string(known) + " bytes, or zero behind these, but got " +
          std::to_string(bytes[i]) + " in byte " + std::to_string(i));
  memcpy(static_cast<void *>(&into), bytes, std::min(size, known));
  into.size = known;
  return {};
}

inline Status checkSize(size_t size, const char *what) {
  if (size >= sizeof(size_t))
    return {};
  return Status::invalidArgument(std::string("the size of ") + what +
                                 " must be set by the caller, but got " +
                                 std::to_string(size));
}

/// Writes as much of a structure as the caller has room for, but its size.
template <typename Struct> void writeSized(const Struct &from, Struct &to) {
  const size_t size = to.size, known = sizeof(Struct), head = sizeof(size_t);
  auto *bytes = reinterpret_cast<unsigned char *>(&to);
  memcpy(bytes + head, reinterpret_cast<const unsigned char *>(&from) + head,
         std::min(size, known) - head);
  if (size > known)
    memset(bytes + known, 0, size - known);
}

inline Status checkIndex(const prec_rt_module *module, size_t index) {
  size_t count = module->session->manifest().bindings.size();
  if (index < count)
    return {};
  return Status::invalidArgument("binding must be below " +
                                 std::to_string(count) + ", but got " +
                                 std::to_string(index));
}

/// Of a tensor that a caller gives: all that can be said without its data.
Status checkTensor(const prec_rt_tensor &value);
/// Of one that has been checked.
TensorRef refer(const prec_rt_tensor &value);

} // namespace prec::rt

#endif // PREC_RT_COMMON_CAPI_H
