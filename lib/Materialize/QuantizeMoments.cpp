//===- QuantizeMoments.cpp - moments in 8 bits between steps --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Train/BatchAttributes.h"
#include "prec/Materialize/Passes.h"
#include "prec/Numerics/DynamicMap.h"
#include "prec/Support/MustSucceed.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace prec {
#define GEN_PASS_DEF_QUANTIZEMOMENTS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct QuantizeMoments
    : public prec::impl::QuantizeMomentsBase<QuantizeMoments> {
  using QuantizeMomentsBase::QuantizeMomentsBase;

  void runOnOperation() override;

private:
  bool isCoded(train::OptimizerOpInterface optimizer, Value state);
  void reportUneven(train::OptimizerOpInterface optimizer);

  bool hasReported = false;
};

/// Codes the states of one function.
class Coder {
public:
  explicit Coder(func::FuncOp function)
      : function(function), updates(findUpdates(function)) {}

  LogicalResult code(train::OptimizerOpInterface optimizer, unsigned state);
  void finish();

private:
  FailureOr<OpOperand *> findReturned(train::OptimizerOpInterface optimizer,
                                      unsigned state);
  BlockArgument addAbsmax(BlockArgument codes, RankedTensorType type);
  void rename(BlockArgument codes, unsigned result);
  Value keep(OpBuilder &builder, Value guard, Value taken, Value old);

  func::FuncOp function;
  DenseMap<int64_t, unsigned> updates;
};

} // namespace

/// Whether `optimizer` reads `state`, or what computes a direction for it.
static bool isOfUpdate(Operation *reader,
                       train::OptimizerOpInterface optimizer) {
  return reader == optimizer ||
         (train::getPhase(reader) == train::Phase::Optimizer &&
          !isa<train::OptimizerOpInterface>(reader));
}

/// Where the new state is returned for the old one, which nothing else reads.
FailureOr<OpOperand *>
Coder::findReturned(train::OptimizerOpInterface optimizer, unsigned state) {
  auto argument = dyn_cast<BlockArgument>(optimizer.getStates()[state]);
  // quantize_moments_c1
  if (!argument || !llvm::all_of(argument.getUsers(), [&](Operation *reader) {
        return isOfUpdate(reader, optimizer);
      }))
    return optimizer.emitOpError("a moment in 8 bits must be an argument that "
                                 "its optimizer alone reads, but state ")
           << state << " is not";
  auto update = updates.find(argument.getArgNumber());
  Operation *terminator = function.front().getTerminator();
  // quantize_moments_c2
  if (update == updates.end() ||
      terminator->getOperand(update->second) != optimizer.getNewStates()[state])
    return optimizer.emitOpError("a moment in 8 bits must be replaced by its "
                                 "optimizer's result, but state ")
           << state << " is not";
  return &terminator->getOpOperand(update->second);
}

static StringAttr append(Attribute name, const Twine &suffix) {
  return StringAttr::get(name.getContext(),
                         cast<StringAttr>(name).getValue() + suffix);
}

/// The largest magnitudes of the blocks of `codes`, under its name.
BlockArgument Coder::addAbsmax(BlockArgument codes, RankedTensorType type) {
  NamedAttrList names(function.getArgAttrDict(codes.getArgNumber()));
  for (StringRef name : {StringRef(train::kPath), StringRef(train::kSlot)})
    if (Attribute text = names.get(name))
      names.set(name, append(text, PREC_ABSMAX_SUFFIX));
  mustSucceed(function.insertArgument(
                  function.getNumArguments(), type,
                  names.getDictionary(function.getContext()), codes.getLoc()),
              "a function of its own takes every argument");
  return function.getArguments().back();
}

void Coder::rename(BlockArgument codes, unsigned result) {
  for (StringRef name : {StringRef(train::kPath), StringRef(train::kSlot)}) {
    if (Attribute text = function.getArgAttr(codes.getArgNumber(), name))
      function.setArgAttr(codes.getArgNumber(), name,
                          append(text, PREC_CODES_SUFFIX));
    if (Attribute text = function.getResultAttr(result, name))
      function.setResultAttr(result, name, append(text, PREC_CODES_SUFFIX));
  }
}

/// `taken`, or `old` in a step that the guard skips.
Value Coder::keep(OpBuilder &builder, Value guard, Value taken, Value old) {
  if (!guard)
    return taken;
  auto type = cast<RankedTensorType>(taken.getType());
  Value condition = inOptimizer(train::BroadcastOp::create(
      builder, taken.getLoc(), type.clone(builder.getI1Type()), guard,
      ArrayRef<int64_t>()));
  return inOptimizer(
      arith::SelectOp::create(builder, taken.getLoc(), condition, taken, old));
}

LogicalResult Coder::code(train::OptimizerOpInterface optimizer,
                          unsigned state) {
  // quantize_moments_c3
  if (!optimizer.isMoment(state))
    return optimizer.emitOpError(
               "a state in 8 bits must be a running mean, but "
               "state ")
           << state << " is none: moments=f32 keeps it";
  FailureOr<OpOperand *> returned = findReturned(optimizer, state);
  if (failed(returned))
    return failure();
  auto codes = cast<BlockArgument>(optimizer.getStates()[state]);
  auto type = cast<RankedTensorType>(codes.getType());
  Operation *first = optimizer;
  for (Operation *reader : codes.getUsers())
    if (reader->isBeforeInBlock(first))
      first = reader;
  OpBuilder builder(first);
  Location loc = optimizer.getLoc();
  auto codeType = type.clone(builder.getI8Type());
  auto absmaxType = type.clone({type.getNumElements() / kMomentBlock});
  auto isSigned =
      optimizer.isStateSigned(state) ? builder.getUnitAttr() : UnitAttr();
  BlockArgument absmax = addAbsmax(codes, absmaxType);
  rename(codes, (*returned)->getOperandNumber());
  // So that who loads moments can code them.
  std::array<float, 256> values = getDynamicMap(optimizer.isStateSigned(state));
  function.setArgAttr(
      codes.getArgNumber(), train::kCodes,
      DenseElementsAttr::get(type.clone({int64_t(values.size())}),
                             ArrayRef(values)));
  codes.setType(codeType);
  Value old = inOptimizer(
      DynamicDequantizeOp::create(builder, loc, type, codes, absmax, isSigned));
  codes.replaceAllUsesExcept(old, old.getDefiningOp());

  builder.setInsertionPointAfter(optimizer);
  auto coded =
      DynamicQuantizeOp::create(builder, loc, codeType, absmaxType,
                                optimizer.getNewStates()[state], isSigned);
  inOptimizer(coded);
  Value guard = optimizer.getGuard();
  (*returned)->set(keep(builder, guard, coded.getCodes(), codes));
  return returnState(function, absmax,
                     keep(builder, guard, coded.getAbsmax(), absmax));
}

void Coder::finish() {
  Block &body = function.front();
  function.setFunctionType(
      FunctionType::get(function.getContext(), body.getArgumentTypes(),
                        body.getTerminator()->getOperandTypes()));
}

void QuantizeMoments::reportUneven(train::OptimizerOpInterface optimizer) {
  if (hasReported)
    return;
  std::string text;
  llvm::raw_string_ostream(text)
      << "moments are coded in blocks of " << kMomentBlock
      << " elements: those of '" << optimizer.getParameter().getType()
      << "', and of other parameters that have no whole number of blocks, "
         "stay f32";
  emitPassRemark(optimizer.getLoc(), {"prec-quantize-moments", "Uneven"}, text);
  hasReported = true;
}

bool QuantizeMoments::isCoded(train::OptimizerOpInterface optimizer,
                              Value state) {
  auto parameter = cast<RankedTensorType>(optimizer.getParameter().getType());
  if (cast<RankedTensorType>(state.getType()).getShape() !=
      parameter.getShape())
    return false;
  if (isCodedMoment(parameter.getNumElements()))
    return true;
  if (parameter.getNumElements() >= kMinCodedMoments)
    reportUneven(optimizer);
  return false;
}

void QuantizeMoments::runOnOperation() {
  auto moments = getOperation()->getAttrOfType<MomentStorageAttr>(kMoments);
  getOperation()->removeAttr(kMoments);
  if (!moments || moments.getValue() != MomentStorage::Dynamic8)
    return;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    Coder coder(function);
    for (auto optimizer :
         llvm::to_vector(function.getOps<train::OptimizerOpInterface>()))
      for (unsigned state = 0; state < optimizer.getStates().size(); ++state)
        if (isCoded(optimizer, optimizer.getStates()[state]) &&
            failed(coder.code(optimizer, state)))
          return signalPassFailure();
    coder.finish();
  }
}
