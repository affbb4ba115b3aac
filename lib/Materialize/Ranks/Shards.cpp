//===- Shards.cpp - a function of which each rank holds shards ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a function once, from its arguments on. A value of which a rank has a
// shard is written as a conversion of the shard to the whole; an operation that
// can compute its shard of the result from shards of its operands is replaced
// by one that does, behind which stands such a conversion again. In the end a
// conversion that something still reads becomes an all-gather.
//
// Example, on two ranks, of a weight of 8 rows whose shard is %p:
//
//   %w = convert %p : 4x6xf32 to 8x6xf32
//   %q = prec.quantize %w, %s : 8x6xf8     // elementwise
// becomes
//   %l = prec.quantize %p, %s : 4x6xf8
//   %g = exchange all_gather %l : 2x4x6xf8, which is 8x6xf8
//
//===----------------------------------------------------------------------===//
#include "Materialize/Ranks/Shards.h"

#include "Materialize/Frontier.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/BatchAttributes.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

/// Through casts.
static BlockArgument getArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isCast(op))
      return {};
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

bool prec::hasWholeMoments(func::FuncOp step, RankedTensorType parameter,
                           MeshAxis axis) {
  auto moments =
      step->getParentOfType<ModuleOp>()->getAttrOfType<MomentStorageAttr>(
          kMoments);
  int64_t elements = parameter.getNumElements();
  return !moments || moments.getValue() == MomentStorage::F32 ||
         (isCodedMoment(elements) == isCodedMoment(elements / axis.ranks) &&
          (!isCodedMoment(elements) || getShardDim(parameter) == 0));
}

std::set<StateName> prec::findSharded(func::FuncOp step, MeshAxis axis) {
  std::set<StateName> names;
  RankBuilder b(step.front().getTerminator(), axis);
  for (auto op : step.getOps<train::OptimizerOpInterface>()) {
    BlockArgument parameter = getArgument(op.getParameter());
    // A slice of a layer is held by all ranks that have this slice.
    if (!parameter || !op.isElementwise() ||
        step.getArgAttr(parameter.getArgNumber(), train::kShard) ||
        !b.isDivisible(parameter.getType(), getShardDim(parameter.getType())) ||
        !hasWholeMoments(step, typeOf(parameter), axis))
      continue;
    for (BlockArgument argument : step.getArguments()) {
      unsigned index = argument.getArgNumber();
      auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
      auto of = step.getArgAttrOfType<StringAttr>(index, train::kParamOf);
      bool isState =
          role && of && role.getValue() == train::Role::OptimizerState &&
          of == step.getArgAttr(parameter.getArgNumber(), train::kPath) &&
          typeOf(argument).getShape() == typeOf(parameter).getShape();
      if (isState || argument == parameter)
        names.insert(nameOfArgument(step, index));
    }
  }
  return names;
}

/// Of a conversion: the dimension that is divided.
static constexpr StringLiteral kDim = "dim";

Value prec::asWhole(RankBuilder &builder, Value shard, int64_t dim) {
  Type whole = builder.getWholeType(shard.getType(), dim);
  Value known = builder.create<UnrealizedConversionCastOp>(TypeRange(whole),
                                                           ValueRange(shard));
  known.getDefiningOp()->setAttr(
      kDim, Builder(shard.getContext()).getI64IntegerAttr(dim));
  return known;
}

namespace {
/// What a rank has of a whole value.
struct Known {
  Value shard; ///< null where it has no shard
  int64_t dim = 0;

  explicit operator bool() const { return bool(shard); }
};
} // namespace

static Known getKnown(Value whole) {
  auto conversion = whole.getDefiningOp<UnrealizedConversionCastOp>();
  if (!conversion)
    return {};
  return {conversion.getOperand(0),
          conversion->getAttrOfType<IntegerAttr>(kDim).getInt()};
}

static bool isKnown(Value whole) { return bool(getKnown(whole)); }

namespace {

class Partitioner {
public:
  Partitioner(func::FuncOp function, MeshAxis axis, const OwnSums &ownSums)
      : function(function), axis(axis), ownSums(ownSums) {}

  void run(const std::set<StateName> &sharded);

private:
  RankBuilder before(Operation *op) { return RankBuilder(op, axis); }
  void visit(Operation *op);
  void splitJoin(Operation *op);
  void computeShard(Operation *op);
  Value getLocal(RankBuilder &b, Value operand, ArrayRef<int64_t> shape,
                 int64_t dim);
  void computeNorm(train::GlobalNormOp op);
  void guard(FiniteGuardOp op);
  Value sumSquares(RankBuilder &b, Value input);
  void findOwn();
  void returnShards(const std::set<StateName> &sharded);
  void gatherRest();

  func::FuncOp function;
  MeshAxis axis;
  const OwnSums &ownSums;
  /// Values of which each rank has its own: what depends on its batch, until
  /// ranks exchange it.
  llvm::DenseSet<Value> own;
  /// Inputs of guards whose squares are finite.
  llvm::DenseSet<Value> squared;
  /// By input, as it is known.
  DenseMap<Value, Value> sums;
};

} // namespace

/// Operands that have an element for each of the result, or scalars.
static bool isElementwise(Operation *op) {
  if (auto optimizer = dyn_cast<train::OptimizerOpInterface>(op))
    return optimizer.isElementwise();
  // Random bits belong to the places of elements; ranks exchange whole bytes.
  if (auto quantize = dyn_cast<QuantizeOp>(op))
    return !quantize.getSeed() &&
           typeOf(quantize.getResult()).getElementTypeBitWidth() >= 8;
  // Where inverse scales lie in rows of their own.
  if (auto update = dyn_cast<UpdateScaleOp>(op))
    return typeOf(update.getScaleInv()).getShape() ==
           typeOf(update.getAmax()).getShape();
  return isa<AmaxOp>(op) || op->hasTrait<OpTrait::Elementwise>();
}

/// Whether a tensor has an element for each of `shape`, or for each row or
/// block of rows of a shape that is divided by rows.
static bool isPart(RankedTensorType type, ArrayRef<int64_t> shape,
                   int64_t dim) {
  return type.getShape() == shape ||
         (dim == 0 && shape[0] % type.getDimSize(0) == 0);
}

/// Whether the blocks of a matrix that have a scale end with its shards.
static bool hasWholeBlocks(Operation *op, int64_t dim, int64_t size) {
  std::optional<Scaling> scaling =
      llvm::TypeSwitch<Operation *, std::optional<Scaling>>(op)
          .Case<AmaxOp, QuantizeOp>([](auto of) { return of.getScaling(); })
          .Default(std::nullopt);
  return !scaling || !isFine(*scaling) ||
         (dim == 0 && (traitsOf(*scaling).rows == 0 ||
                       size % traitsOf(*scaling).rows == 0));
}

/// The operand as a shard along `dim` of elements of `shape` needs it: a scalar
/// as it is, else its shard; null if it has none. One of rows or of blocks of
/// rows has fewer rows.
Value Partitioner::getLocal(RankBuilder &b, Value operand,
                            ArrayRef<int64_t> shape, int64_t dim) {
  RankedTensorType type = typeOf(operand);
  if (type.getRank() == 0)
    return operand;
  if (Known known = getKnown(operand))
    return known.dim == dim ? known.shard : Value();
  if (!isPart(type, shape, dim) || !b.isDivisible(type, dim))
    return {};
  RankedTensorType local = b.getShardType(type, dim);
  Operation *op = operand.getDefiningOp();
  if (auto broadcast = dyn_cast_if_present<train::BroadcastOp>(op))
    if (typeOf(broadcast.getInput()).getRank() == 0)
      return b.create<train::BroadcastOp>(local, broadcast.getInput(),
                                          ArrayRef<int64_t>());
  DenseElementsAttr constant;
  if (matchPattern(operand, m_Constant(&constant)) && constant.isSplat())
    return b.create<arith::ConstantOp>(constant.resizeSplat(local));
  return b.getShard(operand, dim);
}

/// Whether ranks that have micro-batches of their own give it other values.
static bool isOfRank(func::FuncOp function, unsigned index,
                     const OwnSums &ownSums) {
  auto role = function.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
  auto path = function.getArgAttrOfType<StringAttr>(index, train::kPath);
  return ownSums.ofRanks.count(nameOfArgument(function, index)) ||
         (role && role.getValue() == train::Role::Batch) ||
         (path && path.getValue() == train::kMicroBatch);
}

/// Experts of a rank, and what is kept or made of them.
static bool isOfExperts(func::FuncOp function, unsigned index,
                        const std::set<StringRef> &experts,
                        const OwnSums &ownSums) {
  auto of = function.getArgAttrOfType<StringAttr>(index, train::kParamOf);
  StateName name = nameOfArgument(function, index);
  return (of && experts.count(of.getValue())) || experts.count(name.first) ||
         ownSums.ofExperts.count(name);
}

/// What is of a batch differs along all axes, what is of experts along theirs
/// alone. Gathering along an axis makes it the same there. What is traded with
/// each of the others still differs; as a shard it is known by a conversion. A
/// guard's verdict is made one of all ranks (--prec-agree-ranks).
void Partitioner::findOwn() {
  enum : unsigned { AlongBatches = 1, AlongExperts = 2 };
  auto axesOf = [](StringRef names) {
    SmallVector<StringRef> parts;
    names.split(parts, ',');
    unsigned axes = 0;
    for (StringRef part : parts)
      axes |= part == train::kExpertAxis ? AlongExperts : AlongBatches;
    return axes;
  };
  std::set<StringRef> experts;
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (auto shard =
            function.getArgAttrOfType<StringAttr>(index, train::kShard);
        shard && shard.getValue() == train::kExpertAxis)
      experts.insert(nameOfArgument(function, index).first);
  DenseMap<Value, unsigned> differs;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    differs[argument] = isOfRank(function, index, ownSums) ? axesOf(axis.name)
                        : isOfExperts(function, index, experts, ownSums)
                            ? unsigned(AlongExperts)
                            : 0;
  }
  for (Operation &op : function.front()) {
    if (isa<UnrealizedConversionCastOp, FiniteGuardOp>(op))
      continue;
    unsigned axes = 0;
    for (Value operand : op.getOperands())
      axes |= differs.lookup(operand);
    auto exchange = dyn_cast<train::ExchangeOp>(op);
    if (exchange && exchange.getKind() == train::ExchangeKind::AllGather &&
        exchange.getAxis() != train::kLayerAxis)
      axes &= ~axesOf(exchange.getAxis());
    for (Value result : op.getResults())
      differs[result] = axes;
  }
  for (auto [value, axes] : differs)
    if (axes != 0)
      own.insert(value);
}

/// Replaces `op` by the same on shards where it can be.
void Partitioner::computeShard(Operation *op) {
  if (llvm::any_of(op->getOperands(),
                   [&](Value value) { return own.contains(value); }))
    return;
  // The one with the most elements: others are scales.
  Known known;
  ArrayRef<int64_t> shape;
  for (Value operand : op->getOperands())
    if (Known of = getKnown(operand);
        of && (!known || ShapedType::getNumElements(shape) <
                             typeOf(operand).getNumElements())) {
      known = of;
      shape = typeOf(operand).getShape();
    }
  const int64_t dim = known.dim;
  // Its states are as whole as the parameter.
  auto optimizer = dyn_cast<train::OptimizerOpInterface>(op);
  if (!isElementwise(op) ||
      !hasWholeBlocks(op, dim, typeOf(known.shard).getDimSize(dim)) ||
      (optimizer && !isKnown(optimizer.getParameter())))
    return;
  RankBuilder b = before(op);
  SmallVector<Type> types;
  for (Value result : op->getResults()) {
    RankedTensorType type = typeOf(result);
    if (type.getRank() == 0) {
      types.push_back(type);
      continue;
    }
    if (!isPart(type, shape, dim) || !b.isDivisible(type, dim))
      return;
    types.push_back(b.getShardType(type, dim));
  }
  bool isWholeAmax = isa<AmaxOp>(op) && typeOf(op->getResult(0)).getRank() == 0;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value local = getLocal(b, operand, shape, dim);
    if (!local)
      return;
    operands.push_back(local);
  }
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getAttrDictionary().getValue());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *local = builder.create(state);
  for (auto [result, shard] :
       llvm::zip_equal(op->getResults(), local->getResults())) {
    Value whole = shard;
    if (isWholeAmax)
      whole = b.getLargest(shard);
    else if (typeOf(shard).getRank() > 0)
      whole = asWhole(b, shard, dim);
    result.replaceAllUsesWith(whole);
  }
  op->erase();
}

/// What reads a join of rows reads each piece, and the join, or the largest of
/// amaxes, follows: so what is gathered is as narrow as it becomes.
void Partitioner::splitJoin(Operation *op) {
  bool isAmax = isa<AmaxOp>(op);
  if (!isElementwise(op) || op->getNumResults() != 1 ||
      op->getNumOperands() == 0 ||
      (isAmax && typeOf(op->getResult(0)).getRank() != 0))
    return;
  auto join = op->getOperand(0).getDefiningOp<tensor::ConcatOp>();
  if (!join || join.getDim() != 0 || llvm::none_of(join.getInputs(), isKnown) ||
      llvm::any_of(op->getOperands().drop_front(),
                   [](Value operand) { return typeOf(operand).getRank() > 0; }))
    return;
  OpBuilder builder(op);
  SmallVector<Value> pieces;
  for (Value input : join.getInputs()) {
    IRMapping mapping;
    mapping.map(op->getOperand(0), input);
    Operation *piece = builder.clone(*op, mapping);
    if (!isAmax)
      piece->getResult(0).setType(
          typeOf(op->getResult(0)).clone(typeOf(input).getShape()));
    pieces.push_back(piece->getResult(0));
  }
  Operation *joined = nullptr;
  if (isAmax) {
    RankBuilder b = before(op);
    Value largest = pieces.front();
    for (Value piece : ArrayRef(pieces).drop_front())
      largest = b.create<arith::MaximumFOp>(largest, piece);
    joined = largest.getDefiningOp();
  } else {
    joined = tensor::ConcatOp::create(builder, join.getLoc(),
                                      op->getResult(0).getType(), 0, pieces);
  }
  joined->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  SmallVector<Operation *> made = llvm::map_to_vector(
      pieces, [](Value piece) { return piece.getDefiningOp(); });
  op->replaceAllUsesWith(joined);
  op->erase();
  if (join->use_empty())
    join->erase();
  for (Operation *piece : made)
    visit(piece);
}

Value Partitioner::sumSquares(RankBuilder &b, Value input) {
  Value &sum = sums[input];
  if (sum)
    return sum;
  Known known = getKnown(input);
  int64_t dim = known ? known.dim : getShardDim(input.getType());
  Value x = b.widen(known ? known.shard : input);
  // Of what has one place along the dimension that is divided: on any number of
  // ranks the same.
  Value rows = b.reduceTo(train::ReduceKind::Sum,
                          b.moveDim(b.create<arith::MulFOp>(x, x), dim, 0), 1);
  sum = b.sum(known ? b.getWhole(rows, 0) : rows);
  return sum;
}

void Partitioner::computeNorm(train::GlobalNormOp op) {
  RankBuilder b = before(op);
  Value total;
  for (Value input : op.getInputs()) {
    Value sum = sumSquares(b, input);
    total = total ? b.create<arith::AddFOp>(total, sum) : sum;
  }
  op.getResult().replaceAllUsesWith(b.create<math::SqrtOp>(total));
  op.erase();
}

/// A guard of scalars that are finite where the inputs are.
void Partitioner::guard(FiniteGuardOp op) {
  RankBuilder b = before(op);
  for (OpOperand &input : op->getOpOperands()) {
    Value value = input.get();
    if (squared.contains(value)) {
      input.set(sumSquares(b, value));
      continue;
    }
    Known known = getKnown(value);
    if (!known)
      continue;
    input.set(b.getLargest(b.create<AmaxOp>(
        RankedTensorType::get({}, Float32Type::get(value.getContext())),
        known.shard, /*nan_is_infinite=*/true, Scaling::TensorCurrent)));
  }
}

void Partitioner::visit(Operation *op) {
  // Norms are summed like that also of values that are whole.
  if (auto norm = dyn_cast<train::GlobalNormOp>(op))
    return computeNorm(norm);
  if (auto finite = dyn_cast<FiniteGuardOp>(op))
    return guard(finite);
  if (isa<UnrealizedConversionCastOp, func::ReturnOp>(op))
    return;
  if (llvm::any_of(op->getOperands(), isKnown))
    return computeShard(op);
  splitJoin(op);
}

void Partitioner::returnShards(const std::set<StateName> &sharded) {
  Operation *terminator = function.front().getTerminator();
  RankBuilder b = before(terminator);
  for (OpOperand &returned : terminator->getOpOperands()) {
    unsigned index = returned.getOperandNumber();
    if (!sharded.count(nameOfReturned(function, index)))
      continue;
    Value value = returned.get();
    returned.set(getLocal(b, value, typeOf(value).getShape(),
                          getShardDim(value.getType())));
  }
}

void Partitioner::gatherRest() {
  for (auto conversion : llvm::make_early_inc_range(
           function.getOps<UnrealizedConversionCastOp>())) {
    if (!conversion->use_empty()) {
      RankBuilder b = before(conversion);
      Known known = getKnown(conversion.getResult(0));
      conversion->replaceAllUsesWith(
          ValueRange(b.getWhole(known.shard, known.dim)));
    }
    conversion.erase();
  }
}

void Partitioner::run(const std::set<StateName> &sharded) {
  function.walk([&](FiniteGuardOp op) {
    for (Value input : op.getInputs())
      if (train::isSquared(input))
        squared.insert(input);
  });
  findOwn();
  Operation *first = &function.front().front();
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (!sharded.count(nameOfArgument(function, index)))
      continue;
    RankBuilder b = before(first);
    Type whole = argument.getType();
    int64_t dim = getShardDim(whole);
    argument.setType(b.getShardType(whole, dim));
    Builder attributes(function.getContext());
    function.setArgAttr(index, train::kShard,
                        attributes.getStringAttr(axis.name));
    function.setArgAttr(index, train::kShardDim,
                        attributes.getI64IntegerAttr(dim));
    Value known = asWhole(b, argument, dim);
    argument.replaceAllUsesExcept(known, known.getDefiningOp());
  }
  for (Operation &op : llvm::make_early_inc_range(function.front()))
    visit(&op);
  returnShards(sharded);
  gatherRest();
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.front().getArgumentTypes(),
      function.front().getTerminator()->getOperandTypes()));
}

void prec::partition(func::FuncOp function, const std::set<StateName> &sharded,
                     MeshAxis axis, const OwnSums &ownSums) {
  Partitioner(function, axis, ownSums).run(sharded);
}
