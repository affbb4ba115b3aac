//===- BufferAccess.h - elements of buffers at a position -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_EMITTER_BUFFERACCESS_H
#define PREC_LIB_CODEGEN_EMITTER_BUFFERACCESS_H

#include "Codegen/Emitter/KernelBuilder.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// Type of a tensor element in memory: i1 is a byte.
Type storageType(Type element);

/// Loads and stores of a kernel. Buffers are pointers to elements of a type as
/// it is in the graph, in row-major order of the position's digits.
class BufferAccess {
public:
  explicit BufferAccess(KernelBuilder &kernel) : kernel(kernel) {}

  /// Reads now, whatever was read before.
  Value load(Value base, Type element, ArrayRef<Digit> at);
  /// `value` has the position's lanes.
  void store(Value base, Type element, ArrayRef<Digit> at, Value value);
  /// Where an element lies.
  Value pointerTo(Value base, Type element, ArrayRef<Digit> at);

private:
  /// Offset of a position with the alignment, in elements, that is known.
  struct Address {
    Value offset;
    int64_t divisor;
    int64_t laneStride; ///< 0: no lanes
  };
  Address address(ArrayRef<Digit> at);
  Value pointer(unsigned depth, Value base, Value offset, Type element);

  KernelBuilder &kernel;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_EMITTER_BUFFERACCESS_H
