//===- Train.h - the train dialect ------------------------------*- C++ -*-===//
#ifndef PREC_DIALECT_TRAIN_TRAIN_H
#define PREC_DIALECT_TRAIN_TRAIN_H

#include "prec/Dialect/Prec/Prec.h"

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

#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Train/TrainAttrs.h.inc"

#define GET_OP_CLASSES
#include "prec/Dialect/Train/TrainOps.h.inc"

namespace mlir::train {

/// Names of the dialect's discardable attributes.
inline constexpr llvm::StringLiteral kRole = "train.role";
inline constexpr llvm::StringLiteral kPath = "train.path";
inline constexpr llvm::StringLiteral kParamOf = "train.param_of";
inline constexpr llvm::StringLiteral kSlot = "train.slot";
inline constexpr llvm::StringLiteral kAliases = "train.aliases";
inline constexpr llvm::StringLiteral kSourceDtype = "train.source_dtype";
inline constexpr llvm::StringLiteral kVocabulary = "train.vocabulary";
inline constexpr llvm::StringLiteral kIgnoreIndex = "train.ignore_index";
inline constexpr llvm::StringLiteral kShift = "train.shift";
inline constexpr llvm::StringLiteral kDefault = "train.default";
inline constexpr llvm::StringLiteral kInitial = "train.initial";
inline constexpr llvm::StringLiteral kDonatedTo = "train.donated_to";
inline constexpr llvm::StringLiteral kTensors = "train.tensors";
inline constexpr llvm::StringLiteral kUses = "train.uses";
inline constexpr llvm::StringLiteral kPhase = "train.phase";
inline constexpr llvm::StringLiteral kSeq = "train.seq";
inline constexpr llvm::StringLiteral kFramework = "train.framework";
inline constexpr llvm::StringLiteral kVerified = "train.verified";
inline constexpr llvm::StringLiteral kModel = "train.model";

/// Phase of an operation; forward where it carries none.
Phase getPhase(Operation *op);

/// Checks the shapes of attention, whatever dialect the operation is of: query
/// [B,H,S,D], key and value [B,G,T,D] with H a multiple of G, output as query,
/// lse [B,H,S]. Reports the first that differs on `op`.
LogicalResult verifyAttention(Operation *op, Type query, Type key, Type value,
                              Type output, Type lse);

/// The same for its gradient: `inputs` are the gradient of the output, query,
/// key, value, output and lse; `grads` those of query, key and value.
LogicalResult verifyAttentionGrad(Operation *op, TypeRange inputs,
                                  TypeRange grads);

/// Copies phase and link attributes of `from` to an operation made from it.
void copyProvenance(Operation *from, Operation *to);

} // namespace mlir::train

#endif // PREC_DIALECT_TRAIN_TRAIN_H
