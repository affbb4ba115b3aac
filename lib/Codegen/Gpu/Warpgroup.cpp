//===- Warpgroup.cpp - matrix products of four warps ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of sm_90a for warpgroups, as inline PTX: wgmma, its fences
// and waits, mbarriers, tensor copies. wgmma is asynchronous: its accumulator
// may not be read or written before a wait. Since LLVM knows nothing of that,
// `wait` passes the registers that are ready through the instruction as inputs
// and outputs, and `multiply` ties the accumulator's inputs to its outputs. So
// every later use depends on the wait. An operand in shared memory is named by
// a descriptor of 64 bits: its address, and how its rows of 128 bytes are
// swizzled; only the lower half changes from step to step.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/Warpgroup.h"
#include "Codegen/Emitter/FloatConversion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace prec;

Expr Warpgroup::i32(int64_t value) {
  return expr(
      arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value));
}

Expr Warpgroup::uniform(Expr value) {
  return expr(NVVM::ShflOp::create(builder, loc, value.getType(), i32(-1),
                                   value, i32(0), i32(31), NVVM::ShflKind::idx,
                                   UnitAttr()));
}

Expr Warpgroup::pack(Expr low, Expr high) {
  return nvptx::truncatePair(low, high, element);
}

std::pair<Expr, Expr> Warpgroup::unpack(Expr pair) {
  Type f32 = builder.getF32Type();
  if (element.isBF16())
    return {pair.shl(16).bitcast(f32), (pair & -65536).bitcast(f32)};
  Value halves =
      LLVM::BitcastOp::create(builder, loc, VectorType::get(2, element), pair);
  auto half = [&](int64_t index) {
    Value one =
        LLVM::ExtractElementOp::create(builder, loc, halves, i32(index));
    return expr(one).convert(f32);
  };
  return {half(0), half(1)};
}

SmallVector<Value> Warpgroup::ptx(const std::string &text,
                                  const std::string &constraints,
                                  ValueRange operands, TypeRange results,
                                  bool clobber) {
  Type type = LLVM::LLVMVoidType::get(builder.getContext());
  if (results.size() == 1)
    type = results.front();
  else if (!results.empty())
    type = LLVM::LLVMStructType::getLiteral(
        builder.getContext(),
        SmallVector<Type>(results.begin(), results.end()));
  std::string all = constraints;
  if (clobber)
    all += all.empty() ? "~{memory}" : ",~{memory}";
  auto op = LLVM::InlineAsmOp::create(
      builder, loc, type, operands, text, all, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> values;
  if (results.size() == 1)
    values.push_back(op.getResult(0));
  else
    for (int64_t i = 0, e = results.size(); i < e; ++i)
      values.push_back(
          LLVM::ExtractValueOp::create(builder, loc, op.getResult(0), i));
  return values;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Upper half of a description: 1024 bytes from eight rows to the next, and
/// 128-byte swizzle.
static constexpr uint32_t kUpperDescription = (1024 >> 4) | (1u << 30);

void Warpgroup::when(Value condition, function_ref<void()> then,
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

Expr Warpgroup::describe(Expr address, const SwizzledTile &tile) {
  return address.shr(4) | (tile.slabBytes() >> 4 << 16);
}

void Warpgroup::multiply(Registers &accumulator, ArrayRef<Value> a, Expr b,
                         int64_t columns, bool isTransposed) {
  const StringRef type = element.isBF16() ? "bf16" : "f16";
  multiply(accumulator, a, b, columns,
           {type, type, kContracted, /*isLeftAcross=*/false, isTransposed});
}

void Warpgroup::multiply(Registers &accumulator, ArrayRef<Value> a, Expr b,
                         int64_t columns, const WarpgroupProduct &product) {
  const bool isFirst = accumulator.empty(), inRegisters = a.size() == 4;
  const unsigned count = columns / 2;
  unsigned next = isFirst ? count : 2 * count;
  auto operand = [&]() { return "$" + std::to_string(next++); };
  std::string lower;
  llvm::raw_string_ostream text(lower);
  const std::string upper = std::to_string(kUpperDescription);
  text << "{\n.reg .pred p;\n.reg .b64 da, db;\n";
  std::string left = "da";
  if (inRegisters) {
    left = "{";
    for (int i = 0; i < 4; ++i)
      left += (i ? ", " : "") + operand();
    left += "}";
  } else {
    text << "mov.b64 da, {" << operand() << ", " << upper << "};\n";
  }
  text << "mov.b64 db, {" << operand() << ", " << upper << "};\n"
       << "setp.ne.b32 p, " << int(!isFirst) << ", 0;\n"
       << "wgmma.mma_async.sync.aligned.m64n" << columns << 'k' << product.depth
       << ".f32." << product.left << '.' << product.right << " {";
  for (unsigned i = 0; i < count; ++i)
    text << (i ? ", $" : "$") << i;
  // The scale of either operand is 1; what is in registers lies as it does, and
  // FP8 lies along what is contracted.
  text << "}, " << left << ", db, p, 1, 1";
  if (product.depth == kContracted) {
    if (!inRegisters)
      text << ", " << int(product.isLeftAcross);
    text << ", " << int(product.isRightAcross);
  }
  text << ";\n}";

  SmallVector<std::string> constraints(count, "=f");
  SmallVector<Value> operands;
  if (!isFirst) {
    operands.append(accumulator.begin(), accumulator.end());
    for (unsigned i = 0; i < count; ++i)
      constraints.push_back(std::to_string(i));
  }
  llvm::append_range(operands, a);
  operands.push_back(b);
  constraints.append(a.size() + 1, "r");
  SmallVector<Type> types(count, builder.getF32Type());
  SmallVector<Value> results =
      ptx(lower, llvm::join(constraints, ","), operands, types, false);
  accumulator.assign(results.begin(), results.end());
}

void Warpgroup::fence() { NVVM::WgmmaFenceAlignedOp::create(builder, loc); }

void Warpgroup::commit() {
  NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
}

void Warpgroup::wait(int64_t pending, ArrayRef<Registers *> ready) {
  SmallVector<Value> operands;
  for (Registers *registers : ready)
    llvm::append_range(operands, *registers);
  SmallVector<std::string> constraints;
  for (Value operand : operands)
    constraints.push_back(operand.getType().isF32() ? "=f" : "=r");
  for (size_t i = 0; i < operands.size(); ++i)
    constraints.push_back(std::to_string(i));
  SmallVector<Type> types(ValueRange(operands).getTypes());
  SmallVector<Value> results =
      ptx("wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";",
          llvm::join(constraints, ","), operands, types, false);
  auto *next = results.begin();
  for (Registers *registers : ready)
    for (Value &value : *registers)
      value = *next++;
}

//===----------------------------------------------------------------------===//
// Barriers and copies
//===----------------------------------------------------------------------===//

void Warpgroup::initBarrier(Expr barrier, int64_t arrivals) {
  ptx("mbarrier.init.shared::cta.b64 [$0], $1;", "r,n",
      {barrier, i32(arrivals)}, {}, true);
}

void Warpgroup::arrive(Expr barrier) {
  ptx("mbarrier.arrive.shared::cta.b64 _, [$0];", "r", {barrier}, {}, true);
}

void Warpgroup::expect(Expr barrier, int64_t bytes) {
  ptx("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,n",
      {barrier, i32(bytes)}, {}, true);
}

void Warpgroup::waitFor(Expr barrier, Expr parity) {
  ptx("{\n.reg .pred p;\n"
      "AGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\n"
      "@p bra DONE;\nbra AGAIN;\nDONE:\n}",
      "r,r", {barrier, parity}, {}, true);
}

void Warpgroup::fenceShared() {
  ptx("fence.proxy.async.shared::cta;", "", {}, {}, true);
}

void Warpgroup::copyBox(Expr target, Value map, Expr barrier,
                        const std::array<Expr, 4> &coordinates) {
  SmallVector<Value> operands{target, map, barrier};
  llvm::append_range(operands, coordinates);
  ptx("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes [$0], [$1, {$3, $4, $5, $6}], [$2];",
      "r,l,r,r,r,r,r", operands, {}, true);
}

void Warpgroup::copyBytes(Expr target, Value source, int64_t bytes,
                          Expr barrier) {
  ptx("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], "
      "[$1], $2, [$3];",
      "r,l,r,r", {target, source, i32(bytes), barrier}, {}, true);
}

void Warpgroup::syncNamed(Expr id, int64_t threads) {
  ptx("bar.sync $0, $1;", "r,n", {id, i32(threads)}, {}, true);
}

void Warpgroup::arriveNamed(Expr id, int64_t threads) {
  ptx("bar.arrive $0, $1;", "r,n", {id, i32(threads)}, {}, true);
}
