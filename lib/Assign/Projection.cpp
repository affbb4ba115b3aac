//===- Projection.cpp - from a function to its projected graph ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a function into a plain graph, which is all that classification and
// assignment read. Values are numbered first, arguments and then results in
// program order, so that an operand that is defined later by control flow is
// known. Then each operation becomes a node: its structure, arithmetic, sizes,
// operands and results, as its interfaces describe them. A payload (a region
// that an operation describes as a whole) is no part of the graph. What
// optimizers update are parameters and moments, whatever roles say. The
// projection keeps operations and values by number, so that tags can be written
// back. Time is linear in the function.
//
//===----------------------------------------------------------------------===//
#include "prec/Assign/Projection.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/GradientAttribute.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace prec;

namespace {

class Projector {
public:
  explicit Projector(FunctionOpInterface function) : function(function) {}

  FailureOr<Projection> run();

private:
  LogicalResult addValue(Value value, Origin origin);
  LogicalResult addBlockArguments(Region &region);
  LogicalResult collectValues();
  void addNode(Operation *op);
  void findOptimizerOrigins();
  void addUpdate(train::OptimizerOpInterface optimizer);
  std::optional<double> findNumber(Value scalar);
  void markResults();
  Origin getArgumentOrigin(unsigned index);
  bool isFrozen(BlockArgument argument);
  std::vector<std::string> getAliases(BlockArgument argument);

  FunctionOpInterface function;
  Projection projection;
  DenseMap<Value, ValueId> ids;
};

} // namespace

bool Projector::isFrozen(BlockArgument argument) {
  if (argument.getOwner() != &function.getFunctionBody().front())
    return false;
  auto role = function.getArgAttrOfType<train::RoleAttr>(
      argument.getArgNumber(), train::kRole);
  return role && role.getValue() == train::Role::FrozenParameter;
}

std::vector<std::string> Projector::getAliases(BlockArgument argument) {
  std::vector<std::string> aliases;
  if (argument.getOwner() != &function.getFunctionBody().front())
    return aliases;
  auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                    train::kAliases);
  if (names)
    for (StringAttr name : names.getAsRange<StringAttr>())
      aliases.push_back(name.str());
  return aliases;
}

LogicalResult Projector::addValue(Value value, Origin origin) {
  GraphValue entry;
  entry.origin = origin;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    entry.path = getPath(value);
    entry.aliases = getAliases(argument);
    entry.isFrozen = isFrozen(argument);
  }
  // Nothing is decided of f64.
  if (auto type = dyn_cast<TensorType>(value.getType());
      type && isa<FloatType>(type.getElementType()) &&
      !type.getElementType().isF64()) {
    entry.isFloatTensor = true;
    FailureOr<Format> format = prec::getFormat(type.getElementType());
    // assign_c1
    if (failed(format) || isNarrow(*format))
      return emitError(value.getLoc())
             << "tensors of floats must be f64, f32, bf16 or f16 before "
                "assignment, but got "
             << type;
    entry.declared = *format;
    if (auto result = dyn_cast<OpResult>(value))
      if (auto maker = dyn_cast<PrecisionOpInterface>(result.getOwner()))
        entry.declared =
            maker.getOwnFormat(/*isResult=*/true, result.getResultNumber())
                .value_or(*format);
    if (type.hasRank())
      for (int64_t size : type.getShape())
        entry.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
    else
      entry.shape.push_back(-1);
  }
  ids[value] = projection.graph.addValue(std::move(entry));
  projection.values.push_back(value);
  return success();
}

Origin Projector::getArgumentOrigin(unsigned index) {
  if (function.getArgAttr(index, train::kGradient))
    return Origin::Gradient;
  auto role = function.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
  if (!role)
    return Origin::Input;
  switch (role.getValue()) {
  case train::Role::Parameter:
  case train::Role::FrozenParameter:
    return Origin::Parameter;
  case train::Role::OptimizerState:
    return Origin::Moment;
  case train::Role::Buffer:
    return Origin::Buffer;
  case train::Role::Hyper:
    return Origin::Hyper;
  default:
    return Origin::Input;
  }
}

LogicalResult Projector::addBlockArguments(Region &region) {
  for (Block &block : region)
    for (BlockArgument argument : block.getArguments()) {
      bool isFunctionArgument =
          block.isEntryBlock() && &region == &function.getFunctionBody();
      Origin origin = isFunctionArgument
                          ? getArgumentOrigin(argument.getArgNumber())
                          : Origin::Unknown;
      if (failed(addValue(argument, origin)))
        return failure();
    }
  return success();
}

/// Values first, so that an operand which control flow defines later is known.
LogicalResult Projector::collectValues() {
  if (failed(addBlockArguments(function.getFunctionBody())))
    return failure();
  WalkResult result =
      function.getFunctionBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        for (Value value : op->getResults())
          if (failed(addValue(value, Origin::Computed)))
            return WalkResult::interrupt();
        projection.operations.push_back(op);
        // A payload and another function are no part of this graph.
        if (isa<PrecisionOpInterface, FunctionOpInterface>(op))
          return WalkResult::skip();
        for (Region &region : op->getRegions())
          if (failed(addBlockArguments(region)))
            return WalkResult::interrupt();
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

void Projector::addNode(Operation *op) {
  Description of = describe(op);
  GraphNode node;
  node.path = getPath(op->getLoc());
  node.structure = of.structure;
  node.arithmetic = of.arithmetic;
  node.flops = of.flops;
  node.shape = of.shape;
  node.isContractedLast = of.isContractedLast;
  node.isConvolution = of.isConvolution;
  node.ownReads = of.ownReads;
  node.isGrouped = of.isGrouped;
  node.numInputs = of.numInputs;
  auto add = [&](Value value, OperandRead read) {
    // Values of enclosing operations, which an isolated function cannot have.
    if (!ids.contains(value) && failed(addValue(value, Origin::Unknown)))
      return false;
    node.operands.push_back(ids.lookup(value));
    node.reads.push_back(read);
    return true;
  };
  for (auto [operand, read] : llvm::zip_equal(op->getOperands(), of.reads))
    add(operand, read);
  for (Value value : of.captured)
    node.numCaptured += add(value, OperandRead::Elements);
  for (Value result : op->getResults())
    node.results.push_back(ids.lookup(result));
  projection.graph.addNode(std::move(node));
}

/// The default of a hyper parameter, or a constant.
std::optional<double> Projector::findNumber(Value scalar) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (argument.getOwner() != &function.getFunctionBody().front())
      return std::nullopt;
    auto number = function.getArgAttrOfType<FloatAttr>(argument.getArgNumber(),
                                                       train::kDefault);
    return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
  }
  DenseFPElementsAttr constant;
  if (!matchPattern(scalar, m_Constant(&constant)) || !constant.isSplat())
    return std::nullopt;
  return FloatAttr::get(constant.getElementType(),
                        constant.getSplatValue<APFloat>())
      .getValueAsDouble();
}

/// What the optimizer updates are parameters, whatever roles say.
void Projector::findOptimizerOrigins() {
  auto set = [&](Value value, Origin origin) {
    if (isa<BlockArgument>(value))
      projection.graph.values[ids.lookup(value)].origin = origin;
  };
  for (Operation *op : projection.operations)
    if (auto optimizer = dyn_cast<train::OptimizerOpInterface>(op)) {
      set(optimizer.getParameter(), Origin::Parameter);
      for (Value state : optimizer.getStates())
        set(state, Origin::Moment);
      addUpdate(optimizer);
    }
}

/// Bounds of second moments are those of Adam's.
void Projector::addUpdate(train::OptimizerOpInterface optimizer) {
  GraphUpdate update;
  update.parameter = ids.lookup(optimizer.getParameter());
  update.isNormalized = optimizer.isNormalized();
  update.learningRate = findNumber(optimizer.getLr());
  update.weightDecay = findNumber(optimizer.getWeightDecay());
  if (auto adamw = dyn_cast<train::AdamwOp>(optimizer.getOperation())) {
    update.secondMoment = ids.lookup(adamw.getExpAvgSq());
    update.beta2 = findNumber(adamw.getBeta2());
    update.epsilon = findNumber(adamw.getEps());
  }
  projection.graph.updates.push_back(update);
}

void Projector::markResults() {
  Region &body = function.getFunctionBody();
  for (Block &block : body) {
    if (block.empty() || !block.back().hasTrait<OpTrait::ReturnLike>())
      continue;
    for (auto [index, operand] : llvm::enumerate(block.back().getOperands())) {
      GraphValue &value = projection.graph.values[ids.lookup(operand)];
      value.isReturned = true;
      if (index >= function.getNumResults())
        continue;
      auto role =
          function.getResultAttrOfType<train::RoleAttr>(index, train::kRole);
      value.isLoss |= role && role.getValue() == train::Role::Loss;
      value.isUpdated |= role && role.getValue() == train::Role::Updated;
      value.isInputGradient |=
          bool(function.getResultAttr(index, train::kGradient));
    }
  }
}

FailureOr<Projection> Projector::run() {
  if (failed(collectValues()))
    return failure();
  // The terminator's operands are results of the graph, not read in it.
  llvm::erase_if(projection.operations, [&](Operation *op) {
    return op->hasTrait<OpTrait::ReturnLike>() && op->getParentOp() == function;
  });
  for (Operation *op : projection.operations)
    addNode(op);
  findOptimizerOrigins();
  markResults();
  return std::move(projection);
}

FailureOr<Projection> prec::project(FunctionOpInterface function) {
  return Projector(function).run();
}

std::string prec::getPath(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(location);
      fused && !fused.getLocations().empty())
    return getPath(fused.getLocations().front());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return getPath(call.getCallee());
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
  return "";
}

std::string prec::getPath(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return getPath(value.getLoc());
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (function && argument.getOwner()->isEntryBlock())
    if (auto path = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), train::kPath))
      return path.getValue().str();
  return getPath(value.getLoc());
}
