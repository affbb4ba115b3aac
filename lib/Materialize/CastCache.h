//===- CastCache.h - one cast a value and format ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_CASTCACHE_H
#define PREC_LIB_MATERIALIZE_CASTCACHE_H

#include "prec/Support/LLVM.h"

#include "Materialize/Quantization.h"

#include "llvm/ADT/StringMap.h"

namespace prec {

/// Inverse scales of an operand.
struct ScaleInvs {
  Value scaleInv;
  /// Of the whole tensor, where its blocks have inverse scales within that one
  /// (NVFP4); else null.
  Value ofTensor;
};

/// An FP8 or FP4 operand of a contraction.
struct ScaledOperand {
  Value data;
  ScaleInvs scaleInvs;
};

/// Whether two formats are f16 and bf16, which no operation converts directly.
bool isOtherHalf(Type from, Type to);

/// Casts, scales and quantizations of one block, each made once, at its first
/// use. Uses must come in block order.
class CastCache {
public:
  /// `seed` is that of roundings at random, where there are any.
  explicit CastCache(MLIRContext *context, Value seed = nullptr)
      : builder(context), seed(seed) {}

  /// `value` in another high format, for `user`.
  Value convert(Value value, Type elementType, Operation *user);

  /// `matrix` quantized as `tag` says, or its transposed copy, for `user`. A
  /// copy has the data of the matrix if they have one scale; if not, scales of
  /// its own. `hadamard` transforms the rows of what is quantized.
  ScaledOperand quantize(Value matrix, TagAttr tag, bool transposed,
                         bool hadamard, Operation *user);

  /// The same of `rows` of groups that end at `ends`, each of which has a scale
  /// of its own where scales are of tensors. In a transposed copy groups are
  /// aligned, so that no block has rows of two.
  /// Fails, after an error, where `rows` are known to be read otherwise.
  FailureOr<ScaledOperand> quantizeGroups(Value rows, Value ends, TagAttr tag,
                                          bool transposed, Operation *user);

  /// `tokens` quantized as `tag` says, for the product `user` of their rows, in
  /// front of `place`. A scale of all tokens is of those of all `ranks` with
  /// other experts.
  ScaledOperand quantizeTokens(Value tokens, TagAttr tag, Operation *place,
                               Operation *user, int64_t ranks);
  /// Makes known that `rows` are read as rows `quantized` as `tag` says.
  void addRows(Value rows, ScaledOperand quantized, TagAttr tag) {
    quantizedRows[rows] = {quantized, tag};
  }

  /// The transposed copy of narrow `data`, which has the same inverse scale.
  Value transpose(Value data, Operation *user);

  /// Makes known the inverse scales of narrow values which are not quantized
  /// here.
  void addScaled(Value data, ScaleInvs of) { scaleInvs[data] = of; }
  /// The inverse scales of a narrow value; null if there are none.
  ScaleInvs getScaleInvs(Value data) const { return scaleInvs.lookup(data); }

private:
  /// Where `value` came from if reshapes are looked through: values of one
  /// origin have the same elements in the same order.
  Value getOrigin(Value value);
  Value createConversion(Value value, RankedTensorType type, Operation *user);
  Value createView(Operation *view, Type elementType, Operation *user);

  /// How `origin`, or a transposed copy of it, is scaled.
  ScaleRule getRule(Value origin, Scaling scaling, Operation *user);
  /// `matrix` quantized; `whole` has the same elements in some order, `origin`
  /// says what kind of operand it is.
  ScaledOperand quantizeDirectly(Value matrix, Value whole, Value origin,
                                 TagAttr tag, Operation *user,
                                 Operation *place = nullptr);
  /// The amax of `matrix`, at the granularity of `scaling`.
  /// `ofAll`: one of all elements, also where there is a matrix for each
  /// expert.
  Value getAmax(Value matrix, Scaling scaling, Operation *user,
                bool ofAll = false);
  /// The scale of all of `whole`, in which those of its blocks are.
  Scale getTensorScale(Value whole, Value origin, Format format,
                       Scaling scaling, Operation *user);
  Value getTransposed(Value matrix, Operation *user);
  Value getTransformed(Value matrix, Operation *user);
  Value getAligned(Value rows, Value ends, Operation *user);
  /// `rows` quantized with a scale for each group.
  ScaledOperand quantizeByGroup(Value rows, Value ends, TagAttr tag,
                                Operation *user);
  /// The scale of an amax, made where the builder is unless it was before.
  const Scale &getScaleOf(Value amax, Type elementType, Value origin,
                          TagAttr tag, Operation *user);
  /// The amax of what all `ranks` with other experts have of `tokens`.
  Value getAmaxOfRanks(Value tokens, Operation *user, int64_t ranks);
  /// What rows of quantized tokens are read as.
  FailureOr<ScaledOperand> getOfTokens(Value rows, Value ends, TagAttr tag,
                                       bool transposed, Operation *user);
  /// How a quantization of `origin` is rounded.
  Randomness getRandomness(Value origin, TagAttr tag, Operation *user);

  OpBuilder builder;
  Value seed;
  int32_t nextStream = kQuantizeStreams;
  /// How often each name of a history was given.
  llvm::StringMap<unsigned> histories;
  DenseMap<Value, Value> origins;
  /// By origin and tensor type.
  DenseMap<std::pair<Value, Type>, Value> conversions;
  /// By origin, type of the matrix where they are of rows or blocks, and
  /// granularity.
  DenseMap<std::tuple<Value, Type, unsigned>, Value> amaxes;
  /// By amax, element type and scaling.
  DenseMap<std::tuple<Value, Type, unsigned>, Scale> scales;
  /// By the whole tensor and format.
  DenseMap<std::pair<Value, Format>, Scale> tensorScales;
  /// By scale and tensor type.
  DenseMap<std::pair<Value, Type>, Value> quantized;
  /// By origin and type of the matrix.
  DenseMap<std::pair<Value, Type>, Value> transposes;
  /// By matrix.
  DenseMap<Value, Value> transformed;
  /// By origin, or by scales, and ends.
  DenseMap<std::pair<Value, Value>, Value> groupAmaxes, groupScales;
  /// By matrix and ends.
  DenseMap<std::pair<Value, Value>, Value> aligned;
  DenseMap<Value, ScaleInvs> scaleInvs;
  /// By the amax of this rank.
  DenseMap<Value, Value> amaxesOfRanks;
  /// By rows as they are.
  DenseMap<Value, std::pair<ScaledOperand, TagAttr>> quantizedRows;
};

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_CASTCACHE_H
