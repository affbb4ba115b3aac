//===- TensorConvert.cpp - host arrays between dtypes ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TensorConvert.h"

#include "FloatConvert.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace prec::rt;

bool prec::rt::alwaysExact(DType from, DType to) {
  if (from == to)
    return true;
  if (isFloat(from) && isFloat(to))
    return to == DType::f32 || (to == DType::f16 && from == DType::f8E5M2) ||
           (from == DType::f8E4M3FN &&
            (to == DType::f16 || to == DType::bf16)) ||
           (from == DType::f8E5M2 && to == DType::bf16);
  return !isFloat(from) && !isFloat(to) && from != DType::i1 &&
         to != DType::i1 && byteSize(from) <= byteSize(to);
}

static int64_t readInteger(DType dtype, const void *source, int64_t index) {
  const char *bytes = static_cast<const char *>(source);
  switch (dtype) {
  case DType::i64: {
    int64_t value;
    memcpy(&value, bytes + index * 8, 8);
    return value;
  }
  case DType::i32: {
    int32_t value;
    memcpy(&value, bytes + index * 4, 4);
    return value;
  }
  case DType::i1:
    return bytes[index] != 0;
  default:
    return static_cast<int8_t>(bytes[index]);
  }
}

static bool writeInteger(DType dtype, int64_t value, void *target,
                         int64_t index) {
  char *bytes = static_cast<char *>(target);
  auto store = [&](auto narrow) {
    if (narrow != value)
      return false;
    if (bytes)
      memcpy(bytes + index * sizeof narrow, &narrow, sizeof narrow);
    return true;
  };
  switch (dtype) {
  case DType::i64:
    return store(value);
  case DType::i32:
    return store(static_cast<int32_t>(value));
  case DType::i1:
    return store(static_cast<int8_t>(value != 0));
  default:
    return store(static_cast<int8_t>(value));
  }
}

static Status inexact(DType to, const std::string &value, int64_t position) {
  return Status::badValue("values must be exact in " + std::string(name(to)) +
                          ", but got " + value + " at position " +
                          std::to_string(position));
}

static Status convertFloats(DType from, const void *source, DType to,
                            void *target, int64_t count, int64_t base) {
  constexpr int64_t blockSize = 1024;
  float wide[blockSize], back[blockSize];
  alignas(8) char narrow[blockSize * 4];
  const char *in = static_cast<const char *>(source);
  char *out = static_cast<char *>(target);
  for (int64_t i = 0; i < count; i += blockSize) {
    int64_t block = std::min(blockSize, count - i);
    toFloat(from, in + i * byteSize(from), wide, block);
    fromFloat(to, wide, narrow, block);
    if (!alwaysExact(from, to)) {
      toFloat(to, narrow, back, block);
      for (int64_t j = 0; j < block; ++j)
        if (back[j] != wide[j] && !(std::isnan(back[j]) && std::isnan(wide[j])))
          return inexact(to, std::to_string(wide[j]), base + i + j);
    }
    if (out)
      memcpy(out + i * byteSize(to), narrow, block * byteSize(to));
  }
  return {};
}

Status prec::rt::convertExactly(DType from, const void *source, DType to,
                                void *target, int64_t count, int64_t base) {
  if (from == to) {
    if (target && count)
      memcpy(target, source, count * byteSize(to));
    return {};
  }
  if (isFloat(from) != isFloat(to))
    return Status::invalidArgument("dtype must convert to " +
                                   std::string(name(to)) + ", but got " +
                                   std::string(name(from)));
  if (isFloat(from))
    return convertFloats(from, source, to, target, count, base);
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = readInteger(from, source, i);
    if (!writeInteger(to, value, target, i))
      return inexact(to, std::to_string(value), base + i);
  }
  return {};
}

void prec::rt::convertRounded(DType from, const void *source, DType to,
                              void *target, int64_t count) {
  std::vector<float> values(count);
  toFloat(from, source, values.data(), count);
  fromFloat(to, values.data(), target, count);
}
