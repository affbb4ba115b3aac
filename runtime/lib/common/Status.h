//===- Status.h - errors without exceptions ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every fallible function of the runtime returns a Status or a Result. A
// message is lower case, names the rule first, then "but got X".
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_STATUS_H
#define PREC_RT_COMMON_STATUS_H

#include <string>
#include <utility>
#include <variant>

namespace prec::rt {

class [[nodiscard]] Status {
public:
  Status() = default;
  static Status error(std::string message) {
    Status status;
    status.failed = true;
    status.text = std::move(message);
    return status;
  }
  bool ok() const { return !failed; }
  const std::string &message() const { return text; }

private:
  bool failed = false;
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
