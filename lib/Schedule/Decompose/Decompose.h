//===- Decompose.h - decompositions by family -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function builds the primitives of one composite and returns the values
// that replace its results. Operands may have any float format; see the
// operations' descriptions for the formulas.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_SCHEDULE_DECOMPOSE_DECOMPOSE_H
#define PREC_LIB_SCHEDULE_DECOMPOSE_DECOMPOSE_H

#include "prec/Dialect/Train/PrimitiveBuilder.h"

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Schedule/Passes.h"
#include "prec/Support/LLVM.h"

namespace prec {

using Values = SmallVector<Value, 3>;
class RandomBits;

Values decompose(train::RmsNormOp op, PrimitiveBuilder &b);
Values decompose(train::RmsNormGradOp op, PrimitiveBuilder &b);
Values decompose(train::LayerNormOp op, PrimitiveBuilder &b);
Values decompose(train::LayerNormGradOp op, PrimitiveBuilder &b);

/// The first row of this rank's slice, of `rows` rows, as a scalar of the type
/// of `ids`.
Value buildFirstRow(StringRef axis, int64_t ranks, int64_t rows, Value ids,
                    PrimitiveBuilder &b);
/// What all ranks of an axis have of `value`, [N, S], in their order.
Value gather(StringRef axis, int64_t ranks, Value value, PrimitiveBuilder &b);
/// The sum of [N, S] along N, in f32 and in order.
Value addUp(Value parts, PrimitiveBuilder &b);

Values decompose(train::SoftmaxOp op, PrimitiveBuilder &b);
Values decompose(train::SoftmaxGradOp op, PrimitiveBuilder &b);
Values decompose(train::CrossEntropyOp op, PrimitiveBuilder &b);
Values decompose(train::CrossEntropyGradOp op, PrimitiveBuilder &b);

/// The largest heads of a library that does not take all; 0 of none.
int64_t getLargestHead(AttentionLibrary library);
/// Whether a library computes attention of such a query, with any bias and
/// window.
bool hasAttention(AttentionLibrary library, RankedTensorType query);
Values decompose(train::AttentionOp op, PrimitiveBuilder &b);
Values decompose(train::AttentionGradOp op, PrimitiveBuilder &b);

Values decompose(train::GroupedMatmulOp op, PrimitiveBuilder &b);
Values decompose(train::GroupedMatmulGradOp op, PrimitiveBuilder &b);

/// What rows have of their groups, in one function: the same `ends` are looked
/// at once.
class GroupRows {
public:
  Values decompose(GroupAmaxOp op, PrimitiveBuilder &b);
  Values decompose(GroupScalesOp op, PrimitiveBuilder &b);
  Values decompose(AlignGroupsOp op, PrimitiveBuilder &b);

private:
  /// By group, i32: its first row and the one behind its last, how many there
  /// are, and the place of the first where groups are aligned, and the end of
  /// the room that they have there.
  struct Bounds {
    Value first, last, size, place, placeEnd;
  };
  const Bounds &getBounds(Value ends, int64_t rows, PrimitiveBuilder &b);
  /// By row: 1 + its group, 0 for a row of none.
  Value getGroups(Value ends, int64_t rows, PrimitiveBuilder &b);
  /// By aligned row: whether it is of a group, and which row it is; 0 where it
  /// is none.
  struct Sources {
    Value isOfGroup, row;
  };
  const Sources &getSources(Value ends, int64_t rows, int64_t aligned,
                            PrimitiveBuilder &b);

  /// By ends and number of rows.
  DenseMap<std::pair<Value, int64_t>, Bounds> bounds;
  DenseMap<std::pair<Value, int64_t>, Value> groups;
  DenseMap<std::pair<Value, int64_t>, Sources> sources;
};

Values decompose(train::ConvOp op, PrimitiveBuilder &b);
Values decompose(train::ConvGradInputOp op, PrimitiveBuilder &b);
Values decompose(train::ConvGradWeightOp op, PrimitiveBuilder &b);

Values decompose(train::RopeOp op, PrimitiveBuilder &b);
Values decompose(train::EmbeddingOp op, PrimitiveBuilder &b);

/// Sums of rows in one function: those of the same ids share their order.
class RowSums {
public:
  Values decompose(train::EmbeddingGradOp op, PrimitiveBuilder &b);
  /// Nothing for one of sorted ids.
  Values decompose(train::ScatterAddOp op, PrimitiveBuilder &b);

private:
  Value add(Value init, Value ids, Value updates, PrimitiveBuilder &b);

  /// By the ids and the rows of the table.
  DenseMap<std::pair<Value, int64_t>, Value> sorted;
};

Values decompose(AmaxOp op, PrimitiveBuilder &b);
/// Largest magnitudes of the rows or blocks of a matrix; NaN where there is
/// nothing else.
Value reduceFinely(AmaxOp op, PrimitiveBuilder &b);
/// What is reduced for an amax.
Value getMagnitude(AmaxOp op, Value value, PrimitiveBuilder &b);
/// Inverse scales in the order of their scales, laid out as `type`.
Value layOutScaleInvs(Value scaleInvs, ScaleLayout layout,
                      RankedTensorType type, PrimitiveBuilder &b);
/// Nothing for FP8 with one scale of a tensor; packed data for FP4.
Values decompose(QuantizeOp op, RandomBits &random, PrimitiveBuilder &b);
Values decompose(FakeQuantizeOp op, PrimitiveBuilder &b);
Values decompose(UpdateScaleOp op, PrimitiveBuilder &b);
Values decompose(BlockScaleOp op, PrimitiveBuilder &b);
Values decompose(HadamardOp op, PrimitiveBuilder &b);
/// `values` of e2m1, two consecutive ones in an i8, the first in its low half.
Value packFp4(Value values, PrimitiveBuilder &b);
/// The type of packed e2m1; all others as they are.
Type getPackedType(Type type);
Values decompose(HistoryScaleOp op, PrimitiveBuilder &b);
Values decompose(RecordAmaxOp op, PrimitiveBuilder &b);

Values decompose(UpdateLossScaleOp op, PrimitiveBuilder &b);

Values decompose(train::ClipOp op, PrimitiveBuilder &b);
Values decompose(train::AllReduceOp op, PrimitiveBuilder &b);
/// Of sums over ranks of which each rank reads its slice alone, it adds up
/// that.
void decomposeSumsOfSlices(mlir::func::FuncOp function,
                           ConstantPool &constants);

Values decompose(PrecisionAwareUpdateOp op, PrimitiveBuilder &b);

Values decompose(DynamicQuantizeOp op, PrimitiveBuilder &b);
Values decompose(DynamicDequantizeOp op, PrimitiveBuilder &b);

/// What sums squares of gradients in one function: a norm and a guard of the
/// same values share the sums.
class SquareSums {
public:
  Values decompose(train::GlobalNormOp op, PrimitiveBuilder &b);
  Values decompose(FiniteGuardOp op, PrimitiveBuilder &b);

private:
  Value get(Value input, PrimitiveBuilder &b);

  DenseMap<Value, Value> sums;
};

/// A weight of torch.lerp, which starts from the nearer end.
struct LerpWeight {
  Value isSmall; ///< below 0.5
  Value weight;  ///< itself if it is small, else less 1
};

/// Scalars of an AdamW update, all f32 but the condition; equal for all
/// parameters of one group.
struct AdamwScalars {
  Value decay;            ///< 1 - lr * weight_decay
  Value negativeDecay;    ///< -lr * weight_decay
  LerpWeight firstWeight; ///< 1 - beta1
  Value secondWeight;     ///< 1 - beta2
  Value negativeStepSize; ///< -lr / (1 - beta1^step)
  Value secondCorrection; ///< sqrt(1 - beta2^step)
};

/// AdamW updates of one function, sharing the scalars of equal hyper
/// parameters.
class AdamwDecomposer {
public:
  Values decompose(train::AdamwOp op, PrimitiveBuilder &b);

private:
  const AdamwScalars &getScalars(train::AdamwOp op, PrimitiveBuilder &b);

  DenseMap<SmallVector<Value, 5>, AdamwScalars> scalars;
};

/// The same of SGD.
struct SgdScalars {
  Value negativeRate;   ///< -lr
  Value gradientWeight; ///< 1 - dampening; null without momentum
  Value isFirst;        ///< step 1; null without momentum
};

class SgdDecomposer {
public:
  Values decompose(train::SgdOp op, PrimitiveBuilder &b);
  Values decompose(train::SgdMomentumOp op, PrimitiveBuilder &b);

private:
  const SgdScalars &getScalars(train::OptimizerOpInterface op, Value dampening,
                               PrimitiveBuilder &b);

  DenseMap<SmallVector<Value, 3>, SgdScalars> scalars;
};

/// The same of Lion.
struct LionScalars {
  Value decay;         ///< 1 - lr * weight_decay
  Value negativeDecay; ///< -lr * weight_decay
  Value negativeRate;  ///< -lr
  Value firstWeight;   ///< 1 - beta1
  Value secondWeight;  ///< 1 - beta2
};

class LionDecomposer {
public:
  Values decompose(train::LionOp op, PrimitiveBuilder &b);

private:
  const LionScalars &getScalars(train::LionOp op, PrimitiveBuilder &b);

  DenseMap<SmallVector<Value, 4>, LionScalars> scalars;
};

/// The same of Adafactor.
struct AdafactorScalars {
  LerpWeight weight;   ///< step^beta2_decay
  Value relativeRate;  ///< min(lr, 1 / sqrt(step)), f64
  Value decay;         ///< 1 - lr * weight_decay
  Value negativeDecay; ///< -lr * weight_decay
  Value smallest;      ///< eps1^2
};

class AdafactorDecomposer {
public:
  Values decompose(train::AdafactorOp op, PrimitiveBuilder &b);
  Values decompose(train::AdafactorUnfactoredOp op, PrimitiveBuilder &b);

private:
  template <typename Adafactor>
  const AdafactorScalars &getScalars(Adafactor op, PrimitiveBuilder &b);

  DenseMap<SmallVector<Value, 5>, AdafactorScalars> scalars;
};

/// Updates by a formula in one function, sharing their scalars.
class FormulaDecomposer {
public:
  Values decompose(train::UpdateOp op, PrimitiveBuilder &b);
  /// The scalar that was made for this key; `make` makes no other one.
  Value getScalar(ArrayRef<const void *> key, llvm::function_ref<Value()> make);

private:
  DenseMap<SmallVector<const void *, 8>, Value> scalars;
};

/// Random bits of one function and what reads them, sharing what is computed of
/// their seed.
class RandomBits {
public:
  Values decompose(StochasticRoundOp op, PrimitiveBuilder &b);
  Values decompose(train::DropoutOp op, PrimitiveBuilder &b);
  /// `scaled` as values of e2m1, with the bits of `op`.
  Value roundToFp4(Value scaled, QuantizeOp op, PrimitiveBuilder &b);

private:
  /// 32 bits for each element, as `prec.stochastic_round` says.
  Value get(Value seed, uint32_t stream, ArrayRef<int64_t> shape,
            PrimitiveBuilder &b);
  Value getMixedSeed(Value seed, PrimitiveBuilder &b);

  DenseMap<Value, Value> mixedSeeds;
};

} // namespace prec

#endif // PREC_LIB_SCHEDULE_DECOMPOSE_DECOMPOSE_H
