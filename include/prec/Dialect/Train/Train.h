//===- Train.h - the prec_train dialect -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_TRAIN_H
#define PREC_DIALECT_TRAIN_TRAIN_H

#include "prec/Dialect/Prec/LinearOpInterface.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Lookup.h"
#include "prec/Support/LLVM.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "prec/Dialect/Train/TrainDialect.h.inc"
#include "prec/Dialect/Train/TrainEnums.h.inc"

#include "prec/Dialect/Train/OptimizerOpInterface.h.inc"

namespace prec {
class PrimitiveBuilder;
} // namespace prec
#include "prec/Dialect/Train/DecomposeOpInterface.h.inc"

#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Train/TrainAttrs.h.inc"

#define GET_OP_CLASSES
#include "prec/Dialect/Train/TrainOps.h.inc"

namespace prec::train {

/// Names of the dialect's discardable attributes.
inline constexpr llvm::StringLiteral kRole = "prec_train.role";
inline constexpr llvm::StringLiteral kPath = "prec_train.path";
inline constexpr llvm::StringLiteral kParamOf = "prec_train.param_of";
inline constexpr llvm::StringLiteral kSlot = "prec_train.slot";
inline constexpr llvm::StringLiteral kAliases = "prec_train.aliases";
inline constexpr llvm::StringLiteral kSourceDtype = "prec_train.source_dtype";
inline constexpr llvm::StringLiteral kVocabulary = "prec_train.vocabulary";
inline constexpr llvm::StringLiteral kIgnoreIndex = "prec_train.ignore_index";
inline constexpr llvm::StringLiteral kShift = "prec_train.shift";
inline constexpr llvm::StringLiteral kShard = "prec_train.shard";
inline constexpr llvm::StringLiteral kShardDim = "prec_train.shard_dim";
inline constexpr llvm::StringLiteral kShardParts = "prec_train.shard_parts";
inline constexpr llvm::StringLiteral kPlacement = "prec_train.placement";
inline constexpr llvm::StringLiteral kDefault = "prec_train.default";
inline constexpr llvm::StringLiteral kInitial = "prec_train.initial";
inline constexpr llvm::StringLiteral kDonatedTo = "prec_train.donated_to";
inline constexpr llvm::StringLiteral kTensors = "prec_train.tensors";
inline constexpr llvm::StringLiteral kUses = "prec_train.uses";
inline constexpr llvm::StringLiteral kPhase = "prec_train.phase";
inline constexpr llvm::StringLiteral kSeq = "prec_train.seq";
/// The operation of the graph that a primitive was made from: "rms_norm".
inline constexpr llvm::StringLiteral kGraphOp = "prec_train.graph_op";
/// Of an operation of a crowded step: it computes rows of experts.
inline constexpr llvm::StringLiteral kExpertRows = "prec_train.expert_rows";
inline constexpr llvm::StringLiteral kFramework = "prec_train.framework";
inline constexpr llvm::StringLiteral kMesh = "prec_train.mesh";
inline constexpr llvm::StringLiteral kVerified = "prec_train.verified";
inline constexpr llvm::StringLiteral kModel = "prec_train.model";

/// Phase of an operation; forward where it carries none.
Phase getPhase(Operation *op);

/// Whether an optimizer or a norm squares `value`, as it is or converted.
bool isSquared(Value value);

/// What attention may have: a bias (its type, or none), causality, a window.
struct AttentionMask {
  Type bias;
  bool isCausal;
  std::optional<int64_t> window;

  template <typename OpTy> static AttentionMask of(OpTy op) {
    return {op.getBias() ? op.getBias().getType() : Type(), op.getCausal(),
            op.getWindow()};
  }
};

/// Checks the shapes of attention, whatever dialect the operation is of: query
/// [B,H,S,D], key and value [B,G,T,D] with H a multiple of G, output as query,
/// lse [B,H,S], and the mask. Reports the first that differs on `op`.
LogicalResult verifyAttention(Operation *op, Type query, Type key, Type value,
                              Type output, Type lse, AttentionMask mask);

/// The same for its gradient: `inputs` are the gradient of the output, query,
/// key, value, output and lse; `grads` those of query, key and value.
LogicalResult verifyAttentionGrad(Operation *op, TypeRange inputs,
                                  TypeRange grads, AttentionMask mask);

/// The operation of the graph that `op` was made from, or its own: "rms_norm",
/// "addf".
llvm::StringRef getGraphOp(Operation *op);

/// Copies what an operation knows of where it comes from (phase, link,
/// operation of the graph) to one made from it.
void copyProvenance(Operation *from, Operation *to);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_TRAIN_H
