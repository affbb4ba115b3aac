//===- Descriptor.h - an open file that is closed at the end ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_DESCRIPTOR_H
#define PREC_RT_COMMON_DESCRIPTOR_H

#include <unistd.h>
#include <utility>

namespace prec::rt {

/// A file's number, or none (-1).
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }

  int get() const { return number; }
  bool isOpen() const { return number >= 0; }

private:
  int number;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_DESCRIPTOR_H
