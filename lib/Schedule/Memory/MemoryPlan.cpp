//===- MemoryPlan.cpp - where values of a planned module live -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers where a value lives, for all passes after the memory plan. Three
// rules give the answer. A view (reshape, or a slice that is contiguous and
// aligned) has the bytes of its storage root, plus an offset. A concatenation
// along the first dimension has no bytes either if its operands can lie one
// after the other: they are computed into its place. An argument or a returned
// value has a place that follows from the signatures alone (SegmentLayout):
// each segment is filled in the order of the arguments, the same path and slot
// have one place in all functions, and a result that is donated to an argument
// has the place of that argument. So only workspace placements are stored in
// the IR, as attributes, and the rest is computed again whenever a pass asks.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Graph.h"
#include "prec/Schedule/MemoryPlan.h"

#include "prec/Dialect/Prec/Prec.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace prec;
using sched::PlacementAttr;
using sched::Segment;

int64_t prec::getByteSize(Type tensorType) {
  auto type = cast<RankedTensorType>(tensorType);
  return type.getNumElements() *
         int64_t(llvm::divideCeil(type.getElementTypeBitWidth(), 8u));
}

/// The elements of its source in front of a slice that is one piece of it.
static std::optional<int64_t> getPieceOffset(tensor::ExtractSliceOp op) {
  if (op.getSourceType().getRank() != op.getType().getRank() ||
      !op.getOffsets().empty() || !op.getStrides().empty() ||
      llvm::any_of(op.getStaticStrides(), [](int64_t i) { return i != 1; }))
    return std::nullopt;
  int64_t offset = 0, elementsBelow = 1;
  bool isWhole = true;
  // A cut dimension may have only dimensions of one element in front.
  for (auto [size, full, first] : llvm::reverse(llvm::zip_equal(
           op.getType().getShape(), op.getSourceType().getShape(),
           op.getStaticOffsets()))) {
    if (!isWhole && size != 1)
      return std::nullopt;
    isWhole &= size == full;
    offset += first * elementsBelow;
    elementsBelow *= full;
  }
  return offset;
}

/// Whether a product reads `value`, or a reshape of it, as a scale or as an
/// operand of one element: before products are library calls as well, or
/// fusing would take for a view what is none afterwards.
static bool isReadByProduct(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isReshape(user))
      return isReadByProduct(user->getResult(0));
    return isa<train::MatmulOp, ScaledMatmulOp, ScaledGroupedMatmulOp,
               sched::GemmOp, sched::GroupedGemmOp>(user);
  });
}

std::optional<int64_t> prec::getViewOffset(Operation *op) {
  if (isReshape(op))
    return 0;
  auto slice = dyn_cast_if_present<tensor::ExtractSliceOp>(op);
  std::optional<int64_t> elements =
      slice ? getPieceOffset(slice) : std::nullopt;
  if (!elements)
    return std::nullopt;
  int64_t width =
      llvm::divideCeil(slice.getType().getElementTypeBitWidth(), 8u);
  int64_t offset = *elements * width;
  int64_t alignment = slice.getType().getNumElements() > 1 ? kPlacementAlignment
                      : isReadByProduct(slice)             ? kScaleAlignment
                                                           : width;
  if (offset % alignment != 0)
    return std::nullopt;
  return offset;
}

/// Whether `back` is an argument that lies directly behind `front`.
static bool liesBehind(Value back, Value front) {
  auto first = dyn_cast<BlockArgument>(front);
  auto second = dyn_cast<BlockArgument>(back);
  auto function =
      second
          ? dyn_cast_if_present<func::FuncOp>(second.getOwner()->getParentOp())
          : func::FuncOp();
  auto behind = function ? function.getArgAttrOfType<IntegerAttr>(
                               second.getArgNumber(), kBehind)
                         : IntegerAttr();
  return first && behind && behind.getInt() == first.getArgNumber();
}

bool prec::isJoin(Operation *op) {
  auto concat = dyn_cast_if_present<tensor::ConcatOp>(op);
  if (!concat || concat.getDim() != 0)
    return false;
  OperandRange pieces = concat.getInputs();
  if (!llvm::all_of(pieces.drop_back(), [](Value piece) {
        return getByteSize(piece.getType()) % kPlacementAlignment == 0;
      }))
    return false;
  if (isa<BlockArgument>(pieces.front()))
    return llvm::all_of(llvm::zip(pieces, pieces.drop_front()), [](auto pair) {
      auto [front, back] = pair;
      return liesBehind(back, front);
    });
  return llvm::all_of(pieces, [](Value piece) {
    return piece.hasOneUse() && !isa<BlockArgument>(piece);
  });
}

Value prec::getStorageRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!getViewOffset(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

SmallVector<Value, 1> prec::getPieces(Value root) {
  Operation *op = root.getDefiningOp();
  if (isJoin(op))
    return llvm::to_vector<1>(op->getOperands());
  return {root};
}

SmallVector<PlacementAttr, 1> prec::getPiecePlacements(Value root,
                                                       PlacementAttr place) {
  SmallVector<PlacementAttr, 1> places;
  int64_t offset = place.getOffset();
  for (Value piece : getPieces(root)) {
    places.push_back(
        PlacementAttr::get(place.getContext(), place.getSegment(), offset));
    offset += getByteSize(piece.getType());
  }
  return places;
}

SmallVector<func::FuncOp> prec::getScheduledFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (isCompiledGraph(function))
      functions.push_back(function);
  std::stable_partition(
      functions.begin(), functions.end(),
      [](func::FuncOp function) { return getEntry(function) == Entry::Step; });
  return functions;
}

Segment prec::getSegment(func::FuncOp function, unsigned argument) {
  auto role =
      function.getArgAttrOfType<train::RoleAttr>(argument, train::kRole);
  if (!role)
    return Segment::State;
  switch (role.getValue()) {
#define PREC_ROLE(SYMBOL, Symbol, name, spelling, segment)                     \
  case train::Role::Symbol:                                                    \
    return *sched::symbolizeSegment(#segment);
#include "prec-rt/enums.def"
  case train::Role::Updated:
    return Segment::State;
  }
  llvm_unreachable("no such role");
}

SegmentLayout::SegmentLayout(ModuleOp module) {
  SmallVector<func::FuncOp> functions = getScheduledFunctions(module);
  for (func::FuncOp function : functions)
    addArguments(function);
  for (func::FuncOp function : functions)
    addResults(function);
}

PlacementAttr SegmentLayout::placeArgument(func::FuncOp function,
                                           unsigned index) {
  Segment segment = getSegment(function, index);
  Type type = function.getArgument(index).getType();
  if (segment == Segment::Workspace)
    return PlacementAttr::get(function.getContext(), segment, 0);
  Attribute path = function.getArgAttr(index, train::kPath);
  if (!path)
    return place(function.getContext(), segment, type);
  PlacementAttr &placement =
      named[{path, function.getArgAttr(index, train::kSlot)}];
  if (!placement)
    placement = place(function.getContext(), segment, type);
  return placement;
}

void SegmentLayout::addArguments(func::FuncOp function) {
  constexpr unsigned none = ~0u;
  unsigned count = function.getNumArguments();
  SmallVector<unsigned> behind(count, none);
  SmallVector<bool> follows(count, false);
  for (unsigned index = 0; index < count; ++index)
    if (auto front = function.getArgAttrOfType<IntegerAttr>(index, kBehind);
        front && front.getValue().ult(count)) {
      behind[front.getInt()] = index;
      follows[index] = true;
    }
  Signature &signature = signatures[function];
  signature.arguments.resize(count);
  for (unsigned first = 0; first < count; ++first)
    for (unsigned index = follows[first] ? none : first; index != none;
         index = behind[index])
      signature.arguments[index] = placeArgument(function, index);
  // Where two say that they are behind one, the other has no place yet.
  for (unsigned index = 0; index < count; ++index)
    if (!signature.arguments[index])
      signature.arguments[index] = placeArgument(function, index);
}

void SegmentLayout::addResults(func::FuncOp function) {
  Signature &signature = signatures[function];
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    if (auto donated = function.getResultAttrOfType<IntegerAttr>(
            index, train::kDonatedTo)) {
      signature.results.push_back(signature.arguments[donated.getInt()]);
      continue;
    }
    Attribute path = function.getResultAttr(index, train::kPath);
    Attribute slot = function.getResultAttr(index, train::kSlot);
    auto state = slot ? named.find({path, slot}) : named.end();
    if (state != named.end()) {
      signature.results.push_back(state->second);
      continue;
    }
    PlacementAttr unnamed;
    PlacementAttr &placement = path ? outputs[path] : unnamed;
    if (!placement)
      placement = place(function.getContext(), Segment::Output, type);
    signature.results.push_back(placement);
  }
}

PlacementAttr SegmentLayout::place(MLIRContext *context, Segment segment,
                                   Type type) {
  int64_t &size = sizes[unsigned(segment)];
  auto placement = PlacementAttr::get(context, segment, size);
  size = llvm::alignTo(size + getByteSize(type), kPlacementAlignment);
  return placement;
}

PlacementAttr SegmentLayout::getArgument(func::FuncOp function,
                                         unsigned index) const {
  return signatures.at(function).arguments[index];
}

PlacementAttr SegmentLayout::getResult(func::FuncOp function,
                                       unsigned index) const {
  return signatures.at(function).results[index];
}

int64_t SegmentLayout::getSize(Segment segment) const {
  return sizes[unsigned(segment)];
}

/// Where a value that is not a view lives.
static PlacementAttr getRootPlacement(const SegmentLayout &layout, Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return layout.getArgument(
        cast<func::FuncOp>(argument.getOwner()->getParentOp()),
        argument.getArgNumber());
  auto placements =
      root.getDefiningOp()->getAttrOfType<ArrayAttr>("placements");
  if (!placements)
    return {};
  return cast<PlacementAttr>(
      placements[cast<OpResult>(root).getResultNumber()]);
}

PlacementAttr prec::getPlacement(const SegmentLayout &layout, Value value) {
  int64_t offset = 0;
  while (std::optional<int64_t> inner = getViewOffset(value.getDefiningOp())) {
    offset += *inner;
    value = value.getDefiningOp()->getOperand(0);
  }
  if (isJoin(value.getDefiningOp())) {
    // Only its first piece says where a join begins.
    PlacementAttr first =
        getPlacement(layout, value.getDefiningOp()->getOperand(0));
    return first && offset != 0
               ? PlacementAttr::get(first.getContext(), first.getSegment(),
                                    first.getOffset() + offset)
               : first;
  }
  PlacementAttr root = getRootPlacement(layout, value);
  if (!root || offset == 0)
    return root;
  return PlacementAttr::get(root.getContext(), root.getSegment(),
                            root.getOffset() + offset);
}

int64_t prec::getStagedSize(func::FuncOp function) {
  int64_t size = 0;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (getSegment(function, index) == Segment::Workspace)
      size = std::max(size, getByteSize(type));
  return llvm::alignTo(size, kPlacementAlignment);
}

int64_t prec::getWorkspaceSize(ModuleOp module) {
  int64_t size = 0;
  for (auto function : module.getOps<func::FuncOp>())
    size = std::max(size, getStagedSize(function));
  module.walk([&](Operation *op) {
    auto placements = op->getAttrOfType<ArrayAttr>("placements");
    if (!placements)
      return;
    for (auto [placement, type] : llvm::zip_equal(
             placements.getAsRange<PlacementAttr>(), op->getResultTypes()))
      if (placement.getSegment() == Segment::Workspace)
        size = std::max(size, placement.getOffset() + getByteSize(type));
  });
  return llvm::alignTo(size, kPlacementAlignment);
}
