//===- AttentionGrad.cpp - gradients of attention on Hopper ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of the two kernels of AttentionGrad.h: which shapes they support,
// which part of the problem a block has, and the roles of its warps. A block
// has 128 rows of one head (queries, or keys) and goes over tiles of the other
// side. Blocks of eight heads run together, because they read the same tiles
// from L2 then; with a causal mask the longest blocks start first, so that none
// is left alone in the end. Two warpgroups compute (AttentionGradTiles.cpp) and
// get most registers; one thread of a third one copies
// (AttentionGradCopies.cpp). Barriers in shared memory connect them: `full` and
// `empty` of each stage, and one for the block's own rows.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/Attention/AttentionGrad.h"

#include "Codegen/Gpu/Attention/AttentionGradBuilder.h"
#include "Codegen/Gpu/GpuChips.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace prec;

static constexpr unsigned kGlobal = 1, kShared = 3;

std::optional<AttentionGradShape> AttentionGradShape::of(sched::SdpaGradOp op,
                                                         StringRef chip) {
  auto element = cast<FloatType>(getElementTypeOrSelf(op.getQuery().getType()));
  SmallVector<sched::ViewAttr> views = op.getTensorViews();
  ArrayRef<int64_t> q = views[1].getShape(), k = views[2].getShape();
  AttentionGradShape shape{
      element,        q[0], q[1], k[1],
      q[2],           k[2], q[3], op.getScale().convertToDouble(),
      op.getCausal(), views};
  bool isHalf = element.isBF16() || element.isF16();
  constexpr int64_t piece = 8; // elements of 16 bytes
  bool inPieces = shape.dim % piece == 0;
  for (sched::ViewAttr view : views) {
    inPieces &= view.getStrides()[3] == 1 && view.getOffset() % piece == 0;
    for (int64_t stride : view.getStrides().drop_back())
      inPieces &= stride % piece == 0;
  }
  if (!hasWarpgroups(chip) || !isHalf || shape.dim > 128 || !inPieces ||
      (shape.isCausal && shape.keys > shape.queries))
    return std::nullopt;
  return shape;
}

std::string AttentionGradShape::signature() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << element << ' ' << scale << (isCausal ? " causal" : "");
  for (sched::ViewAttr view : views) {
    os << " [";
    llvm::interleaveComma(view.getShape(), os);
    os << "] [";
    llvm::interleaveComma(view.getStrides(), os);
    os << ']';
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Small things
//===----------------------------------------------------------------------===//

void AttentionGradBuilder::when(Value condition, function_ref<void()> then,
                                function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(builder, loc, condition, bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.thenBlock());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(op.elseBlock());
  otherwise();
}

Value AttentionGradBuilder::sharedPointer(Expr offset) {
  return LLVM::GEPOp::create(builder, loc, shared.getType(),
                             builder.getI8Type(), shared, ValueRange{offset});
}

Expr AttentionGradBuilder::loadShared(Expr offset, Type type) {
  return w.expr(
      LLVM::LoadOp::create(builder, loc, type, sharedPointer(offset)));
}

Expr AttentionGradBuilder::address(Value pointer, sched::ViewAttr view,
                                   Expr row, Expr element) {
  ArrayRef<int64_t> strides = view.getStrides();
  Type i64 = builder.getI64Type();
  Expr offset = w.expr(batch).convert(i64) * strides[0] +
                w.expr(head).convert(i64) * strides[1] +
                row.convert(i64) * strides[2] + element.convert(i64);
  return w.expr(LLVM::GEPOp::create(builder, loc, pointer.getType(),
                                    shape.element, pointer,
                                    ValueRange{offset}));
}

void AttentionGradBuilder::locateBlock() {
  auto rest = [&](Expr a, Expr quotient, int64_t b) {
    return a - quotient * b;
  };
  const int64_t heads = shape.batch * rowHeads;
  const int64_t together = std::min(kHeadsTogether, heads);
  Expr id =
      w.expr(NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type()));
  Expr section = divide(id, together * numBlocks());
  Expr inSection = rest(id, section, together * numBlocks());
  // The last section may have fewer heads.
  Expr left = minimum(w.i32(heads) - section * together, w.i32(together));
  Expr block = inSection.make<arith::DivUIOp>(Value(inSection), Value(left));
  Expr inHeads = section * together + (inSection - block * left);
  // The longest blocks come first: with a causal mask, of the first keys and
  // of the last queries.
  if (!ofKeys)
    block = w.i32(numBlocks() - 1) - block;
  Expr sample = divide(inHeads, rowHeads);
  batch = w.uniform(sample);
  head = w.uniform(rest(inHeads, sample, rowHeads));
  firstRow = w.uniform(block * kBlockRows);
  firstHead =
      ofKeys ? Value(w.expr(head) * ratio) : Value(divide(w.expr(head), ratio));
  firstTile = w.i32(0);
  endTile = w.i32(numTiles());
  Expr row = w.expr(firstRow);
  if (shape.isCausal && ofKeys)
    firstTile = divide(row, tiling.columns);
  else if (shape.isCausal)
    endTile =
        minimum(w.expr(endTile), divide(row + (kBlockRows + tiling.columns - 1),
                                        tiling.columns));
  numSteps = (w.expr(endTile) - w.expr(firstTile)) * (ofKeys ? ratio : 1);
}

void AttentionGradBuilder::build(Block *entry, Value sharedArray) {
  for (int i = 0; i < 4; ++i)
    maps[i] = entry->getArgument(i);
  output = entry->getArgument(4);
  lse = entry->getArgument(5);
  statistics = entry->getArgument(6);
  for (int i = 0; i < 3; ++i)
    gradients[i] = entry->getArgument(7 + i);
  shared = sharedArray;
  Type i32 = builder.getI32Type();
  sharedBase = LLVM::PtrToIntOp::create(builder, loc, i32, shared);
  thread = NVVM::ThreadIdXOp::create(builder, loc, i32);
  lane = w.expr(thread) & 31;
  group = w.expr(lane).shr(2);
  quad = w.expr(lane) & 3;
  warp = w.uniform(w.expr(thread).shr(5));
  warpgroup = w.expr(warp).shr(2);
  locateBlock();
  when(w.expr(thread) == w.i32(0), [&] {
    for (int64_t stage = 0; stage < tiling.stages; ++stage) {
      w.initBarrier(full(w.i32(stage)), 1);
      w.initBarrier(empty(w.i32(stage)), kConsumerWarps);
    }
    w.initBarrier(rowsBarrier(), 1);
    w.fenceShared();
  });
  NVVM::BarrierOp::create(builder, loc);
  auto setRegisters = [&](int64_t count, NVVM::SetMaxRegisterAction action) {
    NVVM::SetMaxRegisterOp::create(builder, loc, int32_t(count), action);
  };
  when(
      w.expr(warp) < w.i32(kConsumerWarps),
      [&] {
        setRegisters(kConsumerRegisters, NVVM::SetMaxRegisterAction::increase);
        consume();
      },
      [&] {
        setRegisters(kProducerRegisters, NVVM::SetMaxRegisterAction::decrease);
        when(w.expr(warp) == w.i32(kConsumerWarps), [&] {
          when(NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(),
                                         Value()),
               [&] { produce(); });
        });
      });
}

GpuLaunch prec::buildAttentionGrad(const AttentionGradShape &shape,
                                   AttentionGradSide side, StringRef name,
                                   ModuleOp module, Location loc) {
  MLIRContext *context = module.getContext();
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  auto shared = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
      /*isConstant=*/false, LLVM::Linkage::External, (name + "_dynamic").str(),
      Attribute(), /*alignment=*/1024, kShared);
  SmallVector<Type> arguments(4, LLVM::LLVMPointerType::get(context));
  arguments.append(6, LLVM::LLVMPointerType::get(context, kGlobal));
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), arguments));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  auto map = LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
  for (unsigned i = 0; i < 4; ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(map));
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(64));
    function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  }
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  AttentionGradBuilder sideBuilder(shape, side, builder, loc);
  GpuLaunch launch = sideBuilder.launch();
  sideBuilder.build(
      entry, LLVM::AddressOfOp::create(builder, loc, shared).getResult());
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  setLaunch(function, launch);
  return launch;
}
