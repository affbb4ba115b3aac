//===- TrainDialect.cpp - the prec_train dialect and its attributes -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dialect/DialectVersion.h"
#include "Dialect/ValueInliner.h"
#include "Dialect/Train/TrainLinearity.h"

#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/BatchAttributes.h"
#include "prec/Dialect/Train/Custom.h"
#include "prec/Dialect/Train/GradientAttribute.h"
#include "prec/Dialect/Train/IndexCheck.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec::train;

#include "prec/Dialect/Train/TrainDialect.cpp.inc"
#include "prec/Dialect/Train/DecomposeOpInterface.cpp.inc"
#include "prec/Dialect/Train/OptimizerOpInterface.cpp.inc"
#include "prec/Dialect/Train/TrainEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Train/TrainAttrs.cpp.inc"

void TrainDialect::initialize() {
  addInterfaces<prec::ValueInliner, prec::VersionedDialect>();
  addOperations<
#define GET_OP_LIST
#include "prec/Dialect/Train/TrainOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "prec/Dialect/Train/TrainAttrs.cpp.inc"
      >();
  attachTrainLinearity(getContext());
}

Phase prec::train::getPhase(Operation *op) {
  if (auto phase = op->getAttrOfType<PhaseAttr>(kPhase))
    return phase.getValue();
  return Phase::Forward;
}

bool prec::train::isSquared(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (prec::isCast(user))
      return isSquared(user->getResult(0));
    auto optimizer = dyn_cast<OptimizerOpInterface>(user);
    return isa<GlobalNormOp>(user) || (optimizer && optimizer.isSquaring());
  });
}

StringRef prec::train::getGraphOp(Operation *op) {
  auto composite = op->getAttrOfType<StringAttr>(kGraphOp);
  return composite ? composite.getValue() : op->getName().stripDialect();
}

void prec::train::copyProvenance(Operation *from, Operation *to) {
  for (StringRef name : {StringRef(kPhase), StringRef(kSeq),
                         StringRef(kGraphOp), StringRef(kExpertRows)})
    if (Attribute value = from->getAttr(name))
      to->setAttr(name, value);
}

static bool isArrayOfStrings(Attribute value) {
  auto array = dyn_cast<ArrayAttr>(value);
  return array && llvm::all_of(array, llvm::IsaPred<StringAttr>);
}

/// Two numbers, the second at least the first.
static bool isRange(Attribute value) {
  auto range = dyn_cast<DenseI64ArrayAttr>(value);
  return range && range.size() == 2 && range[0] <= range[1];
}

static bool isAtLeast(Attribute value, int64_t least) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getInt() >= least;
}

static bool isDictionaryOfStrings(Attribute value) {
  auto dictionary = dyn_cast<DictionaryAttr>(value);
  return dictionary && llvm::all_of(dictionary, [](NamedAttribute entry) {
           return isa<StringAttr>(entry.getValue());
         });
}

static bool isArrayOfDictionaries(Attribute value) {
  auto array = dyn_cast<ArrayAttr>(value);
  return array && llvm::all_of(array, llvm::IsaPred<DictionaryAttr>);
}

/// Whether `value` is what attribute `name` of an argument holds.
static bool isArgumentAttribute(StringRef name, Attribute value) {
  return llvm::StringSwitch<bool>(name)
      .Case(kRole, isa<RoleAttr>(value))
      .Cases({kPath, kParamOf, kSlot, kShard, kPlacement, kSourceDtype,
              kShiftUnknown},
             isa<StringAttr>(value))
      .Cases({kAliases, kTensors}, isArrayOfStrings(value))
      .Case(kGradient, isa<UnitAttr>(value))
      .Case(kIgnoreIndex, isa<IntegerAttr>(value))
      .Case(kVocabulary, isAtLeast(value, 1))
      .Cases({kShift, kShardDim}, isAtLeast(value, 0))
      .Case(kShardParts, isa<DenseI64ArrayAttr>(value))
      .Case(kRange, isRange(value))
      .Case(kDefault, isa<FloatAttr>(value))
      .Cases({kInitial, kCodes}, isa<ElementsAttr>(value))
      .Default(false);
}

static bool isResultAttribute(StringRef name, Attribute value) {
  return llvm::StringSwitch<bool>(name)
      .Case(kRole, isa<RoleAttr>(value))
      .Cases({kPath, kParamOf, kSlot}, isa<StringAttr>(value))
      .Case(kDonatedTo, isa<IntegerAttr>(value))
      .Case(kGradient, isa<UnitAttr>(value))
      .Case(kTensors, isArrayOfStrings(value))
      .Case(kUses, isArrayOfDictionaries(value))
      .Default(false);
}

/// Ranks along each axis.
static bool isMesh(Attribute value) {
  auto axes = dyn_cast<DictionaryAttr>(value);
  return axes && llvm::all_of(axes, [](NamedAttribute axis) {
           return isAtLeast(axis.getValue(), 1);
         });
}

/// True, or why a batch may not be completed with rows.
static bool isPadding(Attribute value) {
  auto isSound = dyn_cast<BoolAttr>(value);
  return isa<StringAttr>(value) || (isSound && isSound.getValue());
}

static bool isOperationAttribute(Operation *op, StringRef name,
                                 Attribute value) {
  if (isa<ModuleOp>(op))
    return (llvm::is_contained(
                {kFramework, kModel, kVerified, kEqualMicroBatches}, name) &&
            isa<StringAttr>(value)) ||
           (name == kPadding && isPadding(value)) ||
           (name == kMesh && isMesh(value)) ||
           (name == kImages && isDictionaryOfStrings(value));
  return llvm::StringSwitch<bool>(name)
      .Case(kPhase, isa<PhaseAttr>(value))
      .Case(kSeq, isa<IntegerAttr>(value))
      .Case(kGraphOp, isa<StringAttr>(value))
      .Case(kExpertRows, isa<UnitAttr>(value))
      .Case(kSentAs, isa<StringAttr>(value))
      .Default(false);
}

// train_c1
static LogicalResult reportUnknown(Operation *op, NamedAttribute attribute) {
  return op->emitOpError()
         << "prec_train attributes must be known here and of their "
            "kind, but got '"
         << attribute.getName().getValue() << "' = " << attribute.getValue();
}

LogicalResult TrainDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (isOperationAttribute(op, attribute.getName(), attribute.getValue()))
    return success();
  return reportUnknown(op, attribute);
}

/// What has a role is no gradient of another function.
static LogicalResult verifyHasNoRole(Operation *op, NamedAttribute gradient,
                                     Attribute role) {
  // train_c5
  if (gradient.getName() == kGradient && role)
    return op->emitOpError(
               "'prec_train.gradient' must be on what has no role, but "
               "got ")
           << role;
  return success();
}

LogicalResult TrainDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned argument,
                                                     NamedAttribute attribute) {
  if (!isArgumentAttribute(attribute.getName(), attribute.getValue()))
    return reportUnknown(op, attribute);
  auto function = dyn_cast<FunctionOpInterface>(op);
  return verifyHasNoRole(op, attribute,
                         function ? function.getArgAttr(argument, kRole)
                                  : Attribute());
}

/// Checks that no argument's storage is given to two results.
static LogicalResult verifyDonatedOnce(FunctionOpInterface function) {
  llvm::SmallDenseMap<int64_t, unsigned> donated;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto to = function.getResultAttrOfType<IntegerAttr>(i, kDonatedTo);
    if (!to)
      continue;
    auto [entry, isNew] = donated.try_emplace(to.getInt(), i);
    // train_c4
    if (!isNew)
      return function->emitOpError("an argument must be donated to by one "
                                   "result, but got results ")
             << entry->second << " and " << i << " for argument "
             << to.getInt();
  }
  return success();
}

/// Whether `result` is the first that is donated to an argument.
static bool isFirstDonated(FunctionOpInterface function, unsigned result) {
  for (unsigned i = 0; i < result; ++i)
    if (function.getResultAttr(i, kDonatedTo))
      return false;
  return true;
}

LogicalResult TrainDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  if (!isResultAttribute(attribute.getName(), attribute.getValue()))
    return reportUnknown(op, attribute);
  auto function = cast<FunctionOpInterface>(op);
  if (attribute.getName() != kDonatedTo)
    return verifyHasNoRole(op, attribute,
                           function.getResultAttr(result, kRole));
  int64_t argument = cast<IntegerAttr>(attribute.getValue()).getInt();
  // train_c2
  if (argument < 0 || argument >= int64_t(function.getNumArguments()))
    return op->emitOpError()
           << "result " << result
           << " must be donated to an argument, but got index " << argument;
  // train_c3
  if (function.getArgumentTypes()[argument] !=
      function.getResultTypes()[result])
    return op->emitOpError()
           << "result " << result << " must have the type of argument "
           << argument << " it is donated to, but got "
           << function.getResultTypes()[result] << " and "
           << function.getArgumentTypes()[argument];
  return isFirstDonated(function, result) ? verifyDonatedOnce(function)
                                          : success();
}
