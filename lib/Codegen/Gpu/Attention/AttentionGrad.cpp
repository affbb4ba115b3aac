//===- AttentionGrad.cpp - gradients of attention on Hopper ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two kernels of AttentionGrad.h: which shapes they support, and the roles
// of a block's warps. Two warpgroups compute (AttentionGradTiles.h) and get
// most registers; one thread of a third one copies (AttentionGradCopies.h).
// Barriers in shared memory connect them: `full` and `empty` of each stage, and
// one for the block's own rows (AttentionGradPlan.h says where).
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/Attention/AttentionGrad.h"

#include "Codegen/Gpu/Attention/AttentionGradCopies.h"
#include "Codegen/Gpu/Attention/AttentionGradTiles.h"
#include "Codegen/Gpu/GpuChips.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace prec;

static constexpr unsigned kGlobal = 1, kShared = 3;
static constexpr int64_t kConsumerRegisters = 240, kProducerRegisters = 24;

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
  if (op.getBias() || op.getWindow() || !hasWarpgroups(chip) || !isHalf ||
      shape.dim > 128 || !inPieces ||
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

/// Barriers first, then the roles of the warps.
static void buildWarps(AttentionGradFrame &frame) {
  const AttentionGradPlan &plan = frame.plan;
  OpBuilder &builder = frame.builder;
  Location loc = frame.loc;
  Warpgroup &w = frame.w;
  w.when(w.expr(frame.thread) == w.i32(0), [&] {
    for (int64_t stage = 0; stage < plan.tiling.stages; ++stage) {
      w.initBarrier(frame.full(w.i32(stage)), 1);
      w.initBarrier(frame.empty(w.i32(stage)), kConsumerWarps);
    }
    w.initBarrier(frame.rowsBarrier(), 1);
    w.fenceShared();
  });
  NVVM::BarrierOp::create(builder, loc);
  auto setRegisters = [&](int64_t count, NVVM::SetMaxRegisterAction action) {
    NVVM::SetMaxRegisterOp::create(builder, loc, int32_t(count), action);
  };
  w.when(
      w.expr(frame.warp) < w.i32(kConsumerWarps),
      [&] {
        setRegisters(kConsumerRegisters, NVVM::SetMaxRegisterAction::increase);
        AttentionGradTiles(frame).build();
      },
      [&] {
        setRegisters(kProducerRegisters, NVVM::SetMaxRegisterAction::decrease);
        w.when(w.expr(frame.warp) == w.i32(kConsumerWarps), [&] {
          w.when(NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(),
                                           Value()),
                 [&] { buildAttentionGradCopies(frame); });
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
  auto function = createMapKernel(builder, loc, name, arguments, 4);
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  AttentionGradPlan plan(shape, side);
  AttentionGradFrame frame(
      plan, builder, loc, entry,
      LLVM::AddressOfOp::create(builder, loc, shared).getResult());
  buildWarps(frame);
  GpuLaunch launch = plan.launch();
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  setLaunch(function, launch);
  return launch;
}
