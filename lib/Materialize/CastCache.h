//===- CastCache.h - one cast a value and format ----------------*- C++ -*-===//
#ifndef PREC_LIB_MATERIALIZE_CASTCACHE_H
#define PREC_LIB_MATERIALIZE_CASTCACHE_H

#include "Quantisation.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::prec {

/// An FP8 operand of a contraction.
struct ScaledOperand {
  Value data;
  /// Dequantisation factor.
  Value factor;
};

/// Whether two formats are f16 and bf16, which no operation converts directly.
bool isOtherHalf(Type from, Type to);

/// Casts, scales and quantisations of one block, each made once, at its first
/// use. Uses must come in block order.
class CastCache {
public:
  explicit CastCache(MLIRContext *context) : builder(context) {}

  /// `value` in another high format, for `user`.
  Value convert(Value value, Type elementType, Operation *user);

  /// `matrix` quantised as `tag` says, or its transposed copy, for `user`. A
  /// copy has the data of the matrix if they have one scale; if not, scales of
  /// its own.
  ScaledOperand quantize(Value matrix, TagAttr tag, bool transposed,
                         Operation *user);

  /// Makes known that FP8 values which are not quantised here have a factor.
  void addScaled(Value data, Value factor) { factors[data] = factor; }
  /// The factor of an FP8 value; null if there is none.
  Value getFactor(Value data) const { return factors.lookup(data); }

private:
  /// Where `value` came from if reshapes are looked through: values of one
  /// origin have the same elements in the same order.
  Value getOrigin(Value value);
  Value createConversion(Value value, RankedTensorType type, Operation *user);
  Value createView(Operation *view, Type elementType, Operation *user);

  /// How `origin`, or a transposed copy of it, is scaled.
  ScaleRule getRule(Value origin, Scaling scaling, Operation *user);
  /// `matrix` quantised; `origin` says what kind of operand it is.
  ScaledOperand quantizeDirectly(Value matrix, Value origin, TagAttr tag,
                                 Operation *user);
  Value getTransposed(Value matrix, Operation *user);

  OpBuilder builder;
  /// How often each name of a history was given.
  llvm::StringMap<unsigned> histories;
  DenseMap<Value, Value> origins;
  /// By origin and tensor type.
  DenseMap<std::pair<Value, Type>, Value> conversions;
  /// By origin, and where they are of rows or blocks by matrix and own type.
  DenseMap<std::tuple<Value, Type, Type>, Value> amaxes;
  /// By amax, element type and scaling.
  DenseMap<std::tuple<Value, Type, unsigned>, Scale> scales;
  /// By scale and tensor type.
  DenseMap<std::pair<Value, Type>, Value> quantized;
  /// By origin and type of the matrix.
  DenseMap<std::pair<Value, Type>, Value> transposes;
  DenseMap<Value, Value> factors;
};

} // namespace mlir::prec

#endif // PREC_LIB_MATERIALIZE_CASTCACHE_H
