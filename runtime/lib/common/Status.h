//===- Status.h - errors without exceptions ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every fallible function of the runtime returns a Status or a Result. A
// message is lower case, names the rule first, then "but got X". Its code is
// chosen where the error is made, and kept by whoever adds to the message.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_STATUS_H
#define PREC_RT_COMMON_STATUS_H

#include "prec-rt/prec-rt.h"

#include <cerrno>
#include <string>
#include <utility>
#include <variant>

namespace prec::rt {

/// What kind of thing went wrong; prec-rt.h says what each means.
enum class Code : int32_t {
  invalidArgument = PREC_RT_ERROR_INVALID_ARGUMENT,
  invalidState = PREC_RT_ERROR_INVALID_STATE,
  badValue = PREC_RT_ERROR_BAD_VALUE,
  notFound = PREC_RT_ERROR_NOT_FOUND,
  file = PREC_RT_ERROR_FILE,
  badFile = PREC_RT_ERROR_BAD_FILE,
  outOfMemory = PREC_RT_ERROR_OUT_OF_MEMORY,
  device = PREC_RT_ERROR_DEVICE,
  unsupported = PREC_RT_ERROR_UNSUPPORTED,
  busy = PREC_RT_ERROR_BUSY,
  internal = PREC_RT_ERROR_INTERNAL,
  function = PREC_RT_ERROR_FUNCTION,
  ranks = PREC_RT_ERROR_RANKS,
};

class [[nodiscard]] Status {
public:
  Status() = default;

  static Status withCode(Code code, std::string message) {
    Status status;
    status.failed = true;
    status.kind = code;
    status.text = std::move(message);
    return status;
  }
  static Status invalidArgument(std::string message) {
    return withCode(Code::invalidArgument, std::move(message));
  }
  static Status invalidState(std::string message) {
    return withCode(Code::invalidState, std::move(message));
  }
  static Status badValue(std::string message) {
    return withCode(Code::badValue, std::move(message));
  }
  static Status fileError(std::string message) {
    return withCode(Code::file, std::move(message));
  }
  static Status badFile(std::string message) {
    return withCode(Code::badFile, std::move(message));
  }
  static Status outOfMemory(std::string message) {
    return withCode(Code::outOfMemory, std::move(message));
  }
  static Status deviceError(std::string message) {
    return withCode(Code::device, std::move(message));
  }
  static Status unsupported(std::string message) {
    return withCode(Code::unsupported, std::move(message));
  }
  static Status busy(std::string message) {
    return withCode(Code::busy, std::move(message));
  }
  static Status internal(std::string message) {
    return withCode(Code::internal, std::move(message));
  }
  static Status functionFailed(std::string message) {
    return withCode(Code::function, std::move(message));
  }
  static Status ranksFailed(std::string message) {
    return withCode(Code::ranks, std::move(message));
  }
  /// Of a file or folder on which the system failed with `error`.
  static Status ofErrno(int error, std::string message) {
    bool isAbsent = error == ENOENT || error == ENOTDIR;
    return withCode(isAbsent          ? Code::notFound
                    : error == ENOMEM ? Code::outOfMemory
                                      : Code::file,
                    std::move(message));
  }

  bool ok() const { return !failed; }
  const std::string &message() const { return text; }
  /// Of an error.
  Code code() const { return kind; }

  /// The same error with more of its place in front of it.
  Status prefixed(const std::string &place) const {
    return withCode(kind, place + text);
  }

private:
  bool failed = false;
  Code kind = Code::internal;
  std::string text;
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Result(Status error) : storage(std::in_place_index<1>, std::move(error)) {}
  bool ok() const { return storage.index() == 0; }
  T &operator*() { return std::get<0>(storage); }
  const T &operator*() const { return std::get<0>(storage); }
  T *operator->() { return &std::get<0>(storage); }
  const T *operator->() const { return &std::get<0>(storage); }
  const Status &status() const { return std::get<1>(storage); }

private:
  std::variant<T, Status> storage;
};

} // namespace prec::rt

#define PREC_RT_RETURN_IF_ERROR(expr)                                          \
  do {                                                                         \
    ::prec::rt::Status status_ = (expr);                                       \
    if (!status_.ok())                                                         \
      return status_;                                                          \
  } while (false)

#endif // PREC_RT_COMMON_STATUS_H
