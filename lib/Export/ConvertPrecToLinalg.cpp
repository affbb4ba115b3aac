//===- ConvertPrecToLinalg.cpp - a graph without operations of prec -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each operation of prec that is left when composites are decomposed becomes a
// few of upstream dialects. First all operations are looked at, so that a
// module with one that cannot be written stays as it is. A sum of rows takes
// its updates one by one, and so needs no order of ids: what sorts them goes
// last, unless something else reads it, which is refused.
//
//===----------------------------------------------------------------------===//
#include "Export/LinalgBuilder.h"

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Export/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace prec {
#define GEN_PASS_DEF_CONVERTPRECTOLINALG
#include "prec/Export/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

static RankedTensorType typeOf(Value value) {
  return LinalgBuilder::typeOf(value);
}

static bool isOfPrec(Dialect *dialect) {
  return isa_and_present<PrecDialect, train::TrainDialect, sched::SchedDialect>(
      dialect);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isOne(Value scale) {
  DenseElementsAttr number;
  return matchPattern(scale, m_Constant(&number)) && number.isSplat() &&
         number.getSplatValue<APFloat>().isExactlyValue(1);
}

// A clamp hands NaN on, and clamps what is infinite.
static Value convert(QuantizeOp op, LinalgBuilder &b) {
  Type narrow = typeOf(op.getResult()).getElementType();
  auto semantics = &cast<FloatType>(narrow).getFloatSemantics();
  double largest = APFloat::getLargest(*semantics).convertToDouble();
  Value scaled = b.toF32(op.getInput());
  RankedTensorType type = typeOf(scaled);
  if (!isOne(op.getScale()))
    scaled = b.create<arith::MulFOp>(
        scaled, b.broadcast(op.getScale(), {}, type.getShape()));
  Value clamped = b.create<arith::MaximumFOp>(scaled, b.splat(-largest, type));
  clamped = b.create<arith::MinimumFOp>(clamped, b.splat(largest, type));
  if (isa<Float4E2M1FNType>(narrow)) {
    Value isNan =
        b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, scaled, scaled);
    clamped = b.create<arith::SelectOp>(isNan, b.splat(largest, type), clamped);
  }
  return b.toElement(clamped, narrow);
}

static Value convert(DequantizeOp op, LinalgBuilder &b) {
  RankedTensorType type = typeOf(op.getResult());
  Value scaleInvs = b.broadcast(op.getScaleInv(), {}, type.getShape());
  Value product = b.create<arith::MulFOp>(b.toF32(op.getInput()), scaleInvs);
  return b.toElement(product, type.getElementType());
}

/// Adds a bias, if there is one, to f32 sums, and rounds them.
static Value finishProduct(Value sums, Value bias, RankedTensorType type,
                           LinalgBuilder &b) {
  if (bias)
    sums = b.create<arith::AddFOp>(
        sums,
        b.broadcast(b.toF32(bias), {type.getRank() - 1}, type.getShape()));
  return b.toElement(sums, type.getElementType());
}

static Value convert(ScaledMatmulOp op, LinalgBuilder &b) {
  return finishProduct(buildScaledProduct(op, b), op.getBias(),
                       typeOf(op.getResult()), b);
}

static Value convert(train::MatmulOp op, LinalgBuilder &b) {
  Value sums = b.multiply(op.getLhs(), op.getRhs(), op.getTransposeA(),
                          op.getTransposeB());
  return finishProduct(sums, op.getBias(), typeOf(op.getResult()), b);
}

static Value convert(train::ReduceOp op, LinalgBuilder &b) {
  Type element = typeOf(op.getResult()).getElementType();
  bool isNarrow = isa<FloatType>(element) && !element.isF64();
  Value value = isNarrow ? b.toF32(op.getInput()) : Value(op.getInput());
  Value reduced = b.reduce(op.getKind(), value, op.getDims());
  return isNarrow ? b.toElement(reduced, element) : reduced;
}

static Value convert(train::BroadcastOp op, LinalgBuilder &b) {
  return b.broadcast(op.getInput(), op.getDims(),
                     typeOf(op.getResult()).getShape());
}

static Value convert(train::TransposeOp op, LinalgBuilder &b) {
  return b.transpose(op.getInput(), op.getPermutation());
}

static Value convert(train::IotaOp op, LinalgBuilder &b) {
  RankedTensorType type = typeOf(op.getResult());
  Type element = type.getElementType();
  return b.generic(
      type, ValueRange(), {}, type.getRank(),
      [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
        Value index = linalg::IndexOp::create(inner, loc, op.getDim());
        bool isFloat = isa<FloatType>(element);
        Type whole = isFloat ? inner.getI32Type() : element;
        Value number = arith::IndexCastOp::create(inner, loc, whole, index);
        return isFloat
                   ? Value(arith::SIToFPOp::create(inner, loc, element, number))
                   : number;
      });
}

static Value convert(train::GatherOp op, LinalgBuilder &b) {
  RankedTensorType type = typeOf(op.getResult());
  unsigned leading = typeOf(op.getIds()).getRank(), rank = type.getRank();
  int64_t rows = typeOf(op.getTable()).getDimSize(0);
  return b.generic(
      type, op.getIds(), {llvm::to_vector(llvm::seq<unsigned>(0, leading))},
      rank, [&](OpBuilder &inner, Location loc, ValueRange scalars) -> Value {
        SmallVector<Value> at = {
            buildNearestIndex(scalars[0], rows, inner, loc)};
        for (unsigned dim = leading; dim < rank; ++dim)
          at.push_back(linalg::IndexOp::create(inner, loc, dim));
        return tensor::ExtractOp::create(inner, loc, op.getTable(), at);
      });
}

/// One row of the sums at a time: the slices are [1, ...], at a row.
static Value addRow(OpBuilder &builder, Location loc, Value sums, Value ids,
                    Value updates, Value position) {
  RankedTensorType type = typeOf(sums);
  Value id = tensor::ExtractOp::create(builder, loc, ids, position);
  Value row = buildNearestIndex(id, type.getDimSize(0), builder, loc);
  SmallVector<OpFoldResult> sizes,
      ones(type.getRank(), builder.getIndexAttr(1));
  for (int64_t size : type.getShape())
    sizes.push_back(builder.getIndexAttr(size));
  sizes.front() = builder.getIndexAttr(1);
  auto offsetsAt = [&](Value first) {
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    offsets.front() = first;
    return offsets;
  };
  Value sum = tensor::ExtractSliceOp::create(builder, loc, sums, offsetsAt(row),
                                             sizes, ones);
  Value update = tensor::ExtractSliceOp::create(
      builder, loc, updates, offsetsAt(position), sizes, ones);
  Value added = arith::AddFOp::create(builder, loc, sum, update);
  return tensor::InsertSliceOp::create(builder, loc, added, sums,
                                       offsetsAt(row), sizes, ones);
}

static Value convert(train::ScatterAddOp op, LinalgBuilder &b) {
  RankedTensorType type = typeOf(op.getResult());
  int64_t leading = typeOf(op.getIds()).getRank();
  Value ids = b.joinFirst(op.getIds(), leading);
  Value updates = b.joinFirst(b.toF32(op.getUpdates()), leading);
  OpBuilder &builder = b.getBuilder();
  Value zeros = b.fill(0, type.clone(builder.getF32Type()));
  auto index = [&](int64_t value) {
    return b.create<arith::ConstantIndexOp>(value);
  };
  Value sums = b.create<scf::ForOp>(
      index(0), index(typeOf(ids).getDimSize(0)), index(1), ValueRange{zeros},
      [&](OpBuilder &inner, Location loc, Value position, ValueRange soFar) {
        scf::YieldOp::create(
            inner, loc, addRow(inner, loc, soFar[0], ids, updates, position));
      });
  Value rounded = b.toF32(b.toElement(sums, type.getElementType()));
  Value total = b.create<arith::AddFOp>(b.toF32(op.getInit()), rounded);
  return b.toElement(total, type.getElementType());
}

/// Null for what is no operation of prec; an operation that only sorts ids
/// stays until nothing reads it.
static Value convertOperation(Operation *op) {
  LinalgBuilder b(op);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<QuantizeOp, DequantizeOp, ScaledMatmulOp, train::MatmulOp,
            train::ReduceOp, train::BroadcastOp, train::TransposeOp,
            train::IotaOp, train::GatherOp, train::ScatterAddOp>(
          [&](auto known) { return convert(known, b); })
      .Default(Value());
}

//===----------------------------------------------------------------------===//
// What can be written
//===----------------------------------------------------------------------===//

static LogicalResult checkComposite(Operation *op) {
  // to_linalg_c1
  return op->emitOpError("must be decomposed before it is written as linalg "
                         "(--prec-decompose)");
}

/// Whether formats were decided that no phase has made types of.
static bool isTagged(Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned i) {
      return function.getArgAttr(i, kTag) != Attribute();
    });
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (getResultTag(op, i))
      return true;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (getOperandTag(op, i))
      return true;
  return false;
}

static LogicalResult check(Operation *op) {
  // to_linalg_c6
  if (isTagged(op))
    return op->emitOpError("must be materialized before it is written as "
                           "linalg, but got tags (prec-materialize, or "
                           "prec-materialize-forward, of a function with "
                           "'prec.entry')");
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](QuantizeOp quantize) {
        bool isPrimitive =
            !isFine(quantize.getScaling()) && !quantize.getSeed();
        return isPrimitive ? success() : checkComposite(quantize);
      })
      .Case([](train::ScatterAddOp) { return success(); })
      .Case([](train::SortIdsOp sort) -> LogicalResult {
        for (Operation *reader : sort->getUsers())
          // to_linalg_c2
          if (!isa<train::ScatterAddOp>(reader))
            return sort.emitOpError("must be read by sums of rows alone to be "
                                    "written as linalg, but got '")
                   << reader->getName() << "'";
        return success();
      })
      .Case<DequantizeOp, ScaledMatmulOp, train::MatmulOp, train::ReduceOp,
            train::BroadcastOp, train::TransposeOp, train::IotaOp,
            train::GatherOp>([](auto) { return success(); })
      // to_linalg_c3
      .Case([](DelayedScaleOp scale) {
        return scale.emitOpError("must be carried between steps before it is "
                                 "written as linalg (--prec-carry-amax)");
      })
      // to_linalg_c4
      .Case([](train::CustomOp custom) {
        return custom.emitOpError("calls '")
               << custom.getFunction()
               << "', a function of the user's own, which linalg cannot";
      })
      .Default([](Operation *other) -> LogicalResult {
        // to_linalg_c5
        if (isa_and_present<sched::SchedDialect>(other->getDialect()))
          return other->emitOpError("belongs to a schedule; graphs are written "
                                    "as linalg without one");
        return isOfPrec(other->getDialect()) ? checkComposite(other)
                                             : success();
      });
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Whether upstream dialects alone are needed to read an attribute.
static bool isUpstream(Attribute value) {
  WalkResult result = value.walk([](Attribute part) {
    return isOfPrec(&part.getDialect()) ? WalkResult::interrupt()
                                        : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// What an attribute of prec becomes; nothing if it goes.
static std::optional<NamedAttribute>
getHostAttribute(NamedAttribute attribute) {
  Builder builder(attribute.getName().getContext());
  Attribute value = attribute.getValue();
  if (auto role = dyn_cast<train::RoleAttr>(value))
    value = builder.getStringAttr(train::stringifyRole(role.getValue()));
  if (!isUpstream(value))
    return std::nullopt;
  StringRef name = attribute.getName().getValue();
  return NamedAttribute("prec_host." + name.split('.').second.str(), value);
}

static DictionaryAttr getHostAttributes(MLIRContext *context,
                                        ArrayRef<NamedAttribute> attributes) {
  SmallVector<NamedAttribute> kept;
  for (NamedAttribute attribute : attributes)
    if (!isOfPrec(attribute.getNameDialect()))
      kept.push_back(attribute);
    else if (auto known = getHostAttribute(attribute))
      kept.push_back(*known);
  return DictionaryAttr::get(context, kept);
}

static void renameAttributes(func::FuncOp function) {
  auto rename = [&](DictionaryAttr attributes) {
    return getHostAttributes(function.getContext(),
                             attributes ? attributes.getValue()
                                        : ArrayRef<NamedAttribute>());
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttrs(i, rename(function.getArgAttrDict(i)));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.setResultAttrs(i, rename(function.getResultAttrDict(i)));
}

static void renameAttributes(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op);
  SmallVector<NamedAttribute> own(op->getDiscardableAttrs());
  for (NamedAttribute attribute : own) {
    if (!isOfPrec(attribute.getNameDialect()))
      continue;
    op->removeDiscardableAttr(attribute.getName());
    if (auto known = function ? getHostAttribute(attribute) : std::nullopt)
      op->setDiscardableAttr(known->getName(), known->getValue());
  }
  if (function)
    renameAttributes(function);
}

namespace {

struct ConvertPrecToLinalg
    : public prec::impl::ConvertPrecToLinalgBase<ConvertPrecToLinalg> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    bool isRefused = false;
    getOperation().walk([&](Operation *op) {
      isRefused |= failed(check(op));
      if (isOfPrec(op->getDialect()))
        found.push_back(op);
    });
    if (isRefused)
      return signalPassFailure();
    SmallVector<Operation *> orders;
    for (Operation *op : found) {
      Value value = convertOperation(op);
      if (!value) {
        orders.push_back(op);
        continue;
      }
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
    for (Operation *order : orders)
      order->erase();
    getOperation().walk([](Operation *op) { renameAttributes(op); });
  }
};

} // namespace
