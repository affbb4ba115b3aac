//===- Prec.h - the prec dialect --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_PREC_H
#define PREC_DIALECT_PREC_PREC_H

#include "prec-rt/format.h"
#include "prec/Dialect/Prec/Precision.h"
#include "prec/Dialect/Prec/Scaling.h"
#include "prec/Support/LLVM.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace prec {

/// Checks that the tags of an operation, wherever they are kept, are one for
/// each result and one for each operand.
LogicalResult verifyTags(Operation *op);

} // namespace prec

#include "prec/Dialect/Prec/PrecDialect.h.inc"
#include "prec/Dialect/Prec/PrecEnums.h.inc"
#include "prec/Dialect/Prec/PrecisionOpInterface.h.inc"

namespace prec {

/// How scales come from amaxes where nothing else is said; attributes of
/// operations, recipes and `prec.amax` all take these.
inline constexpr int64_t kDefaultAmaxHistory = 1024;
inline constexpr AmaxAlgorithm kDefaultAmaxAlgorithm = AmaxAlgorithm::Max;
inline constexpr int64_t kDefaultAmaxMargin = 0;
/// What the amax of a gradient is taken for before any was seen. Those of a
/// mean over some tens of tokens are smaller, and those of a mean over 100,000,
/// some 1e-8, do not round to zero at the scale that this gives: E5M2 reaches
/// down to 1e-12, E4M3 to 1e-8.
inline constexpr float kFirstGradientAmax = 0x1p-8;
/// LoongForge guards every amax with it.
inline constexpr double kDefaultAmaxEpsilon = 1e-12;

} // namespace prec

#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Prec/PrecAttrs.h.inc"

namespace prec {

/// Type of the newest entries of a history, one for each of its rows.
RankedTensorType getRecentType(Type history);

} // namespace prec

#define GET_OP_CLASSES
#include "prec/Dialect/Prec/PrecOps.h.inc"

namespace prec {

/// Tags of an operation, wherever they are kept: inherent attributes of
/// prec_train operations, discardable `prec.*` ones of foreign operations. A
/// null tag means that nothing was decided for that result or operand.
TagAttr getResultTag(Operation *op, unsigned result);
TagAttr getOperandTag(Operation *op, unsigned operand);
void setResultTag(Operation *op, unsigned result, TagAttr tag);
void setOperandTag(Operation *op, unsigned operand, TagAttr tag);
/// Whether an operation has inherent attributes for its tags.
bool hasInherentTags(Operation *op);
/// Removes all tags of an operation.
void clearTags(Operation *op);

/// Tag of a value: of the result it is, or of the entry block argument.
TagAttr getTag(Value value);

/// FP8 and FP4: formats that need a scale and belong to uses, not to storage.
inline bool isFp8(Format format) {
  return format == Format::E4M3 || format == Format::E5M2;
}
inline bool isNarrow(Format format) {
  return isFp8(format) || format == Format::E2M1;
}
/// Bits of one element, without its share of a scale.
unsigned getBits(Format format);

/// What a format is scaled by where nothing else is said.
Scaling getDefaultScaling(Format format);
/// The rank of scales.
constexpr int64_t getScaleRank(Scaling scaling) {
  const ScalingTraits &traits = traitsOf(scaling);
  return traits.isFine() ? (traits.columns == 0 ? 1 : 2) : 0;
}
/// Type of the f32 scales of `tensor`, contracted along its last dimension, as
/// `prec.amax` lists them. Fine scales are a matrix's.
RankedTensorType getScaleType(RankedTensorType tensor, Scaling scaling);
/// The same for inverse scales, in the format of the scaling.
RankedTensorType getScaleInvType(RankedTensorType tensor, Scaling scaling);
/// The type of the inverse scales of `scales`: in the format of their blocks,
/// and laid out as matrix products read them (`prec.update_scale`,
/// `prec.block_scale`; cuBLASLt, "Scaling factors layouts").
RankedTensorType getScaleInvsOf(RankedTensorType scales, Scaling scaling);
/// What is scaled of an operand of a grouped product: of a matrix of each group
/// [G, N, K] each where scales are of tensors, else the rows of all, [G * N,
/// K]; of rows of groups themselves. Groups stand for the tensors of a scaling
/// of tensors: each has a scale, as a row of the first view.
RankedTensorType getGroupedView(RankedTensorType operand, Scaling scaling);
/// The type of the inverse scales of such an operand.
RankedTensorType getGroupedScaleInvType(RankedTensorType operand,
                                        Scaling scaling, int64_t groups);
/// Why a matrix of each group cannot be scaled so; nothing where it can.
std::optional<std::string> findGroupedProblem(ArrayRef<int64_t> matrix,
                                              Scaling scaling);
/// Why these are no scales, or inverse scales, of `tensor` in that scaling;
/// nothing where they are.
std::optional<std::string> findScaleProblem(RankedTensorType tensor,
                                            Scaling scaling, Type scales);
std::optional<std::string> findScaleInvProblem(RankedTensorType tensor,
                                               Scaling scaling, Type scaleInvs);
/// What a scaling is to those for whom it does not matter which step's amax
/// makes the scale.
constexpr Scaling getGranularity(Scaling scaling) {
  return isTensorScaling(scaling) ? Scaling::TensorCurrent : scaling;
}
/// The only type of a bias of a product with that result. cuBLASLt adds biases
/// in the result's format, but to f32 products of scaled operands in bf16.
RankedTensorType getBiasType(RankedTensorType result, bool isScaled);
/// The type of the elements that `stored` holds: two e2m1 in an i8, and itself
/// otherwise.
RankedTensorType getUnpackedType(RankedTensorType stored);

/// Largest finite magnitude of a format.
double getMaxFinite(Format format);
/// Half the distance from 1 to the next larger number.
double getUnitRoundoff(Format format);
/// The element type of tensors of a format.
FloatType getElementType(MLIRContext *context, Format format);
/// The format of a float element type; fails for types without one.
FailureOr<Format> getFormat(Type elementType);

/// Of the powers of two that a scale stays below what its amax allows.
inline constexpr int64_t kMaxAmaxMargin = 32;
/// Good steps before a dynamic loss scale grows: counted in f32, exactly.
inline constexpr int64_t kMaxGrowthInterval = 1000000;
/// Elements of a block that `prec.dynamic_quantize` scales, and the least that
/// a parameter has whose moments it codes (both as in bitsandbytes).
inline constexpr int64_t kMomentBlock = PREC_MOMENT_BLOCK;
inline constexpr int64_t kMinCodedMoments = 4096;
/// Whether moments of so many elements have codes of 8 bits where they are
/// asked for.
inline bool isCodedMoment(int64_t elements) {
  return elements >= kMinCodedMoments && elements % kMomentBlock == 0;
}
/// Norms that precision-aware rounding tries, each a pass over a parameter.
inline constexpr int64_t kMaxRoundingIterations = 64;
/// Factor by which a loss scale grows or shrinks at once.
inline constexpr double kMaxScaleFactor = 65536;
/// Powers of two above 1, below 1, and within that bound.
bool isGrowthFactor(double value);
bool isBackoffFactor(double value);
/// `prec.amax` of the module around `op`; its defaults without.
AmaxAttr getAmaxOptions(Operation *op);
/// `prec.microscaling` of the module around `op`; its defaults without.
MicroscalingAttr getMicroscaling(Operation *op);
/// Elements that a Hadamard transform mixes.
inline constexpr int64_t kHadamardGroup = 16;
/// Where the streams of random bits begin that are not those of masters, which
/// are the numbers of their results.
inline constexpr int32_t kQuantizeStreams = PREC_QUANTIZE_STREAMS;
inline constexpr int32_t kDropoutStreams = PREC_DROPOUT_STREAMS;
/// Bytes that cuBLASLt wants the address of a scale to be a multiple of.
inline constexpr int64_t kScaleAlignment = 16;

inline constexpr llvm::StringLiteral kTag = "prec.tag";
inline constexpr llvm::StringLiteral kResultTags = "prec.result_tags";
inline constexpr llvm::StringLiteral kOperandTags = "prec.operand_tags";
inline constexpr llvm::StringLiteral kClass = "prec.class";
/// Of a contraction of scaled operands: fprop, dgrad or wgrad, as
/// classification found it.
inline constexpr llvm::StringLiteral kDirection = "prec.direction";
inline constexpr llvm::StringLiteral kRecipe = "prec.recipe";
inline constexpr llvm::StringLiteral kTarget = "prec.target";
inline constexpr llvm::StringLiteral kAmax = "prec.amax";
inline constexpr llvm::StringLiteral kLossScaling = "prec.loss_scaling";
inline constexpr llvm::StringLiteral kMasterRounding = "prec.master_rounding";
inline constexpr llvm::StringLiteral kMicroscaling = "prec.microscaling";
inline constexpr llvm::StringLiteral kMoments = "prec.moments";
inline constexpr llvm::StringLiteral kSeparateLayers = "prec.separate_layers";

} // namespace prec

#endif // PREC_DIALECT_PREC_PREC_H
