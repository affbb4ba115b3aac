//===- RecomputeElementwise.cpp - what the backward need not keep ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of the forward that the backward reads stays in memory from one to
// the other. Frameworks decide what that is, and each in its own way: of
// x * sigmoid(x) PyTorch keeps x, and JAX keeps factors of the gradient that it
// computes beside the forward. Here a value that is elementwise in others which
// are kept anyway is computed where the backward reads it, so that all
// frameworks keep the same.
//
// The forward is what is computed up to the loss, and a later operation one
// behind it that an updated value follows from. A value is kept if a
// later operation reads it and one of these holds: something else than an
// elementwise operation made it or reads it later, it is small, or it cannot be
// computed again from values that are kept by at most kMostOperations. Values
// are visited in the order of the graph, so that those in front are decided.
// Last, where several kept values could be computed again from one that no
// later operation reads, and take more bytes than that, it is kept instead of
// them.
//
// A value that is kept for an operation that needs it in memory may also be
// read by elementwise operations. Where these read the one value that it is
// computed from anyway, they compute it again instead of reading both.
//
// Example: y = relu(a x + b) of a norm is kept for the product that reads it.
// The gradient of the relu asks where y > 0, and that of the norm reads x: the
// kernels that compute them read x alone.
//
// Example: a later operation reads x, s = 1 / (1 + exp(-x)) and m = x > 0. Then
// x is kept, and s and m are copied in front of it with all that they follow
// from. If none reads x, which takes two bytes an element (work is done in 16
// bits), and s does two and m one, x is kept for both as well.
//
// Time is linear in the graph times kMostOperations.
//
//===----------------------------------------------------------------------===//
#include "Import/Raise.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace prec;

/// What computes a value again, layout operations not counted.
static constexpr unsigned kMostOperations = 16;
/// Fewer elements are not worth computing them twice.
static constexpr int64_t kFewElements = 1 << 14;
/// Large values that one is computed again from: the backward reads these
/// instead of it.
static constexpr unsigned kMostLeaves = 2;
/// Operations that are followed from a value to see whether what reads it also
/// reads another one.
static constexpr size_t kMostFollowed = 32;

/// Also what is no tensor of numbers of a known size, which stays as it is.
static bool isSmall(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return !type || !type.hasStaticShape() ||
         !type.getElementType().isIntOrFloat() ||
         type.getNumElements() < kFewElements;
}

/// Bytes of what is kept, floats in 16 bits.
static int64_t countBytes(Value value) {
  Type element = typeOf(value).getElementType();
  int64_t bits = isa<FloatType>(element) ? 16 : element.getIntOrFloatBitWidth();
  return typeOf(value).getNumElements() * ((bits + 7) / 8);
}

static bool isArithmetic(Operation *op) {
  return op->getNumResults() == 1 && isPure(op) &&
         OpTrait::hasElementwiseMappableTraits(op);
}

/// Whether an element of the result follows from one element of each operand.
static bool isElementwise(Operation *op) {
  return isReshape(op) || isa<train::BroadcastOp>(op) || isArithmetic(op);
}

namespace {

/// How a value is computed again.
struct Cone {
  unsigned operations = 0;
  llvm::SmallDenseSet<Operation *> seen;
  /// Large values that it starts from, kept or not.
  llvm::SmallSetVector<Value, 4> kept, missing;

  bool isShort() const {
    return operations <= kMostOperations &&
           kept.size() + missing.size() <= kMostLeaves;
  }
};

class Keeping {
public:
  explicit Keeping(func::FuncOp function)
      : function(function), block(function.front()),
        builder(function.getContext()) {}

  void run();

private:
  bool findPhases();
  bool isLater(Operation *op) const { return later.contains(op); }
  bool isReadLater(Value value) const {
    return llvm::any_of(value.getUsers(),
                        [&](Operation *user) { return isLater(user); });
  }
  bool isReadWhole(Value value) const;
  bool isAnchor(Value value) const;
  bool isStoredAnyway(Value value) const;
  void grow(Operation *op, Cone &cone) const;
  Cone coneOf(Value value) const;
  void decide();
  bool keepSources();
  llvm::SmallSetVector<Operation *, 8> follow(Value value) const;
  bool meets(Operation *reader, Value leaf) const;
  void findReadBeside();
  Value again(Value value, Operation *reader);
  Value copy(Operation *op, Operation *reader);

  func::FuncOp function;
  Block &block;
  OpBuilder builder;
  llvm::DenseSet<Operation *> forward, later;
  /// Values of the forward that are read later, in their order.
  SmallVector<Value> read;
  llvm::DenseSet<Value> kept, dropped;
  /// What is kept although nothing reads it later so far.
  llvm::DenseSet<Value> sources;
  /// Of values that are kept what reads them beside the one value that they are
  /// computed from.
  llvm::DenseSet<OpOperand *> readBeside;
  IRMapping copies;
};

} // namespace

/// False if the function has no loss.
bool Keeping::findPhases() {
  llvm::DenseSet<Operation *> updating;
  Operation *loss = nullptr, *end = block.getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    auto role = function.getResultAttrOfType<train::RoleAttr>(i, train::kRole);
    Operation *op = value.getDefiningOp();
    if (role && role.getValue() == train::Role::Loss)
      loss = op;
    else if (role && role.getValue() == train::Role::Updated && op)
      updating.insert(op);
  }
  if (!loss)
    return false;
  bool isBehind = true;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    isBehind &= &op != loss;
    if (!isBehind && train::getPhase(&op) == train::Phase::Forward)
      forward.insert(&op);
    if (!updating.contains(&op))
      continue;
    if (!forward.contains(&op))
      later.insert(&op);
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        updating.insert(producer);
  }
  return true;
}

/// Whether a later operation needs `value` in memory, or would compute it again
/// for each time that it repeats it.
bool Keeping::isReadWhole(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (!isLater(user))
      return false;
    return isReshape(user) ? isReadWhole(user->getResult(0))
                           : !isArithmetic(user);
  });
}

/// Whether `value` is there for the backward whatever is decided.
bool Keeping::isAnchor(Value value) const {
  Operation *op = value.getDefiningOp();
  return !op || !isElementwise(op) || isSmall(value) || isReadWhole(value);
}

/// Whether the forward stores `value` for a reader that is no chain of
/// elementwise operations.
bool Keeping::isStoredAnyway(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isReshape(user))
      return isStoredAnyway(user->getResult(0));
    return !isLater(user) && !isElementwise(user);
  });
}

void Keeping::grow(Operation *op, Cone &cone) const {
  if (!cone.isShort() || !cone.seen.insert(op).second)
    return;
  cone.operations += isArithmetic(op);
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (!producer || isSmall(operand) || producer->getNumOperands() == 0)
      continue;
    if (kept.contains(operand) || sources.contains(operand))
      cone.kept.insert(operand);
    else if (isElementwise(producer))
      grow(producer, cone);
    else
      cone.missing.insert(operand);
  }
}

Cone Keeping::coneOf(Value value) const {
  Cone cone;
  grow(value.getDefiningOp(), cone);
  return cone;
}

void Keeping::decide() {
  kept.clear();
  dropped.clear();
  for (Value value : read) {
    bool isKept = isAnchor(value);
    if (!isKept) {
      Cone cone = coneOf(value);
      // Who stores it anyway saves only one read.
      isKept = !cone.isShort() || !cone.missing.empty() ||
               (isStoredAnyway(value) && cone.kept.size() > 1);
    }
    (isKept ? kept : dropped).insert(value);
  }
}

/// Keeps values that stand for several others. Whether it found one.
bool Keeping::keepSources() {
  llvm::SmallMapVector<Value, int64_t, 8> saved;
  for (Value value : read) {
    if (dropped.contains(value) || isAnchor(value) || isStoredAnyway(value))
      continue;
    Cone cone = coneOf(value);
    if (cone.isShort() && cone.missing.size() == 1)
      saved[cone.missing.front()] += countBytes(value);
  }
  for (auto [source, bytes] : saved)
    if (bytes > countBytes(source))
      sources.insert(source);
  return !sources.empty();
}

/// What `reader` reads instead of `value`.
Value Keeping::again(Value value, Operation *reader) {
  Operation *op = value.getDefiningOp();
  if (!op || isSmall(value) || op->getNumOperands() == 0 ||
      kept.contains(value) || sources.contains(value) || !forward.contains(op))
    return value;
  return copy(op, reader);
}

/// `op` again, in front of `reader`, of what is kept.
Value Keeping::copy(Operation *op, Operation *reader) {
  if (Value known = copies.lookupOrNull(op->getResult(0)))
    return known;
  for (Value operand : op->getOperands())
    if (Value source = again(operand, reader); source != operand)
      copies.map(operand, source);
  // Later operations are visited in order: all readers are behind it.
  builder.setInsertionPoint(reader);
  Operation *made = builder.clone(*op, copies);
  if (Attribute phase = reader->getAttr(train::kPhase))
    made->setAttr(train::kPhase, phase);
  return made->getResult(0);
}

/// Later operations that compute something of `value` element by element, or
/// sum that, the nearest ones.
llvm::SmallSetVector<Operation *, 8> Keeping::follow(Value value) const {
  llvm::SmallSetVector<Operation *, 8> found;
  auto add = [&](Value of) {
    for (Operation *user : of.getUsers())
      if (isLater(user) && found.size() < kMostFollowed &&
          (isElementwise(user) || isa<train::ReduceOp>(user)))
        found.insert(user);
  };
  add(value);
  for (size_t i = 0; i < found.size(); ++i)
    if (isElementwise(found[i]))
      add(found[i]->getResult(0));
  return found;
}

/// Whether what follows from `reader` and from `leaf` meets: one kernel reads
/// both.
bool Keeping::meets(Operation *reader, Value leaf) const {
  llvm::SmallSetVector<Operation *, 8> ofLeaf = follow(leaf);
  if (ofLeaf.contains(reader))
    return true;
  return llvm::any_of(follow(reader->getResult(0)),
                      [&](Operation *op) { return ofLeaf.contains(op); });
}

/// Finds what reads a value that is kept for others, though it reads what that
/// is computed from, too.
void Keeping::findReadBeside() {
  for (Value value : read) {
    Operation *op = value.getDefiningOp();
    if (!kept.contains(value) || !op || !isElementwise(op) || isSmall(value))
      continue;
    Cone cone = coneOf(value);
    if (!cone.isShort() || !cone.missing.empty() || cone.kept.size() != 1)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *reader = use.getOwner();
      if (isLater(reader) && isArithmetic(reader) &&
          meets(reader, cone.kept.front()))
        readBeside.insert(&use);
    }
  }
}

void Keeping::run() {
  if (!findPhases())
    return;
  for (Operation &op : block.without_terminator())
    if (forward.contains(&op))
      for (Value result : op.getResults())
        if (isReadLater(result))
          read.push_back(result);
  decide();
  if (keepSources())
    decide();
  findReadBeside();
  if (dropped.empty() && readBeside.empty())
    return;
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (isLater(&op))
      for (OpOperand &operand : op.getOpOperands()) {
        if (dropped.contains(operand.get()))
          operand.set(again(operand.get(), &op));
        else if (readBeside.contains(&operand))
          operand.set(copy(operand.get().getDefiningOp(), &op));
      }
}

void prec::recomputeElementwise(func::FuncOp function) {
  // Of several blocks the first one returns nothing.
  if (!function.getBody().hasOneBlock())
    return;
  Keeping(function).run();
}
