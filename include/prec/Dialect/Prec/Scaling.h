//===- Scaling.h - what shares a scale --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_SCALING_H
#define PREC_DIALECT_PREC_SCALING_H

#include "prec-rt/scalings.h"
#include "prec/Support/LLVM.h"

#include "mlir/IR/OpImplementation.h"

#include <optional>

namespace prec {

constexpr uint32_t getMaxEnumValForScaling() {
  return static_cast<uint32_t>(std::size(kScalings)) - 1;
}
inline StringRef stringifyScaling(Scaling scaling) {
  return StringRef(traitsOf(scaling).name);
}
std::optional<Scaling> symbolizeScaling(StringRef name);
FailureOr<Scaling> parseScaling(mlir::AsmParser &parser);
inline llvm::raw_ostream &operator<<(llvm::raw_ostream &stream,
                                     Scaling scaling) {
  return stream << stringifyScaling(scaling);
}
inline mlir::Diagnostic &operator<<(mlir::Diagnostic &diagnostic,
                                    Scaling scaling) {
  return diagnostic << stringifyScaling(scaling);
}

/// Whether scales are of rows or blocks instead of a tensor.
constexpr bool isFine(Scaling scaling) { return traitsOf(scaling).isFine(); }
/// Whether blocks of a few elements have scales of a few bits.
constexpr bool isMicro(Scaling scaling) { return traitsOf(scaling).isMicro(); }
/// Whether an amax of the whole tensor makes the only scale.
constexpr bool isTensorScaling(Scaling scaling) {
  return traitsOf(scaling).isTensor();
}
/// Whether e2m1 is scaled so.
constexpr bool isOfFp4(Scaling scaling) {
  return traitsOf(scaling).operands == ScaledOperands::Fp4;
}
/// Whether a scale of the whole tensor is around those of its blocks.
constexpr bool hasTensorScale(Scaling scaling) {
  return traitsOf(scaling).hasTensorScale;
}
/// Whether a scale is made of an amax of all of the tensor that it scales.
constexpr bool needsWholeTensor(Scaling scaling) {
  return scaling == Scaling::TensorCurrent || hasTensorScale(scaling);
}

} // namespace prec

namespace mlir {

template <typename T, typename> struct FieldParser;
template <> struct FieldParser<prec::Scaling, prec::Scaling> {
  template <typename Parser>
  static FailureOr<prec::Scaling> parse(Parser &parser) {
    return prec::parseScaling(parser);
  }
};

} // namespace mlir

#endif // PREC_DIALECT_PREC_SCALING_H
