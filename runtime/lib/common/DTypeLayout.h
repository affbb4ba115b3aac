//===- DTypeLayout.h - what the floats of a dtype are made of ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_DTYPELAYOUT_H
#define PREC_RT_COMMON_DTYPELAYOUT_H

#include "prec-rt/floats.h"
#include "prec-rt/manifest.h"

namespace prec::rt {

/// Null where elements are integers, or powers of two without a sign.
constexpr const FloatLayout *findLayout(DType dtype) {
  switch (dtype) {
  case DType::f32:
    return &kF32;
  case DType::bf16:
    return &kBF16;
  case DType::f16:
    return &kF16;
  case DType::f8E4M3FN:
    return &kE4M3;
  case DType::f8E5M2:
    return &kE5M2;
  case DType::i1:
  case DType::i8:
  case DType::i32:
  case DType::i64:
  case DType::f8E8M0FNU:
    break;
  }
  return nullptr;
}

} // namespace prec::rt

#endif // PREC_RT_COMMON_DTYPELAYOUT_H
