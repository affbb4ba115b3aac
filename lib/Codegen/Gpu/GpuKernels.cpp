//===- GpuKernels.cpp - kernel functions for NVIDIA GPUs ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of all kernels on NVIDIA GPUs: function, arguments, launch, and the
// operations on shared memory, warps and barriers that the families use. The
// number of lanes (elements of a vector) is found by trying: a kernel is built
// with lanes of 16 bytes of its narrowest tensor into a module of its own. If
// some value had to be taken apart lane by lane, the try is thrown away and the
// kernel is built with half as many lanes, down to one. So no family has to
// know in advance which vectors fit. Indices have 32 bits where no tensor is
// too large for that. The elementwise family is here, too: one vector for each
// thread, in the order of memory, or by slices of columns where rows of a large
// table are looked up.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/GpuKernels.h"

#include "Codegen/DispatchShape.h"
#include "Codegen/Emitter/Loops.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace prec;

static constexpr unsigned kGlobal = 1, kShared = 3;
/// Whose values a thread reads all itself.
static constexpr int64_t kFewWarps = 8;

SmallVector<unsigned> GpuKernel::allResults() {
  return llvm::to_vector(llvm::seq<unsigned>(0, dispatch().getNumResults()));
}

static Value widen(KernelBuilder &k, Value value) {
  if (value.getType() == k.indexType)
    return value;
  return arith::ExtUIOp::create(k.here(), k.loc(), k.indexType, value);
}

Value GpuKernel::blockId() {
  KernelBuilder &k = kernel();
  Type type = k.here()->getI32Type();
  return widen(k, NVVM::BlockIdXOp::create(k.here(), k.loc(), type));
}

Value GpuKernel::threadId(unsigned dim) {
  KernelBuilder &k = kernel();
  OpBuilder b = k.here();
  Value id = dim == 0
                 ? Value(NVVM::ThreadIdXOp::create(b, k.loc(), b.getI32Type()))
                 : Value(NVVM::ThreadIdYOp::create(b, k.loc(), b.getI32Type()));
  return widen(k, id);
}

void GpuKernel::barrier() {
  NVVM::BarrierOp::create(kernel().here(), kernel().loc());
}

void GpuKernel::barrier(const Team &team) {
  if (team.count == 1)
    return barrier();
  KernelBuilder &k = kernel();
  // The first one is that of the whole block.
  Value id = k.add(team.index, 1);
  if (id.getType() != k.here()->getI32Type())
    id = arith::TruncIOp::create(k.here(), k.loc(), k.here()->getI32Type(), id);
  NVVM::BarrierOp::create(k.here(), k.loc(), TypeRange(), id, i32(team.threads),
                          NVVM::BarrierReductionAttr(),
                          /*reductionPredicate=*/Value());
}

Value GpuKernel::i32(int64_t value) {
  OpBuilder b = kernel().here();
  return arith::ConstantIntOp::create(b, kernel().loc(), b.getI32Type(), value);
}

static Value declareShared(KernelBuilder &k, Type element, int64_t count,
                           LLVM::Linkage linkage, const std::string &symbol) {
  auto builder = OpBuilder::atBlockBegin(k.module.getBody());
  LLVM::GlobalOp::create(builder, k.loc(),
                         LLVM::LLVMArrayType::get(element, count),
                         /*isConstant=*/false, linkage, symbol, Attribute(),
                         /*alignment=*/16, kShared);
  return LLVM::AddressOfOp::create(
      k.at(0), k.loc(),
      LLVM::LLVMPointerType::get(builder.getContext(), kShared), symbol);
}

Value GpuKernel::allocateShared(Type element, int64_t count) {
  KernelBuilder &k = kernel();
  sharedBytes += llvm::alignTo(count * element.getIntOrFloatBitWidth() / 8, 16);
  return declareShared(k, element, count, LLVM::Linkage::Internal,
                       k.name + "_shared" + std::to_string(numShared++));
}

Value GpuKernel::allocateDynamicShared(int64_t bytes) {
  KernelBuilder &k = kernel();
  dynamicSharedBytes = bytes;
  // Its size is that of the launch.
  return declareShared(k, k.here()->getI8Type(), 0, LLVM::Linkage::External,
                       k.name + "_dynamic");
}

static Value sharedPointer(KernelBuilder &k, Value array, Type type,
                           Value index) {
  return LLVM::GEPOp::create(k.here(), k.loc(), array.getType(),
                             getElementTypeOrSelf(type), array,
                             ValueRange{index}, LLVM::GEPNoWrapFlags::inbounds);
}

Value GpuKernel::loadShared(Value array, Type type, Value index,
                            unsigned alignment) {
  KernelBuilder &k = kernel();
  unsigned bytes = getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
  return LLVM::LoadOp::create(k.here(), k.loc(), type,
                              sharedPointer(k, array, type, index),
                              alignment ? alignment : bytes);
}

void GpuKernel::storeShared(Value array, Value value, Value index,
                            unsigned alignment) {
  KernelBuilder &k = kernel();
  unsigned bytes =
      getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8;
  LLVM::StoreOp::create(k.here(), k.loc(), value,
                        sharedPointer(k, array, value.getType(), index),
                        alignment ? alignment : bytes);
}

void GpuKernel::addShared(Value array, Value value, Value index) {
  KernelBuilder &k = kernel();
  LLVM::AtomicRMWOp::create(k.here(), k.loc(), LLVM::AtomicBinOp::add,
                            sharedPointer(k, array, value.getType(), index),
                            value, LLVM::AtomicOrdering::monotonic, "block");
}

void GpuKernel::copyToShared(Value array, Type element, Value index, Value from,
                             int64_t bytes) {
  KernelBuilder &k = kernel();
  // Only whole sectors can pass by the first cache.
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                           : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(k.here(), k.loc(),
                          sharedPointer(k, array, element, index), from, bytes,
                          cache, Value());
}

void GpuKernel::endCopies() {
  NVVM::CpAsyncCommitGroupOp::create(kernel().here(), kernel().loc());
}

void GpuKernel::waitForCopies(int64_t lastGroups) {
  NVVM::CpAsyncWaitGroupOp::create(kernel().here(), kernel().loc(), lastGroups);
}

void GpuKernel::syncWarp() {
  NVVM::SyncWarpOp::create(kernel().here(), kernel().loc(), i32(-1));
}

Value GpuKernel::ballot(Value predicate) {
  KernelBuilder &k = kernel();
  return NVVM::VoteSyncOp::create(k.here(), k.loc(), k.here()->getI32Type(),
                                  i32(-1), predicate,
                                  NVVM::VoteSyncKind::ballot);
}

Value GpuKernel::countBefore(Value mask, Value lane) {
  KernelBuilder &k = kernel();
  Expr bits(k.moveHere(), k.loc(), mask), one = bits.integer(1);
  Expr before =
      one.make<arith::ShLIOp>(
          Value(one),
          Value(Expr(k.moveHere(), k.loc(), lane).convert(mask.getType()))) -
      one;
  bits = bits & before;
  return bits.make<math::CtPopOp>(Value(bits));
}

/// What the lane has whose number differs in `offset`. A shuffle moves 32 bits.
static Value exchange(GpuKernel &gpu, Value value, int64_t offset) {
  OpBuilder b = gpu.kernel().here();
  Location loc = gpu.kernel().loc();
  auto shuffle = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, word.getType(), gpu.i32(-1), word,
                                gpu.i32(offset), gpu.i32(kWarp - 1),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  Type type = value.getType(), word = b.getI32Type();
  if (!isa<IntegerType>(type) || type == word)
    return shuffle(value);
  if (type.getIntOrFloatBitWidth() < 32) {
    Value other = shuffle(arith::ExtUIOp::create(b, loc, word, value));
    return arith::TruncIOp::create(b, loc, type, other);
  }
  Expr wide(b, loc, value);
  Value low = shuffle(arith::TruncIOp::create(b, loc, word, value));
  Value high = shuffle(arith::TruncIOp::create(b, loc, word, wide.shr(32)));
  Expr upper(b, loc, arith::ExtUIOp::create(b, loc, type, high));
  Expr lower(b, loc, arith::ExtUIOp::create(b, loc, type, low));
  return upper.shl(32) + lower;
}

Value GpuKernel::reduceWarp(train::ReduceKind kind, Value value) {
  KernelBuilder &k = kernel();
  for (int64_t offset = kWarp / 2; offset > 0; offset /= 2)
    value =
        combine(k.here(), k.loc(), kind, value, exchange(*this, value, offset));
  return value;
}

void GpuKernel::reduceWarps(ArrayRef<train::ReduceOp> ops,
                            MutableArrayRef<Value> values, Value thread,
                            int64_t warps, Value memory, const Team &team) {
  KernelBuilder &k = kernel();
  for (auto [op, value] : llvm::zip(ops, values)) {
    train::ReduceKind kind = train::ReduceOp(op).getKind();
    value = reduceWarp(kind, foldLanes(k.here(), k.loc(), kind, value));
  }
  if (warps == 1)
    return;
  SmallVector<Value> arrays;
  Value lane = k.rem(thread, kWarp), warp = k.div(thread, kWarp);
  int64_t places = team.turn ? 2 * team.count : team.count;
  for (Value value : values)
    arrays.push_back(memory ? memory
                            : allocateShared(value.getType(), kWarp * places));
  auto slot = [&](size_t array, Value of) {
    if (team.count > 1)
      of = k.add(of, k.mul(team.index, kWarp));
    if (team.turn)
      of = k.add(of, k.mul(team.turn, kWarp * team.count));
    return memory ? k.add(of, int64_t(array) * kWarp) : of;
  };
  buildIfAlways(k, k.lessThan(lane, 1), [&]() {
    for (auto [i, value] : llvm::enumerate(values))
      storeShared(arrays[i], value, slot(i, warp));
  });
  barrier(team);
  for (auto [i, op] : llvm::enumerate(ops)) {
    Value &value = values[i];
    train::ReduceKind kind = train::ReduceOp(op).getKind();
    if (llvm::isPowerOf2_64(warps) && warps <= kFewWarps) {
      Value parts =
          loadShared(arrays[i], VectorType::get(warps, value.getType()),
                     slot(i, k.constant(0)), kVectorBytes);
      value = foldLanes(k.here(), k.loc(), kind, parts);
      continue;
    }
    Value part =
        loadShared(arrays[i], value.getType(), slot(i, k.min(lane, warps - 1)));
    if (warps < kWarp) {
      Value none = neutralElement(k.here(), k.loc(), kind, value.getType());
      part = arith::SelectOp::create(k.here(), k.loc(), k.lessThan(lane, warps),
                                     part, none);
    }
    value = reduceWarp(kind, part);
  }
}

int64_t GpuKernel::lanesFor(int64_t extent) const {
  int64_t lanes = maxLanes;
  while (extent % lanes)
    lanes /= 2;
  return lanes;
}

int64_t GpuKernel::lanesForRow(int64_t extent) const {
  int64_t lanes = lanesFor(extent);
  while (lanes > 1 && extent / lanes < kWarp)
    lanes /= 2;
  return lanes;
}

/// In how many slices of columns a kernel looks up rows of `columns` elements
/// of a table of `bytes` bytes, each row several times: what is read of one
/// slice stays in the second cache until it is read again.
static int64_t chooseSlices(const RepeatedRows &table) {
  constexpr int64_t mostBytes = 8 << 20, fewestColumns = 256;
  int64_t slices = 1, width = table.columns;
  while (table.bytes / slices > mostBytes && width % 2 == 0 &&
         width / 2 >= fewestColumns) {
    slices *= 2;
    width /= 2;
  }
  return slices;
}

/// Elements of `lanes` lanes that thread `own` computes, of a matrix of
/// `columns` columns by slices of them: all rows of one, then those of the
/// next.
static SmallVector<Digit, 2> findInSlices(KernelBuilder &k, Value own,
                                          int64_t rows, int64_t columns,
                                          int64_t slices, int64_t lanes) {
  int64_t width = columns / slices, perRow = width / lanes;
  Value slice = k.div(own, rows * perRow), inSlice = k.rem(own, rows * perRow);
  Value column =
      k.add(k.mul(slice, width), k.mul(k.rem(inSlice, perRow), lanes));
  return {Digit{rows, k.div(inSlice, perRow)},
          Digit{columns, column, lanes, lanes}};
}

FailureOr<GpuLaunch> prec::buildGpuElementwise(GpuKernel &gpu) {
  KernelBuilder &k = gpu.kernel();
  FailureOr<int64_t> walked = walkedElementsOf(gpu.dispatch());
  if (failed(walked))
    return failure();
  int64_t elements = *walked;
  gpu.maxLanes =
      std::min(gpu.maxLanes, kVectorBytes / widestResult(gpu.dispatch()));
  int64_t lanes = gpu.lanesFor(elements), threads = elements / lanes;
  int64_t block = std::min<int64_t>(256, llvm::alignTo(threads, kWarp));
  Value thread = k.add(k.mul(gpu.blockId(), block), gpu.threadId());
  // Loads may be placed in front of the condition that a thread is inside: it
  // reads the last elements where it is not.
  bool fits = threads % block == 0;
  Value own = fits ? thread : k.min(thread, threads - 1);
  RepeatedRows table = findRepeatedRows(gpu.dispatch(), elements);
  bool isWhole = llvm::all_of(gpu.dispatch().getResults(), [&](Value result) {
    return elementsOf(result) == elements;
  });
  int64_t slices = table.columns && isWhole ? chooseSlices(table) : 1;
  if (slices > 1 && table.columns / slices % lanes)
    slices = 1;
  auto body = [&]() {
    if (slices > 1)
      return gpu.emitter.emitResults(
          gpu.allResults(), findInSlices(k, own, elements / table.columns,
                                         table.columns, slices, lanes));
    Digit digit{elements, k.mul(own, lanes), lanes, lanes};
    return gpu.emitter.emitResults(gpu.allResults(), digit);
  };
  if (failed(fits ? body() : buildIf(k, k.lessThan(thread, threads), body)))
    return failure();
  return GpuLaunch{int64_t(llvm::divideCeil(threads, block)), {block, 1, 1}};
}

static FailureOr<GpuLaunch> buildFamily(GpuKernel &kernel) {
  switch (kernel.dispatch().getFamily()) {
  case sched::Family::Elementwise:
    return buildGpuElementwise(kernel);
  case sched::Family::Row:
    return buildGpuRow(kernel);
  case sched::Family::Column:
    return buildGpuColumn(kernel);
  case sched::Family::Transpose:
    return buildGpuTranspose(kernel);
  case sched::Family::ScatterAdd:
    return buildGpuScatterAdd(kernel);
  case sched::Family::Sort:
    return buildGpuSort(kernel);
  }
  llvm_unreachable("covered switch");
}

/// 32-bit index arithmetic wherever no tensor has more elements.
static IntegerType indexTypeFor(sched::DispatchOp dispatch) {
  int64_t most = 0;
  auto visit = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      most = std::max(most, tensor.getNumElements());
  };
  for (Type type : dispatch->getOperandTypes())
    visit(type);
  dispatch.getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      visit(type);
  });
  // Room for what is counted past the end before a guard stops it.
  bool wide = most >= (int64_t(1) << 31) - (1 << 20);
  return IntegerType::get(dispatch.getContext(), wide ? 64 : 32);
}

LLVM::LLVMFuncOp prec::createMapKernel(OpBuilder &builder, Location loc,
                                       StringRef name, ArrayRef<Type> arguments,
                                       unsigned maps) {
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  arguments));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  auto map = LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
  for (unsigned i = 0; i < maps; ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(map));
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(64));
    function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  }
  return function;
}

void prec::setLaunch(LLVM::LLVMFuncOp function, const GpuLaunch &launch) {
  Builder builder(function.getContext());
  SmallVector<int32_t> block(launch.block.begin(), launch.block.end());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr(block));
  if (launch.residentBlocks)
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(launch.residentBlocks));
  if (launch.clusterBlocks > 1)
    function->setAttr(
        NVVM::NVVMDialect::getClusterDimAttrName(),
        builder.getDenseI32ArrayAttr({launch.clusterBlocks, 1, 1}));
}

FailureOr<GpuLaunch> prec::buildGpuKernel(sched::DispatchOp dispatch,
                                          StringRef name, ModuleOp module,
                                          const GpuChip &chip) {
  if (failed(checkTensors(dispatch)))
    return failure();
  MLIRContext *context = module.getContext();
  Location loc = dispatch.getLoc();
  unsigned inputs = dispatch.getInputs().size();
  SmallVector<Type> arguments(inputs + dispatch.getNumResults(),
                              LLVM::LLVMPointerType::get(context, kGlobal));
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), arguments);
  // Only a result and the input it replaces share memory.
  SmallVector<bool> shared(arguments.size());
  for (auto [result, input] : llvm::enumerate(dispatch.getInplace()))
    if (input >= 0)
      shared[input] = shared[inputs + result] = true;
  for (int64_t lanes = 16 / narrowestElement(dispatch);; lanes /= 2) {
    // A try, which is kept if fewer lanes would not be better.
    OwningOpRef<ModuleOp> scratch = ModuleOp::create(loc);
    auto builder = OpBuilder::atBlockEnd(scratch->getBody());
    auto function = LLVM::LLVMFuncOp::create(builder, loc, name, type);
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      builder.getUnitAttr());
    for (auto [index, isShared] : llvm::enumerate(shared))
      if (!isShared)
        function.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(),
                            builder.getUnitAttr());
    Block *entry = function.addEntryBlock(builder);
    KernelBuilder kernel(*scratch, name, KernelTarget::Nvptx,
                         indexTypeFor(dispatch));
    kernel.setLoc(loc);
    kernel.push(entry);
    SmallVector<Value> buffers(entry->getArguments());
    PointEmitter emitter(kernel, dispatch, ArrayRef(buffers).take_front(inputs),
                         ArrayRef(buffers).drop_front(inputs));
    GpuKernel gpu(emitter, lanes, chip);
    FailureOr<GpuLaunch> launch = buildFamily(gpu);
    if (failed(launch))
      return failure();
    LLVM::ReturnOp::create(kernel.here(), loc, ValueRange());
    if (emitter.hasBrokenLanes() && lanes > 1)
      continue;
    if (gpu.getSharedBytes() > kMaxSharedBytes)
      return dispatch.emitOpError("kernels have at most ")
             << kMaxSharedBytes << " bytes of shared memory, but got "
             << gpu.getSharedBytes();
    launch->shared = gpu.getDynamicSharedBytes();
    assert((!launch->shared ||
            launch->shared + gpu.getSharedBytes() <= chip.blockShared) &&
           "a family asks for what the chip has");
    setLaunch(function, *launch);
    module.getBody()->getOperations().splice(
        module.getBody()->end(), scratch->getBody()->getOperations());
    return launch;
  }
}
